//! `sealwright evaluate`: runs the gates on past changes of a repository.

use std::ops::ControlFlow;
use std::path::Path;

use sealwright_config::ActsOn;
use sealwright_evaluate::{
    self as evaluate, Account, Asked, Change, EvaluateError, Listener, Mutants, Reach,
};
use sealwright_factory::confined;
use sealwright_factory::consent::Consent;
use sealwright_factory::gate_runner::{GateRunner, Tools};
use sealwright_kernel::Lane;
use sealwright_repo::git::is_shallow;

use super::{init, wait};
use crate::args::Format;
use crate::error::{CliError, CliResult};
use crate::output::{Output, sanitize, say};
use crate::repository;

mod people;
mod values;

/// Judge the last changes of this repository with its gates.
///
/// A change is one step of the current branch: a merge, or a commit. Both sides are read from git and evaluated in copies
/// in a sandbox: whether the tests pass, whether tests were removed, skipped or weakened, whether new tests fail without
/// the change, whether the source special-cases its tests, and whether the tests kill mutants. The repository is not
/// written and needs no `.sealwright`. Exit code 0 whatever the gates found; 20 if no change could be evaluated.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Number of changes, the newest first [default: 5, or all after --since].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=LAST_MAX))]
    last: Option<u64>,
    /// Only changes after this commit.
    #[arg(long, value_name = "COMMIT")]
    since: Option<String>,
    /// Time limit for all changes; changes that were not reached are listed.
    #[arg(long, value_name = "N", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(1..=MINUTES_MAX))]
    minutes: u32,
    /// Mutants per change.
    #[arg(long, value_name = "N", default_value_t = 8,
          value_parser = clap::value_parser!(u64).range(1..=MUTANTS_MAX))]
    mutants_max: u64,
    /// Skip mutation testing, which takes most of the time.
    #[arg(long)]
    no_strength: bool,
}

pub(crate) fn run(args: &Args, named: Option<&Path>, output: &mut Output) -> CliResult {
    let root = evaluate::top_of(named.unwrap_or(Path::new(".")))?;
    let config = match repository::configuration(&root)? {
        Some(config) => config,
        None => init::found(&root)?,
    };
    Consent::of_settings(&root, &config)?.require(ActsOn::Sandboxes)?;
    let state = confined::state_folder();
    let least = config.sandbox.least(Lane::Quick);
    let tools = Tools::find(&root);
    let gates =
        GateRunner::open(confined::slots()?, &state, least, tools).map_err(EvaluateError::from)?;
    let asked = args.asked(&root);
    let mut telling = Telling { output, failed: None };
    let summary = wait(evaluate::look_back(&gates, &config, &asked, &state, &mut telling))??;
    if let Some(error) = telling.failed {
        return Err(error);
    }
    match output.format {
        Format::Json => output.json(&values::summary(&summary))?,
        Format::Human => {
            for what in &summary.not_run {
                output.line(&format!("• not run: {}", sanitize(what)))?;
            }
            output.line(&match summary.changes {
                0 => people::no_changes(args.since.as_deref()),
                _ => people::summary(&summary),
            })?;
        }
    }
    if summary.changes < asked.reach.last && is_shallow(&root)? {
        say("• the git history is shallow; older changes are not in this clone");
    }
    if summary.changes == 0 || summary.has_seen_anything() || output.is_closed() {
        Ok(())
    } else {
        Err(CliError::NothingEvaluated)
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

/// Prints each account when it is complete.
struct Telling<'t> {
    output: &'t mut Output,
    failed: Option<CliError>,
}

impl Listener for Telling<'_> {
    fn begins(&mut self, change: &Change, nth: usize, all: usize) {
        say(&format!("• {nth} of {all}: {}", people::title(change)));
    }

    fn ended(&mut self, account: &Account) -> ControlFlow<()> {
        let told = match self.output.format {
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
