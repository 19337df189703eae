//! The strict lane: who is asked, what a reader finds, and what an arbiter amends.

use sealwright_kernel::Digest;

use crate::rehearsal::{CHALLENGE, EDIT, READ, READY, Rehearsal, SHAPE, after, script, swap};

/// Every role is asked, and each that is no builder tries to write what it can reach; only what the builder and the
/// test author wrote is kept.
///
/// Proves in part: B-001
#[test]
fn the_strict_lane_asks_every_role_it_names_and_applies_amendments() {
    let shape = swap(SHAPE, "unknowns = []", "unknowns = [\"what an hour costs\"]");
    let scout = script(
        DENIED,
        "findings = [{ unknown = 0, source = \"parking/fees.py:3\", snippet = \"\", note = \"an hour costs 300\", \
         certainty = \"seen\" }]",
    );
    let rehearsal = Rehearsal::with(&[
        ("shape", &after(IN_VAIN, &shape)),
        ("scout", &scout),
        ("refute", &after(IN_VAIN, READ)),
        ("inspect", &after(NO_TREE, READ)),
        ("challenge", &after(NO_TREE, CHALLENGE)),
        ("adjudicate", &after(NO_TREE, AMEND)),
        ("repair", &mend("a day costs 2000 cents at most")),
    ]);
    let task = rehearsal.play("strict");
    let calls = rehearsal.calls(&task);
    let asked: Vec<(&str, &str)> =
        calls.iter().map(|(role, part)| (role.as_str(), part.as_str())).collect();
    assert_eq!(
        asked[..5],
        [
            ("builder", "frame"),
            ("planner", "shape"),
            ("test_author", "tests"),
            ("scout", "scout"),
            ("builder", "edit")
        ]
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
    let changed = rehearsal.git(&["diff", "--name-only", "main", &format!("sealwright/{task}")]);
    let is_ours = |path: &str| path.starts_with(".sealwright/") || path.starts_with("tests/test_");
    let changed: Vec<&str> = changed.lines().filter(|path| !is_ours(path)).collect();
    assert_eq!(changed, ["parking/fees.py"]);
    assert!(!rehearsal.kept(&task, "parking/fees.py").contains("mine"));
}

#[test]
fn an_amendment_that_was_not_applied_halts_the_task() {
    // Of two files that were amended one is changed.
    let both = format!(
        "{AMEND}[[step.answer.amendments]]\naction = \"MODIFY\"\ntarget = \"file:parking/__init__.py\"\n\
         detail = \"say in the docstring of `parking` what an hour costs\"\n"
    );
    let other = script("echo '# parking' >> parking/__init__.py", READY);
    let rehearsal = Rehearsal::with(&[("adjudicate", &both), ("repair", &other)]);
    let task = rehearsal.play("strict");
    let halted = rehearsal.event(&task, "halted").unwrap();
    let missing = &halted["escalation"]["cause"]["amendments_missing"]["amendments"];
    assert!(missing[0].as_str().unwrap().starts_with("MODIFY file:parking/fees.py"), "{halted}");
    assert!(!rehearsal.has_branch(&task));
}

/// The work was judged before it was amended: a repair that changes more than what was amended is not kept.
#[test]
fn a_repair_changes_only_what_was_amended() {
    let more =
        script("echo '# fees' >> parking/fees.py; echo 'import os' > parking/door.py", READY);
    let rehearsal = Rehearsal::with(&[("adjudicate", AMEND), ("repair", &more)]);
    let task = rehearsal.play("strict");
    let halted = rehearsal.event(&task, "halted").unwrap();
    let places = &halted["escalation"]["cause"]["out_of_bounds"]["places"];
    assert_eq!(*places, serde_json::json!(["parking/door.py"]), "{halted}");
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

/// The engine counts the cheat and sends it back. It mends nothing: the repair finds what the builder left, and what the
/// repair leaves is kept.
///
/// Proves
#[test]
fn a_cheat_that_a_reader_finds_is_taken_back() {
    let found = READ
        .replace(
            "cheats = []",
            "cheats = [{ cheat = \"overfit\", what = \"parking/fees.py:9 knows its tests\" }]",
        )
        .replace("verdict = \"pass\"", "verdict = \"fail\"");
    let left = EDIT.split("'''").nth(1).unwrap().trim_start();
    let digest = Digest::of(left.as_bytes());
    let as_left = format!("echo '{digest}  parking/fees.py' | sha256sum --check");
    let rehearsal = Rehearsal::with(&[
        ("refute", &found),
        ("refute-2", READ),
        ("repair", &after(&as_left, &mend("without a table of answers"))),
    ]);
    let task = rehearsal.play("strict");
    let confirmed = rehearsal.event(&task, "cheat_confirmed").unwrap();
    assert_eq!(confirmed["cheat"], "overfit");
    let readers =
        rehearsal.calls(&task).into_iter().filter(|(role, _)| role == "refute_reader").count();
    assert_eq!(readers, 2);
    assert!(rehearsal.view(&task, "STATE.md").contains("- Cheats: 1 of 3\n"));
    rehearsal.accept(&task);
    assert!(rehearsal.has_branch(&task));
    let mended = left.replace("\"\"\"Whole days", "\"\"\"Whole days (without a table of answers)");
    assert_eq!(rehearsal.kept(&task, "parking/fees.py"), mended);
    // Each tree comes from a call of the builder, and the files of the person are as they were.
    let trees = rehearsal.of_slices(&task, "edited").len() + rehearsal.all(&task, "repaired").len();
    let calls = rehearsal.calls(&task);
    let built = calls.iter().filter(|(_, part)| part == "edit" || part == "repair").count();
    assert_eq!(trees, built);
    let touched = rehearsal.git(&["status", "--porcelain", "--", ".", ":!.sealwright"]);
    assert_eq!(touched, "");
}

/// A repair that changes the docstring of `fee`.
fn mend(words: &str) -> String {
    script(
        &format!("sed -i 's/\"\"\"Whole days/\"\"\"Whole days ({words})/' parking/fees.py"),
        READY,
    )
}

/// Ends well only if nothing could be written.
const DENIED: &str = "if printf mine > mine.txt; then exit 1; fi\nif printf mine >> parking/fees.py; then exit 1; fi";
/// Ends well only if there is no tree.
const NO_TREE: &str = "if test -e /work; then exit 1; fi";
/// Writes where it can, which comes to nothing.
const IN_VAIN: &str = "printf mine > mine.txt || true\nprintf '# mine' >> parking/fees.py || true";
const AMEND: &str = "[[step]]\ndo = \"submit\"\n[step.answer]\ndecision = \"approve_with_amendments\"\n\
    rationale = \"it holds, and a reader has to know it\"\n[[step.answer.amendments]]\naction = \"MODIFY\"\n\
    target = \"file:parking/fees.py\"\ndetail = \"say in the docstring of `fee` that a day costs 2000 cents at most\"\n";
