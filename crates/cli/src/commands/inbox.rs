//! `sealwright inbox`: the open questions.

use sealwright_factory::tasks::Tasks;
use sealwright_kernel::task::{QuestionSubject, Task};
use sealwright_kernel::{StreamId, TaskId};
use sealwright_store::StreamSummary;
use sealwright_views::wire::{self, InboxItem};
use sealwright_views::{AnswerCommand, Glance, OpenQuestion, TaskRow, answer_commands};

use crate::args::Format;
use crate::commands::work::{self, Awaited};
use crate::commands::{show, wait};
use crate::error::{CliError, CliResult};
use crate::output::{Output, first, good, sanitize, timestamp, warn};
use crate::repository::Repository;
use crate::task_names::TaskNames;

/// List open questions that only a person can answer.
///
/// Each question is listed with a command for each answer; those whose authors are least sure come first. With TASK, the
/// question of that task is shown with everything it is about, such as the whole contract.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Task id, or a unique part of it [default: all tasks].
    task: Option<String>,

    /// Maximum number of questions.
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    rows: usize,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    let only = args.task.as_deref().map(|named| repository.task(named)).transpose()?;
    if output.format == Format::Json {
        let only = only.as_ref().map(wire::TaskId::from);
        return each(repository, &mut |item| match &only {
            Some(only) if item.task != *only => Ok(()),
            Some(_) | None => output.json(&item),
        });
    }
    if let Some(task) = only {
        let machine = wait(Tasks::of(&repository.journal).look(&task))??.machine;
        if machine.question().is_none() {
            return Err(CliError::NothingAsked { task: task.to_string() });
        }
        return show::question(repository, &task, &machine, output);
    }
    let (open, all) = open(repository, args.rows)?;
    let names = repository.names();
    let awaited = work::awaited(repository)?;
    if let Some(Awaited { what, hint }) = &awaited {
        output.line(&format!("{} {}", warn("?"), sanitize(what)))?;
        output.part(&sanitize(hint))?;
    }
    if open.is_empty() && awaited.is_none() {
        return output.line(&format!("{} no open questions", good("✓")));
    }
    for (task, row, question) in &open {
        output.line(&format!("{} {task}: {}", warn("?"), sanitize(&row.title)))?;
        output.part(&sanitize(&question.plain()))?;
        output.line(&format!(
            "  open since {}; all of it: `sealwright inbox {}`",
            timestamp(row.at),
            names.short(task.as_str())
        ))?;
        // A stream that has been damaged since is told by `verify`, and hides no other question.
        let looked =
            TaskId::new(task.as_str()).map(|task| wait(Tasks::of(&repository.journal).look(&task)));
        if let Ok(Ok(Ok(looked))) = looked {
            findings(&looked.machine, &names, output)?;
            commands(&looked.machine, &names, output)?;
        }
    }
    if all > open.len() {
        output.line(&format!("{} more; use --rows", all - open.len()))?;
    }
    Ok(())
}

/// Prints the first findings that a person is asked to accept.
pub(crate) fn findings(task: &Task, names: &TaskNames, output: &mut Output) -> CliResult {
    let (Some(data), Some((_, asked))) = (task.data(), task.question()) else { return Ok(()) };
    let QuestionSubject::Done { residue } = &asked.about else { return Ok(()) };
    for finding in residue.iter().take(FINDINGS_SHOWN_MAX) {
        output.line(&format!("  {} {}", warn("!"), sanitize(&finding.what)))?;
    }
    match residue.len().saturating_sub(FINDINGS_SHOWN_MAX) {
        0 => Ok(()),
        more => {
            let task = names.short(data.charter.id.as_str());
            output.line(&format!("  … and {more} more: `sealwright inbox {task}`"))
        }
    }
}

/// Prints a command for each answer to the open question of a task, the recommended one first.
pub(crate) fn commands(task: &Task, names: &TaskNames, output: &mut Output) -> CliResult {
    let Some(data) = task.data() else { return Ok(()) };
    let (id, criteria) = (names.short(data.charter.id.as_str()), &data.charter.criteria);
    for AnswerCommand { meaning, command, .. } in answer_commands(task, id, criteria) {
        output.line(&format!("  · {meaning}"))?;
        output.whole(&format!("    {}", sanitize(&command)))?;
    }
    Ok(())
}

pub(crate) fn each(
    repository: &Repository,
    tell: &mut dyn FnMut(InboxItem) -> CliResult,
) -> CliResult {
    let (open, _) = open(repository, usize::MAX)?;
    for (task, row, question) in open {
        tell(InboxItem {
            task: (&task).into(),
            title: row.title.into(),
            question: question.into(),
        })?;
    }
    Ok(())
}

type Open = (StreamId, TaskRow, OpenQuestion);

/// The first open questions, the lowest confidence first, and the number of all.
fn open(repository: &Repository, rows: usize) -> CliResult<(Vec<Open>, usize)> {
    let index = Tasks::of(&repository.journal).index()?;
    let asks = |it: &StreamSummary<Option<Glance>>| {
        let glance = it.glance?;
        Some((glance.asks?, glance.at))
    };
    let open: Vec<_> = index.streams().filter_map(|it| asks(it).map(|key| (key, it))).collect();
    let all = open.len();
    let open = first(open, rows, |a, b| (a.0, &a.1.stream).cmp(&(b.0, &b.1.stream)));
    let known = |it: &StreamSummary<Option<Glance>>| {
        let row = index.details::<Option<TaskRow>>(it)?.row?;
        let question = row.question.clone()?;
        Some((it.stream.clone(), row, question))
    };
    Ok((open.into_iter().filter_map(|(_, it)| known(it)).collect(), all))
}

const FINDINGS_SHOWN_MAX: usize = 3;
