//! `sealwright inbox`: everything that only a person can answer.

use sealwright_factory::tasks::Tasks;
use sealwright_kernel::StreamId;
use sealwright_store::StreamSummary;
use sealwright_views::wire::{self, InboxItem};
use sealwright_views::{Glance, OpenQuestion, TaskRow};

use crate::args::Format;
use crate::error::CliError;
use crate::output::{Output, first, good, sanitize, short, timestamp, warn};
use crate::repository::Repository;

/// Everything that only a person can answer.
///
/// Every open question is listed with its options, the least certain first.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only so many questions.
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    rows: usize,
}

pub(crate) fn run(
    args: &Args,
    repository: &Repository,
    format: Format,
    output: &mut Output,
) -> Result<(), CliError> {
    if format == Format::Json {
        return each(repository, &mut |question| output.json(&question));
    }
    let (open, all) = open(repository, args.rows)?;
    if open.is_empty() {
        return output.line(&format!("{} nobody is waited for", good("✓")));
    }
    for (task, row, question) in &open {
        output.line(&format!("{} {task}: {}", warn("?"), sanitize(&row.title)))?;
        output.line(&format!("  {}", sanitize(&question.text)))?;
        options(question, output)?;
        output.line(&format!("  recommended: {}", question.recommendation))?;
        let (confidence, at) = (question.confidence, timestamp(row.at));
        output.line(&format!("  confidence {confidence} %, open since {at}"))?;
        let item = short(&question.item);
        output.line(&format!("  item {item}; look: sealwright show {task}"))?;
    }
    if all > open.len() {
        output.line(&format!("{} more; use --rows", all - open.len()))?;
    }
    Ok(())
}

/// What may be answered: on one line if one holds it.
pub(crate) fn options(question: &OpenQuestion, output: &mut Output) -> Result<(), CliError> {
    let line = format!("  options: {}", question.options.join(", "));
    if line.len() <= LINE_BYTES_MAX {
        return output.line(&line);
    }
    output.line("  options:")?;
    question.options.iter().try_for_each(|option| output.line(&format!("    {option}")))
}

/// Tells every open question, for programs.
pub(crate) fn each(
    repository: &Repository,
    tell: &mut dyn FnMut(InboxItem) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let (open, _) = open(repository, usize::MAX)?;
    for (task, row, question) in open {
        tell(InboxItem {
            task: (&task).into(),
            title: row.title.into(),
            question: wire_question(question),
        })?;
    }
    Ok(())
}

/// The question as a wire type.
pub(crate) fn wire_question(question: OpenQuestion) -> wire::Question {
    wire::Question {
        id: (&question.id).into(),
        item: question.item.into(),
        text: question.text.into(),
        options: question.options.into_iter().map(Into::into).collect(),
        recommendation: question.recommendation.into(),
        confidence: question.confidence,
    }
}

/// A task, what is known of it, and what it asks.
type Open = (StreamId, TaskRow, OpenQuestion);

/// The first open questions, the least certain first, and how many there are.
fn open(repository: &Repository, rows: usize) -> Result<(Vec<Open>, usize), CliError> {
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

/// What a terminal of any size shows well enough.
const LINE_BYTES_MAX: usize = 100;
