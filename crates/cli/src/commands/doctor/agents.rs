//! The agents of `sealwright doctor`: what was found of each, and what to do about it.

use std::path::PathBuf;

use sealwright_engine::agents::find::{self, Access, Found, Known, Machine, State};
use sealwright_engine::config::Config;
use sealwright_engine::sandbox::{Mechanism, Seats};

use crate::error::CliError;
use crate::output::{Output, bad, good, plain, warn};

/// Looks for every agent there is.
pub(super) fn found(config: &Config, seats: &Seats, mechanism: &Mechanism) -> Vec<Found> {
    let ask = |program: &find::Program| find::ask(program, seats, mechanism);
    let machine = Machine {
        path: places(),
        home: std::env::home_dir(),
        is_set: &|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()),
        ask: &ask,
    };
    let own = |known: &Known| -> Vec<String> {
        let of_it = config.agents().filter(|agent| agent.kind.name() == known.kind);
        of_it.filter_map(|agent| agent.key_env.clone()).collect()
    };
    find::ALL.iter().map(|known| find::find(known, &own(known), &machine)).collect()
}

/// Tells people, one agent after the other.
pub(super) fn tell(agents: &[Found], output: &mut Output) -> Result<(), CliError> {
    output.line("")?;
    for found in agents {
        let version = found.version.map_or_else(String::new, |version| format!(" {version}"));
        let access = match &found.access {
            Some(Access::Variable { name }) => format!(", key in {}", plain(name)),
            Some(Access::File { name }) => format!(", logged in by ~/{name}"),
            None => String::new(),
        };
        let state = match found.state {
            State::Ready => good("ready"),
            State::Missing => "not there".to_owned(),
            State::TooOld => bad("too old"),
            State::Unclear => bad("unclear"),
            State::NoAccess => warn("no key and no login"),
        };
        output.line(&format!("agent {}{version}: {state}{access}", found.kind))?;
        if let Some(program) = &found.program {
            output.line(&format!("  {}", plain(&program.display().to_string())))?;
        }
        for advice in &found.advice {
            output.line(&format!("  {} {}", warn("to do:"), plain(advice)))?;
        }
    }
    Ok(())
}

/// Where programs are looked for: the folder that agents were installed into, then everywhere else.
fn places() -> Vec<PathBuf> {
    let apart =
        std::env::var_os("SEALWRIGHT_AGENTS").map(|folder| PathBuf::from(folder).join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    apart.into_iter().chain(std::env::split_paths(&path)).collect()
}
