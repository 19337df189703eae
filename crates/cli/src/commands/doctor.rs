//! `sealwright doctor`: probes what this machine supports.

use std::path::Path;

use sealwright_agents::find;
use sealwright_config::ActsOn;
use sealwright_factory::agent_setup::Reach;
use sealwright_factory::consent::Consent;
use sealwright_factory::logins::Logins;
use sealwright_factory::{agent_setup, clean_rooms, confined};
use sealwright_kernel::{Lane, Level, Role};
use sealwright_sandbox::Mechanism;
use sealwright_sandbox::probe::{self, Report};
use sealwright_views::wire::{self, DoctorReport, RoleAgent};

mod agents;
mod roles;
mod rooms;

use crate::args::Format;
use crate::error::{CliError, CliResult};
use crate::output::{Output, bad, good, sanitize, table, table_text, warn};
use crate::repository;

/// Check this machine: sandbox, clean rooms, agents and models.
///
/// Every sandbox mechanism is started and probed; versions and settings are not trusted. Agents are searched on PATH and
/// in the folder SEALWRIGHT_AGENTS. The last lines are verdicts: each role is ready, with the agent that `do` would use,
/// or not. Exit code 20 if a lane requires a stronger sandbox than this machine has, if the builder is not ready, or if no
/// change can be proven in this repository.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print every result of the sandbox probes.
    #[arg(long)]
    all: bool,
    /// Also connect to the model endpoints of the configured agents.
    #[arg(long)]
    online: bool,
}

pub(crate) fn run(args: &Args, root: &Path, output: &mut Output) -> CliResult {
    let config = repository::configuration(root)?.unwrap_or_default();
    let consent = Consent::of_settings(root, &config)?;
    let not_allowed = consent.missing()?;
    if args.online {
        // Nobody said that these addresses may be asked.
        consent.require(ActsOn::Agents)?;
    }
    let slots = confined::slots()?;
    let report = probe::every(&slots)?;
    let lanes = confined::lanes(&report, &config.sandbox);
    let mechanism = report.best().map_or(Mechanism::Nothing, |best| best.mechanism.clone());
    let agents = agent_setup::look(find::ALL, &config, &slots, &mechanism);
    let is_configured = config.agents().next().is_some();
    let suggested = if is_configured { None } else { roles::suggested(&agents) };
    let config = suggested.unwrap_or(config);
    let logins = Logins::open()?;
    let absent = roles::absent(&config, &agents, root, &not_allowed, &logins);
    let mut roles = roles::roles(&config, &absent);
    // Without a commit there is no repository to speak of.
    let lack = clean_rooms::lack_in(root, &[]).ok().flatten();
    if let Some(why) = &lack {
        roles::refuse(&mut roles, why);
    }
    let is_builder_ready = roles.iter().any(|it| it.role == Role::Builder && it.agent.is_some());
    let reach: fn(&[String]) -> Vec<Reach> =
        if args.online { agent_setup::reach } else { |_| Vec::new() };
    let models = roles::models(&config, &logins, reach);
    let remedies = confined::remedies(&report);
    if output.format == Format::Json {
        let lane = |(lane, least, holds): &(Lane, Level, bool)| wire::LaneCheck {
            lane: (*lane).into(),
            least: (*least).into(),
            holds: *holds,
        };
        output.json(&DoctorReport {
            level: report.level().into(),
            tried: report.tried.iter().map(tried).collect(),
            lanes: lanes.iter().map(lane).collect(),
            remedies,
            agents: agents.iter().map(agents::wire).collect(),
            roles: roles
                .into_iter()
                .map(|it| RoleAgent { role: it.role.into(), agent: it.agent, why: it.why })
                .collect(),
            absent,
            models,
            not_allowed: not_allowed.into_iter().map(|item| item.name).collect(),
        })?;
    } else {
        people(args, &report, &lanes, &remedies, output)?;
        rooms::tell(root, lack.as_deref(), output)?;
        agents::tell(&agents, output)?;
        roles::tell_problems(&absent, &models, output)?;
        for item in not_allowed.iter().filter(|item| roles::agent_of(item).is_none()) {
            let fix = format!("{} `sealwright allow --show`", warn("fix:"));
            output.line(&format!("{} is not allowed yet; {fix}", sanitize(&item.name)))?;
        }
        roles::tell(&roles, is_configured, output)?;
    }
    match lanes.iter().find(|(_, _, holds)| !holds) {
        None if is_builder_ready => Ok(()),
        None => Err(lack.map_or(CliError::NoBuilder, |why| CliError::NothingProvable { why })),
        Some((lane, least, _)) => Err(CliError::TooWeak {
            lane: lane.name(),
            least: least.name(),
            found: report.level().name(),
        }),
    }
}

fn tried(it: &probe::Tried) -> wire::TriedMechanism {
    let mechanism = match &it.mechanism {
        Mechanism::Namespaces => wire::Mechanism::Namespaces,
        Mechanism::Bubblewrap { program } => {
            wire::Mechanism::Bubblewrap { program: program.display().to_string() }
        }
        Mechanism::Landlock => wire::Mechanism::Landlock,
        Mechanism::Nothing => wire::Mechanism::Nothing,
    };
    wire::TriedMechanism {
        mechanism,
        level: it.level.map(Into::into),
        why: it.why.clone(),
        facts: it.facts.iter().map(Into::into).collect(),
    }
}

fn people(
    args: &Args,
    report: &Report,
    lanes: &[(Lane, Level, bool)],
    remedies: &[String],
    output: &mut Output,
) -> CliResult {
    let level = report.level();
    let made = report.best().map_or("nothing", |best| best.mechanism.name());
    output.line(&format!("sandbox: {} by {made}", good(level.name())))?;
    for (word, lines) in [("guarantees", level.holds()), ("does not guarantee", level.lacks())] {
        for line in lines {
            output.line(&format!("  {word}: {line}"))?;
        }
    }
    let memory =
        report.best().and_then(|best| best.facts.iter().find(|fact| fact.name == "memory"));
    if let Some(memory) = memory {
        output.line(&format!("  memory limit of a run: {}", sanitize(&memory.value)))?;
    }
    output.line("")?;
    let mut tried = table(&["mechanism", "level", "reason"], &["reason"]);
    for one in &report.tried {
        let level = one.level.map_or("none", Level::name);
        tried.add_row([one.mechanism.name(), level, &sanitize(one.why.as_deref().unwrap_or(""))]);
    }
    output.line(&table_text(&tried))?;
    if args.all {
        for one in &report.tried {
            output.line("")?;
            output.line(one.mechanism.name())?;
            for fact in &one.facts {
                output.line(&format!("  {}: {}", sanitize(&fact.name), sanitize(&fact.value)))?;
            }
        }
    }
    output.line("")?;
    for (lane, least, holds) in lanes {
        let sign = if *holds { good("ok") } else { bad("too weak") };
        output.line(&format!("lane {} requires {}: {sign}", lane.name(), least.name()))?;
    }
    for remedy in remedies {
        output.line(&format!("{} {remedy}", warn("fix:")))?;
    }
    Ok(())
}
