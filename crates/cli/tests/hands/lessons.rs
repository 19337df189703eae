//! What a task taught reaches the roles of the next one.

use super::rehearsal::{EDIT, Rehearsal};

/// Proves: A-117
#[test]
fn what_a_shipped_task_taught_is_in_the_brief_of_the_next() {
    let lesson = "minutes are whole";
    let teaching = EDIT.replace("lessons = []", &format!("lessons = [\"{lesson}\"]"));
    let rehearsal = Rehearsal::with(&[("edit", &teaching)]);
    let first = rehearsal.play("quick");
    assert!(rehearsal.has_branch(&first), "{:?}", rehearsal.event(&first, "halted"));
    let summary = rehearsal.file(&format!(".sealwright/tasks/{first}/SUMMARY.md"));
    assert!(summary.contains("- Outcome: PASS\n"), "{summary}");
    assert!(summary.contains(&format!("## Lessons\n\n- {lesson}\n")), "{summary}");
    let told = format!("- {first}: {lesson}");
    let look = format!(
        "[[step]]\ndo = \"run\"\ncommand = \"grep -qF -e '{told}' \\\"$HOME/brief.md\\\"\"\n"
    );
    rehearsal.rewrite("edit", &format!("{look}{EDIT}"));
    let second = rehearsal.play("quick");
    assert_ne!(first, second);
    // The script ends with an error where its brief does not say it.
    assert!(rehearsal.has_branch(&second), "{:?}", rehearsal.event(&second, "halted"));
}
