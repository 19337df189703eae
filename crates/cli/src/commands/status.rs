//! `sealwright status`: every task and how it stands.

use std::collections::BTreeMap;

use sealwright_engine::tasks::{TaskRow, Tasks};
use sealwright_kernel::task::Status;
use serde_json::json;

use crate::args::Format;
use crate::error::CliError;
use crate::output::{Output, bad, counted, good, moment, plain, table, table_text, warn};
use crate::repository::Repository;

/// Lists the tasks, the ones that need somebody first. Everything is read from the index,
/// which is brought up to date on the way.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Also the tasks that are done or given up.
    #[arg(long)]
    all: bool,

    /// Only so many rows.
    #[arg(long, value_name = "COUNT", default_value_t = 40)]
    rows: usize,
}

pub(crate) fn run(
    args: &Args,
    repository: &Repository,
    format: Format,
    output: &mut Output,
) -> Result<(), CliError> {
    let index = Tasks::of(&repository.journal).index()?;
    if format == Format::Json {
        for summary in index.streams() {
            output.json(&json!({
                "task": summary.stream,
                "condition": summary.condition,
                "head": summary.head,
                "row": summary.row,
            }))?;
        }
        return Ok(());
    }
    let mut damaged = Vec::new();
    let mut rows: Vec<(&str, &TaskRow)> = Vec::new();
    for summary in index.streams() {
        match &summary.row {
            Some(row) => rows.push((summary.stream.as_str(), row)),
            None => damaged.push(summary.stream.as_str()),
        }
    }
    let mut counts: BTreeMap<Status, u64> = BTreeMap::new();
    rows.iter().for_each(|(_, row)| *counts.entry(row.status).or_default() += 1);
    if rows.is_empty() && damaged.is_empty() {
        return output.line("no tasks yet; `sealwright new \"…\"` makes one");
    }
    let is_shown = |row: &TaskRow| args.all || !is_closed(row.status);
    let open = rows.iter().filter(|(_, row)| !is_closed(row.status)).count();
    let is_ready = |row: &TaskRow| !is_closed(row.status) && row.goal_ready;
    let ready = rows.iter().filter(|(_, row)| is_ready(row)).count();
    rows.retain(|(_, row)| is_shown(row));
    rows.sort_by(|a, b| {
        (urgency(a.1.status), b.1.at, a.0).cmp(&(urgency(b.1.status), a.1.at, b.0))
    });
    let mut table = table(&["task", "status", "phase", "try", "since", "what"], &["task", "what"]);
    for (task, row) in rows.iter().take(args.rows) {
        let phase = row.phase.map_or("–", |phase| phase.name());
        table.add_row([
            (*task).to_owned(),
            status_text(row.status),
            phase.to_owned(),
            row.attempt.to_string(),
            moment(row.at),
            plain(&what(row)),
        ]);
    }
    if !rows.is_empty() {
        output.line(&table_text(&table))?;
    }
    if rows.len() > args.rows {
        let hidden = counted((rows.len() - args.rows) as u64, "more task");
        output.line(&format!("{hidden}; use --rows or --format json"))?;
    }
    for task in damaged {
        output.line(&format!("{} {task} is damaged; `sealwright verify` says where", bad("✗")))?;
    }
    let counts: Vec<String> =
        counts.iter().map(|(status, count)| format!("{count} {}", name(*status))).collect();
    output.line(&counts.join(", "))?;
    output.line(&format!(
        "goal-ready: {ready} of {open} open tasks cite how each criterion is verified"
    ))
}

fn what(row: &TaskRow) -> String {
    match (row.red.first(), &row.question) {
        (Some(red), _) => red.clone(),
        (None, Some(question)) => question.text.clone(),
        (None, None) => row.title.clone(),
    }
}

fn is_closed(status: Status) -> bool {
    matches!(status, Status::Shipped | Status::Abandoned)
}

/// What needs a person comes first.
fn urgency(status: Status) -> u8 {
    match status {
        Status::Halted => 0,
        Status::Parked => 1,
        Status::InProgress => 2,
        Status::Pending => 3,
        Status::Shipped => 4,
        Status::Abandoned => 5,
    }
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

/// What people call it.
pub(crate) fn name(status: Status) -> &'static str {
    match status {
        Status::Pending => "pending",
        Status::InProgress => "at work",
        Status::Parked => "parked",
        Status::Halted => "halted",
        Status::Shipped => "done",
        Status::Abandoned => "given up",
    }
}
