use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::*;
use crate::debate::explore::answers::{amend, applied, approve, decision, reject};
use crate::debate::explore::sample;

fn defects(answer: &Value) -> Vec<String> {
    let sample = sample();
    let dossier = sample.dossier(Digest::of(b"tree"));
    let files = ["src/lib.rs".to_string()];
    let targets = Targets { charter: &sample.charter, dossier: &dossier, files: &files };
    let found = match AdjudicationAnswer::read(&answer.to_string()) {
        Ok(read) => {
            let mut found = read.field_defects();
            found.extend(read.amendment_defects(targets));
            found
        }
        Err(defects) => defects,
    };
    found.iter().map(ToString::to_string).collect()
}

/// Proves: F-DEBATE-011
#[test]
fn decision_amendments_and_directive_belong_together() {
    for good in [approve(), reject(), amend("test:counts_apart")] {
        assert_eq!(defects(&good), Vec::<String>::new());
    }
    let one = amend("test:counts_apart")["amendments"].clone();
    let none = json!([]);
    let ship = "ship_directive: it contradicts the decision; an approval says SHIP";
    let no_ship = "ship_directive: it contradicts the decision; REJECT says NO_SHIP";
    let spare = "amendments: the decision has none; only APPROVE_WITH_AMENDMENTS has amendments";
    let empty = "amendments: it is empty; give at least one amendment, or decide APPROVE";
    let amended = "APPROVE_WITH_AMENDMENTS";
    for (said, directive, amendments, expected) in [
        ("APPROVE", "NO_SHIP", &none, ship),
        (amended, "NO_SHIP", &one, ship),
        ("REJECT", "SHIP", &none, no_ship),
        ("APPROVE", "SHIP", &one, spare),
        ("REJECT", "NO_SHIP", &one, spare),
        (amended, "SHIP", &none, empty),
    ] {
        assert_eq!(defects(&decision(said, directive, amendments.clone())), [expected]);
    }
    for (field, value) in [
        ("decision", json!("DEFER")),
        ("ship_directive", json!("LATER")),
        ("adjudication_id", json!("ADJ-00000000")),
    ] {
        let mut answer = approve();
        answer[field] = value;
        assert!(defects(&answer)[0].starts_with("$: "), "{field}");
    }
    for field in ["decision", "amendments", "rationale", "ship_directive"] {
        let mut answer = approve();
        answer.as_object_mut().unwrap().remove(field);
        assert!(defects(&answer)[0].starts_with("$: missing field"), "{field}");
    }
}

#[test]
fn a_vague_amendment_is_refused() {
    let of = |detail: &str| {
        let mut answer = amend("test:counts_apart");
        answer["amendments"][0]["detail"] = json!(detail);
        defects(&answer)
    };
    for vague in [
        "improve error handling",
        "Improve error-handling in `admit` so that it is done the way that it should be done.",
        "add more tests for the cases of `admit` that are not yet covered by any of the tests",
        "make the behaviour in this place clearer to the callers of this module than it is",
        "",
    ] {
        assert!(!of(vague).is_empty(), "{vague}");
    }
    let edge = "return `TooMany` instead of panicking ok.";
    assert_eq!(edge.len(), DETAIL_CHARS_MIN + 1);
    assert_eq!(of(edge), Vec::<String>::new());
    assert_eq!(of(&edge[..DETAIL_CHARS_MIN]), Vec::<String>::new());
    let short = "amendments[0].detail: it has 39 characters; use at least 40";
    assert_eq!(of(&edge[..DETAIL_CHARS_MIN - 1]), [short]);
}

/// Proves: F-DEBATE-036
#[test]
fn an_amendment_has_an_action_a_target_and_a_detail() {
    let of = |action: &str, target: &str| {
        let mut answer = amend(target);
        answer["amendments"][0]["action"] = json!(action);
        defects(&answer)
    };
    let exists =
        ["contract:/inputs/0", "test:counts_apart", "examples:Admit a request", "file:src/lib.rs"];
    let missing = ["contract:/inputs/7", "test:counts_more", "examples:Refuse", "file:src/new.rs"];
    for (there, absent) in exists.into_iter().zip(missing) {
        for (action, good, bad) in
            [("MODIFY", there, absent), ("REMOVE", there, absent), ("ADD", absent, there)]
        {
            assert_eq!(of(action, good), Vec::<String>::new(), "{action} {good}");
            assert_eq!(of(action, bad).len(), 1, "{action} {bad}");
        }
    }
    for target in [
        "limiter",
        "fn:admit",
        "test:",
        "contract:inputs",
        "file:../lib.rs",
        "file:/etc/passwd",
        "file:.git/config",
    ] {
        assert_eq!(of("ADD", target).len(), 1, "{target}");
    }
    assert!(of("RENAME", "test:counts_apart")[0].starts_with("$: "));
    for field in ["action", "target", "detail"] {
        let mut answer = amend("test:counts_apart");
        answer["amendments"][0].as_object_mut().unwrap().remove(field);
        assert!(defects(&answer)[0].starts_with("$: missing field"), "{field}");
    }
    let many = |count: usize| {
        let mut answer = amend("test:counts_apart");
        let one = answer["amendments"][0].clone();
        let of = |nth: usize| {
            let mut one = one.clone();
            (one["action"], one["target"]) = (json!("ADD"), json!(format!("test:new {nth}")));
            one
        };
        answer["amendments"] = (0..count).map(of).collect();
        defects(&answer)
    };
    assert_eq!(many(AMENDMENTS_MAX), Vec::<String>::new());
    assert_eq!(many(AMENDMENTS_MAX + 1), ["amendments: it has 33 entries; use at most 32"]);
}

/// Proves: F-DEBATE-038
#[test]
fn every_amendment_has_its_record() {
    let read = AdjudicationAnswer::read(&amend("test:counts_apart").to_string()).unwrap();
    let of = |answer: &Value| {
        let read = AmendmentAnswer::read(&answer.to_string(), &read.amendments);
        read.map_err(|defects| defects[0].to_string())
    };
    assert!(of(&applied(true)).is_ok() && of(&applied(false)).is_ok());
    let none = "records: it has 0 entries; give one for each of the 1 amendments";
    assert_eq!(of(&json!({ "records": [] })).unwrap_err(), none);
    let mut other = applied(true);
    other["records"][0]["amendment_index"] = json!(1);
    let wrong = "records[0].amendment_index: it is 1; the amendment here is 0";
    assert_eq!(of(&other).unwrap_err(), wrong);
    let mut silent = applied(false);
    silent["records"][0]["note"] = json!("no");
    assert!(of(&silent).is_err());
    let twice = json!({ "records": [applied(true)["records"][0], applied(true)["records"][0]] });
    assert!(of(&twice).is_err());
}

/// Proves: F-DEBATE-041, F-DEBATE-042, F-DEBATE-043
#[test]
fn an_amendment_is_looked_up_before_and_after() {
    let (old, new) = (Some(Digest::of(b"old")), Some(Digest::of(b"new")));
    let shows = |action, before, after| {
        let amendment = Amendment { action, target: "test:a".into(), detail: "b".into() };
        let observed = Observed { amendment_index: 0, before, after };
        unapplied(&[amendment], &[observed]).is_empty()
    };
    use AmendmentAction::{Add, Modify, Remove};
    assert_eq!(
        [(old, new), (old, old), (old, None), (None, new)].map(|it| shows(Modify, it.0, it.1)),
        [true, false, false, false]
    );
    assert_eq!([(None, new), (None, None)].map(|it| shows(Add, it.0, it.1)), [true, false]);
    assert_eq!([(old, None), (old, new)].map(|it| shows(Remove, it.0, it.1)), [true, false]);
    let amendment = Amendment { action: Remove, target: "test:a".into(), detail: "b".into() };
    let gone = Observed { amendment_index: 0, before: old, after: None };
    assert_eq!(unapplied(core::slice::from_ref(&amendment), &[]), [0]);
    assert_eq!(unapplied(&[amendment], &[gone, gone]), [0]);
}
