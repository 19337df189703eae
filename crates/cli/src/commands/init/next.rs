//! The next step after `init`: the first command that would work.

use std::collections::BTreeSet;
use std::path::Path;

use sealwright_config::Config;
use sealwright_factory::agent_setup::{self, Around};
use sealwright_factory::clean_rooms;
use sealwright_factory::consent::Consent;
use sealwright_factory::logins::Logins;
use sealwright_kernel::{Role, Verdict};
use sealwright_views::wire::TriedCheck;

use super::is_in_git;
use crate::error::CliResult;

pub(super) fn step(folder: &Path, tried: &[TriedCheck]) -> CliResult<String> {
    if !is_in_git(folder) {
        return Ok(format!("git init && {COMMIT}, then sealwright doctor"));
    }
    let Ok(lack) = clean_rooms::lack_in(folder, &[]) else {
        return Ok(format!("{COMMIT}, then sealwright doctor"));
    };
    let can_tell = |check: &TriedCheck| check.verdict != Verdict::CannotTell.into();
    Ok(match tried.first() {
        Some(check) if !tried.iter().any(can_tell) => {
            format!("see to what is said above, then `sealwright gates try {}`", check.name)
        }
        _ if lack.is_some() => "sealwright evaluate".to_owned(),
        _ => match lack_of_agents(folder)? {
            Some(why) => format!("sealwright doctor; no agent can be used yet: {why}"),
            None if is_to_be_allowed(folder)? => {
                "sealwright allow --show; this repository names what only a person can allow"
                    .to_owned()
            }
            None => "sealwright do \"what you want\"".to_owned(),
        },
    })
}

/// Why no agent can build here, as far as files and variables say. No program is started.
fn lack_of_agents(folder: &Path) -> CliResult<Option<String>> {
    let config = Config::load(folder.join(sealwright_config::FILE_NAME))?;
    let found = agent_setup::look_unasked(&config);
    let logins = Logins::open()?;
    let variable = &agent_setup::variable;
    let around = Around { found: &found, root: folder, variable, logins: &logins };
    let absent = agent_setup::absent(&config, &around);
    let is_there = |name: &String| !absent.contains_key(name);
    let available: BTreeSet<String> =
        config.agents().map(|agent| agent.name.clone()).filter(is_there).collect();
    let why = |name: &str| absent.get(name).map(ToString::to_string);
    Ok(sealwright_config::assign(Role::Builder, &config, &available)
        .err()
        .map(|none| none.reasons(&why)))
}

/// Whether `do` would ask for a person's consent first.
fn is_to_be_allowed(folder: &Path) -> CliResult<bool> {
    let config = Config::load(folder.join(sealwright_config::FILE_NAME))?;
    Ok(!Consent::of_settings(folder, &config)?.missing()?.is_empty())
}

const COMMIT: &str = "git add --all && git commit";
