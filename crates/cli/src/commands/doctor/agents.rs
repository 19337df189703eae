//! The agents in `sealwright doctor`.

use sealwright_agents::find::{Access, Found, State};
use sealwright_views::wire::{AccessKind, AgentAccess, AgentState, FoundAgent};

use crate::error::CliResult;
use crate::output::{Output, bad, good, sanitize, warn};

pub(super) fn wire(found: &Found) -> FoundAgent {
    FoundAgent {
        kind: found.kind.into(),
        state: match found.state {
            State::Ready => AgentState::Ready,
            State::Missing => AgentState::Missing,
            State::TooOld => AgentState::TooOld,
            State::Unclear => AgentState::Unclear,
            State::NoAccess => AgentState::NoAccess,
        },
        program: found.program.as_ref().map(|program| program.display().to_string()),
        version: found.version.map(|version| version.to_string()),
        access: found.access.as_ref().map(|access| match access {
            Access::Variable { name } => {
                AgentAccess { by: AccessKind::Variable, name: name.clone() }
            }
            Access::File { name } => AgentAccess { by: AccessKind::File, name: name.clone() },
        }),
        advice: found.advice.clone(),
    }
}

pub(super) fn tell(agents: &[Found], output: &mut Output) -> CliResult {
    output.line("")?;
    // If another agent can be used, one that is not there is no problem.
    let is_any_ready = agents.iter().any(|found| found.state == State::Ready);
    let is_left_out = |found: &&Found| is_any_ready && found.state == State::Missing;
    for found in agents.iter().filter(|found| !is_left_out(found)) {
        let version = found.version.map_or_else(String::new, |version| format!(" {version}"));
        let access = match &found.access {
            Some(Access::Variable { name }) => format!(", key in {}", sanitize(name)),
            Some(Access::File { name }) => format!(", login in {}", sanitize(name)),
            None => String::new(),
        };
        let state = match found.state {
            State::Ready => good("installed"),
            State::Missing => "not installed".to_owned(),
            State::TooOld => bad("too old"),
            State::Unclear => bad("version unknown"),
            State::NoAccess => warn("no key"),
        };
        let place = found.program.as_ref().map_or_else(String::new, |program| {
            format!(", {}", sanitize(&program.display().to_string()))
        });
        let fixes: String = found
            .advice
            .iter()
            .map(|advice| format!("; {} {}", warn("fix:"), sanitize(advice)))
            .collect();
        output.line(&format!("agent {}{version}: {state}{access}{place}{fixes}", found.kind))?;
    }
    let missing: Vec<&str> = agents.iter().filter(is_left_out).map(|found| found.kind).collect();
    if !missing.is_empty() {
        output.line(&format!("not installed: {}", missing.join(", ")))?;
    }
    Ok(())
}
