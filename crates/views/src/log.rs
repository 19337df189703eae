//! `log.md`: what mattered, in order. Rendered later, it only gets longer.

use std::fmt::Write as _;

use sealwright_kernel::task::TaskData;

use super::chronicle::{Line, Matter};
use super::markdown::line;
use super::{Telling, wording};
use crate::timestamp;

pub(super) fn render(telling: &Telling<'_>, known: &TaskData) -> String {
    // Only what never changes stands above the first section.
    let mut out = format!("# Log of {}\n", known.charter.id);
    for told in telling.chronicle.lines() {
        if let Some(matter) = told.matter {
            section(&mut out, told, matter);
        }
    }
    out
}

fn section(out: &mut String, told: &Line, matter: Matter) {
    let _ = writeln!(out, "\n## {}. {}, {}\n", told.seq, matter.name(), timestamp(told.at));
    for said in &told.said {
        let _ = writeln!(out, "{}\n", blocked(said));
    }
    let _ = writeln!(out, "- By: {}", line(&wording::who(&told.actor)));
    for (name, text) in &told.details {
        let _ = writeln!(out, "- {name}: {}", line(text));
    }
}

/// Somebody's text on one line. In the line of a halt the brackets around the options are ours;
/// a full stop follows on them, so they are no link whatever stands in them.
pub(super) fn blocked(text: &str) -> String {
    if !text.starts_with("BLOCKED: ") {
        return line(text);
    }
    let Some((cause, options)) = text.rsplit_once(" Options: [") else { return line(text) };
    let Some((options, rest)) = options.rsplit_once("]. ") else { return line(text) };
    format!("{} Options: [{}]. {}", line(cause), line(options), line(rest))
}
