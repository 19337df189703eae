//! What `journal` prints.

use sealwright_store::Record;
use serde::Serialize;
use serde_json::Value;

use super::{Actor, Condition, Digest, Head, Printed, Seq, StreamId, Timestamp};

/// Without a stream: one value per stream. With a stream: one value per record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum JournalLine {
    Stream(StreamRow),
    Record(Box<JournalRecord>),
}

/// One stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StreamRow {
    pub stream: StreamId,
    pub head: Head,
    pub condition: Condition,
}

/// One record, as described in docs/journal-format.md.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JournalRecord {
    pub stream: StreamId,
    pub seq: Seq,
    pub at: Timestamp,
    pub actor: Actor,
    /// The input that was decided, as the machine serializes it; null for the journal's own notes.
    pub cause: Value,
    /// The events, as the machine serializes them.
    pub events: Vec<EventBody>,
    /// The evidence the record refers to.
    pub blobs: Vec<BlobEntry>,
    /// The hash of the previous record; all zeros for the first.
    pub prev: Digest,
    /// The hash of this record.
    pub hash: Digest,
}

/// One event, as the machine serializes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("type" = ["object", "string"])))]
pub struct EventBody(Value);

/// Content in the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlobEntry {
    pub sha256: Digest,
    /// The length in bytes.
    pub size: u64,
}

impl Printed for JournalLine {}

impl From<Record> for JournalLine {
    fn from(record: Record) -> Self {
        let blob =
            |it: &sealwright_store::BlobRef| BlobEntry { sha256: it.sha256.into(), size: it.size };
        Self::Record(Box::new(JournalRecord {
            stream: (&record.stream).into(),
            seq: record.seq.into(),
            at: record.at.into(),
            actor: (&record.actor).into(),
            cause: record.cause,
            events: record.events.into_iter().map(EventBody).collect(),
            blobs: record.blobs.iter().map(blob).collect(),
            prev: record.prev.into(),
            hash: record.hash.into(),
        }))
    }
}
