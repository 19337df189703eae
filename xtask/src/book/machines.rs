//! The machines as drawings and tables, from a walk over each.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Result, anyhow};
use sealwright_model_check::drawing::{self, Drawing, Whose};

use super::{Page, generated_from, svg};

pub(super) fn pages() -> Result<Vec<Page>> {
    let mut pages = Vec::new();
    for Machine { name, about, source, note, walk } in MACHINES {
        let drawing = walk().map_err(|why| anyhow!("the walk over the {name} machine: {why}"))?;
        let text = page(name, about, source, note, &drawing);
        pages.push(Page { path: format!("machines/{name}.svg"), text: svg::draw(&drawing) });
        pages.push(Page { path: format!("machines/{name}.md"), text });
    }
    Ok(pages)
}

struct Machine {
    name: &'static str,
    about: &'static str,
    source: &'static str,
    note: &'static str,
    walk: fn() -> Result<Drawing, String>,
}

fn page(name: &str, about: &str, source: &str, note: &str, drawing: &Drawing) -> String {
    let mut text = format!("# The {name} machine\n\n");
    text += &generated_from("a walk over the machine");
    let _ = write!(text, "{about} The rules are in `{source}`.\n\n");
    let _ = write!(text, "![The {name} machine]({name}.svg)\n\n");
    text += "Solid: the answer to an effect. Dashed: a person's input. Double frame: a final state.\n\n";
    if !note.is_empty() {
        let _ = write!(text, "{note}\n\n");
    }
    text += "| from | input | to |\n|---|---|---|\n";
    let mut rows: Vec<_> = drawing.ways.iter().collect();
    let place = |state: &String| drawing.states.iter().position(|it| it == state);
    rows.sort_by_key(|((from, to, whose), _)| (place(from), place(to), *whose));
    // Inputs that do not change the state share one row after the others.
    let mut stays: BTreeMap<&String, Vec<&str>> = BTreeMap::new();
    for ((from, to, _), words) in &rows {
        if from == to {
            stays.entry(from).or_default().extend(words.iter().map(String::as_str));
        }
    }
    for state in &drawing.states {
        for ((from, to, whose), words) in rows.iter().filter(|((from, _, _), _)| from == state) {
            if from != to {
                let _ = writeln!(text, "| {from} | {} | {to} |", input(*whose, words.iter()));
            }
        }
        if let Some(words) = stays.get(state) {
            let _ = writeln!(text, "| {state} | {} | stays |", words.join(", "));
        }
    }
    text
}

fn input<'w>(whose: Whose, words: impl Iterator<Item = &'w String>) -> String {
    let words = words.map(String::as_str).collect::<Vec<_>>().join(", ");
    match whose {
        Whose::World => words,
        Whose::Person => format!("a person: {words}"),
    }
}

const MACHINES: [Machine; 3] = [
    Machine {
        name: "task",
        about: "The phases of one task.",
        source: "crates/kernel/src/task.rs",
        note: "A task of a project first waits in `pending` until the project dispatches it; here it stands alone. \
               The [slice machine](slice.md) shows the inside of `implement`.",
        walk: drawing::task,
    },
    Machine {
        name: "slice",
        about: "One slice of the plan: scout, plan, edit, gate.",
        source: "crates/kernel/src/task/slice.rs",
        note: "",
        walk: drawing::slice,
    },
    Machine {
        name: "project",
        about: "The dispatch of tasks in a project, shown for one of its tasks.",
        source: "crates/kernel/src/project.rs",
        note: "One task runs at a time. While a task is halted, no new task starts; a parked task blocks no other.",
        walk: drawing::project,
    },
];
