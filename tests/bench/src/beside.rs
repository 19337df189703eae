//! A comparison program that runs the same steps and reports its own times.
//!
//! It reads `WAY TASKS` on a line and answers with one line of JSON. It measures its own time, so its start and the
//! pipe do not count.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::stopwatch::Rates;

/// A running comparison program, killed on drop.
pub(crate) struct Beside {
    child: Child,
    asks: ChildStdin,
    output: BufReader<ChildStdout>,
    about: Value,
}

/// How the comparison program stores steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// In SQLite with a sync for every commit.
    Full,
    /// In SQLite with the settings of its checkpointer.
    Default,
    /// In memory, each step before the next begins.
    MemorySync,
    /// In memory, each step while the next runs.
    MemoryAsync,
}

impl Beside {
    /// Starts the program with the records of the steps, on the disk of `folder`.
    pub(crate) fn start(
        python: &Path,
        program: &Path,
        records: &[Value],
        folder: &Path,
    ) -> Result<Self> {
        std::fs::create_dir_all(folder)?;
        let (steps, database) = (folder.join("steps.json"), folder.join("checkpoints.sqlite"));
        std::fs::write(&steps, serde_json::to_vec(records)?)?;
        #[expect(clippy::disallowed_methods, reason = "it is measured as people run it")]
        let mut command = Command::new(python);
        // A clean environment: no tracing, no keys.
        command.arg(program).arg(steps).arg(database).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().context("Python could not be started")?;
        let asks = child.stdin.take().context("it hears nothing")?;
        let output = BufReader::new(child.stdout.take().context("it says nothing")?);
        let mut beside = Self { child, asks, output, about: Value::Null };
        beside.about = beside.ask("about 0")?;
        Ok(beside)
    }

    /// Its versions and SQLite settings.
    pub(crate) fn about(&self) -> &Value {
        &self.about
    }

    /// Whether SQLite syncs every commit by default.
    pub(crate) fn syncs_by_default(&self) -> bool {
        self.about["synchronous"].as_u64().is_some_and(|level| level >= SYNCHRONOUS_FULL)
    }

    /// Runs `tasks` tasks; returns steps per second of wall time and of CPU time.
    pub(crate) fn rates(&mut self, way: Way, tasks: u32) -> Result<Rates> {
        let answer = self.ask(&format!("{} {tasks}", way.name()))?;
        let number = |name: &str| answer[name].as_f64().context("a figure is missing");
        let (steps, seconds) = (number("steps")?, number("seconds")?);
        let on_processor = number("processor_seconds")?;
        ensure!(steps > 0.0 && seconds > 0.0 && on_processor > 0.0, "it ran no steps: {answer}");
        Ok(Rates { by_the_clock: steps / seconds, on_processor: steps / on_processor })
    }

    fn ask(&mut self, line: &str) -> Result<Value> {
        writeln!(self.asks, "{line}")?;
        self.asks.flush()?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        ensure!(!answer.is_empty(), "it ended without an answer to `{line}`");
        serde_json::from_str(&answer).with_context(|| format!("no figures in `{}`", answer.trim()))
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Default => "default",
            Self::MemorySync => "memory-sync",
            Self::MemoryAsync => "memory-async",
        }
    }
}

/// SQLite's FULL: a commit returns when the log is synced.
const SYNCHRONOUS_FULL: u64 = 2;
