//! What `status` prints.

use serde::Serialize;

use super::{
    Condition, Cost, Head, Lane, NonEmptyText, Phase, Printed, Question, Status, TaskId, Timestamp,
    WriterPlace,
};

/// One task. One value each, ordered by id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatusRow {
    pub task: TaskId,
    pub condition: Condition,
    /// Whether a process is working on the task. If none is and the status is in progress, the task is paused.
    pub writer: WriterPlace,
    pub head: Option<Head>,
    /// The task; null if its stream is damaged or written by a newer version.
    pub row: Option<TaskRow>,
}

/// A task in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskRow {
    /// The title of the task.
    pub title: NonEmptyText,
    pub status: Status,
    pub phase: Option<Phase>,
    /// The number of the attempt; 0 before the first.
    pub attempt: u32,
    pub lane: Lane,
    /// When its last record was written.
    pub at: Timestamp,
    pub question: Option<Question>,
    /// Whether it has criteria and every criterion cites how it is verified.
    pub goal_ready: bool,
    /// What a person has to look at: an edited TASK.md that was not adopted, tampered snapshots.
    pub red: Vec<NonEmptyText>,
    /// The cost of all role calls.
    pub spent: Cost,
}

impl Printed for StatusRow {}
