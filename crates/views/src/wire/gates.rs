//! What `gates` prints.

use serde::Serialize;

use super::{Cheat, CheckKind, FindingKind, NonEmptyText, Printed, Verdict};

/// `list`: the checks of the project, one value each. `try`: the result of one gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum GatesLine {
    Check(CheckRow),
    Report(GateReport),
}

/// One check of sealwright.toml.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckRow {
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[A-Za-z0-9_-]{1,64}$")))]
    pub name: String,
    pub kind: CheckKind,
    /// The gates that run the check.
    #[cfg_attr(feature = "schema", schemars(length(min = 1), extend("uniqueItems" = true)))]
    pub sets: Vec<CheckSet>,
    /// The program and its arguments; empty if the kind has its own command or runs none.
    pub command: Vec<NonEmptyText>,
    /// The time limit of each command, in seconds.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 86_400)))]
    pub timeout_s: u32,
    /// What a pass proves.
    pub proves: NonEmptyText,
    /// What the check needs.
    pub needs: NonEmptyText,
}

/// A gate that runs checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum CheckSet {
    Iteration,
    Exit,
}

/// The result of one gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateReport {
    /// The name of the check.
    pub gate: String,
    pub kind: CheckKind,
    pub verdict: Verdict,
    /// Why it is no pass, the main reason first.
    pub because: Vec<String>,
    pub tests: Vec<TestReport>,
    pub cheats: Vec<CheatFinding>,
    pub findings: Vec<Finding>,
    /// Tests of the project that it did not run, in a few words each.
    pub not_run: Vec<String>,
}

/// One test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestReport {
    /// A file, a class or an executable.
    pub suite: String,
    pub name: NonEmptyText,
    pub status: TestStatus,
    /// The message of the test runner, truncated.
    pub why: String,
    pub millis: Option<u64>,
}

/// The result of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum TestStatus {
    Passed,
    Failed,
    Broken,
    Skipped,
}

/// A trace that only a cheat leaves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheatFinding {
    pub cheat: Cheat,
    pub what: String,
}

/// A finding that a person has to review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    pub kind: FindingKind,
    pub rule: String,
    pub place: String,
    pub what: String,
}

impl Printed for GatesLine {}

impl From<&(sealwright_kernel::Cheat, String)> for CheatFinding {
    fn from((cheat, what): &(sealwright_kernel::Cheat, String)) -> Self {
        Self { cheat: (*cheat).into(), what: what.clone() }
    }
}
