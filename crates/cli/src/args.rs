//! What can be typed.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::commands::{
    agents, budget, completions, decide, demo, do_task, doctor, evaluate, evidence, gates, hooks,
    inbox, init, journal, keys, log, manual, mcp, new, pr, replay, restore, sandbox, show, status,
    verify, watch,
};

/// Agents do the work; a deterministic machine decides, from evidence, what may happen next.
#[derive(Debug, Parser)]
#[command(name = "sealwright", version, after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,

    /// The repository to work in [default: the one around the current folder].
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(crate) repository: Option<PathBuf>,

    /// How to print data.
    #[arg(long, global = true, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

/// The commands. What each says of itself stands where its arguments do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Begin here: write `sealwright.toml` and `.sealwright`, and change nothing that is there.
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
    /// Check everything that was ever accepted, offline, from files alone.
    Verify(verify::Args),
    Keys(keys::Args),
    Hooks(hooks::Args),
    /// Fold a stream into the state it stands for.
    Replay(replay::Args),
    /// List the streams, or the records of one.
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

/// How data is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Human,
    /// For programs: one JSON value, or one per line.
    Json,
}

const EXIT_CODES: &str = "\
Exit codes:
   0  done
   2  the command line was not understood
  10  not proven
  11  a person is needed
  12  refused
  20  the environment does not allow it";
