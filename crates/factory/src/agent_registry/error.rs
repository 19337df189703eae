//! Why the agent registry cannot be opened.

use sealwright_kernel::Role;

use crate::agent_setup::AgentSetupError;
use sealwright_config::NoAssignment;

/// Why the agent registry cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum AgentRegistryError {
    #[error("cannot use `{name}` as the builder")]
    Builder { name: String, source: Box<AgentSetupError> },
    /// A required role has no agent.
    #[error("no agent for the role {}: {}", role.name(), lacks(none, absent))]
    Empty {
        role: Role,
        none: NoAssignment,
        /// The configured agents that are unavailable, each with the reason.
        absent: Vec<(String, AgentSetupError)>,
        /// Kinds of agents whose program is installed; looked for if no agent is configured.
        installed: Vec<&'static str>,
    },
    #[error("a configured agent is unavailable")]
    Hire(#[source] Box<AgentSetupError>),
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
            Self::Empty { none: NoAssignment::NoAgents, installed, .. } => {
                match installed.first() {
                    Some(kind) => format!(
                        "{kind} is installed: add a table [agents.{kind}] with `kind = \"{kind}\"` to sealwright.toml"
                    ),
                    None => {
                        "install an agent, then run `sealwright init`; `sealwright doctor` says how"
                            .to_owned()
                    }
                }
            }
            Self::Empty { none: NoAssignment::AllMissing { missing, .. }, absent, .. } => {
                let error = missing.iter().find_map(|name| reason(name, absent));
                error.map_or_else(|| SEE_DOCTOR.to_owned(), AgentSetupError::hint)
            }
        }
    }
}

/// What the agents for a role lack.
fn lacks(none: &NoAssignment, absent: &[(String, AgentSetupError)]) -> String {
    none.reasons(&|name| reason(name, absent).map(ToString::to_string))
}

fn reason<'a>(name: &str, absent: &'a [(String, AgentSetupError)]) -> Option<&'a AgentSetupError> {
    absent.iter().find(|(it, _)| it == name).map(|(_, error)| error)
}

const SEE_DOCTOR: &str = "`sealwright doctor` shows what each of them needs";

#[cfg(test)]
mod tests {
    use super::*;

    /// What a person reads if the builder has no agent.
    fn told(none: NoAssignment, installed: &[&'static str]) -> String {
        let (name, variables) = ("codex".to_owned(), vec!["OPENAI_API_KEY".to_owned()]);
        let absent = vec![(name.clone(), AgentSetupError::NoKey { name, variables, login: None })];
        let (role, installed) = (Role::Builder, installed.to_vec());
        let error = AgentRegistryError::Empty { role, none, absent, installed };
        format!("{error}; {}", error.hint())
    }

    #[test]
    fn an_agent_without_a_key_is_not_called_missing() {
        let missing = vec!["codex".to_owned()];
        assert_eq!(
            told(NoAssignment::AllMissing { role: Role::Builder, missing }, &[]),
            "no agent for the role builder: no API key for `codex`; set OPENAI_API_KEY, or name another variable with \
             `key_env`; the program's own login is not used"
        );
    }

    #[test]
    fn the_hint_names_an_agent_that_is_installed() {
        assert_eq!(
            told(NoAssignment::NoAgents, &["goose", "opencode"]),
            "no agent for the role builder: no agent is configured; goose is installed: add a table [agents.goose] with \
             `kind = \"goose\"` to sealwright.toml"
        );
        assert_eq!(
            told(NoAssignment::NoAgents, &[]),
            "no agent for the role builder: no agent is configured; install an agent, then run `sealwright init`; \
             `sealwright doctor` says how"
        );
    }
}
