//! Decides every record again under the rules of this version.
//!
//! Events fold in every version, but rules change, and a record does not say which version wrote it. A difference is
//! therefore no proof of forgery. The caller reports it according to whether the record is signed or anchored. That the
//! actor of a record signed its cause is no such rule: a record in which they differ is a finding, whoever vouches for it.

use sealwright_kernel::{Machine, MachineVisitor, Seq, StreamId, visit_machine_of};
use sealwright_store::{FileJournal, Head, JournalError, Record};

use super::{Found, decisions};

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

/// A stream whose records were decided again.
#[derive(Debug)]
pub(super) struct Redone {
    pub(super) differences: Vec<Difference>,
    /// Records with another actor than the signer of their cause.
    pub(super) findings: Vec<Found>,
}

/// Decides all records of `stream` again. `None` if this version has no machine for it.
pub(super) fn redo_stream(
    journal: &FileJournal,
    stream: &StreamId,
) -> Option<Result<Redone, JournalError>> {
    visit_machine_of(stream, RedoStream { journal, stream })
}

struct RedoStream<'a> {
    journal: &'a FileJournal,
    stream: &'a StreamId,
}

impl MachineVisitor for RedoStream<'_> {
    type Output = Result<Redone, JournalError>;

    fn visit<M: Machine>(self, _name: &'static str) -> Self::Output {
        let (mut redo, mut findings) = (Redo::<M>::default(), Vec::new());
        self.journal.read_blocking(self.stream, Head::START, &mut |entry| {
            let record = entry.record()?;
            if let Err(what) = redo.apply(&record, &entry.events::<M::Event>()?) {
                findings.push(Found::about_record(self.stream, record.seq, &what));
            }
            Ok(())
        })?;
        Ok(Redone { differences: redo.differences, findings })
    }
}

impl<M: Machine> Redo<M> {
    /// Decides one record again, then folds its recorded events. An error says that the actor of the record is not the
    /// signer of its cause.
    pub(super) fn apply(&mut self, record: &Record, events: &[M::Event]) -> Result<(), String> {
        // A note of the journal itself has no cause and no events.
        if record.cause.is_null() && events.is_empty() {
            return Ok(());
        }
        let cause: Option<M::Input> = serde_json::from_value(record.cause.clone()).ok();
        if let Some(what) = self.differs(cause.as_ref(), events) {
            self.differences.push(Difference { seq: record.seq, what });
        }
        events.iter().for_each(|event| self.machine.evolve(event));
        decisions::signer(record, cause.as_ref())
    }

    pub(super) fn differences(self) -> Vec<Difference> {
        self.differences
    }

    fn differs(&self, cause: Option<&M::Input>, events: &[M::Event]) -> Option<String> {
        let Some(cause) = cause else {
            return Some("this version cannot read the cause".to_owned());
        };
        match self.machine.decide(cause) {
            Ok(decided) if decided == events => None,
            Ok(_) => Some("this version decides differently".to_owned()),
            Err(rejected) => Some(format!("this version rejects the cause: {rejected}")),
        }
    }
}
