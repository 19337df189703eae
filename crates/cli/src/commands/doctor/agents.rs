//! The agents of `sealwright doctor`: what was found of each, and what to do about it.

use sealwright_agents::find::{self, Access, Found, State};
use sealwright_factory::agent_setup;
use sealwright_factory::config::Config;
use sealwright_sandbox::{Mechanism, SandboxSlots};

use crate::error::CliError;
use crate::output::{Output, bad, good, sanitize, warn};

/// Looks for every agent there is.
pub(super) fn found(config: &Config, slots: &SandboxSlots, mechanism: &Mechanism) -> Vec<Found> {
    agent_setup::look(find::ALL, config, slots, mechanism)
}

/// Tells people, one agent after the other.
pub(super) fn tell(agents: &[Found], output: &mut Output) -> Result<(), CliError> {
    output.line("")?;
    for found in agents {
        let version = found.version.map_or_else(String::new, |version| format!(" {version}"));
        let access = match &found.access {
            Some(Access::Variable { name }) => format!(", key in {}", sanitize(name)),
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
            output.line(&format!("  {}", sanitize(&program.display().to_string())))?;
        }
        for advice in &found.advice {
            output.line(&format!("  {} {}", warn("to do:"), sanitize(advice)))?;
        }
    }
    Ok(())
}
