//! Whether examples are made of values, and stand by themselves.

use crate::finding::Findings;
use crate::markdown::Document;
use crate::text::shown;

use super::{Demands, modules};

pub(super) fn check(document: &Document, demands: &Demands, findings: &mut Findings) {
    for block in &document.blocks {
        for (nth, line) in block.text.lines().enumerate().filter(|_| block.is_code()) {
            if let Some(found) = placeholder(line) {
                let at = block.line.saturating_add(u32::try_from(nth).unwrap_or(u32::MAX));
                let what = format!("`{}` is a placeholder", shown(found));
                findings.add(
                    "examples.placeholder",
                    at,
                    what,
                    "write a value that a call can have",
                );
            }
        }
        for module in modules(&block.text) {
            if !demands.modules.iter().any(|it| it == module) {
                let what = format!("{} is no dependency of the module", shown(module));
                let fix = "use declared dependencies only, or declare it in the contract";
                findings.add("examples.module.undeclared", block.line, what, fix);
            }
        }
    }
}

/// The first placeholder of a line of code.
pub(super) fn placeholder(line: &str) -> Option<&str> {
    dots(line).or_else(|| in_brackets(line)).or_else(|| word(line))
}

/// `...` where a value belongs. `...rest` spreads a list, and `Loading...` is a text.
fn dots(line: &str) -> Option<&str> {
    let is_name =
        |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || "_$.".contains(it));
    let alone = |(at, found): &(usize, &str)| {
        !is_name(line[..*at].chars().next_back())
            && !is_name(line[at + found.len()..].chars().next())
    };
    let three = line.match_indices("...").find(alone);
    three.or_else(|| line.match_indices('…').find(alone)).map(|(_, found)| found)
}

/// `<your_value_here>`. `Vec<some_type>` and `<div>` are code.
fn in_brackets(line: &str) -> Option<&str> {
    for (at, _) in line.match_indices('<') {
        let before = line[..at].chars().next_back();
        // Bounded, so that a line of brackets is read once.
        let length = line[at + 1..].bytes().take(BRACKETS_BYTES_MAX).position(|it| it == b'>');
        let Some(length) = length else { continue };
        let inner = &line[at + 1..at + 1 + length];
        let first = inner.split(['_', '-', ' ']).next().unwrap_or_default().to_ascii_lowercase();
        let is_plain = inner.chars().all(|it| it.is_ascii_alphanumeric() || "_- ".contains(it));
        let is_generic = before.is_some_and(|it| it.is_alphanumeric() || it == '_' || it == ':');
        let begins = OPENINGS.contains(&first.as_str());
        if is_plain && !is_generic && (begins || (inner.contains('_') && !first.is_empty())) {
            return Some(&line[at..at + length + 2]);
        }
    }
    None
}

/// `some_input`, `YOUR_API_KEY`, `TODO`.
fn word(line: &str) -> Option<&str> {
    let words = line.split(|it: char| !it.is_alphanumeric() && it != '_');
    words.into_iter().find(|it| {
        let lower = it.to_lowercase();
        MARKS.contains(it) || STARTS.iter().any(|start| lower.starts_with(start))
    })
}

const BRACKETS_BYTES_MAX: usize = 64;
const OPENINGS: [&str; 8] =
    ["your", "some", "insert", "placeholder", "value", "replace", "enter", "todo"];
const STARTS: [&str; 4] = ["some_", "your_", "placeholder", "lorem"];
const MARKS: [&str; 5] = ["TODO", "TBD", "TBA", "FIXME", "XXX"];
