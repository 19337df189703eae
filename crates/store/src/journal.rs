//! The journal trait, independent of its backend.

use std::future::Future;

use sealwright_kernel::{StreamId, Timestamp};
use serde::Serialize;

use crate::{Anchor, Draft, Entry, Head, JournalError, Note, Snapshot};

/// Called with each record, in order. An error ends the reading.
pub type Each<'e> = &'e mut (dyn FnMut(&Entry<'_>) -> Result<(), JournalError> + Send);

/// Append-only, hash-chained streams: one writer each, any number of readers.
pub trait Journal: Clone + Send + Sync + 'static {
    type Writer: Writer;

    /// Opens `stream` for writing and reads what it holds after `since`.
    ///
    /// The stream need not exist yet. When this returns, everything that was shown is durable:
    /// a record that only a crash kept from being acknowledged has been written again.
    fn open(
        &self,
        stream: &StreamId,
        since: Head,
        each: Each<'_>,
    ) -> impl Future<Output = Result<Self::Writer, JournalError>> + Send;

    /// Reads what `stream` holds after `since`, without disturbing its writer.
    fn read(
        &self,
        stream: &StreamId,
        since: Head,
        each: Each<'_>,
    ) -> impl Future<Output = Result<Head, JournalError>> + Send;

    fn streams(&self) -> impl Future<Output = Result<Vec<StreamId>, JournalError>> + Send;

    /// The last snapshot kept of `stream`, if there is one that can be read.
    fn snapshot(
        &self,
        stream: &StreamId,
    ) -> impl Future<Output = Result<Option<Snapshot>, JournalError>> + Send;

    /// Keeps a snapshot. It is a cache: losing it costs time and nothing else.
    fn keep_snapshot(
        &self,
        snapshot: &Snapshot,
    ) -> impl Future<Output = Result<(), JournalError>> + Send;
}

/// The exclusive right to append to one stream. Dropping it gives the right back.
pub trait Writer: std::fmt::Debug + Send + Sync + 'static {
    fn stream(&self) -> &StreamId;

    fn head(&self) -> Head;

    fn has_ended(&self) -> bool;

    /// Makes `draft` the next record. It is durable when this returns.
    ///
    /// After an error it is not accepted, and the writer can be used again: its next append
    /// drops what the failed one left. Only if the process dies first may the record turn out
    /// to be there when the stream is next opened.
    fn append<C, E>(
        &mut self,
        draft: Draft<C, E>,
    ) -> impl Future<Output = Result<Head, JournalError>> + Send
    where
        C: Serialize + Send + Sync,
        E: Serialize + Send + Sync;

    /// Records something of the journal's own.
    fn note(
        &mut self,
        at: Timestamp,
        note: Note,
    ) -> impl Future<Output = Result<Head, JournalError>> + Send {
        self.append(Draft::note(at, &note))
    }

    /// Ends the stream and says how it can be anchored. Ending twice is the same end.
    fn end(&mut self, at: Timestamp) -> impl Future<Output = Result<Anchor, JournalError>> + Send {
        async move {
            if !self.has_ended() {
                self.note(at, Note::Ended).await?;
            }
            Ok(Anchor { stream: self.stream().clone(), head: self.head() })
        }
    }
}
