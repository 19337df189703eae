//! Those who judge: the challenger, readers and the arbiter, and the repairs they lead to.

use serde_json::json;

use super::{SHAPELESS, cause, halted};
use crate::rehearsal::{CHALLENGE, EDIT, READ, READY, Rehearsal, script, swap};

/// A challenge that looked at nothing does not count. What it disproves is repaired, and what no test can settle is put
/// to a person, who sends the work back twice. A repair of nothing ends it.
#[test]
fn a_challenge_is_asked_again_repaired_and_sent_back_by_a_person() {
    let (start, rest) = CHALLENGE.split_once("looked_at = [").unwrap();
    let mild = format!("{start}looked_at = []\n#{}", rest.replace('\n', "\n#"));
    let race = "residue = [{ kind = \"concurrency\", what = \"two clocks\" }]";
    let disproved = swap(CHALLENGE, "failures = []", "failures = [\"a leap second is free\"]");
    let disproved = swap(&disproved, "residue = []", race);
    let repair = |words: &str, left: &str| {
        let answer = swap(READY, "residue = []", left);
        script(&format!("echo '# {words}' >> parking/fees.py"), &answer)
    };
    let rehearsal = Rehearsal::with(&[
        ("challenge-1", &mild),
        ("challenge-2", &disproved),
        ("repair-1", &repair("a leap second", race)),
        ("repair-2", &repair("as she said", "residue = []")),
        ("repair", &script("", READY)),
    ]);
    let task = rehearsal.play("quick");
    assert_eq!(rehearsal.all(&task, "challenge_dropped").len(), 1);
    let sent_back = |nth: usize| rehearsal.all(&task, "sent_back")[nth].clone();
    assert_eq!(sent_back(0)["items"], json!(["a leap second is free"]));
    assert!(
        rehearsal.event(&task, "owner_asked").is_some(),
        "{:?}",
        rehearsal.event(&task, "halted")
    );
    rehearsal.see(&["decline", &task, "--because", "name the clock"]);
    rehearsal.says(11, &["do", "--continue", &task]);
    assert_eq!(sent_back(1)["items"], json!(["name the clock"]));
    rehearsal.see(&["decline", &task, "--amend", "--because", "name both clocks"]);
    rehearsal.says(11, &["do", "--continue", &task]);
    assert_eq!(sent_back(2)["items"], json!(["name both clocks"]));
    let cause = cause(&rehearsal, &task);
    assert!(cause.get("no_progress").is_some(), "{cause}");
    rehearsal.see(&["resolve", &task, "abandon-task", "--because", "enough"]);
    assert!(rehearsal.view(&task, "STATE.md").contains("abandoned"));
}

/// A cheat goes back to be undone before anything else that was found; a finding about security stops the repair.
#[test]
fn a_cheat_is_taken_back_first_and_a_repair_with_a_security_finding_halts() {
    let both = "residue = [{ kind = \"security\", what = \"it runs what it reads\" }]";
    let found = swap(
        CHALLENGE,
        "cheats = []",
        "cheats = [{ cheat = \"overfit\", what = \"parking/fees.py:9 knows its tests\" }]",
    );
    let repair = script("echo '# no table' >> parking/fees.py", &swap(READY, "residue = []", both));
    let (rehearsal, task, cause) = halted("quick", &[("challenge", &found), ("repair", &repair)]);
    assert_eq!(rehearsal.event(&task, "cheat_confirmed").unwrap()["cheat"], "overfit");
    assert_eq!(cause, json!({ "security": { "findings": ["it runs what it reads"] } }));
}

/// What a challenger cannot decide a person decides; a finding about security is nobody's to weigh.
#[test]
fn a_tradeoff_is_decided_by_a_person_and_a_security_finding_halts() {
    let asks = swap(CHALLENGE, "tradeoff = \"\"", "tradeoff = \"is a day 24 hours, or a date?\"");
    let (rehearsal, task, cause) = halted("quick", &[("challenge", &asks)]);
    assert_eq!(cause, json!({ "tradeoff": { "question": "is a day 24 hours, or a date?" } }));
    rehearsal.see(&["resolve", &task, "approve-override", "--because", "24 hours"]);
    rehearsal.see(&["do", "--continue", &task]);
    assert!(rehearsal.has_branch(&task));

    let danger = "residue = [{ kind = \"security\", what = \"it runs what it reads\" }]";
    let (_, _, cause) = halted("quick", &[("challenge", &swap(CHALLENGE, "residue = []", danger))]);
    assert_eq!(cause, json!({ "security": { "findings": ["it runs what it reads"] } }));
}

#[test]
fn a_challenge_without_a_form_and_a_repair_that_lacks_a_fact_halt() {
    let (rehearsal, task, cause) = halted("quick", &[("challenge", SHAPELESS)]);
    assert!(cause.to_string().contains("call `challenge` returned no usable answer"), "{cause}");
    assert_eq!(rehearsal.calls(&task).iter().filter(|(_, part)| part == "challenge").count(), 3);

    let disproved = swap(CHALLENGE, "failures = []", "failures = [\"a leap second is free\"]");
    let lacks =
        READY.replace("kind = \"none\", what = \"\"", "kind = \"fact\", what = \"which clock\"");
    let (_, _, cause) =
        halted("quick", &[("challenge", &disproved), ("repair", &script("", &lacks))]);
    assert!(cause.to_string().contains("which clock"), "{cause}");
}

/// Everything readers may say in one run: the gravest of it decides, and all of it is on record.
#[test]
fn the_gravest_word_of_a_reader_decides() {
    let grave = swap(
        READ,
        "verdict = \"pass\"\nfindings = []",
        "verdict = \"fail\"\nfindings = [\"an hour is free\"]",
    );
    let grave = swap(
        &grave,
        "residue = []\nquestion = \"\"",
        "residue = [{ kind = \"security\", what = \"it runs what it reads\" }, \
         { kind = \"concurrency\", what = \"two clocks\" }]\nquestion = \"whose day is it?\"",
    );
    let blind = swap(READ, "verdict = \"pass\"", "verdict = \"cannot_tell\"");
    let (rehearsal, task, cause) = halted("strict", &[("refute", &grave), ("inspect", &blind)]);
    assert_eq!(cause, json!({ "security": { "findings": ["it runs what it reads"] } }));
    let of = |key: &str| {
        let probed = rehearsal.all(&task, "probed");
        probed.into_iter().find(|it| it["evidence"]["subject"] == key).unwrap()["result"].clone()
    };
    let refuted = of("read-refute-reader");
    assert_eq!(
        (&refuted["ambiguity"], &refuted["failed"][0]),
        (&json!("whose day is it?"), &json!("an hour is free"))
    );
    assert_eq!(of("read-auditor")["verdict"], "cannot_tell");
}

#[test]
fn a_reader_without_a_form_and_an_arbiter_that_rejects_halt() {
    let (_, _, cause) = halted("strict", &[("refute", SHAPELESS)]);
    assert!(cause.to_string().contains("call `refute` returned no usable answer"), "{cause}");
    let rejects = "[[step]]\ndo = \"submit\"\n[step.answer]\ndecision = \"reject\"\namendments = []\n\
                   rationale = \"a week is not a day\"\n";
    let (_, _, cause) = halted("strict", &[("edit", EDIT), ("adjudicate", rejects)]);
    assert_eq!(cause, json!({ "arbiter_rejected": { "rationale": "a week is not a day" } }));
}
