//! What people answer to a budget that is reached: more, or no more.

use crate::rehearsal::{FRAME, Rehearsal, WANTED, after};

/// The limit of one minute is reached by a call that takes longer.
fn reached() -> (Rehearsal, String) {
    let slow = after("sleep 61", FRAME);
    let rehearsal = Rehearsal::configured(&[("frame", &slow)], "[budget]\nminutes = 1\n");
    let task = rehearsal.ask(&[WANTED, "--lane", "quick"]);
    let told = rehearsal.see(&["budget", &task]);
    assert!(told.contains("of 1 min"), "{told}");
    (rehearsal, task)
}

#[test]
fn a_raised_budget_lets_a_task_go_on() {
    let (rehearsal, task) = reached();
    rehearsal.see(&["budget", &task, "--minutes", "9"]);
    rehearsal.says(11, &["do", "--continue", &task]);
    rehearsal.see(&["approve", &task]);
    rehearsal.see(&["do", "--continue", &task]);
    assert!(rehearsal.has_branch(&task));
}

#[test]
fn a_budget_that_is_not_raised_ends_the_task() {
    let (rehearsal, task) = reached();
    rehearsal.see(&["resolve", &task, "abandon-task", "--because", "too slow"]);
    assert!(rehearsal.view(&task, "STATE.md").contains("abandoned"));
}
