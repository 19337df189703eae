//! The errors of performing an effect, and what each is reported as.

use std::io;
use std::time::Duration;

use sealwright_agents::End;
use sealwright_kernel::task::{Effect, Input, Report, Task, slice};
use sealwright_kernel::{Actor, Effect as _};
use sealwright_sandbox::SandboxError;
use sealwright_sandbox::view::ViewError;
use sealwright_store::BlobError;

use crate::TaskError;
use crate::error::whole;
use crate::gate_runner::GateRunnerError;
use crate::project::ProjectError;
use sealwright_host::{Answer, HostError, NotPerformed};
use sealwright_repo::GitError;
use sealwright_repo::trees::TreeError;

/// Why an effect was not performed.
#[derive(Debug, thiserror::Error)]
pub enum PerformError {
    #[error("cancelled")]
    Cancelled,
    #[error("a person has to answer")]
    Asked,
    /// The journal has no such task, or the task lacks a record the effect needs.
    #[error("the journal has no such task, or its records are incomplete")]
    NoTask,
    #[error("cannot tell the project")]
    Project(#[source] Box<ProjectError>),
    /// The role never gave a usable answer.
    #[error("call `{part}` returned no usable answer: {why}")]
    Unusable { part: &'static str, why: String },
    #[error("call `{part}` failed: {end}")]
    Unplayed { part: &'static str, end: End },
    /// The key or the login of the agent is not accepted, or the login has expired.
    #[error("call `{part}` is not let in: {why}")]
    Unauthorised { part: &'static str, why: String },
    #[error("call `{part}` is rate-limited for {} s", .wait.as_secs())]
    RateLimited { part: &'static str, wait: Duration },
    /// A call reached its budget, and a second one would as well.
    #[error(
        "call `{part}` reached the {limit} budget of a call; raise [budget.invocation] in \
         sealwright.toml and run again"
    )]
    CallBudget { part: &'static str, limit: &'static str },
    #[error("task budget reached: {spent}")]
    TaskBudget { spent: String },
    #[error(
        "project budget reached: {spent}; raise [budget.project] in sealwright.toml and run again"
    )]
    ProjectBudget { spent: String },
    #[error("cannot record the receipt of a call: {why}")]
    Unrecorded { why: String },
    #[error("cannot read what the project has spent")]
    Tasks(#[from] Box<TaskError>),
    #[error("cannot write the folder of the task")]
    Folder(#[source] Box<TaskError>),
    #[error("{why}")]
    Impossible { why: String },
    #[error("internal worker thread panicked")]
    Died,
    #[error(transparent)]
    GateRunner(#[from] GateRunnerError),
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error("cannot build the role's view")]
    View(#[from] ViewError),
    #[error("cannot set up the sandbox")]
    Sandbox(#[from] SandboxError),
    #[error("cannot use the store")]
    Blob(#[from] BlobError),
    #[error("cannot use the repository")]
    Git(#[from] GitError),
    #[error("cannot read the journal")]
    Engine(#[from] HostError),
    #[error("a file operation failed")]
    Io(#[from] io::Error),
}

impl PerformError {
    /// Reports to the task what a retry would not change. Everything else stays owed.
    pub(super) fn answer(self, effect: &Effect) -> Result<Answer<Task>, NotPerformed> {
        let why = match &self {
            Self::Cancelled => return Err(NotPerformed::Cancelled),
            Self::Asked => return Err(NotPerformed::Asked),
            Self::RateLimited { wait, .. } => {
                return Err(NotPerformed::Later { wait: *wait, why: whole(&self) });
            }
            // A person signs in again, or sets another key; calling again before that helps nothing.
            Self::Unauthorised { .. }
            | Self::CallBudget { .. }
            | Self::TaskBudget { .. }
            | Self::ProjectBudget { .. } => {
                return Err(NotPerformed::Refused { why: whole(&self) });
            }
            Self::Unusable { .. } | Self::Impossible { .. } => whole(&self),
            // A task stays at its commit, so what no view can hold stays as it is.
            Self::View(
                ViewError::Name(_) | ViewError::TooMuch { .. } | ViewError::LinkLeaves { .. },
            ) => whole(&self),
            Self::NoTask
            | Self::Unplayed { .. }
            | Self::Unrecorded { .. }
            | Self::Tasks(_)
            | Self::Folder(_)
            | Self::Project(_)
            | Self::Died
            | Self::GateRunner(_)
            | Self::Tree(_)
            | Self::View(_)
            | Self::Sandbox(_)
            | Self::Blob(_)
            | Self::Git(_)
            | Self::Engine(_)
            | Self::Io(_) => return Err(NotPerformed::Failed { why: whole(&self) }),
        };
        let input = match effect {
            Effect::Task { .. } => {
                Input::Report { effect: effect.id(), report: Report::Impossible { why } }
            }
            Effect::Slice { .. } => {
                Input::Slice { input: slice::Input::Impossible { effect: effect.id(), why } }
            }
        };
        Ok(Answer { input, actor: Actor::Machine, blobs: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use sealwright_kernel::task::Want;
    use sealwright_kernel::{Lane, scripted};

    use super::*;

    #[test]
    fn a_rate_limit_waits_and_a_reached_budget_or_an_ended_login_is_refused() {
        let charter =
            scripted::charter("T-x", Lane::Quick, sealwright_kernel::owner::Header::default());
        let effect = Effect::Task { task: charter.id, visit: 1, want: Want::Frame };
        let wait = Duration::from_secs(90);
        let limited = PerformError::RateLimited { part: "frame", wait }.answer(&effect);
        let why = "call `frame` is rate-limited for 90 s".to_owned();
        assert_eq!(limited, Err(NotPerformed::Later { wait, why }));
        let spent = || "$5.02 of $5.00".to_owned();
        for error in [
            PerformError::TaskBudget { spent: spent() },
            PerformError::ProjectBudget { spent: spent() },
            PerformError::CallBudget { part: "frame", limit: "tokens" },
            PerformError::Unauthorised { part: "frame", why: "`codex login`".to_owned() },
        ] {
            let answer = error.answer(&effect);
            assert!(matches!(answer, Err(NotPerformed::Refused { .. })), "{answer:?}");
        }
    }
}
