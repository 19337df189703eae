//! `sealwright inbox`: everything that only a person can answer.

use sealwright_engine::tasks::{OpenQuestion, TaskRow, Tasks};
use serde_json::json;

use crate::args::Format;
use crate::error::CliError;
use crate::output::{Output, good, moment, plain, warn};
use crate::repository::Repository;

/// Lists every open question with its options, the least certain first.
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
    let index = Tasks::of(&repository.journal).index()?;
    let mut open: Vec<(&str, &TaskRow, &OpenQuestion)> = Vec::new();
    for summary in index.streams() {
        if let Some(row) = &summary.row
            && let Some(question) = &row.question
        {
            open.push((summary.stream.as_str(), row, question));
        }
    }
    open.sort_by_key(|(task, row, question)| (question.confidence, row.at, *task));
    if format == Format::Json {
        for (task, row, question) in open {
            output.json(&json!({ "task": task, "title": row.title, "question": question }))?;
        }
        return Ok(());
    }
    if open.is_empty() {
        return output.line(&format!("{} nobody is waited for", good("✓")));
    }
    for (task, row, question) in open.iter().take(args.rows) {
        output.line(&format!("{} {task}: {}", warn("?"), plain(&row.title)))?;
        output.line(&format!("  {}", plain(&question.text)))?;
        output.line(&format!("  options: {}", question.options.join(", ")))?;
        output.line(&format!("  recommended: {}", question.recommendation))?;
        let (confidence, at) = (question.confidence, moment(row.at));
        output.line(&format!("  confidence {confidence} %, open since {at}"))?;
        output.line(&format!("  look: sealwright show {task}"))?;
    }
    if open.len() > args.rows {
        output.line(&format!("{} more; use --rows", open.len() - args.rows))?;
    }
    Ok(())
}
