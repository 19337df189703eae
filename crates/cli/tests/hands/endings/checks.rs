//! Checks and gates that reach no verdict, find something for people, or catch a cheat.

use std::fs;

use serde_json::json;

use super::cause;
use crate::rehearsal::{CHALLENGE, EDIT, READY, Rehearsal, SHAPE, WANTED, after, script, swap};

/// A change that is larger than the brake allows passes and is put to a person, with the size as the reason.
#[test]
fn a_change_that_is_large_is_put_to_a_person() {
    let brake = "[checks.brake]\nkind = \"size\"\nsets = [\"exit\"]\nlines_max = 2\n";
    let rehearsal = Rehearsal::configured(&[], brake);
    let task = rehearsal.play("quick");
    assert!(!rehearsal.has_branch(&task) && rehearsal.event(&task, "halted").is_none());
    let state = rehearsal.view(&task, "STATE.md");
    assert!(state.contains("lines"), "{state}");
    rehearsal.accept(&task);
    assert!(rehearsal.has_branch(&task));
}

/// A repair is not judged by the gates of a slice: a secret that a scanner sees in it stops the task.
#[test]
fn a_secret_that_a_scanner_sees_halts() {
    let scanner = "[checks.leaks]\nkind = \"secrets\"\ntool = \"detect-secrets\"\nsets = [\"exit\"]\ncommand = [\"sh\", \"-c\", \
                   '''grep -q KEY parking/fees.py && echo '{\"version\":\"1.5.0\",\"plugins_used\":[{\"name\":\"AWSKeyDetector\"}],\"results\":{\"parking/fees.py\":[{\"type\":\"AWS Access \
                   Key\",\"filename\":\"parking/fees.py\",\"hashed_secret\":\"00\",\"is_verified\":false,\"line_number\":2}]}}' \
                   || echo '{\"version\":\"1.5.0\",\"plugins_used\":[{\"name\":\"AWSKeyDetector\"}],\"results\":{}}' ''']\n";
    let repair = script("echo 'KEY = 1' >> parking/fees.py", READY);
    let rehearsal =
        Rehearsal::configured(&[("challenge", &disproved()), ("repair", &repair)], scanner);
    let task = rehearsal.play("quick");
    let cause = cause(&rehearsal, &task);
    assert!(cause.get("security").is_some(), "{cause}");
}

/// A check that leaves no report says nothing, in either gate of a slice.
#[test]
fn a_check_without_a_report_reaches_no_verdict() {
    for set in ["iteration", "exit"] {
        let silent = format!(
            "[checks.silent]\nkind = \"junit\"\ncommand = [\"true\"]\nreport = \"none.xml\"\nsets = [\"{set}\"]\n"
        );
        let rehearsal = Rehearsal::configured(&[], &silent);
        let task = rehearsal.play("quick");
        let cause = cause(&rehearsal, &task);
        assert!(cause["slice_stuck"]["why"].get("cannot_tell").is_some(), "{set}: {cause}");
        let ran = rehearsal.of_slices(&task, "gate_ran").pop().unwrap();
        assert_eq!(
            (&ran["gate"], &ran["evidence"]["verdict"]),
            (&json!(set), &json!("cannot_tell"))
        );
    }
}

/// A challenge that leads to a repair.
fn disproved() -> String {
    swap(CHALLENGE, "failures = []", "failures = [\"a leap second is free\"]")
}

/// Source that nobody can read is not judged honest, though every test passes.
#[test]
fn source_that_cannot_be_read_reaches_no_verdict() {
    let repair = script("echo 'print \"two\"' > parking/two.py", READY);
    let rehearsal = Rehearsal::with(&[("challenge", &disproved()), ("repair", &repair)]);
    let task = rehearsal.play("quick");
    let cause = cause(&rehearsal, &task);
    assert!(cause.get("cannot_tell").is_some(), "{cause}");
    let honesty = rehearsal.all(&task, "probed").into_iter().rev();
    let honesty =
        honesty.map(|it| it["evidence"].clone()).find(|it| it["subject"] == "check-honesty");
    assert_eq!(honesty.unwrap()["verdict"], "cannot_tell");
}

/// A check that a task has to pass, and that is no longer configured, cannot be run.
#[test]
fn a_check_that_is_gone_is_impossible() {
    let gone = "[checks.gone]\ncommand = [\"true\"]\nsets = [\"exit\"]\n";
    let rehearsal = Rehearsal::configured(&[], gone);
    let task = rehearsal.ask(&[WANTED, "--lane", "quick"]);
    rehearsal.see(&["approve", &task]);
    let config = rehearsal.path().join("sealwright.toml");
    fs::write(&config, swap(&fs::read_to_string(&config).unwrap(), gone, "")).unwrap();
    rehearsal.says(11, &["do", "--continue", &task]);
    let cause = cause(&rehearsal, &task);
    assert_eq!(cause, json!({ "impossible": { "why": "no check `gone`" } }));
}

/// The frozen tests are in the places of the plan, and the builder changes one. The gate says so, the cheat is counted,
/// and the builder takes it back.
#[test]
fn the_gate_of_an_edit_catches_a_cheat() {
    let (cheat, back) = frozen_edits();
    let shape = swap(SHAPE, "places = [\"parking\"]", "places = [\"parking\", \"tests\"]");
    let back = after(&back, EDIT);
    let scripts =
        [("shape", shape.as_str()), ("edit-1", &script(&cheat, READY)), ("edit-2", &back)];
    let rehearsal = Rehearsal::with(&scripts);
    let task = rehearsal.play("quick");
    assert_eq!(rehearsal.event(&task, "cheat_confirmed").unwrap()["cheat"], "red_test_changed");
    assert!(rehearsal.has_branch(&task), "{:?}", rehearsal.event(&task, "halted"));
}

/// No gate of a slice judges a repair; the tripwire sees that it changed a frozen test, and the next repair takes it back.
#[test]
fn the_tripwire_catches_a_repair_that_cheats() {
    let (cheat, back) = frozen_edits();
    let shape = swap(SHAPE, "places = [\"parking\"]", "places = [\"parking\", \"tests\"]");
    let rehearsal = Rehearsal::with(&[
        ("shape", &shape),
        ("challenge-1", &disproved()),
        ("challenge-2", CHALLENGE),
        ("repair-1", &script(&cheat, READY)),
        ("repair-2", &script(&format!("{back}; echo '# a leap second' >> parking/fees.py"), READY)),
    ]);
    let task = rehearsal.play("quick");
    let caught = rehearsal.event(&task, "cheat_confirmed").unwrap();
    assert_eq!(caught["cheat"], "red_test_changed", "{caught}");
    assert!(rehearsal.has_branch(&task), "{:?}", rehearsal.event(&task, "halted"));
}

/// Commands that change each frozen test, and that take it back.
fn frozen_edits() -> (String, String) {
    let each = "for file in tests/test_day.py tests/test_long_stay.py; do test ! -f $file ||";
    (
        format!("{each} echo '# mine' >> $file; done"),
        format!("{each} sed -i '/# mine/d' $file; done"),
    )
}

/// Code that behaves until the first gate is over: the second gate runs everything again.
#[test]
fn the_gate_of_a_slice_runs_everything_again() {
    let slow = "[checks.wait]\ncommand = [\"sleep\", \"60\"]\nsets = [\"iteration\"]\n";
    let bomb = |goes_off: &str| {
        let (head, answer) = EDIT.split_once("[[step]]\ndo = \"run\"").unwrap();
        let answer = answer.split_once("[[step]]").unwrap().1;
        let plant = format!(
            "printf 'import os, time\\nif time.time() > %s:\\n    {goes_off}\\n' $(($(date +%s) + 45)) >> parking/fees.py"
        );
        format!("{head}{}[[step]]{answer}", after(&plant, ""))
    };
    let (fails, cheats) = (bomb("DAY = 1"), bomb("os._exit(0)"));
    let rehearsal = Rehearsal::configured(&[("edit-1", &fails), ("edit-2", &cheats)], slow);
    let task = rehearsal.play("quick");
    let ran = rehearsal.of_slices(&task, "gate_ran");
    let told: Vec<(&str, &str)> = ran
        .iter()
        .map(|it| (it["gate"].as_str().unwrap(), it["evidence"]["verdict"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told[..4],
        [("iteration", "pass"), ("exit", "fail"), ("iteration", "pass"), ("exit", "fail")]
    );
    assert!(rehearsal.event(&task, "cheat_confirmed").is_some());
    assert!(rehearsal.has_branch(&task), "{:?}", rehearsal.event(&task, "halted"));
}
