//! `sealwright.toml`: parsed and checked.
//!
//! This crate starts no program and reads no other file. There are eight tables; the phases of a task cannot be
//! configured.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::Path;

use sealwright_kernel::owner::Autonomy;
use sealwright_kernel::{Lane, Level};
use sealwright_store::disk::{Disk as _, RealDisk};
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, Deserializer};

mod agents;
mod budget;
mod checks;
mod error;
mod personal;
mod role_assignment;

use agents::{AGENTS_MAX, PRICES_MAX, WrittenAgent, WrittenPrice, WrittenRoles, checked_roles};
pub use agents::{Agent, Kind, Price, plain_address};
pub use budget::{Budget, MINUTES_MAX, Patience, RateLimited, TOKENS_MAX};
use budget::{WrittenBudgets, WrittenLimits};
use checks::{CHECKS_MAX, WrittenCheck};
pub use checks::{Check, Set};
pub use error::{ConfigError, Flaw, Location};
pub use personal::{ActsOn, Personal};
pub use role_assignment::{Choice, NoAssignment, Why, assign};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    pub project: Project,
    pub budget: Budget,
    /// The budget of one call of a role.
    pub invocation_budget: Budget,
    /// The budget of all tasks together.
    pub project_budget: Budget,
    pub patience: Patience,
    pub sandbox: Sandbox,
    checks: Vec<Check>,
    agents: BTreeMap<String, Agent>,
    roles: BTreeMap<&'static str, Vec<String>>,
    prices: BTreeMap<String, Price>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    pub name: Option<String>,
    /// The default lane of a task.
    pub lane: Lane,
    pub autonomy: Autonomy,
    /// Whether nothing is built on a decision that no SSH key of its person signed.
    pub signed_decisions: bool,
}

/// The required isolation level of each lane. If the machine's isolation is weaker, nothing is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sandbox {
    pub quick: Level,
    pub factory: Level,
    pub strict: Level,
}

impl Config {
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        read(FILE_NAME, text.as_bytes())
    }

    /// Reads the file at `path`. Links are not followed.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let unreadable = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => ConfigError::Missing { file: file.clone() },
            _ => ConfigError::Unreadable { file: file.clone(), source },
        };
        if !std::fs::symlink_metadata(path).map_err(unreadable)?.is_file() {
            return Err(ConfigError::NotAFile { file });
        }
        let folder = path.parent().unwrap_or(path);
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let name = path.file_name().unwrap_or_default();
        let disk = RealDisk::new(folder);
        match disk.read(&folder.join(name), FILE_BYTES_MAX as u64) {
            Ok(bytes) => read(&file, &bytes),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                Err(ConfigError::TooLong { file, bytes_max: FILE_BYTES_MAX })
            }
            Err(error) => Err(unreadable(error)),
        }
    }

    /// The checks, ordered by name.
    pub fn checks(&self) -> &[Check] {
        &self.checks
    }

    /// The agents, ordered by name.
    pub fn agents(&self) -> impl Iterator<Item = &Agent> {
        self.agents.values()
    }

    /// The token prices, by prefix of the model name.
    pub fn prices(&self) -> &BTreeMap<String, Price> {
        &self.prices
    }
}

impl Sandbox {
    /// The weakest level that `lane` accepts.
    pub fn least(&self, lane: Lane) -> Level {
        match lane {
            Lane::Quick => self.quick,
            Lane::Factory => self.factory,
            Lane::Strict => self.strict,
        }
    }
}

impl Default for Sandbox {
    fn default() -> Self {
        // If a role can see other processes or change file modes, a gate proves too little.
        Self {
            quick: Level::KernelRestrictedUid,
            factory: Level::KernelRestrictedUid,
            strict: Level::KernelIsolated,
        }
    }
}

fn read(file: &str, bytes: &[u8]) -> Result<Config, ConfigError> {
    let refused = |Wrong { at, flaw }| ConfigError::Refused {
        file: file.to_owned(),
        place: Location::of(bytes, at),
        flaw,
    };
    if bytes.len() > FILE_BYTES_MAX {
        let flaw = Flaw::TooLong { bytes_max: FILE_BYTES_MAX };
        return Err(refused(Wrong { at: FILE_BYTES_MAX, flaw }));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| refused(Wrong { at: error.valid_up_to(), flaw: Flaw::NotText }))?;
    written(text).and_then(Written::checked).map_err(refused)
}

/// A flaw and its byte offset.
struct Wrong {
    at: usize,
    flaw: Flaw,
}

fn wrong(span: Range<usize>, flaw: Flaw) -> Wrong {
    Wrong { at: span.start, flaw }
}

/// The file as deserialised, before its values are checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    project: WrittenProject,
    #[serde(default)]
    checks: BTreeMap<Spanned<String>, WrittenCheck>,
    #[serde(default)]
    agents: BTreeMap<Spanned<String>, WrittenAgent>,
    #[serde(default)]
    roles: WrittenRoles,
    #[serde(default)]
    prices: BTreeMap<Spanned<String>, WrittenPrice>,
    #[serde(default)]
    budget: WrittenBudgets,
    #[serde(default)]
    limits: WrittenLimits,
    #[serde(default)]
    sandbox: Sandbox,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenProject {
    name: Option<Spanned<String>>,
    #[serde(default)]
    lane: Lane,
    #[serde(default)]
    autonomy: Autonomy,
    #[serde(default)]
    signed_decisions: bool,
}

type WrittenCommand = Spanned<Vec<Spanned<String>>>;

fn written(text: &str) -> Result<Written, Wrong> {
    let message = |error: &toml::de::Error| error.message().to_owned();
    let at = |error: &toml::de::Error| error.span().unwrap_or(0..0);
    let document = DeTable::parse(text)
        .map_err(|error| wrong(at(&error), Flaw::Syntax { message: message(&error) }))?;
    for (name, table) in document.get_ref().iter() {
        let called = name.get_ref().as_ref();
        if !TABLES.contains(&called) {
            return Err(wrong(name.span(), Flaw::UnknownTable { name: called.to_owned() }));
        }
        let inner = match called {
            "checks" | "agents" | "prices" => table.get_ref().as_table(),
            _ => None,
        };
        let budgets = (called == "budget").then(|| table.get_ref().as_table()).flatten();
        // The deserialiser would also accept an array with the values in the order of the keys.
        let is_budget = |name: &str| matches!(name, "invocation" | "project");
        let budgets = budgets.into_iter().flat_map(|inner| inner.iter());
        let budgets = budgets.filter(|(name, _)| is_budget(name.get_ref().as_ref()));
        let inner = inner.into_iter().flat_map(|inner| inner.iter()).chain(budgets);
        for (name, value) in inner.chain([(name, table)]) {
            if !value.get_ref().is_table() {
                let flaw = Flaw::NotATable { name: name.get_ref().to_string() };
                return Err(wrong(value.span(), flaw));
            }
        }
    }
    Written::deserialize(Deserializer::from(document))
        .map_err(|error| wrong(at(&error), Flaw::Shape { message: message(&error) }))
}

impl Written {
    fn checked(self) -> Result<Config, Wrong> {
        let name = self.project.name.map(|name| line("name", name)).transpose()?;
        let WrittenProject { lane, autonomy, signed_decisions, .. } = self.project;
        let mut checks = Vec::new();
        for (name, check) in self.checks {
            if checks.len() == CHECKS_MAX {
                return Err(wrong(name.span(), Flaw::TooManyChecks { checks_max: CHECKS_MAX }));
            }
            checks.push(check.checked(name)?);
        }
        let mut agents = BTreeMap::new();
        for (name, agent) in self.agents {
            if agents.len() == AGENTS_MAX {
                return Err(wrong(name.span(), Flaw::TooManyAgents { agents_max: AGENTS_MAX }));
            }
            agents.insert(name.get_ref().clone(), agent.checked(&name)?);
        }
        let mut prices = BTreeMap::new();
        for (model, price) in self.prices {
            if prices.len() == PRICES_MAX {
                return Err(wrong(model.span(), Flaw::TooManyPrices { prices_max: PRICES_MAX }));
            }
            prices.insert(line("the name of a model", model)?, price.checked()?);
        }
        let budgets = self.budget.checked()?;
        Ok(Config {
            project: Project { name, lane, autonomy, signed_decisions },
            budget: budgets.task,
            invocation_budget: budgets.invocation,
            project_budget: budgets.project,
            patience: self.limits.checked()?,
            sandbox: self.sandbox,
            checks,
            roles: checked_roles(self.roles, &agents)?,
            agents,
            prices,
        })
    }
}

fn words(command: WrittenCommand) -> Result<Vec<String>, Wrong> {
    let span = command.span();
    let words = command.into_inner();
    if words.is_empty() {
        return Err(wrong(span, Flaw::NoWords));
    }
    // An argument with a zero byte cannot be passed to a program.
    let is_bad = |word: &str| word.trim().is_empty() || word.contains('\0');
    if let Some(bad) = words.iter().find(|word| is_bad(word.get_ref())) {
        return Err(wrong(bad.span(), Flaw::BlankWord));
    }
    Ok(words.into_iter().map(Spanned::into_inner).collect())
}

fn line(key: &'static str, text: Spanned<String>) -> Result<String, Wrong> {
    let is_bad = |text: &str| {
        text.trim().is_empty() || text.len() > LINE_BYTES_MAX || text.contains(char::is_control)
    };
    if is_bad(text.get_ref()) {
        return Err(wrong(text.span(), Flaw::Line { key, bytes_max: LINE_BYTES_MAX }));
    }
    Ok(text.into_inner())
}

fn whole_number(key: &'static str, number: Spanned<i64>, most: u64) -> Result<u64, Wrong> {
    match u64::try_from(*number.get_ref()) {
        Ok(number) if (1..=most).contains(&number) => Ok(number),
        Ok(_) | Err(_) => Err(wrong(number.span(), Flaw::OutOfRange { key, most })),
    }
}

fn micro_dollars(dollars: Spanned<f64>) -> Result<u64, Wrong> {
    let amount = *dollars.get_ref();
    let cents = (amount * 100.0).round();
    let is_in_range = amount > 0.0 && amount <= DOLLARS_MAX as f64;
    // Whole cents survive the division exactly; other amounts do not.
    if !is_in_range || cents / 100.0 != amount {
        return Err(wrong(dollars.span(), Flaw::Dollars { most: DOLLARS_MAX }));
    }
    Ok(cents as u64 * MICRO_DOLLARS_PER_CENT)
}

/// The names the kernel accepts for checks.
fn is_check_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !name.is_empty() && name.len() <= CHECK_NAME_BYTES_MAX && name.bytes().all(is_plain)
}

pub const FILE_NAME: &str = "sealwright.toml";

const TABLES: [&str; 8] =
    ["project", "checks", "agents", "roles", "prices", "sandbox", "budget", "limits"];

/// No person writes a longer file.
const FILE_BYTES_MAX: usize = 256 * 1024;
const CHECK_NAME_BYTES_MAX: usize = 64;
const LINE_BYTES_MAX: usize = 200;
pub const DOLLARS_MAX: u64 = 1_000_000;
const MICRO_DOLLARS_PER_CENT: u64 = 10_000;

#[cfg(test)]
mod documented;
#[cfg(test)]
mod tests;
