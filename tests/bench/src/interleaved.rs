//! Interleaved measurement: disk latency and load vary, so all contenders alternate.
//!
//! A round runs some tasks of every contender in turn, with pending writes flushed in between. Ratios are computed per
//! round, and their median counts.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use sealwright_factory::TaskFolder;
use sealwright_kernel::task::Task;
use sealwright_store::{FileJournal, Journal, Layout};
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;

use crate::bare::Bare;
use crate::beside::{Beside, Way};
use crate::live::{ProgressListener, live, runtime};
use crate::memory::MemoryDisk;
use crate::script::{Script, Step, steps};
use crate::stopwatch::{Rates, median, now, on_processor};

/// The contenders, the folder and the number of rounds.
pub(crate) struct Turns {
    pub(crate) folder: PathBuf,
    pub(crate) rounds: u32,
    pub(crate) tasks: u32,
    pub(crate) beside: Option<Beside>,
}

impl Turns {
    /// Durable steps, interleaved with bare writes and the comparison program.
    pub(crate) fn durable(self) -> Result<Value> {
        self.on_disk("durable", |_, _| ProgressListener::Nobody)
    }

    /// The same with all views of the task after every step.
    pub(crate) fn viewed(self) -> Result<Value> {
        self.on_disk("viewed", |journal, script| {
            ProgressListener::Views(Arc::new(TaskFolder::new(journal, &script.charter().id)))
        })
    }

    fn on_disk(
        mut self,
        name: &'static str,
        listener: impl Fn(&FileJournal, &Script) -> ProgressListener<Task>,
    ) -> Result<Value> {
        std::fs::create_dir_all(&self.folder)?;
        // The folder stays: after many deletions a file system creates files more slowly for minutes, which would
        // distort the next measurement.
        let folder = tempfile::tempdir_in(&self.folder)?.keep();
        let journal = FileJournal::create(folder.join(".sealwright"))?;
        let mut bare = Bare::create(&folder.join("bare"))?;
        let steps = steps()?;
        let mut tasks = Tasks { runtime: runtime()?, tasks: self.tasks, named: 0 };
        let mut seen = Seen::default();
        for round in 0..=self.rounds {
            let ours = tasks.run(&journal, |script| listener(&journal, script))?;
            let mut rates = vec![(name, ours.by_the_clock)];
            settle(&folder)?;
            rates.push(("bare", self.bare(&mut bare, &steps)?));
            settle(&folder)?;
            if let Some(beside) = &mut self.beside {
                rates.push(("langgraph", beside.rates(Way::Full, self.tasks)?.by_the_clock));
                settle(&folder)?;
                if !beside.syncs_by_default() {
                    rates.push((
                        "langgraph_default",
                        beside.rates(Way::Default, self.tasks)?.by_the_clock,
                    ));
                    settle(&folder)?;
                }
            }
            seen.add(round, rates);
        }
        let mut figures = self.summary(&steps, &seen);
        for other in ["bare", "langgraph"] {
            seen.add_ratio(&mut figures, &format!("{name}_by_{other}"), (name, other));
        }
        Ok(Value::Object(figures))
    }

    /// Steps in memory: the same host and journal on a memory disk, and the comparison program.
    pub(crate) fn memory(mut self) -> Result<Value> {
        let steps = steps()?;
        // The usual number of tasks would end within milliseconds, before the CPU reaches its clock speed.
        let mut tasks = Tasks { runtime: runtime()?, tasks: self.tasks * LONGER, named: 0 };
        let mut seen = Seen::default();
        for round in 0..=self.rounds {
            let journal = FileJournal::on(MemoryDisk::default(), Layout::new("/pace"));
            let ours = tasks.run(&journal, |_| ProgressListener::Nobody)?;
            let mut rates =
                vec![("memory", ours.by_the_clock), ("memory_on_processor", ours.on_processor)];
            if let Some(beside) = &mut self.beside {
                for (name, on_processor, way) in WAYS_IN_MEMORY {
                    let rate = beside.rates(way, self.tasks)?;
                    rates.push((name, rate.by_the_clock));
                    rates.push((on_processor, rate.on_processor));
                }
            }
            seen.add(round, rates);
        }
        let mut figures = self.summary(&steps, &seen);
        // The faster mode of the comparison program counts.
        let better = WAYS_IN_MEMORY.into_iter().max_by(|(one, _, _), (other, _, _)| {
            median(seen.of(one)).total_cmp(&median(seen.of(other)))
        });
        if let (Some((name, on_processor, _)), Some(_)) = (better, &self.beside) {
            figures.insert("langgraph".to_owned(), figures[name].clone());
            seen.add_ratio(&mut figures, "memory_by_langgraph", ("memory", name));
            let ratio = ("memory_on_processor", on_processor);
            seen.add_ratio(&mut figures, "memory_by_langgraph_on_processor", ratio);
        }
        Ok(Value::Object(figures))
    }

    fn bare(&self, bare: &mut Bare, steps: &[Step]) -> Result<f64> {
        let begun = now();
        for _ in 0..self.tasks {
            for step in steps {
                bare.append(&step.line)?;
            }
        }
        Ok(f64::from(self.tasks) * steps.len() as f64 / begun.elapsed().as_secs_f64())
    }

    /// The contenders and the median rate of each.
    fn summary(&self, steps: &[Step], seen: &Seen) -> Map<String, Value> {
        let bytes: usize = steps.iter().map(|step| step.line.len()).sum();
        let mut figures = Map::new();
        figures.insert("rounds".to_owned(), json!(self.rounds));
        figures.insert("records".to_owned(), json!(steps.len()));
        figures.insert("record_bytes".to_owned(), json!(bytes / steps.len().max(1)));
        if let Some(beside) = &self.beside {
            figures.insert("about".to_owned(), beside.about().clone());
        }
        for name in seen.names() {
            figures.insert(name.to_owned(), json!(median(seen.of(name)).round()));
        }
        figures
    }
}

/// Whole tasks, each with its own name.
struct Tasks {
    runtime: Runtime,
    tasks: u32,
    named: u32,
}

impl Tasks {
    /// The records per second of one turn.
    fn run<J: Journal>(
        &mut self,
        journal: &J,
        listener: impl Fn(&Script) -> ProgressListener<Task>,
    ) -> Result<Rates> {
        let mut scripts = Vec::new();
        for _ in 0..self.tasks {
            self.named += 1;
            scripts.push(Script::of(&format!("T-pace-{:06}", self.named))?);
        }
        let (begun, before) = (now(), on_processor()?);
        let mut records = 0;
        for script in &scripts {
            let lived = live(journal.clone(), script, listener(script));
            records += self.runtime.block_on(lived)?;
        }
        let (took, busy) = (begun.elapsed(), on_processor()?.saturating_sub(before));
        let rate = |took: Duration| records as f64 / took.as_secs_f64();
        Ok(Rates { by_the_clock: rate(took), on_processor: rate(busy) })
    }
}

#[derive(Default)]
struct Seen(Vec<Vec<(&'static str, f64)>>);

impl Seen {
    /// Round 0 is a warm-up and does not count.
    fn add(&mut self, round: u32, rates: Vec<(&'static str, f64)>) {
        let shown: Vec<String> =
            rates.iter().map(|(name, rate)| format!("{name} {rate:.0}/s")).collect();
        crate::say(&format!("round {round}: {}", shown.join(", ")));
        if round > 0 {
            self.0.push(rates);
        }
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.first().into_iter().flatten().map(|(name, _)| *name)
    }

    fn of(&self, name: &str) -> Vec<f64> {
        self.0.iter().flatten().filter(|(known, _)| *known == name).map(|(_, rate)| *rate).collect()
    }

    fn add_ratio(&self, figures: &mut Map<String, Value>, name: &str, (one, other): (&str, &str)) {
        let (one, other) = (self.of(one), self.of(other));
        if !other.is_empty() {
            let ratios = one.iter().zip(&other).map(|(one, other)| one / other).collect();
            figures.insert(name.to_owned(), json!((median(ratios) * 100.0).round() / 100.0));
        }
    }
}

/// Flushes pending writes, so that they do not slow the next contender.
fn settle(folder: &Path) -> Result<()> {
    Ok(rustix::fs::syncfs(File::open(folder)?)?)
}

/// Factor for the number of our tasks in memory, so that turns have some length.
const LONGER: u32 = 10;
/// The modes of the comparison program in memory, with the names of their rates in wall and CPU time.
const WAYS_IN_MEMORY: [(&str, &str, Way); 2] = [
    ("langgraph_sync", "langgraph_sync_on_processor", Way::MemorySync),
    ("langgraph_async", "langgraph_async_on_processor", Way::MemoryAsync),
];
