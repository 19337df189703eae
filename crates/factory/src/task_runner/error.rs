//! Why a task cannot be started or run.

use sealwright_agents::BriefError;
use sealwright_kernel::{StreamId, TaskId};
use sealwright_store::JournalError;

use crate::TaskError;
use crate::agent_registry::AgentRegistryError;
use crate::clean_rooms::INSTEAD;
use crate::consent::ConsentError;
use crate::gate_runner::GateRunnerError;
use crate::logins::LoginsError;
use crate::task_performer::PerformError;
use sealwright_repo::GitError;
use sealwright_store::attest::keys::KeysError;
use sealwright_store::attest::person::UnsignedError;
use sealwright_store::attest::task_statements::AttestError;

/// Why a task cannot be started or run.
#[derive(Debug, thiserror::Error)]
pub enum TaskRunnerError {
    /// The repository has no commit to start from.
    #[error("no commit to start from")]
    NoCommit(#[source] GitError),
    /// There are uncommitted changes.
    #[error("uncommitted changes: {}", listed(files, *more))]
    Uncommitted {
        /// The first of them. A folder of installed packages is one of them.
        files: Vec<String>,
        more: usize,
        /// Untracked folders of tools, which belong into `.gitignore`.
        folders: Vec<String>,
    },
    /// `--dirty take` does not take these files.
    #[error("cannot take {}: {why}", listed(files, 0))]
    NotTaken { files: Vec<String>, why: &'static str },
    /// A merge is not finished.
    #[error("files with conflicts: {}", listed(files, 0))]
    Unmerged { files: Vec<String> },
    /// No clean room runs tests of this repository, so nothing could be proven.
    #[error("no change can be proven here: {why}")]
    NoRoom { why: String },
    /// What runs the tests of the project is not on this machine, so nothing could be proven.
    #[error("no {name} was found on this machine; nobody was asked")]
    NoTools { name: &'static str, hint: &'static str },
    /// The project asks for signatures, and a decision has none.
    #[error("{} of {stream} {} not signed", counted(*count), if *count == 1 { "is" } else { "are" })]
    UnsignedDecisions { stream: StreamId, count: usize },
    #[error("cannot say which decisions are signed")]
    SignedDecisions(#[from] UnsignedError),
    /// A high-risk contract cannot be approved in advance.
    #[error("`--yes` is not allowed with high risk")]
    RiskyInAdvance,
    /// The task that was created or named has no state.
    #[error("the journal has no such task")]
    Lost,
    #[error("no agent can do the work")]
    AgentRegistry(#[source] Box<AgentRegistryError>),
    #[error("cannot load the brief templates")]
    Briefs(#[from] BriefError),
    #[error(transparent)]
    Consent(#[from] ConsentError),
    #[error(transparent)]
    Logins(#[from] LoginsError),
    #[error(transparent)]
    GateRunner(#[from] GateRunnerError),
    #[error(transparent)]
    TaskPerformer(#[from] PerformError),
    #[error(transparent)]
    Task(#[from] TaskError),
    #[error("the journal could not be used")]
    Journal(#[from] JournalError),
    #[error("cannot use the repository")]
    Git(#[from] GitError),
    #[error(transparent)]
    Attest(#[from] AttestError),
    #[error(transparent)]
    Keys(#[from] KeysError),
    #[error("cannot set up the sandbox")]
    Sandbox(#[from] sealwright_sandbox::SandboxError),
    #[error("a file operation failed")]
    Io(#[from] std::io::Error),
}

impl TaskRunnerError {
    /// What to do next, in one sentence.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoCommit(error) => error
                .hint()
                .or_else(|| Some("make a first commit: `git add --all && git commit`".to_owned())),
            Self::Unmerged { .. } => {
                Some("finish the merge first: `git status` shows what is open".to_owned())
            }
            Self::NoRoom { .. } => Some(INSTEAD.to_owned()),
            Self::NoTools { hint, .. } => Some((*hint).to_owned()),
            Self::Uncommitted { folders, files, .. } => Some(match &folders[..] {
                [] => "commit them, or pass `--dirty take` to include or `--dirty leave` to ignore them"
                    .to_owned(),
                folders if folders.len() == files.len() => {
                    format!("put {} into .gitignore and commit that", folders.join(", "))
                }
                folders => format!(
                    "put {} into .gitignore; commit the rest, or pass `--dirty leave` to ignore all of it",
                    folders.join(", ")
                ),
            }),
            Self::NotTaken { .. } => Some(
                "put them into .gitignore, commit them yourself, or pass `--dirty leave`".to_owned(),
            ),
            Self::UnsignedDecisions { stream, .. } => Some(if is_task(stream) {
                format!(
                    "look at them with `sealwright log {stream}`; whoever decided signs with `sealwright sign {stream}`, \
                     then `sealwright do --continue {stream}`"
                )
            } else {
                format!(
                    "look at them with `sealwright journal {stream}`; whoever decided signs with `sealwright sign {stream}`, \
                     then `sealwright run`"
                )
            }),
            Self::SignedDecisions(error) => error.hint(),
            Self::RiskyInAdvance => {
                Some("omit `--yes` and read the contract before you approve it".to_owned())
            }
            Self::Lost => Some("`sealwright status` lists the tasks".to_owned()),
            Self::AgentRegistry(error) => Some(error.hint()),
            Self::Briefs(error) => Some(error.hint()),
            Self::Consent(error) => Some(error.hint()),
            Self::Logins(error) => Some(error.hint()),
            Self::GateRunner(error) => error.hint(),
            Self::Task(error) => error.hint(),
            Self::Journal(error) => error.hint(),
            Self::Attest(error) => error.hint(),
            Self::Keys(error) => error.hint(),
            Self::Sandbox(error) => error.hint(),
            Self::Git(error) => error.hint(),
            Self::TaskPerformer(_) | Self::Io(_) => None,
        }
    }
}

fn is_task(stream: &StreamId) -> bool {
    TaskId::new(stream.as_str()).is_ok()
}

fn counted(decisions: usize) -> String {
    if decisions == 1 { "a decision".to_owned() } else { format!("{decisions} decisions") }
}

impl From<AgentRegistryError> for TaskRunnerError {
    fn from(error: AgentRegistryError) -> Self {
        Self::AgentRegistry(Box::new(error))
    }
}

/// The first few files, and how many more there are beside `files`.
fn listed(files: &[String], more: usize) -> String {
    let first: Vec<&str> = files.iter().take(SHOWN_MAX).map(String::as_str).collect();
    match files.len().saturating_sub(SHOWN_MAX) + more {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

const SHOWN_MAX: usize = 5;
