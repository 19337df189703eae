//! The strict lane: who is asked, what a reader finds, and what an arbiter amends.

use crate::rehearsal::{READ, READY, Rehearsal, script};

#[test]
fn the_strict_lane_asks_every_role_it_names_and_applies_amendments() {
    let rehearsal = Rehearsal::with(&[
        ("adjudicate", AMEND),
        ("repair", &mend("a day costs 2000 cents at most")),
    ]);
    let task = rehearsal.play("strict");
    let calls = rehearsal.calls(&task);
    let asked: Vec<(&str, &str)> =
        calls.iter().map(|(role, part)| (role.as_str(), part.as_str())).collect();
    assert_eq!(
        asked[..4],
        [("builder", "frame"), ("planner", "shape"), ("test_author", "tests"), ("builder", "edit")]
    );
    for call in [("refute_reader", "refute"), ("auditor", "inspect"), ("challenger", "challenge")] {
        assert!(asked.contains(&call), "{call:?} in {asked:?}");
    }
    // The arbiter is asked once: what was amended is compared, not debated again.
    assert_eq!(asked.iter().filter(|call| **call == ("arbiter", "adjudicate")).count(), 1);
    assert!(asked.contains(&("builder", "repair")));
    let checked = rehearsal.event(&task, "amendments_checked").unwrap();
    assert_eq!(checked["evidence"]["verdict"], "pass");
    rehearsal.accept(&task);
    assert!(rehearsal.has_branch(&task));
    assert!(rehearsal.kept(&task, "parking/fees.py").contains("a day costs 2000 cents at most"));
    // The challenger judged once, before the amendment.
    assert_eq!(asked.iter().filter(|call| call.1 == "challenge").count(), 1);
}

#[test]
fn an_amendment_that_was_not_applied_halts_the_task() {
    // Another file is changed than the one that was amended.
    let other = script("echo '# parking' >> parking/__init__.py", READY);
    let rehearsal = Rehearsal::with(&[("adjudicate", AMEND), ("repair", &other)]);
    let task = rehearsal.play("strict");
    let halted = rehearsal.event(&task, "halted").unwrap();
    let missing = &halted["escalation"]["cause"]["amendments_missing"]["amendments"];
    assert!(missing[0].as_str().unwrap().starts_with("MODIFY file:parking/fees.py"), "{halted}");
    assert!(!rehearsal.has_branch(&task));
}

/// A vague amendment is asked for again, and after three of them the task halts.
#[test]
fn a_vague_amendment_is_no_answer() {
    let vague = AMEND.replace(
        "say in the docstring of `fee` that a day costs 2000 cents at most",
        "make it better",
    );
    let rehearsal = Rehearsal::with(&[("adjudicate", &vague)]);
    let task = rehearsal.play("strict");
    let asked = rehearsal.calls(&task).iter().filter(|(_, part)| part == "adjudicate").count();
    assert_eq!(asked, 3);
    let halted = rehearsal.event(&task, "halted").unwrap();
    assert!(halted.to_string().contains("too vague"), "{halted}");
}

/// Proves: A-017
#[test]
fn a_cheat_that_a_reader_finds_is_taken_back() {
    let found = READ
        .replace(
            "cheats = []",
            "cheats = [{ cheat = \"overfit\", what = \"parking/fees.py:9 knows its tests\" }]",
        )
        .replace("verdict = \"pass\"", "verdict = \"fail\"");
    let rehearsal = Rehearsal::with(&[
        ("refute", &found),
        ("refute-2", READ),
        ("repair", &mend("without a table of answers")),
    ]);
    let task = rehearsal.play("strict");
    let confirmed = rehearsal.event(&task, "cheat_confirmed").unwrap();
    assert_eq!(confirmed["cheat"], "overfit");
    let readers =
        rehearsal.calls(&task).into_iter().filter(|(role, _)| role == "refute_reader").count();
    assert_eq!(readers, 2);
    rehearsal.accept(&task);
    assert!(rehearsal.has_branch(&task));
    assert!(rehearsal.kept(&task, "parking/fees.py").contains("without a table of answers"));
}

/// A repair that changes the docstring of `fee`.
fn mend(words: &str) -> String {
    script(
        &format!("sed -i 's/\"\"\"Whole days/\"\"\"Whole days ({words})/' parking/fees.py"),
        READY,
    )
}

const AMEND: &str = "[[step]]\ndo = \"submit\"\n[step.answer]\ndecision = \"approve_with_amendments\"\n\
    rationale = \"it holds, and a reader has to know it\"\n[[step.answer.amendments]]\naction = \"MODIFY\"\n\
    target = \"file:parking/fees.py\"\ndetail = \"say in the docstring of `fee` that a day costs 2000 cents at most\"\n";
