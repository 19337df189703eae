//! The catalog: what is known of every stream without reading it again.
//!
//! It is a cache, checked against the length and time of each stream's last segment, as
//! git checks its index. It may be deleted; the next refresh reads the streams instead.
//! Streams that arrived by a merge are noticed like any other.

use std::collections::BTreeMap;

use sealwright_kernel::{Seq, StreamId};
use serde::{Deserialize, Serialize};

use crate::disk::Disk;
use crate::files::{Begin, CACHE_BYTES_MAX, Home, scan, segment_first, segment_name};
use crate::{FileJournal, Head, JournalError};

/// What is known of all streams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    streams: BTreeMap<StreamId, StreamSummary>,
    refreshed: usize,
}

/// What is known of one stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamSummary {
    /// The stream.
    pub stream: StreamId,
    /// Its last record.
    pub head: Head,
    /// How it is.
    pub condition: Condition,
    segment: Seq,
    bytes: u64,
    stamp: String,
    folder: String,
}

/// How a stream is, as far as its last segment tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// More may follow.
    Open,
    /// Nothing follows.
    Ended,
    /// It is not what was once accepted; `sealwright verify` says where.
    Damaged,
}

impl Catalog {
    /// Brings the catalog of `journal` up to date and keeps it for the next time.
    pub fn refresh<D: Disk>(journal: &FileJournal<D>) -> Result<Self, JournalError> {
        let home = journal.home();
        let mut known = Self::load(home);
        let mut catalog = Self::default();
        for stream in journal.streams_blocking()? {
            let summary = match known.remove(&stream) {
                Some(summary) if summary.is_current(home) => summary,
                Some(_) | None => {
                    let Some(summary) = StreamSummary::read(home, &stream)? else { continue };
                    catalog.refreshed += 1;
                    summary
                }
            };
            catalog.streams.insert(stream, summary);
        }
        if catalog.refreshed > 0 || !known.is_empty() {
            // A catalog that cannot be kept costs the next refresh time and nothing else.
            let _ = catalog.keep(home);
        }
        Ok(catalog)
    }

    /// Every stream, in order.
    pub fn streams(&self) -> impl ExactSizeIterator<Item = &StreamSummary> {
        self.streams.values()
    }

    /// How many streams had to be read.
    pub fn refreshed(&self) -> usize {
        self.refreshed
    }

    fn load<D: Disk>(home: &Home<D>) -> BTreeMap<StreamId, StreamSummary> {
        let bytes = home.disk.read(&home.layout.catalog(), CACHE_BYTES_MAX).unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n');
        let parsed = lines.filter_map(|line| serde_json::from_slice::<StreamSummary>(line).ok());
        parsed.map(|summary| (summary.stream.clone(), summary)).collect()
    }

    fn keep<D: Disk>(&self, home: &Home<D>) -> Result<(), JournalError> {
        let mut bytes = Vec::new();
        for summary in self.streams.values() {
            serde_json::to_writer(&mut bytes, summary).expect("a summary is plain data");
            bytes.push(b'\n');
        }
        let path = home.layout.catalog();
        let failed = |source| JournalError::io(format!("write {}", path.display()), source);
        home.disk.replace(&path, &bytes).map_err(failed)
    }
}

impl StreamSummary {
    fn is_current<D: Disk>(&self, home: &Home<D>) -> bool {
        let folder = home.layout.stream(&self.stream);
        let stat = home.disk.stat(&folder.join(segment_name(self.segment)));
        // A new segment changes the folder, and nothing else does.
        let folder = home.disk.stat(&folder);
        stat.is_ok_and(|(bytes, stamp)| bytes == self.bytes && stamp.to_string() == self.stamp)
            && folder.is_ok_and(|(_, stamp)| stamp.to_string() == self.folder)
    }

    fn read<D: Disk>(home: &Home<D>, stream: &StreamId) -> Result<Option<Self>, JournalError> {
        let folder = home.layout.stream(stream);
        let failed = |source| JournalError::io(format!("look at {}", folder.display()), source);
        let (_, folder_stamp) = home.disk.stat(&folder).map_err(failed)?;
        // The last segment is enough: `verify` is what checks the rest.
        let names = home.disk.names(&folder).unwrap_or_default();
        let Some(segment) = names.iter().filter_map(|name| segment_first(name)).max() else {
            return Ok(None);
        };
        let (bytes, stamp) = home.disk.stat(&folder.join(segment_name(segment))).map_err(failed)?;
        // A segment that was begun and holds nothing yet says nothing.
        let begin = if bytes > 0 { Begin::LastSegment } else { Begin::After(Head::START) };
        let (head, condition) = match scan(home, stream, begin, &mut |_| Ok(())) {
            Ok(found) if found.has_ended => (found.head, Condition::Ended),
            Ok(found) => (found.head, Condition::Open),
            // One bad stream must not hide a hundred thousand good ones.
            Err(JournalError::Damaged(_)) => (Head::START, Condition::Damaged),
            Err(error) => return Err(error),
        };
        let (stamp, folder) = (stamp.to_string(), folder_stamp.to_string());
        Ok(Some(Self { stream: stream.clone(), head, condition, segment, bytes, stamp, folder }))
    }
}
