//! Snapshots: the state at one record, so that opening does not depend on the past's length.

use sealwright_kernel::{Digest, StreamId, canonical_json};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Head, JournalError};

/// The state of a stream at one of its records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    pub stream: StreamId,
    /// The record up to which it was folded.
    pub head: Head,
    pub state: Value,
}

/// A snapshot is believed only beside the very files it was made of: a host does not fold what comes before it. One that
/// came along with a copy or an archive says what whoever made that wanted it to say.
#[derive(Serialize, Deserialize)]
struct Kept {
    sha256: Digest,
    /// When the first segment of the stream was made. Missing in files of earlier versions.
    #[serde(default)]
    origin: Option<Origin>,
    snapshot: Snapshot,
}

/// When a file was made, in a form that JSON keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Origin(String);

impl Origin {
    pub(crate) fn new(birth: u128) -> Self {
        Self(birth.to_string())
    }
}

impl Snapshot {
    pub(crate) fn to_bytes(&self, origin: Origin) -> Result<Vec<u8>, JournalError> {
        let sha256 = Digest::of(&canonical_json(self)?);
        Ok(canonical_json(&Kept { sha256, origin: Some(origin), snapshot: self.clone() })?)
    }

    /// Reads a kept snapshot of this origin. Anything that is not exactly one is none at all.
    pub(crate) fn from_bytes(stream: &StreamId, origin: &Origin, bytes: &[u8]) -> Option<Self> {
        let kept: Kept = serde_json::from_slice(bytes).ok()?;
        let sound = Digest::of(&canonical_json(&kept.snapshot).ok()?) == kept.sha256;
        let fits = kept.snapshot.stream == *stream && kept.origin.as_ref() == Some(origin);
        (sound && fits).then_some(kept.snapshot)
    }
}
