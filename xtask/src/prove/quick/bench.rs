//! Benchmarks: what the engine adds to a step, with an agent that answers at once. `docs/performance.md` has the
//! method.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::prove::figures::Figures;
use crate::prove::{PublicProgram, Size};
use crate::workspace::{figures_in, last_line_of, root, say, scratch};

pub(super) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    // It is its own launcher, so every user must be able to run it.
    let bench = Bench(PublicProgram::copy(&size.build("sealwright-bench", "bench")?)?);
    figures.tell(format!("bench: {}", machine()));
    let python = match (langgraph(), size) {
        (Ok(python), Size::Quick(_) | Size::Full) => Some(python),
        (Err(error), Size::Full) => return Err(error),
        (Err(error), Size::Quick(_)) => {
            figures.tell(format!("bench: no comparison with LangGraph: {error:#}"));
            None
        }
    };
    let beside = python.as_ref();
    figures.hold_measured(|| durable(&bench, size, beside))?;
    figures.hold_measured(|| memory(&bench, size, beside))?;
    // Views create hundreds of files, which slows later file creation; so this comes last.
    figures.tell(viewed(&bench, size, beside)?);
    figures.tell(split(&bench, size)?);
    figures.tell(sandbox(&bench, size)?);
    Ok(())
}

fn durable(bench: &Bench, size: Size, beside: Option<&PathBuf>) -> Result<(String, bool)> {
    let rounds = size.choose("2", "21");
    let measured = Measured(bench.race("durable", rounds, "8", beside)?);
    let by_bare = measured.number("durable_by_bare")?;
    let mut holds = by_bare >= BARE_SHARE_MIN;
    let mut text = format!(
        "bench: every step durable: {:.0} steps/s ÷ {:.0} bare write+fdatasync/s = {by_bare:.2} (≥ {BARE_SHARE_MIN})",
        measured.number("durable")?,
        measured.number("bare")?,
    );
    if beside.is_some() {
        let by_langgraph = measured.number("durable_by_langgraph")?;
        holds &= by_langgraph >= DURABLE_GAIN_MIN;
        text.push_str(&format!(
            ", ÷ {:.0} of LangGraph with SQLite = {by_langgraph:.1} (≥ {DURABLE_GAIN_MIN})",
            measured.number("langgraph")?
        ));
        if let Ok(unsynced) = measured.number("langgraph_default") {
            text.push_str(&format!(
                "; LangGraph with default settings, which do not sync every step: {unsynced:.0}"
            ));
        }
        say(&format!("  · beside: {}", measured.0["about"]));
    }
    text.push_str(&format!(
        "; {} records of {} bytes a task, medians of {rounds} rounds",
        measured.0["records"], measured.0["record_bytes"]
    ));
    Ok((text, holds))
}

fn viewed(bench: &Bench, size: Size, beside: Option<&PathBuf>) -> Result<String> {
    let measured = Measured(bench.race("viewed", size.choose("2", "21"), "8", beside)?);
    let mut text = format!(
        "bench: with views after every step {:.0} steps/s = {:.2} of bare",
        measured.number("viewed")?,
        measured.number("viewed_by_bare")?
    );
    if beside.is_some() {
        text.push_str(&format!(", {:.1} × LangGraph", measured.number("viewed_by_langgraph")?));
    }
    Ok(text)
}

fn memory(bench: &Bench, size: Size, beside: Option<&PathBuf>) -> Result<(String, bool)> {
    let (rounds, tasks) = size.choose(("2", "5"), ("21", "40"));
    let measured = Measured(bench.race("memory", rounds, tasks, beside)?);
    let mut text = format!("bench: in memory: {:.0} steps/s", measured.number("memory")?);
    let mut holds = true;
    if beside.is_some() {
        let gain = measured.number("memory_by_langgraph")?;
        holds = gain >= MEMORY_GAIN_MIN;
        text.push_str(&format!(
            " ÷ {:.0} of LangGraph in memory = {gain:.1} (≥ {MEMORY_GAIN_MIN})",
            measured.number("langgraph")?
        ));
        if let Ok(gain) = measured.number("memory_by_langgraph_on_processor") {
            text.push_str(&format!(", {gain:.1} in time on a processor"));
        }
    }
    Ok((text, holds))
}

fn split(bench: &Bench, size: Size) -> Result<String> {
    let tasks = size.choose("20", "200");
    let measured = bench.run(&["split", "--tasks", tasks], Where::OnTheDisk)?;
    let memory = Measured(measured["memory"].clone());
    let list = |measured: &Measured, parts: &[&str]| -> Result<String> {
        let parts: Result<Vec<String>> = parts.iter().map(|part| measured.spread(part)).collect();
        Ok(parts?.join(", "))
    };
    Ok(format!(
        "bench: a durable step with views in µs, p50/p99: {}; a step in memory: {}",
        list(&Measured(measured), &["decide", "journal", "render", "rest", "step", "opening"])?,
        list(&memory, &["decide", "journal", "rest", "step"])?,
    ))
}

fn sandbox(bench: &Bench, size: Size) -> Result<String> {
    let runs = size.choose("50", "500");
    let measured = Measured(bench.run(&["isolation", "--runs", runs], Where::Anywhere)?);
    let word = |name: &str| measured.0[name].as_str().unwrap_or("unknown").to_owned();
    Ok(format!(
        "bench: around a step in µs, p50/p99: {} of {} files, {} of `true` ({}, {})",
        measured.spread("view")?,
        measured.0["files"],
        measured.spread("sandbox")?,
        word("mechanism"),
        word("level"),
    ))
}

struct Bench(PublicProgram);

/// Whether the location of the state matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    /// On the disk of the build directory, not in a memory file system.
    OnTheDisk,
    Anywhere,
}

impl Bench {
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

    /// Runs it and parses its last line as figures.
    fn run(&self, words: &[&str], place: Where) -> Result<Value> {
        let mut command = Command::new(&self.0.0);
        command.args(words);
        if place == Where::OnTheDisk {
            command.arg("--state").arg(state());
        }
        let (held, last) = last_line_of(&mut command, |_| {})?;
        ensure!(held, "`bench {}` failed: {last}", words.join(" "));
        figures_in(&last)
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(state());
    }
}

/// The folder for state, on the disk of the build directory.
fn state() -> PathBuf {
    scratch("quick").join("bench")
}

struct Measured(Value);

impl Measured {
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

/// A Python with LangGraph, installed once.
fn langgraph() -> Result<PathBuf> {
    let named = std::env::var_os("SEALWRIGHT_LANGGRAPH").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| scratch("quick").join("langgraph"));
    let made = Command::new(root().join(".ci/langgraph")).arg(&folder).output()?;
    let why = String::from_utf8_lossy(&made.stderr).into_owned();
    let why = why.lines().last().unwrap_or_default();
    ensure!(made.status.success(), "LangGraph is not available: {why}");
    Ok(folder.join("bin/python"))
}

/// The hardware of the measurement.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let place = scratch("quick");
    let mounts = std::fs::read_to_string("/proc/mounts").unwrap_or_default();
    // The mount point with the longest matching path.
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
