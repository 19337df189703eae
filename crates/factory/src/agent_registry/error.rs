//! Why the agent registry cannot be opened.

use sealwright_agents::BriefError;
use sealwright_kernel::Role;

use crate::agent_setup::AgentSetupError;
use crate::config::NoAssignment;

/// Why the agent registry cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum AgentRegistryError {
    #[error("cannot use `{name}` as the builder")]
    Builder { name: String, source: Box<AgentSetupError> },
    /// A required role has no agent.
    #[error("no agent for the role {}", role.name())]
    Empty {
        role: Role,
        source: NoAssignment,
        /// The configured agents that are unavailable, each with the reason.
        absent: Vec<(String, AgentSetupError)>,
    },
    #[error("a configured agent is unavailable")]
    Hire(#[source] Box<AgentSetupError>),
    #[error("cannot load the brief templates")]
    Briefs(#[from] BriefError),
}

impl From<AgentSetupError> for AgentRegistryError {
    fn from(error: AgentSetupError) -> Self {
        Self::Hire(Box::new(error))
    }
}

impl AgentRegistryError {
    /// What to do next, in one sentence.
    pub fn hint(&self) -> String {
        match self {
            Self::Builder { source, .. } | Self::Hire(source) => source.hint(),
            Self::Empty { source, absent, .. } => match absent.first() {
                Some((name, error)) => format!("`{name}`: {error}; {}", error.hint()),
                None => source.hint(),
            },
            Self::Briefs(error) => error.hint(),
        }
    }
}
