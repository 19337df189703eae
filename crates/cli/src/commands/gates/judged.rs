//! The result of a gate, for people and for programs.

use sealwright_gates::{Finding, Judgement, Status, TestResult};
use sealwright_kernel::Verdict;
use sealwright_views::sanitize;
use sealwright_views::wire::{self, GateReport, GatesLine, TestReport, TestStatus};

use crate::output::{bad, counted, good, warn};

/// The result for people: the verdict, the reasons, the tests that did not pass, and findings for a person.
pub(crate) fn lines(gate: &str, judgement: &Judgement) -> Vec<String> {
    let verdict = match judgement.verdict {
        Verdict::Pass => good("pass"),
        Verdict::Fail => bad("fail"),
        Verdict::CannotTell => warn("cannot tell"),
    };
    let mut lines = vec![format!("{}: {verdict}", sanitize(gate))];
    lines.extend(judgement.because.iter().map(|why| format!("  {}", sanitize(why))));
    if !judgement.tests.is_empty() {
        lines.push(format!("tests: {}", summary(&judgement.tests)));
        let others: Vec<String> = judgement.tests.iter().filter_map(not_passed).collect();
        let more = others.len().saturating_sub(TESTS_MAX);
        lines.extend(others.into_iter().take(TESTS_MAX));
        if more > 0 {
            lines.push(format!("  … {more} more"));
        }
    }
    let not_run = judgement.not_run.iter();
    lines.extend(not_run.map(|what| format!("{} {}", warn("not run:"), sanitize(what))));
    for (cheat, what) in &judgement.cheats {
        lines.push(format!("{}: {} ({})", bad("cheat"), sanitize(what), cheat.name()));
    }
    for Finding { rule, place, what, .. } in &judgement.findings {
        let (rule, place, what) = (sanitize(rule), sanitize(place), sanitize(what));
        lines.push(format!("{} {place}: {what} ({rule})", warn("needs review:")));
    }
    lines
}

pub(super) fn wire(gate: &str, kind: &str, judgement: &Judgement) -> GatesLine {
    GatesLine::Report(GateReport {
        gate: gate.to_owned(),
        kind: kind.into(),
        verdict: judgement.verdict.into(),
        because: judgement.because.clone(),
        tests: judgement.tests.iter().map(test).collect(),
        cheats: judgement.cheats.iter().map(Into::into).collect(),
        findings: judgement.findings.iter().map(finding).collect(),
        not_run: judgement.not_run.clone(),
    })
}

pub(crate) fn finding(finding: &Finding) -> wire::Finding {
    wire::Finding {
        kind: finding.kind.into(),
        rule: finding.rule.clone(),
        place: finding.place.clone(),
        what: finding.what.clone(),
    }
}

fn test(result: &TestResult) -> TestReport {
    let (_, why) = told(&result.status);
    TestReport {
        suite: result.id.suite.clone(),
        name: (&result.id.name).into(),
        status: match result.status {
            Status::Passed => TestStatus::Passed,
            Status::Failed { .. } => TestStatus::Failed,
            Status::Broken { .. } => TestStatus::Broken,
            Status::Skipped { .. } => TestStatus::Skipped,
        },
        why: why.to_owned(),
        millis: result.millis,
    }
}

fn told(status: &Status) -> (&'static str, &str) {
    match status {
        Status::Passed => ("passed", ""),
        Status::Failed { why } => ("failed", why),
        Status::Broken { why } => ("broken", why),
        Status::Skipped { why } => ("skipped", why),
    }
}

fn not_passed(result: &TestResult) -> Option<String> {
    let (status, why) = told(&result.status);
    let (suite, name) = (sanitize(&result.id.suite), sanitize(&result.id.name));
    let line = if why.is_empty() {
        format!("  {status} {name} in {suite}")
    } else {
        format!("  {status} {name} in {suite}: {}", sanitize(why))
    };
    (status != "passed").then_some(line)
}

fn summary(tests: &[TestResult]) -> String {
    let count = |word: &str| tests.iter().filter(|test| told(&test.status).0 == word).count();
    let words = ["passed", "failed", "broken", "skipped"];
    let parts = words.into_iter().map(|word| (count(word), word)).filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, word)| format!("{count} {word}")).collect();
    format!("{} ({})", counted(tests.len() as u64, "test"), parts.join(", "))
}

const TESTS_MAX: usize = 40;

#[cfg(test)]
mod tests {
    use sealwright_gates::TestId;
    use sealwright_kernel::Cheat;
    use sealwright_kernel::task::ResidueKind;

    use super::*;

    fn judgement() -> Judgement {
        let test = |name: &str, status| TestResult {
            id: TestId { suite: "lib shop".to_owned(), name: name.to_owned() },
            status,
            millis: Some(7),
        };
        let failed = Status::Failed { why: "left: 4 \u{1b}[2J right: 5".to_owned() };
        Judgement {
            cheats: vec![(Cheat::VacuousAsserts, "the canary passed".to_owned())],
            findings: vec![Finding {
                kind: ResidueKind::Security,
                rule: "aws".to_owned(),
                place: "a.py:1".to_owned(),
                what: "a secret".to_owned(),
            }],
            ..Judgement::fail(vec!["`b` failed".to_owned()])
                .with_tests(vec![test("a", Status::Passed), test("b", failed)])
        }
    }

    #[test]
    fn people_read_the_verdict_first_and_nothing_steers_their_terminal() {
        let lines = lines("tests", &judgement()).join("\n");
        let seen: String = anstream::adapter::strip_str(&lines).to_string();
        insta::assert_snapshot!(seen, @"
        tests: fail
          `b` failed
        tests: 2 tests (1 passed, 1 failed)
          failed b in lib shop: left: 4 �[2J right: 5
        cheat: the canary passed (vacuous_asserts)
        needs review: a.py:1: a secret (aws)
        ");
    }

    #[test]
    fn programs_get_what_the_schema_says() {
        let text = include_str!("../../../../../docs/schemas/gates.json");
        let schema: serde_json::Value = serde_json::from_str(text).unwrap();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        for judgement in [judgement(), Judgement::pass(), Judgement::cannot_tell("no sandbox")] {
            let value = serde_json::to_value(wire("tests", "cargo-test", &judgement)).unwrap();
            let errors: Vec<String> =
                validator.iter_errors(&value).map(|error| error.to_string()).collect();
            assert_eq!(errors, [""; 0], "{value}");
        }
        let mut bent = serde_json::to_value(wire("tests", "cargo-test", &judgement())).unwrap();
        bent["verdict"] = "passed".into();
        assert!(!validator.is_valid(&bent));
    }
}
