//! Snapshots: one is believed when a stream is opened, so it has to be the fold.

use std::collections::BTreeSet;

use sealwright_kernel::StreamId;
use sealwright_store::{FileJournal, Journal as _, Snapshot};

use super::Found;
use crate::{EngineError, aggregate_of};

/// Holds every snapshot against its stream, and says how many there are.
pub(super) async fn check(
    journal: &FileJournal,
    damaged: &BTreeSet<StreamId>,
    findings: &mut Vec<Found>,
) -> Result<u64, EngineError> {
    let mut checked = 0;
    for stream in journal.snapshots_blocking()? {
        let (Some(snapshot), Ok(aggregate)) =
            (journal.snapshot(&stream).await?, aggregate_of(&stream))
        else {
            continue;
        };
        if damaged.contains(&stream) {
            continue;
        }
        checked += 1;
        let Snapshot { head, state, .. } = snapshot;
        let what = match aggregate.replay(journal, &stream, Some(head.seq)).await {
            Ok(folded) if folded == (head, state) => continue,
            Ok(_) => "it is not the fold of its stream".to_owned(),
            Err(EngineError::Journal(error)) => format!("its stream cannot be folded: {error}"),
            Err(error) => format!("its stream cannot be folded: {error}"),
        };
        findings.push(Found {
            object: format!("snapshot {stream}"),
            finding: format!("{stream}, snapshot at {}: {what}", head.seq),
            hint: "delete it below `.sealwright/cache/snapshots`; it is rebuilt".to_owned(),
            seq: Some(head.seq),
            stream: Some(stream),
        });
    }
    Ok(checked)
}
