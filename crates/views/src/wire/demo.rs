//! What `demo` prints.

use serde::Serialize;

use super::{Branch, CleanRoomLanguage, NonEmptyText, Printed, TaskId};

/// The results of the demonstration. One value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DemoReport {
    /// The folder of the demonstration.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^/")))]
    pub folder: String,
    /// The language of the demonstration's project.
    pub language: CleanRoomLanguage,
    pub honest: HonestRun,
    pub cheat: CheatRun,
    /// Whether `verify` found nothing before a byte was changed.
    pub proven: bool,
    /// What `verify` found after a byte was changed.
    pub changed: Option<TamperFinding>,
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub seconds: f64,
    /// Whether every step ended as expected.
    pub as_promised: bool,
}

/// The run of the honest builder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HonestRun {
    pub task: TaskId,
    pub branch: Branch,
    /// The path of the evidence page.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"evidence\.html$")))]
    pub evidence: String,
}

/// The run of the builder that cheats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheatRun {
    pub task: TaskId,
    /// The first line of the hold-out test that caught the cheat.
    pub caught: Option<String>,
}

/// What `verify` found after a byte was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TamperFinding {
    pub object: NonEmptyText,
    pub finding: NonEmptyText,
}

impl Printed for DemoReport {}
