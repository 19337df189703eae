//! The parts of a durable step: rules, journal, views, and the rest.
//!
//! Wrappers around the machine, the journal and the views measure their time. A step lasts from the views of one record
//! to those of the next. Everything runs on one thread.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use sealwright_factory::TaskFolder;
use sealwright_host::Observer;
use sealwright_kernel::task::{Effect, Event, Input, Rejected, Task};
use sealwright_kernel::{EffectId, Machine, StreamId};
use sealwright_store::{
    Draft, Each, FileJournal, Head, Journal, JournalError, Layout, Snapshot, Writer,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::live::{ProgressListener, live, runtime};
use crate::memory::MemoryDisk;
use crate::script::Script;
use crate::stopwatch::{now, spread, timed};

/// The median and 99th percentile of each part in microseconds: durable with views, and in memory.
pub(crate) fn measure(state: &Path, tasks: u32) -> Result<Value> {
    std::fs::create_dir_all(state)?;
    let folder = tempfile::tempdir_in(state)?;
    let journal = FileJournal::create(folder.path().join(".sealwright"))?;
    let durable = account(&journal, tasks, |script| {
        let folder = TaskFolder::new(&journal, &script.charter().id);
        ProgressListener::Views(Arc::new(WatchedFolder(folder)))
    })?;
    let journal = FileJournal::on(MemoryDisk::default(), Layout::new("/pace"));
    let memory = account(&journal, tasks, |_| ProgressListener::Views(Arc::new(WatchedSteps)))?;
    let mut figures = summary(&durable);
    figures.insert("memory".to_owned(), Value::Object(self::summary(&memory)));
    Ok(Value::Object(figures))
}

fn account<J: Journal>(
    journal: &J,
    tasks: u32,
    listener: impl Fn(&Script) -> ProgressListener<Watched>,
) -> Result<Vec<Vec<Step>>> {
    let runtime = runtime()?;
    let mut steps = Vec::new();
    // The first task is a warm-up and does not count.
    for nth in 0..=tasks {
        let script = Script::of(&format!("T-pace-{nth:06}"))?;
        let listener = listener(&script);
        ACCOUNT.with_borrow_mut(Account::begin);
        runtime.block_on(live(WatchedJournal(journal.clone()), &script, listener))?;
        let account = ACCOUNT.take();
        if nth > 0 {
            steps.push(account.steps);
        }
    }
    Ok(steps)
}

fn summary(steps: &[Vec<Step>]) -> Map<String, Value> {
    let mut figures = Map::new();
    let parts: [(&str, Spent); 5] = [
        ("decide", |step| step.decide),
        ("journal", |step| step.journal),
        ("render", |step| step.render),
        ("rest", Step::rest),
        ("step", |step| step.whole),
    ];
    // The first record of a task creates its stream, which is reported separately.
    for (name, part) in parts {
        let later = steps.iter().flat_map(|steps| steps.iter().skip(1));
        figures.insert(name.to_owned(), spread(later.map(part).collect()));
    }
    let first = steps.iter().filter_map(|steps| steps.first());
    figures.insert("opening".to_owned(), spread(first.map(|step| step.whole).collect()));
    figures
}

type Spent = fn(&Step) -> Duration;

#[derive(Clone, Copy, Default)]
struct Step {
    decide: Duration,
    journal: Duration,
    render: Duration,
    whole: Duration,
}

impl Step {
    /// The agenda, the runtime, and the delivery of the answer.
    fn rest(&self) -> Duration {
        self.whole.saturating_sub(self.decide + self.journal + self.render)
    }
}

#[derive(Default)]
struct Account {
    begun: Option<Instant>,
    current: Step,
    steps: Vec<Step>,
}

impl Account {
    fn begin(&mut self) {
        *self = Self { begun: Some(now()), ..Self::default() };
    }

    fn close_step(&mut self) {
        let end = now();
        let whole = self.begun.map(|begun| end - begun).unwrap_or_default();
        self.steps.push(Step { whole, ..std::mem::take(&mut self.current) });
        self.begun = Some(end);
    }
}

thread_local! {
    static ACCOUNT: RefCell<Account> = RefCell::default();
}

fn charge<T>(to: fn(&mut Step) -> &mut Duration, work: impl FnOnce() -> T) -> T {
    let (made, took) = timed(work);
    ACCOUNT.with_borrow_mut(|account| *to(&mut account.current) += took);
    made
}

/// A task that measures its rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
struct Watched(Task);

impl Machine for Watched {
    type Input = Input;
    type Event = Event;
    type Effect = Effect;
    type Rejected = Rejected;

    fn decide(&self, input: &Input) -> Result<Vec<Event>, Rejected> {
        charge(|step| &mut step.decide, || self.0.decide(input))
    }

    fn evolve(&mut self, event: &Event) {
        charge(|step| &mut step.decide, || self.0.evolve(event));
    }

    fn owed(&self) -> Vec<Effect> {
        charge(|step| &mut step.decide, || self.0.owed())
    }

    fn is_over(&self) -> bool {
        charge(|step| &mut step.decide, || self.0.is_over())
    }

    fn owed_after(&self, events: &[Event]) -> Vec<Effect> {
        charge(|step| &mut step.decide, || self.0.owed_after(events))
    }

    fn owes(&self, id: &EffectId) -> bool {
        charge(|step| &mut step.decide, || self.0.owes(id))
    }
}

/// Views that measure themselves; they end a step.
struct WatchedFolder(TaskFolder);

impl Observer<Watched> for WatchedFolder {
    fn recorded(&self, machine: &Watched, head: Head) {
        charge(|step| &mut step.render, || self.0.recorded(&machine.0, head));
        ACCOUNT.with_borrow_mut(Account::close_step);
    }
}

/// Without views, the record ends a step.
struct WatchedSteps;

impl Observer<Watched> for WatchedSteps {
    fn recorded(&self, _machine: &Watched, _head: Head) {
        ACCOUNT.with_borrow_mut(Account::close_step);
    }
}

/// A journal that measures its appends.
#[derive(Clone)]
struct WatchedJournal<J>(J);

#[derive(Debug)]
struct WatchedWriter<W>(W);

impl<J: Journal> Journal for WatchedJournal<J> {
    type Writer = WatchedWriter<J::Writer>;

    async fn open(
        &self,
        stream: &StreamId,
        since: Head,
        each: Each<'_>,
    ) -> Result<Self::Writer, JournalError> {
        self.0.open(stream, since, each).await.map(WatchedWriter)
    }

    async fn read(
        &self,
        stream: &StreamId,
        since: Head,
        each: Each<'_>,
    ) -> Result<Head, JournalError> {
        self.0.read(stream, since, each).await
    }

    async fn streams(&self) -> Result<Vec<StreamId>, JournalError> {
        self.0.streams().await
    }

    async fn snapshot(&self, stream: &StreamId) -> Result<Option<Snapshot>, JournalError> {
        self.0.snapshot(stream).await
    }

    async fn keep_snapshot(&self, snapshot: &Snapshot) -> Result<(), JournalError> {
        self.0.keep_snapshot(snapshot).await
    }
}

impl<W: Writer> Writer for WatchedWriter<W> {
    fn stream(&self) -> &StreamId {
        self.0.stream()
    }

    fn head(&self) -> Head {
        self.0.head()
    }

    fn has_ended(&self) -> bool {
        self.0.has_ended()
    }

    async fn append<C, E>(&mut self, draft: Draft<C, E>) -> Result<Head, JournalError>
    where
        C: Serialize + Send + Sync,
        E: Serialize + Send + Sync,
    {
        // A file journal waits only for the disk, so nothing else runs in between.
        let begun = now();
        let appended = self.0.append(draft).await;
        let took = begun.elapsed();
        ACCOUNT.with_borrow_mut(|account| account.current.journal += took);
        appended
    }
}
