//! The errors of commands on tasks.

use std::path::{Path, PathBuf};

use sealwright_host::{HostError, ReportError};
use sealwright_kernel::task;
use sealwright_store::{BlobError, JournalError};
use sealwright_views::task_file::TaskFileError;

/// Why a command on a task failed.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    #[error("no task `{task}`")]
    NoTask { task: String },
    /// The rules do not allow it. Nothing changed.
    #[error(transparent)]
    Refused(task::Rejected),
    /// The journal cannot be used. Nothing changed.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The command cannot be recorded, so it does not count.
    #[error("cannot record the change: {why}")]
    NotDurable { why: String, hint: Option<String> },
    #[error("cannot use the store")]
    Blob(#[from] BlobError),
    #[error(transparent)]
    File(#[from] TaskFileError),
    /// A task begins with what a person wants.
    #[error("the sentence or file that says what to change is empty")]
    NothingSaid,
    #[error("{} does not exist", shown(.path))]
    NoText { path: PathBuf },
    #[error("TASK.md is not UTF-8")]
    NotText,
    #[error("cannot {what}")]
    Io { what: String, source: std::io::Error },
    /// The proof that travels with the commit cannot be made.
    #[error("cannot put the proof together: {0}")]
    Proof(String),
    #[error("no unused id found for the task")]
    NoName,
}

impl TaskError {
    pub(crate) fn io(what: &str, path: &Path, source: std::io::Error) -> Self {
        Self::Io { what: format!("{what} {}", shown(path)), source }
    }

    /// What to do next, in one sentence.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoTask { .. } => "`sealwright status` lists the tasks",
            Self::Refused(rejected) => return refused_hint(rejected).map(str::to_owned),
            Self::Host(error) => return error.hint(),
            Self::NotDurable { hint, .. } => return hint.clone(),
            Self::Blob(BlobError::Changed { .. } | BlobError::Missing { .. }) => {
                "`sealwright verify` lists what is missing or changed"
            }
            Self::Blob(BlobError::Store { .. }) => "check that the disk is writable and has space",
            Self::File(error) => error.hint,
            Self::NoText { .. } => "`sealwright check TASK` restores it from the store",
            Self::NothingSaid => {
                "say it in a sentence, such as \"a day of parking never costs more than 20 euros\""
            }
            Self::NotText => "save the file as UTF-8",
            Self::Io { .. } => "check that it is a regular, writable file and not too large",
            Self::Proof(_) => "`sealwright verify` lists what is missing or changed",
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
            Some("`sealwright inbox` shows the current question; answer that one")
        }
        Rejected::Unguarded => {
            Some("set `autonomy: conservative` in the task's TASK.md, then `sealwright adopt` it")
        }
        Rejected::Unadopted => Some(
            "`sealwright adopt TASK` accepts the edited text; `git checkout` restores the old one",
        ),
        Rejected::NotAdmitted { .. } => Some("`sealwright show TASK` lists the allowed actions"),
        Rejected::NoReason => Some("give the reason with `--because`"),
        Rejected::Over => Some("create a new task; this one is finished"),
        Rejected::Charter { why } if why.contains("in advance") => {
            Some("leave out `--yes`, and approve the contract when it is drafted")
        }
        Rejected::Charter { why } if why.contains("no check") => {
            Some("add at least one check to sealwright.toml; `sealwright init` writes one")
        }
        Rejected::Charter { .. } => Some("correct sealwright.toml or the request"),
        Rejected::NotAPerson => Some("a person decides, in their own terminal"),
        Rejected::Unusable(_) => Some("`sealwright resolve --help` shows each payload"),
        Rejected::SpentAlready { .. } => {
            Some("`sealwright budget TASK` shows what was spent; set a larger amount")
        }
        Rejected::NoAmount => Some("`sealwright budget TASK --dollars …` sets an amount"),
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

/// The path from `.sealwright` on.
fn shown(path: &Path) -> String {
    let all: Vec<_> = path.components().collect();
    let from = all.iter().position(|part| part.as_os_str() == ".sealwright").unwrap_or(0);
    all[from..].iter().collect::<PathBuf>().display().to_string()
}

/// The message of an error and of all its sources, in one line.
pub fn whole(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        message = format!("{message}: {cause}");
        source = cause.source();
    }
    message
}
