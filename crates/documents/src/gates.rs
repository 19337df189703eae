//! The gates: one function for each phase, from document texts or from facts that the performer measured.
//!
//! A condition holds, does not hold, or cannot be told. An evaluation passes only if every condition holds: a fact that
//! was not measured, or an empty list of facts, is never a pass.

mod build;
mod checks;
mod deploy;
mod documents;
mod fixes;
mod reconcile;
mod review;
mod verify;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;

pub use build::{Audit, BuildFacts, RedTest, TestRun, build, structure_differences};
pub use deploy::{DeployFacts, deploy};
pub use documents::{Texts, analyze, design, expand, expand_further, iterate};
pub use fixes::{FixKind, classify_fix};
pub use reconcile::{
    Drift, DriftClass, ReconcileAxis, ReconcileFacts, ReconcileOutcome, classify_drift, reconcile,
    reconcile_outcome, reconcile_structure,
};
pub use review::{
    Concern, Disposition, ReviewAxis, ReviewCheck, ReviewFacts, ReviewFinding, ReviewSeverity,
    review,
};
pub use verify::{Evidence, SecurityScan, VerifyFacts, verify};

/// What a gate found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evaluation {
    pub conditions: Vec<Condition>,
    pub findings: Vec<Finding>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    pub id: Cow<'static, str>,
    /// `None` if it cannot be told.
    pub held: Option<bool>,
}

impl Evaluation {
    /// Whether the gate holds: there are conditions, every one holds, and nothing was found.
    pub fn passes(&self) -> bool {
        let all_held = self.conditions.iter().all(|it| it.held == Some(true));
        !self.conditions.is_empty() && all_held && self.findings.is_empty()
    }

    /// The ids of the conditions that do not hold or cannot be told.
    pub fn failing(&self) -> impl Iterator<Item = &str> {
        self.conditions.iter().filter(|it| it.held != Some(true)).map(|it| it.id.as_ref())
    }
}

#[cfg(test)]
mod tests;
