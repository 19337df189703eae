//! Decides every record again under the rules of this version.
//!
//! Events fold in every version, but rules change, and a record does not say which version wrote it. A difference is
//! therefore no proof of forgery. The caller reports it according to whether the record is signed or anchored.

use sealwright_kernel::{Machine, MachineVisitor, Seq, StreamId, visit_machine_of};
use sealwright_store::{FileJournal, Head, JournalError, Record};

/// A record that this version would decide differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) seq: Seq,
    pub(super) what: String,
}

/// A machine, and the differences found while its records are decided again.
#[derive(Clone, Debug, Default)]
pub(super) struct Redo<M> {
    machine: M,
    differences: Vec<Difference>,
}

/// Decides all records of `stream` again. `None` if this version has no machine for it.
pub(super) fn redo_stream(
    journal: &FileJournal,
    stream: &StreamId,
) -> Option<Result<Vec<Difference>, JournalError>> {
    visit_machine_of(stream, RedoStream { journal, stream })
}

struct RedoStream<'a> {
    journal: &'a FileJournal,
    stream: &'a StreamId,
}

impl MachineVisitor for RedoStream<'_> {
    type Output = Result<Vec<Difference>, JournalError>;

    fn visit<M: Machine>(self, _name: &'static str) -> Self::Output {
        let mut redo = Redo::<M>::default();
        self.journal.read_blocking(self.stream, Head::START, &mut |entry| {
            redo.apply(&entry.record()?, &entry.events::<M::Event>()?);
            Ok(())
        })?;
        Ok(redo.differences)
    }
}

impl<M: Machine> Redo<M> {
    /// Decides one record again, then folds its recorded events.
    pub(super) fn apply(&mut self, record: &Record, events: &[M::Event]) {
        // A note of the journal itself has no cause and no events.
        let is_note = record.cause.is_null() && events.is_empty();
        if !is_note && let Some(what) = self.differs(record, events) {
            self.differences.push(Difference { seq: record.seq, what });
        }
        events.iter().for_each(|event| self.machine.evolve(event));
    }

    pub(super) fn differences(self) -> Vec<Difference> {
        self.differences
    }

    fn differs(&self, record: &Record, events: &[M::Event]) -> Option<String> {
        let Ok(input) = serde_json::from_value::<M::Input>(record.cause.clone()) else {
            return Some("this version cannot read the cause".to_owned());
        };
        match self.machine.decide(&input) {
            Ok(decided) if decided == events => None,
            Ok(_) => Some("this version decides differently".to_owned()),
            Err(rejected) => Some(format!("this version rejects the cause: {rejected}")),
        }
    }
}
