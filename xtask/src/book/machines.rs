//! The machines, drawn and told as tables, from a walk over each.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Result, anyhow};
use sealwright_model_check::drawing::{self, Drawing, Whose};

use super::{Page, made_from, svg};

/// A drawing and a table for each machine.
pub(super) fn pages() -> Result<Vec<Page>> {
    let mut pages = Vec::new();
    for Told { name, about, source, note, walk } in MACHINES {
        let drawing = walk().map_err(|why| anyhow!("the walk over the {name} machine: {why}"))?;
        let text = page(name, about, source, note, &drawing);
        pages.push(Page { path: format!("machines/{name}.svg"), text: svg::draw(&drawing) });
        pages.push(Page { path: format!("machines/{name}.md"), text });
    }
    Ok(pages)
}

/// What is told of a machine beside what it does.
struct Told {
    name: &'static str,
    about: &'static str,
    source: &'static str,
    note: &'static str,
    walk: fn() -> Result<Drawing, String>,
}

fn page(name: &str, about: &str, source: &str, note: &str, drawing: &Drawing) -> String {
    let mut text = format!("# The {name} machine\n\n");
    text += &made_from("a walk over the machine itself");
    let _ = write!(text, "{about} The rules are in `{source}`.\n\n");
    let _ = write!(text, "![The {name} machine]({name}.svg)\n\n");
    text += "Solid: an answer to what the machine asked of the world. Dashed: a person. A double frame is an end.\n\n";
    if !note.is_empty() {
        let _ = write!(text, "{note}\n\n");
    }
    text += "| from | what happens | to |\n|---|---|---|\n";
    let mut rows: Vec<_> = drawing.ways.iter().collect();
    let place = |state: &String| drawing.states.iter().position(|it| it == state);
    rows.sort_by_key(|((from, to, whose), _)| (place(from), place(to), *whose));
    // What leads nowhere else is told once, at the end of the state's rows.
    let mut stays: BTreeMap<&String, Vec<&str>> = BTreeMap::new();
    for ((from, to, _), words) in &rows {
        if from == to {
            stays.entry(from).or_default().extend(words.iter().map(String::as_str));
        }
    }
    for state in &drawing.states {
        for ((from, to, whose), words) in rows.iter().filter(|((from, _, _), _)| from == state) {
            if from != to {
                let _ = writeln!(text, "| {from} | {} | {to} |", told(*whose, words.iter()));
            }
        }
        if let Some(words) = stays.get(state) {
            let _ = writeln!(text, "| {state} | {} | stays |", words.join(", "));
        }
    }
    text
}

fn told<'w>(whose: Whose, words: impl Iterator<Item = &'w String>) -> String {
    let words = words.map(String::as_str).collect::<Vec<_>>().join(", ");
    match whose {
        Whose::World => words,
        Whose::Person => format!("a person: {words}"),
    }
}

const MACHINES: [Told; 4] = [
    Told {
        name: "task",
        about: "Whether one piece of work may advance.",
        source: "crates/kernel/src/task.rs",
        note: "A task that belongs to a project waits in `pending` for its turn first; here it stands alone. \
               What happens inside `implement` is the [slice machine](slice.md).",
        walk: drawing::task,
    },
    Told {
        name: "slice",
        about: "The smallest change now, and whether it is stuck.",
        source: "crates/kernel/src/task/slice.rs",
        note: "",
        walk: drawing::slice,
    },
    Told {
        name: "invocation",
        about: "One role is asked for one result.",
        source: "crates/kernel/src/invocation.rs",
        note: "An unreadable answer is asked for again twice; three calls that died in a row end it. \
               A writing role's tree is kept or put back before anything else happens.",
        walk: drawing::invocation,
    },
    Told {
        name: "project",
        about: "Whose turn it is: how one task of several stands in its project.",
        source: "crates/kernel/src/project.rs",
        note: "One task at a time has its turn. While one is halted nobody new gets a turn; one that is parked \
               holds nobody up.",
        walk: drawing::project,
    },
];
