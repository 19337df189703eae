//! `agent-scenarios`: runs scenarios, prints one line of JSON for each, and writes the page.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};
use sealwright_agent_scenarios::route::Route;
use sealwright_agent_scenarios::scenarios::{SCENARIOS, Scenario, Verdict};
use sealwright_agent_scenarios::table::{Line, page};

#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs every scenario on every named route.
    All {
        /// The folder with the agents' programs in `bin`.
        #[arg(long)]
        agents: PathBuf,
        /// Only these routes.
        #[arg(long, value_delimiter = ',')]
        routes: Vec<String>,
        /// Only these scenarios.
        #[arg(long, value_delimiter = ',')]
        scenarios: Vec<String>,
        /// The number of parallel runs.
        #[arg(long, default_value_t = 2)]
        together: usize,
    },
    /// Runs the scenarios with a small real model.
    Small {
        /// The folder with the agents' programs in `bin`.
        #[arg(long)]
        agents: PathBuf,
        /// The base address of the model, without the API version.
        #[arg(long)]
        base: String,
    },
    /// Writes the page from lines on standard input.
    Page {
        /// Agents and their releases, as `agent=release`.
        #[arg(long)]
        version: Vec<String>,
    },
}

fn main() -> Result<()> {
    sealwright_sandbox::launcher::take_over_if_asked();
    match Args::parse().command {
        Command::All { agents, routes, scenarios, together } => {
            let is_wanted =
                |wanted: &[String], key| wanted.is_empty() || wanted.iter().any(|word| word == key);
            let all = Route::all(&agents);
            for word in &routes {
                ensure!(all.iter().any(|route| route.key == word), "unknown route `{word}`");
            }
            let routes: Vec<&Route> =
                all.iter().filter(|route| is_wanted(&routes, route.key)).collect();
            let scenarios: Vec<&Scenario> =
                SCENARIOS.iter().filter(|scenario| is_wanted(&scenarios, scenario.key)).collect();
            let pairs: Vec<(&Route, &Scenario)> = scenarios
                .iter()
                .flat_map(|scenario| routes.iter().map(|route| (*route, *scenario)))
                .filter(|(route, scenario)| scenario.runs_on(route))
                .collect();
            run_all(&pairs, together)
        }
        Command::Small { agents, base } => {
            let lines = sealwright_agent_scenarios::small::run(&Route::all(&agents), &base)?;
            for line in &lines {
                say(&(serde_json::to_string(line)? + "\n"));
            }
            let failed = lines.iter().filter(|line| !line.held).count();
            ensure!(failed == 0, "{failed} of {} scenarios failed", lines.len());
            Ok(())
        }
        Command::Page { version } => {
            let lines = std::io::read_to_string(std::io::stdin())?;
            let lines: Result<Vec<Line>, _> = lines.lines().map(serde_json::from_str).collect();
            let versions: Option<Vec<(String, String)>> = version
                .iter()
                .map(|word| {
                    let (agent, release) = word.split_once('=')?;
                    Some((agent.to_owned(), release.to_owned()))
                })
                .collect();
            say(&page(&lines?, &versions.context("a version is `agent=release`")?));
            Ok(())
        }
    }
}

/// Runs all pairs, `together` at a time, and fails if one did not hold.
fn run_all(pairs: &[(&Route, &Scenario)], together: usize) -> Result<()> {
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let output = Mutex::new(());
    std::thread::scope(|scope| {
        for _ in 0..together.max(1) {
            scope.spawn(|| {
                while let Some((route, scenario)) = pairs.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let began = now();
                    let verdict = (scenario.run)(route).unwrap_or_else(|error| Verdict {
                        held: false,
                        seen: format!("{error:#}"),
                    });
                    failed.fetch_add(usize::from(!verdict.held), Ordering::Relaxed);
                    let line = Line::new(route.key, scenario.key, verdict, began.elapsed());
                    let _one_at_a_time = output.lock();
                    say(&(serde_json::to_string(&line).unwrap_or_default() + "\n"));
                }
            });
        }
    });
    let failed = failed.into_inner();
    ensure!(failed == 0, "{failed} of {} scenarios failed", pairs.len());
    Ok(())
}

fn say(text: &str) {
    use std::io::Write as _;
    // A closed pipe is no error.
    let _ = std::io::stdout().write_all(text.as_bytes());
}

#[expect(clippy::disallowed_methods, reason = "measures the duration of a scenario")]
fn now() -> Instant {
    Instant::now()
}
