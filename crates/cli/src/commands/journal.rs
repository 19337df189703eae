//! `sealwright journal`: lists streams and records.

use sealwright_kernel::{Actor, StreamId};
use sealwright_store::{Catalog, Condition, Head, Record, StreamSummary};
use sealwright_views::wire::{JournalLine, StreamRow};
use serde_json::Value;

use crate::args::Format;
use crate::error::CliResult;
use crate::output::{Output, counted, sanitize, short, table, table_text, timestamp};
use crate::repository::Repository;

/// List streams, or the records of one stream.
///
/// Every printed record has been checked.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Stream whose records to list.
    stream: Option<String>,

    /// Only the last COUNT records.
    #[arg(long, value_name = "COUNT", requires = "stream")]
    last: Option<usize>,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    match &args.stream {
        None => list_streams(repository, output),
        Some(named) => {
            let stream = repository.stream(Some(named))?;
            list_records(&stream, args.last, repository, output)
        }
    }
}

fn list_streams(repository: &Repository, output: &mut Output) -> CliResult {
    let catalog = Catalog::refresh(&repository.journal)?;
    if output.format == Format::Json {
        for stream in catalog.streams() {
            output.json(&JournalLine::Stream(StreamRow {
                stream: (&stream.stream).into(),
                head: head_of(&catalog, stream).into(),
                condition: stream.condition.into(),
            }))?;
        }
        return Ok(());
    }
    if catalog.streams().len() == 0 {
        return output.line("no streams yet");
    }
    let mut table = table(&["stream", "records", "condition", "head"], &["stream"]);
    for stream in catalog.streams() {
        let condition = match stream.condition {
            Condition::Open => "open",
            Condition::Ended => "ended",
            Condition::Damaged => "damaged",
        };
        let Head { seq, hash } = head_of(&catalog, stream);
        let (records, head) = match stream.condition {
            Condition::Open | Condition::Ended => (seq.to_string(), short(&hash)),
            Condition::Damaged => ("?".to_owned(), "see `sealwright verify`".to_owned()),
        };
        table.add_row([stream.stream.to_string(), records, condition.to_owned(), head]);
    }
    output.line(&table_text(&table))
}

fn head_of(catalog: &Catalog, stream: &StreamSummary) -> Head {
    catalog.details::<()>(stream).map_or(Head::START, |known| known.head)
}

fn list_records(
    stream: &StreamId,
    last: Option<usize>,
    repository: &Repository,
    output: &mut Output,
) -> CliResult {
    let format = output.format;
    // Keep only the printed records in memory; a stream may have a million.
    let keep = last.unwrap_or(match format {
        Format::Human => ROWS_MAX,
        Format::Json => 0,
    });
    let mut shown = std::collections::VecDeque::new();
    let mut failed = None;
    let read = repository.journal.read_blocking(stream, Head::START, &mut |entry| {
        if format == Format::Json && last.is_none() {
            let record = entry.record()?;
            if failed.is_none() && !output.is_closed() {
                failed = output.json(&JournalLine::from(record)).err();
            }
            return Ok(());
        }
        if shown.len() == keep {
            shown.pop_front();
        }
        if keep > 0 {
            shown.push_back(entry.record()?);
        }
        Ok(())
    });
    if let Some(failed) = failed {
        return Err(failed);
    }
    if output.format == Format::Json {
        shown.into_iter().try_for_each(|record| output.json(&JournalLine::from(record)))?;
        return Ok(read.map(|_| ())?);
    }
    let mut table =
        table(&["seq", "at", "actor", "cause", "events", "hash"], &["actor", "cause", "events"]);
    for record in &shown {
        table.add_row(row(record));
    }
    if !shown.is_empty() {
        output.line(&table_text(&table))?;
    }
    // Print the intact records before reporting damage.
    let head = read?;
    let hidden = head.seq.get().saturating_sub(shown.len() as u64);
    if hidden > 0 {
        let hidden = counted(hidden, "earlier record");
        output.line(&format!("{hidden} not shown; use --last or --format json"))?;
    }
    Ok(())
}

fn row(record: &Record) -> [String; 6] {
    let events: Vec<String> = record.events.iter().map(kind).collect();
    [
        record.seq.to_string(),
        timestamp(record.at),
        sanitize(&actor(&record.actor)),
        sanitize(&kind(&record.cause)),
        sanitize(&events.join(", ")),
        short(&record.hash),
    ]
}

fn actor(actor: &Actor) -> String {
    match actor {
        Actor::Human(name) => name.clone(),
        Actor::Role(role, invocation) => format!("{role:?} ({invocation})").to_lowercase(),
        Actor::Machine => "machine".to_owned(),
        Actor::Environment => "environment".to_owned(),
    }
}

/// The name of an input or event: the only member of its object.
fn kind(value: &Value) -> String {
    match value {
        Value::String(name) => name.clone(),
        Value::Object(members) => match members.iter().next() {
            Some((name, inner)) if name == "journal" => format!("journal: {}", kind(inner)),
            Some((name, _)) => name.clone(),
            None => String::new(),
        },
        Value::Null => "–".to_owned(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => "?".to_owned(),
    }
}

const ROWS_MAX: usize = 1_000;
