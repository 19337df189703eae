//! Rebuilds a machine's state from its stream.

use sealwright_kernel::{Machine, Seq, StreamId};
use sealwright_store::{Entry, Head, Journal, JournalError, Snapshot};
use serde_json::Value;

use crate::HostError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed<M> {
    pub machine: M,
    /// The last record folded.
    pub head: Head,
}

/// Folds `stream` from its first record, up to and including record `until` if one is given.
pub async fn replay<M: Machine, J: Journal>(
    journal: &J,
    stream: &StreamId,
    until: Option<Seq>,
) -> Result<Replayed<M>, HostError> {
    let mut replayed = Replayed::start();
    journal
        .read(stream, Head::START, &mut |entry| {
            if until.is_none_or(|until| entry.head().seq <= until) {
                replayed.fold(entry)?;
            }
            Ok(())
        })
        .await?;
    Ok(replayed)
}

impl<M: Machine> Replayed<M> {
    pub(crate) fn start() -> Self {
        Self { machine: M::default(), head: Head::START }
    }

    /// The state in `snapshot`, if this version can read it.
    pub(crate) fn from_snapshot(snapshot: Snapshot) -> Option<Self> {
        let machine = serde_json::from_value(snapshot.state).ok()?;
        Some(Self { machine, head: snapshot.head })
    }

    pub(crate) fn fold(&mut self, entry: &Entry<'_>) -> Result<(), JournalError> {
        for event in entry.events::<M::Event>()? {
            self.machine.evolve(&event);
        }
        self.head = entry.head();
        Ok(())
    }
}

/// The state as JSON, for snapshots and display.
pub fn state_of<M: Machine>(machine: &M) -> Result<Value, HostError> {
    Ok(serde_json::to_value(machine)?)
}
