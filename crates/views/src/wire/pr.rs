//! What `pr` prints.

use serde::Serialize;

use super::{Branch, NonEmptyText, Printed};

/// The pull request of a finished task. One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PullRequestView {
    /// One line.
    pub title: NonEmptyText,
    /// Markdown; the last paragraph holds the trailers of a commit.
    pub body: NonEmptyText,
    /// The branch of the task.
    pub branch: Branch,
    /// The target branch, if it was given or the clone knows the default branch of the remote.
    pub base: Option<NonEmptyText>,
}

impl Printed for PullRequestView {}
