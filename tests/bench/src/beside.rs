//! Who makes the same steps beside us: a program that is asked for a round and tells how long it took.
//!
//! It reads `WAY TASKS` on a line and answers with one line of JSON. It takes its own time, so that neither its start nor
//! the pipe is part of it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::stopwatch::Rates;

/// A running program. It is ended when this is dropped.
pub(crate) struct Beside {
    child: Child,
    asks: ChildStdin,
    tells: BufReader<ChildStdout>,
    about: Value,
}

/// How its steps are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// In SQLite, which syncs every commit.
    Full,
    /// In SQLite as its checkpointer sets it up.
    Default,
    /// In memory, each step before the next one begins.
    MemorySync,
    /// In memory, each step while the next one is made.
    MemoryAsync,
}

impl Beside {
    /// Starts the program with the records whose steps it is to make, on the disk of `folder`.
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
        // Nothing of whoever measures: no tracing, no keys.
        command.arg(program).arg(steps).arg(database).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().context("Python could not be started")?;
        let asks = child.stdin.take().context("it hears nothing")?;
        let tells = BufReader::new(child.stdout.take().context("it says nothing")?);
        let mut beside = Self { child, asks, tells, about: Value::Null };
        beside.about = beside.ask("about 0")?;
        Ok(beside)
    }

    /// What it says of itself: versions, and how SQLite is set.
    pub(crate) fn about(&self) -> &Value {
        &self.about
    }

    /// Whether SQLite, as it is set up by default, syncs every commit.
    pub(crate) fn syncs_by_default(&self) -> bool {
        self.about["synchronous"].as_u64().is_some_and(|level| level >= SYNCHRONOUS_FULL)
    }

    /// Has it do so many tasks; its steps per second, by the clock and on a processor.
    pub(crate) fn rates(&mut self, way: Way, tasks: u32) -> Result<Rates> {
        let told = self.ask(&format!("{} {tasks}", way.name()))?;
        let number = |name: &str| told[name].as_f64().context("a figure is missing");
        let (steps, seconds) = (number("steps")?, number("seconds")?);
        let on_processor = number("processor_seconds")?;
        ensure!(steps > 0.0 && seconds > 0.0 && on_processor > 0.0, "it did nothing: {told}");
        Ok(Rates { by_the_clock: steps / seconds, on_processor: steps / on_processor })
    }

    fn ask(&mut self, line: &str) -> Result<Value> {
        writeln!(self.asks, "{line}")?;
        self.asks.flush()?;
        let mut told = String::new();
        self.tells.read_line(&mut told)?;
        ensure!(!told.is_empty(), "it ended without an answer to `{line}`");
        serde_json::from_str(&told).with_context(|| format!("no figures in `{}`", told.trim()))
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

/// What SQLite calls FULL: a commit returns when the log is synced.
const SYNCHRONOUS_FULL: u64 = 2;
