//! The catalog: what is known of every stream without reading it again.
//!
//! It is a cache, checked against the length and time of each stream's last segment, as
//! git checks its index. It may be deleted; the next refresh reads the streams instead.
//! Streams that arrived by a merge are noticed like any other.

use std::collections::BTreeMap;

use sealwright_kernel::{Seq, StreamId};
use serde::{Deserialize, Serialize};

use crate::disk::Disk;
use crate::files::{From, Home, scan, segment_first, segment_name};
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
                    catalog.refreshed += 1;
                    match StreamSummary::read(home, &stream)? {
                        Some(summary) => summary,
                        None => continue,
                    }
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
        let bytes = home.disk.read(&home.layout.catalog()).unwrap_or_default();
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
        // A later segment is begun only when this one has grown past its bound.
        let is_last = self.bytes < home.segment_bytes_max
            || home.disk.names(&folder).is_ok_and(|names| {
                names.last().and_then(|name| segment_first(name)) == Some(self.segment)
            });
        let stat = home.disk.stat(&folder.join(segment_name(self.segment)));
        is_last
            && stat.is_ok_and(|(len, stamp)| {
                (len, stamp.to_string()) == (self.bytes, self.stamp.clone())
            })
    }

    fn read<D: Disk>(home: &Home<D>, stream: &StreamId) -> Result<Option<Self>, JournalError> {
        let folder = home.layout.stream(stream);
        let failed = |source| JournalError::io(format!("look at {}", folder.display()), source);
        // The last segment is enough: `verify` is what checks the rest.
        let names = home.disk.names(&folder).map_err(failed)?;
        let Some(segment) = names.last().and_then(|name| segment_first(name)) else {
            return Ok(None);
        };
        let (bytes, stamp) = home.disk.stat(&folder.join(segment_name(segment))).map_err(failed)?;
        let (head, condition) = match scan(home, stream, From::LastSegment, &mut |_| Ok(())) {
            Ok(found) if found.has_ended => (found.head, Condition::Ended),
            Ok(found) => (found.head, Condition::Open),
            // One bad stream must not hide a hundred thousand good ones.
            Err(JournalError::Damaged(_)) => (Head::START, Condition::Damaged),
            Err(error) => return Err(error),
        };
        let (stream, stamp) = (stream.clone(), stamp.to_string());
        Ok(Some(Self { stream, head, condition, segment, bytes, stamp }))
    }
}
