//! Deciding again: what each record's cause leads to under the rules of this version.
//!
//! Events are the truth and fold for ever; rules may change from version to version, and a record does not say which
//! version wrote it. So a difference alone is no proof of forgery. It is brought to light, and who stands behind the
//! record decides how it is told.

use sealwright_kernel::{Machine, MachineVisitor, Seq, StreamId, visit_machine_of};
use sealwright_store::{FileJournal, Head, JournalError, Record};

/// A record that this version would not have written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Odd {
    pub(super) seq: Seq,
    pub(super) what: String,
}

/// A machine that is led through its records again.
#[derive(Clone, Debug, Default)]
pub(super) struct Redo<M> {
    machine: M,
    odd: Vec<Odd>,
}

/// Decides all of `stream` again. `None` if no machine of this version keeps it.
pub(super) fn redo_stream(
    journal: &FileJournal,
    stream: &StreamId,
) -> Option<Result<Vec<Odd>, JournalError>> {
    visit_machine_of(stream, RedoStream { journal, stream })
}

struct RedoStream<'a> {
    journal: &'a FileJournal,
    stream: &'a StreamId,
}

impl MachineVisitor for RedoStream<'_> {
    type Output = Result<Vec<Odd>, JournalError>;

    fn visit<M: Machine>(self, _name: &'static str) -> Self::Output {
        let mut redo = Redo::<M>::default();
        self.journal.read_blocking(self.stream, Head::START, &mut |entry| {
            redo.tell(&entry.record()?, &entry.events::<M::Event>()?);
            Ok(())
        })?;
        Ok(redo.odd)
    }
}

impl<M: Machine> Redo<M> {
    /// Decides one record again and lets what it recorded become state.
    pub(super) fn tell(&mut self, record: &Record, events: &[M::Event]) {
        // What the journal says itself has no cause and no events of a machine.
        let is_note = record.cause.is_null() && events.is_empty();
        if !is_note && let Some(what) = self.differs(record, events) {
            self.odd.push(Odd { seq: record.seq, what });
        }
        events.iter().for_each(|event| self.machine.evolve(event));
    }

    pub(super) fn odd(self) -> Vec<Odd> {
        self.odd
    }

    fn differs(&self, record: &Record, events: &[M::Event]) -> Option<String> {
        let Ok(input) = serde_json::from_value::<M::Input>(record.cause.clone()) else {
            return Some("this version cannot read its cause".to_owned());
        };
        match self.machine.decide(&input) {
            Ok(decided) if decided == events => None,
            Ok(_) => Some("this version decides otherwise".to_owned()),
            Err(rejected) => Some(format!("this version refuses its cause: {rejected}")),
        }
    }
}
