//! Before anything is built: drafts, the contract that a person declines, and tests that show nothing.

use std::fs;

use serde_json::json;

use super::{SHAPELESS, cause, halted};
use crate::rehearsal::{Rehearsal, SHAPE, WANTED, after, swap};

#[test]
fn a_contract_that_cannot_be_drafted_halts_the_task() {
    let shape = swap(SHAPE, "impossible = \"\"", "impossible = \"fees are not kept here\"");
    let rehearsal = Rehearsal::with(&[("shape", &shape)]);
    let task = rehearsal.ask(&[WANTED, "--lane", "quick"]);
    let cause = cause(&rehearsal, &task).to_string();
    assert!(cause.contains("fees are not kept here"), "{cause}");
}

/// A draft without a way to validate it is drafted again. What a person says against a draft is what the next one has to
/// follow. Tests that pass before anything is built, and
/// tests that are never written, show nothing.
#[test]
fn a_declined_contract_is_drafted_as_the_person_says() {
    let told = |reason: &str| {
        // The reason stands as an instruction, not between the marks of a quote.
        let looks = format!(
            "grep -B 3 -F '{reason}' $HOME/brief.md | grep -q 'a person did not approve the last draft'\n\
             ! grep -B 3 -F '{reason}' $HOME/brief.md | grep -q -i 'do not follow'"
        );
        after(&looks, SHAPE)
    };
    let (first, second) = (told("a day begins at midnight"), told("say what a week costs"));
    let passing = "[[step]]\ndo = \"run\"\ncommand = \"printf 'from parking.fees import fee\\n\\n\\ndef test_nothing():\\n    \
                   assert fee(60) == 300\\n' > tests/test_day.py; cp tests/test_day.py tests/test_long_stay.py\"\n\
                   [[step]]\ndo = \"submit\"\n[step.answer]\ntraces = [{ test = \"tests/test_day.py::test_nothing\", criterion = 1 }, \
                   { test = \"tests/test_long_stay.py::test_nothing\", criterion = 2 }]\n";
    let (head, rest) = SHAPE.split_once("validation = [").unwrap();
    let lacking = format!("{head}validation = []\n{}", rest.split_once('\n').unwrap().1);
    let rehearsal = Rehearsal::with(&[
        ("shape-1", &lacking),
        ("shape-3", &first),
        ("shape-4", &second),
        ("tests", SHAPELESS),
        ("tests-1", passing),
    ]);
    let task = rehearsal.ask(&[WANTED, "--lane", "quick"]);
    rehearsal.see(&["decline", &task, "--because", "a day begins at midnight"]);
    rehearsal.says(11, &["do", "--continue", &task]);
    rehearsal.see(&["decline", &task, "--amend", "--because", "say what a week costs"]);
    rehearsal.says(11, &["do", "--continue", &task]);
    assert_eq!(rehearsal.all(&task, "bundled").len(), 3, "{:?}", rehearsal.event(&task, "halted"));
    rehearsal.see(&["approve", &task]);
    rehearsal.says(11, &["do", "--continue", &task]);
    let green = rehearsal.event(&task, "seen_green").unwrap()["tests"].to_string();
    assert!(green.contains("test_nothing"), "{green}");
    let cause = cause(&rehearsal, &task).to_string();
    assert!(cause.contains("call `tests` returned no usable answer"), "{cause}");
}

/// Old tests that end the interpreter leave nothing to compare a change with.
#[test]
fn a_suite_that_comes_to_no_end_halts_before_anything_is_built() {
    let rehearsal = Rehearsal::with(&[]);
    fs::write(rehearsal.path().join("tests/test_exit.py"), "import os\n\nos._exit(3)\n").unwrap();
    rehearsal.git(&["add", "--all"]);
    rehearsal.git(&["commit", "--quiet", "--message", "a test that ends everything"]);
    let task = rehearsal.play("quick");
    let cause = cause(&rehearsal, &task);
    assert_eq!(cause["cannot_tell"]["check"], "the red run", "{cause}");
    assert_eq!(rehearsal.calls(&task).iter().filter(|(_, part)| part == "edit").count(), 0);
}

/// Tests in a language that nothing here runs.
#[test]
fn tests_that_nothing_runs_halt_the_task() {
    let tests = "[[step]]\ndo = \"write\"\npath = \"tests/day.test.lua\"\ntext = \"assert(fee(1440) == 2000)\"\n\
                 [[step]]\ndo = \"submit\"\n[step.answer]\ntraces = [{ test = \"tests/day.test.lua::day\", criterion = 1 }, \
                 { test = \"tests/day.test.lua::days\", criterion = 2 }]\n";
    let (_, _, cause) = halted("quick", &[("tests", tests)]);
    assert_eq!(cause, json!({ "impossible": { "why": "no test can be run" } }));
}
