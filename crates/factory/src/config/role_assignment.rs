//! Seating: who plays a role, of those that are there. Pure; whoever asks has looked who is there.

use std::collections::BTreeSet;
use std::fmt;

use sealwright_kernel::Role;

use super::agents::EVERY_OTHER_ROLE;
use super::{Agent, Config};

/// Who plays a role, and why it is this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<'c> {
    /// Who.
    pub agent: &'c Agent,
    /// Why.
    pub why: Why,
    /// Who was asked first and is not there.
    pub missing: Vec<String>,
}

/// Why somebody was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// `[roles]` names it for this role.
    Named,
    /// `[roles]` names it for every role that has no line of its own.
    NamedForOthers,
    /// Nobody is named, and it is the first by name that is there.
    FirstByName,
    /// Nobody is named, and it is of another family than the builder.
    OtherFamily {
        /// The builder's.
        builder: String,
    },
    /// Nobody is named, and nobody of another family than the builder is there.
    NoOtherFamily {
        /// The builder's.
        builder: String,
    },
}

/// Why nobody plays a role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAssignment {
    /// There are no agents at all.
    #[error("no agent is configured")]
    NoAgents,
    /// None of those who may play it is there.
    #[error("nobody is there who may play the {}: {} missing", role.name(), told(missing))]
    AllMissing {
        /// The part.
        role: Role,
        /// Who may play it.
        missing: Vec<String>,
    },
}

impl NoAssignment {
    /// What a person can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NoAgents => "add a table like [agents.main] with `kind = \"codex\"`".to_owned(),
            Self::AllMissing { .. } => {
                "`sealwright doctor` says what each of them needs".to_owned()
            }
        }
    }
}

/// Who plays `role`, of the agents whose names are in `available`.
///
/// The first that is there of those named for the role, or of those named for all others, or of all. A challenger
/// that nobody was named for is of another family than the builder, if there is one: who made a mistake does not see
/// it.
pub fn slot<'c>(
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
        None if role == Role::Challenger => {
            let (names, why) = others().unwrap_or_else(all);
            challenger(config, available, &names, why)
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

/// Somebody of another family than the builder, those named for all roles first.
fn challenger<'c>(
    config: &'c Config,
    available: &BTreeSet<String>,
    names: &[String],
    why: Why,
) -> Result<Choice<'c>, NoAssignment> {
    let Ok(builder) = slot(Role::Builder, config, available) else {
        return first(Role::Challenger, config, available, names, why);
    };
    let builder = builder.agent.family.clone();
    let rest = config.agents.keys().filter(|name| !names.contains(name));
    let is_other = |agent: &&Agent| agent.family != builder && available.contains(&agent.name);
    let other = names.iter().chain(rest).filter_map(|name| config.agents.get(name)).find(is_other);
    match other {
        Some(agent) => Ok(Choice { agent, why: Why::OtherFamily { builder }, missing: Vec::new() }),
        None => {
            let choice = first(Role::Challenger, config, available, names, why)?;
            Ok(Choice { why: Why::NoOtherFamily { builder }, ..choice })
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named => f.write_str("it is named for this role"),
            Self::NamedForOthers => f.write_str("it is named for every other role"),
            Self::FirstByName => f.write_str("nobody is named, and it is the first that is there"),
            Self::OtherFamily { builder } => {
                write!(f, "it is of another family than the builder, who is of {builder}")
            }
            Self::NoOtherFamily { builder } => {
                write!(f, "nobody of another family than the builder's, {builder}, is there")
            }
        }
    }
}

fn told(names: &[String]) -> String {
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGENTS: &str = "\
[agents.careful]\nkind = \"claude-code\"\n[agents.codex]\nkind = \"codex\"\n\
[agents.second]\nkind = \"opencode\"\nmodel = \"openai/gpt-5\"\n";

    /// Who plays `role` if these are there, in words.
    fn told(roles: &str, role: Role, available: &[&str]) -> String {
        let config = Config::parse(&format!("{AGENTS}{roles}")).unwrap();
        let available = available.iter().map(ToString::to_string).collect();
        match slot(role, &config, &available) {
            Ok(Choice { agent, why, missing }) if missing.is_empty() => {
                format!("{}: {why}", agent.name)
            }
            Ok(Choice { agent, why, missing }) => {
                format!("{}: {why}; missing {}", agent.name, missing.join(", "))
            }
            Err(error) => format!("{error}; {}", error.hint()),
        }
    }

    #[test]
    fn the_first_that_is_there_plays() {
        let roles = "[roles]\nbuilder = [\"second\", \"codex\"]\ndefault = \"careful\"\n";
        assert_eq!(
            told(roles, Role::Builder, &["second", "codex"]),
            "second: it is named for this role"
        );
        assert_eq!(
            told(roles, Role::Builder, &["codex", "careful"]),
            "codex: it is named for this role; missing second"
        );
        assert_eq!(
            told(roles, Role::Builder, &["careful"]),
            "nobody is there who may play the builder: second, codex are missing; `sealwright doctor` says what \
             each of them needs"
        );
        assert_eq!(
            told(roles, Role::Scout, &["careful"]),
            "careful: it is named for every other role"
        );
        assert_eq!(
            told("", Role::Scout, &["codex"]),
            "codex: nobody is named, and it is the first that is there; missing careful"
        );
    }

    #[test]
    fn a_challenger_is_of_another_family_than_the_builder() {
        let roles = "[roles]\nbuilder = \"codex\"\n";
        let all = ["careful", "codex", "second"];
        assert_eq!(
            told(roles, Role::Challenger, &all),
            "careful: it is of another family than the builder, who is of openai"
        );
        assert_eq!(
            told("[roles]\ndefault = \"codex\"\n", Role::Challenger, &all),
            "careful: it is of another family than the builder, who is of openai"
        );
        assert_eq!(
            told(roles, Role::Challenger, &["codex", "second"]),
            "codex: nobody of another family than the builder's, openai, is there; missing careful"
        );
        assert_eq!(
            told("[roles]\nbuilder = \"careful\"\n", Role::Challenger, &["careful", "second"]),
            "second: it is of another family than the builder, who is of anthropic"
        );
    }

    #[test]
    fn a_challenger_that_was_named_is_taken_at_its_word() {
        let roles = "[roles]\nbuilder = \"codex\"\nchallenger = [\"second\", \"careful\"]\n";
        assert_eq!(
            told(roles, Role::Challenger, &["careful", "codex", "second"]),
            "second: it is named for this role"
        );
        assert_eq!(
            told(roles, Role::Challenger, &["careful"]),
            "careful: it is named for this role; missing second"
        );
    }

    #[test]
    fn a_builder_that_is_not_there_does_not_keep_others_from_their_seats() {
        let roles = "[roles]\nbuilder = \"codex\"\ndefault = \"careful\"\n";
        assert_eq!(
            told(roles, Role::Challenger, &["careful"]),
            "careful: it is named for every other role"
        );
    }

    #[test]
    fn without_agents_nobody_plays() {
        let config = Config::default();
        assert_eq!(slot(Role::Builder, &config, &BTreeSet::new()), Err(NoAssignment::NoAgents));
    }
}
