//! The caller: who plays the parts of a task. The workshop asks, and believes only what it finds afterwards.

use sealwright_agents::{AgentSandbox, AnswerSchema, BriefInput, Budget, CallOutcome};
use sealwright_kernel::invocation::Access;
use sealwright_kernel::task::Phase;
use sealwright_kernel::{EffectId, Role};

/// Who plays. A call blocks until the part is over.
pub trait AgentCaller: Send + Sync + 'static {
    /// Plays one part at the sandbox it is given, and says who answered it and how it ended.
    fn call(&self, request: &CallRequest, sandbox: &AgentSandbox<'_>) -> CallResult;
}

/// A part that was answered, well or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallResult {
    /// Who answered it, as the project calls them.
    pub agent: String,
    /// The model behind it, as far as it is known.
    pub model: String,
    /// How it ended, and what it cost.
    pub outcome: CallOutcome,
}

/// One part somebody is asked to play.
#[derive(Clone, Debug)]
pub struct CallRequest {
    /// Which.
    pub key: Key,
    /// How often it was asked before, because the answer could not be used.
    pub again: u32,
    /// The effect it serves.
    pub effect: EffectId,
    /// As whom.
    pub role: Role,
    /// Where the task stands.
    pub phase: Phase,
    /// Whether the tree may be changed.
    pub access: Access,
    /// All that a brief is written from.
    pub brief: BriefInput,
    /// The shape of the answer.
    pub schema: AnswerSchema,
    /// What it may use up. Whoever plays is held to it.
    pub budget: Budget,
}

/// The parts there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// Puts into words what is wanted.
    Frame,
    /// Drafts the contract and the plan.
    Shape,
    /// Writes the tests, without the builder's work.
    Tests,
    /// Finds something out.
    Scout,
    /// Weighs what was found.
    Consolidate,
    /// Plans the smallest change.
    Plan,
    /// Changes the tree.
    Edit,
    /// Says why a slice is stuck.
    Audit,
    /// Mends what failed.
    Repair,
    /// Tries to disprove the work.
    Challenge,
    /// Decides from the record.
    Adjudicate,
    /// Reads, to show that green was not earned.
    Read,
}

impl Key {
    /// Its name in files and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Frame => "frame",
            Self::Shape => "shape",
            Self::Tests => "tests",
            Self::Scout => "scout",
            Self::Consolidate => "consolidate",
            Self::Plan => "plan",
            Self::Edit => "edit",
            Self::Audit => "audit",
            Self::Repair => "repair",
            Self::Challenge => "challenge",
            Self::Adjudicate => "adjudicate",
            Self::Read => "read",
        }
    }
}
