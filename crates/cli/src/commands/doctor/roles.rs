//! The agent of each role in `sealwright doctor`, and whether its model answers.

use std::collections::BTreeSet;
use std::path::Path;

use sealwright_agents::find::{Found, State};
use sealwright_config::Config;
use sealwright_factory::agent_setup::{self, AgentSetupError, Around, Reach};
use sealwright_factory::consent::Item;
use sealwright_factory::logins::Logins;
use sealwright_factory::role_calls;
use sealwright_kernel::Role;
use sealwright_views::wire::{AbsentAgent, ModelAddress, ModelReach};

use crate::error::CliResult;
use crate::output::{Output, bad, good, sanitize, warn};

pub(super) struct RoleChoice {
    pub(super) role: Role,
    pub(super) agent: Option<String>,
    pub(super) why: String,
}

/// The agents that cannot be used: those that are not there or not set up, and those that nobody allowed.
pub(super) fn absent(
    config: &Config,
    found: &[Found],
    root: &Path,
    not_allowed: &[Item],
    logins: &Logins,
) -> Vec<AbsentAgent> {
    let around = Around { found, root, variable: &agent_setup::variable, logins };
    let told = |(agent, error): (String, AgentSetupError)| AbsentAgent {
        agent,
        why: error.to_string(),
        hint: error.hint(),
    };
    let mut absent: Vec<AbsentAgent> =
        agent_setup::absent(config, &around).into_iter().map(told).collect();
    for agent in not_allowed.iter().filter_map(agent_of) {
        if !absent.iter().any(|it| it.agent == agent) {
            absent.push(AbsentAgent {
                agent: agent.to_owned(),
                why: "nobody allowed it".to_owned(),
                hint: "`sealwright allow --show`".to_owned(),
            });
        }
    }
    absent
}

/// The agent that has to be allowed, if it is one.
pub(super) fn agent_of(item: &Item) -> Option<&str> {
    item.name.strip_prefix("agents.")
}

/// What `init` would configure: the agents that can be used as they are.
pub(super) fn suggested(found: &[Found]) -> Option<Config> {
    let ready = found.iter().filter(|it| it.state == State::Ready);
    let tables: String =
        ready.map(|it| format!("[agents.{}]\nkind = \"{}\"\n", it.kind, it.kind)).collect();
    Config::parse(&tables).ok().filter(|config| config.agents().next().is_some())
}

/// The agent of each role that a lane calls.
pub(super) fn roles(config: &Config, absent: &[AbsentAgent]) -> Vec<RoleChoice> {
    let is_there = |name: &String| !absent.iter().any(|it| it.agent == *name);
    let available: BTreeSet<String> =
        config.agents().map(|agent| agent.name.clone()).filter(is_there).collect();
    let part = |role: Role| match sealwright_config::assign(role, config, &available) {
        Ok(choice) => {
            let missing = match choice.missing.as_slice() {
                [] => String::new(),
                names => format!("; preferred but unavailable: {}", names.join(", ")),
            };
            RoleChoice {
                role,
                agent: Some(choice.agent.name.clone()),
                why: format!("{}{missing}", choice.why),
            }
        }
        Err(none) => {
            let why =
                |name: &str| absent.iter().find(|it| it.agent == name).map(|it| it.why.clone());
            RoleChoice { role, agent: None, why: none.reasons(&why) }
        }
    };
    role_calls::roles().into_iter().map(part).collect()
}

/// No role is ready where `do` refuses to begin.
pub(super) fn refuse(roles: &mut [RoleChoice], why: &str) {
    for role in roles {
        role.agent = None;
        role.why = format!("`do` proves no change here: {why}");
    }
}

/// The model endpoints of the configured agents; those that `reach` leaves out are not asked.
pub(super) fn models(
    config: &Config,
    logins: &Logins,
    reach: fn(&[String]) -> Vec<Reach>,
) -> Vec<ModelAddress> {
    let places: Vec<(String, String)> = config
        .agents()
        .filter_map(|agent| {
            let address = agent_setup::address(agent, &agent_setup::variable, logins)?;
            Some((agent.name.clone(), address))
        })
        .collect();
    let addresses: Vec<String> = places.iter().map(|(_, address)| address.clone()).collect();
    let mut reached = reach(&addresses).into_iter();
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

pub(super) fn tell_problems(
    absent: &[AbsentAgent],
    models: &[ModelAddress],
    output: &mut Output,
) -> CliResult {
    for AbsentAgent { agent, why, hint } in absent {
        let fix = format!("{} {}", warn("fix:"), sanitize(hint));
        output.line(&format!(
            "agent {} is unavailable: {}; {fix}",
            sanitize(agent),
            sanitize(why)
        ))?;
    }
    for model in models {
        let reach = match model.reach {
            ModelReach::Reached => good("reachable"),
            ModelReach::Unreached => bad("unreachable"),
            ModelReach::NotAsked => "not checked; use --online".to_owned(),
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

/// One verdict per role. `do` uses what is called ready here.
pub(super) fn tell(roles: &[RoleChoice], is_configured: bool, output: &mut Output) -> CliResult {
    output.line("")?;
    for part in roles {
        let verdict = match &part.agent {
            Some(agent) => format!("{}, {}", good("ready"), sanitize(agent)),
            None => bad("not ready"),
        };
        output.line(&format!("role {}: {verdict} ({})", part.role.name(), sanitize(&part.why)))?;
    }
    if !is_configured && roles.iter().any(|part| part.agent.is_some()) {
        output.line("no agent is configured here; `sealwright init` or `do` adds these")?;
    }
    Ok(())
}
