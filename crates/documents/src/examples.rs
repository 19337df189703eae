//! `examples.md`: how a module is used, instead of its source.
//!
//! An example is a subsection, or a list item of the first level, with a description and two fenced blocks or more: the
//! input first, the expected output last. The forms a reader relies on:
//!
//! - The name of the entry point stands in each example of a call that succeeds.
//! - The name of the error surface stands in the example that triggers it.
//! - An example shows an effect if it names the target, or says `before` and `after`.

mod concrete;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, Findings};
use crate::markdown::{self, Block, Document};
use crate::text::{is_placeholder, listed, shown};

/// What the contract of the module asks of its examples.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demands {
    /// The public entry points: `tenant_limiter::decide`.
    pub entry_points: Vec<String>,
    pub error_surfaces: Vec<String>,
    /// What the declared effects change: `ledger`.
    pub effect_targets: Vec<String>,
    /// The modules that may be named: this one and its dependencies, `MM-…` each.
    pub modules: Vec<String>,
}

/// One example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    pub line: u32,
    /// The heading or the first words of the list item.
    pub title: String,
    /// The text around the blocks.
    pub description: String,
    /// The fenced blocks. The first one is the input, the last one the output.
    pub blocks: Vec<String>,
}

/// Reads `examples.md` against what the contract asks.
pub fn read(text: Option<&str>, demands: &Demands) -> (Vec<Example>, Vec<Finding>) {
    let mut findings = Findings::new(KEY, FILE);
    let Some(document) = markdown::read(text, &mut findings) else {
        return (Vec::new(), findings.finish());
    };
    let examples = examples(&document);
    for it in &examples {
        whole(it, &mut findings);
    }
    covered(&examples, demands, &mut findings);
    concrete::check(&document, demands, &mut findings);
    (examples, findings.finish())
}

/// The groups of blocks that have code in them.
fn examples(document: &Document) -> Vec<Example> {
    let mut groups: Vec<Example> = Vec::new();
    for block in &document.blocks {
        let begins = block.is_heading() || (block.is_top_item() && !is_part(&block.text));
        if begins || groups.is_empty() {
            let title = if begins { head(&block.text) } else { String::new() };
            let description = String::new();
            groups.push(Example { line: block.line, title, description, blocks: Vec::new() });
        }
        if let Some(group) = groups.last_mut().filter(|_| !block.is_heading()) {
            add(group, block);
        }
    }
    groups.retain(|it| !it.blocks.is_empty());
    groups
}

/// Whether a list item is the input or the output of an example, and not one by itself.
fn is_part(text: &str) -> bool {
    let first = text.split(|it: char| !it.is_alphanumeric()).find(|it| !it.is_empty());
    first.is_some_and(|it| LABELS.contains(&it.to_lowercase().as_str()))
}

fn add(group: &mut Example, block: &Block) {
    if block.is_code() {
        group.blocks.push(block.text.clone());
    } else {
        group.description.push_str(&block.text);
        group.description.push('\n');
    }
}

fn head(text: &str) -> String {
    text.chars().take_while(|it| *it != '\n').take(TITLE_CHARS_MAX).collect()
}

fn whole(it: &Example, findings: &mut Findings) {
    let name = shown(&it.title);
    if it.blocks.len() < 2 {
        let what = format!("the example `{name}` has one block, not an input and an output");
        let fix = "add a fenced block with the input before a fenced block with the output";
        findings.add("examples.example.blocks", it.line, what, fix);
    }
    if it.blocks.iter().any(|it| it.trim().is_empty()) {
        let what = format!("the example `{name}` has an empty block");
        findings.add("examples.example.empty", it.line, what, "write the values of the call");
    }
    if is_label(&it.description) {
        let what = format!("the example `{name}` does not say what it shows");
        let fix = "add a sentence above the input";
        findings.add("examples.example.description", it.line, what, fix);
    }
}

/// Whether a text is empty, a placeholder, or names the blocks below it and nothing else.
fn is_label(text: &str) -> bool {
    let is_word = |it: &&str| !it.is_empty();
    let words = text.split(|it: char| !it.is_alphanumeric()).filter(is_word);
    let mut others =
        words.map(str::to_lowercase).filter(|it| it != "the" && !LABELS.contains(&it.as_str()));
    is_placeholder(text) || others.nth(1).is_none()
}

fn covered(examples: &[Example], demands: &Demands, findings: &mut Findings) {
    let whole = |it: &&Example| it.blocks.len() >= 2;
    let texts: Vec<String> = examples.iter().filter(whole).map(all_text).collect();
    let is_error = |text: &&String| demands.error_surfaces.iter().any(|it| has_name(text, it));
    let calls: Vec<&String> = texts.iter().filter(|it| !is_error(it)).collect();
    if calls.is_empty() {
        let what = "no example shows a call that succeeds";
        let fix = "add an example with an input, its output and a sentence about it";
        findings.add("examples.call.missing", 1, what, fix);
    }
    for entry in demands.entry_points.iter().filter(|_| !calls.is_empty()) {
        let name = last_part(entry);
        if !calls.iter().any(|text| has_name(text, name)) {
            let what = format!("no example calls {}", shown(entry));
            let fix = format!("add an example that calls `{}`", shown(name));
            findings.add("examples.entry-point.missing", 1, what, fix);
        }
    }
    for surface in &demands.error_surfaces {
        if !texts.iter().any(|text| has_name(text, surface)) {
            let what = format!("no example triggers {}", shown(surface));
            let fix = "add an example with the input that triggers it and the error it leads to";
            findings.add("examples.error.missing", 1, what, fix);
        }
    }
    let shows = |text: &String| {
        let both =
            has_name(&text.to_lowercase(), "before") && has_name(&text.to_lowercase(), "after");
        both || demands.effect_targets.iter().any(|it| has_name(text, it))
    };
    if !demands.effect_targets.is_empty() && !texts.iter().any(shows) {
        let what = format!(
            "no example shows an effect on {}",
            listed(demands.effect_targets.iter().map(String::as_str))
        );
        let fix = "add an example with the state before and after the call";
        findings.add("examples.effect.missing", 1, what, fix);
    }
}

fn all_text(it: &Example) -> String {
    let parts = [&it.title, &it.description].into_iter().chain(&it.blocks);
    parts.map(String::as_str).collect::<Vec<_>>().join("\n")
}

/// The name that a call is written with: `decide` of `tenant_limiter::decide`.
fn last_part(entry: &str) -> &str {
    entry.rsplit([':', '.', '/', '#']).find(|it| !it.is_empty()).unwrap_or(entry)
}

/// Whether a name stands in a text, not as a part of another name.
fn has_name(text: &str, name: &str) -> bool {
    let is_part = |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || it == '_');
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let after = text[at + name.len()..].chars().next();
            !is_part(text[..at].chars().next_back()) && !is_part(after)
        })
}

/// The modules that are named in a text.
fn modules(text: &str) -> BTreeSet<&str> {
    let starts = text.match_indices("MM-").map(|(at, _)| &text[at..]);
    let length = |it: &str| {
        let rest = it[3..].find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
        rest.map_or(it.len(), |at| at + 3)
    };
    starts.map(|it| &it[..length(it)]).filter(|it| it.len() > 3).collect()
}

pub(crate) const KEY: &str = "examples";
pub(crate) const FILE: &str = "examples.md";

#[cfg(test)]
pub(crate) const CONDITIONS: &[&str] = &[
    "examples.example.blocks",
    "examples.example.empty",
    "examples.example.description",
    "examples.call.missing",
    "examples.entry-point.missing",
    "examples.error.missing",
    "examples.effect.missing",
    "examples.placeholder",
    "examples.module.undeclared",
];

/// Words by which an example names its blocks.
const LABELS: [&str; 13] = [
    "input", "output", "expected", "error", "result", "returns", "response", "example", "code",
    "before", "after", "call", "request",
];
const TITLE_CHARS_MAX: usize = 120;

#[cfg(test)]
mod tests;
