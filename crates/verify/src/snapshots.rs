//! Snapshots: a host trusts a snapshot when it opens a stream, so every snapshot must equal the fold.

use std::collections::BTreeSet;

use sealwright_kernel::{Machine, MachineVisitor, Seq, StreamId, visit_machine_of};
use sealwright_store::{FileJournal, Head, Journal as _, JournalError, Snapshot};
use serde_json::Value;

use super::Found;

/// Compares every snapshot with its stream, and returns how many it compared.
pub(super) async fn check(
    journal: &FileJournal,
    damaged: &BTreeSet<StreamId>,
    findings: &mut Vec<Found>,
) -> Result<u64, JournalError> {
    let mut checked = 0;
    for stream in journal.snapshots_blocking()? {
        let Some(Snapshot { head, state, .. }) = journal.snapshot(&stream).await? else { continue };
        if damaged.contains(&stream) {
            continue;
        }
        let fold = Fold { journal, stream: &stream, until: head.seq };
        let Some(folded) = visit_machine_of(&stream, fold) else { continue };
        checked += 1;
        let what = match folded {
            Ok(folded) if folded == (head, Some(state)) => continue,
            Ok(_) => "the snapshot differs from its stream".to_owned(),
            Err(error) => format!("cannot fold the stream: {error}"),
        };
        findings.push(Found {
            object: format!("snapshot {stream}"),
            finding: format!("{stream}, snapshot at {}: {what}", head.seq),
            hint: "delete it in `.sealwright/cache/snapshots`; Sealwright rebuilds it".to_owned(),
            seq: Some(head.seq),
            stream: Some(stream),
        });
    }
    Ok(checked)
}

/// Folds a stream up to and including a record.
struct Fold<'a> {
    journal: &'a FileJournal,
    stream: &'a StreamId,
    until: Seq,
}

impl MachineVisitor for Fold<'_> {
    type Output = Result<(Head, Option<Value>), JournalError>;

    fn visit<M: Machine>(self, _name: &'static str) -> Self::Output {
        let (mut machine, mut head) = (M::default(), Head::START);
        self.journal.read_blocking(self.stream, Head::START, &mut |entry| {
            if entry.head().seq <= self.until {
                entry.events::<M::Event>()?.iter().for_each(|event| machine.evolve(event));
                head = entry.head();
            }
            Ok(())
        })?;
        Ok((head, serde_json::to_value(machine).ok()))
    }
}
