//! The crew of `sealwright doctor`: who would play which role and why, and whether their models can be reached.

use std::collections::BTreeSet;
use std::path::Path;

use sealwright_agents::find::Found;
use sealwright_factory::agent_setup::{self, AgentSetupError, Around, Reach};
use sealwright_factory::config::{self, Config};
use sealwright_kernel::Role;
use sealwright_views::wire::{AbsentAgent, ModelAddress, ModelReach, RoleAgent};

use crate::error::CliError;
use crate::output::{Output, bad, good, sanitize, warn};

/// The agent that is selected for a role.
pub(super) struct RoleChoice {
    role: Role,
    agent: Option<String>,
    why: String,
}

impl From<RoleChoice> for RoleAgent {
    fn from(choice: RoleChoice) -> Self {
        let RoleChoice { role, agent, why } = choice;
        Self { role: role.into(), agent, why }
    }
}

/// Whether the network is used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Network {
    Asked,
    LeftAlone,
}

/// Who is configured and cannot be used.
pub(super) fn absent(config: &Config, found: &[Found], root: &Path) -> Vec<AbsentAgent> {
    let around = Around { found, root, variable: &agent_setup::variable };
    let told = |(agent, error): (String, AgentSetupError)| AbsentAgent {
        agent,
        why: error.to_string(),
        hint: error.hint(),
    };
    agent_setup::absent(config, &around).into_iter().map(told).collect()
}

/// Who would play each role. Where nobody is configured there is nothing to say.
pub(super) fn roles(config: &Config, absent: &[AbsentAgent]) -> Vec<RoleChoice> {
    if config.agents().next().is_none() {
        return Vec::new();
    }
    let is_there = |name: &String| !absent.iter().any(|it| it.agent == *name);
    let available: BTreeSet<String> =
        config.agents().map(|agent| agent.name.clone()).filter(is_there).collect();
    let part = |role: Role| match config::assign(role, config, &available) {
        Ok(choice) => {
            let missing = match choice.missing.as_slice() {
                [] => String::new(),
                names => format!("; asked first and not there: {}", names.join(", ")),
            };
            RoleChoice {
                role,
                agent: Some(choice.agent.name.clone()),
                why: format!("{}{missing}", choice.why),
            }
        }
        Err(nobody) => RoleChoice { role, agent: None, why: nobody.to_string() },
    };
    Role::ALL.into_iter().map(part).collect()
}

/// Where the configured agents' models are.
pub(super) fn models(config: &Config, network: Network) -> Vec<ModelAddress> {
    let places: Vec<(String, String)> = config
        .agents()
        .filter_map(|agent| {
            Some((agent.name.clone(), agent_setup::address(agent, &agent_setup::variable)?))
        })
        .collect();
    let addresses: Vec<String> = places.iter().map(|(_, address)| address.clone()).collect();
    let mut reached = match network {
        Network::Asked => agent_setup::reach(&addresses),
        Network::LeftAlone => Vec::new(),
    }
    .into_iter();
    let place = |(agent, address)| {
        let (reach, why) = match reached.next() {
            None => (ModelReach::NotAsked, None),
            Some(Reach::Reached) => (ModelReach::Reached, None),
            Some(Reach::Unreached { why }) => (ModelReach::Unreached, Some(why)),
        };
        ModelAddress { agent, address, reach, why }
    };
    places.into_iter().map(place).collect()
}

/// Tells people.
pub(super) fn tell(
    roles: &[RoleChoice],
    absent: &[AbsentAgent],
    models: &[ModelAddress],
    output: &mut Output,
) -> Result<(), CliError> {
    if !roles.is_empty() {
        output.line("")?;
    }
    for part in roles {
        let agent = part.agent.as_deref().map_or_else(|| bad("nobody"), sanitize);
        output.line(&format!(
            "role {}: {agent}, because {}",
            part.role.name(),
            sanitize(&part.why)
        ))?;
    }
    for AbsentAgent { agent, why, hint } in absent {
        output.line(&format!("{} cannot be used: {}", sanitize(agent), sanitize(why)))?;
        output.line(&format!("  {} {}", warn("to do:"), sanitize(hint)))?;
    }
    for model in models {
        let reach = match model.reach {
            ModelReach::Reached => good("reached"),
            ModelReach::Unreached => bad("not reached"),
            ModelReach::NotAsked => "not asked without --online".to_owned(),
        };
        let why =
            model.why.as_deref().map_or_else(String::new, |why| format!(": {}", sanitize(why)));
        output.line(&format!(
            "model of {} at {}: {reach}{why}",
            sanitize(&model.agent),
            sanitize(&model.address)
        ))?;
    }
    Ok(())
}
