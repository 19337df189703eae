use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use sealwright_kernel::Digest;
use serde_json::{Value, json};

use super::*;
use crate::debate::dossier::ImportKind;
use crate::debate::explore::answers::{fail, pass};
use crate::debate::explore::{mild_reviews, sample};
use crate::debate::probe::ProbeResult;
use crate::debate::ship::TestResult;

/// The defects of an answer against a dossier that `change` bends.
fn held(answer: &Value, change: impl Fn(&mut Dossier), probes: &[ProbeRecord]) -> Vec<String> {
    let sample = sample();
    let mut dossier = sample.dossier(Digest::of(b"tree"));
    change(&mut dossier);
    let locked = sample.charter.fingerprint;
    let basis = ChallengeBasis { charter: &sample.charter, locked, dossier: &dossier, probes };
    match ChallengeAnswer::read(&answer.to_string()) {
        Ok(read) => read.defects(basis).iter().map(ToString::to_string).collect(),
        Err(defects) => defects.iter().map(ToString::to_string).collect(),
    }
}

fn defects(answer: &Value) -> Vec<String> {
    held(answer, |_| {}, &[])
}

fn bent(change: impl Fn(&mut Value)) -> Vec<String> {
    let mut answer = pass();
    change(&mut answer);
    defects(&answer)
}

#[test]
fn a_rigorous_challenge_counts_whichever_way_it_ends() {
    assert_eq!(defects(&pass()), Vec::<String>::new());
    for criterion in 1..=6 {
        assert_eq!(defects(&fail(criterion, "contract:/inputs/0")), Vec::<String>::new());
    }
}

#[test]
fn every_mild_review_is_refused_for_its_own_reason() {
    let named: Vec<(&str, Vec<String>)> =
        mild_reviews().into_iter().map(|(name, answer)| (name, defects(&answer))).collect();
    assert!(named.iter().all(|(_, defects)| !defects.is_empty()), "{named:#?}");
    for (name, expected) in [
        ("looks good, minor suggestions", "`looks good` is no evidence"),
        ("a long vague approval", "it cites nothing that can be looked up"),
        ("vague approval beside a real citation", "`looks good` is no evidence"),
        ("vague approval with invisible characters", "`looks good` is no evidence"),
        ("five criteria", "R6 is assessed 0 times"),
        ("a criterion twice instead of another", "R5 is assessed 2 times"),
        ("seven entries", "R1 is assessed 2 times"),
        ("inputs and outputs only", "it says nothing of contract:/modes"),
        ("dimensions named as not checked", "`not checked` is no evidence"),
        ("PASS with NOT_MET", "verdict: it is PASS although R3 is NOT_MET"),
        ("PASS with failures", "failures: there are failures and the verdict is PASS"),
        ("looks correct", "`looks correct` is no evidence"),
        ("a citation of something that does not exist", "`test:uses_the_clock` does not exist"),
        ("one evidence for two criteria", "another criterion has the same evidence"),
        ("empty evidence", "rubric_assessments[4].evidence: it is blank"),
        ("blank evidence", "rubric_assessments[4].evidence: it is blank"),
        ("short evidence", "it has 24 characters"),
        ("stretched evidence", "it has 4 different words"),
        ("FAIL without a failure", "failures: the verdict is FAIL without one"),
        ("FAIL with every criterion met", "it is FAIL and every criterion is MET"),
    ] {
        let (_, defects) = named.iter().find(|(it, _)| *it == name).expect(name);
        assert!(defects.iter().any(|it| it.contains(expected)), "{name}: {defects:#?}");
    }
}

/// Proves: F-DEBATE-027, F-DEBATE-031
#[test]
fn the_gate_checks_criteria_evidence_and_verdict() {
    let once = "assess each of R1 to R6 exactly once";
    let dropped = bent(|it| {
        it["rubric_assessments"].as_array_mut().unwrap().remove(1);
    });
    assert_eq!(dropped, [format!("rubric_assessments: R2 is assessed 0 times; {once}")]);
    let at_edge = |text: &str| bent(|it| it["rubric_assessments"][4]["evidence"] = json!(text));
    // Forty characters, eight words, one citation.
    let edge = "test:counts_apart has a b c d e f gggggg";
    assert_eq!((edge.len(), edge.split_whitespace().count()), (40, 9));
    assert_eq!(at_edge(edge), Vec::<String>::new());
    assert_eq!(at_edge(&edge[..39]).len(), 1);
    assert_eq!(at_edge("test:counts_apart comparesbothcounts withinonewindow").len(), 1);
    let eight = "test:counts_apart compares bothcounts ofboth tenants inone window again";
    assert_eq!(at_edge(eight), Vec::<String>::new());
    assert_eq!(at_edge(eight.strip_suffix(" again").unwrap()).len(), 1);
    assert_eq!(
        bent(|it| it["rubric_assessments"][4]["evidence"] = json!("")),
        ["rubric_assessments[4].evidence: it is blank; say it in words"]
    );
    let unmet = bent(|it| it["rubric_assessments"][2]["assessment"] = json!("NOT_MET"));
    assert_eq!(
        unmet,
        ["verdict: it is PASS although R3 is NOT_MET; any NOT_MET makes the verdict FAIL"]
    );
}

/// Proves: F-DEBATE-004, F-DEBATE-009, F-DEBATE-010
#[test]
fn a_challenge_has_its_schema() {
    for bend in [
        |it: &mut Value| it["verdict"] = json!("MAYBE"),
        |it: &mut Value| it["verdict"] = json!("pass"),
        |it: &mut Value| it["verdict"] = json!("PASS_WITH_REMARKS"),
        |it: &mut Value| drop(it.as_object_mut().unwrap().remove("verdict")),
        |it: &mut Value| drop(it.as_object_mut().unwrap().remove("failures")),
        |it: &mut Value| drop(it.as_object_mut().unwrap().remove("rubric_assessments")),
        |it: &mut Value| it["challenge_id"] = json!("CHAL-00000000"),
        |it: &mut Value| it["optional_alternative_ref"] = json!("a better one"),
        |it: &mut Value| it["rubric_assessments"][0]["criterion"] = json!("R7"),
        |it: &mut Value| it["rubric_assessments"][0]["assessment"] = json!("PARTLY"),
    ] {
        let said = bent(bend);
        assert!(said.len() == 1 && said[0].starts_with("$: "), "{said:?}");
    }
    for part in ["invariant", "evidence", "required_change"] {
        let mut answer = fail(3, "contract:/inputs/0");
        answer["failures"][0][part] = json!(" ");
        assert_eq!(defects(&answer), [format!("failures[0].{part}: it is blank; say it in words")]);
        answer["failures"][0].as_object_mut().unwrap().remove(part);
        assert!(defects(&answer)[0].starts_with("$: missing field"), "{:?}", defects(&answer));
    }
    let sample = sample();
    let stored = Challenge::of(
        ChallengeAnswer::read(&pass().to_string()).unwrap(),
        "CHAL-00000001".to_string(),
        sample.charter.contract.id().to_string(),
    );
    let mut written = serde_json::to_value(&stored).unwrap();
    assert_eq!(written["challenge_id"], "CHAL-00000001");
    written["note"] = json!("");
    assert!(serde_json::from_value::<Challenge>(written).is_err());
}

#[test]
fn lists_and_texts_of_a_challenge_are_bounded() {
    let many = |count: usize| {
        let mut answer = fail(3, "contract:/inputs/0");
        let failure = answer["failures"][0].clone();
        answer["failures"] = Value::Array(vec![failure; count]);
        defects(&answer)
    };
    assert_eq!(many(FAILURES_MAX), Vec::<String>::new());
    assert_eq!(many(FAILURES_MAX + 1), ["failures: it has 65 entries; use at most 64"]);
    let mut answer = pass();
    let entry = answer["rubric_assessments"][0].clone();
    answer["rubric_assessments"] = Value::Array(vec![entry; 1000]);
    assert_eq!(defects(&answer).len(), 1);
}

#[test]
fn what_the_machine_has_shown_cannot_be_called_met() {
    let none: &[ProbeRecord] = &[];
    let probe = |surface: &str| ProbeRecord {
        nth: 1,
        arguments: "{}".to_string(),
        result: Some(ProbeResult::Raised { surface: surface.to_string() }),
    };
    let (declared, undeclared) = ([probe("TooMany")], [probe("Overflow")]);
    assert_eq!(held(&pass(), |_| {}, &declared), Vec::<String>::new());
    type Bend = fn(&mut Dossier);
    let cases: [(usize, &str, Bend, &[ProbeRecord]); 12] = [
        (1, "fingerprint", |it| it.fingerprint = Digest::ZERO, none),
        (2, "/outputs/0/invariants/0", |it| drop(it.tests[0].covers.pop()), none),
        (2, "/error_surfaces/0", |it| it.tests[1].covers.clear(), none),
        (2, "happy path", |it| it.tests.iter_mut().for_each(|it| it.is_happy_path = false), none),
        (2, "limiter::inner", |it| it.inner_accesses.push("limiter::inner".to_string()), none),
        (3, "probe-1", |_| {}, &undeclared),
        (4, "clock", |it| it.imports[0].kind = ImportKind::Internal, none),
        (4, "clock", |it| it.imports[0].kind = ImportKind::Undeclared, none),
        (4, "MM-clock", |it| it.dependencies[0].fingerprint = Digest::ZERO, none),
        (5, "criterion 1", |it| it.tests.iter_mut().for_each(|it| it.criteria.clear()), none),
        (5, "no output shown", |it| it.example_faults.push("no output shown".to_string()), none),
        (6, "entry points", |it| it.entry_points.push("limiter::reset".to_string()), none),
    ];
    for (criterion, item, change, probes) in cases {
        let said = held(&pass(), change, probes);
        let met =
            format!("rubric_assessments R{criterion}: it is MET although the dossier shows: ");
        assert!(said.iter().any(|it| it.starts_with(&met)), "{item}: {said:#?}");
        let unnamed = held(&fail(criterion, "something else"), change, probes);
        let named = format!("none names `{item}`");
        assert!(unnamed.iter().any(|it| it.contains(&named)), "{item}: {unnamed:#?}");
        assert_eq!(held(&fail(criterion, item), change, probes), Vec::<String>::new(), "{item}");
    }
    let failing = held(&pass(), |it| it.tests[1].result = TestResult::Fail, none);
    assert!(failing.iter().any(|it| it.contains("test `refuses_the_101st` fails")));
    assert!(
        failing.iter().any(|it| it.contains("error surface /error_surfaces/0 has no passing test"))
    );
}

#[test]
fn the_fail_that_the_machine_writes_is_a_whole_challenge() {
    let mild =
        Challenge::of_mild("too short", "CHAL-00000001".to_string(), "IMPL-00000001".to_string());
    assert_eq!(mild.verdict, ChallengeVerdict::Fail);
    assert_eq!(mild.failures[0].invariant, "mild_review_violation");
    let criteria: Vec<Criterion> = mild.rubric_assessments.iter().map(|it| it.criterion).collect();
    assert_eq!(criteria, Criterion::ALL);
    let says = |it: &RubricAssessment| {
        it.assessment == Assessment::NotMet && it.evidence == "mild_review_violation: too short"
    };
    assert!(mild.rubric_assessments.iter().all(says));
}
