//! Runs many seeds on every core; can be stopped and resumed.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Parser;
use sealwright_sim::{Seen, Violation, run};

/// Runs a careless world, driven by a seed, against the engine, the journal and the rules.
#[derive(Parser)]
struct Args {
    /// The machine to run.
    #[arg(long, value_enum, default_value_t = Machine::Errand)]
    machine: Machine,
    /// The number of seeds.
    #[arg(long, default_value_t = 10_000)]
    seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// A file that remembers the progress, so that the next run continues there.
    #[arg(long)]
    resume: Option<PathBuf>,
    /// Run one seed and print its counters.
    #[arg(long, conflicts_with_all = ["seeds", "from", "resume"])]
    seed: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Machine {
    Errand,
    Task,
}

impl Machine {
    fn run(self, seed: u64) -> Result<Seen, Violation> {
        match self {
            Self::Errand => run::<sealwright_sample_machine::Errand>(seed),
            Self::Task => run::<sealwright_kernel::task::Task>(seed),
        }
    }
}

#[expect(clippy::print_stdout, reason = "the figures are what this prints")]
fn main() -> anyhow::Result<ExitCode> {
    let args = Args::parse();
    if let Some(seed) = args.seed {
        return Ok(match args.machine.run(seed) {
            Ok(seen) => {
                println!("seed {seed}: {seen:?}");
                ExitCode::SUCCESS
            }
            Err(violation) => report(args.machine, &violation),
        });
    }
    let until = args.from + args.seeds;
    let mut from = match &args.resume {
        Some(path) => {
            std::fs::read_to_string(path).unwrap_or_default().trim().parse().unwrap_or(args.from)
        }
        None => args.from,
    };
    let resumed_at = from;
    let mut seen = Seen::default();
    while from < until {
        let upto = until.min(from + STRETCH);
        match stretch(args.machine, from, upto) {
            Ok(one) => seen.add(&one),
            Err(violation) => return Ok(report(args.machine, &violation)),
        }
        from = upto;
        if let Some(path) = &args.resume {
            std::fs::write(path, from.to_string())?;
        }
    }
    if resumed_at > args.from {
        let earlier = resumed_at - args.from;
        println!("the first {earlier} seeds held in an earlier run of this program");
    }
    println!(
        "{} seeds now, 0 violations; {} lives, {} killed at an await, {} in a disk operation, \
         {} power losses, {} disk errors, {} performances, {} refusals, {} reports not durable, \
         {} torn tails, {} records",
        until.saturating_sub(resumed_at),
        seen.lives,
        seen.killed_at_an_await,
        seen.killed_in_a_disk_operation,
        seen.power_losses,
        seen.disk_errors,
        seen.performances,
        seen.refusals,
        seen.not_durable,
        seen.torn_tails,
        seen.records,
    );
    Ok(ExitCode::SUCCESS)
}

/// Runs a range of seeds on every core; the lowest violation counts.
fn stretch(machine: Machine, from: u64, upto: u64) -> Result<Seen, Violation> {
    let next = AtomicU64::new(from);
    let outcome: Mutex<(Seen, Option<Violation>)> = Mutex::default();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= upto {
                        break;
                    }
                    let ran = machine.run(seed);
                    let mut outcome = outcome.lock().expect("no seed panics while counting");
                    match ran {
                        Ok(one) => outcome.0.add(&one),
                        Err(violation) => {
                            next.store(upto, Ordering::Relaxed);
                            let is_lower = outcome.1.as_ref().is_none_or(|it| it.seed > seed);
                            if is_lower {
                                outcome.1 = Some(violation);
                            }
                        }
                    }
                }
            });
        }
    });
    let (seen, violation) = outcome.into_inner().expect("no seed panics while counting");
    violation.map_or(Ok(seen), Err)
}

#[expect(clippy::print_stdout, reason = "the violation is what this prints")]
fn report(machine: Machine, Violation { seed, what }: &Violation) -> ExitCode {
    println!("violation at seed {seed}: {what}");
    let machine = format!("{machine:?}").to_lowercase();
    println!(
        "replay it with: cargo run --release -p sealwright-sim -- --machine {machine} --seed {seed}"
    );
    ExitCode::FAILURE
}

const STRETCH: u64 = 10_000;
