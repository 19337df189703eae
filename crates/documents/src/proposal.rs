//! The proposal of an iteration: what could be built next, and what that costs.
//!
//! Five sections. Each change is a list item that begins with an id, most important first: `1. CH-1: …`. Architecture
//! Impact begins with `none`, `shallow` or `full`, which is how deep the design phase goes.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, Findings};
use crate::ids;
use crate::markdown::{self, NoneIs, Part, Required};
use crate::preferences::first_text;
use crate::text::{is_placeholder, shown, words};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    pub summary: String,
    /// Most important first.
    pub changes: Vec<Change>,
    pub impact: Option<ArchitectureImpact>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    pub id: String,
    pub text: String,
    pub line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArchitectureImpact {
    /// The existing design holds; the design phase is skipped.
    None,
    Shallow,
    Full,
}

/// Reads an iteration proposal.
pub fn read(text: Option<&str>) -> (Proposal, Vec<Finding>) {
    let mut findings = Findings::new(KEY, FILE);
    let mut proposal = Proposal::default();
    if let Some(document) = markdown::read(text, &mut findings) {
        let [summary, changes, impact, _, _] =
            SECTIONS.each_ref().map(|it| document.require(it, &mut findings));
        proposal.summary = summary.map(|it| first_text(&it)).unwrap_or_default();
        proposal.changes = changes.map(|it| read_changes(&it, &mut findings)).unwrap_or_default();
        proposal.impact = impact.and_then(|it| read_impact(&it, &mut findings));
    }
    (proposal, findings.finish())
}

fn read_changes(part: &Part<'_>, findings: &mut Findings) -> Vec<Change> {
    let mut seen = BTreeSet::new();
    let mut changes = Vec::new();
    for block in part.blocks.iter().filter(|it| it.is_top_item()) {
        let Some((id, text)) = ids::leading(&block.text).filter(|(_, text)| !is_placeholder(text))
        else {
            let what = format!("the change `{}` has no id or no text", shown(&block.text));
            let fix = "begin each change with an id: `1. CH-1: …`";
            findings.add("proposal.change.id", block.line, what, fix);
            continue;
        };
        if !seen.insert(id.to_ascii_uppercase()) {
            let what = format!("the id {id} is used by another change");
            findings.add("proposal.change.duplicate", block.line, what, "give it an id of its own");
        }
        changes.push(Change { id: id.to_string(), text: text.to_string(), line: block.line });
    }
    if changes.is_empty() {
        let what = "the proposal lists no change";
        let fix = "list the changes by priority: `1. CH-1: …`";
        findings.add("proposal.changes.none", part.line, what, fix);
    }
    changes
}

fn read_impact(part: &Part<'_>, findings: &mut Findings) -> Option<ArchitectureImpact> {
    let first = part.said().next()?;
    let impact = match words(&first.text).next().as_deref() {
        Some("none") => Some(ArchitectureImpact::None),
        Some("shallow") => Some(ArchitectureImpact::Shallow),
        Some("full") => Some(ArchitectureImpact::Full),
        _ => None,
    };
    if impact.is_none() {
        let what =
            format!("`{}` does not say how deep the architecture changes", shown(&first.text));
        let fix = "begin the section with one of none, shallow or full";
        findings.add("proposal.impact", first.line, what, fix);
    }
    impact
}

pub(crate) const KEY: &str = "proposal";
pub(crate) const FILE: &str = "proposal.md";

pub(crate) const SECTIONS: [Required; 5] = [
    Required { names: &["Summary"], condition: "proposal.section.summary", none: NoneIs::Missing },
    Required {
        names: &["Prioritised Changes", "Prioritized Changes"],
        condition: "proposal.section.prioritised-changes",
        none: NoneIs::Missing,
    },
    Required {
        names: &["Architecture Impact"],
        condition: "proposal.section.architecture-impact",
        none: NoneIs::AnAnswer,
    },
    Required {
        names: &["Risk Assessment"],
        condition: "proposal.section.risk-assessment",
        none: NoneIs::Missing,
    },
    Required {
        names: &["Recommended Approach"],
        condition: "proposal.section.recommended-approach",
        none: NoneIs::Missing,
    },
];

pub(crate) const CONDITIONS: &[&str] = &[
    "proposal.changes.none",
    "proposal.change.id",
    "proposal.change.duplicate",
    "proposal.impact",
];

#[cfg(test)]
mod tests;
