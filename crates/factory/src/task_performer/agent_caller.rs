//! The interface through which the task performer calls agents. It trusts only what it finds after the call.

use sealwright_agents::{AgentSandbox, AnswerSchema, BriefInput, Budget, CallOutcome};
use sealwright_kernel::task::Phase;
use sealwright_kernel::{Access, EffectId, Role, TaskId};

pub use crate::role_calls::Key;

/// Calls an agent and blocks until the call ends.
pub trait AgentCaller: Send + Sync + 'static {
    fn call(&self, request: &CallRequest, sandbox: &AgentSandbox<'_>) -> CallResult;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallResult {
    pub agent: String,
    pub model: String,
    pub outcome: CallOutcome,
}

#[derive(Clone, Debug)]
pub struct CallRequest {
    pub key: Key,
    /// How often this call was made before without a usable answer.
    pub again: u32,
    pub task: TaskId,
    /// The effect the call belongs to.
    pub effect: EffectId,
    pub role: Role,
    pub phase: Phase,
    /// Whether the role may change the tree.
    pub access: Access,
    pub brief: BriefInput,
    pub schema: AnswerSchema,
    /// The limits the caller must enforce.
    pub budget: Budget,
}
