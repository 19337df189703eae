//! Trouble: what can go wrong around an run, each with the words in which it must be told, and with what it comes to
//! once the cause is mended.

mod clock;
mod disk;
mod together;

use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::kills::go_on;
use crate::program::{Ran, Running, last_lines, now};
use crate::repository::Repository;
use crate::run::begin;
use crate::undisturbed::{GROUND, Undisturbed};

/// Something that goes wrong.
pub struct Trouble {
    /// What it is called.
    pub name: &'static str,
    play: Play,
}

/// What was seen of it.
pub struct Report {
    /// In a line.
    pub seen: String,
    /// What is not as it must be, in words.
    pub wrong: Vec<String>,
    /// How long it took.
    pub took: Duration,
}

type Play = for<'h> fn(&mut Undisturbed<'h>) -> Result<(String, Vec<String>)>;

/// Every trouble.
pub const TROUBLES: &[Trouble] = &[
    Trouble { name: "agent-gone", play: agent_gone },
    Trouble { name: "continued-twice", play: together::continued_twice },
    Trouble { name: "begun-twice", play: together::begun_twice },
    Trouble { name: "disk-full", play: disk::full },
    Trouble { name: "model-gone", play: model_gone },
    Trouble { name: "network-cut", play: network_cut },
    Trouble { name: "clock-set-back", play: clock::set_back },
];

impl Trouble {
    /// Has it happen, mends it, and looks at everything.
    pub fn run(&self, undisturbed: &mut Undisturbed<'_>) -> Result<Report> {
        let began = now();
        let (seen, wrong) =
            (self.play)(undisturbed).with_context(|| format!("in `{}`", self.name))?;
        Ok(Report { seen, wrong, took: began.elapsed() })
    }
}

/// The programs of the agents are not there when somebody continues.
fn agent_gone(undisturbed: &mut Undisturbed<'_>) -> Result<(String, Vec<String>)> {
    let repository = undisturbed.anew("agent-gone")?;
    stop_at(undisturbed, &repository, "shape")?;
    let empty = tempfile::tempdir_in(repository.household().root())?;
    let refused = go_on(&repository).with("SEALWRIGHT_AGENTS", empty.path()).run()?;
    let wrong = told(&refused, 20, &["nobody plays the builder"]);
    mended(undisturbed, &repository, &refused, wrong)
}

/// The model ends in the middle.
fn model_gone(undisturbed: &mut Undisturbed<'_>) -> Result<(String, Vec<String>)> {
    let repository = undisturbed.anew("model-gone")?;
    let running = begin(&repository, GROUND)?.start()?;
    let mut running = asked_for(undisturbed, running, "tests")?;
    undisturbed.stop_model();
    let stalled = running.wait(LIMIT)?;
    let wrong = told(&stalled, 20, &["cannot go on", "was not played"]);
    undisturbed.start_model()?;
    mended(undisturbed, &repository, &stalled, wrong)
}

/// There is no network at all when somebody continues, not even this machine's own.
fn network_cut(undisturbed: &mut Undisturbed<'_>) -> Result<(String, Vec<String>)> {
    let repository = undisturbed.anew("network-cut")?;
    stop_at(undisturbed, &repository, "shape")?;
    let cut = go_on(&repository).below(&["unshare", "--net"]).run()?;
    let wrong = told(&cut, 20, &["cannot go on", "was not played"]);
    mended(undisturbed, &repository, &cut, wrong)
}

/// Begins an run and has it killed while the model is asked for `piece`.
fn stop_at(undisturbed: &Undisturbed<'_>, repository: &Repository<'_>, piece: &str) -> Result<()> {
    let running = begin(repository, GROUND)?.start()?;
    asked_for(undisturbed, running, piece)?.kill();
    Ok(())
}

/// Waits until the model is asked for a piece once more than it was.
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

/// What is missing of what had to be told.
fn told(ran: &Ran, exit: i32, words: &[&str]) -> Vec<String> {
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

/// Goes on once the cause is mended, and compares what comes of it.
fn mended(
    undisturbed: &Undisturbed<'_>,
    repository: &Repository<'_>,
    trouble: &Ran,
    mut wrong: Vec<String>,
) -> Result<(String, Vec<String>)> {
    let ran = go_on(repository).run()?;
    wrong.extend(undisturbed.compare(repository, &ran)?);
    Ok((format!("exit {}, {}", trouble.code.unwrap_or(-1), error_of(trouble)), wrong))
}

/// What went wrong as it was told, with its causes.
fn error_of(ran: &Ran) -> String {
    let is_part = |line: &&str| line.starts_with("error: ") || line.starts_with("  because ");
    let parts: Vec<&str> = ran.talked.lines().filter(is_part).map(str::trim).collect();
    parts.join(" ").chars().take(SHOWN_MAX).collect()
}

const LIMIT: Duration = Duration::from_secs(600);
const GLANCE: Duration = Duration::from_millis(20);
const SHOWN_MAX: usize = 300;
