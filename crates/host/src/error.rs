//! The errors of a host.

use sealwright_kernel::EffectId;
use sealwright_store::JournalError;

/// Why a host cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    #[error("the journal could not be used")]
    Journal(#[from] JournalError),
    /// The machine's state does not convert to or from the JSON of a snapshot.
    #[error("cannot convert the state to or from a snapshot")]
    State(#[from] serde_json::Error),
    /// This version has no machine for the stream.
    #[error("no machine in this version for the stream `{stream}`")]
    UnknownAggregate { stream: String },
}

/// Why a report is not known to be accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportError<Rejected> {
    /// The machine rejected the report.
    #[error("{0}")]
    Rejected(Rejected),
    /// The journal did not store the report, so it does not count. The same report may be sent again.
    #[error("cannot record the report: {why}")]
    NotDurable { why: String, hint: Option<String> },
    /// The input is signed by another actor than the one that reports it.
    #[error("the input is signed by another actor")]
    Forged,
    /// The host has ended. The journal shows whether the report was recorded.
    #[error("the host has stopped")]
    Stopped,
}

impl HostError {
    /// What to do next, in one sentence.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Journal(error) => error.hint(),
            Self::State(_) => Some("delete `.sealwright/cache`; Sealwright rebuilds it".to_owned()),
            Self::UnknownAggregate { .. } => {
                Some("another version of Sealwright wrote it; use that version".to_owned())
            }
        }
    }
}

/// An effect the host gave up in this run. It stays owed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stalled {
    pub effect: EffectId,
    /// Why its last try failed.
    pub why: String,
}
