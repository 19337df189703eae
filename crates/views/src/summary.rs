//! The summary on the first screen: criteria, latest checks, unproven points, problems and cost.
//!
//! It is computed from the folded state alone. Where the state does not say which test proves a criterion, the summary
//! names the run of all its tests. Evidence for an earlier tree does not count.
//!
//! The text is unescaped; each renderer escapes it.

use std::collections::BTreeSet;

use sealwright_kernel::task::{Completion, FeatureLabel, RecordOwner, Status, TaskData};
use sealwright_kernel::{Cost, EvidenceId, EvidenceRecord, Level, Source, Verdict};

use super::hold_out::HoldOut;
use super::{ViewInput, amounts, evidence, wording};
use crate::built_in_checks::{ACCEPTANCE, DISPROVED, HOLD_OUT, LOOK, NO_MUTANTS, STRENGTH};

pub(super) struct Summary<'k> {
    /// Without duplicates.
    pub(super) criteria: Vec<Criterion<'k>>,
    /// The latest evidence of each subject for the current tree, and the last red run.
    pub(super) latest: Vec<&'k EvidenceRecord>,
    /// Where the held-out tests are that ran on the current tree.
    pub(super) held_out: Option<String>,
    pub(super) unproven: Vec<String>,
    /// Failures, cheats and amendments before the current tree.
    pub(super) problems: Vec<String>,
    pub(super) costs: Vec<(&'static str, String)>,
}

pub(super) struct Criterion<'k> {
    pub(super) text: &'k str,
    pub(super) status: CriterionStatus,
    /// The evidence for it, in order.
    pub(super) seen: Vec<(&'static str, EvidenceId)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CriterionStatus {
    /// The check of this criterion passes.
    Proven,
    /// The check of this criterion fails.
    Failing,
    /// No check of this criterion passed or failed on the current tree.
    Unproven,
}

/// How a piece of evidence was produced.
pub(super) struct Provenance {
    /// The command or the role.
    pub(super) by: String,
    /// How strongly the command was sandboxed.
    pub(super) sandbox: &'static str,
}

impl<'k> Summary<'k> {
    pub(super) fn of(input: &ViewInput<'_>, data: &'k TaskData) -> Self {
        let latest = latest(data);
        let hold_out = HoldOut::of(input, data);
        let ran = hold_out.as_ref().filter(|_| check(&latest, HOLD_OUT).is_some_and(ran_tests));
        Self {
            criteria: criteria(data, &latest, hold_out.as_ref()),
            held_out: ran.and_then(HoldOut::place),
            unproven: unproven(input, data, &latest, ran),
            problems: problems(input, data, &latest),
            costs: costs(input, data),
            latest,
        }
    }
}

impl CriterionStatus {
    fn at_most_unproven(self) -> Self {
        if self == Self::Proven { Self::Unproven } else { self }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Failing => "fails",
            Self::Unproven => "unproven",
        }
    }
}

impl Provenance {
    pub(super) fn of(record: &EvidenceRecord) -> Self {
        match &record.evidence.source {
            Source::Command { argv, confinement: None, .. } if argv.starts_with(&look()) => {
                Self { by: "built-in check".to_owned(), sandbox: "no command" }
            }
            Source::Command { argv, confinement, .. } => Self {
                by: argv.join(" "),
                sandbox: confinement.as_ref().map_or("no sandbox", |it| it.level.name()),
            },
            Source::Role { role, .. } => {
                Self { by: format!("the {}'s answer", role.name()), sandbox: "judgement" }
            }
        }
    }
}

/// The first line of what a check said, in the width of a table cell.
pub fn said(record: &EvidenceRecord) -> String {
    let first = record.evidence.excerpt.lines().map(str::trim).find(|line| !line.is_empty());
    cut(first.unwrap_or_default())
}

/// `text` in the width of a table cell.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(CELL_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The latest evidence of each subject for the current tree, and the last red run. Without evidence for the current
/// tree, the latest of each subject.
pub fn latest(data: &TaskData) -> Vec<&EvidenceRecord> {
    let red = data.evidence.iter().rev().find(|record| record.subject == evidence::RED);
    let red = red.filter(|record| evidence::is_red(record));
    let is_current = |record: &EvidenceRecord| {
        Some(record.evidence.tree) == data.tree || red.is_some_and(|red| red.id == record.id)
    };
    let has_current = data.evidence.iter().any(is_current);
    let mut latest: Vec<&EvidenceRecord> = Vec::new();
    for record in data.evidence.iter().rev() {
        let is_superseded = latest.iter().any(|later| later.subject == record.subject);
        if !is_superseded && (is_current(record) || !has_current) {
            latest.push(record);
        }
    }
    latest.reverse();
    latest
}

fn criteria<'k>(
    data: &'k TaskData,
    latest: &[&EvidenceRecord],
    hold_out: Option<&HoldOut>,
) -> Vec<Criterion<'k>> {
    let framed = data.frame.iter().flat_map(|frame| &frame.done_gate);
    let mut texts: Vec<&str> = Vec::new();
    for text in data.charter.criteria.iter().chain(framed).map(|text| text.trim()) {
        if !text.is_empty() && !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.into_iter().map(|text| Criterion::of(text, data, latest, hold_out)).collect()
}

impl<'k> Criterion<'k> {
    fn of(
        text: &'k str,
        data: &TaskData,
        latest: &[&EvidenceRecord],
        hold_out: Option<&HoldOut>,
    ) -> Self {
        let cited = cited(text).and_then(|name| check(latest, name));
        // The freeze requires a test for each criterion, and one check runs all of them.
        let Some(record) = cited.or_else(|| check(latest, ACCEPTANCE)) else {
            return Self { text, status: CriterionStatus::Unproven, seen: vec![] };
        };
        let red = latest.iter().find(|record| evidence::is_red(record));
        let held_out = check(latest, HOLD_OUT).filter(|it| ran_tests(it));
        let mut seen: Vec<_> = red.map(|red| ("failed before", red.id)).into_iter().collect();
        let mut status = match record.verdict {
            Verdict::Pass => {
                seen.push(("passes now", record.id));
                CriterionStatus::Proven
            }
            Verdict::Fail => {
                seen.push(("fails now", record.id));
                CriterionStatus::Failing
            }
            Verdict::CannotTell => CriterionStatus::Unproven,
        };
        let is_shown = hold_out.is_some_and(|it| it.shows(text));
        match held_out.map(|it| (it.verdict, it.id)) {
            Some((Verdict::Pass, id)) if is_shown => seen.push(("hold-out tests pass", id)),
            Some((Verdict::Fail, id)) => {
                let is_named =
                    |it: &String| it.strip_prefix(DISPROVED).is_some_and(|it| it.trim() == text);
                if data.to_mend.iter().any(is_named) {
                    seen.push(("a hold-out test fails", id));
                    status = CriterionStatus::Failing;
                } else if is_shown || hold_out.is_none() {
                    // It is not recorded which criteria the failed tests are about.
                    seen.push(("a hold-out test fails", id));
                    status = status.at_most_unproven();
                }
            }
            Some((Verdict::Pass | Verdict::CannotTell, _)) | None => {}
        }
        Self { text, status, seen }
    }
}

/// Tests that failed in the clean room before the change: nobody knows whether it breaks them.
fn set_aside(input: &ViewInput<'_>, data: &TaskData) -> Option<String> {
    let red = data.evidence.iter().rev().find(|record| record.subject == evidence::RED)?;
    let baseline = red.evidence.artifacts.iter().find(|it| it.name == evidence::BASELINE)?;
    failed_before(&(input.outputs)(&baseline.content)?)
}

/// Tests of the project that no check runs, such as examples in comments, and those that share a process with the code.
fn named(input: &ViewInput<'_>, latest: &[&EvidenceRecord]) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for artifact in latest.iter().flat_map(|record| &record.evidence.artifacts) {
        let known = NAMED.iter().find(|(name, _)| artifact.name == *name);
        let Some((_, what)) = known else { continue };
        let text = (input.outputs)(&artifact.content).unwrap_or_default();
        let listed: Vec<String> = serde_json::from_str(&text).unwrap_or_default();
        named.extend(listed.iter().take(NAMED_MAX).map(|it| format!("{what}: {it}")));
    }
    named
}

/// The tests that failed, of the results before a change.
fn failed_before(results: &str) -> Option<String> {
    let all: Vec<serde_json::Value> = serde_json::from_str(results).ok()?;
    let has_failed = |it: &&serde_json::Value| {
        it["status"].get("failed").is_some() || it["status"].get("broken").is_some()
    };
    let names = all.iter().filter(has_failed).filter_map(|it| {
        Some(format!("{}::{}", it["id"]["suite"].as_str()?, it["id"]["name"].as_str()?))
    });
    let names: Vec<String> = names.collect();
    let shown = names.iter().take(SET_ASIDE_MAX).cloned().collect::<Vec<_>>().join(", ");
    let more = if names.len() > SET_ASIDE_MAX { ", …" } else { "" };
    let many = names.len();
    (many > 0).then(|| format!("Failed before the change and set aside, {many}: {shown}{more}"))
}

fn unproven(
    input: &ViewInput<'_>,
    data: &TaskData,
    latest: &[&EvidenceRecord],
    hold_out: Option<&HoldOut>,
) -> Vec<String> {
    let mut open = Vec::new();
    let kind = match &data.record {
        Some(record) => match (record.outcome, &record.owner) {
            (Completion::RiskAccepted, RecordOwner::Person(by)) => format!("Risk accepted by {by}"),
            (Completion::RiskAccepted, RecordOwner::Run) => "Risk accepted".to_owned(),
            (Completion::Pass, _) => "Remaining finding".to_owned(),
        },
        None => "Open finding".to_owned(),
    };
    open.extend(data.residue.iter().map(|it| format!("{kind}, {}", wording::residue_text(it))));
    for record in latest.iter().filter(|record| evidence::is_open(record)) {
        let ends = match record.verdict {
            _ if evidence::is_rejected(record) => "is rejected",
            Verdict::Fail => "fails",
            Verdict::Pass | Verdict::CannotTell => "is inconclusive",
        };
        open.push(format!("{} {ends}: {}", record.subject, said(record)));
    }
    let keeps_behaviour = data.bundle.as_ref().is_some_and(|bundle| bundle.keeps_behaviour);
    match (keeps_behaviour, latest.iter().any(|record| evidence::is_red(record))) {
        (true, _) => {
            open.push("Declared to change nothing observable: no test failed before".to_owned())
        }
        (false, false) => open.push("No test failed before implementation".to_owned()),
        (false, true) => {}
    }
    open.extend(not_seen(data, latest));
    open.extend(hold_out.and_then(HoldOut::limit));
    open.extend(input.chronicle.callers().not_independent());
    open.extend(not_tested(input.task.status(), data, latest));
    open.extend(set_aside(input, data));
    open.extend(named(input, latest));
    open.extend(unsandboxed(latest));
    let features = data.frame.iter().flat_map(|frame| &frame.features);
    let unreal = features.filter(|it| !matches!(it.label, FeatureLabel::RealWorking));
    open.extend(unreal.map(|it| format!("Labelled {}: {}", it.label.name(), it.name)));
    let left_out = data.frame.iter().flat_map(|frame| &frame.not_doing);
    open.extend(left_out.map(|text| format!("Out of scope: {text}")));
    if latest.iter().any(|it| it.subject == AMENDMENTS) {
        open.push("The tree after the arbiter's amendments was not reviewed again; that their files changed was checked".to_owned());
    }
    let roles: Vec<&str> =
        latest.iter().filter(|it| is_role(it)).map(|record| record.subject.as_str()).collect();
    if !roles.is_empty() {
        open.push(format!("Judged by a role, not by a test: {}", roles.join(", ")));
    }
    open
}

/// The subject of the evidence that amendments were applied.
const AMENDMENTS: &str = "amendments";

fn not_seen(data: &TaskData, latest: &[&EvidenceRecord]) -> Option<String> {
    let is_missing = |name: &&String| check(latest, name).is_none();
    let missing: Vec<&str> =
        data.charter.checks.iter().filter(is_missing).map(String::as_str).collect();
    (!missing.is_empty()).then(|| format!("Not run on this tree: {}", missing.join(", ")))
}

/// What passing tests cannot prove.
fn not_tested(status: Status, data: &TaskData, latest: &[&EvidenceRecord]) -> Vec<String> {
    let mut open = Vec::new();
    let has = |name: &str| data.charter.checks.iter().any(|check| check == name);
    let held_out = check(latest, HOLD_OUT);
    let is_over = matches!(status, Status::Shipped | Status::Abandoned);
    let has_held_out = match held_out {
        Some(record) => ran_tests(record),
        // `not_seen` reports a check that has still to run.
        None => has(HOLD_OUT) && !is_over,
    };
    if !has_held_out {
        open.push("No hold-out tests".to_owned());
    }
    let is_silent = |it: &EvidenceRecord| it.verdict == Verdict::Pass && said(it) == NO_MUTANTS;
    if !has(STRENGTH) || check(latest, STRENGTH).is_some_and(is_silent) {
        open.push("Test strength was not measured (no mutants)".to_owned());
    }
    open.push("Inputs and conditions that no test covers".to_owned());
    open
}

fn unsandboxed(latest: &[&EvidenceRecord]) -> Option<String> {
    let is_weak = |record: &&&EvidenceRecord| match &record.evidence.source {
        Source::Command { argv, confinement: None, .. } => !argv.starts_with(&look()),
        Source::Command { confinement: Some(it), .. } => it.level == Level::Advisory,
        Source::Role { .. } => false,
    };
    let weak: Vec<&str> =
        latest.iter().filter(is_weak).map(|record| record.subject.as_str()).collect();
    (!weak.is_empty()).then(|| format!("Run without a sandbox: {}", weak.join(", ")))
}

fn problems(input: &ViewInput<'_>, data: &TaskData, latest: &[&EvidenceRecord]) -> Vec<String> {
    let cheats = input.chronicle.cheats().iter();
    let mut problems: Vec<String> =
        cheats.map(|(cheat, what)| format!("Cheat confirmed, {}: {what}", cheat.name())).collect();
    let is_fixed = |record: &&EvidenceRecord| {
        record.verdict == Verdict::Fail
            && !evidence::is_red(record)
            && !latest.iter().any(|it| it.id == record.id)
    };
    match data.evidence.iter().filter(is_fixed).count() {
        0 => {}
        fails => {
            problems.push(format!("Failed and fixed since: {}", wording::counted(fails, "check")))
        }
    }
    if data.attempt > 1 {
        problems.push(format!("This is attempt {}", data.attempt));
    }
    match data.amended.len() {
        0 => {}
        times => problems.push(format!("Criteria amended: {}", wording::counted(times, "time"))),
    }
    problems
}

fn costs(input: &ViewInput<'_>, data: &TaskData) -> Vec<(&'static str, String)> {
    // Each call has a receipt, so `spending` already contains the cost that evidence names for a role.
    let has_receipts = !data.spending.is_nothing();
    let checks = data.evidence.iter().filter(|it| !has_receipts || !is_role(it));
    let checks = checks.fold(Cost::default(), |sum, it| sum.plus(it.evidence.cost));
    let spent = if has_receipts { data.spending.all().cost } else { checks };
    let began = input.chronicle.lines().first().map_or(input.at, |line| line.at);
    let took = input.at.as_millis().saturating_sub(began.as_millis());
    let mut costs =
        vec![("Elapsed", amounts::time(took)), ("Checks", amounts::time(checks.millis))];
    if has_receipts {
        costs.push(("Roles", amounts::time(spent.millis)));
    }
    costs.push(("Tokens", amounts::grouped(spent.tokens)));
    costs.push(("Money", amounts::dollars(spent.micro_dollars)));
    costs
}

fn is_role(record: &EvidenceRecord) -> bool {
    matches!(record.evidence.source, Source::Role { .. })
}

/// The check that a criterion names, such as `tests` in `(verify: tests)`.
fn cited(criterion: &str) -> Option<&str> {
    let (_, rest) = criterion.split_once("(verify:")?;
    rest.split_once(')').map(|(verifier, _)| verifier.trim())
}

/// The latest evidence of the check called `name`.
pub(super) fn check<'k>(latest: &[&'k EvidenceRecord], name: &str) -> Option<&'k EvidenceRecord> {
    latest.iter().copied().find(|record| record.subject.strip_prefix("check-") == Some(name))
}

/// Whether the check ran tests. A check without tests passes too.
pub(super) fn ran_tests(record: &EvidenceRecord) -> bool {
    record.evidence.artifacts.iter().any(|artifact| artifact.name == "tests.json")
}

fn look() -> [String; 2] {
    LOOK.map(str::to_owned)
}

/// What checks list, and what that means.
const NAMED: [(&str, &str); 2] = [
    ("not-run.json", "Not run in a clean room"),
    ("shared.json", "Judged in one process with the code, which could steer the test"),
];
const NAMED_MAX: usize = 20;
/// How many tests that were set aside are named.
const SET_ASIDE_MAX: usize = 5;
const CELL_CHARS_MAX: usize = 90;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_failed_before_are_named() {
        let result = |name: &str, status: &str| {
            format!(
                r#"{{"id":{{"suite":"tests.test_a","name":"{name}"}},"status":{status},"millis":1}}"#
            )
        };
        let failed = r#"{"failed":{"why":"x"}}"#;
        let broken = r#"{"broken":{"why":"x"}}"#;
        let all = [result("one", "\"passed\""), result("two", failed), result("three", broken)];
        assert_eq!(
            failed_before(&format!("[{}]", all.join(","))).as_deref(),
            Some(
                "Failed before the change and set aside, 2: tests.test_a::two, tests.test_a::three"
            )
        );
        assert_eq!(failed_before(&format!("[{}]", all[0])), None);
        let many: Vec<String> = (0..9).map(|nth| result(&format!("t{nth}"), failed)).collect();
        let told = failed_before(&format!("[{}]", many.join(","))).unwrap();
        assert!(told.contains("set aside, 9") && told.ends_with("t4, …"), "{told}");
    }
}
