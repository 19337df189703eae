//! `sealwright verify`: is everything what was once accepted?

use std::num::NonZero;

use sealwright_engine::{Depth, EngineError, History, aggregate_of, history_of};
use sealwright_kernel::{Seq, StreamId};
use sealwright_store::{Finding, Journal as _, Verified};
use serde::Serialize;
use serde_json::json;

use crate::args::Format;
use crate::commands::wait;
use crate::error::CliError;
use crate::output::{Output, bad, counted, good, plain};
use crate::repository::Repository;

/// Checks every record of every stream, the anchors in commits and in the project's stream,
/// the blobs records rest on, and the snapshots. Nothing is written and nothing is fetched.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(
    _args: &Args,
    repository: &Repository,
    format: Format,
    output: &mut Output,
) -> Result<(), CliError> {
    let history = history_of(&repository.root)?;
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let verified = sealwright_store::verify(&repository.journal, &history.anchors, threads)?;
    let mut findings: Vec<Found> = verified.findings.iter().map(Found::from_finding).collect();
    let snapshots = check_snapshots(repository, &mut findings)?;
    match format {
        Format::Human => tell(&verified, &history, snapshots, &findings, output)?,
        Format::Json => output.json(&json!({
            "verdict": if findings.is_empty() { "proven" } else { "not_proven" },
            "streams": verified.streams,
            "records": verified.records,
            "bytes": verified.bytes,
            "anchors": verified.anchors,
            "history": match history.depth {
                Depth::None => "none",
                Depth::Shallow => "shallow",
                Depth::Whole => "whole",
            },
            "blobs": verified.blobs,
            "blobs_elsewhere": verified.blobs_elsewhere,
            "snapshots": snapshots,
            "torn": verified.torn,
            "findings": findings,
        }))?,
    }
    match findings.len() {
        0 => Ok(()),
        1 => Err(CliError::NotProven { findings: 1, are: "is" }),
        findings => Err(CliError::NotProven { findings, are: "are" }),
    }
}

/// A finding, as it is told.
#[derive(Debug, Serialize)]
struct Found {
    stream: StreamId,
    seq: Option<Seq>,
    finding: String,
    hint: String,
}

impl Found {
    fn from_finding(finding: &Finding) -> Self {
        Self {
            stream: finding.stream().clone(),
            seq: finding.seq(),
            finding: finding.to_string(),
            hint: finding.hint(),
        }
    }
}

/// A snapshot is believed when a stream is opened, so it has to be the fold.
fn check_snapshots(repository: &Repository, findings: &mut Vec<Found>) -> Result<u64, CliError> {
    let journal = &repository.journal;
    let mut checked = 0;
    let streams = journal.snapshots_blocking()?;
    wait(async {
        for stream in streams {
            let is_damaged = findings.iter().any(|found| found.stream == stream);
            let (Some(snapshot), Ok(aggregate)) =
                (journal.snapshot(&stream).await?, aggregate_of(&stream))
            else {
                continue;
            };
            if is_damaged {
                continue;
            }
            checked += 1;
            let seq = snapshot.head.seq;
            let what = match aggregate.replay(journal, &stream, Some(seq)).await {
                Ok(folded) if folded == (snapshot.head, snapshot.state) => continue,
                Ok(_) => "it is not the fold of its stream".to_owned(),
                Err(EngineError::Journal(error)) => format!("its stream cannot be folded: {error}"),
                Err(error) => format!("its stream cannot be folded: {error}"),
            };
            findings.push(Found {
                finding: format!("{stream}, snapshot at {seq}: {what}"),
                hint: "delete it below `.sealwright/cache/snapshots`; it is rebuilt".to_owned(),
                stream,
                seq: Some(seq),
            });
        }
        Ok(checked)
    })?
}

fn tell(
    verified: &Verified,
    history: &History,
    snapshots: u64,
    findings: &[Found],
    output: &mut Output,
) -> Result<(), CliError> {
    for found in findings {
        output.line(&format!("{} {}", bad("✗"), plain(&found.finding)))?;
        output.line(&format!("  {}", plain(&found.hint)))?;
    }
    if history.depth == Depth::Shallow {
        output.line("• the history is shallow; anchors in older commits are not known here")?;
    }
    for stream in &verified.torn {
        output.line(&format!(
            "• {stream} ends in a line a crash left unfinished; its next writer drops it"
        ))?;
    }
    if verified.blobs_elsewhere > 0 {
        let count = counted(verified.blobs_elsewhere, "large blob");
        output.line(&format!("• {count} kept out of git and not here"))?;
    }
    let counted = [
        counted(verified.streams, "stream"),
        counted(verified.records, "record"),
        counted(verified.anchors, "anchor"),
        counted(verified.blobs, "blob"),
        counted(snapshots, "snapshot"),
    ]
    .join(", ");
    match findings.is_empty() {
        true => output.line(&format!("{} {counted}: all as accepted", good("✓"))),
        false => output.line(&format!("checked {counted}")),
    }
}
