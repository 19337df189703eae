//! What `evaluate` prints.

use serde::Serialize;

use super::{
    CheatFinding, CheckKind, CleanRoomLanguage, Commit, Finding, NonEmptyText, Printed, Verdict,
};

/// What the gates would have said about past changes: one value per change, the newest first, then a summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum EvaluateLine {
    Change(Box<ChangeReport>),
    Summary(EvaluateSummary),
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangeReport {
    /// The commit after the change.
    pub commit: Commit,
    /// The commit before the change.
    pub before: Commit,
    /// The first line of the commit message.
    pub subject: String,
    pub came: Arrival,
    pub fate: Fate,
    /// Why it would have been stopped, could not be evaluated or had nothing to check, the main reason first; otherwise empty.
    pub why: Vec<String>,
    /// The test results, per language.
    pub suites: Vec<SuiteCounts>,
    /// Tests that check less than before.
    pub lost: Vec<LostTest>,
    /// Changes of guarded files and tests that had to be declared first.
    pub declare: Vec<UndeclaredChange>,
    /// The tests that the change adds.
    pub proof: Vec<NewTest>,
    pub cheats: Vec<CheatFinding>,
    pub findings: Vec<Finding>,
    /// The results of mutation testing, per language.
    pub strength: Vec<StrengthReport>,
    /// Tests that failed once and passed when they were run again.
    pub flaky: Vec<String>,
    /// The other checks of the project.
    pub checks: Vec<CheckReport>,
}

/// How a change arrived on the branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Arrival {
    Merged,
    Committed,
}

/// What the gates would have decided. `nothing`: the change touches nothing that a gate checks. `not_reached`: the time
/// was up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Fate {
    Passed,
    Stopped,
    CannotTell,
    Nothing,
    NotReached,
}

/// The test results of one language, before and after the change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SuiteCounts {
    pub language: CleanRoomLanguage,
    pub before: TestCounts,
    pub now: TestCounts,
}

/// The results of a test suite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestCounts {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

/// A test that checks less than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LostTest {
    pub test: String,
    pub how: LostHow,
}

/// In which way a test checks less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum LostHow {
    Weakened,
    Removed,
    Undiscovered,
    Skipped,
}

/// A change that had to be declared first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UndeclaredChange {
    /// The file, or the test as `file::name`.
    pub path: NonEmptyText,
    pub guard: DeclarableKind,
    pub what: ChangeWhat,
}

/// The kind of a guarded file or test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum DeclarableKind {
    Test,
    FrozenTest,
    Contract,
    GateConfiguration,
    ContinuousIntegration,
    TestHelper,
    Manifest,
    Lock,
    StartUpHook,
    ToolConfiguration,
}

/// What happened to a file or test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ChangeWhat {
    Edited,
    Removed,
    Added,
}

/// A test that the change adds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewTest {
    pub test: String,
    pub end: NewTestEnd,
    /// What the test asserts, if it cannot fail; otherwise empty.
    pub what: String,
}

/// How the test ends without the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum NewTestEnd {
    Red,
    Missing,
    Green,
    CannotFail,
    Unclear,
}

/// The result of mutation testing for one language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StrengthReport {
    pub language: CleanRoomLanguage,
    pub verdict: Verdict,
    pub because: Vec<String>,
    /// Mutants that a test killed.
    pub killed: u64,
    /// Mutants that do not compile.
    pub unviable: u64,
    /// Mutants without a result.
    pub unknown: u64,
    /// Mutants that were not run for lack of time.
    pub untried: u64,
    /// Mutants that no test killed.
    pub survivors: Vec<MutantSurvivor>,
}

/// A mutant that no test killed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MutantSurvivor {
    /// The place and the change.
    pub mutant: String,
    /// The change as a unified diff.
    pub difference: String,
}

/// The result of another check of the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckReport {
    pub name: String,
    pub kind: CheckKind,
    pub verdict: Verdict,
    /// The result before the change, if the check was run there.
    pub before: Option<Verdict>,
    pub because: Vec<String>,
}

/// All changes, in numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvaluateSummary {
    pub changes: u64,
    pub passed: u64,
    pub stopped: u64,
    pub cannot_tell: u64,
    /// Changes that touch nothing a gate checks.
    pub nothing: u64,
    /// Changes that were not evaluated for lack of time.
    pub not_reached: u64,
    /// Mutants that a test killed.
    pub killed: u64,
    /// Mutants with a result.
    pub mutants: u64,
    /// Tests of the project that were not run, in a few words each.
    pub not_run: Vec<String>,
}

impl Printed for EvaluateLine {}
