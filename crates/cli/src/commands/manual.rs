//! `sealwright man`: the manual, one page for each command, for whoever packs a release.

use std::path::PathBuf;

use clap::CommandFactory as _;

use crate::args::Args as Whole;
use crate::error::CliError;

/// Write the manual into a folder, one page for each command.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder. It has to be there.
    #[arg(value_name = "FOLDER")]
    into: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<(), CliError> {
    clap_mangen::generate_to(Whole::command(), &args.into)
        .map_err(|source| CliError::NotWritten { file: args.into.display().to_string(), source })
}
