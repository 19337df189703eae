//! Autonomy and risk are said of a task, by a person; and what happens to a role that does not answer.

use std::fs;

use serde_json::Value;

use crate::rehearsal::{EDIT, FRAME, Rehearsal, WANTED, swap};

/// Two tasks of one repository at different levels: the run opens the last gate of one, a person that of the other.
/// What a task is about changes neither its risk nor its lane; what its header says does.
///
/// An answer of the wrong form is asked for again, and a model that cannot be reached is tried again; neither is a
/// revision.
///
/// Proves
/// Proves in part: F-OUT-001
#[test]
fn each_task_has_the_level_and_the_risk_that_a_person_gave_it() {
    let shapeless = swap(FRAME, "objective = ", "subject = ");
    let away =
        "[[step]]\ndo = \"fail\"\nfailure = \"unreachable\"\nwhy = \"no route to the model\"\n";
    let scripts = [
        ("frame-1", shapeless.as_str()),
        ("frame-2", &shapeless),
        ("edit-1", away),
        ("edit", EDIT),
    ];
    let rehearsal = Rehearsal::with(&scripts);
    let risky = format!("{WANTED}; it is about money, passwords, access rights and lost data");
    let auto = rehearsal.ask(&[&risky, "--lane", "quick"]);
    // Both stand side by side before either goes on.
    let manual = rehearsal.ask(&[WANTED, "--lane", "quick", "--autonomy", "manual"]);
    rehearsal.see(&["approve", &auto]);
    rehearsal.see(&["do", "--continue", &auto]);
    assert!(rehearsal.has_branch(&auto) && rehearsal.event(&auto, "owner_asked").is_none());
    let record = rehearsal.event(&auto, "gate_passed").unwrap()["record"].clone();
    assert_eq!((&record["owner"], &record["header"]["risk"]), (&"run".into(), &"normal".into()));
    let state = rehearsal.view(&auto, "STATE.md");
    assert!(state.contains("- Rules: lane quick, autonomy auto, risk normal\n"), "{state}");
    assert!(TASKS_PAGE.contains("a task whose header does not declare it runs at normal risk"));
    let ends: Vec<(Value, Value)> = rehearsal
        .all(&auto, "spent")
        .into_iter()
        .map(|it| (it["receipt"]["part"].clone(), it["receipt"]["end"].clone()))
        .collect();
    let of = |part: &str| -> Vec<&Value> {
        ends.iter().filter(|(it, _)| it == part).map(|(_, end)| end).collect()
    };
    assert_eq!(of("frame"), ["failed", "failed", "answered"]);
    assert_eq!(of("edit"), ["failed", "answered"]);
    assert!(state.contains("- Revisions: 0 of 2\n"), "{state}");

    rehearsal.see(&["approve", &manual]);
    rehearsal.says(11, &["do", "--continue", &manual]);
    rehearsal.accept(&manual);
    let record = rehearsal.event(&manual, "gate_passed").unwrap()["record"].clone();
    assert_eq!(
        (&record["owner"]["person"], &record["reason"]),
        (&"Ada".into(), &"I read it".into())
    );
    assert_eq!(record["header"]["autonomy"], "manual");

    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), "---\nautonomy: manual\nrisk: high\nlane: quick\n---\n\n# A comment\n")
        .unwrap();
    let told = rehearsal.see(&["new", "--file", file.path().to_str().unwrap(), "--format", "json"]);
    let high: Value = serde_json::from_str(&told).unwrap();
    let state = rehearsal.view(high["task"].as_str().unwrap(), "STATE.md");
    assert!(state.contains("- Rules: lane strict, autonomy manual, risk high\n"), "{state}");
}

const TASKS_PAGE: &str = include_str!("../../../../docs/tasks.md");
