//! Errors about tasks.

use std::path::{Path, PathBuf};

use sealwright_host::{HostError, ReportError};
use sealwright_kernel::task;
use sealwright_store::{BlobError, JournalError};
use sealwright_views::task_file::TaskFileError;

/// Something people wanted of a task that could not be done.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// There is no such task.
    #[error("there is no task `{task}`")]
    NoTask {
        /// What was named.
        task: String,
    },
    /// The rules do not allow it. Nothing has changed.
    #[error(transparent)]
    Refused(task::Rejected),
    /// The journal could not be used, so nothing has changed.
    #[error(transparent)]
    Host(#[from] HostError),
    /// It could not be made durable, so it does not count.
    #[error("it could not be made durable: {why}")]
    NotDurable {
        /// What the journal said.
        why: String,
        /// What can be done about it.
        hint: Option<String>,
    },
    /// Content could not be kept.
    #[error("the store could not be used")]
    Blob(#[from] BlobError),
    /// A task file that cannot be understood.
    #[error(transparent)]
    File(#[from] TaskFileError),
    /// A task without its text.
    #[error("{} is not there", shown(.path))]
    NoText {
        /// Where it should stand.
        path: PathBuf,
    },
    /// A task's text is no text.
    #[error("TASK.md is not UTF-8")]
    NotText,
    /// A file could not be read or written.
    #[error("could not {what}")]
    Io {
        /// What was tried.
        what: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// No name was left for a new task.
    #[error("no name could be found for the task")]
    NoName,
}

impl TaskError {
    pub(crate) fn io(what: &str, path: &Path, source: std::io::Error) -> Self {
        Self::Io { what: format!("{what} {}", shown(path)), source }
    }

    /// What a person can do about it, in one sentence, if anything.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoTask { .. } => "`sealwright status` lists the tasks",
            Self::Refused(rejected) => return refused_hint(rejected).map(str::to_owned),
            Self::Host(error) => return error.hint(),
            Self::NotDurable { hint, .. } => return hint.clone(),
            Self::Blob(BlobError::Changed { .. } | BlobError::Missing { .. }) => {
                "`sealwright verify` says what is not as it was accepted"
            }
            Self::Blob(BlobError::Store { .. }) => "see that the disk has room and can be written",
            Self::File(error) => error.hint,
            Self::NoText { .. } => "`sealwright check TASK` writes it again from the store",
            Self::NotText => "save it as UTF-8",
            Self::Io { .. } => "see that it is a plain file of no great size that can be written",
            Self::NoName => "try again",
        };
        Some(hint.to_owned())
    }
}

impl From<JournalError> for TaskError {
    fn from(error: JournalError) -> Self {
        Self::Host(error.into())
    }
}

impl From<ReportError<task::Rejected>> for TaskError {
    fn from(error: ReportError<task::Rejected>) -> Self {
        match error {
            ReportError::Rejected(rejected) => Self::Refused(rejected),
            ReportError::NotDurable { why, hint } => Self::NotDurable { why, hint },
            ReportError::Forged => Self::Refused(task::Rejected::NotAPerson),
            ReportError::Stopped => {
                Self::NotDurable { why: "the host has stopped".to_owned(), hint: None }
            }
        }
    }
}

fn refused_hint(rejected: &task::Rejected) -> Option<&'static str> {
    use task::Rejected;
    match rejected {
        Rejected::Stale | Rejected::OtherItem => {
            Some("`sealwright inbox` shows what is asked now; decide about that")
        }
        Rejected::Unguarded => {
            Some("set `autonomy: conservative` in the task's TASK.md, then `sealwright adopt` it")
        }
        Rejected::Unadopted => Some("`sealwright adopt TASK` takes it over; git can put it back"),
        Rejected::NotAdmitted { .. } => Some("`sealwright show TASK` lists what is admitted"),
        Rejected::NoReason => Some("say why with --because"),
        Rejected::Over => Some("create a new task; this one is closed"),
        Rejected::Charter { .. } => {
            Some("name at least one check in sealwright.toml; `sealwright init` writes one")
        }
        Rejected::NotAPerson => Some("decisions are made by people, from their own terminal"),
        Rejected::Unusable(_) => Some("`sealwright resolve --help` shows each payload"),
        Rejected::SpentAlready { .. } => {
            Some("`sealwright budget TASK` shows what was spent; name more than that")
        }
        Rejected::NoAmount => Some("`sealwright budget TASK --dollars …` raises it"),
        Rejected::NotCreated
        | Rejected::AlreadyCreated
        | Rejected::NotPending
        | Rejected::NotOwed { .. }
        | Rejected::NoAnswer { .. }
        | Rejected::NoSlice
        | Rejected::Slice(_)
        | Rejected::Unsupported(_)
        | Rejected::OtherTree
        | Rejected::NothingToHeal
        | Rejected::Known
        | Rejected::SpentBefore { .. }
        | Rejected::TooMuch { .. } => None,
    }
}

/// A path as people write it: from `.sealwright` on.
fn shown(path: &Path) -> String {
    let all: Vec<_> = path.components().collect();
    let from = all.iter().position(|part| part.as_os_str() == ".sealwright").unwrap_or(0);
    all[from..].iter().collect::<PathBuf>().display().to_string()
}

/// An error with everything behind it, in one line.
pub fn whole(error: &dyn std::error::Error) -> String {
    let mut told = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        told = format!("{told}: {cause}");
        source = cause.source();
    }
    told
}
