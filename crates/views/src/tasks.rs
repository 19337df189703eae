//! `TASKS.md`: the slices of the plan and how they stand.

use std::fmt::Write as _;

use sealwright_kernel::task::TaskData;
use sealwright_kernel::task::slice::{GATE_RUNS_MAX, Planned, Slice};

use super::markdown::line;
use super::wording::{counted, slice_state};

pub(super) fn render(known: &TaskData) -> String {
    let mut out = format!("# Slices of {}\n", known.charter.id);
    if !known.plan.is_empty() {
        let _ =
            writeln!(out, "\nThe plan is locked. It has {}.", counted(known.plan.len(), "slice"));
        for (id, planned) in &known.plan {
            let is_it = |slice: &&Slice| slice.charter().is_some_and(|it| it.id == *id);
            let slice = known.slices.iter().rev().find(is_it);
            let _ = writeln!(out, "\n## {id}: {}\n", line(&planned.sentence));
            standing(&mut out, slice);
            described(&mut out, planned);
        }
        return out;
    }
    let Some(bundle) = known.bundle.as_ref() else {
        out.push_str("\nThere is no plan yet.\n");
        return out;
    };
    let drafted = counted(bundle.plan.len(), "slice");
    let _ = writeln!(out, "\nA plan of {drafted} is on the table. No person has frozen it.");
    for (nth, planned) in bundle.plan.iter().enumerate() {
        let _ = writeln!(out, "\n## Draft {}: {}\n", nth + 1, line(&planned.sentence));
        described(&mut out, planned);
    }
    out
}

fn standing(out: &mut String, slice: Option<&Slice>) {
    let state = slice.map_or("not begun".to_owned(), |slice| slice_state(slice.state()));
    let _ = writeln!(out, "- State: {}", line(&state));
    let Some(slice) = slice else { return };
    let _ = writeln!(out, "- Gate runs: {} of {GATE_RUNS_MAX}", slice.gate_runs());
    let Some(snapshot) = slice.snapshot() else { return };
    let header = &snapshot.header;
    let last = match header.last_run {
        Some((gate, outcome)) => format!("{} {}", gate.name(), outcome.name()),
        None => "none".to_owned(),
    };
    let _ = writeln!(out, "- Last gate run: {last}");
    let fails = (header.iteration_fails, header.exit_fails);
    let _ = writeln!(out, "- Failures in a row: {} iteration, {} exit", fails.0, fails.1);
    let name = header.iteration;
    let _ = writeln!(out, "- Latest snapshot: [{name}](context/{name}.md)");
}

fn described(out: &mut String, planned: &Planned) {
    for criterion in &planned.criteria {
        let _ = writeln!(out, "- Criterion: {}", line(criterion));
    }
    for constraint in &planned.constraints {
        let _ = writeln!(out, "- Constraint: {}", line(constraint));
    }
    let _ = writeln!(out, "- Scope cap: {}", line(&planned.cap.sentence));
    let (fast, full) = (line(&planned.gate_iteration), line(&planned.gate_exit));
    let _ = writeln!(out, "- Gates: {fast} in every cycle, {full} before delivery");
}
