//! How calls, checks and questions can end besides well, each played to that end. `cargo xtask prove hands` runs these
//! tests and finds the ends in their journals; `docs/hands.tsv` lists them.

mod checks;
mod drafts;
mod judges;
mod people;
mod slices;

use serde_json::Value;

use crate::rehearsal::Rehearsal;

/// Scripts, by the names of their files.
type Scripts<'a> = [(&'a str, &'a str)];

/// A task of a lane that halts after its contract is approved: where it was played, its name, and why it halts.
fn halted(lane: &str, scripts: &Scripts<'_>) -> (Rehearsal, String, Value) {
    let rehearsal = Rehearsal::with(scripts);
    let task = rehearsal.play(lane);
    let cause = cause(&rehearsal, &task);
    (rehearsal, task, cause)
}

/// Why a task halted last. Nothing of it is kept.
fn cause(rehearsal: &Rehearsal, task: &str) -> Value {
    assert!(!rehearsal.has_branch(task), "a halted task has no branch");
    let halt = rehearsal.all(task, "halted").pop();
    halt.expect("the task halted")["escalation"]["cause"].clone()
}

/// An answer that has the form of no call.
const SHAPELESS: &str = "[[step]]\ndo = \"submit\"\n[step.answer]\nno = \"form\"\n";
