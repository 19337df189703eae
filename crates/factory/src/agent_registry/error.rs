//! Why no company could be gathered.

use sealwright_agents::BriefError;
use sealwright_kernel::Role;

use crate::agent_setup::AgentSetupError;
use crate::config::NoAssignment;

/// Why no company could be gathered.
#[derive(Debug, thiserror::Error)]
pub enum AgentRegistryError {
    /// Somebody was asked for by name and cannot be had.
    #[error("`{name}` cannot build")]
    Builder {
        /// Who.
        name: String,
        /// Why.
        source: Box<AgentSetupError>,
    },
    /// A role that every task needs stays empty.
    #[error("nobody plays the {}", role.name())]
    Empty {
        /// Which.
        role: Role,
        /// Why.
        source: NoAssignment,
        /// Who was named and is not there, each with the reason.
        absent: Vec<(String, AgentSetupError)>,
    },
    /// Somebody is named whom nobody knows.
    #[error("somebody is named who cannot be had")]
    Hire(#[source] Box<AgentSetupError>),
    /// The templates of briefs cannot be used.
    #[error("the briefs cannot be written")]
    Briefs(#[from] BriefError),
}

impl From<AgentSetupError> for AgentRegistryError {
    fn from(error: AgentSetupError) -> Self {
        Self::Hire(Box::new(error))
    }
}

impl AgentRegistryError {
    /// What a person can do about it.
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
