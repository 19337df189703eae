//! The commands, one file each: `Args` is the command line, `run` executes it.

pub(crate) mod agents;
pub(crate) mod budget;
pub(crate) mod completions;
pub(crate) mod decide;
pub(crate) mod demo;
pub(crate) mod do_task;
pub(crate) mod doctor;
pub(crate) mod evaluate;
pub(crate) mod evidence;
pub(crate) mod gates;
pub(crate) mod hooks;
pub(crate) mod inbox;
pub(crate) mod init;
pub(crate) mod journal;
pub(crate) mod keys;
pub(crate) mod log;
pub(crate) mod manual;
pub(crate) mod mcp;
pub(crate) mod new;
pub(crate) mod pr;
pub(crate) mod replay;
pub(crate) mod restore;
pub(crate) mod sandbox;
pub(crate) mod show;
pub(crate) mod status;
pub(crate) mod verify;
pub(crate) mod watch;

use crate::args::{Args, Command, Format};
use crate::error::CliError;
use crate::output::Output;
use crate::repository::Repository;

pub(crate) fn run(args: &Args) -> Result<(), CliError> {
    let (format, output) = (args.format, &mut Output::new());
    let found = || Repository::find(args);
    match &args.command {
        // These commands need no `.sealwright`.
        Command::Init(command) => init::run(command, args.repository.as_deref(), format, output),
        Command::Doctor(command) => {
            let around = found().ok().map(|repository| repository.root);
            doctor::run(command, args.repository.as_deref().or(around.as_deref()), format, output)
        }
        Command::Agents(command) => {
            let around = found().ok().map(|repository| repository.root);
            agents::run(command, args.repository.as_deref().or(around.as_deref()), format, output)
        }
        Command::Gates(command) => {
            let around = found().ok().map(|repository| repository.root);
            gates::run(command, args.repository.as_deref().or(around.as_deref()), format, output)
        }
        Command::Demo(command) => demo::run(command, format, output),
        Command::Completions(command) => completions::run(command, output),
        Command::Manual(command) => manual::run(command),
        Command::Do(command) => {
            do_task::run(command, found(), args.repository.as_deref(), format, output)
        }
        Command::Evaluate(command) => {
            evaluate::run(command, args.repository.as_deref(), format, output)
        }
        Command::Sandbox(command) => sandbox::run(command, &found()?, format, output),
        Command::Verify(command) => verify::run(command, &found()?, format, output),
        Command::Keys(command) => keys::run(command, &found()?, format, output),
        Command::Evidence(command) => evidence::run(command, &found()?, format, output),
        Command::Pr(command) => pr::run(command, &found()?, format, output),
        Command::Hooks(command) => hooks::run(command, &found()?, format, output),
        Command::Replay(command) => replay::run(command, &found()?, format, output),
        Command::Restore(command) => restore::run(command, &found()?, format, output),
        Command::Journal(command) => journal::run(command, &found()?, format, output),
        Command::New(command) => new::run(command, &found()?, format, output),
        Command::Status(command) => status::run(command, &found()?, format, output),
        Command::Show(command) => show::run(command, &found()?, format, output),
        Command::Inbox(command) => inbox::run(command, &found()?, format, output),
        Command::Watch(command) => watch::run(command, &found()?, format, output),
        Command::Mcp(command) => mcp::run(command, found()?),
        Command::Log(command) => log::run(command, &found()?, format, output),
        Command::Approve(command) => saying(&found()?, format, output).approve(command),
        Command::Decline(command) => saying(&found()?, format, output).decline(command),
        Command::Resolve(command) => saying(&found()?, format, output).resolve(command),
        Command::Note(command) => saying(&found()?, format, output).note(command),
        Command::Heal(command) => saying(&found()?, format, output).heal(command),
        Command::Adopt(command) => saying(&found()?, format, output).adopt(command),
        Command::Check(command) => saying(&found()?, format, output).check(command),
        Command::Budget(command) => budget::run(command, &found()?, format, output),
        Command::Acknowledge(command) => saying(&found()?, format, output).acknowledge(command),
    }
}

fn saying<'a>(
    repository: &'a Repository,
    format: Format,
    output: &'a mut Output,
) -> decide::Saying<'a> {
    decide::Saying { repository, format, output }
}

/// Runs a future to its end.
fn wait<T>(future: impl Future<Output = T>) -> Result<T, CliError> {
    Ok(tokio::runtime::Builder::new_current_thread().build()?.block_on(future))
}
