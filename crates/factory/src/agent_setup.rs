//! Agent setup: from a table in the configuration to an agent that can be called.
//!
//! ```text
//! [agents.NAME] ─────┐
//! installed programs ┼──▶ agent ──▶ ConfiguredAgent { agent, model, endpoint }, or what is missing and a hint
//! environment, logins ┘
//! ```
//!
//! This module takes keys from the environment; only the egress proxy uses them, to sign requests. It starts no agent
//! and does not assign roles.

mod error;
mod providers;
mod reach;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sealwright_agents::adapters::DRIVERS;
use sealwright_agents::adapters::api::Api;
use sealwright_agents::adapters::script::{Script, ScriptFolder};
use sealwright_agents::find::{self, Found, Known, Machine, OwnLogin, State};
use sealwright_agents::login::{Login, LoginKind};
use sealwright_agents::program::{Driver, Program};
use sealwright_agents::{Agent, Endpoint, Key, Price, PriceError, Prices, Protocol};
use sealwright_kernel::TaskId;
use sealwright_sandbox::egress::Secret;
use sealwright_sandbox::{Mechanism, SandboxSlots};

use crate::logins::{self, Logins};
pub use error::AgentSetupError;
use providers::{Maker, maker};
pub use reach::{Reach, reach};
use sealwright_config::{Config, Kind};

pub struct ConfiguredAgent {
    pub agent: Box<dyn Agent>,
    pub kind: Kind,
    pub hands: Hands,
    /// The provider's name of the model. Empty for agents without one.
    pub model: String,
    pub endpoint: Endpoint,
}

/// What an agent can do beside answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hands {
    /// Change files and run commands in a sandbox.
    Both,
    /// Nothing: no sandbox is needed.
    None,
}

/// The environment of a configuration.
pub struct Around<'a> {
    pub found: &'a [Found],
    /// Paths in the configuration are relative to this folder.
    pub root: &'a Path,
    /// Reads an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The logins that the person lets be used.
    pub logins: &'a Logins,
}

/// The agent of this name in the configuration, or else of this kind.
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
                let missing = "a `protocol` and a `model`";
                return Err(AgentSetupError::Incomplete { kind: meant.kind.name(), missing });
            };
            let (model, endpoint) = model_endpoint(&meant, protocol, around)?;
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
            let protocol = protocol_of(&meant, driver)?;
            let (model, endpoint) = model_endpoint(&meant, protocol, around)?;
            let agent =
                Box::new(Program::new(&meant.name, &meant.family, driver, &installed, prices));
            Ok(ConfiguredAgent { agent, kind: meant.kind, hands: Hands::Both, model, endpoint })
        }
    }
}

/// The configured agents that are unavailable, each with the reason. A person is one of them: roles are calls.
pub fn absent(config: &Config, around: &Around<'_>) -> BTreeMap<String, AgentSetupError> {
    let why = |agent: &sealwright_config::Agent| match self::agent(&agent.name, config, around) {
        Ok(_) => None,
        Err(error) => Some((agent.name.clone(), error)),
    };
    config.agents().filter_map(why).collect()
}

/// The address of a configured agent's model, if it has one and its configuration is valid.
pub fn address(
    agent: &sealwright_config::Agent,
    variable: &dyn Fn(&str) -> Option<String>,
    logins: &Logins,
) -> Option<String> {
    let protocol = match (agent.protocol, agent.kind) {
        (_, Kind::Human | Kind::Script) => return None,
        (Some(protocol), _) => protocol,
        (None, kind) => *driver(kind).ok()?.protocols().first()?,
    };
    match login(agent, protocol, variable, logins) {
        Some(login) => Some(login.base),
        None => base(agent, maker(protocol), variable).ok(),
    }
}

/// The login that an agent uses: one that its person allowed, where neither the configuration nor the environment names
/// a key or an address for it. A repository can therefore keep a login from being used, and never have it used.
fn login(
    agent: &sealwright_config::Agent,
    protocol: Protocol,
    variable: &dyn Fn(&str) -> Option<String>,
    logins: &Logins,
) -> Option<Login> {
    let maker = maker(protocol);
    let is_named = |name: &&str| variable(name).is_some();
    let is_plain = agent.base_url.is_none() && agent.key_env.is_none();
    let has_key = maker.variables.iter().chain(&maker.elsewhere).any(is_named);
    let kind = LoginKind::of_agent(agent.kind.name())?;
    let login = logins.login(kind)?;
    (is_plain && !has_key && kind.protocol() == protocol).then_some(login)
}

/// The address of a model: from the configuration, else from the environment, else the provider's.
fn base(
    agent: &sealwright_config::Agent,
    maker: &Maker,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<String, AgentSetupError> {
    if let Some(base) = &agent.base_url {
        return Ok(base.clone());
    }
    let named = maker.elsewhere.and_then(|name| Some((name, variable(name)?)));
    let Some((name, text)) = named else { return Ok(maker.base.to_owned()) };
    let base = sealwright_config::plain_address(text.trim())
        .ok_or(AgentSetupError::Address { variable: name })?;
    Ok(base.strip_suffix(maker.version).unwrap_or(&base).to_owned())
}

/// Finds agent programs on `PATH` and in `SEALWRIGHT_AGENTS`. Some take seconds to print their version, so all are
/// asked in parallel.
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
        asked.into_iter().map(|asked| asked.join().expect("the search does not panic")).collect()
    })
}

/// The same without starting a program: each program that is there counts as new enough.
pub fn look_unasked(config: &Config) -> Vec<Found> {
    let ask = |_: &find::Program| Ok(NEW_ENOUGH.to_owned());
    find::ALL.iter().map(|known| find_with(known, config, &ask)).collect()
}

/// The kinds of agents whose program is installed. No program is started.
pub fn installed_kinds() -> Vec<&'static str> {
    let found = look_unasked(&Config::default());
    found.iter().filter(|it| it.state != State::Missing).map(|it| it.kind).collect()
}

fn look_for(known: &Known, config: &Config, slots: &SandboxSlots, mechanism: &Mechanism) -> Found {
    let ask = |program: &find::Program| find::ask(program, slots, mechanism);
    find_with(known, config, &ask)
}

fn find_with(
    known: &Known,
    config: &Config,
    ask: &dyn Fn(&find::Program) -> Result<String, String>,
) -> Found {
    let login = |kind: &str| own_login(LoginKind::of_agent(kind)?);
    let machine = Machine {
        path: places(),
        home: std::env::home_dir(),
        is_set: &|name| variable(name).is_some(),
        login: &login,
        ask,
    };
    let of_it = config.agents().filter(|agent| agent.kind.name() == known.kind);
    let own: Vec<String> = of_it.filter_map(|agent| agent.key_env.clone()).collect();
    find::find(known, &own, &machine)
}

/// Whether the login of a program can be used.
fn own_login(kind: LoginKind) -> Option<OwnLogin> {
    let logins = match Logins::open() {
        Ok(logins) => logins,
        Err(error) => return Some(OwnLogin::Unusable(format!("{error}; {}", error.hint()))),
    };
    let Some(login) = logins.login(kind) else { return Some(OwnLogin::NotAllowed) };
    Some(match login.check() {
        Ok(()) => OwnLogin::Works(login.file),
        Err(error) => OwnLogin::Unusable(format!("{error}; {}", error.hint())),
    })
}

/// A non-empty environment variable of this process.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// The configuration of the agent of this name, whether or not it is available.
pub fn meant(name: &str, config: &Config) -> Result<sealwright_config::Agent, AgentSetupError> {
    let configured = config.agents().find(|agent| agent.name == name).cloned();
    let of_kind = || Kind::ALL.into_iter().find(|kind| kind.name() == name);
    configured.or_else(|| of_kind().map(sealwright_config::Agent::of_kind)).ok_or_else(|| {
        AgentSetupError::Unknown {
            name: name.to_owned(),
            known: config.agents().map(|agent| agent.name.clone()).collect(),
        }
    })
}

fn model_endpoint(
    agent: &sealwright_config::Agent,
    protocol: Protocol,
    around: &Around<'_>,
) -> Result<(String, Endpoint), AgentSetupError> {
    let maker = maker(protocol);
    let base = base(agent, maker, around.variable)?;
    let own_model = agent.base_url.is_none().then_some(maker.model).flatten();
    let model = agent.model.clone().or_else(|| own_model.map(str::to_owned));
    let model = model.ok_or_else(|| AgentSetupError::NoModel { name: agent.name.clone() })?;
    if let Some(login) = login(agent, protocol, around.variable, around.logins) {
        logins::check_repository(around.root)?;
        let unusable = |source| AgentSetupError::Login { name: agent.name.clone(), source };
        login.check().map_err(unusable)?;
        return Ok((
            model,
            Endpoint { base: login.base.clone(), protocol, key: Key::Login(login) },
        ));
    }
    let variables: Vec<String> = match (&agent.key_env, &agent.base_url) {
        (Some(named), _) => vec![named.clone()],
        // A repository that sets `base_url` must not receive the provider's key. An address from the environment was
        // set by the same person as the key.
        (None, Some(_)) => Vec::new(),
        (None, None) => maker.variables.iter().map(|name| (*name).to_owned()).collect(),
    };
    let key = match variables.iter().find_map(|name| (around.variable)(name)) {
        Some(key) => Key::Secret(Secret::new(key.trim())),
        None if variables.is_empty() => Key::None,
        None => {
            let is_plain = agent.base_url.is_none() && agent.key_env.is_none();
            let kind = LoginKind::of_agent(agent.kind.name()).filter(|_| is_plain);
            let (name, login) = (agent.name.clone(), kind.map(LoginKind::name));
            return Err(AgentSetupError::NoKey { name, variables, login });
        }
    };
    Ok((model, Endpoint { base, protocol, key }))
}

fn script(
    agent: &sealwright_config::Agent,
    around: &Around<'_>,
) -> Result<ConfiguredAgent, AgentSetupError> {
    let [file] = agent.command.as_slice() else {
        let missing = "a `command` that names a script file, or a folder of them";
        return Err(AgentSetupError::Incomplete { kind: agent.kind.name(), missing });
    };
    let path = around.root.join(file);
    let playing: Box<dyn Agent> = if path.is_dir() {
        let scripts = script_files(&path)
            .map_err(|source| AgentSetupError::NoScript { file: file.clone(), source })?;
        let named = scripts.into_iter().map(|(name, path)| {
            let shown = format!("{file}/{name}{SCRIPT_ENDING}");
            Ok((name, one_script(&agent.name, &path, &shown)?))
        });
        Box::new(ScriptFolder::new(&agent.name, named.collect::<Result<_, AgentSetupError>>()?))
    } else {
        Box::new(one_script(&agent.name, &path, file)?)
    };
    // A script uses no model, so nothing is sent to this endpoint.
    let endpoint = Endpoint { base: String::new(), protocol: Protocol::OpenaiChat, key: Key::None };
    Ok(ConfiguredAgent {
        agent: playing,
        kind: agent.kind,
        hands: Hands::Both,
        model: String::new(),
        endpoint,
    })
}

pub(crate) fn one_script(agent: &str, path: &Path, shown: &str) -> Result<Script, AgentSetupError> {
    let text = steps(path)
        .map_err(|source| AgentSetupError::NoScript { file: shown.to_owned(), source })?;
    Script::parse(agent, &text)
        .map_err(|source| AgentSetupError::Script { file: shown.to_owned(), source })
}

/// The scripts in a folder, by the name of the call they play. A name that no call has is an error: it would never be
/// played.
fn script_files(folder: &Path) -> io::Result<BTreeMap<String, PathBuf>> {
    let mut scripts = BTreeMap::new();
    for entry in std::fs::read_dir(folder)?.take(SCRIPTS_MAX) {
        let entry = entry?;
        let file = entry.file_name().to_string_lossy().into_owned();
        // A link is not followed: it could lead round.
        if TaskId::new(&file).is_ok() && entry.file_type()?.is_dir() {
            let own = script_files(&entry.path())?;
            scripts.extend(own.into_iter().map(|(name, path)| (format!("{file}/{name}"), path)));
            continue;
        }
        let Some(name) = file.strip_suffix(SCRIPT_ENDING) else { continue };
        let call = match name.rsplit_once('-') {
            Some((call, nth)) if nth.parse::<u32>().is_ok() => call,
            _ => name,
        };
        if !crate::role_calls::Key::ALL.iter().any(|key| key.name() == call) {
            let known: Vec<&str> =
                crate::role_calls::Key::ALL.iter().map(|key| key.name()).collect();
            let why = format!("`{file}` plays no call; calls are {}", known.join(", "));
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        scripts.insert(name.to_owned(), entry.path());
    }
    Ok(scripts)
}

fn steps(path: &Path) -> io::Result<String> {
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut text = String::new();
    File::open(path)?.take(STEPS_BYTES_MAX + 1).read_to_string(&mut text)?;
    if text.len() as u64 > STEPS_BYTES_MAX {
        Err(io::Error::new(io::ErrorKind::FileTooLarge, "too long"))
    } else {
        Ok(text)
    }
}

fn driver(kind: Kind) -> Result<&'static dyn Driver, AgentSetupError> {
    let driver = DRIVERS.iter().find(|driver| driver.key() == kind.name()).copied();
    driver.ok_or(AgentSetupError::Unusable {
        kind: kind.name(),
        why: "cannot be run as a program",
        advice: Vec::new(),
    })
}

/// The folder of the program, if it is usable.
fn installed(kind: Kind, around: &Around<'_>) -> Result<PathBuf, AgentSetupError> {
    let unusable = |why, advice| AgentSetupError::Unusable { kind: kind.name(), why, advice };
    let Some(found) = around.found.iter().find(|found| found.kind == kind.name()) else {
        return Err(unusable("was not searched for", Vec::new()));
    };
    let advice = || found.advice.clone();
    match found.state {
        State::Missing => Err(unusable("is not installed", advice())),
        State::TooOld => Err(unusable("is too old", advice())),
        State::Unclear => Err(unusable("does not say its version", advice())),
        // The key is checked later, when its variable is known.
        State::NoAccess | State::Ready => found
            .installed
            .clone()
            .ok_or_else(|| unusable("shares its folder with other programs", advice())),
    }
}

fn protocol_of(
    agent: &sealwright_config::Agent,
    driver: &dyn Driver,
) -> Result<Protocol, AgentSetupError> {
    let speaks = driver.protocols();
    let asked = agent.protocol.or(speaks.first().copied());
    let names = || speaks.iter().map(|protocol| protocol.name()).collect();
    match asked {
        Some(protocol) if speaks.contains(&protocol) => Ok(protocol),
        Some(_) | None => Err(AgentSetupError::UnsupportedProtocol {
            kind: agent.kind.name(),
            protocol: asked.map_or("nothing", Protocol::name),
            speaks: names(),
        }),
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

/// Where programs are searched: `SEALWRIGHT_AGENTS` first, then `PATH`.
fn places() -> Vec<PathBuf> {
    let apart =
        std::env::var_os("SEALWRIGHT_AGENTS").map(|folder| PathBuf::from(folder).join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    apart.into_iter().chain(std::env::split_paths(&path)).collect()
}

/// Stands for the version of a program that is not asked.
const NEW_ENOUGH: &str = "9999.0.0";
const MICRO: f64 = 1_000_000.0;
const STEPS_BYTES_MAX: u64 = 4 << 20;
const SCRIPT_ENDING: &str = ".toml";
const SCRIPTS_MAX: usize = 256;

#[cfg(test)]
mod tests;
