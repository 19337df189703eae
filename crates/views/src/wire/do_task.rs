//! What `do` prints.

use serde::Serialize;

use super::{Branch, CostReport, Phase, Printed, Question, Status, TaskId, Timestamp};

/// How a run of a task ended. One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunReport {
    pub task: TaskId,
    pub ended: RunEnd,
    pub status: Status,
    pub phase: Option<Phase>,
    /// The branch, once the work is proven.
    pub branch: Option<Branch>,
    /// The number of gates that passed on the verified tree.
    pub gates_passed: u64,
    /// The number of confirmed cheats, in all attempts.
    pub cheats: u32,
    /// The key that signed the statements, abbreviated.
    pub signed: Option<String>,
    /// The open question, if there is one.
    pub question: Option<Question>,
    /// The effects that failed too often.
    pub stalled: Vec<StalledEffect>,
    /// When the task can continue, if a rate limit parked it.
    pub until: Option<Timestamp>,
    /// The cost so far.
    pub bill: CostReport,
}

/// How a run ended: proven and kept on a branch, abandoned, waiting for the approval of a contract or of finished work,
/// halted until a person decides, parked, or stalled because an effect failed too often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum RunEnd {
    Kept,
    GivenUp,
    Asked,
    Halted,
    Parked,
    Stalled,
}

/// An effect that failed too often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StalledEffect {
    /// The id of the effect.
    pub effect: String,
    pub why: String,
}

impl Printed for RunReport {}
