//! `readiness.md`: whether everything is known that building needs.
//!
//! Eight sections. The forms a reader relies on:
//!
//! - Verdict: `READY` or `NOT READY`, alone in its first paragraph or list item.
//! - Key Links: `- AC-1: design …; test …; proof …`, or a table with the columns AC, Design, Test, Proof.
//! - Acceptance Criteria Coverage: the same with test and proof.
//! - Clarifications Needed: as in `scope.md`; an open one says `changes pass/fail: yes` or `no`.
//! - Build Order: list items that begin with ids: `1. AC-2, AC-1: …`. Items without ids are steps of another kind.

mod links;
mod truths;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, Findings};
use crate::ids;
use crate::markdown::{self, NoneIs, Part, Required};
use crate::scope::{self, Clarification};
use crate::text::{listed, shown};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Readiness {
    pub verdict: Option<Verdict>,
    pub truths: Vec<String>,
    pub links: Vec<Link>,
    /// The planned test and runtime proof of each criterion.
    pub coverage: Vec<Link>,
    pub clarifications: Vec<Clarification>,
    /// The criteria in the order in which they are built.
    pub build_order: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    Ready,
    NotReady,
}

/// What a criterion is tied to. A field is empty if the document does not say it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    pub criterion: String,
    pub design: String,
    pub test: String,
    pub proof: String,
    pub line: u32,
}

/// Reads `readiness.md` against the criteria of the scope.
pub fn read(text: Option<&str>, criteria: &[String]) -> (Readiness, Vec<Finding>) {
    let mut findings = Findings::new(KEY, FILE);
    let mut readiness = Readiness::default();
    let Some(document) = markdown::read(text, &mut findings) else {
        return (readiness, findings.finish());
    };
    let [verdict, truths, key_links, coverage, _, clarifications, order, _] =
        SECTIONS.each_ref().map(|it| document.require(it, &mut findings));
    readiness.verdict = verdict.and_then(|it| read_verdict(&it, &mut findings));
    if let Some(part) = clarifications {
        readiness.clarifications = scope::read_clarifications(&part);
        open_clarifications(&readiness.clarifications, &mut findings);
    }
    if let Some(part) = truths {
        readiness.truths = truths::read(&part, &readiness.clarifications, &mut findings);
    }
    if let Some(part) = key_links {
        readiness.links = links::read(&part, &links::KEY_LINKS, criteria, &mut findings);
    }
    if let Some(part) = coverage {
        readiness.coverage = links::read(&part, &links::COVERAGE, criteria, &mut findings);
    }
    if let Some(part) = order {
        readiness.build_order = build_order(&part, criteria, &mut findings);
    }
    (readiness, findings.finish())
}

/// The criterion of the next slice: the first of the build order that is not done.
pub fn next_slice<'o>(build_order: &'o [String], done: &BTreeSet<String>) -> Option<&'o str> {
    build_order.iter().find(|it| !done.contains(*it)).map(String::as_str)
}

fn read_verdict(part: &Part<'_>, findings: &mut Findings) -> Option<Verdict> {
    let first = part.said().next()?;
    match first.text.trim() {
        "READY" => Some(Verdict::Ready),
        "NOT READY" => {
            let what = "the verdict is NOT READY";
            let fix = "repair what the document names as missing, then set the verdict to READY";
            findings.add("readiness.verdict.not-ready", first.line, what, fix);
            Some(Verdict::NotReady)
        }
        other => {
            let what = format!("`{}` is not a verdict", shown(other));
            let fix = "write READY or NOT READY alone in the first paragraph of the section";
            findings.add("readiness.verdict.unreadable", first.line, what, fix);
            None
        }
    }
}

fn open_clarifications(clarifications: &[Clarification], findings: &mut Findings) {
    for it in clarifications.iter().filter(|it| !it.is_resolved) {
        let text = shown(&it.text);
        match it.changes_verdict {
            Some(false) => {}
            Some(true) => {
                let what = format!("`{text}` is open and changes what passes");
                let fix = "ask a person and write the answer as `resolved: …`";
                findings.add("readiness.clarification.open", it.line, what, fix);
            }
            None => {
                let what = format!("`{text}` does not say whether it changes what passes");
                let fix = "add `changes pass/fail: yes` or `changes pass/fail: no`";
                findings.add("readiness.clarification.unmarked", it.line, what, fix);
            }
        }
    }
}

fn build_order(part: &Part<'_>, criteria: &[String], findings: &mut Findings) -> Vec<String> {
    let mut lines: BTreeMap<&str, u32> = BTreeMap::new();
    let mut order = Vec::new();
    let known: BTreeSet<&str> = criteria.iter().map(String::as_str).collect();
    for block in part.blocks.iter().filter(|it| it.is_item()) {
        for id in ids::criteria(&block.text) {
            if let Some(first) = lines.get(id) {
                let what = format!("{id} is in the build order twice, first on line {first}");
                findings.add("readiness.order.duplicate", block.line, what, "keep one of the two");
                continue;
            }
            lines.insert(id, block.line);
            if !known.contains(id) {
                let what = format!("the build order names {id}, which is no criterion of scope.md");
                let fix = "use the ids of scope.md";
                findings.add("readiness.order.unknown", block.line, what, fix);
                continue;
            }
            order.push(id.to_string());
        }
    }
    let missing = criteria.iter().map(String::as_str).filter(|it| !lines.contains_key(it));
    let missing: Vec<&str> = missing.collect();
    if !missing.is_empty() {
        let what = format!("the build order leaves out {}", listed(missing));
        let fix = "add the missing criteria where they are built: `3. AC-7: …`";
        findings.add("readiness.order.missing", part.line, what, fix);
    }
    order
}

pub(crate) const KEY: &str = "readiness";
pub(crate) const FILE: &str = "readiness.md";

pub(crate) const SECTIONS: [Required; 8] = [
    Required { names: &["Verdict"], condition: "readiness.section.verdict", none: NoneIs::Missing },
    Required { names: &["Truths"], condition: "readiness.section.truths", none: NoneIs::Missing },
    Required {
        names: &["Key Links"],
        condition: "readiness.section.key-links",
        none: NoneIs::Missing,
    },
    Required {
        names: &["Acceptance Criteria Coverage"],
        condition: "readiness.section.acceptance-criteria-coverage",
        none: NoneIs::Missing,
    },
    Required {
        names: &["Scope Reduction Risks"],
        condition: "readiness.section.scope-reduction-risks",
        none: NoneIs::AnAnswer,
    },
    Required {
        names: &["Clarifications Needed"],
        condition: "readiness.section.clarifications-needed",
        none: NoneIs::AnAnswer,
    },
    Required {
        names: &["Build Order"],
        condition: "readiness.section.build-order",
        none: NoneIs::Missing,
    },
    Required {
        names: &["Complexity Exceptions"],
        condition: "readiness.section.complexity-exceptions",
        none: NoneIs::AnAnswer,
    },
];

pub(crate) const CONDITIONS: &[&str] = &[
    "readiness.verdict.not-ready",
    "readiness.verdict.unreadable",
    "readiness.truth.unsettled",
    "readiness.truth.clarification",
    "readiness.link.missing",
    "readiness.link.design",
    "readiness.link.test",
    "readiness.link.proof",
    "readiness.link.unknown",
    "readiness.link.duplicate",
    "readiness.coverage.missing",
    "readiness.coverage.test",
    "readiness.coverage.proof",
    "readiness.coverage.unknown",
    "readiness.coverage.duplicate",
    "readiness.clarification.open",
    "readiness.clarification.unmarked",
    "readiness.order.missing",
    "readiness.order.unknown",
    "readiness.order.duplicate",
];

#[cfg(test)]
mod tests;
