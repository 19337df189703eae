//! `log.md`: gates, decisions, halts, post-mortems and hand edits in order. It only grows.

use std::fmt::Write as _;

use sealwright_kernel::task::TaskData;

use super::chronicle::{Line, Matter};
use super::markdown::line;
use super::{ViewInput, wording};
use crate::timestamp;

pub(super) fn render(input: &ViewInput<'_>, data: &TaskData) -> String {
    // Text above the first section must never change, or the log would not be append-only.
    let mut out = format!("# Log of {}\n", data.charter.id);
    for record in input.chronicle.lines() {
        if let Some(matter) = record.matter {
            section(&mut out, record, matter);
        }
    }
    out
}

fn section(out: &mut String, record: &Line, matter: Matter) {
    let _ = writeln!(out, "\n## {}. {}, {}\n", record.seq, matter.name(), timestamp(record.at));
    for said in &record.said {
        let _ = writeln!(out, "{}\n", blocked(said));
    }
    let _ = writeln!(out, "- By: {}", line(&wording::who(&record.actor)));
    for (name, text) in &record.details {
        let _ = writeln!(out, "- {name}: {}", line(text));
    }
}

/// The text on one line. In the line of a halt the brackets around the options are ours: a full stop follows them, so
/// they cannot form a link.
pub(super) fn blocked(text: &str) -> String {
    if !text.starts_with("BLOCKED: ") {
        return line(text);
    }
    let Some((cause, options)) = text.rsplit_once(" Options: [") else { return line(text) };
    let Some((options, rest)) = options.rsplit_once("]. ") else { return line(text) };
    format!("{} Options: [{}]. {}", line(cause), line(options), line(rest))
}
