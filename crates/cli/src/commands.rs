//! The commands, one file each: `Args` is the command line, `run` executes it.

pub(crate) mod agents;
pub(crate) mod allow;
pub(crate) mod budget;
pub(crate) mod completions;
pub(crate) mod decide;
pub(crate) mod demo;
pub(crate) mod do_task;
pub(crate) mod doctor;
pub(crate) mod evaluate;
pub(crate) mod evidence;
pub(crate) mod gates;
pub(crate) mod graph;
pub(crate) mod hooks;
pub(crate) mod inbox;
pub(crate) mod init;
pub(crate) mod journal;
pub(crate) mod keys;
pub(crate) mod log;
pub(crate) mod login;
pub(crate) mod manual;
pub(crate) mod mcp;
pub(crate) mod new;
pub(crate) mod plan;
pub(crate) mod pr;
pub(crate) mod replay;
pub(crate) mod restore;
pub(crate) mod run_project;
pub(crate) mod sandbox;
pub(crate) mod show;
pub(crate) mod sign;
pub(crate) mod spec;
pub(crate) mod status;
pub(crate) mod validate;
pub(crate) mod verify;
pub(crate) mod watch;
pub(crate) mod work;

use std::path::PathBuf;

use crate::args::{Args, Command};
use crate::error::CliResult;
use crate::output::Output;
use crate::repository::Repository;

pub(crate) fn run(args: &Args) -> CliResult {
    let output = &mut Output::new(args.format);
    let found = || Repository::find(args);
    let named = args.repository.as_deref();
    let folder = || match (named, found()) {
        (Some(named), _) => named.to_owned(),
        (None, Ok(repository)) => repository.root,
        (None, Err(_)) => PathBuf::from("."),
    };
    match &args.command {
        // These commands need no `.sealwright`.
        Command::Init(command) => init::run(command, named, output),
        Command::Doctor(command) => doctor::run(command, &folder(), output),
        Command::Agents(command) => agents::run(command, &folder(), output),
        Command::Gates(command) => gates::run(command, &folder(), output),
        Command::Demo(command) => demo::run(command, output),
        Command::Spec(command) => spec::run(command, output),
        Command::Completions(command) => completions::run(command, output),
        Command::Manual(command) => manual::run(command),
        Command::Do(command) => do_task::run(command, found(), named, output),
        Command::Allow(command) => allow::run(command, found(), named, output),
        Command::Login(command) => login::login(command, output),
        Command::Logout(command) => login::logout(command, output),
        Command::Evaluate(command) => evaluate::run(command, named, output),
        Command::Sandbox(command) => sandbox::run(command, &found()?, output),
        Command::Verify(command) => {
            verify::run(command, &Repository::find_or_around(args)?, output)
        }
        Command::Sign(command) => sign::run(command, &found()?, output),
        Command::Keys(command) => keys::run(command, &found()?, output),
        Command::Evidence(command) => evidence::run(command, &found()?, output),
        Command::Pr(command) => pr::run(command, &found()?, output),
        Command::Hooks(command) => hooks::run(command, &found()?, output),
        Command::Replay(command) => replay::run(command, &found()?, output),
        Command::Restore(command) => restore::run(command, &found()?, output),
        Command::Journal(command) => journal::run(command, &found()?, output),
        Command::Plan(command) => plan::run(command, &found()?, output),
        Command::Run(command) => run_project::run(command, &found()?, output),
        Command::Continue(command) => work::go_on(command, &found()?, output),
        Command::Abandon(command) => work::abandon(command, &found()?, output),
        Command::Iterate(command) => work::iterate(command, &found()?, output),
        Command::Validate(command) => validate::validate(command, &found()?, output),
        Command::Stop(command) => validate::stop(command, &found()?, output),
        Command::Graph(command) => graph::run(command, &found()?, output),
        Command::New(command) => new::run(command, &found()?, output),
        Command::Status(command) => status::run(command, &found()?, output),
        Command::Show(command) => show::run(command, &found()?, output),
        Command::Inbox(command) => inbox::run(command, &found()?, output),
        Command::Watch(command) => watch::run(command, &found()?, output),
        Command::Mcp(command) => mcp::run(command, found()?),
        Command::Log(command) => log::run(command, &found()?, output),
        Command::Approve(command) => saying(&found()?, output).approve(command),
        Command::Decline(command) => saying(&found()?, output).decline(command),
        Command::Answer(command) => saying(&found()?, output).answer(command),
        Command::Resolve(command) => saying(&found()?, output).resolve(command),
        Command::Cancel(command) => saying(&found()?, output).cancel(command),
        Command::Note(command) => saying(&found()?, output).note(command),
        Command::Heal(command) => saying(&found()?, output).heal(command),
        Command::Adopt(command) => saying(&found()?, output).adopt(command),
        Command::Check(command) => saying(&found()?, output).check(command),
        Command::Budget(command) => budget::run(command, &found()?, output),
        Command::Acknowledge(command) => saying(&found()?, output).acknowledge(command),
    }
}

fn saying<'a>(repository: &'a Repository, output: &'a mut Output) -> decide::Saying<'a> {
    decide::Saying { repository, output }
}

fn wait<T>(future: impl Future<Output = T>) -> CliResult<T> {
    Ok(tokio::runtime::Builder::new_current_thread().build()?.block_on(future))
}
