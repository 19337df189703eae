//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::commands::{
    agents, budget, completions, decide, demo, do_task, doctor, evaluate, evidence, gates, hooks,
    inbox, init, journal, keys, log, manual, mcp, new, pr, replay, restore, sandbox, show, status,
    verify, watch,
};

/// A software factory: coding agents do the work, a deterministic engine decides from evidence what happens next.
#[derive(Debug, Parser)]
#[command(name = "sealwright", version, after_help = EXIT_CODES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Repository folder [default: the nearest folder above that contains `.sealwright`].
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(crate) repository: Option<PathBuf>,

    /// Output format.
    #[arg(long, global = true, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

/// The commands. The help text of a command is the doc comment of its `Args`, unless it is here.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Set up a repository: write `sealwright.toml` and `.sealwright`, keep existing files.
    Init(init::Args),
    Demo(demo::Args),
    Do(do_task::Args),
    New(new::Args),
    Status(status::Args),
    Show(show::Args),
    Inbox(inbox::Args),
    Watch(watch::Args),
    Approve(decide::Approve),
    Decline(decide::Decline),
    Resolve(decide::Resolve),
    Cancel(decide::Cancel),
    Note(decide::Note),
    Heal(decide::Heal),
    Adopt(decide::Adopt),
    Check(decide::Check),
    Acknowledge(decide::Acknowledge),
    Budget(budget::Args),
    Log(log::Args),
    Restore(restore::Args),
    Evidence(evidence::Args),
    Pr(pr::Args),
    /// Verify journal, decisions, evidence and signatures offline.
    Verify(verify::Args),
    Keys(keys::Args),
    Hooks(hooks::Args),
    /// Replay a stream and print its state.
    Replay(replay::Args),
    /// List streams, or the records of one stream.
    Journal(journal::Args),
    Doctor(doctor::Args),
    Agents(agents::Args),
    Gates(gates::Args),
    Evaluate(evaluate::Args),
    Sandbox(sandbox::Args),
    Mcp(mcp::Args),
    Completions(completions::Args),
    #[command(name = "man", hide = true)]
    Manual(manual::Args),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people.
    Human,
    /// One JSON value, or one per line.
    Json,
}

const EXIT_CODES: &str = "\
Exit codes:
   0  done
   2  usage error
  10  not proven
  11  waiting for a person
  12  refused
  20  environment error";
