//! Faults around a run: each must be reported in certain words, and the run must succeed once the cause is removed.

mod clock;
mod disk;
mod together;

use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::kills::go_on;
use crate::program::{Ran, Running, last_lines, now};
use crate::repository::Repository;
use crate::run::{Lane, begin};
use crate::undisturbed::{PROJECT, Undisturbed};

pub struct Trouble {
    pub name: &'static str,
    inject: Inject,
}

pub struct Report {
    /// A short description.
    pub seen: String,
    pub wrong: Vec<String>,
    pub took: Duration,
}

type Inject = for<'h> fn(&mut Undisturbed<'h>) -> Result<(String, Vec<String>)>;

pub const TROUBLES: &[Trouble] = &[
    Trouble { name: "agent-gone", inject: agent_gone },
    Trouble { name: "continued-twice", inject: together::continued_twice },
    Trouble { name: "begun-twice", inject: together::begun_twice },
    Trouble { name: "disk-full", inject: disk::full },
    Trouble { name: "model-gone", inject: model_gone },
    Trouble { name: "network-cut", inject: network_cut },
    Trouble { name: "clock-set-back", inject: clock::set_back },
];

impl Trouble {
    /// Injects it, removes the cause, and checks everything.
    pub fn run(&self, undisturbed: &mut Undisturbed<'_>) -> Result<Report> {
        let began = now();
        let (seen, wrong) =
            (self.inject)(undisturbed).with_context(|| format!("in `{}`", self.name))?;
        Ok(Report { seen, wrong, took: began.elapsed() })
    }
}

/// The agents' programs are missing on resume.
fn agent_gone(undisturbed: &mut Undisturbed<'_>) -> Result<(String, Vec<String>)> {
    let repository = undisturbed.anew("agent-gone")?;
    stop_at(undisturbed, &repository, "tests")?;
    let empty = tempfile::tempdir_in(repository.environment().root())?;
    let refused = go_on(&repository).with("SEALWRIGHT_AGENTS", empty.path()).run()?;
    let wrong = missing_words(&refused, 20, &["no agent for the role builder"]);
    resumed(undisturbed, &repository, &refused, wrong)
}

/// The model ends in the middle.
fn model_gone(undisturbed: &mut Undisturbed<'_>) -> Result<(String, Vec<String>)> {
    let repository = undisturbed.anew("model-gone")?;
    let running = begin(&repository, PROJECT, Lane::Quick)?.start()?;
    let mut running = asked_for(undisturbed, running, "tests")?;
    undisturbed.stop_model();
    let stalled = running.wait(LIMIT)?;
    let wrong = missing_words(&stalled, 20, &["stalled", "` failed: "]);
    undisturbed.start_model()?;
    resumed(undisturbed, &repository, &stalled, wrong)
}

/// There is no network on resume, not even loopback.
fn network_cut(undisturbed: &mut Undisturbed<'_>) -> Result<(String, Vec<String>)> {
    let repository = undisturbed.anew("network-cut")?;
    stop_at(undisturbed, &repository, "tests")?;
    let cut = go_on(&repository).below(&["unshare", "--net"]).run()?;
    let wrong = missing_words(&cut, 20, &["stalled", "` failed: "]);
    resumed(undisturbed, &repository, &cut, wrong)
}

/// Starts a run and kills it when the model is asked for `piece`.
fn stop_at(undisturbed: &Undisturbed<'_>, repository: &Repository<'_>, piece: &str) -> Result<()> {
    let running = begin(repository, PROJECT, Lane::Quick)?.start()?;
    asked_for(undisturbed, running, piece)?.kill();
    Ok(())
}

/// Waits for one more request for `piece`.
fn asked_for(undisturbed: &Undisturbed<'_>, mut running: Running, piece: &str) -> Result<Running> {
    let model = undisturbed.model()?;
    let count = || {
        let is_asked =
            |seen: &&sealwright_scripted_model::Seen| seen.piece.as_deref() == Some(piece);
        model.requests().iter().filter(is_asked).count()
    };
    let before = count();
    let until = now() + LIMIT;
    while count() == before {
        if let Some(ran) = running.within(GLANCE)? {
            bail!("it ended before it came to `{piece}`: {}{}", ran.said, ran.talked);
        }
        if now() > until {
            bail!("it did not come to `{piece}`: {}", running.talked()?);
        }
    }
    Ok(running)
}

/// The expected words that are missing in the output.
fn missing_words(ran: &Ran, exit: i32, words: &[&str]) -> Vec<String> {
    let said = format!("{}{}", ran.said, ran.talked);
    let mut wrong = Vec::new();
    if ran.code != Some(exit) {
        wrong.push(format!("it ends with {:?}, not with {exit}", ran.code));
    }
    let missing = words.iter().filter(|word| !said.contains(**word));
    wrong.extend(missing.map(|word| format!("it does not say `{word}`")));
    if !wrong.is_empty() {
        wrong.push(last_lines(&said));
    }
    wrong
}

/// Resumes after the cause is removed, and compares the result.
fn resumed(
    undisturbed: &Undisturbed<'_>,
    repository: &Repository<'_>,
    trouble: &Ran,
    mut wrong: Vec<String>,
) -> Result<(String, Vec<String>)> {
    let ran = go_on(repository).run()?;
    wrong.extend(undisturbed.compare(repository, &ran)?);
    Ok((format!("exit {}, {}", trouble.code.unwrap_or(-1), error_of(trouble)), wrong))
}

/// The reported error with its causes.
fn error_of(ran: &Ran) -> String {
    let is_part = |line: &&str| line.starts_with("error: ") || line.starts_with("  caused by: ");
    let parts: Vec<&str> = ran.talked.lines().filter(is_part).map(str::trim).collect();
    parts.join(" ").chars().take(SHOWN_MAX).collect()
}

const LIMIT: Duration = Duration::from_secs(600);
const GLANCE: Duration = Duration::from_millis(20);
const SHOWN_MAX: usize = 300;
