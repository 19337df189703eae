//! What can go wrong around a decision.

use std::path::{Path, PathBuf};

use sealwright_kernel::{EffectId, task};
use sealwright_store::{BlobError, JournalError};

use crate::task_file::TaskFileError;

/// A host that could not go on.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The journal could not be read or written.
    #[error("the journal could not be used")]
    Journal(#[from] JournalError),
    /// The state does not fit into a snapshot, or was read from a foreign one.
    #[error("the state could not be kept or read back")]
    State(#[from] serde_json::Error),
    /// Nothing in this version folds such a stream.
    #[error("no machine of this version keeps the stream `{stream}`")]
    UnknownAggregate {
        /// The stream.
        stream: String,
    },
}

/// A report that is not known to be accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportError<Rejected> {
    /// The machine turned it away.
    #[error("{0}")]
    Rejected(Rejected),
    /// It was not durable, so it does not count; the same report may be tried again.
    #[error("the report could not be made durable: {why}")]
    NotDurable {
        /// What the journal said.
        why: String,
        /// What can be done about it.
        hint: Option<String>,
    },
    /// It is signed by somebody else than who reports it.
    #[error("it is signed by somebody else")]
    Forged,
    /// The host is gone. Whether it heard the report, the journal knows.
    #[error("the host has stopped")]
    Stopped,
}

impl EngineError {
    /// What a person can do about it, in one sentence, if anything.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Journal(error) => error.hint(),
            Self::State(_) => Some("delete `.sealwright/cache`; it is rebuilt".to_owned()),
            Self::UnknownAggregate { .. } => {
                Some("a newer Sealwright may have written it; use that version".to_owned())
            }
        }
    }
}

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
    Engine(#[from] EngineError),
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
            Self::Engine(error) => return error.hint(),
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
        Self::Engine(error.into())
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

/// An effect that was given up for now. It is still owed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stalled {
    /// The effect.
    pub effect: EffectId,
    /// Why its last try failed.
    pub why: String,
}

/// An error with everything behind it, in one line.
#[cfg(feature = "agents")]
pub(crate) fn whole(error: &dyn std::error::Error) -> String {
    let mut told = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        told = format!("{told}: {cause}");
        source = cause.source();
    }
    told
}
