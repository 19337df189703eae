//! `design.md`: how it is built.
//!
//! Seven sections. The forms a reader relies on:
//!
//! - Architecture: each component is a list item of the first level, before any sub-heading or below `### Components`.
//! - Directory Structure: one tree; see `design/directory.rs`.
//! - External Integrations: one sub-heading or list item for each, with what happens when it fails.
//! - Complexity Exceptions: `` - `path/`: reason ``; a path exempts the files below it from the brake on long files.
//! - Open Questions: each list item says `resolved: …` or `deferred: … because …`.
//! - A house or a skyscraper has a part Tier Review; see `design/review.rs`.

mod directory;
mod observability;
mod questions;
mod review;

use serde::{Deserialize, Serialize};

use crate::Tier;
use crate::finding::{Finding, Findings};
use crate::markdown::{self, Block, NoneIs, Part, Required, Shape};
use crate::text::{has_word, is_placeholder, shown, split_remark, words};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Design {
    pub components: Vec<String>,
    /// The files of the tree, from the repository root, in the order of the document.
    pub files: Vec<String>,
    /// Every directory of the tree, without the trailing slash.
    pub directories: Vec<String>,
    pub integrations: Vec<String>,
    /// Paths that Complexity Exceptions exempts from the brake on long files.
    pub exempt: Vec<String>,
}

/// Reads `design.md` for a tier. Without a tier the rules that depend on it are not checked, and the gate cannot tell.
pub fn read(text: Option<&str>, tier: Option<Tier>) -> (Design, Vec<Finding>) {
    let mut findings = Findings::new(KEY, FILE);
    let mut design = Design::default();
    let Some(document) = markdown::read(text, &mut findings) else {
        return (design, findings.finish());
    };
    let [architecture, tree, interfaces, integrations, observability, exceptions, questions] =
        SECTIONS.each_ref().map(|it| document.require(it, &mut findings));
    if let Some(part) = architecture {
        design.components = components(&part, &mut findings);
    }
    if let Some(part) = tree {
        (design.files, design.directories) = directory::read(&part, &mut findings);
    }
    if let Some(part) = interfaces {
        typed(&part, &mut findings);
    }
    if let Some(part) = integrations {
        design.integrations = questions::integrations(&part, &mut findings);
    }
    if let (Some(part), Some(tier)) = (observability, tier) {
        observability::check(&part, tier, &mut findings);
    }
    if let Some(part) = exceptions {
        design.exempt = exempt(&part, &mut findings);
    }
    if let Some(part) = questions {
        questions::open(&part, &mut findings);
    }
    if tier.is_some_and(|it| it > Tier::Shed) {
        review::check(document.part(&review::NAMES), &mut findings);
    }
    (design, findings.finish())
}

fn components(part: &Part<'_>, findings: &mut Findings) -> Vec<String> {
    let mut is_listed = true;
    let mut components = Vec::new();
    for block in part.blocks {
        match &block.shape {
            Shape::Heading { .. } => {
                is_listed = markdown::heading_name(&block.text) == "components"
            }
            Shape::Item { depth: 0 } if is_listed => {
                components.push(split_remark(&block.text).0.to_string());
            }
            _ => {}
        }
    }
    let has_diagram = part.blocks.iter().any(is_diagram);
    if components.is_empty() {
        let what = "the architecture lists no component";
        let fix = "list each component as `- name: what it does`";
        findings.add("design.architecture.components", part.line, what, fix);
    } else if components.len() > COMPONENTS_WITHOUT_DIAGRAM_MAX && !has_diagram {
        let what = format!("{} components and no diagram", components.len());
        let fix = "draw the components and their connections in a code block with ASCII characters";
        findings.add("design.architecture.diagram", part.line, what, fix);
    }
    components
}

/// A drawing connects things: at least one arrow, or a box with an edge.
fn is_diagram(block: &Block) -> bool {
    let has = |marks: &[&str]| marks.iter().any(|it| block.text.contains(it));
    let is_drawn =
        has(&["->", "<-", "=>", "→", "←", "▶", "─", "│"]) || (has(&["+--"]) && has(&["|"]));
    block.is_code() && is_drawn && words(&block.text).nth(1).is_some()
}

fn typed(part: &Part<'_>, findings: &mut Findings) {
    let is_typed = |it: &Block| match &it.shape {
        Shape::Code => code_is_typed(&it.text),
        Shape::HeaderRow { cells } => cells.iter().any(|it| has_word(it, &["type", "types"])),
        _ => false,
    };
    let has_row = |it: &Block| matches!(it.shape, Shape::Row { .. });
    let has_rows = part.blocks.iter().any(has_row);
    let holds = |it: &Block| is_typed(it) && (it.is_code() || has_rows);
    if !part.blocks.iter().any(holds) {
        let what = "the interfaces have no typed data";
        let fix =
            "give the data shapes in a code block with types, or in a table with a column Type";
        findings.add("design.interfaces.typed", part.line, what, fix);
    }
}

fn code_is_typed(code: &str) -> bool {
    let says_type = |line: &str| {
        let after =
            line.split_once(':').map_or("", |(_, after)| after.trim_start_matches(':').trim());
        after.starts_with(|it: char| it.is_alphabetic() || "&[({\"".contains(it))
            || line.contains("->")
    };
    has_word(code, &TYPE_WORDS) || code.lines().any(says_type)
}

fn exempt(part: &Part<'_>, findings: &mut Findings) -> Vec<String> {
    let mut exempt = Vec::new();
    for point in part.points() {
        let (path, reason) = split_remark(point.head);
        let is_path = path.contains(['/', '.']) && !path.contains(char::is_whitespace);
        let reason = if is_path { reason } else { &point.text };
        if is_placeholder(reason) {
            let what = format!("the exception `{}` has no reason", shown(point.head));
            let fix = "write why the complexity is needed: `- path: reason`";
            findings.add("design.exception.reason", point.line, what, fix);
        } else if is_path {
            exempt.push(path.to_string());
        }
    }
    exempt
}

pub(crate) const KEY: &str = "design";
pub(crate) const FILE: &str = "design.md";
const COMPONENTS_WITHOUT_DIAGRAM_MAX: usize = 2;
const TYPE_WORDS: [&str; 12] = [
    "struct",
    "interface",
    "type",
    "enum",
    "class",
    "record",
    "message",
    "schema",
    "string",
    "integer",
    "boolean",
    "object",
];

pub(crate) const SECTIONS: [Required; 7] = [
    Required {
        names: &["Architecture"],
        condition: "design.section.architecture",
        none: NoneIs::Missing,
    },
    Required {
        names: &["Directory Structure"],
        condition: "design.section.directory-structure",
        none: NoneIs::Missing,
    },
    Required {
        names: &["Interfaces"],
        condition: "design.section.interfaces",
        none: NoneIs::Missing,
    },
    Required {
        names: &["External Integrations"],
        condition: "design.section.external-integrations",
        none: NoneIs::AnAnswer,
    },
    Required {
        names: &["Observability"],
        condition: "design.section.observability",
        none: NoneIs::Missing,
    },
    Required {
        names: &["Complexity Exceptions"],
        condition: "design.section.complexity-exceptions",
        none: NoneIs::AnAnswer,
    },
    Required {
        names: &["Open Questions"],
        condition: "design.section.open-questions",
        none: NoneIs::AnAnswer,
    },
];

pub(crate) const CONDITIONS: &[&str] = &[
    "design.architecture.components",
    "design.architecture.diagram",
    "design.directory.empty",
    "design.directory.parent",
    "design.directory.absolute",
    "design.directory.duplicate",
    "design.directory.inexact",
    "design.interfaces.typed",
    "design.integration.no-failure-handling",
    "design.observability.depth",
    "design.exception.reason",
    "design.question.open",
    "design.question.no-reason",
    "design.review.missing",
    "design.review.scenarios",
    "design.review.concerns",
];

#[cfg(test)]
mod tests;
