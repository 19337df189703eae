//! `sealwright evaluate`: what the gates would have said of the last changes of a repository.

use std::ops::ControlFlow;
use std::path::Path;

use sealwright_evaluate::{
    self as evaluate, Account, Asked, Change, EvaluateError, Listener, Mutants, Reach,
};
use sealwright_factory::config::{self, Config, ConfigError};
use sealwright_factory::confined;
use sealwright_factory::gate_runner::{GateRunner, Tools};
use sealwright_kernel::Lane;

use super::{init, wait};
use crate::args::Format;
use crate::error::CliError;
use crate::output::{Output, say};

mod people;
mod values;

/// Look back: what the gates would have said of the last changes of this repository.
///
/// Each step of the current branch is one change: a merge as a whole, or a commit of its own. Both sides of it are read
/// from the repository's objects and judged in copies, behind walls: do the tests pass, were any removed, skipped or
/// weakened, do the new ones fail without the change, does the source know its tests, and would the tests notice if it
/// were wrong. Nothing of the repository is written and no `.sealwright` is needed. Ends with 0 if it could look, whatever
/// it found, and with 20 if nothing could be looked at.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many changes, the newest first [default: 5, or all that --since leaves].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=LAST_MAX))]
    last: Option<u64>,
    /// Only what came after this commit.
    #[arg(long, value_name = "COMMIT")]
    since: Option<String>,
    /// How long all of it may take. What was not reached is said.
    #[arg(long, value_name = "N", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(1..=MINUTES_MAX))]
    minutes: u32,
    /// How many mutants of each change are tried.
    #[arg(long, value_name = "N", default_value_t = 8,
          value_parser = clap::value_parser!(u64).range(1..=MUTANTS_MAX))]
    mutants_max: u64,
    /// Do not ask what the tests would notice. Much quicker.
    #[arg(long)]
    no_strength: bool,
}

pub(crate) fn run(
    args: &Args,
    named: Option<&Path>,
    format: Format,
    output: &mut Output,
) -> Result<(), CliError> {
    let root = evaluate::top_of(named.unwrap_or(Path::new(".")))?;
    let config = configuration(&root)?;
    let state = confined::state_folder();
    let least = config.sandbox.least(Lane::Quick);
    let tools = Tools::find(&root);
    let gates =
        GateRunner::open(confined::slots()?, &state, least, tools).map_err(EvaluateError::from)?;
    let asked = args.asked(&root);
    let mut telling = Telling { format, output, failed: None };
    let summary = wait(evaluate::look_back(&gates, &config, &asked, &state, &mut telling))??;
    if let Some(error) = telling.failed {
        return Err(error);
    }
    match format {
        Format::Json => output.json(&values::summary(&summary))?,
        Format::Human => output.line(&people::summary(&summary))?,
    }
    if summary.changes == 0 || summary.has_seen_anything() || output.is_closed() {
        Ok(())
    } else {
        Err(CliError::NothingSeen)
    }
}

impl Args {
    fn asked(&self, root: &Path) -> Asked {
        let most = match self.since {
            Some(_) => LAST_MAX,
            None => LAST,
        };
        let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        Asked {
            repository: root.to_owned(),
            reach: Reach { last: count(self.last.unwrap_or(most)), since: self.since.clone() },
            mutants: if self.no_strength {
                Mutants::None
            } else {
                Mutants::AtMost(count(self.mutants_max))
            },
            minutes: self.minutes,
        }
    }
}

/// Today's configuration, or what `init` would write.
fn configuration(root: &Path) -> Result<Config, CliError> {
    match Config::load(root.join(config::FILE_NAME)) {
        Err(ConfigError::Missing { .. }) => init::found(root),
        loaded => Ok(loaded?),
    }
}

/// Tells each account as soon as there is one.
struct Telling<'t> {
    format: Format,
    output: &'t mut Output,
    failed: Option<CliError>,
}

impl Listener for Telling<'_> {
    fn begins(&mut self, change: &Change, nth: usize, all: usize) {
        say(&format!("• {nth} of {all}: {}", people::title(change)));
    }

    fn ended(&mut self, account: &Account) -> ControlFlow<()> {
        let told = match self.format {
            Format::Json => self.output.json(&values::account(account)),
            Format::Human => {
                people::block(account).iter().try_for_each(|line| self.output.line(line))
            }
        };
        if let Err(error) = told {
            self.failed = Some(error);
            return ControlFlow::Break(());
        }
        if self.output.is_closed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

const LAST: u64 = 5;
const LAST_MAX: u64 = Reach::LAST_MAX as u64;
const MINUTES_MAX: i64 = 24 * 60;
const MUTANTS_MAX: u64 = 1_000;
