//! `runs`: lists and runs them, a line for each, and the figures in the last one.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::{Parser, Subcommand};
use sealwright_quick_lane::household::Household;
use sealwright_quick_lane::kills;
use sealwright_quick_lane::run::QuickRun;
use sealwright_quick_lane::trouble::{TROUBLES, Trouble};
use sealwright_quick_lane::undisturbed::Undisturbed;
use serde_json::json;

/// Real runs by real agents, on a scripted model.
#[derive(Parser)]
#[command(name = "quick-lane")]
struct Args {
    /// The program; without it, the one beside this one.
    #[arg(long, global = true)]
    sealwright: Option<PathBuf>,
    /// Where agents are installed, with their programs in `bin`.
    #[arg(long, global = true)]
    agents: Option<PathBuf>,
    /// Leave everything where it is afterwards, and say where.
    #[arg(long, global = true)]
    keep: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List every run and how it must end.
    List,
    /// Run runs.
    Run {
        /// Only those whose name contains this.
        #[arg(long)]
        only: Option<String>,
        /// Two of them, chosen by this number.
        #[arg(long)]
        sample: Option<u64>,
    },
    /// Kill an honest run again and again, and continue it each time.
    Kills {
        /// How often.
        #[arg(long, default_value_t = 100)]
        count: usize,
        /// What moments are drawn from; without it, any.
        #[arg(long)]
        seed: Option<u64>,
    },
    /// Have things go wrong around an honest run.
    Trouble {
        /// Only those whose name contains this.
        #[arg(long)]
        only: Option<String>,
        /// One of them, chosen by this number.
        #[arg(long)]
        sample: Option<u64>,
    },
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    match &args.command {
        Command::List => {
            for run in QuickRun::all()? {
                say(&format!("{:28} {}", run.name(), run.ends));
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Run { only, sample } => {
            let household = household(&args)?;
            let done = run(&household, only.as_deref().unwrap_or_default(), *sample);
            end(&args, household, done)
        }
        Command::Kills { count, seed } => {
            let household = household(&args)?;
            let seed = seed.unwrap_or_else(|| fastrand::u64(..));
            let done = killing(&household, *count, seed);
            end(&args, household, done)
        }
        Command::Trouble { only, sample } => {
            let household = household(&args)?;
            let done = trouble(&household, only.as_deref().unwrap_or_default(), *sample);
            end(&args, household, done)
        }
    }
}

fn household(args: &Args) -> Result<Household> {
    Household::new(args.sealwright.as_deref(), args.agents.as_deref())
}

fn end(args: &Args, household: Household, done: Result<bool>) -> Result<ExitCode> {
    if args.keep {
        say(&format!("everything is in {}", household.keep().display()));
    }
    Ok(if done? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run(household: &Household, only: &str, sample: Option<u64>) -> Result<bool> {
    let named = QuickRun::all()?.into_iter().filter(|run| run.name().contains(only)).collect();
    let chosen: Vec<QuickRun> = chosen(named, 2, sample);
    ensure!(!chosen.is_empty(), "no run has this name");
    let (mut right, mut seconds, mut requests, mut own_max) = (0, 0.0, 0, 0.0_f64);
    for run in &chosen {
        let report = run.run(household)?;
        let (took, own) = (report.took.as_secs_f64(), report.own.as_secs_f64());
        // A change that is made at the first go: nothing but the lane itself.
        if run.behaviour.is_honest() {
            own_max = own_max.max(own);
        }
        seconds += took;
        requests += report.requests;
        let seen = report.ending.as_ref().map(ToString::to_string).unwrap_or_default();
        let mark = if report.wrong.is_empty() { "ok   " } else { "WRONG" };
        say(&format!(
            "{mark} {:28} {took:5.1} s, {own:4.1} s of them neither agents nor gates, {} requests: {seen}",
            run.name(),
            report.requests
        ));
        for wrong in &report.wrong {
            say(&format!("      {wrong}"));
        }
        right += usize::from(report.wrong.is_empty());
    }
    let figures = json!({
        "runs": chosen.len(), "right": right, "seconds": seconds, "requests": requests,
        "own_seconds_max": own_max,
    });
    say(&figures.to_string());
    Ok(right == chosen.len())
}

fn killing(household: &Household, count: usize, seed: u64) -> Result<bool> {
    say(&format!("seed {seed}"));
    let killed = kills::kill(household, count, seed, say)?;
    let figures = json!({
        "seed": seed, "kills": killed.kills, "runs": killed.runs,
        "begun_anew": killed.begun_anew, "wrong": killed.wrong.len(),
        "undisturbed_s": killed.undisturbed.as_secs_f64(),
    });
    say(&figures.to_string());
    Ok(killed.wrong.is_empty())
}

/// All of them, or at least so many, spread evenly; numbers that follow each other choose others.
fn chosen<T>(all: Vec<T>, count: usize, sample: Option<u64>) -> Vec<T> {
    let Some(sample) = sample else { return all };
    let stride = (all.len() / count).max(1);
    let first = (sample % stride as u64) as usize;
    all.into_iter().skip(first).step_by(stride).collect()
}

fn trouble(household: &Household, only: &str, sample: Option<u64>) -> Result<bool> {
    let named = TROUBLES.iter().filter(|trouble| trouble.name.contains(only)).collect();
    let chosen: Vec<&Trouble> = chosen(named, 1, sample);
    ensure!(!chosen.is_empty(), "no trouble is called like that");
    let mut undisturbed = Undisturbed::run(household)?;
    let mut right = 0;
    for trouble in &chosen {
        let report = trouble.run(&mut undisturbed)?;
        let mark = if report.wrong.is_empty() { "ok   " } else { "WRONG" };
        say(&format!(
            "{mark} {:18} {:5.1} s: {}",
            trouble.name,
            report.took.as_secs_f64(),
            report.seen
        ));
        for wrong in &report.wrong {
            say(&format!("      {wrong}"));
        }
        right += usize::from(report.wrong.is_empty());
    }
    say(&json!({"troubles": chosen.len(), "right": right}).to_string());
    Ok(right == chosen.len())
}

#[expect(clippy::print_stdout, reason = "lines for people and figures are what it prints")]
fn say(line: &str) {
    println!("{line}");
}
