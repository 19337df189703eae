//! The gate after Reconcile: the documents and the code agree again.
//!
//! ```text
//! only cosmetic drift, or none ─▶ CLEAN      structural drift ─▶ REPAIRED      drift against the spec ─▶ BLOCKED
//! ```

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::checks::Checks;
use super::{Evaluation, structure_differences};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReconcileFacts {
    /// The axes the report covers. The performer reads them from the report.
    pub axes: Option<BTreeSet<ReconcileAxis>>,
    /// Every inconsistency of the report. `None` if there is no report.
    pub drifts: Option<Vec<Drift>>,
}

/// One inconsistency between the documents and the code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Drift {
    pub what: String,
    /// Whether the code does something that scope.md does not ask for.
    pub outside_scope: Option<bool>,
    /// Whether a criterion cannot be fulfilled as the code is.
    pub criterion_impossible: Option<bool>,
    /// Whether an assumption of the tier does not hold.
    pub tier_broken: Option<bool>,
    /// Whether paths, interfaces, integrations, the stack or the deployment differ.
    pub structural: Option<bool>,
    /// Whether the document was repaired and log.md says so. The performer compares the documents and the log.
    pub annotated: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReconcileAxis {
    DirectoryStructure,
    Interfaces,
    AcceptanceCriteria,
    ExternalIntegrations,
    StackAndDeployment,
    LogAccuracy,
    Traceability,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriftClass {
    /// Fixed silently.
    Cosmetic,
    /// The document is repaired, because the code wins, and the log says so.
    Structural,
    /// A person decides.
    SpecViolating,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ReconcileOutcome {
    Clean,
    Repaired,
    Blocked,
}

/// The class of a drift. What could violate the spec and was not looked at is treated as if it did.
pub fn classify_drift(drift: &Drift) -> DriftClass {
    let against_spec = [drift.outside_scope, drift.criterion_impossible, drift.tier_broken];
    if against_spec.iter().any(|it| *it != Some(false)) {
        DriftClass::SpecViolating
    } else if drift.structural != Some(false) {
        DriftClass::Structural
    } else {
        DriftClass::Cosmetic
    }
}

/// What a reconcile ends with: the worst drift decides.
pub fn reconcile_outcome(drifts: &[Drift]) -> ReconcileOutcome {
    match drifts.iter().map(classify_drift).max() {
        None | Some(DriftClass::Cosmetic) => ReconcileOutcome::Clean,
        Some(DriftClass::Structural) => ReconcileOutcome::Repaired,
        Some(DriftClass::SpecViolating) => ReconcileOutcome::Blocked,
    }
}

pub fn reconcile(facts: &ReconcileFacts) -> Evaluation {
    let mut checks = Checks::new("reconcile facts");
    let covered = facts.axes.as_ref();
    let covered = covered.map(|it| ReconcileAxis::ALL.iter().all(|axis| it.contains(axis)));
    checks.check(
        "reconcile.axes",
        covered,
        "the report does not cover all seven axes",
        "compare the missing axes",
    );
    let of = |class: DriftClass| {
        let drifts = facts.drifts.as_ref()?.iter();
        Some(drifts.filter(move |it| classify_drift(it) == class))
    };
    let violating = of(DriftClass::SpecViolating).map(|it| it.map(|it| it.what.as_str()).collect());
    checks.none_of(
        "reconcile.spec",
        violating,
        "drift against the spec",
        "ask a person: accept the scope change, revert the code, or split it into separate scope items",
    );
    let silent = of(DriftClass::Structural)
        .map(|it| it.filter(|it| it.annotated != Some(true)).map(|it| it.what.as_str()).collect());
    checks.none_of(
        "reconcile.annotated",
        silent,
        "structural drift that is not repaired and logged",
        "repair the document and add a line to log.md",
    );
    checks.finish()
}

/// Whether the code stands where the design says, as the design is by now: the files of the tree against its exact list.
pub fn reconcile_structure(
    designed_files: &[String],
    designed_directories: &[String],
    files: &[String],
) -> Evaluation {
    let mut checks = Checks::new("design and code");
    let differences = structure_differences(designed_files, designed_directories, files);
    checks.none_of(
        "reconcile.structure",
        Some(differences.iter().map(String::as_str).collect()),
        "the tree differs from the design",
        "list the files of the tree in the section Directory Structure of design.md",
    );
    checks.finish()
}

impl ReconcileAxis {
    pub const ALL: [Self; 7] = [
        Self::DirectoryStructure,
        Self::Interfaces,
        Self::AcceptanceCriteria,
        Self::ExternalIntegrations,
        Self::StackAndDeployment,
        Self::LogAccuracy,
        Self::Traceability,
    ];
}

#[cfg(test)]
mod tests;
