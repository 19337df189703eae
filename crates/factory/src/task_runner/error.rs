//! What can keep an errand from being begun or carried on.

use sealwright_store::JournalError;

use crate::TaskError;
use crate::agent_registry::AgentRegistryError;
use crate::gate_runner::GateRunnerError;
use crate::task_performer::PerformError;
use sealwright_repo::GitError;
use sealwright_store::attest::keys::KeysError;
use sealwright_store::attest::task_statements::AttestError;

/// What can keep an errand from being begun or carried on.
#[derive(Debug, thiserror::Error)]
pub enum TaskRunnerError {
    /// There is nothing that work could begin at.
    #[error("there is no commit to begin at")]
    NoCommit(#[source] GitError),
    /// There is work that nobody committed.
    #[error("there is work that is not committed: {}", some(files))]
    Uncommitted {
        /// The files.
        files: Vec<String>,
    },
    /// What is at stake is too much for an approval in advance.
    #[error("at high risk a contract is not approved before it is there")]
    RiskyInAdvance,
    /// A task that was created is not there.
    #[error("the task is not there")]
    Lost,
    /// Nobody can be asked.
    #[error("there is nobody to do the work")]
    AgentRegistry(#[source] Box<AgentRegistryError>),
    /// Gates cannot be performed here.
    #[error(transparent)]
    GateRunner(#[from] GateRunnerError),
    /// The workshop cannot be opened.
    #[error(transparent)]
    TaskPerformer(#[from] PerformError),
    /// The task refuses, or cannot be told.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The journal cannot be used.
    #[error("the journal could not be used")]
    Journal(#[from] JournalError),
    /// The repository cannot be asked.
    #[error("the repository could not be used")]
    Git(#[from] GitError),
    /// It cannot be signed.
    #[error(transparent)]
    Attest(#[from] AttestError),
    /// The keys cannot be used.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// The walls cannot be put up.
    #[error("the walls could not be put up")]
    Sandbox(#[from] sealwright_sandbox::SandboxError),
    /// The system refused something.
    #[error("the system refused something")]
    Io(#[from] std::io::Error),
}

impl TaskRunnerError {
    /// What a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoCommit(_) => Some("make a first commit: git add -A && git commit".to_owned()),
            Self::Uncommitted { .. } => Some(
                "commit it, or say `--dirty take` to begin with it, `--dirty leave` to begin without"
                    .to_owned(),
            ),
            Self::RiskyInAdvance => Some("leave `--yes` out, and look at the contract".to_owned()),
            Self::Lost => Some("`sealwright status` lists the tasks".to_owned()),
            Self::AgentRegistry(error) => Some(error.hint()),
            Self::GateRunner(error) => error.hint(),
            Self::Task(error) => error.hint(),
            Self::Journal(error) => error.hint(),
            Self::Attest(error) => error.hint(),
            Self::Keys(error) => error.hint(),
            Self::Sandbox(error) => error.hint(),
            Self::TaskPerformer(_) | Self::Git(_) | Self::Io(_) => None,
        }
    }
}

impl From<AgentRegistryError> for TaskRunnerError {
    fn from(error: AgentRegistryError) -> Self {
        Self::AgentRegistry(Box::new(error))
    }
}

/// The first few of many.
fn some(files: &[String]) -> String {
    let first: Vec<&str> = files.iter().take(SHOWN_MAX).map(String::as_str).collect();
    match files.len().saturating_sub(SHOWN_MAX) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

const SHOWN_MAX: usize = 5;
