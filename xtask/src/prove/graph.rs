//! `prove graph`: whose turn it is in a project, on random graphs and on a large one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, ensure};
use sealwright_host::{Host, Limits, NoPerformer, SystemClock};
use sealwright_kernel::project::{Effect, Event, Input, Outcome, Planned, Project};
use sealwright_kernel::task::{Charter, Membership, Status};
use sealwright_kernel::{
    Actor, Effect as _, Lane, Machine as _, StreamId, TaskId, owner::Header, scripted,
};
use sealwright_model_check::{graphs, runs};
use sealwright_store::Layout;

use crate::prove::figures::Figures;
use crate::prove::unsynced::unsynced;
use crate::prove::{Size, in_parts};
use crate::workspace::{peak_memory_kib, target};

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Random graphs in a careless world.
    Worlds,
    /// Whole projects with their phases in a careless world.
    Runs,
    /// A hundred thousand tasks.
    Many,
}

pub(crate) fn run(size: Size, only: Option<Part>) -> Result<()> {
    in_parts(
        "graph",
        size,
        only,
        &[
            (Part::Worlds, "random graphs in a careless world", &worlds),
            (Part::Runs, "whole projects in a careless world", &runs),
            (Part::Many, "many tasks", &many),
        ],
    )
}

fn worlds(size: Size, figures: &mut Figures) -> Result<()> {
    let from = match size {
        Size::Quick(sample) => sample.number(),
        Size::Full => 0,
    };
    let count = size.choose(1_000, 100_000);
    let mut all = graphs::Played::default();
    let mut broken = Vec::new();
    for seed in from..from + count {
        match graphs::play(seed) {
            Ok(played) => all.add(&played),
            Err(why) => broken.push(why),
        }
        broken.extend(graphs::play_twice(seed).err());
    }
    let graphs::Played { tasks, steps, halted, abandoned, split, stranded, blocked } = all;
    let text = format!(
        "{count} graphs, {tasks} tasks, {steps} steps ({halted} halts, {abandoned} abandoned, {split} split, {stranded} \
         stalls told to a person): ready and blocked ({blocked} times) as a look at the whole graph says; the same turns \
         in whatever order a plan arrives; {} broken",
        broken.len()
    );
    let is_lively = [halted, abandoned, split, stranded, blocked].iter().all(|it| *it > 0);
    figures.hold(text, broken.is_empty() && is_lively);
    for why in broken.iter().take(3) {
        figures.tell(why.chars().take(300).collect());
    }
    Ok(())
}

fn runs(size: Size, figures: &mut Figures) -> Result<()> {
    let from = match size {
        Size::Quick(sample) => sample.number(),
        Size::Full => 0,
    };
    let count = size.choose(10_000, 1_000_000);
    let mut all = runs::Played::default();
    let mut broken = Vec::new();
    for seed in from..from + count {
        match runs::play(seed) {
            Ok(played) => all.add(&played),
            Err(why) => broken.push(why),
        }
    }
    let runs::Played { steps, refused, delivered, blocked, edited, dropped, .. } = all;
    let runs::Played { braked, iterated, abandoned, .. } = all;
    let text = format!(
        "{count} projects through their phases, {steps} steps and {refused} refusals ({delivered} deliveries, {blocked} \
         blocks, {edited} edits by hand, {dropped} lost processes, {braked} brakes, {iterated} iterations, {abandoned} \
         abandoned): every property of the table holds, no gate rests on what it did not pass on, nothing is built that \
         nobody approved, every project can be brought to its delivery; {} broken",
        broken.len()
    );
    figures.hold(text, broken.is_empty() && all.is_lively());
    for why in broken.iter().take(3) {
        figures.tell(why.chars().take(600).collect());
    }
    Ok(())
}

fn many(size: Size, figures: &mut Figures) -> Result<()> {
    let count = size.choose(5_000, 100_000);
    figures.hold_measured(|| {
        // Snapshots are caches that a small project never reaches: they are left out of the comparison, and told.
        let (small, large) = (lived(1_000, None)?, lived(count, None)?);
        let kept = lived(count, Limits::default().snapshot_every)?;
        let ratio = large.step_us / small.step_us;
        let text = format!(
            "{count} tasks with {} dependencies planned, opened and dispatched to the end on the journal in {:.1} s \
             (planned in {:.1} s), {} steps; a step {:.0} µs ÷ with 1000 tasks {:.0} µs = {ratio:.2} (at most 2), with \
             snapshots {:.0} µs; {} MiB at most",
            large.dependencies,
            large.seconds,
            large.planned_s,
            large.steps,
            large.step_us,
            small.step_us,
            kept.step_us,
            peak_memory_kib()? / 1024,
        );
        Ok((text, ratio <= 2.0))
    })?;
    let (tasks, edges, looked_at, blocked) = cascade(size.choose(2_000, 100_000));
    let text = format!(
        "a halt at the root of {tasks} tasks and {edges} dependencies, in layers of diamonds: {blocked} blocked, \
         {looked_at} dependencies looked at (at most {})",
        tasks + edges
    );
    figures.hold(text, looked_at <= tasks + edges && blocked == tasks - 1);
    Ok(())
}

struct Lived {
    dependencies: usize,
    seconds: f64,
    planned_s: f64,
    steps: u64,
    step_us: f64,
}

/// A project from its plan to its last task, in a journal on disk that does not wait for the disk.
fn lived(count: u32, snapshot_every: Option<u64>) -> Result<Lived> {
    let folder = tempfile::Builder::new().prefix("graph").tempdir_in(target())?;
    let layout = Layout::new(folder.path().join(".sealwright"));
    let stream: StreamId = "project".parse()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    runtime.block_on(async {
        let journal = unsynced(&layout);
        let performer = Arc::new(NoPerformer);
        let limits = Limits { snapshot_every, ..Limits::default() };
        let mut host: Host<Project, _, _, _> =
            Host::open(journal, &stream, performer, SystemClock, limits).await?;
        let began = Instant::now();
        let by = scripted::ada;
        for input in scripted::project::approval() {
            host.tell(by(), input, vec![]).await?;
        }
        host.tell(by(), Input::Parallel { by: by(), at_once: AT_ONCE }, vec![]).await?;
        let mut dependencies = 0;
        for from in (0..count).step_by(PART as usize) {
            let to = count.min(from + PART);
            let tasks: Vec<Planned> = (from..to).map(planned).collect();
            dependencies += tasks.iter().map(|it| it.depends_on.len()).sum::<usize>();
            let plan = Input::Plan { by: by(), tasks, is_last: to == count };
            host.tell(by(), plan, vec![]).await?;
        }
        let planned_s = began.elapsed().as_secs_f64();
        let stepping = Instant::now();
        let mut steps = 0_u64;
        // The effects that are owed now, as a performer would have them: by what each step added.
        let mut owed: Vec<Effect> = host.machine().owed();
        let mut news: BTreeMap<TaskId, u32> = BTreeMap::new();
        while let Some(effect) = owed.pop() {
            let id = effect.id();
            let mut inputs = Vec::new();
            match effect {
                Effect::Open { .. } => inputs.push(Input::Opened { effect: id }),
                Effect::Dispatch { task } => {
                    inputs.push(Input::Dispatched { effect: id });
                    let news = news.entry(task.clone()).or_default();
                    *news += 1;
                    let status = Status::Shipped;
                    inputs.push(Input::Heard { task, news: *news, status, phase: None });
                }
                Effect::Run(_) => ensure!(false, "this project has no phases"),
            }
            for input in inputs {
                let events: Vec<Event> = host.tell(Actor::Machine, input, vec![]).await?;
                owed.extend(host.machine().owed_after(&events));
                steps += 1;
            }
        }
        let spent = stepping.elapsed().as_secs_f64();
        ensure!(host.machine().outcome() == Outcome::Complete, "{:?}", host.machine().outcome());
        host.close().await?;
        let step_us = spent * 1e6 / steps as f64;
        let seconds = began.elapsed().as_secs_f64();
        Ok(Lived { dependencies, seconds, planned_s, steps, step_us })
    })
}

/// Two tasks in each layer, each behind both of the layer before, and one task before all of them that halts.
fn cascade(count: u32) -> (usize, usize, usize, usize) {
    let mut project = scripted::project::approved();
    let tell = |project: &mut Project, input: Input| {
        let events = project.decide(&input).unwrap_or_default();
        events.iter().for_each(|event| project.evolve(event));
    };
    let mut edges = 0;
    for from in (0..count).step_by(PART as usize) {
        let to = count.min(from + PART);
        let task = |nth: u32| {
            let layer = nth.div_ceil(2);
            let above = match layer {
                0 => vec![],
                1 => vec![0],
                layer => vec![(layer - 1) * 2 - 1, (layer - 1) * 2],
            };
            task_of(nth, above)
        };
        let tasks: Vec<Planned> = (from..to).map(task).collect();
        edges += tasks.iter().map(|it| it.depends_on.len()).sum::<usize>();
        let plan = Input::Plan { by: scripted::ada(), tasks, is_last: to == count };
        tell(&mut project, plan);
    }
    // Only a task that has its turn halts.
    let is_root = |it: &Effect| matches!(it, Effect::Open { charter, .. } if charter.id == name(0));
    if let Some(open) = project.owed().into_iter().find(is_root) {
        tell(&mut project, Input::Opened { effect: open.id() });
    }
    let status = Status::Halted;
    tell(&mut project, Input::Heard { task: name(0), news: 1, status, phase: None });
    let (blocked, looked_at) = project.cascade();
    (count as usize, edges, looked_at, blocked.len())
}

/// A task behind three before it, somewhere in the last few thousand.
fn planned(nth: u32) -> Planned {
    let mut dice = fastrand::Rng::with_seed(nth.into());
    let from = nth.saturating_sub(5_000);
    let mut above: Vec<u32> = (0..3).filter(|_| nth > 3).map(|_| dice.u32(from..nth)).collect();
    above.sort_unstable();
    above.dedup();
    task_of(nth, above)
}

fn task_of(nth: u32, above: Vec<u32>) -> Planned {
    let charter = scripted::charter(name(nth).as_str(), Lane::Factory, Header::default());
    let charter = Charter { belongs: Membership::Project, ..charter };
    Planned { charter, order: Some(nth), depends_on: above.into_iter().map(name).collect() }
}

fn name(nth: u32) -> TaskId {
    TaskId::new(format!("T-many-{nth:06}")).unwrap_or_else(|_| unreachable!("that is a task"))
}

/// How many tasks a part of the plan has.
const PART: u32 = 1_000;
const AT_ONCE: u32 = 8;
