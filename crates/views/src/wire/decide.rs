//! What `approve`, `decline`, `resolve`, `note`, `heal`, `adopt`, `check` and `acknowledge` print.

use serde::Serialize;

use super::{Anchor, Digest, Head, NonEmptyText, Phase, Printed, Question, Status, TaskId};

/// The task after the command. One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskReport {
    pub task: TaskId,
    pub status: Status,
    pub phase: Option<Phase>,
    pub head: Head,
    /// Hand edits of the task's files that the command found.
    pub notices: Vec<Notice>,
    /// The value of the commit trailer `Sealwright-Stream`, once the stream of the task has ended.
    pub anchor: Option<Anchor>,
    /// The open question, if there is one.
    pub question: Option<Question>,
    /// Why the files of the task could not be written. The decision is recorded all the same.
    pub unwritten: Option<NonEmptyText>,
}

/// A hand edit of a task's files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Notice {
    /// A view was edited. The edit is kept aside and never becomes state.
    ViewEdited {
        /// The file name in the task's folder.
        view: NonEmptyText,
        /// The edited file, in the store.
        kept: Digest,
        /// The lines that became notes.
        notes: Vec<NonEmptyText>,
        /// The places that were restored.
        ignored: Vec<String>,
    },
    /// A context snapshot was edited. It is restored, and red until a person acknowledges it.
    SnapshotTampered {
        /// The file name in the folder of snapshots.
        snapshot: NonEmptyText,
        /// The edited file, in the store.
        kept: Digest,
    },
    /// TASK.md was edited. A person has to adopt the edit or to revert it.
    TextDrifted {
        /// The digest of the edited text.
        found: Digest,
    },
    /// TASK.md again equals the adopted text.
    TextRestored,
}

impl Printed for TaskReport {}

impl From<&sealwright_kernel::task::Notice> for Notice {
    fn from(notice: &sealwright_kernel::task::Notice) -> Self {
        use sealwright_kernel::task::Notice as Kernel;
        match notice {
            Kernel::ViewEdited { view, kept, notes, ignored } => Self::ViewEdited {
                view: view.into(),
                kept: (*kept).into(),
                notes: notes.iter().map(NonEmptyText::from).collect(),
                ignored: ignored.clone(),
            },
            Kernel::SnapshotTampered { snapshot, kept } => {
                Self::SnapshotTampered { snapshot: snapshot.into(), kept: (*kept).into() }
            }
            Kernel::TextDrifted { found } => Self::TextDrifted { found: (*found).into() },
            Kernel::TextRestored => Self::TextRestored,
        }
    }
}
