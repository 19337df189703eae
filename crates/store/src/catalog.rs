//! The catalog: what is known of every stream without reading it again.
//!
//! It is a cache, checked against the length and time of each stream's last segment, as git
//! checks its index. It may be deleted; the next refresh reads the streams instead. Streams
//! that arrived by a merge are noticed like any other. Whoever needs more than where a
//! stream ends keeps a row of their own beside it.

use std::collections::BTreeMap;
use std::num::NonZero;

use sealwright_kernel::{Seq, StreamId};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::disk::Disk;
use crate::files::{Begin, CACHE_BYTES_MAX, Home, scan, segment_first, segment_name};
use crate::{FileJournal, Head, JournalError};

/// What is known of all streams, in order of their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalog<R = ()> {
    streams: Vec<StreamSummary<R>>,
    refreshed: usize,
}

/// What is known of one stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamSummary<R = ()> {
    /// The stream.
    pub stream: StreamId,
    /// Its last record.
    pub head: Head,
    /// How it is.
    pub condition: Condition,
    /// What the catalog's keeper wants to know of it.
    pub row: R,
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

/// Which streams a catalog is of, and what it keeps of them.
pub trait Rows: Sync {
    /// What is kept of a stream.
    type Row: Serialize + DeserializeOwned + Clone + Send + Sync;

    /// The catalog's file is named for this.
    fn name(&self) -> &'static str;

    /// Whether the stream belongs into it.
    fn wants(&self, stream: &StreamId) -> bool;

    /// What is to be kept of a stream that is new or has changed; nothing if it is damaged.
    fn row(&self, stream: &StreamId, condition: Condition) -> Self::Row;
}

/// Every stream, and nothing beside.
struct Plain;

impl Rows for Plain {
    type Row = ();

    fn name(&self) -> &'static str {
        "catalog"
    }

    fn wants(&self, _stream: &StreamId) -> bool {
        true
    }

    fn row(&self, _stream: &StreamId, _condition: Condition) {}
}

impl Catalog {
    /// Brings the catalog of `journal` up to date and keeps it for the next time.
    pub fn refresh<D: Disk>(journal: &FileJournal<D>) -> Result<Self, JournalError> {
        Self::refresh_rows(journal, &Plain)
    }
}

impl<R: Serialize + DeserializeOwned + Clone + Send + Sync> Catalog<R> {
    /// The same, with a row for each stream.
    pub fn refresh_rows<D: Disk>(
        journal: &FileJournal<D>,
        rows: &impl Rows<Row = R>,
    ) -> Result<Self, JournalError> {
        let home = journal.home();
        let path = home.layout.catalog(rows.name());
        let listing = Listing::of(home)?;
        let bytes = home.disk.read(&path, CACHE_BYTES_MAX).unwrap_or_default();
        let kept = Kept::parse(home, &bytes);
        if kept.is_whole && Some(&listing) == kept.listing.as_ref() && !listing.is_racy(home, &path)
        {
            return Ok(Self { streams: kept.current, refreshed: 0 });
        }
        let mut known: BTreeMap<StreamId, StreamSummary<R>> =
            kept.current.into_iter().map(|it| (it.stream.clone(), it)).collect();
        let mut catalog = Self { streams: Vec::new(), refreshed: 0 };
        for stream in journal.streams_blocking()?.into_iter().filter(|it| rows.wants(it)) {
            let summary = match known.remove(&stream) {
                Some(summary) => summary,
                None => {
                    let Some(summary) = StreamSummary::read(home, &stream, rows)? else { continue };
                    catalog.refreshed += 1;
                    summary
                }
            };
            catalog.streams.push(summary);
        }
        // A catalog that cannot be kept costs the next refresh time and nothing else.
        let _ = catalog.keep(home, &path, &listing);
        Ok(catalog)
    }

    /// Every stream, in order.
    pub fn streams(&self) -> impl ExactSizeIterator<Item = &StreamSummary<R>> {
        self.streams.iter()
    }

    /// How many streams had to be read.
    pub fn refreshed(&self) -> usize {
        self.refreshed
    }

    fn keep<D: Disk>(
        &self,
        home: &Home<D>,
        path: &std::path::Path,
        listing: &Listing,
    ) -> Result<(), JournalError> {
        let mut bytes = serde_json::to_vec(listing).expect("a listing is plain data");
        bytes.push(b'\n');
        for summary in &self.streams {
            serde_json::to_writer(&mut bytes, summary).expect("a summary is plain data");
            bytes.push(b'\n');
        }
        let failed = |source| JournalError::io(format!("write {}", path.display()), source);
        home.disk.replace(path, &bytes).map_err(failed)
    }
}

/// The folder of all streams: its stamp changes when one is added or taken away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Listing {
    folder: String,
}

impl Listing {
    fn of<D: Disk>(home: &Home<D>) -> Result<Self, JournalError> {
        let folder = home.layout.journal();
        match home.disk.stat(&folder) {
            Ok((_, stamp)) => Ok(Self { folder: stamp.to_string() }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(Self { folder: String::new() })
            }
            Err(source) => Err(JournalError::io(format!("look at {}", folder.display()), source)),
        }
    }

    /// Whether a stream may have been added in the very moment the catalog was kept, so that
    /// the stamp does not tell.
    fn is_racy<D: Disk>(&self, home: &Home<D>, catalog: &std::path::Path) -> bool {
        let Ok((_, kept)) = home.disk.stat(catalog) else { return true };
        let Ok(folder) = self.folder.parse::<u128>() else { return true };
        kept < folder.saturating_add(SAME_MOMENT)
    }
}

/// What a catalog's file holds of streams that have not changed since.
struct Kept<R> {
    listing: Option<Listing>,
    current: Vec<StreamSummary<R>>,
    is_whole: bool,
}

impl<R: DeserializeOwned + Send> Kept<R> {
    /// Reads and checks the lines on as many threads as there are.
    fn parse<D: Disk>(home: &Home<D>, bytes: &[u8]) -> Self {
        let nothing = || Self { listing: None, current: Vec::new(), is_whole: false };
        let Some(end) = memchr::memchr(b'\n', bytes) else { return nothing() };
        let Ok(listing) = serde_json::from_slice(&bytes[..end]) else { return nothing() };
        let rest = &bytes[end + 1..];
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(8);
        let parts = split_at_lines(rest, threads);
        let checked: Vec<(Vec<StreamSummary<R>>, bool)> = std::thread::scope(|scope| {
            let begun: Vec<_> =
                parts.into_iter().map(|part| scope.spawn(move || check(home, part))).collect();
            begun.into_iter().map(|it| it.join().expect("nobody panics here")).collect()
        });
        let is_whole = checked.iter().all(|(_, is_whole)| *is_whole);
        let current = checked.into_iter().flat_map(|(current, _)| current).collect();
        Self { listing: Some(listing), current, is_whole }
    }
}

/// The summaries in `lines` that still hold, and whether all of them do.
fn check<D: Disk, R: DeserializeOwned>(
    home: &Home<D>,
    lines: &[u8],
) -> (Vec<StreamSummary<R>>, bool) {
    let mut current: Vec<StreamSummary<R>> = Vec::new();
    let mut is_whole = true;
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice::<StreamSummary<R>>(line) {
            Ok(summary) if summary.is_current(home) => current.push(summary),
            Ok(_) | Err(_) => is_whole = false,
        }
    }
    (current, is_whole)
}

fn split_at_lines(bytes: &[u8], parts: usize) -> Vec<&[u8]> {
    let mut rest = bytes;
    let mut split = Vec::new();
    let size = bytes.len() / parts + 1;
    while rest.len() > size {
        let end = memchr::memchr(b'\n', &rest[size..]).map_or(rest.len(), |at| size + at + 1);
        split.push(&rest[..end]);
        rest = &rest[end..];
    }
    split.push(rest);
    split
}

impl<R> StreamSummary<R> {
    fn is_current<D: Disk>(&self, home: &Home<D>) -> bool {
        // A full segment may have a successor, which only its folder knows.
        if self.bytes >= home.segment_bytes_max {
            return false;
        }
        let segment = home.layout.stream(&self.stream).join(segment_name(self.segment));
        let stat = home.disk.stat(&segment);
        stat.is_ok_and(|(bytes, stamp)| bytes == self.bytes && stamp.to_string() == self.stamp)
    }

    fn read<D: Disk>(
        home: &Home<D>,
        stream: &StreamId,
        rows: &impl Rows<Row = R>,
    ) -> Result<Option<Self>, JournalError> {
        let folder = home.layout.stream(stream);
        let failed = |source| JournalError::io(format!("look at {}", folder.display()), source);
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
        let (stamp, row) = (stamp.to_string(), rows.row(stream, condition));
        Ok(Some(Self { stream: stream.clone(), head, condition, row, segment, bytes, stamp }))
    }
}

/// Two stamps that are closer than this may be of the same tick of the file system's clock.
const SAME_MOMENT: u128 = 1 << 64;
