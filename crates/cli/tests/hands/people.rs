//! What people answer to a halt: a fix that does not hold, and other criteria.

use std::fs;

use serde_json::{Value, json};

use crate::rehearsal::{CHALLENGE, EDIT, FRAME, Rehearsal, SHAPE, WANTED, after, swap};
use crate::terminal::{at_a_terminal, fits};

/// A person's fix is verified and judged like any other work. If it does not hold, the task halts anew and no role
/// repairs it. New criteria stand in `TASK.md`, with the former ones below.
///
/// Proves: A-041, F-ESC-010, F-ESC-021, F-WHO-001
#[test]
fn a_fix_that_is_disproved_halts_anew_and_amended_criteria_stand_in_the_task_file() {
    let former = [
        "a day never costs more than 2000 cents",
        "whole days add up, and the rest is paid for by the hour",
    ];
    let criteria =
        ["a day costs 2000 cents at most (verify: it works)", "days add up (verify: it works)"];
    let edit =
        swap(EDIT, "residue = []", "residue = [{ kind = \"security\", what = \"two clocks\" }]");
    let challenge =
        swap(CHALLENGE, "failures = []", "failures = [\"a leap second is not paid for\"]");
    let again = swap(&swap(FRAME, former[0], criteria[0]), former[1], criteria[1]);
    let rehearsal =
        Rehearsal::with(&[("edit", &edit), ("challenge", &challenge), ("frame-2", &again)]);
    let text = format!(
        "# A day of parking\n\nIt has an end.\n\n## Criteria\n\n- {}\n- {}\n",
        former[0], former[1]
    );
    let issue = tempfile::NamedTempFile::new().unwrap();
    fs::write(issue.path(), text).unwrap();
    let task = rehearsal.ask(&["--from-issue", issue.path().to_str().unwrap(), "--lane", "quick"]);
    let item = rehearsal.event(&task, "bundled").unwrap()["item"].as_str().unwrap().to_owned();
    rehearsal.see(&["approve", &task]);
    rehearsal.says(11, &["do", "--continue", &task]);
    let first = rehearsal.event(&task, "halted").unwrap()["escalation"].clone();
    assert!(first["cause"].get("security").is_some(), "{first}");

    let patch = rehearsal.path().join("fix.patch");
    fs::write(&patch, "--- /dev/null\n+++ b/docs/clock.md\n@@ -0,0 +1 @@\n+One clock.\n").unwrap();
    rehearsal.see(&[
        "resolve",
        &task,
        "provide-fix",
        "--because",
        "one clock",
        "--patch",
        patch.to_str().unwrap(),
    ]);
    fs::remove_file(&patch).unwrap();
    rehearsal.says(11, &["do", "--continue", &task]);
    let halts = rehearsal.all(&task, "halted");
    assert_eq!(halts.len(), 2, "{halts:?}");
    let anew = &halts[1]["escalation"];
    assert_ne!(anew["id"], first["id"]);
    assert_eq!(anew["cause"]["fix_failed"]["failed"], json!(["a leap second is not paid for"]));
    let status: Value =
        serde_json::from_str(&rehearsal.see(&["status", "--format", "json"])).unwrap();
    assert_eq!(status["row"]["status"], "halted");
    let parts: Vec<String> = rehearsal.calls(&task).into_iter().map(|(_, part)| part).collect();
    assert_eq!(parts.last().unwrap(), "challenge");
    assert!(!parts.contains(&"repair".to_owned()) && !rehearsal.has_branch(&task));

    let calls = rehearsal.calls(&task).len();
    rehearsal.see(&[
        "resolve",
        &task,
        "amend-spec",
        "--because",
        "hours are another task",
        "--criterion",
        criteria[0],
        "--criterion",
        criteria[1],
    ]);
    assert_eq!(rehearsal.calls(&task).len(), calls, "no role is asked");
    let text = rehearsal.view(&task, "TASK.md");
    let (now, before) = text.split_once("## Amendment History\n").unwrap();
    let listed = format!("## Criteria\n\n- {}\n- {}\n", criteria[0], criteria[1]);
    assert!(now.contains("It has an end.") && now.contains(&listed), "{text}");
    assert!(!now.contains(former[1]), "{text}");
    let former = format!("- {}\n- {}\n", former[0], former[1]);
    assert!(before.contains("Amended by Ada: hours are another task\n"), "{text}");
    assert!(before.contains(&former), "{text}");
    // The file is the one on record, and the next attempt is held to it. A citation has to be there; whether it is
    // honest is not looked at, and the documents say so.
    let told = rehearsal.says(0, &["check", &task]);
    assert!(!told.contains("goal_not_auto_ready"), "{told}");
    assert!(TASKS_PAGE.contains("The engine checks only the form of the citation"));
    rehearsal.says(11, &["do", "--continue", &task]);
    let framed = rehearsal.all(&task, "framed");
    assert_eq!(framed[1]["frame"]["done_gate"], json!(criteria));

    // A decision about what was decided is refused.
    let told = rehearsal.says(12, &["approve", &task, "--item", &item]);
    assert!(told.contains("about an older item"), "{told}");
    rehearsal.says(12, &["resolve", &task, "abandon-task", "--because", "late"]);
    decided(
        &rehearsal,
        &task,
        &[("frozen", "item", &json!(item)), ("resolved", "escalation", &anew["id"])],
    );
}

/// A question is answered in words: the contract is drafted anew as the person says, and a halted task starts again with
/// the same criteria and the answer. Finished work needs a yes or a no.
#[test]
fn a_question_is_answered_in_words() {
    let stop =
        "stop = { kind = \"ambiguous\", why = \"a day can be two things\", question = \"which?\" }";
    let unclear = swap(FRAME, "stop = { kind = \"none\", why = \"\", question = \"\" }", stop);
    // Without criteria of a person, the request itself is what a new attempt is held to.
    let frame = swap(FRAME, "a day never costs more", "a day of parking never costs more");
    let frame = after("grep -q 'a day has 24 hours' $HOME/brief.md", &frame);
    let shape = after("grep -q 'name no currency' $HOME/brief.md", SHAPE);
    let scripts = [("frame-1", &unclear), ("frame", &frame), ("shape-2", &shape)];
    let scripts = scripts.map(|(name, text)| (name, text.as_str()));
    let rehearsal = Rehearsal::with(&scripts);
    let words = [crate::rehearsal::WANTED, "--lane", "quick", "--autonomy", "manual"];
    let task = rehearsal.ask(&words);
    let told = rehearsal.says(11, &["do", "--continue", &task]);
    let short = task.rsplit_once('-').unwrap().1;
    assert!(told.contains(&format!("`sealwright answer {short} \"…\"`")), "{told}");
    let told = rehearsal.says(12, &["approve", &task]);
    assert!(told.contains("needs a resolution"), "{told}");
    rehearsal.see(&["answer", &task, "a day has 24 hours"]);
    rehearsal.says(11, &["do", "--continue", &task]);
    assert_eq!(rehearsal.all(&task, "framed").len(), 1, "{:?}", rehearsal.all(&task, "halted"));
    rehearsal.see(&["answer", &task, "name no currency"]);
    rehearsal.says(11, &["do", "--continue", &task]);
    rehearsal.see(&["approve", &task]);
    rehearsal.says(11, &["do", "--continue", &task]);
    let told = rehearsal.says(12, &["answer", &task, "fine"]);
    assert!(told.contains("waits for an approval, not for an answer"), "{told}");
    rehearsal.accept(&task);
    assert!(rehearsal.has_branch(&task));
}

/// Nobody read a contract that was approved in advance: a test that was there before and is changed is put to a person.
#[test]
fn a_changed_old_test_is_put_to_a_person_who_approved_in_advance() {
    let shape = swap(
        SHAPE,
        "declared = []",
        "declared = [{ path = \"tests/test_fees.py\", why = \"fees change\" }]",
    );
    let shape = swap(&shape, "places = [\"parking\"]", "places = [\"parking\", \"tests\"]");
    let edit = after(
        "sed -i 's/(0, 1, 60, 61)/(1, 1, 60, 61)/; s/\\[0, 300/[300, 300/' tests/test_fees.py",
        EDIT,
    );
    let rehearsal = Rehearsal::with(&[("shape", &shape), ("edit", &edit)]);
    rehearsal.says(11, &["do", crate::rehearsal::WANTED, "--yes"]);
    let asked = rehearsal.see(&["show"]);
    assert!(
        asked.contains("tests/test_fees.py: a test that was there before is changed"),
        "{asked}"
    );
    assert_eq!(rehearsal.git(&["branch", "--list", "sealwright/*"]), "");
}

/// Every decision is on record with its person, its time and what it is about.
fn decided(rehearsal: &Rehearsal, task: &str, expected: &[(&str, &str, &Value)]) {
    let records = rehearsal.records(task);
    for (name, field, about) in expected {
        let is_it = |event: &Value| event.get(name).is_some_and(|it| it[field] == **about);
        let of = |record: &&Value| record["events"].as_array().unwrap().iter().any(is_it);
        let record = records.iter().find(of).unwrap_or_else(|| panic!("no {name} of {about}"));
        assert_eq!(record["actor"], json!({ "human": "Ada" }), "{record}");
        let at = record["at"].as_u64().unwrap();
        let since = fs::metadata(rehearsal.path().join("pyproject.toml")).unwrap();
        let since = since.modified().unwrap().duration_since(std::time::UNIX_EPOCH).unwrap();
        assert!(u128::from(at) >= since.as_millis(), "{record}");
        let now = std::time::UNIX_EPOCH.elapsed().unwrap();
        assert!(u128::from(at) <= now.as_millis(), "{record}");
    }
}

const TASKS_PAGE: &str = include_str!("../../../../docs/tasks.md");

/// What a person is asked to accept is said where the question is, with a command that can be run.
#[test]
fn findings_that_are_left_are_listed_with_the_question() {
    let residue: Vec<String> = (1..=4)
        .map(|nth| format!("{{ kind = \"concurrency\", what = \"clock {nth} is slow\" }}"))
        .collect();
    let residue = format!("residue = [{}]", residue.join(", "));
    let rehearsal = Rehearsal::with(&[("edit", &swap(EDIT, "residue = []", &residue))]);
    let told = rehearsal.says(11, &["do", WANTED, "--yes"]);
    let (inbox, status) = (rehearsal.see(&["inbox"]), rehearsal.see(&["status"]));
    for shown in [&told, &inbox, &status] {
        assert!(shown.contains("with findings left. Is it done?"), "{shown}");
        assert!(
            shown.contains("  ! clock 1 is slow\n") && shown.contains("  ! clock 3 is slow\n"),
            "{shown}"
        );
        assert!(!shown.contains("clock 4"), "{shown}");
        assert!(shown.contains("  … and 1 more: `sealwright inbox "), "{shown}");
    }
    assert!(
        told.contains("then `sealwright approve ") && told.contains(" --because \"…\"` or"),
        "{told}"
    );
    assert!(
        told.contains("\n  builder: 3 calls, challenger: 1 call, test-author: 1 call; no tokens\n"),
        "{told}"
    );
}

/// A halt and a contract in a terminal of 80 columns: every line fits, and every command can be pasted as it is.
#[test]
fn what_do_prints_fits_the_terminal() {
    let stop =
        "stop = { kind = \"ambiguous\", why = \"a day can be two things\", question = \"which?\" }";
    let unclear = swap(FRAME, "stop = { kind = \"none\", why = \"\", question = \"\" }", stop);
    let frame = swap(FRAME, "a day never costs more", "a day of parking never costs more");
    let rehearsal = Rehearsal::with(&[("frame-1", &unclear), ("frame", &frame)]);
    let seen = |words: &[&str]| at_a_terminal(&rehearsal.command(rehearsal.path(), words));
    let manual = ["--lane", "quick", "--autonomy", "manual"];
    let Some(halt) = seen(&[&["do", WANTED][..], &manual].concat()) else { return };
    fits(&halt);
    let answer = halt.lines().find(|it| it.trim().starts_with("sealwright answer ")).unwrap();
    let short = answer.trim().split(' ').nth(2).unwrap();
    assert!(halt.contains(&format!("`sealwright do --continue {short}`")), "{halt}");
    // The only open question needs no name.
    rehearsal.see(&["answer", "a day has 24 hours"]);
    let contract = seen(&["do", "--continue", short]).unwrap();
    fits(&contract);
    let (_, after) = contract.split_once("[l]ater: ").unwrap_or_else(|| panic!("{contract}"));
    assert!(after.starts_with('\n'), "the prompt has no line of its own: {contract}");
    for words in [&["show"][..], &["inbox"], &["status"], &["log"], &["evidence"]] {
        fits(&seen(words).unwrap());
    }
}
