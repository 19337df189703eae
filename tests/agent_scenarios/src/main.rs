//! `agent-scenarios`: plays scenes, a line of JSON for each, and writes the page.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};
use sealwright_agent_scenarios::route::{Hands, Route};
use sealwright_agent_scenarios::scenes::{SCENES, Scene, Verdict};
use sealwright_agent_scenarios::table::{Line, page};

#[derive(Parser)]
struct Words {
    #[command(subcommand)]
    command: Play,
}

#[derive(Subcommand)]
enum Play {
    /// Plays every scene on every route that is named.
    All {
        /// Where agents are installed, with their programs in `bin`.
        #[arg(long)]
        agents: PathBuf,
        /// Only these routes.
        #[arg(long, value_delimiter = ',')]
        routes: Vec<String>,
        /// Only these scenes.
        #[arg(long, value_delimiter = ',')]
        scenes: Vec<String>,
        /// How many at one time.
        #[arg(long, default_value_t = 2)]
        together: usize,
    },
    /// Plays the scenes of a small model that is real.
    Small {
        /// Where agents are installed, with their programs in `bin`.
        #[arg(long)]
        agents: PathBuf,
        /// Where the model answers, without the version.
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
    match Words::parse().command {
        Play::All { agents, routes, scenes, together } => {
            let is_wanted = |wanted: &[String], key: &str| {
                wanted.is_empty() || wanted.iter().any(|word| word == key)
            };
            let all = Route::all(&agents);
            for word in &routes {
                ensure!(all.iter().any(|route| route.key == word), "there is no route `{word}`");
            }
            let routes: Vec<&Route> =
                all.iter().filter(|route| is_wanted(&routes, route.key)).collect();
            let scenes: Vec<&Scene> =
                SCENES.iter().filter(|scene| is_wanted(&scenes, scene.key)).collect();
            let pairs: Vec<(&Route, &Scene)> = scenes
                .iter()
                .flat_map(|scene| routes.iter().map(|route| (*route, *scene)))
                .filter(|(route, scene)| route.hands == Hands::Both || scene.needs == Hands::None)
                .collect();
            play(&pairs, together)
        }
        Play::Small { agents, base } => {
            let lines = sealwright_agent_scenarios::small::play(&Route::all(&agents), &base)?;
            for line in &lines {
                say(&(serde_json::to_string(line)? + "\n"));
            }
            let failed = lines.iter().filter(|line| !line.held).count();
            ensure!(failed == 0, "{failed} of {} did not hold", lines.len());
            Ok(())
        }
        Play::Page { version } => {
            let lines = std::io::read_to_string(std::io::stdin())?;
            let lines: Result<Vec<Line>, _> = lines.lines().map(serde_json::from_str).collect();
            let versions: Option<Vec<(String, String)>> = version
                .iter()
                .map(|word| {
                    word.split_once('=')
                        .map(|(agent, release)| (agent.to_owned(), release.to_owned()))
                })
                .collect();
            say(&page(&lines?, &versions.context("a version is `agent=release`")?));
            Ok(())
        }
    }
}

/// Plays all of them, so many at one time, and fails if one did not hold.
fn play(pairs: &[(&Route, &Scene)], together: usize) -> Result<()> {
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let stage = Mutex::new(());
    std::thread::scope(|scope| {
        for _ in 0..together.max(1) {
            scope.spawn(|| {
                while let Some((route, scene)) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let began = now();
                    let verdict = (scene.play)(route).unwrap_or_else(|error| Verdict {
                        held: false,
                        seen: format!("{error:#}"),
                    });
                    failed.fetch_add(usize::from(!verdict.held), Ordering::Relaxed);
                    let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
                    let line = Line::new(route.key, scene.key, verdict, took_ms);
                    let _one_at_a_time = stage.lock();
                    say(&(serde_json::to_string(&line).unwrap_or_default() + "\n"));
                }
            });
        }
    });
    let failed = failed.into_inner();
    ensure!(failed == 0, "{failed} of {} did not hold", pairs.len());
    Ok(())
}

fn say(text: &str) {
    use std::io::Write as _;
    // Whoever stopped reading does not want to know.
    let _ = std::io::stdout().write_all(text.as_bytes());
}

#[expect(clippy::disallowed_methods, reason = "how long a scene takes is told")]
fn now() -> Instant {
    Instant::now()
}
