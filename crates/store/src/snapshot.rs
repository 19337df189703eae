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

#[derive(Serialize, Deserialize)]
struct Kept {
    sha256: Digest,
    snapshot: Snapshot,
}

impl Snapshot {
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, JournalError> {
        let sha256 = Digest::of(&canonical_json(self)?);
        Ok(canonical_json(&Kept { sha256, snapshot: self.clone() })?)
    }

    /// Reads a kept snapshot. Anything that is not exactly one is none at all.
    pub(crate) fn from_bytes(stream: &StreamId, bytes: &[u8]) -> Option<Self> {
        let kept: Kept = serde_json::from_slice(bytes).ok()?;
        let sound = Digest::of(&canonical_json(&kept.snapshot).ok()?) == kept.sha256;
        (sound && kept.snapshot.stream == *stream).then_some(kept.snapshot)
    }
}
