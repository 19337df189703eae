//! What `new` prints.

use serde::Serialize;

use super::{NonEmptyText, Printed, TaskId};

/// The created task. One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CreatedTask {
    pub task: TaskId,
    pub title: NonEmptyText,
    /// The path of its text, below the root of the repository.
    #[cfg_attr(
        feature = "schema",
        schemars(regex(
            pattern = r"^\.sealwright/tasks/T-[A-Za-z0-9._-]{0,125}[A-Za-z0-9]/TASK\.md$"
        ))
    )]
    pub text: String,
    /// Why the files of the task could not be written. The task exists all the same.
    pub unwritten: Option<NonEmptyText>,
}

impl Printed for CreatedTask {}
