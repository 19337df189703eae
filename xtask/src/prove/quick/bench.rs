//! Pace: what the engine adds to a step, with an agent that answers at once. `docs/performance.md` says how it is measured.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::{build, build_quickly, root, say, scratch};

pub(super) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let pace = Pace::build(size)?;
    figures.tell(format!("pace: {}", machine()));
    let python = match (langgraph(), size) {
        (Ok(python), Size::Quick(_) | Size::Full) => Some(python),
        (Err(error), Size::Full) => return Err(error),
        (Err(error), Size::Quick(_)) => {
            figures.tell(format!("pace: nobody beside us: {error:#}"));
            None
        }
    };
    let beside = python.as_ref();
    figures.hold_measured(|| durable(&pace, size, beside))?;
    figures.hold_measured(|| memory(&pace, size, beside))?;
    // Views put hundreds of files into each other's places, which everybody's new files pay for afterwards.
    figures.tell(viewed(&pace, size, beside)?);
    figures.tell(split(&pace, size)?);
    figures.tell(walls(&pace, size)?);
    Ok(())
}

fn durable(pace: &Pace, size: Size, beside: Option<&PathBuf>) -> Result<(String, bool)> {
    let rounds = rounds_on_disk(size);
    let told = Told(pace.race("durable", rounds, "8", beside)?);
    let by_bare = told.number("durable_by_bare")?;
    let mut holds = by_bare >= BARE_SHARE_MIN;
    let mut text = format!(
        "pace: every step durable: {:.0} steps/s ÷ {:.0} bare write+fdatasync/s = {by_bare:.2} (≥ {BARE_SHARE_MIN})",
        told.number("durable")?,
        told.number("bare")?,
    );
    if beside.is_some() {
        let by_langgraph = told.number("durable_by_langgraph")?;
        holds &= by_langgraph >= DURABLE_GAIN_MIN;
        text.push_str(&format!(
            ", ÷ {:.0} of LangGraph with SQLite = {by_langgraph:.1} (≥ {DURABLE_GAIN_MIN})",
            told.number("langgraph")?
        ));
        if let Ok(unsynced) = told.number("langgraph_default") {
            text.push_str(&format!(
                "; LangGraph as it is set by default, which does not sync every step: {unsynced:.0}"
            ));
        }
        say(&format!("  · beside: {}", told.0["about"]));
    }
    text.push_str(&format!(
        "; {} records of {} bytes a task, medians of {rounds} rounds",
        told.0["records"], told.0["record_bytes"]
    ));
    Ok((text, holds))
}

fn viewed(pace: &Pace, size: Size, beside: Option<&PathBuf>) -> Result<String> {
    let told = Told(pace.race("viewed", rounds_on_disk(size), "8", beside)?);
    let mut text = format!(
        "pace: with views after every step {:.0} steps/s = {:.2} of bare",
        told.number("viewed")?,
        told.number("viewed_by_bare")?
    );
    if beside.is_some() {
        text.push_str(&format!(", {:.1} × LangGraph", told.number("viewed_by_langgraph")?));
    }
    Ok(text)
}

fn rounds_on_disk(size: Size) -> &'static str {
    match size {
        Size::Quick(_) => "4",
        Size::Full => "21",
    }
}

fn memory(pace: &Pace, size: Size, beside: Option<&PathBuf>) -> Result<(String, bool)> {
    let (rounds, tasks) = match size {
        Size::Quick(_) => ("4", "10"),
        Size::Full => ("21", "40"),
    };
    let told = Told(pace.race("memory", rounds, tasks, beside)?);
    let mut text = format!("pace: in memory: {:.0} steps/s", told.number("memory")?);
    let mut holds = true;
    if beside.is_some() {
        let gain = told.number("memory_by_langgraph")?;
        holds = gain >= MEMORY_GAIN_MIN;
        text.push_str(&format!(
            " ÷ {:.0} of LangGraph in memory = {gain:.1} (≥ {MEMORY_GAIN_MIN})",
            told.number("langgraph")?
        ));
        if let Ok(gain) = told.number("memory_by_langgraph_on_processor") {
            text.push_str(&format!(", {gain:.1} in time on a processor"));
        }
    }
    Ok((text, holds))
}

fn split(pace: &Pace, size: Size) -> Result<String> {
    let tasks = match size {
        Size::Quick(_) => "20",
        Size::Full => "200",
    };
    let told = pace.run(&["split", "--tasks", tasks], Where::OnTheDisk)?;
    let memory = Told(told["memory"].clone());
    let list = |told: &Told, parts: &[&str]| -> Result<String> {
        let parts: Result<Vec<String>> = parts.iter().map(|part| told.spread(part)).collect();
        Ok(parts?.join(", "))
    };
    Ok(format!(
        "pace: a durable step with views in µs, p50/p99: {}; a step in memory: {}",
        list(&Told(told), &["decide", "journal", "render", "rest", "step", "opening"])?,
        list(&memory, &["decide", "journal", "rest", "step"])?,
    ))
}

fn walls(pace: &Pace, size: Size) -> Result<String> {
    let runs = match size {
        Size::Quick(_) => "50",
        Size::Full => "500",
    };
    let told = Told(pace.run(&["walls", "--runs", runs], Where::Anywhere)?);
    let word = |name: &str| told.0[name].as_str().unwrap_or("unknown").to_owned();
    Ok(format!(
        "pace: around a step in µs, p50/p99: {} of {} files, {} of `true` ({}, {})",
        told.spread("view")?,
        told.0["files"],
        told.spread("sandbox")?,
        word("mechanism"),
        word("level"),
    ))
}

/// The program that measures.
struct Pace {
    program: PathBuf,
}

/// Whether it matters where a command runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    /// On the disk of the build, not in a memory file system.
    OnTheDisk,
    Anywhere,
}

impl Pace {
    /// With every change as the tests have built it already; in full as it is measured.
    fn build(size: Size) -> Result<Self> {
        let built = match size {
            Size::Quick(_) => build_quickly("bench")?,
            Size::Full => build("sealwright-bench")?.with_file_name("bench"),
        };
        // Where every user may run it: it is its own stage.
        let program = std::env::temp_dir().join(format!("sealwright-bench-{}", std::process::id()));
        std::fs::copy(built, &program)?;
        Ok(Self { program })
    }

    fn race(
        &self,
        what: &str,
        rounds: &str,
        tasks: &str,
        beside: Option<&PathBuf>,
    ) -> Result<Value> {
        let mut words = vec![what, "--rounds", rounds, "--tasks", tasks];
        let python = beside.map(|python| python.display().to_string());
        let program = root().join("tests/bench/langgraph_steps.py").display().to_string();
        if let Some(python) = &python {
            words.extend(["--python", python, "--program", &program]);
        }
        self.run(&words, Where::OnTheDisk)
    }

    /// Has it run, and reads its last line, which holds figures.
    fn run(&self, words: &[&str], place: Where) -> Result<Value> {
        let mut command = Command::new(&self.program);
        command.args(words);
        if place == Where::OnTheDisk {
            command.arg("--state").arg(state());
        }
        let spawned = command.stdout(Stdio::piped()).spawn();
        let mut child = spawned.context("the measuring program could not be started")?;
        let stdout = child.stdout.take().context("its output is not there")?;
        let mut last = String::new();
        for line in BufReader::new(stdout).lines() {
            last = line?;
        }
        ensure!(child.wait()?.success(), "`pace {}` did not end well: {last}", words.join(" "));
        serde_json::from_str(&last).with_context(|| format!("no figures in `{last}`"))
    }
}

impl Drop for Pace {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.program);
        let _ = std::fs::remove_dir_all(state());
    }
}

/// Where steps are kept, on the disk of the build.
fn state() -> PathBuf {
    scratch("quick").join("pace")
}

/// What a run told.
struct Told(Value);

impl Told {
    fn number(&self, name: &str) -> Result<f64> {
        self.0[name].as_f64().with_context(|| format!("the figure `{name}` is missing"))
    }

    fn spread(&self, name: &str) -> Result<String> {
        let part = |place: &str| {
            let figure = self.0[name][place].as_f64();
            figure.with_context(|| format!("the figure `{name}` is missing"))
        };
        Ok(format!("{name} {:.0}/{:.0}", part("p50_us")?, part("p99_us")?))
    }
}

/// A Python with LangGraph, made once.
fn langgraph() -> Result<PathBuf> {
    let named = std::env::var_os("SEALWRIGHT_LANGGRAPH").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| scratch("quick").join("langgraph"));
    let made = Command::new(root().join(".ci/langgraph")).arg(&folder).output()?;
    let why = String::from_utf8_lossy(&made.stderr).into_owned();
    let why = why.lines().last().unwrap_or_default();
    ensure!(made.status.success(), "LangGraph cannot be had here: {why}");
    Ok(folder.join("bin/python"))
}

/// What it was measured on.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let place = scratch("quick");
    let mounts = std::fs::read_to_string("/proc/mounts").unwrap_or_default();
    // The mount with the longest path that the folder stands below.
    let disk = mounts
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            let (device, at, kind) = (words.next()?, words.next()?, words.next()?);
            place.starts_with(at).then(|| (at.len(), format!("{kind} on {device}")))
        })
        .max();
    let disk = disk.map_or_else(|| "an unknown disk".to_owned(), |(_, disk)| disk);
    format!("{cores} cores, {disk}")
}

const BARE_SHARE_MIN: f64 = 0.7;
const DURABLE_GAIN_MIN: f64 = 2.0;
const MEMORY_GAIN_MIN: f64 = 50.0;
