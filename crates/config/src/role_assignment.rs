//! Selects an agent for each role from the available ones. Pure: the caller finds out which are available.

use std::collections::BTreeSet;
use std::fmt;

use sealwright_kernel::Role;

use super::agents::EVERY_OTHER_ROLE;
use super::{Agent, Config};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<'c> {
    pub agent: &'c Agent,
    pub why: Why,
    /// Preferred agents that are unavailable.
    pub missing: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// `[roles]` names it for this role.
    Named,
    /// `[roles]` names it for all other roles.
    NamedForOthers,
    /// No agent is named, and it is the first available by name.
    FirstByName,
    /// No agent is named, and its model family differs from the builder's.
    OtherFamily { builder: String },
    /// No agent is named, and no agent of another family is available.
    NoOtherFamily { builder: String },
}

/// Why a role has no agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAssignment {
    #[error("no agent is configured")]
    NoAgents,
    /// No agent for the role is available.
    #[error("no agent for the role {} can be used: {}", role.name(), missing.join(", "))]
    AllMissing { role: Role, missing: Vec<String> },
}

impl NoAssignment {
    /// What each agent for the role lacks. `why` says it of one agent, by its name.
    pub fn reasons(&self, why: &dyn Fn(&str) -> Option<String>) -> String {
        match self {
            Self::NoAgents => self.to_string(),
            Self::AllMissing { missing, .. } => {
                let reason =
                    |name: &String| why(name).unwrap_or_else(|| format!("`{name}` cannot be used"));
                missing.iter().map(reason).collect::<Vec<_>>().join("; ")
            }
        }
    }
}

/// The agent for `role` among the agents whose names are in `available`.
///
/// The first available of those named for the role, else of those named for all other roles, else of all. A role that
/// checks the builder, and is not named, is of another model family than the builder if possible: a model does not see
/// its own mistakes.
pub fn assign<'c>(
    role: Role,
    config: &'c Config,
    available: &BTreeSet<String>,
) -> Result<Choice<'c>, NoAssignment> {
    if config.agents.is_empty() {
        return Err(NoAssignment::NoAgents);
    }
    let own = config.roles.get(role.name()).map(|names| (names.clone(), Why::Named));
    let others =
        || config.roles.get(EVERY_OTHER_ROLE).map(|names| (names.clone(), Why::NamedForOthers));
    let all = || (config.agents.keys().cloned().collect(), Why::FirstByName);
    match own {
        Some((names, why)) => first(role, config, available, &names, why),
        None if CHECKS_THE_BUILDER.contains(&role) => {
            let (names, why) = others().unwrap_or_else(all);
            of_another_family(role, config, available, &names, why)
        }
        None => {
            let (names, why) = others().unwrap_or_else(all);
            first(role, config, available, &names, why)
        }
    }
}

fn first<'c>(
    role: Role,
    config: &'c Config,
    available: &BTreeSet<String>,
    names: &[String],
    why: Why,
) -> Result<Choice<'c>, NoAssignment> {
    let missing: Vec<String> =
        names.iter().take_while(|name| !available.contains(*name)).cloned().collect();
    match names.get(missing.len()).and_then(|name| config.agents.get(name)) {
        Some(agent) => Ok(Choice { agent, why, missing }),
        None => Err(NoAssignment::AllMissing { role, missing }),
    }
}

/// An agent of another family than the builder, those in `names` first.
fn of_another_family<'c>(
    role: Role,
    config: &'c Config,
    available: &BTreeSet<String>,
    names: &[String],
    why: Why,
) -> Result<Choice<'c>, NoAssignment> {
    let Ok(builder) = assign(Role::Builder, config, available) else {
        return first(role, config, available, names, why);
    };
    let builder = builder.agent.family.clone();
    let rest = config.agents.keys().filter(|name| !names.contains(name));
    let is_other = |agent: &&Agent| agent.family != builder && available.contains(&agent.name);
    let other = names.iter().chain(rest).filter_map(|name| config.agents.get(name)).find(is_other);
    match other {
        Some(agent) => Ok(Choice { agent, why: Why::OtherFamily { builder }, missing: Vec::new() }),
        None => {
            let choice = first(role, config, available, names, why)?;
            Ok(Choice { why: Why::NoOtherFamily { builder }, ..choice })
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named => f.write_str("it is named for this role"),
            Self::NamedForOthers => f.write_str("it is named for every other role"),
            Self::FirstByName => f.write_str("no agent is named, and it is the first available"),
            Self::OtherFamily { builder } => {
                write!(f, "its model family differs from the builder's ({builder})")
            }
            Self::NoOtherFamily { builder } => {
                write!(
                    f,
                    "no agent of another model family than the builder's ({builder}) is available"
                )
            }
        }
    }
}

/// The roles that find the builder's mistakes.
const CHECKS_THE_BUILDER: [Role; 4] =
    [Role::TestAuthor, Role::Challenger, Role::RefuteReader, Role::Arbiter];

#[cfg(test)]
mod tests {
    use super::*;

    const AGENTS: &str = "\
[agents.careful]\nkind = \"claude-code\"\n[agents.codex]\nkind = \"codex\"\n\
[agents.second]\nkind = \"opencode\"\nmodel = \"openai/gpt-5\"\n";

    /// The choice for `role` if these agents are available, as text.
    fn choice(roles: &str, role: Role, available: &[&str]) -> String {
        let config = Config::parse(&format!("{AGENTS}{roles}")).unwrap();
        let available = available.iter().map(ToString::to_string).collect();
        match assign(role, &config, &available) {
            Ok(Choice { agent, why, missing }) if missing.is_empty() => {
                format!("{}: {why}", agent.name)
            }
            Ok(Choice { agent, why, missing }) => {
                format!("{}: {why}; missing {}", agent.name, missing.join(", "))
            }
            Err(error) => {
                let lacks =
                    |name: &str| (name == "codex").then(|| "no API key for `codex`".to_owned());
                format!("{error}; {}", error.reasons(&lacks))
            }
        }
    }

    #[test]
    fn the_first_available_agent_is_chosen() {
        let roles = "[roles]\nbuilder = [\"second\", \"codex\"]\ndefault = \"careful\"\n";
        assert_eq!(
            choice(roles, Role::Builder, &["second", "codex"]),
            "second: it is named for this role"
        );
        assert_eq!(
            choice(roles, Role::Builder, &["codex", "careful"]),
            "codex: it is named for this role; missing second"
        );
        assert_eq!(
            choice(roles, Role::Builder, &["careful"]),
            "no agent for the role builder can be used: second, codex; `second` cannot be used; no API key for `codex`"
        );
        assert_eq!(
            choice(roles, Role::Scout, &["careful"]),
            "careful: it is named for every other role"
        );
        assert_eq!(
            choice("", Role::Scout, &["codex"]),
            "codex: no agent is named, and it is the first available; missing careful"
        );
    }

    #[test]
    fn a_challenger_is_of_another_family_than_the_builder() {
        let roles = "[roles]\nbuilder = \"codex\"\n";
        let all = ["careful", "codex", "second"];
        assert_eq!(
            choice(roles, Role::Challenger, &all),
            "careful: its model family differs from the builder's (openai)"
        );
        assert_eq!(
            choice("[roles]\ndefault = \"codex\"\n", Role::Challenger, &all),
            "careful: its model family differs from the builder's (openai)"
        );
        assert_eq!(
            choice(roles, Role::Challenger, &["codex", "second"]),
            "codex: no agent of another model family than the builder's (openai) is available; missing careful"
        );
        assert_eq!(
            choice("[roles]\nbuilder = \"careful\"\n", Role::Challenger, &["careful", "second"]),
            "second: its model family differs from the builder's (anthropic)"
        );
    }

    #[test]
    fn a_named_challenger_is_chosen_whatever_its_family() {
        let roles = "[roles]\nbuilder = \"codex\"\nchallenger = [\"second\", \"careful\"]\n";
        assert_eq!(
            choice(roles, Role::Challenger, &["careful", "codex", "second"]),
            "second: it is named for this role"
        );
        assert_eq!(
            choice(roles, Role::Challenger, &["careful"]),
            "careful: it is named for this role; missing second"
        );
    }

    #[test]
    fn other_roles_are_assigned_without_an_available_builder() {
        let roles = "[roles]\nbuilder = \"codex\"\ndefault = \"careful\"\n";
        assert_eq!(
            choice(roles, Role::Challenger, &["careful"]),
            "careful: it is named for every other role"
        );
    }

    #[test]
    fn without_agents_no_role_is_assigned() {
        let config = Config::default();
        assert_eq!(assign(Role::Builder, &config, &BTreeSet::new()), Err(NoAssignment::NoAgents));
    }
}
