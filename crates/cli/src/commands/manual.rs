//! `sealwright man`: manual pages, for packaging.

use std::path::PathBuf;

use clap::CommandFactory as _;

use crate::args::Args as Whole;
use crate::error::{CliError, CliResult};

/// Write manual pages into a folder, one per command.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Existing folder.
    #[arg(value_name = "FOLDER")]
    into: PathBuf,
}

pub(crate) fn run(args: &Args) -> CliResult {
    clap_mangen::generate_to(Whole::command(), &args.into)
        .map_err(|source| CliError::NotWritten { file: args.into.display().to_string(), source })
}
