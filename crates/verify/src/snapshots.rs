//! Snapshots: one is believed when a stream is opened, so it has to be the fold.

use std::collections::BTreeSet;

use sealwright_kernel::{Machine, MachineVisitor, Seq, StreamId, visit_machine_of};
use sealwright_store::{FileJournal, Head, Journal as _, JournalError, Snapshot};
use serde_json::Value;

use super::Found;

/// Holds every snapshot against its stream, and says how many there are.
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
            Ok(_) => "it is not the fold of its stream".to_owned(),
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

/// Folds a stream up to a record, as a snapshot does.
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
