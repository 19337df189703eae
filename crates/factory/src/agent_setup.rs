//! The crew: from a line of configuration to somebody who can be given an assignment.
//!
//! ```text
//! [agents.NAME] ─┐
//! what was found ┼──▶ agent ──▶ ConfiguredAgent { agent, model, endpoint }, or what is missing and what to do about it
//! environment ───┘
//! ```
//!
//! Keys are taken from the environment here and go nowhere but to the way out, which signs requests with them. Who is
//! asked for which role is not decided here, and nobody is started.

mod error;
mod makers;
mod reach;
mod try_agent;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sealwright_agents::adapters::DRIVERS;
use sealwright_agents::adapters::api::Api;
use sealwright_agents::adapters::script::Script;
use sealwright_agents::find::{self, Found, Known, Machine, State};
use sealwright_agents::program::{Driver, Program};
use sealwright_agents::{Agent, Endpoint, Key, Price, PriceError, Prices, Protocol};
use sealwright_sandbox::egress::Secret;
use sealwright_sandbox::{Mechanism, SandboxSlots};

use crate::config::{self, Config, Kind};
pub use error::AgentSetupError;
use makers::{Maker, maker};
pub use reach::{Reach, reach};
pub use try_agent::{Claim, Trial, Verdict, Written, attempt};

/// Somebody who can be given an assignment, and the model they ask.
pub struct ConfiguredAgent {
    /// Who.
    pub agent: Box<dyn Agent>,
    /// What they are.
    pub kind: Kind,
    /// What they can do beside answering.
    pub hands: Hands,
    /// The model, as its owner calls it. Empty for those who ask none.
    pub model: String,
    /// Where the model is.
    pub endpoint: Endpoint,
}

/// What somebody can do beside answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hands {
    /// Change files and run commands, behind walls.
    Both,
    /// Nothing; nothing is run for them either.
    None,
}

/// What there is around a configuration.
pub struct Around<'a> {
    /// What was found of the agents that are programs.
    pub found: &'a [Found],
    /// The folder that paths in the configuration begin at.
    pub root: &'a Path,
    /// What an environment variable holds.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

/// Somebody of this name: as the configuration has them, or of this kind where it names nobody so.
pub fn agent(
    name: &str,
    config: &Config,
    around: &Around<'_>,
) -> Result<ConfiguredAgent, AgentSetupError> {
    let meant = meant(name, config)?;
    let prices = Arc::new(prices(config)?);
    match meant.kind {
        Kind::Human => Err(AgentSetupError::Person { name: meant.name }),
        Kind::Script => script(&meant, around),
        Kind::Api => {
            let (Some(protocol), Some(_)) = (meant.protocol, &meant.model) else {
                let missing = "which model is asked, and what is spoken to it";
                return Err(AgentSetupError::Unsaid { kind: meant.kind.name(), missing });
            };
            let (model, endpoint) = reports(&meant, spoken(protocol), around)?;
            let agent = Box::new(Api::new(&meant.name, &meant.family, prices));
            Ok(ConfiguredAgent { agent, kind: meant.kind, hands: Hands::None, model, endpoint })
        }
        Kind::ClaudeCode
        | Kind::Codex
        | Kind::Gemini
        | Kind::Opencode
        | Kind::Goose
        | Kind::Copilot => {
            let driver = driver(meant.kind)?;
            let installed = installed(meant.kind, around)?;
            let protocol = tongue(&meant, driver)?;
            let (model, endpoint) = reports(&meant, protocol, around)?;
            let agent =
                Box::new(Program::new(&meant.name, &meant.family, driver, &installed, prices));
            Ok(ConfiguredAgent { agent, kind: meant.kind, hands: Hands::Both, model, endpoint })
        }
    }
}

/// The configured agents that cannot be given an assignment, each with the reason. People are always there.
pub fn absent(config: &Config, around: &Around<'_>) -> BTreeMap<String, AgentSetupError> {
    let why = |agent: &config::Agent| match self::agent(&agent.name, config, around) {
        Ok(_) | Err(AgentSetupError::Person { .. }) => None,
        Err(error) => Some((agent.name.clone(), error)),
    };
    config.agents().filter_map(why).collect()
}

/// Where the model of a configured agent is, if it asks one and everything that is said about it can be understood.
pub fn address(agent: &config::Agent, variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let protocol = match (agent.protocol, agent.kind) {
        (_, Kind::Human | Kind::Script) => return None,
        (Some(protocol), _) => spoken(protocol),
        (None, kind) => *driver(kind).ok()?.protocols().first()?,
    };
    base(agent, maker(protocol), variable).ok()
}

/// Where a model is: as the configuration says, else as the environment says, else at its maker's.
fn base(
    agent: &config::Agent,
    maker: &Maker,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<String, AgentSetupError> {
    if let Some(base) = &agent.base_url {
        return Ok(base.clone());
    }
    let named = maker.elsewhere.and_then(|name| Some((name, variable(name)?)));
    let Some((name, text)) = named else { return Ok(maker.base.to_owned()) };
    let base =
        config::plain_address(text.trim()).ok_or(AgentSetupError::Address { variable: name })?;
    Ok(base.strip_suffix(maker.version).unwrap_or(&base).to_owned())
}

/// Looks for agents that are programs, on `PATH` and where `SEALWRIGHT_AGENTS` says. Some of them take seconds to say
/// who they are, so all are asked at once.
pub fn look(
    known: impl IntoIterator<Item = &'static Known>,
    config: &Config,
    slots: &SandboxSlots,
    mechanism: &Mechanism,
) -> Vec<Found> {
    std::thread::scope(|scope| {
        let asked: Vec<_> = known
            .into_iter()
            .map(|known| scope.spawn(move || look_for(known, config, slots, mechanism)))
            .collect();
        asked.into_iter().map(|asked| asked.join().expect("looking does not panic")).collect()
    })
}

fn look_for(known: &Known, config: &Config, slots: &SandboxSlots, mechanism: &Mechanism) -> Found {
    let ask = |program: &find::Program| find::ask(program, slots, mechanism);
    let machine = Machine {
        path: places(),
        home: std::env::home_dir(),
        is_set: &|name| variable(name).is_some(),
        ask: &ask,
    };
    let of_it = config.agents().filter(|agent| agent.kind.name() == known.kind);
    let own: Vec<String> = of_it.filter_map(|agent| agent.key_env.clone()).collect();
    find::find(known, &own, &machine)
}

/// What an environment variable of this process holds, unless it is nothing.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// What the agent of this name is, whether or not it can be used.
pub fn meant(name: &str, config: &Config) -> Result<config::Agent, AgentSetupError> {
    let configured = config.agents().find(|agent| agent.name == name).cloned();
    let of_kind = || Kind::ALL.into_iter().find(|kind| kind.name() == name);
    configured.or_else(|| of_kind().map(config::Agent::of_kind)).ok_or_else(|| {
        AgentSetupError::Unknown {
            name: name.to_owned(),
            known: config.agents().map(|agent| agent.name.clone()).collect(),
        }
    })
}

/// The model that is asked, and where, with the key that opens it.
fn reports(
    agent: &config::Agent,
    protocol: Protocol,
    around: &Around<'_>,
) -> Result<(String, Endpoint), AgentSetupError> {
    let maker = maker(protocol);
    let base = base(agent, maker, around.variable)?;
    let own_model = agent.base_url.is_none().then_some(maker.model).flatten();
    let model = agent.model.clone().or_else(|| own_model.map(str::to_owned));
    let model = model.ok_or_else(|| AgentSetupError::NoModel { name: agent.name.clone() })?;
    let variables: Vec<String> = match (&agent.key_env, &agent.base_url) {
        (Some(named), _) => vec![named.clone()],
        // A repository that names an address does not get a maker's key sent there. An address from the environment
        // was set by whoever set the key.
        (None, Some(_)) => Vec::new(),
        (None, None) => maker.variables.iter().map(|name| (*name).to_owned()).collect(),
    };
    let key = match variables.iter().find_map(|name| (around.variable)(name)) {
        Some(key) => Key::Secret(Secret::new(key.trim())),
        None if variables.is_empty() => Key::None,
        None => return Err(AgentSetupError::NoKey { name: agent.name.clone(), variables }),
    };
    Ok((model, Endpoint { base, protocol, key }))
}

fn script(agent: &config::Agent, around: &Around<'_>) -> Result<ConfiguredAgent, AgentSetupError> {
    let [file] = agent.command.as_slice() else {
        let missing = "which file of steps is followed";
        return Err(AgentSetupError::Unsaid { kind: agent.kind.name(), missing });
    };
    let text = steps(&around.root.join(file))
        .map_err(|source| AgentSetupError::NoSteps { file: file.clone(), source })?;
    let script = Script::parse(&agent.name, &text)
        .map_err(|source| AgentSetupError::Steps { file: file.clone(), source })?;
    // A script asks no model, so nothing is ever sent there.
    let endpoint = Endpoint { base: String::new(), protocol: Protocol::OpenaiChat, key: Key::None };
    Ok(ConfiguredAgent {
        agent: Box::new(script),
        kind: agent.kind,
        hands: Hands::Both,
        model: String::new(),
        endpoint,
    })
}

fn steps(path: &Path) -> io::Result<String> {
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file"));
    }
    let mut text = String::new();
    File::open(path)?.take(STEPS_BYTES_MAX + 1).read_to_string(&mut text)?;
    match text.len() as u64 > STEPS_BYTES_MAX {
        true => Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is too long")),
        false => Ok(text),
    }
}

fn driver(kind: Kind) -> Result<&'static dyn Driver, AgentSetupError> {
    let driver = DRIVERS.iter().find(|driver| driver.key() == kind.name()).copied();
    driver.ok_or(AgentSetupError::Unusable {
        kind: kind.name(),
        why: "is not driven as a program",
        advice: Vec::new(),
    })
}

/// The folder that holds the program, if it can be used.
fn installed(kind: Kind, around: &Around<'_>) -> Result<PathBuf, AgentSetupError> {
    let unusable = |why, advice| AgentSetupError::Unusable { kind: kind.name(), why, advice };
    let Some(found) = around.found.iter().find(|found| found.kind == kind.name()) else {
        return Err(unusable("was not looked for", Vec::new()));
    };
    let advice = || found.advice.clone();
    match found.state {
        State::Missing => Err(unusable("is not installed", advice())),
        State::TooOld => Err(unusable("is too old", advice())),
        State::Unclear => Err(unusable("does not say its version", advice())),
        // Whether there is a key is asked where it is known which one is wanted.
        State::NoAccess | State::Ready => found
            .installed
            .clone()
            .ok_or_else(|| unusable("is installed among other things", advice())),
    }
}

/// What is spoken to the model.
fn tongue(agent: &config::Agent, driver: &dyn Driver) -> Result<Protocol, AgentSetupError> {
    let speaks = driver.protocols();
    let asked = agent.protocol.map(spoken).or(speaks.first().copied());
    let names = || speaks.iter().map(|protocol| named(*protocol)).collect();
    match asked {
        Some(protocol) if speaks.contains(&protocol) => Ok(protocol),
        Some(_) | None => Err(AgentSetupError::Tongue {
            kind: agent.kind.name(),
            protocol: asked.map_or("nothing", named),
            speaks: names(),
        }),
    }
}

fn spoken(protocol: config::Protocol) -> Protocol {
    match protocol {
        config::Protocol::OpenaiResponses => Protocol::OpenaiResponses,
        config::Protocol::OpenaiChat => Protocol::OpenaiChat,
        config::Protocol::Anthropic => Protocol::Anthropic,
        config::Protocol::Gemini => Protocol::Gemini,
        config::Protocol::Ollama => Protocol::Ollama,
    }
}

fn named(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::OpenaiResponses => config::Protocol::OpenaiResponses.name(),
        Protocol::OpenaiChat => config::Protocol::OpenaiChat.name(),
        Protocol::Anthropic => config::Protocol::Anthropic.name(),
        Protocol::Gemini => config::Protocol::Gemini.name(),
        Protocol::Ollama => config::Protocol::Ollama.name(),
    }
}

fn prices(config: &Config) -> Result<Prices, PriceError> {
    let dollars = |micro: u64| micro as f64 / MICRO;
    let own: BTreeMap<String, Price> = config
        .prices()
        .iter()
        .map(|(model, price)| {
            let price = Price {
                input: dollars(price.input),
                cached: price.cached.map(dollars),
                cache_written: price.cache_written.map(dollars),
                output: dollars(price.output),
            };
            (model.clone(), price)
        })
        .collect();
    Prices::with(own)
}

/// Where programs are looked for: the folder that agents were installed into, then everywhere else.
fn places() -> Vec<PathBuf> {
    let apart =
        std::env::var_os("SEALWRIGHT_AGENTS").map(|folder| PathBuf::from(folder).join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    apart.into_iter().chain(std::env::split_paths(&path)).collect()
}

const MICRO: f64 = 1_000_000.0;
/// The longest script that is read.
const STEPS_BYTES_MAX: u64 = 256 << 10;

#[cfg(test)]
mod tests;
