//! `sealwright verify`: is everything what was once accepted?

use std::num::NonZero;

use sealwright_engine::{aggregate_of, anchors_in};
use sealwright_store::{Finding, Journal as _, Verified};
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
    let anchors = anchors_in(&repository.root)?;
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let verified = sealwright_store::verify(&repository.journal, &anchors, threads)?;
    let mut findings: Vec<(String, String)> =
        verified.findings.iter().map(|finding| (finding.to_string(), finding.hint())).collect();
    let snapshots = check_snapshots(repository, &verified, &mut findings)?;
    match format {
        Format::Human => tell(&verified, snapshots, &findings, output)?,
        Format::Json => {
            let findings: Vec<_> = findings
                .iter()
                .map(|(what, hint)| json!({ "finding": what, "hint": hint }))
                .collect();
            output.json(&json!({
                "verdict": if findings.is_empty() { "proven" } else { "not_proven" },
                "streams": verified.streams,
                "records": verified.records,
                "bytes": verified.bytes,
                "anchors": verified.anchors,
                "blobs": verified.blobs,
                "blobs_elsewhere": verified.blobs_elsewhere,
                "snapshots": snapshots,
                "torn": verified.torn,
                "findings": findings,
            }))?;
        }
    }
    match findings.len() {
        0 => Ok(()),
        1 => Err(CliError::NotProven { findings: 1, are: "is" }),
        findings => Err(CliError::NotProven { findings, are: "are" }),
    }
}

/// A snapshot is believed when a stream is opened, so it has to be the fold.
fn check_snapshots(
    repository: &Repository,
    verified: &Verified,
    findings: &mut Vec<(String, String)>,
) -> Result<u64, CliError> {
    let journal = &repository.journal;
    let mut checked = 0;
    for stream in journal.snapshots_blocking()? {
        let is_damaged = verified.findings.iter().any(|finding| match finding {
            Finding::Record(damage) => damage.stream == stream,
            Finding::Unreadable { stream: unreadable, .. } => *unreadable == stream,
            Finding::Blob { .. } => false,
        });
        let (Some(snapshot), Ok(aggregate)) =
            (wait(journal.snapshot(&stream))??, aggregate_of(&stream))
        else {
            continue;
        };
        if is_damaged {
            continue;
        }
        checked += 1;
        let folded = wait(aggregate.replay(journal, &stream, Some(snapshot.head.seq)))??;
        if folded != (snapshot.head, snapshot.state) {
            findings.push((
                format!(
                    "{stream}, snapshot at {}: it is not the fold of its stream",
                    snapshot.head.seq
                ),
                "delete it below `.sealwright/cache/snapshots`; it is rebuilt".to_owned(),
            ));
        }
    }
    Ok(checked)
}

fn tell(
    verified: &Verified,
    snapshots: u64,
    findings: &[(String, String)],
    output: &mut Output,
) -> Result<(), CliError> {
    for (what, hint) in findings {
        output.line(&format!("{} {}", bad("✗"), plain(what)))?;
        output.line(&format!("  {}", plain(hint)))?;
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
        true => output.line(&format!("{} {counted}: all as they were accepted", good("✓"))),
        false => output.line(&format!("checked {counted}")),
    }
}
