//! What can go wrong around a decision.

use sealwright_kernel::EffectId;
use sealwright_store::JournalError;

/// A host that could not go on.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The journal could not be read or written.
    #[error("the journal could not be used")]
    Journal(#[from] JournalError),
    /// The state does not fit into a snapshot, or was read from a foreign one.
    #[error("the state could not be kept or read back")]
    State(#[from] serde_json::Error),
    /// Nothing in this version folds such a stream.
    #[error("no machine of this version keeps the stream `{stream}`")]
    UnknownAggregate {
        /// The stream.
        stream: String,
    },
}

/// A report that is not known to be accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportError<Rejected> {
    /// The machine turned it away.
    #[error("{0}")]
    Rejected(Rejected),
    /// It was not durable, so it does not count; the same report may be tried again.
    #[error("the report could not be made durable: {why}")]
    NotDurable {
        /// What the journal said.
        why: String,
        /// What can be done about it.
        hint: Option<String>,
    },
    /// It is signed by somebody else than who reports it.
    #[error("it is signed by somebody else")]
    Forged,
    /// The host is gone. Whether it heard the report, the journal knows.
    #[error("the host has stopped")]
    Stopped,
}

impl HostError {
    /// What a person can do about it, in one sentence, if anything.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Journal(error) => error.hint(),
            Self::State(_) => Some("delete `.sealwright/cache`; it is rebuilt".to_owned()),
            Self::UnknownAggregate { .. } => {
                Some("a newer Sealwright may have written it; use that version".to_owned())
            }
        }
    }
}

/// An effect that was given up for now. It is still owed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stalled {
    /// The effect.
    pub effect: EffectId,
    /// Why its last try failed.
    pub why: String,
}
