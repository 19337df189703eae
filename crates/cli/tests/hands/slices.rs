//! A slice: what scouts see, what becomes a fact, and what a builder does that lacks something.

use crate::rehearsal::{EDIT, READY, Rehearsal, SHAPE, script};

/// Scouts see the cap and not the tree; what nobody saw is no fact; the builder works from the latest snapshot.
///
/// Proves: B-050, B-055
#[test]
fn scouts_see_the_cap_and_only_what_was_seen_becomes_a_fact() {
    let shape = SHAPE
        .replace("unknowns = []", "unknowns = [\"how an hour is counted\", \"who rounds\"]")
        .replace("look_in = []", "look_in = [\"parking\"]")
        .replace("leave_out = []", "leave_out = [\"parking/__init__.py\"]");
    let scout = script(
        "test -f parking/fees.py && test ! -e tests && test ! -e pyproject.toml && test ! -e parking/__init__.py",
        "findings = [{ unknown = 0, source = \"parking/fees.py:3\", snippet = \"HOUR = 300\", note = \"an hour costs 300\", \
         certainty = \"seen\" }, { unknown = 1, source = \"parking/fees.py:1\", snippet = \"\", note = \"nothing rounds\", \
         certainty = \"uncertain\" }]",
    );
    // The builder finds in its snapshot what was seen, and what is open.
    let looks = "grep -q 'an hour costs 300' /brief/snapshot.md && grep -q 'nobody saw: nothing rounds' /brief/snapshot.md";
    let edit = format!("[[step]]\ndo = \"run\"\ncommand = '''\n{looks}\n'''\n{EDIT}");
    let rehearsal = Rehearsal::with(&[("shape", &shape), ("scout", &scout), ("edit", &edit)]);
    let task = rehearsal.play("quick");
    assert!(rehearsal.has_branch(&task), "{:?}", rehearsal.event(&task, "halted"));
    let consolidated = rehearsal.of_slices(&task, "consolidated").remove(0);
    let facts = consolidated["snapshot"]["consolidated"].to_string();
    assert!(facts.contains("an hour costs 300") && !facts.contains("nothing rounds"), "{facts}");
    let open = consolidated["snapshot"]["open"].to_string();
    assert!(open.contains("nobody saw: nothing rounds"), "{open}");
}

/// A scout that proposes something, in a note, beside a place or as a member of its own, is asked again, and in the end
/// the task halts.
///
/// Proves: B-005, B-012
#[test]
fn a_scout_that_proposes_a_change_is_no_scout() {
    let shape = SHAPE.replace("unknowns = []", "unknowns = [\"how an hour is counted\"]");
    let scout = |more: &str| {
        let found = "unknown = 0, source = \"parking/fees.py:3\", certainty = \"seen\"";
        script("", &format!("findings = [{{ {found}, {more} }}]"))
    };
    let member = scout("snippet = \"\", note = \"an hour costs 300\", solution = \"a table\"");
    let quoted =
        scout("snippet = \"HOUR = 300, should be replaced\", note = \"an hour costs 300\"");
    let noted = scout("snippet = \"\", note = \"you should use a table\"");
    let scripts =
        [("shape", &shape), ("scout-1", &member), ("scout-2", &quoted), ("scout", &noted)];
    let rehearsal = Rehearsal::with(&scripts.map(|(name, text)| (name, text.as_str())));
    let task = rehearsal.play("quick");
    assert_eq!(rehearsal.calls(&task).iter().filter(|(_, part)| part == "scout").count(), 3);
    assert!(rehearsal.event(&task, "halted").unwrap().to_string().contains("propose nothing"));
}

/// The builder lacks a fact outside of the cap: scouts are sent there, and the builder goes on.
#[test]
fn a_builder_that_lacks_a_fact_gets_it_from_a_scout() {
    let lacks = |kind: &str, what: &str, places: &str| {
        READY.replace(
            "need = { kind = \"none\", what = \"\", places = [] }",
            &format!("need = {{ kind = \"{kind}\", what = \"{what}\", places = [{places}] }}"),
        )
    };
    let first = script("", &lacks("places", "which fees are tested", "\"tests\""));
    let second = script("", &lacks("fact", "which minutes are tested", ""));
    let scout = script(
        "test -f tests/test_fees.py",
        "findings = [{ unknown = 0, source = \"tests/test_fees.py:1\", snippet = \"\", note = \"hours are tested\", \
         certainty = \"seen\" }]",
    );
    let rehearsal = Rehearsal::with(&[("edit-1", &first), ("edit-2", &second), ("scout", &scout)]);
    let task = rehearsal.play("quick");
    assert!(rehearsal.has_branch(&task), "{:?}", rehearsal.event(&task, "halted"));
    let parts: Vec<String> = rehearsal.calls(&task).into_iter().map(|(_, part)| part).collect();
    let from = parts.iter().position(|part| part == "edit").unwrap();
    assert_eq!(parts[from..from + 5], ["edit", "scout", "edit", "scout", "edit"]);
    let has = |name: &str| !rehearsal.of_slices(&task, name).is_empty();
    assert!(has("cap_revised") && has("fact_missing"));
}

/// A gap in the contract goes to a person, who is offered to change what is wanted first; that begins with the objective
/// again.
///
/// Proves: A-059
#[test]
fn a_gap_in_the_contract_goes_to_a_person() {
    let gap = READY.replace(
        "kind = \"none\", what = \"\"",
        "kind = \"contract\", what = \"no fee for zero minutes\"",
    );
    let rehearsal = Rehearsal::with(&[("edit", &script("", &gap))]);
    let task = rehearsal.play("quick");
    let halted = rehearsal.event(&task, "halted").unwrap();
    assert_eq!(
        halted["escalation"]["cause"]["slice_stuck"]["why"]["contract_gap"]["what"],
        "no fee for zero minutes"
    );
    assert_eq!(halted["escalation"]["options"][0], "AMEND_SPEC");
    let words = ["resolve", &task, "amend-spec", "--because", "zero minutes are free"];
    rehearsal.see(&[&words[..], &["--criterion", "fee(0) is 0"]].concat());
    assert!(rehearsal.view(&task, "STATE.md").contains("- **Phase:** intake\n"));
    assert!(rehearsal.view(&task, "TASK.md").contains("- fee(0) is 0\n"));
}

/// A finding about security stops the work at once; what a test can not settle goes to a person at the last gate.
///
/// Proves: A-061, P-024
#[test]
fn what_a_builder_cannot_settle_reaches_a_person() {
    for (kind, is_halted) in [("security", true), ("concurrency", false)] {
        let residue = format!("residue = [{{ kind = \"{kind}\", what = \"two clocks\" }}]");
        let edit = EDIT
            .replace("residue = []", &residue)
            .replace("lessons = []", "lessons = [\"minutes are whole\"]");
        let rehearsal = Rehearsal::with(&[("edit", &edit)]);
        let task = rehearsal.play("quick");
        assert!(!rehearsal.has_branch(&task), "{kind}");
        let halted = rehearsal.event(&task, "halted");
        assert_eq!(halted.is_some(), is_halted, "{kind}: {halted:?}");
        let learned = rehearsal.event(&task, "learned").unwrap();
        assert_eq!(learned["lessons"][0], "minutes are whole");
        let asked = rehearsal.event(&task, "owner_asked");
        assert_eq!(asked.is_some(), !is_halted, "{kind}");
        // Something was seen by now, so its page is linked, however the run ended.
        let state = rehearsal.view(&task, "STATE.md");
        assert!(state.contains("two clocks"), "{state}");
        assert!(state.contains("- **Evidence link:** [evidence.html](evidence.html)\n"), "{state}");
        assert!(rehearsal.view(&task, "evidence.html").contains("href="));
    }
}
