//! What can keep an effect from being performed, and what is made of it.

use std::io;
use std::time::Duration;

use sealwright_agents::End;
use sealwright_kernel::task::{Effect, Input, Report, Task, slice};
use sealwright_kernel::{Actor, Effect as _};
use sealwright_sandbox::SandboxError;
use sealwright_sandbox::view::ViewError;
use sealwright_store::BlobError;

use crate::error::whole;
use crate::gate_runner::GateRunnerError;
use crate::trees::TreeError;
use crate::{Answer, EngineError, GitError, NotPerformed, TaskError};

/// What kept an effect from being performed.
#[derive(Debug, thiserror::Error)]
pub enum PerformError {
    /// It was called off.
    #[error("it was called off")]
    Cancelled,
    /// Only a person can do it.
    #[error("a person has to answer")]
    Asked,
    /// There is no such task.
    #[error("the task is not there")]
    NoTask,
    /// This lane does not do it.
    #[error("{what} is not run here")]
    NotHere {
        /// What.
        what: &'static str,
    },
    /// Whoever answered never gave an answer that could be used.
    #[error("the part `{part}` gave no answer that could be used: {why}")]
    Unusable {
        /// Which part.
        part: &'static str,
        /// What was wrong with the last one.
        why: String,
    },
    /// Nobody could play.
    #[error("the part `{part}` was not played: {end}")]
    Unplayed {
        /// Which part.
        part: &'static str,
        /// How it ended.
        end: End,
    },
    /// A model's owner asks for patience.
    #[error("the part `{part}` has to wait {} s for its model", .wait.as_secs())]
    RateLimited {
        /// Which part.
        part: &'static str,
        /// How long.
        wait: Duration,
    },
    /// A call used up what one call may cost, and a second one would as well.
    #[error(
        "the part `{part}` used up the {limit} that one call may cost; raise [budget.invocation] \
         in sealwright.toml, and run it again"
    )]
    CallBudget {
        /// Which part.
        part: &'static str,
        /// Of what.
        limit: &'static str,
    },
    /// There is nothing left of the task's budget.
    #[error("the budget of the task is reached: {told}")]
    TaskBudget {
        /// What was spent of what.
        told: String,
    },
    /// There is nothing left of the project's budget.
    #[error(
        "the budget of the project is reached: {told}; raise [budget.project] in sealwright.toml, \
         and run it again"
    )]
    ProjectBudget {
        /// What was spent of what.
        told: String,
    },
    /// A call was paid for, and its receipt could not be kept.
    #[error("the receipt of a call could not be kept: {why}")]
    Unrecorded {
        /// Why not.
        why: String,
    },
    /// What other tasks have spent cannot be found out.
    #[error("what the project has spent could not be found out")]
    Tasks(#[from] Box<TaskError>),
    /// The files that lead people to the proof cannot be written.
    #[error("the folder of the task could not be written")]
    Folder(#[source] Box<TaskError>),
    /// The request cannot be met as it is.
    #[error("{why}")]
    Impossible {
        /// Why.
        why: String,
    },
    /// A thread died.
    #[error("internal worker thread panicked")]
    Died,
    /// Gates cannot be performed.
    #[error(transparent)]
    GateRunner(#[from] GateRunnerError),
    /// A tree cannot be had.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A view cannot be made.
    #[error("a view could not be made")]
    View(#[from] ViewError),
    /// The walls cannot be put up.
    #[error("it cannot be run confined")]
    Sandbox(#[from] SandboxError),
    /// The store failed.
    #[error("the store could not be used")]
    Blob(#[from] BlobError),
    /// The repository could not be used.
    #[error("the repository could not be used")]
    Git(#[from] GitError),
    /// The journal failed.
    #[error("the journal could not be read")]
    Engine(#[from] EngineError),
    /// The system refused something.
    #[error("the system refused something")]
    Io(#[from] io::Error),
}

impl PerformError {
    /// What is reported: what trying again would not change is told to the task, everything else stays owed.
    pub(super) fn answer(self, effect: &Effect) -> Result<Answer<Task>, NotPerformed> {
        let why = match &self {
            Self::Cancelled => return Err(NotPerformed::Cancelled),
            Self::Asked => return Err(NotPerformed::Asked),
            Self::RateLimited { wait, .. } => {
                return Err(NotPerformed::Later { wait: *wait, why: whole(&self) });
            }
            Self::CallBudget { .. } | Self::TaskBudget { .. } | Self::ProjectBudget { .. } => {
                return Err(NotPerformed::Refused { why: whole(&self) });
            }
            Self::Unusable { .. } | Self::Impossible { .. } | Self::NotHere { .. } => whole(&self),
            Self::NoTask
            | Self::Unplayed { .. }
            | Self::Unrecorded { .. }
            | Self::Tasks(_)
            | Self::Folder(_)
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
    fn a_rate_limit_asks_for_patience_and_money_for_a_person() {
        let charter =
            scripted::charter("T-x", Lane::Quick, sealwright_kernel::owner::Header::default());
        let effect = Effect::Task { task: charter.id, visit: 1, want: Want::Frame };
        let wait = Duration::from_secs(90);
        let limited = PerformError::RateLimited { part: "frame", wait }.answer(&effect);
        let why = "the part `frame` has to wait 90 s for its model".to_owned();
        assert_eq!(limited, Err(NotPerformed::Later { wait, why }));
        let told = || "$5.02 of $5.00".to_owned();
        for error in [
            PerformError::TaskBudget { told: told() },
            PerformError::ProjectBudget { told: told() },
            PerformError::CallBudget { part: "frame", limit: "tokens" },
        ] {
            let answer = error.answer(&effect);
            assert!(matches!(answer, Err(NotPerformed::Refused { .. })), "{answer:?}");
        }
    }
}
