//! `sealwright spec check`: what is wrong with a product spec.

use std::path::PathBuf;

use sealwright_kernel::product::{self, Deficiency, Report};
use sealwright_views::wire::{SpecDeficiency, SpecReport};

use crate::args::Format;
use crate::error::{CliError, CliResult};
use crate::input_files;
use crate::output::{Output, bad, counted, good, sanitize, warn};

/// Check a product spec.
///
/// Lists every error and warning at once, each with its place. Errors keep a spec from being planned; warnings are for the
/// person who approves it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Check a file and write nothing.
    Check {
        /// The spec; `-` is standard input.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

pub(crate) fn run(args: &Args, output: &mut Output) -> CliResult {
    let What::Check { file } = &args.what;
    let (report, spec) = product::check(&input_files::read(file)?);
    let tasks = spec.as_ref().and_then(|it| product::plan(it).ok()).map(|it| it.len() as u64);
    match output.format {
        Format::Json => {
            let (errors, warnings) = (wire(&report.errors), wire(&report.warnings));
            output.json(&SpecReport { errors, warnings, tasks })?;
        }
        Format::Human => {
            print(&report, output)?;
            if let Some(tasks) = tasks {
                let told = format!("{} {} to plan", good("✓"), counted(tasks, "task"));
                output.line(&told)?;
            }
        }
    }
    match report.errors.len() {
        0 => Ok(()),
        errors => Err(CliError::SpecErrors { errors }),
    }
}

/// Errors and warnings, a line each.
pub(super) fn print(report: &Report, output: &mut Output) -> CliResult {
    let errors = report.errors.iter().map(|it| (bad("✗"), it));
    let warnings = report.warnings.iter().map(|it| (warn("!"), it));
    for (mark, it) in errors.chain(warnings) {
        output.line(&format!("{mark} {}", named(it)))?;
    }
    Ok(())
}

pub(super) fn wire(deficiencies: &[Deficiency]) -> Vec<SpecDeficiency> {
    let wire = |it: &Deficiency| SpecDeficiency {
        path: it.path.clone(),
        field: it.field.clone(),
        message: (&it.message).into(),
    };
    deficiencies.iter().map(wire).collect()
}

/// A deficiency with its place.
pub(super) fn named(it: &Deficiency) -> String {
    format!("{}: {}", place(it), sanitize(&it.message))
}

fn place(it: &Deficiency) -> String {
    match (it.path.as_str(), it.field.as_str()) {
        ("", "") => "the spec".to_owned(),
        ("", field) => sanitize(field),
        (path, "") => sanitize(path),
        (path, field) => sanitize(&format!("{path}.{field}")),
    }
}
