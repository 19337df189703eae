//! The solo journal: plain files in the repository, one folder per stream.
//!
//! ```text
//! .sealwright/journal/T-…/000000000001.jsonl     a segment, named for its first record
//!                         000000002718.jsonl     the next one, after four mebibytes
//! .sealwright/work/locks/T-….lock                who writes, and how far it is durable
//! ```
//!
//! `scan` reads and checks, `writer` appends, `follow` reads along, `mark` is what a writer
//! leaves at its lock.

use std::path::PathBuf;
use std::sync::Arc;

use sealwright_kernel::{Seq, StreamId};

use crate::disk::{Disk, RealDisk};
use crate::snapshot::Origin;
use crate::{Each, Head, Journal, JournalError, Layout, Snapshot};

mod follow;
mod mark;
mod scan;
mod writer;

pub use follow::Follower;
pub(crate) use mark::Mark;
pub(crate) use scan::{Begin, Torn, scan};
pub use writer::FileWriter;

/// Streams as files below one `.sealwright`.
#[derive(Clone, Debug)]
pub struct FileJournal<D = RealDisk> {
    home: Arc<Home<D>>,
}

#[derive(Debug)]
pub(crate) struct Home<D> {
    pub(crate) disk: D,
    pub(crate) layout: Layout,
    pub(crate) segment_bytes_max: u64,
}

impl FileJournal<RealDisk> {
    /// The journal in `root`, a repository's `.sealwright`, made if it is not there.
    pub fn create(root: impl Into<PathBuf>) -> Result<Self, JournalError> {
        let journal = Self::at(root);
        for (path, content) in journal.layout().first_files() {
            if !path.exists() {
                let failed = |source| JournalError::io(format!("write {}", path.display()), source);
                journal.home.disk.replace(&path, content.as_bytes()).map_err(failed)?;
            }
        }
        Ok(journal)
    }

    /// The journal in `root`, as it is. Reading writes nothing.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        let layout = Layout::new(root);
        Self::on(RealDisk::new(layout.root()), layout)
    }
}

impl<D: Disk> FileJournal<D> {
    pub fn on(disk: D, layout: Layout) -> Self {
        Self { home: Arc::new(Home { disk, layout, segment_bytes_max: SEGMENT_BYTES_MAX }) }
    }

    /// The same journal with segments of another size.
    pub fn with_segments_of(self, segment_bytes_max: u64) -> Self {
        let (disk, layout) = (self.home.disk.clone(), self.home.layout.clone());
        Self { home: Arc::new(Home { disk, layout, segment_bytes_max }) }
    }

    pub(crate) fn home(&self) -> &Home<D> {
        &self.home
    }

    pub fn layout(&self) -> &Layout {
        &self.home.layout
    }

    pub fn disk(&self) -> &D {
        &self.home.disk
    }

    pub fn open_blocking(
        &self,
        stream: &StreamId,
        since: Head,
        each: Each<'_>,
    ) -> Result<FileWriter<D>, JournalError> {
        FileWriter::open(&self.home, stream, since, each)
    }

    pub fn read_blocking(
        &self,
        stream: &StreamId,
        since: Head,
        each: Each<'_>,
    ) -> Result<Head, JournalError> {
        let scanned = scan(&self.home, stream, Begin::After(since), each)?;
        Ok(scanned.head)
    }

    pub fn streams_blocking(&self) -> Result<Vec<StreamId>, JournalError> {
        let folder = self.home.layout.journal();
        let failed = |source| JournalError::io(format!("list {}", folder.display()), source);
        let names = self.home.disk.names(&folder).map_err(failed)?;
        Ok(names.into_iter().filter_map(|name| StreamId::new(name).ok()).collect())
    }

    /// The streams that a snapshot is kept of, in order.
    pub fn snapshots_blocking(&self) -> Result<Vec<StreamId>, JournalError> {
        let folder = self.home.layout.snapshots();
        let failed = |source| JournalError::io(format!("list {}", folder.display()), source);
        let names = self.home.disk.names(&folder).map_err(failed)?;
        let stream = |name: String| StreamId::new(name.strip_suffix(".json")?).ok();
        Ok(names.into_iter().filter_map(stream).collect())
    }

    /// What tells the files of a stream from copies of them.
    fn origin(&self, stream: &StreamId) -> Option<Origin> {
        let first = self.home.layout.stream(stream).join(segment_name(Seq::new(1)));
        self.home.disk.birth(&first).map(Origin::new)
    }

    /// Reads along while a writer appends.
    pub fn follow(&self, stream: &StreamId, since: Head) -> Follower<D> {
        Follower::new(self.home.clone(), stream.clone(), since)
    }
}

impl<D: Disk> Journal for FileJournal<D> {
    type Writer = FileWriter<D>;

    async fn open(
        &self,
        stream: &StreamId,
        since: Head,
        each: Each<'_>,
    ) -> Result<FileWriter<D>, JournalError> {
        in_place(|| self.open_blocking(stream, since, each))
    }

    async fn read(
        &self,
        stream: &StreamId,
        since: Head,
        each: Each<'_>,
    ) -> Result<Head, JournalError> {
        in_place(|| self.read_blocking(stream, since, each))
    }

    async fn streams(&self) -> Result<Vec<StreamId>, JournalError> {
        in_place(|| self.streams_blocking())
    }

    async fn snapshot(&self, stream: &StreamId) -> Result<Option<Snapshot>, JournalError> {
        let path = self.home.layout.snapshot(stream);
        let Some(origin) = self.origin(stream) else { return Ok(None) };
        in_place(|| match self.home.disk.read(&path, CACHE_BYTES_MAX) {
            Ok(bytes) => Ok(Snapshot::from_bytes(stream, &origin, &bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(JournalError::io(format!("read {}", path.display()), source)),
        })
    }

    async fn keep_snapshot(&self, snapshot: &Snapshot) -> Result<(), JournalError> {
        let path = self.home.layout.snapshot(&snapshot.stream);
        // Where it cannot be told later what it was made of, it would never be believed.
        let Some(origin) = self.origin(&snapshot.stream) else { return Ok(()) };
        let bytes = snapshot.to_bytes(origin)?;
        let failed = |source| JournalError::io(format!("write {}", path.display()), source);
        in_place(|| self.home.disk.replace(&path, &bytes)).map_err(failed)
    }
}

/// Runs what may wait for the disk without holding up other tasks of the thread.
///
/// It runs here and not on a thread of its own, so that a dropped future never leaves an
/// append behind whose result is lost.
pub(crate) fn in_place<T>(work: impl FnOnce() -> T) -> T {
    use tokio::runtime::{Handle, RuntimeFlavor};
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

/// The name of the segment that begins with record `first`.
pub(crate) fn segment_name(first: Seq) -> String {
    format!("{:012}.jsonl", first.get())
}

/// The first record of the segment called `name`, if it is spelt as [`segment_name`] does.
pub(crate) fn segment_first(name: &str) -> Option<Seq> {
    let digits = name.strip_suffix(".jsonl")?;
    let is_padded = digits.len() == 12 || (digits.len() > 12 && !digits.starts_with('0'));
    let are_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    let first: u64 = digits.parse().ok().filter(|first| *first > 0)?;
    (is_padded && are_digits).then_some(Seq::new(first))
}

/// When a new segment is begun: few enough to be listed quickly in a stream of a million
/// records, and small enough to be written again whole after a crash.
const SEGMENT_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The longest file of a cache that is read.
pub(crate) const CACHE_BYTES_MAX: u64 = 1024 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_has_one_name() {
        for first in [1, 42, 999_999_999_999, 1_000_000_000_000, u64::MAX] {
            let first = Seq::new(first);
            assert_eq!(segment_first(&segment_name(first)), Some(first));
        }
        let bad = ["", ".jsonl", "1.jsonl", "+00000000001.jsonl", "000000000000.jsonl"];
        let worse = ["0000000000001.jsonl", "000000000001.json", "00000000000x.jsonl"];
        for name in bad.iter().chain(&worse) {
            assert_eq!(segment_first(name), None, "{name}");
        }
    }
}
