//! `TASKS.md`: the slices of the plan and their states.

use std::fmt::Write as _;

use sealwright_kernel::task::slice::{GATE_RUNS_MAX, Planned, Slice};
use sealwright_kernel::task::{Stage, Task, TaskData};

use super::markdown::line;
use super::wording::{counted, slice_state};

pub(super) fn render(task: &Task, data: &TaskData) -> String {
    let mut out = format!("# Slices of {}\n", data.charter.id);
    if !data.plan.is_empty() {
        let _ =
            writeln!(out, "\nThe plan is locked. It has {}.", counted(data.plan.len(), "slice"));
        for (id, planned) in &data.plan {
            let is_it = |slice: &&Slice| slice.charter().is_some_and(|it| it.id == *id);
            let slice = data.slices.iter().rev().find(is_it);
            let _ = writeln!(out, "\n## {id}: {}\n", line(&planned.sentence));
            state(&mut out, slice, task.stage());
            definition(&mut out, planned);
        }
        return out;
    }
    let Some(bundle) = data.bundle.as_ref() else {
        out.push_str("\nNo plan yet.\n");
        return out;
    };
    let drafted = counted(bundle.plan.len(), "slice");
    let _ = writeln!(out, "\nDraft plan of {drafted}, not frozen yet.");
    for (nth, planned) in bundle.plan.iter().enumerate() {
        let _ = writeln!(out, "\n## Draft {}: {}\n", nth + 1, line(&planned.sentence));
        definition(&mut out, planned);
    }
    out
}

fn state(out: &mut String, slice: Option<&Slice>, stage: &Stage) {
    let state = slice.map_or("not started".to_owned(), |slice| slice_state(slice.state(), stage));
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

fn definition(out: &mut String, planned: &Planned) {
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
