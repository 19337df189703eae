//! A slice: scouts that stray or find nothing, and edits that are none.

use serde_json::json;

use super::{SHAPELESS, halted};
use crate::rehearsal::{READY, SHAPE, script, swap};

/// A finding from outside of the cap is no fact; the task goes on with what is known. A builder that changes nothing
/// has gained nothing, and a person gives another plan.
#[test]
fn a_stray_finding_is_no_fact_and_an_edit_of_nothing_halts() {
    let stray = script(
        "",
        "findings = [{ unknown = 0, source = \"tests/test_fees.py:1\", snippet = \"\", note = \"hours are tested\", \
         certainty = \"seen\" }]",
    );
    let scripts = [("shape", &scouted()), ("scout", &stray), ("edit", &script("", READY))];
    let (rehearsal, task, cause) =
        halted("quick", &scripts.map(|(name, text)| (name, text.as_str())));
    assert_eq!(
        rehearsal.of_slices(&task, "left_cap"),
        [json!({ "source": "tests/test_fees.py:1" })]
    );
    let known =
        rehearsal.of_slices(&task, "consolidated")[0]["snapshot"]["consolidated"].to_string();
    assert!(!known.contains("hours are tested"), "{known}");
    assert!(cause["slice_stuck"]["why"].get("no_progress").is_some(), "{cause}");

    let plan = rehearsal.see(&["show", &task, "--plan"]);
    let file = tempfile::NamedTempFile::new().unwrap();
    let plan = swap(&plan, "never takes more than 2000 cents", "takes 2000 cents at most");
    std::fs::write(file.path(), plan).unwrap();
    let plan = file.path().to_str().unwrap();
    rehearsal.see(&["resolve", &task, "revise-plan", "--because", "smaller", "--plan", plan]);
    assert_eq!(rehearsal.all(&task, "resolved").len(), 1);
}

/// A scout may find nothing. A builder that never gives a usable answer halts the task after three calls.
#[test]
fn a_scout_that_finds_nothing_is_heard_and_an_edit_without_a_form_halts() {
    let scripts = [
        ("shape", scouted()),
        ("scout", script("", "findings = []")),
        ("edit", SHAPELESS.to_owned()),
    ];
    let scripts = scripts.each_ref().map(|(name, text)| (*name, text.as_str()));
    let (rehearsal, task, cause) = halted("quick", &scripts);
    let captured = rehearsal.of_slices(&task, "captured");
    assert!(!captured.is_empty() && captured.iter().all(|it| *it == json!({ "findings": [] })));
    assert!(cause.to_string().contains("call `edit` returned no usable answer"), "{cause}");
    assert_eq!(rehearsal.calls(&task).iter().filter(|(_, part)| part == "edit").count(), 3);
}

/// A plan with a question, and the cap in which scouts look for the answer.
fn scouted() -> String {
    let shape = swap(SHAPE, "unknowns = []", "unknowns = [\"how an hour is counted\"]");
    swap(&shape, "look_in = []", "look_in = [\"parking\"]")
}

/// After three failures in a row an auditor is asked. One that gives no usable answer leads nowhere.
#[test]
fn an_audit_without_a_form_halts() {
    let tries: Vec<(String, String)> = (1..=3)
        .map(|nth| {
            (format!("edit-{nth}"), script(&format!("echo '# {nth}' >> parking/fees.py"), READY))
        })
        .collect();
    let mut scripts = vec![("audit", SHAPELESS)];
    scripts.extend(tries.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    let (rehearsal, task, cause) = halted("quick", &scripts);
    assert!(cause.to_string().contains("call `audit` returned no usable answer"), "{cause}");
    assert_eq!(rehearsal.of_slices(&task, "gate_ran").len(), 3);
}
