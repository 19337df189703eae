//! The catalog: a summary of every stream, kept so that streams need not be read again.
//!
//! It is a cache, checked against the length and time of each stream's last segment, as git
//! checks its index. It may be deleted; the next refresh reads the streams instead. Streams
//! that arrived by a merge are noticed like any other. A user of the catalog can
//! keep a row of its own for each stream.
//!
//! ```text
//! {"folder":[secs,nanos],"glances":bytes}         the folder of all streams, the length of what follows
//! {"stream":…,"condition":…,"glance":…,…}         one line for each stream
//! {"head":…,"row":…}                              its details, somewhere behind all of those
//! ```
//!
//! It scales to a hundred thousand streams: details are read only for the few that are asked
//! for.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;

use sealwright_kernel::{Seq, StreamId};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::disk::{Disk, DiskFile, Look};
use crate::files::{Begin, CACHE_BYTES_MAX, Home, scan, segment_first, segment_name};
use crate::{FileJournal, Head, JournalError};

/// The summaries of all streams, ordered by name.
#[derive(Clone)]
pub struct Catalog<G = ()> {
    streams: Vec<StreamSummary<G>>,
    /// The catalog's file, as it was when it was opened.
    file: Option<Arc<dyn DiskFile>>,
    /// Details that were read anew.
    fresh: Vec<u8>,
    refreshed: usize,
}

/// The short summary of one stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamSummary<G = ()> {
    pub stream: StreamId,
    /// How it is.
    pub condition: Condition,
    /// What the catalog's keeper wants to see of all streams at once.
    pub glance: G,
    segment: Seq,
    bytes: u64,
    stamp: Stamp,
    details: DetailsAt,
}

/// Where the details of a stream stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum DetailsAt {
    /// In the catalog's file.
    File { at: u64, len: u32 },
    /// Among those read anew.
    Fresh { at: u64, len: u32 },
}

/// The details of one stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Details<R = ()> {
    pub head: Head,
    /// What the catalog's keeper wants to know of it.
    pub row: R,
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
    /// What is seen of all streams at once: small, and better without text.
    type Glance: Serialize + DeserializeOwned + Clone + Send + Sync;
    /// What is kept of a stream.
    type Row: Serialize;

    /// The catalog's file is named for this.
    fn name(&self) -> &'static str;

    /// Whether the stream belongs into it.
    fn wants(&self, stream: &StreamId) -> bool;

    /// What is to be kept of a stream that is new or has changed; nothing if it could not be
    /// found out this time.
    fn row(&self, stream: &StreamId, condition: Condition) -> Option<(Self::Glance, Self::Row)>;

    /// What is shown of a stream while that is so.
    fn unknown(&self) -> (Self::Glance, Self::Row);
}

/// A time of the file system: seconds and nanoseconds.
type Stamp = (u64, u64);

/// Every stream, and nothing beside.
struct Plain;

impl Rows for Plain {
    type Glance = ();
    type Row = ();

    fn name(&self) -> &'static str {
        "catalog"
    }

    fn wants(&self, _stream: &StreamId) -> bool {
        true
    }

    fn row(&self, _stream: &StreamId, _condition: Condition) -> Option<((), ())> {
        Some(((), ()))
    }

    fn unknown(&self) -> ((), ()) {
        ((), ())
    }
}

impl<G> std::fmt::Debug for Catalog<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Catalog({} streams)", self.streams.len())
    }
}

impl Catalog {
    /// Brings the catalog of `journal` up to date and keeps it for the next time.
    pub fn refresh<D: Disk>(journal: &FileJournal<D>) -> Result<Self, JournalError> {
        Self::refresh_rows(journal, &Plain)
    }
}

impl<G: Serialize + DeserializeOwned + Clone + Send + Sync> Catalog<G> {
    /// The same, with a row for each stream.
    pub fn refresh_rows<D: Disk>(
        journal: &FileJournal<D>,
        rows: &impl Rows<Glance = G>,
    ) -> Result<Self, JournalError> {
        let home = journal.home();
        let path = home.layout.catalog(rows.name());
        let listing = Listing::of(home)?;
        let kept = Kept::load(home, &path);
        let is_same = Some(&listing) == kept.listing.as_ref() && !listing.is_racy(home, &path);
        let mut catalog = Self { streams: vec![], file: kept.file, fresh: vec![], refreshed: 0 };
        if kept.is_whole && is_same {
            catalog.streams = kept.current;
            return Ok(catalog);
        }
        let mut known: BTreeMap<StreamId, StreamSummary<G>> =
            kept.current.into_iter().map(|it| (it.stream.clone(), it)).collect();
        let mut listing = listing;
        for stream in journal.streams_blocking()?.into_iter().filter(|it| rows.wants(it)) {
            let summary = match known.remove(&stream) {
                Some(summary) => Some(summary),
                None => catalog.read(home, &stream, rows)?,
            };
            // A stream without a record may have one soon, and its folder will not tell.
            if summary.is_none() {
                listing = Listing { folder: (0, 0) };
            }
            catalog.streams.extend(summary);
        }
        // A catalog that cannot be kept costs the next refresh time and nothing else.
        let _ = catalog.keep(home, &path, &listing);
        Ok(catalog)
    }

    /// Every stream, in order.
    pub fn streams(&self) -> impl ExactSizeIterator<Item = &StreamSummary<G>> {
        self.streams.iter()
    }

    /// Everything that is known of a stream of this catalog.
    pub fn details<R: DeserializeOwned>(&self, of: &StreamSummary<G>) -> Option<Details<R>> {
        serde_json::from_slice(&self.detail(of.details)?).ok()
    }

    fn detail(&self, place: DetailsAt) -> Option<Vec<u8>> {
        match place {
            DetailsAt::Fresh { at, len } => {
                let at = usize::try_from(at).ok()?;
                Some(self.fresh.get(at..at.checked_add(len as usize)?)?.to_vec())
            }
            DetailsAt::File { at, len } => read_at(self.file.as_deref()?, at, u64::from(len)).ok(),
        }
    }

    /// How many streams had to be read.
    pub fn refreshed(&self) -> usize {
        self.refreshed
    }

    fn read<D: Disk>(
        &mut self,
        home: &Home<D>,
        stream: &StreamId,
        rows: &impl Rows<Glance = G>,
    ) -> Result<Option<StreamSummary<G>>, JournalError> {
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
        // What could not be found out is asked for again: no segment is that long.
        let (bytes, (glance, row)) = match rows.row(stream, condition) {
            Some(found) => (bytes, found),
            None => (u64::MAX, rows.unknown()),
        };
        let at = self.fresh.len();
        serde_json::to_writer(&mut self.fresh, &Details { head, row })
            .expect("a row is plain data");
        let len = u32::try_from(self.fresh.len() - at).unwrap_or(u32::MAX);
        self.refreshed += 1;
        let details = DetailsAt::Fresh { at: at as u64, len };
        let (stream, stamp) = (stream.clone(), split(stamp));
        Ok(Some(StreamSummary { stream, condition, glance, segment, bytes, stamp, details }))
    }

    fn keep<D: Disk>(
        &self,
        home: &Home<D>,
        path: &Path,
        listing: &Listing,
    ) -> Result<(), JournalError> {
        let mut details: Vec<u8> = Vec::new();
        let mut glances: Vec<u8> = Vec::new();
        // Where details stand depends on how long the glances are, so they are counted from
        // the first of them.
        for summary in &self.streams {
            let detail = self.detail(summary.details).unwrap_or_default();
            let (at, len) = (details.len() as u64, detail.len() as u32);
            let kept = StreamSummary { details: DetailsAt::File { at, len }, ..summary.clone() };
            serde_json::to_writer(&mut glances, &kept).expect("a summary is plain data");
            glances.push(b'\n');
            details.extend_from_slice(&detail);
            details.push(b'\n');
        }
        let first = First { listing: listing.clone(), glances: glances.len() as u64 };
        let mut bytes = serde_json::to_vec(&first).expect("a listing is plain data");
        bytes.push(b'\n');
        bytes.append(&mut glances);
        bytes.append(&mut details);
        let failed = |source| JournalError::io(format!("write {}", path.display()), source);
        home.disk.replace(path, &bytes).map_err(failed)
    }
}

/// The first line of a catalog's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct First {
    #[serde(flatten)]
    listing: Listing,
    glances: u64,
}

/// The folder of all streams: its stamp changes when one is added or taken away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Listing {
    folder: Stamp,
}

impl Listing {
    fn of<D: Disk>(home: &Home<D>) -> Result<Self, JournalError> {
        let folder = home.layout.journal();
        match home.disk.stat(&folder) {
            Ok((_, stamp)) => Ok(Self { folder: split(stamp) }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(Self { folder: (0, 0) })
            }
            Err(source) => Err(JournalError::io(format!("look at {}", folder.display()), source)),
        }
    }

    /// Whether a stream may have been added in the very moment the catalog was kept, so that
    /// the stamp does not tell.
    fn is_racy<D: Disk>(&self, home: &Home<D>, catalog: &Path) -> bool {
        let Ok((_, kept)) = home.disk.stat(catalog) else { return true };
        split(kept).0 <= self.folder.0.saturating_add(SAME_MOMENT_S)
    }
}

/// What a catalog's file holds of streams that have not changed since.
struct Kept<G> {
    listing: Option<Listing>,
    file: Option<Arc<dyn DiskFile>>,
    current: Vec<StreamSummary<G>>,
    is_whole: bool,
}

impl<G: DeserializeOwned + Send> Kept<G> {
    fn load<D: Disk>(home: &Home<D>, path: &Path) -> Self {
        let nothing = Self { listing: None, file: None, current: vec![], is_whole: false };
        let Ok(file) = home.disk.open(path) else { return nothing };
        Self::read(home, Arc::new(file)).unwrap_or(nothing)
    }

    /// Reads and checks the glances on as many threads as there are.
    fn read<D: Disk>(home: &Home<D>, file: Arc<dyn DiskFile>) -> Option<Self> {
        let size = file.size().ok().filter(|size| *size <= CACHE_BYTES_MAX)?;
        let begins = read_at(&*file, 0, size.min(FIRST_BYTES_MAX)).ok()?;
        let end = memchr::memchr(b'\n', &begins)?;
        let First { listing, glances } = serde_json::from_slice(&begins[..end]).ok()?;
        let from = end as u64 + 1;
        let text = read_at(&*file, from, glances.min(size.checked_sub(from)?)).ok()?;
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(8);
        let parts = split_at_lines(&text, threads);
        let behind = from.checked_add(glances)?;
        let checked: Vec<(Vec<StreamSummary<G>>, bool)> = std::thread::scope(|scope| {
            let begun: Vec<_> = parts
                .into_iter()
                .map(|part| scope.spawn(move || check(home, part, behind)))
                .collect();
            begun.into_iter().map(|it| it.join().expect("nobody panics here")).collect()
        });
        let is_whole = checked.iter().all(|(_, is_whole)| *is_whole);
        let mut checked = checked.into_iter().map(|(current, _)| current);
        let mut current = checked.next().unwrap_or_default();
        checked.for_each(|mut more| current.append(&mut more));
        Some(Self { listing: Some(listing), file: Some(file), current, is_whole })
    }
}

/// The summaries in `lines` that still hold, and whether all of them do. Their details stand
/// `behind` the glances.
fn check<D: Disk, G: DeserializeOwned>(
    home: &Home<D>,
    lines: &[u8],
    behind: u64,
) -> (Vec<StreamSummary<G>>, bool) {
    let mut current: Vec<StreamSummary<G>> = Vec::new();
    let mut is_whole = true;
    let mut looker = Looker::new(home);
    let mut rest = lines;
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        match serde_json::from_slice::<StreamSummary<G>>(&rest[..end]) {
            Ok(mut summary) if looker.is_current(&summary) => {
                if let DetailsAt::File { at, .. } = &mut summary.details {
                    *at = at.saturating_add(behind);
                }
                current.push(summary);
            }
            Ok(_) | Err(_) => is_whole = false,
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    (current, is_whole)
}

fn split_at_lines(text: &[u8], parts: usize) -> Vec<&[u8]> {
    let mut split = Vec::new();
    let size = text.len() / parts + 1;
    let mut rest = text;
    while rest.len() > size {
        let end = memchr::memchr(b'\n', &rest[size..]).map_or(rest.len(), |at| size + at + 1);
        split.push(&rest[..end]);
        rest = &rest[end..];
    }
    split.push(rest);
    split
}

fn read_at(file: &dyn DiskFile, at: u64, len: u64) -> std::io::Result<Vec<u8>> {
    if len > CACHE_BYTES_MAX {
        return Err(std::io::ErrorKind::FileTooLarge.into());
    }
    let mut content = vec![0; len as usize];
    let mut filled = 0;
    while filled < content.len() {
        match file.read_at(at.saturating_add(filled as u64), &mut content[filled..])? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            count => filled += count,
        }
    }
    Ok(content)
}

/// Looks at many segments, one after the other.
struct Looker<'a, D: Disk> {
    home: &'a Home<D>,
    stat: Look<'a>,
    journal: String,
    path: String,
}

impl<'a, D: Disk> Looker<'a, D> {
    fn new(home: &'a Home<D>) -> Self {
        let journal = home.layout.journal().to_string_lossy().into_owned();
        Self { home, stat: home.disk.looker(), journal, path: String::new() }
    }

    fn is_current<G>(&mut self, summary: &StreamSummary<G>) -> bool {
        use std::fmt::Write as _;
        // A full segment may have a successor, which only its folder knows.
        if summary.bytes >= self.home.segment_bytes_max {
            return false;
        }
        self.path.clear();
        let (stream, first) = (summary.stream.as_str(), summary.segment.get());
        let written = write!(self.path, "{}/{stream}/{first:012}.jsonl", self.journal);
        let stat = (self.stat)(Path::new(&self.path));
        let is_same = |(bytes, stamp)| bytes == summary.bytes && split(stamp) == summary.stamp;
        written.is_ok() && stat.is_ok_and(is_same)
    }
}

fn split(stamp: u128) -> Stamp {
    ((stamp >> 64) as u64, stamp as u64)
}

/// Two stamps that are this close may be of the same tick of the file system's clock.
const SAME_MOMENT_S: u64 = 1;
/// No first line is longer.
const FIRST_BYTES_MAX: u64 = 256;
