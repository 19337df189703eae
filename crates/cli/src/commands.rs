//! The commands, one file each: `Args` says what can be typed, `run` does it.

pub(crate) mod journal;
pub(crate) mod replay;
pub(crate) mod verify;

use crate::args::{Args, Command};
use crate::error::CliError;
use crate::output::Output;
use crate::repository::Repository;

pub(crate) fn run(args: &Args) -> Result<(), CliError> {
    let repository = Repository::find(args)?;
    let mut output = Output::new();
    match &args.command {
        Command::Verify(command) => verify::run(command, &repository, args.format, &mut output),
        Command::Replay(command) => replay::run(command, &repository, args.format, &mut output),
        Command::Journal(command) => journal::run(command, &repository, args.format, &mut output),
    }
}

/// Waits for what the engine offers only asynchronously.
fn wait<T>(future: impl Future<Output = T>) -> Result<T, CliError> {
    Ok(tokio::runtime::Builder::new_current_thread().build()?.block_on(future))
}
