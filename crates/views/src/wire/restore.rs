//! What `restore` prints.

use serde::Serialize;

use super::{Commit, Digest, Printed, Seq, TaskId};

/// A tree of a task, restored as a commit. One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RestoredTree {
    pub task: TaskId,
    /// The new branch.
    #[cfg_attr(
        feature = "schema",
        schemars(regex(
            pattern = "^sealwright/restored/T-[A-Za-z0-9._-]{0,125}[A-Za-z0-9]-[1-9][0-9]*$"
        ))
    )]
    pub branch: String,
    pub commit: Commit,
    pub tree: Digest,
    /// The record after which the task had this tree.
    pub after: Seq,
}

impl Printed for RestoredTree {}
