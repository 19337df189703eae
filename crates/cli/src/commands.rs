//! The commands, one file each: `Args` says what can be typed, `run` does it.

pub(crate) mod init;
pub(crate) mod journal;
pub(crate) mod replay;
pub(crate) mod verify;

use crate::args::{Args, Command};
use crate::error::CliError;
use crate::output::Output;
use crate::repository::Repository;

pub(crate) fn run(args: &Args) -> Result<(), CliError> {
    let (format, output) = (args.format, &mut Output::new());
    let found = || Repository::find(args);
    match &args.command {
        // The one command that needs no `.sealwright` yet.
        Command::Init(command) => init::run(command, args.repository.as_deref(), format, output),
        Command::Verify(command) => verify::run(command, &found()?, format, output),
        Command::Replay(command) => replay::run(command, &found()?, format, output),
        Command::Journal(command) => journal::run(command, &found()?, format, output),
    }
}

/// Waits for what the engine offers only asynchronously.
fn wait<T>(future: impl Future<Output = T>) -> Result<T, CliError> {
    Ok(tokio::runtime::Builder::new_current_thread().build()?.block_on(future))
}
