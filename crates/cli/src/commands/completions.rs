//! `sealwright completions`: completion scripts for shells.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::args::Args as Whole;
use crate::error::CliResult;
use crate::output::Output;

/// Print the completion script of a shell.
///
/// For example `sealwright completions bash > ~/.local/share/bash-completion/completions/sealwright`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> CliResult {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Whole::command(), PROGRAM, &mut script);
    let script = String::from_utf8_lossy(&script);
    output.line(script.trim_end())
}

const PROGRAM: &str = "sealwright";
