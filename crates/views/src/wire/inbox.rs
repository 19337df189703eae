//! What `inbox` prints.

use serde::Serialize;

use super::{NonEmptyText, Printed, Question, TaskId};

/// One open question. One value each, the lowest confidence first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InboxItem {
    pub task: TaskId,
    /// The title of the task.
    pub title: NonEmptyText,
    pub question: Question,
}

impl Printed for InboxItem {}
