//! `bench`: steps per second, the cost of each part of a step, and the same steps in a comparison program.
//!
//! Every command prints progress and ends with one line of JSON figures.

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

/// The allocator of `sealwright`.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Measures the steps per second of the engine.
#[derive(Parser)]
#[command(name = "bench")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Whole tasks with durable steps, interleaved with bare writes and the comparison program.
    ///
    /// The written files stay in the folder.
    Durable(Race),
    /// The same with all views of each task after every step.
    Viewed(Race),
    /// Whole tasks in memory, interleaved with the comparison program.
    Memory(Race),
    /// The time of each part of a durable step.
    Split {
        /// A folder on the disk to measure.
        #[arg(long)]
        state: PathBuf,
        /// The number of tasks.
        #[arg(long, default_value_t = 40)]
        tasks: u32,
    },
    /// The time to build a small view and to run a command in it.
    Isolation {
        /// The number of runs.
        #[arg(long, default_value_t = 200)]
        runs: usize,
    },
    /// Print the records of one task with their steps.
    Records,
}

#[derive(clap::Args)]
struct Race {
    /// A folder on the disk to measure.
    #[arg(long)]
    state: PathBuf,
    /// The number of rounds, after one warm-up round.
    #[arg(long, default_value_t = 15)]
    rounds: u32,
    /// The number of tasks per contender and round.
    #[arg(long, default_value_t = 5)]
    tasks: u32,
    /// The Python with LangGraph; without it there is no comparison.
    #[arg(long, requires = "program")]
    python: Option<PathBuf>,
    /// The comparison program.
    #[arg(long)]
    program: Option<PathBuf>,
}

impl Race {
    fn turns(&self) -> Result<Turns> {
        let beside = match (&self.python, &self.program) {
            (Some(python), Some(program)) => {
                Some(Beside::start(python, program, &json_steps()?, &self.state)?)
            }
            (Some(_) | None, _) => None,
        };
        Ok(Turns { folder: self.state.clone(), rounds: self.rounds, tasks: self.tasks, beside })
    }
}

fn main() -> ExitCode {
    // This program is its own launcher: it starts itself again to set up the sandbox.
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
        Command::Records => Ok(Value::Array(json_steps()?)),
    }
}

fn json_steps() -> Result<Vec<Value>> {
    script::steps()?.iter().map(script::Step::to_json).collect()
}

#[expect(clippy::print_stdout, reason = "figures are what it prints")]
fn say(text: &str) {
    println!("{text}");
}
