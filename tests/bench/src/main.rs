//! `bench`: how many steps a second there are, what a step is spent on, and how fast the same steps are made elsewhere.
//!
//! Every command talks on the way and ends with one line of figures as JSON.

mod bare;
mod beside;
mod interleaved;
mod live;
mod memory;
mod sandbox;
mod script;
mod split;
mod stopwatch;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;
use serde_json::Value;

use crate::beside::Beside;
use crate::interleaved::Turns;

/// The one that `sealwright` has.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// How many steps a second the engine makes.
#[derive(Parser)]
#[command(name = "bench")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Whole tasks with every step durable, in turns with bare writes and with the same steps elsewhere.
    ///
    /// What was written stays in the folder.
    Durable(Race),
    /// The same with all views of each task after every step.
    Viewed(Race),
    /// Whole tasks in memory, in turns with the same steps elsewhere.
    Memory(Race),
    /// What the time of a durable step is spent on.
    Split {
        /// A folder on the disk to be measured.
        #[arg(long)]
        state: PathBuf,
        /// How many tasks.
        #[arg(long, default_value_t = 40)]
        tasks: u32,
    },
    /// How long a small view takes to be built, and a command to be run in it.
    Isolation {
        /// How often.
        #[arg(long, default_value_t = 200)]
        runs: usize,
    },
    /// The records of one task, with the step each of them is.
    Records,
}

#[derive(clap::Args)]
struct Race {
    /// A folder on the disk to be measured.
    #[arg(long)]
    state: PathBuf,
    /// How many rounds count; one more warms everybody up.
    #[arg(long, default_value_t = 15)]
    rounds: u32,
    /// How many tasks each contender does in a round.
    #[arg(long, default_value_t = 5)]
    tasks: u32,
    /// The Python that has LangGraph. Without it there is nobody beside us.
    #[arg(long, requires = "program")]
    python: Option<PathBuf>,
    /// The program that makes the same steps there.
    #[arg(long)]
    program: Option<PathBuf>,
}

impl Race {
    fn turns(&self) -> Result<Turns> {
        let beside = match (&self.python, &self.program) {
            (Some(python), Some(program)) => {
                Some(Beside::start(python, program, &told_steps()?, &self.state)?)
            }
            (Some(_) | None, _) => None,
        };
        Ok(Turns { folder: self.state.clone(), rounds: self.rounds, tasks: self.tasks, beside })
    }
}

fn main() -> ExitCode {
    // This program is its own stage: it starts itself again to put walls up.
    sealwright_sandbox::launcher::take_over_if_asked();
    match run(&Args::parse().command) {
        Ok(figures) => {
            say(&figures.to_string());
            ExitCode::SUCCESS
        }
        Err(error) => {
            say(&format!("failed: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command) -> Result<Value> {
    match command {
        Command::Durable(race) => race.turns()?.durable(),
        Command::Viewed(race) => race.turns()?.viewed(),
        Command::Memory(race) => race.turns()?.memory(),
        Command::Split { state, tasks } => split::measure(state, *tasks),
        Command::Isolation { runs } => sandbox::measure(*runs),
        Command::Records => Ok(Value::Array(told_steps()?)),
    }
}

fn told_steps() -> Result<Vec<Value>> {
    script::steps()?.iter().map(script::Step::told).collect()
}

#[expect(clippy::print_stdout, reason = "figures are what it prints")]
fn say(text: &str) {
    println!("{text}");
}
