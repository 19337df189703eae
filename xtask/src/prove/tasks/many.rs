//! A hundred thousand tasks: what a step costs, and how long people wait for an overview.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use sealwright_factory::tasks::Tasks;
use sealwright_host::{Host, Limits, NoPerformer, SystemClock};
use sealwright_kernel::project::{self, Project};
use sealwright_kernel::task::{
    Charter, Effect, Event, Input, Membership, PersonInput, Status, Task, Want,
};
use sealwright_kernel::{
    Actor, Effect as _, Lane, Machine as _, StreamId, TaskId, Timestamp, owner::Header, scripted,
};
use sealwright_store::disk::RealDisk;
use sealwright_store::{Draft, FileJournal, Head, Layout, Writer as _};

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::prove::unsynced::unsynced;
use crate::workspace::{peak_memory_kib, target};

pub(crate) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let many: u32 = size.choose(4_000, 100_000);
    figures.hold_measured(|| steps(many))?;
    let folder = tempfile::Builder::new().prefix("tasks").tempdir_in(target())?;
    let layout = Layout::new(folder.path().join(".sealwright"));
    make_streams(&layout, many)?;
    overview(folder.path(), &layout, (many, size), figures)
}

/// A step of a small project, and of a large one: durable, on the same disk, in turns.
fn steps(many: u32) -> Result<(String, bool)> {
    let folder = tempfile::Builder::new().prefix("project").tempdir_in(target())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let mut small = Measured::grow(&runtime, &folder.path().join("small"), SMALL)?;
    let mut large = Measured::grow(&runtime, &folder.path().join("large"), many)?;
    let mut ratios = Vec::new();
    let (mut of_small, mut of_large) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..ROUNDS {
        let (one, other) = (small.step(&runtime)?, large.step(&runtime)?);
        of_small += one;
        of_large += other;
        ratios.push(other.as_secs_f64() / one.as_secs_f64());
    }
    ratios.sort_by(f64::total_cmp);
    let ratio = ratios[ratios.len() / 2];
    let micros = |took: Duration| took.as_secs_f64() * 1e6 / f64::from(ROUNDS * PER_ROUND);
    let text = format!(
        "a durable step of a project of {many} tasks {:.0} µs ÷ of {SMALL} tasks {:.0} µs = \
         {ratio:.2} in the median of {ROUNDS} rounds (≤ 2); {} and {} events folded",
        micros(of_large),
        micros(of_small),
        large.events,
        small.events,
    );
    Ok((text, ratio <= 2.0))
}

type ProjectHost<D> = Host<Project, FileJournal<D>, NoPerformer, SystemClock>;

struct Measured {
    host: ProjectHost<RealDisk>,
    tasks: u32,
    news: u32,
    events: u64,
}

impl Measured {
    /// A project of so many tasks, each with ten events behind it.
    fn grow(runtime: &tokio::runtime::Runtime, folder: &Path, tasks: u32) -> Result<Self> {
        let layout = Layout::new(folder.join(".sealwright"));
        let stream: StreamId = "project".parse()?;
        let quick = unsynced(&layout);
        let events = runtime.block_on(async {
            let mut host = open(quick, &stream).await?;
            let mut events = 0;
            for nth in 0..tasks {
                events += live(&mut host, nth).await?;
            }
            host.close().await?;
            anyhow::Ok(events)
        })?;
        ensure!(events >= u64::from(tasks) * 10, "only {events} events");
        let host = runtime.block_on(open(FileJournal::at(layout.root()), &stream))?;
        ensure!(host.machine().len() == tasks as usize, "tasks are missing");
        Ok(Self { host, tasks, news: 100, events })
    }

    /// So many messages of tasks all over the project.
    fn step(&mut self, runtime: &tokio::runtime::Runtime) -> Result<Duration> {
        let begun = Instant::now();
        runtime.block_on(async {
            for nth in 0..PER_ROUND {
                self.news += 1;
                let who = nth.wrapping_mul(7_919) % self.tasks;
                let input = heard(who, self.news, Status::Parked);
                self.host.tell(Actor::Machine, input, vec![]).await?;
            }
            anyhow::Ok(())
        })?;
        Ok(begun.elapsed())
    }
}

async fn open<D: sealwright_store::disk::Disk>(
    journal: FileJournal<D>,
    stream: &StreamId,
) -> Result<ProjectHost<D>> {
    Ok(Host::open(journal, stream, Arc::new(NoPerformer), SystemClock, Limits::default()).await?)
}

/// One task of a project, from its admission to its end; how many events that made.
async fn live<D: sealwright_store::disk::Disk>(host: &mut ProjectHost<D>, nth: u32) -> Result<u64> {
    let charter = scripted::charter(&name(nth), Lane::Factory, Header::default());
    let charter = Charter { belongs: Membership::Project, ..charter };
    let (own, by) = (Box::new(charter.clone()), "Ada".to_owned());
    let open = project::Effect::Open { charter: own, by }.id();
    let dispatch = project::Effect::Dispatch { task: charter.id.clone() }.id();
    let admit = project::Input::Admit { by: scripted::ada(), charter };
    let mut events = host.tell(scripted::ada(), admit, vec![]).await?.len();
    let opened = project::Input::Opened { effect: open };
    events += host.tell(Actor::Machine, opened, vec![]).await?.len();
    let dispatched = project::Input::Dispatched { effect: dispatch };
    events += host.tell(Actor::Machine, dispatched, vec![]).await?.len();
    let told = [
        Status::InProgress,
        Status::Parked,
        Status::InProgress,
        Status::Halted,
        Status::InProgress,
        Status::Parked,
    ];
    for (news, status) in told.into_iter().enumerate() {
        let input = heard(nth, news as u32 + 1, status);
        events += host.tell(Actor::Machine, input, vec![]).await?.len();
    }
    Ok(events as u64)
}

fn heard(nth: u32, news: u32, status: Status) -> project::Input {
    let task = TaskId::new(name(nth)).unwrap_or_else(|_| unreachable!("that is a task"));
    project::Input::Heard { task, news, status, phase: None }
}

/// So many tasks in streams of their own, ten records each, half of them asking somebody.
fn make_streams(layout: &Layout, many: u32) -> Result<()> {
    let journal = unsynced(layout);
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    for nth in 0..many {
        let mut task = Task::default();
        let charter = scripted::charter(&name(nth), Lane::Quick, Header::default());
        let mut inputs = vec![scripted::create(charter.clone())];
        let mut writer =
            journal.open_blocking(charter.id.stream(), Head::START, &mut |_| Ok(()))?;
        for number in 0..10 {
            let input = inputs.pop().unwrap_or_else(|| next(&task, nth % 2 == 0));
            let events = task.decide(&input)?;
            events.iter().for_each(|event| task.evolve(event));
            runtime.block_on(writer.append(draft(&input, &events, number)?))?;
        }
    }
    Ok(())
}

/// What is said next: honest answers until it is parked, then notes.
fn next(task: &Task, waits: bool) -> Input {
    let note = || {
        let text = "keep it small".to_owned();
        Input::Person { by: scripted::ada(), says: PersonInput::Note { text } }
    };
    let asks = |effect: &Effect| matches!(effect, Effect::Task { want: Want::Ask { .. }, .. });
    match task.owed().first() {
        Some(effect) if asks(effect) && waits => note(),
        Some(effect) => scripted::honest(effect).unwrap_or_else(note),
        None => note(),
    }
}

fn draft(input: &Input, events: &[Event], at: u64) -> Result<Draft> {
    let events: Result<Vec<_>, _> = events.iter().map(serde_json::to_value).collect();
    Ok(Draft {
        at: Timestamp::from_millis(1_767_225_600_000 + at),
        actor: scripted::ada(),
        cause: serde_json::to_value(input)?,
        events: events?,
        blobs: vec![],
    })
}

/// `status` and `inbox`, as people run them, and the index they rest on.
fn overview(
    folder: &Path,
    layout: &Layout,
    (many, size): (u32, Size),
    figures: &mut Figures,
) -> Result<()> {
    let program = size.build("sealwright", "sealwright")?;
    let run = |args: &[&str]| -> Result<(Duration, String)> {
        let begun = Instant::now();
        let output = Command::new(&program).args(args).current_dir(folder).output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok((begun.elapsed(), String::from_utf8(output.stdout)?))
    };
    let (rebuilt, first) = run(&["status"])?;
    // The index is trusted once its folder has not changed for a moment.
    std::thread::sleep(Duration::from_millis(1_200));
    run(&["status"])?;
    figures.hold_measured(|| {
        let (mut status, mut inbox) = (Duration::MAX, Duration::MAX);
        for _ in 0..5 {
            let (took, said) = run(&["status"])?;
            ensure!(said == first, "a warm index says something else");
            status = status.min(took);
            let (took, said) = run(&["inbox"])?;
            ensure!(said.contains("Is this contract fit to be built?"), "{said}");
            inbox = inbox.min(took);
        }
        let millis = |took: Duration| took.as_secs_f64() * 1e3;
        let text = format!(
            "{many} tasks of 10 records: `status` {:.0} ms, `inbox` {:.0} ms from a warm index \
             (< 200); rebuilt from the streams in {:.1} s",
            millis(status),
            millis(inbox),
            rebuilt.as_secs_f64(),
        );
        Ok((text, millis(status) < 200.0 && millis(inbox) < 200.0))
    })?;
    std::fs::remove_dir_all(layout.root().join("cache"))?;
    let (_, again) = run(&["status"])?;
    figures
        .hold("the index is the same when it was deleted and rebuilt".to_owned(), again == first);
    let before = peak_memory_kib()?;
    let index = Tasks::of(&FileJournal::at(layout.root())).index()?;
    ensure!(index.streams().len() == many as usize, "tasks are missing");
    figures.tell(format!(
        "memory for the index of {many} tasks: {} MiB at most",
        (peak_memory_kib()? - before) / 1024
    ));
    Ok(())
}

fn name(nth: u32) -> String {
    format!("T-many-{nth:06}")
}

const SMALL: u32 = 1_000;
const ROUNDS: u32 = 60;
const PER_ROUND: u32 = 50;
