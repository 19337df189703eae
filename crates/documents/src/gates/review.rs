//! The gate after Review, from the report of the reviewer and the digests of the trees.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Evaluation;
use super::checks::{Checks, same};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewFacts {
    /// The axes the report covers. The performer reads them from the report.
    pub axes: Option<BTreeSet<ReviewAxis>>,
    /// The explicit checks the report contains.
    pub checks: Option<BTreeSet<ReviewCheck>>,
    /// Every finding of every review round. `None` if there is no report.
    pub findings: Option<Vec<ReviewFinding>>,
    /// The digest of the tree that the build gate passed on.
    pub build_tree: Option<String>,
    /// The digest of the tree as it is now, after all review fixes.
    pub tree: Option<String>,
    /// Concerns about dead code, dependencies and fidelity to the scope. `None` if there is no report.
    pub concerns: Option<Vec<Concern>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewAxis {
    Correctness,
    Readability,
    Architecture,
    Security,
    Performance,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewCheck {
    ScopeReduction,
    PlaceholderBehaviour,
    Traceability,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewFinding {
    pub id: String,
    pub severity: ReviewSeverity,
    /// Whether the proof of the fix was run and passed. `None` if it was not run.
    pub is_fixed: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewSeverity {
    Critical,
    Required,
    Optional,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Concern {
    pub what: String,
    pub disposition: Disposition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disposition {
    Resolved,
    Documented,
    Open,
}

pub fn review(facts: &ReviewFacts) -> Evaluation {
    let mut checks = Checks::new("review facts");
    let covered =
        facts.axes.as_ref().map(|it| ReviewAxis::ALL.iter().all(|axis| it.contains(axis)));
    checks.check(
        "review.axes",
        covered,
        "the report does not cover all five axes",
        "review the missing axes",
    );
    let made =
        facts.checks.as_ref().map(|it| ReviewCheck::ALL.iter().all(|check| it.contains(check)));
    checks.check(
        "review.checks",
        made,
        "the report lacks a check for scope reduction, placeholders or traceability",
        "make the missing checks",
    );
    let is_open =
        |it: &&ReviewFinding| it.severity < ReviewSeverity::Optional && it.is_fixed != Some(true);
    let names = facts.findings.as_ref().map(|it| it.iter().filter(is_open));
    let names = names.map(|it| it.map(|it| it.id.as_str()).collect());
    checks.none_of(
        "review.findings",
        names,
        "open Critical or Required findings",
        "fix one reproduced finding at a time",
    );
    checks.check(
        "review.build-evidence",
        same(facts.build_tree.as_ref(), facts.tree.as_ref()),
        "the tree changed after the build gate passed",
        "run the build gate again on the changed tree",
    );
    let is_open = |it: &&Concern| it.disposition == Disposition::Open;
    let open = facts.concerns.as_ref().map(|it| it.iter().filter(is_open));
    let open = open.map(|it| it.map(|it| it.what.as_str()).collect());
    checks.none_of("review.concerns", open, "open concerns", "resolve or document each");
    checks.finish()
}

impl ReviewAxis {
    pub const ALL: [Self; 5] = [
        Self::Correctness,
        Self::Readability,
        Self::Architecture,
        Self::Security,
        Self::Performance,
    ];
}

impl ReviewCheck {
    pub const ALL: [Self; 3] =
        [Self::ScopeReduction, Self::PlaceholderBehaviour, Self::Traceability];
}

#[cfg(test)]
mod tests;
