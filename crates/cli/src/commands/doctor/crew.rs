//! The crew of `sealwright doctor`: who would play which role and why, and whether their models can be reached.

use std::path::Path;

use sealwright_engine::agents::find::Found;
use sealwright_engine::config::{self, Config};
use sealwright_engine::crew::{self, Around, Reach};
use sealwright_kernel::Role;
use serde::Serialize;

use crate::error::CliError;
use crate::output::{Output, bad, good, plain, warn};

/// Who would play a role.
#[derive(Serialize)]
pub(super) struct Part {
    role: Role,
    agent: Option<String>,
    why: String,
    hint: Option<String>,
}

/// Where the model of an agent is.
#[derive(Serialize)]
pub(super) struct ModelPlace {
    agent: String,
    address: String,
    reach: Reached,
    why: Option<String>,
}

/// Whether the network is used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Network {
    Asked,
    LeftAlone,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Reached {
    Reached,
    Unreached,
    NotAsked,
}

/// Who would play each role. Where nobody is configured there is nothing to say.
pub(super) fn roles(config: &Config, found: &[Found], root: &Path) -> Vec<Part> {
    if config.agents().next().is_none() {
        return Vec::new();
    }
    let around = Around { found, root, variable: &crew::variable };
    let available = crew::available(config, &around);
    let part = |role: Role| match config::seat(role, config, &available) {
        Ok(choice) => {
            let missing = match choice.missing.as_slice() {
                [] => String::new(),
                names => format!("; before it come {}, who cannot be used", names.join(", ")),
            };
            Part {
                role,
                agent: Some(choice.agent.name.clone()),
                why: format!("{}{missing}", choice.why),
                hint: None,
            }
        }
        Err(nobody) => {
            Part { role, agent: None, why: nobody.to_string(), hint: Some(nobody.hint()) }
        }
    };
    Role::ALL.into_iter().map(part).collect()
}

/// Where the configured agents' models are.
pub(super) fn models(config: &Config, network: Network) -> Vec<ModelPlace> {
    let places: Vec<(String, String)> = config
        .agents()
        .filter_map(|agent| Some((agent.name.clone(), crew::address(agent)?)))
        .collect();
    let addresses: Vec<String> = places.iter().map(|(_, address)| address.clone()).collect();
    let mut reached = match network {
        Network::Asked => crew::reach(&addresses),
        Network::LeftAlone => Vec::new(),
    }
    .into_iter();
    let place = |(agent, address)| {
        let (reach, why) = match reached.next() {
            None => (Reached::NotAsked, None),
            Some(Reach::Reached) => (Reached::Reached, None),
            Some(Reach::Unreached { why }) => (Reached::Unreached, Some(why)),
        };
        ModelPlace { agent, address, reach, why }
    };
    places.into_iter().map(place).collect()
}

/// Tells people.
pub(super) fn tell(
    roles: &[Part],
    models: &[ModelPlace],
    output: &mut Output,
) -> Result<(), CliError> {
    if !roles.is_empty() {
        output.line("")?;
    }
    for part in roles {
        let agent = part.agent.as_deref().map_or_else(|| bad("nobody"), plain);
        output.line(&format!(
            "role {}: {agent}, because {}",
            part.role.name(),
            plain(&part.why)
        ))?;
    }
    if let Some(hint) = roles.iter().find_map(|part| part.hint.as_ref()) {
        output.line(&format!("{} {}", warn("to do:"), plain(hint)))?;
    }
    for model in models {
        let reach = match model.reach {
            Reached::Reached => good("reached"),
            Reached::Unreached => bad("not reached"),
            Reached::NotAsked => "not asked without --online".to_owned(),
        };
        let why = model.why.as_deref().map_or_else(String::new, |why| format!(": {}", plain(why)));
        output.line(&format!(
            "model of {} at {}: {reach}{why}",
            plain(&model.agent),
            plain(&model.address)
        ))?;
    }
    Ok(())
}
