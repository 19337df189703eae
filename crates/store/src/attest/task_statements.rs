//! Attesting: which statements a task's records give, and putting them under a signature.
//!
//! There is one statement for each piece of evidence, one for each freeze and one for each time the last gate was
//! opened. They are derived from the records and nothing else, so a reader of the journal knows which must be there.
//! Signing again changes nothing: a statement that exists stays as it is.

use super::{
    AttestationDir, AttestationDirError, Envelope, Frozen, IN_TOTO, Kept, KeyId, PrivateKey, Put,
    RecordRef, Statement,
};
use crate::{FileJournal, Head, JournalError, Record};
use sealwright_kernel::task::{Event, Milestone, Task};
use sealwright_kernel::{CanonicalError, Machine as _, Seq, TaskId};

/// A statement that a task's records give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attestable {
    /// What its file is called: `EV-000001`, `freeze-000007`, `gate-000042`; numbers of records where it is no
    /// evidence.
    pub name: String,
    /// The record it was taken from.
    pub seq: Seq,
    pub statement: Statement,
}

/// Takes statements from records as they come.
#[derive(Clone, Debug, Default)]
pub struct Attesting {
    task: Task,
    made: Vec<Attestable>,
}

/// The result of signing a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attested {
    /// The key that signed what was missing.
    pub key: KeyId,
    /// How many statements were written.
    pub written: u64,
    /// How many were there already.
    pub kept: u64,
}

/// Why a task could not be signed.
#[derive(Debug, thiserror::Error)]
pub enum AttestError {
    /// Nothing was proven yet.
    #[error("{task} has not passed its last gate")]
    NotYet { task: TaskId },
    /// A statement is kept that is not what the journal says.
    #[error("the statement {name} of {task} is not what the journal says")]
    Altered { task: TaskId, name: String },
    /// The journal could not be read.
    #[error("the journal could not be used")]
    Journal(#[from] JournalError),
    /// The files could not be read or written.
    #[error(transparent)]
    AttestationDir(#[from] AttestationDirError),
    /// A number in it has no one form.
    #[error("a statement could not be written")]
    NotCanonical(#[from] CanonicalError),
}

impl AttestError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotYet { .. } => Some("only what was proven is signed".to_owned()),
            Self::Altered { .. } => {
                Some("`sealwright verify` says what is not as it was accepted".to_owned())
            }
            Self::Journal(error) => error.hint(),
            Self::AttestationDir(error) => error.hint(),
            Self::NotCanonical(_) => None,
        }
    }
}

/// Signs everything of `task` that is not signed yet, and keeps it. The last gate must have been opened; the
/// engine calls this before it reports a task as shipped.
pub fn attest(
    journal: &FileJournal,
    task: &TaskId,
    key: &PrivateKey,
) -> Result<Attested, AttestError> {
    let attesting = Attesting::of(journal, task)?;
    if !attesting.task.stage().has_passed_last_gate() {
        return Err(AttestError::NotYet { task: task.clone() });
    }
    let attestation_dir = AttestationDir::of(journal.layout());
    let there = attestation_dir.statements(task)?;
    let mut attested = Attested { key: key.id(), written: 0, kept: 0 };
    for Attestable { name, statement, .. } in attesting.made {
        let payload = statement.to_bytes()?;
        let file = file_of(&name);
        if let Some(Kept { bytes, .. }) = there.iter().find(|kept| kept.name == file) {
            // A colleague may have signed it; what counts is that it says the same.
            match Envelope::from_bytes(bytes) {
                Ok(envelope) if envelope.payload == payload => attested.kept += 1,
                Ok(_) | Err(_) => return Err(AttestError::Altered { task: task.clone(), name }),
            }
            continue;
        }
        let envelope = Envelope::sign(IN_TOTO, payload, key);
        match attestation_dir.put_statement(task, &name, &envelope.to_bytes())? {
            Put::Written => attested.written += 1,
            Put::WasThere => attested.kept += 1,
        }
    }
    Ok(attested)
}

impl Attesting {
    /// Everything that the stream of `task` gives.
    pub fn of(journal: &FileJournal, task: &TaskId) -> Result<Self, JournalError> {
        let mut attesting = Self::default();
        journal.read_blocking(task.stream(), Head::START, &mut |entry| {
            attesting.tell(&entry.record()?, &entry.events::<Event>()?);
            Ok(())
        })?;
        Ok(attesting)
    }

    /// Takes what the next record, and the events in it, give.
    pub fn tell(&mut self, record: &Record, events: &[Event]) {
        let record_ref = RecordRef {
            stream: record.stream.clone(),
            seq: record.seq,
            hash: record.hash,
            at: record.at,
        };
        for event in events {
            let seen = self.task.data().map_or(0, |known| known.evidence.len());
            self.task.evolve(event);
            self.take(event, seen, &record_ref);
        }
    }

    pub fn task(&self) -> &Task {
        &self.task
    }

    /// The statements so far, in the order of their records.
    pub fn made(&self) -> &[Attestable] {
        &self.made
    }

    fn take(&mut self, event: &Event, seen: usize, record_ref: &RecordRef) {
        let Some(known) = self.task.data() else { return };
        let (task, seq) = (&known.charter.id, record_ref.seq);
        let frozen = Frozen::new(known.frozen.as_ref().map(|(item, _)| *item), known.guarded);
        // Whatever brought it in, evidence is what the task has more of than before.
        for record in known.evidence.get(seen..).unwrap_or_default() {
            let statement = Statement::evidence(task, record, frozen, record_ref);
            self.made.push(Attestable { name: record.id.to_string(), seq, statement });
        }
        let Some(milestone) = event.milestone() else { return };
        match milestone {
            Milestone::Frozen { item, by, when } => {
                let Some(bundle) = &known.bundle else { return };
                let statement = Statement::freeze(task, bundle, (item, by, when), record_ref);
                self.made.push(Attestable { name: format!("freeze-{seq:0>6}"), seq, statement });
            }
            Milestone::GatePassed { record } => {
                let statement = Statement::gate(task, record, &known.evidence, frozen, record_ref);
                self.made.push(Attestable { name: format!("gate-{seq:0>6}"), seq, statement });
            }
            Milestone::TextTaken { .. }
            | Milestone::SeenRed { .. }
            | Milestone::Verified { .. }
            | Milestone::Shipped { .. }
            | Milestone::Done => {}
        }
    }
}

pub fn file_of(name: &str) -> String {
    format!("{name}.json")
}
