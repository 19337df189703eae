//! `sealwright status`: the status of every task.

use std::collections::BTreeMap;

use sealwright_factory::project::ProjectStream;
use sealwright_factory::tasks::Tasks;
use sealwright_kernel::project::Project;
use sealwright_kernel::task::Status;
use sealwright_kernel::{StreamId, TaskId};
use sealwright_store::StreamSummary;
use sealwright_views::watch::status::{name, phase, urgency};
use sealwright_views::wire::{self, StatusRow, WriterPlace};
use sealwright_views::{Glance, TaskRow};

use crate::args::Format;
use crate::commands::watch::writer_of;
use crate::commands::work::{self, Awaited};
use crate::commands::{graph, inbox, wait};
use crate::error::CliResult;
use crate::output::{Output, bad, counted, first, good, sanitize, timestamp, warn};
use crate::repository::Repository;
use crate::task_names::TaskNames;

/// Show the status of every task.
///
/// Tasks that wait for a person come first. `--format json` lists every task, also finished ones.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Also finished and abandoned tasks.
    #[arg(long)]
    all: bool,

    /// Maximum number of tasks.
    #[arg(long, value_name = "COUNT", default_value_t = 40)]
    rows: usize,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    if output.format == Format::Json {
        return each(repository, &mut |task| output.json(&task));
    }
    let index = Tasks::of(&repository.journal).index()?;
    let project = wait(ProjectStream::of(&repository.journal).look())??;
    version(repository, &project, output)?;
    if !project.is_empty() {
        tree(args, repository, &project, output)?;
    }
    if index.streams().len() == 0 && project.is_empty() && project.run().version > 0 {
        return Ok(());
    }
    if index.streams().len() == 0 && project.is_empty() {
        return output.line("no tasks; `sealwright do \"…\"` starts one");
    }
    let names = repository.names();
    let mut counts: BTreeMap<Status, u64> = BTreeMap::new();
    let (mut open, mut ready) = (0_usize, 0_usize);
    let mut damaged = Vec::new();
    let mut shown: Vec<(&StreamSummary<Option<Glance>>, Glance)> = Vec::new();
    for summary in index.streams() {
        let Some(glance) = summary.glance else {
            damaged.push(summary.stream.as_str());
            continue;
        };
        *counts.entry(glance.status).or_default() += 1;
        let is_open = !is_closed(glance.status);
        let is_of_project =
            TaskId::new(summary.stream.as_str()).is_ok_and(|it| project.task(&it).is_some());
        open += usize::from(is_open);
        ready += usize::from(is_open && glance.goal_ready);
        // The tree has the tasks of the project.
        if (args.all || is_open) && !is_of_project {
            shown.push((summary, glance));
        }
    }
    let all = shown.len();
    let key = |of: &Glance| (urgency(of.status), std::cmp::Reverse(of.at));
    let shown =
        first(shown, args.rows, |a, b| (key(&a.1), &a.0.stream).cmp(&(key(&b.1), &b.0.stream)));
    for (summary, _) in &shown {
        let Some(Some(row)) = index.details::<Option<TaskRow>>(summary).map(|known| known.row)
        else {
            continue;
        };
        let (task, phase, at) = (&summary.stream, phase(row.phase), timestamp(row.at));
        let is_paused = is_paused(&row, writer_of(&repository.journal, task));
        let status = if is_paused { warn("paused") } else { status_text(row.status) };
        output.line(&format!("{task}  {status}{phase}"))?;
        output.part(&sanitize(&row.title))?;
        if let Some(what) = what(&row) {
            output.part(&sanitize(&what))?;
        }
        if row.question.is_some() {
            findings(repository, task, &names, output)?;
        }
        output.line(&format!("  attempt {}, since {at}", row.attempt))?;
        if is_paused {
            output.whole(&format!("  sealwright do --continue {}", names.short(task.as_str())))?;
        }
    }
    if all > shown.len() {
        let hidden = counted((all - shown.len()) as u64, "more task");
        output.line(&format!("{hidden}; use --rows or --format json"))?;
    }
    for task in damaged {
        output.line(&format!("{} {task} is damaged; see `sealwright verify`", bad("✗")))?;
    }
    let counts: Vec<String> =
        counts.iter().map(|(status, count)| format!("{count} {}", name(*status))).collect();
    output.line(&counts.join(", "))?;
    if open == 0 {
        return Ok(());
    }
    output.line(&format!(
        "goal-ready: {ready} of {open} open tasks cite how each criterion is verified"
    ))
}

/// Where the version of a project stands, and what it waits for.
fn version(repository: &Repository, project: &Project, output: &mut Output) -> CliResult {
    let run = project.run();
    if run.version > 0 {
        output.line(&format!("version {}: {:?}", run.version, run.pipeline.state))?;
    }
    match work::awaited(repository)? {
        Some(Awaited { what, hint }) => {
            output.part(&sanitize(&what))?;
            output.part(&sanitize(&hint))
        }
        None => Ok(()),
    }
}

/// The tasks of the project below their stories.
fn tree(args: &Args, repository: &Repository, project: &Project, output: &mut Output) -> CliResult {
    let (short, names) =
        (repository.names(), wait(ProjectStream::of(&repository.journal).names())?);
    let places: BTreeMap<TaskId, [String; 3]> =
        names.into_iter().map(|it| (it.task, [it.pillar, it.epic, it.story])).collect();
    let index = Tasks::of(&repository.journal).index()?;
    let asks = |task: &TaskId| {
        let summary = index.streams().find(|it| it.stream.as_str() == task.as_str())?;
        let row = index.details::<Option<TaskRow>>(summary)?.row?;
        let task = short.short(task.as_str());
        Some(format!("{}; sealwright inbox {task}", row.question?.plain()))
    };
    let graph = graph::of(repository, project)?;
    let text = graph.tree(|task| places.get(task).cloned(), asks, args.rows);
    text.lines().try_for_each(|line| output.line(&sanitize(line)))
}

/// Prints the findings that a person is asked about. A damaged stream is told by `verify`.
fn findings(
    repository: &Repository,
    stream: &StreamId,
    names: &TaskNames,
    output: &mut Output,
) -> CliResult {
    let Ok(task) = TaskId::new(stream.as_str()) else { return Ok(()) };
    match wait(Tasks::of(&repository.journal).look(&task))? {
        Ok(looked) => inbox::findings(&looked.machine, names, output),
        Err(_) => Ok(()),
    }
}

pub(crate) fn each(
    repository: &Repository,
    tell: &mut dyn FnMut(StatusRow) -> CliResult,
) -> CliResult {
    let index = Tasks::of(&repository.journal).index()?;
    for summary in index.streams() {
        let known = index.details::<Option<TaskRow>>(summary);
        tell(StatusRow {
            task: (&summary.stream).into(),
            condition: summary.condition.into(),
            writer: writer_of(&repository.journal, &summary.stream),
            head: known.as_ref().map(|known| known.head.into()),
            row: known.and_then(|known| known.row).map(wire_row),
        })?;
    }
    Ok(())
}

fn wire_row(row: TaskRow) -> wire::TaskRow {
    wire::TaskRow {
        title: row.title.into(),
        status: row.status.into(),
        phase: row.phase.map(Into::into),
        attempt: row.attempt,
        lane: row.lane.into(),
        at: row.at.into(),
        question: row.question.map(Into::into),
        goal_ready: row.goal_ready,
        red: row.red.into_iter().map(Into::into).collect(),
        spent: row.spent.into(),
    }
}

/// Whether the engine owes the next step and no process performs it.
fn is_paused(row: &TaskRow, writer: WriterPlace) -> bool {
    row.status == Status::InProgress && writer == WriterPlace::Nobody
}

/// What a person should know of it beside its title.
fn what(row: &TaskRow) -> Option<String> {
    let question = || row.question.as_ref().map(|question| question.plain());
    row.red.first().cloned().or_else(question)
}

fn is_closed(status: Status) -> bool {
    matches!(status, Status::Shipped | Status::Abandoned)
}

fn status_text(status: Status) -> String {
    let name = name(status);
    match status {
        Status::Halted => bad(name),
        Status::Parked => warn(name),
        Status::Shipped => good(name),
        Status::InProgress | Status::Pending | Status::Abandoned => name.to_owned(),
    }
}
