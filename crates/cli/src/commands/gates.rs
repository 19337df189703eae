//! `sealwright gates`: lists the checks of a project and runs one.

use std::path::Path;

use sealwright_config::{ActsOn, Check, Config, Set};
use sealwright_factory::confined;
use sealwright_factory::consent::Consent;
use sealwright_factory::gate_runner::gate_preview::{self, GatePreview, GatePreviewError};
use sealwright_factory::gate_runner::{GateRunner, Tools};
use sealwright_kernel::{Lane, Verdict};
use sealwright_views::wire::{CheckRow, CheckSet, GatesLine};

use super::wait;

use crate::args::Format;
use crate::error::{CliError, CliResult};
use crate::output::{Output, sanitize, say, table, table_text};

pub(crate) mod judged;

/// List the checks of this project, or run one.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// List the checks of sealwright.toml with their kind, their gates, what they prove and what they need.
    List,
    /// Run one gate on a commit, in a sandbox.
    ///
    /// The commit is read from git and checked in a copy; the working tree is not touched and uncommitted changes are not
    /// checked. Guarded files are frozen as the commit has them. Nothing is recorded: a trial is no evidence. Exit code 10
    /// if the gate fails or cannot tell; 20 if it cannot run on this machine.
    Try {
        /// NAME of `[checks.NAME]` in sealwright.toml.
        name: String,
        /// Commit, as any git revision.
        #[arg(long, value_name = "REV", default_value = "HEAD")]
        rev: String,
    },
}

pub(crate) fn run(args: &Args, root: &Path, output: &mut Output) -> CliResult {
    let config = Config::load(root.join(sealwright_config::FILE_NAME))?;
    match (&args.what, output.format) {
        (What::List, Format::Json) => {
            config.checks().iter().try_for_each(|check| output.json(&wire(check)))
        }
        (What::List, Format::Human) => people(config.checks(), output),
        (What::Try { name, rev }, _) => attempt(name, (root, rev), &config, output),
    }
}

fn attempt(
    name: &str,
    (root, revision): (&Path, &str),
    config: &Config,
    output: &mut Output,
) -> CliResult {
    let check = gate_preview::named(config, name)?;
    let trial = trial(check, (root, revision), config)?;
    say(&format!("• {} on commit {}", sanitize(name), sanitize(&trial.commit)));
    let judgement = &trial.performed.judgement;
    match output.format {
        Format::Json => output.json(&judged::wire(name, check.kind.key, judgement))?,
        Format::Human => {
            judged::lines(name, judgement).iter().try_for_each(|line| output.line(line))?;
        }
    }
    let said = match judgement.verdict {
        Verdict::Pass => return Ok(()),
        Verdict::Fail => "failed",
        Verdict::CannotTell => "could not tell",
    };
    Err(CliError::GateClosed { name: name.to_owned(), said })
}

/// Performs a check on a commit.
pub(crate) fn trial(
    check: &Check,
    (root, revision): (&Path, &str),
    config: &Config,
) -> CliResult<GatePreview> {
    // Tools run in another folder, so the path must be absolute.
    let root = std::path::absolute(root).map_err(CliError::Nowhere)?;
    Consent::of_settings(&root, config)?.require(ActsOn::Sandboxes)?;
    let state = confined::state_folder();
    let least = config.sandbox.least(Lane::Quick);
    let gates = GateRunner::open(confined::slots()?, &state, least, Tools::find(&root))
        .map_err(GatePreviewError::from)?;
    Ok(wait(gate_preview::attempt(&gates, config, check, (&root, revision), &state))??)
}

fn people(checks: &[Check], output: &mut Output) -> CliResult {
    if checks.is_empty() {
        say("• no checks configured; docs/gates.md lists the kinds");
        return Ok(());
    }
    let mut rows = table(&["name", "kind", "sets", "proves", "needs"], &["proves", "needs"]);
    for check in checks {
        let kind = check.kind;
        rows.add_row([
            &sanitize(&check.name),
            kind.key,
            &sets(check).join(", "),
            kind.proves,
            kind.needs,
        ]);
    }
    output.line(&table_text(&rows))
}

fn wire(check: &Check) -> GatesLine {
    GatesLine::Check(CheckRow {
        name: check.name.clone(),
        kind: check.kind.key.into(),
        sets: check
            .sets
            .iter()
            .map(|set| match set {
                Set::Iteration => CheckSet::Iteration,
                Set::Exit => CheckSet::Exit,
            })
            .collect(),
        command: check.setting.command.iter().map(Into::into).collect(),
        timeout_s: check.setting.timeout_s,
        proves: check.kind.proves.into(),
        needs: check.kind.needs.into(),
    })
}

fn sets(check: &Check) -> Vec<&'static str> {
    check.sets.iter().copied().map(Set::name).collect()
}
