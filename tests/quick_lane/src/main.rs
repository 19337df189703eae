//! `quick-lane`: lists and runs the tests, prints a line for each, and the figures in the last line.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::{Parser, Subcommand};
use sealwright_frauds::corpus::chosen;
use sealwright_quick_lane::agent_pair::AgentPair;
use sealwright_quick_lane::cost::Compared;
use sealwright_quick_lane::environment::Environment;
use sealwright_quick_lane::kills;
use sealwright_quick_lane::run::{Lane, QuickRun};
use sealwright_quick_lane::trouble::{TROUBLES, Trouble};
use sealwright_quick_lane::undisturbed::Undisturbed;
use serde_json::json;

/// Quick-lane runs with real agents and a scripted model.
#[derive(Parser)]
#[command(name = "quick-lane")]
struct Args {
    /// The program; by default the one beside this one.
    #[arg(long, global = true)]
    sealwright: Option<PathBuf>,
    /// The folder with the agents' programs in `bin`.
    #[arg(long, global = true)]
    agents: Option<PathBuf>,
    /// Keep all files and print the folder.
    #[arg(long, global = true)]
    keep: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List every run and its expected end.
    List,
    /// Run runs.
    Run {
        /// Only runs whose name contains this.
        #[arg(long)]
        only: Option<String>,
        /// Two of them, chosen by this number.
        #[arg(long)]
        sample: Option<u64>,
    },
    /// Kill an honest run repeatedly, and resume it each time.
    Kills {
        /// The number of kills.
        #[arg(long, default_value_t = 100)]
        count: usize,
        /// In the strict lane.
        #[arg(long)]
        strict: bool,
        /// The seed of the moments; random by default.
        #[arg(long)]
        seed: Option<u64>,
    },
    /// Inject faults into an honest run.
    Trouble {
        /// Only faults whose name contains this.
        #[arg(long)]
        only: Option<String>,
        /// One of them, chosen by this number.
        #[arg(long)]
        sample: Option<u64>,
    },
    /// Count the requests of `do` beside those of the bare agent, for the same change.
    Cost {
        /// One of the agents, chosen by this number.
        #[arg(long)]
        sample: Option<u64>,
    },
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let environment = || Environment::new(args.sealwright.as_deref(), args.agents.as_deref());
    let (environment, done) = match &args.command {
        Command::List => {
            for run in QuickRun::all()? {
                say(&format!("{:28} {}", run.name(), run.ends));
            }
            return Ok(ExitCode::SUCCESS);
        }
        Command::Run { only, sample } => {
            let environment = environment()?;
            let done = run(&environment, only.as_deref().unwrap_or_default(), *sample);
            (environment, done)
        }
        Command::Kills { count, strict, seed } => {
            let environment = environment()?;
            let lane = if *strict { Lane::Strict } else { Lane::Quick };
            let done =
                killing(&environment, lane, *count, seed.unwrap_or_else(|| fastrand::u64(..)));
            (environment, done)
        }
        Command::Trouble { only, sample } => {
            let environment = environment()?;
            let done = trouble(&environment, only.as_deref().unwrap_or_default(), *sample);
            (environment, done)
        }
        Command::Cost { sample } => {
            let environment = environment()?;
            let done = cost(&environment, *sample);
            (environment, done)
        }
    };
    if args.keep {
        say(&format!("everything is in {}", environment.keep().display()));
    }
    Ok(if done? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run(environment: &Environment, only: &str, sample: Option<u64>) -> Result<bool> {
    let named = QuickRun::all()?.into_iter().filter(|run| run.name().contains(only)).collect();
    let chosen: Vec<QuickRun> = chosen(named, 1, sample);
    ensure!(!chosen.is_empty(), "no run has this name");
    let (mut right, mut seconds, mut requests, mut own_max) = (0, 0.0, 0, 0.0_f64);
    for run in &chosen {
        let report = run.run(environment)?;
        let (took, own) = (report.took.as_secs_f64(), report.own.as_secs_f64());
        // An honest run shows the overhead of the lane alone.
        if run.behaviour.is_honest() {
            own_max = own_max.max(own);
        }
        seconds += took;
        requests += report.requests;
        let seen = report.ending.as_ref().map(ToString::to_string).unwrap_or_default();
        let text = format!(
            "{:28} {took:5.1} s, {own:4.1} s of them neither agents nor gates, {} requests: {seen}",
            run.name(),
            report.requests
        );
        right += judged(&text, &report.wrong);
    }
    let figures = json!({
        "runs": chosen.len(), "right": right, "seconds": seconds, "requests": requests,
        "own_seconds_max": own_max,
    });
    say(&figures.to_string());
    Ok(right == chosen.len())
}

fn killing(environment: &Environment, lane: Lane, count: usize, seed: u64) -> Result<bool> {
    say(&format!("seed {seed}"));
    let killed = kills::kill(environment, lane, count, seed, say)?;
    let figures = json!({
        "seed": seed, "kills": killed.kills, "runs": killed.runs,
        "begun_anew": killed.begun_anew, "wrong": killed.wrong.len(),
        "undisturbed_s": killed.undisturbed.as_secs_f64(),
    });
    say(&figures.to_string());
    Ok(killed.wrong.is_empty())
}

fn trouble(environment: &Environment, only: &str, sample: Option<u64>) -> Result<bool> {
    let named = TROUBLES.iter().filter(|trouble| trouble.name.contains(only)).collect();
    let chosen: Vec<&Trouble> = chosen(named, 1, sample);
    ensure!(!chosen.is_empty(), "no trouble is called like that");
    let mut undisturbed = Undisturbed::run(environment, Lane::Quick)?;
    let mut right = 0;
    for trouble in &chosen {
        let report = trouble.run(&mut undisturbed)?;
        let seconds = report.took.as_secs_f64();
        let text = format!("{:18} {seconds:5.1} s: {}", trouble.name, report.seen);
        right += judged(&text, &report.wrong);
    }
    say(&json!({"troubles": chosen.len(), "right": right}).to_string());
    Ok(right == chosen.len())
}

fn cost(environment: &Environment, sample: Option<u64>) -> Result<bool> {
    let mut figures = Vec::new();
    for agent in chosen(vec![AgentPair::CodexAlone, AgentPair::OpencodeAlone], 1, sample) {
        let compared = Compared::measure(environment, agent)?;
        say(&compared.told());
        figures.push(compared.figures());
    }
    say(&json!({ "agents": figures }).to_string());
    Ok(true)
}

/// Prints a line with its violations; 1 if there are none.
fn judged(text: &str, wrong: &[String]) -> usize {
    say(&format!("{} {text}", if wrong.is_empty() { "ok   " } else { "WRONG" }));
    wrong.iter().for_each(|wrong| say(&format!("      {wrong}")));
    usize::from(wrong.is_empty())
}

#[expect(clippy::print_stdout, reason = "lines for people and figures are what it prints")]
fn say(line: &str) {
    println!("{line}");
}
