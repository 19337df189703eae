//! `sealwright gates`: what proves work in this project.

use std::path::Path;

use sealwright_engine::config::{self, Check, Config, Set};
use serde_json::{Value, json};

use crate::args::Format;
use crate::error::CliError;
use crate::output::{Output, plain, say, table, table_text};

#[cfg_attr(
    not(test),
    expect(dead_code, reason = "whoever performs a single gate tells of it with this")
)]
mod judged;

/// What proves work in this project.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// List the checks of sealwright.toml: of which kind they are, when they are made, what each proves and needs.
    List,
}

pub(crate) fn run(
    args: &Args,
    repository: Option<&Path>,
    format: Format,
    output: &mut Output,
) -> Result<(), CliError> {
    let What::List = &args.what;
    let root = repository.unwrap_or(Path::new("."));
    let config = Config::load(root.join(config::FILE_NAME))?;
    match format {
        Format::Json => config.checks().iter().try_for_each(|check| output.json(&value(check))),
        Format::Human => people(config.checks(), output),
    }
}

fn people(checks: &[Check], output: &mut Output) -> Result<(), CliError> {
    if checks.is_empty() {
        say("• there is no check yet; docs/gates.md names the kinds");
        return Ok(());
    }
    let mut rows = table(&["name", "kind", "sets", "proves", "needs"], &["proves", "needs"]);
    for check in checks {
        let kind = check.kind;
        rows.add_row([
            &plain(&check.name),
            kind.key,
            &sets(check).join(", "),
            kind.proves,
            kind.needs,
        ]);
    }
    output.line(&table_text(&rows))
}

fn value(check: &Check) -> Value {
    json!({
        "name": check.name,
        "kind": check.kind.key,
        "sets": sets(check),
        "command": check.command,
        "timeout_s": check.timeout_s,
        "proves": check.kind.proves,
        "needs": check.kind.needs,
    })
}

fn sets(check: &Check) -> Vec<&'static str> {
    check.sets.iter().copied().map(Set::name).collect()
}
