//! Reading a stream from disk, and checking every record on the way.

use std::cmp::Ordering;
use std::path::Path;

use sealwright_kernel::{Digest, Hasher, Seq, StreamId};

use crate::disk::{Disk, DiskFile};
use crate::files::{Home, segment_first, segment_name};
use crate::record::{RECORD_BYTES_MAX, Tail};
use crate::{Damage, Each, Entry, Head, JournalError, Why};

/// What was found at the end of a stream.
#[derive(Clone, Debug)]
pub(crate) struct Scanned {
    /// The last sound record.
    pub(crate) head: Head,
    /// The first record of the last segment, if there is a segment.
    pub(crate) segment: Option<Seq>,
    /// How long that segment is, up to the last sound record.
    pub(crate) segment_bytes: u64,
    /// Whether the last sound record ends the stream.
    pub(crate) has_ended: bool,
    /// What stands behind the last sound record.
    pub(crate) torn: Option<Torn>,
    pub(crate) bytes_read: u64,
}

/// A line that a crash left unfinished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Torn {
    pub(crate) bytes: u64,
    pub(crate) sha256: Digest,
}

impl Torn {
    /// What stands in `file` from `offset` on, if anything does.
    pub(crate) fn behind(file: &impl DiskFile, offset: u64) -> std::io::Result<Option<Self>> {
        let mut hasher = Hasher::default();
        let mut bytes = 0;
        let mut chunk = vec![0; READ_BYTES_FIRST];
        loop {
            let count = file.read_at(offset + bytes, &mut chunk)?;
            if count == 0 {
                break;
            }
            hasher.update(&chunk[..count]);
            bytes += count as u64;
        }
        Ok((bytes > 0).then(|| Self { bytes, sha256: hasher.finish() }))
    }
}

/// Where reading begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begin {
    /// After this record, which must be there.
    After(Head),
    /// With the last segment, whatever it follows on.
    LastSegment,
}

/// Reads and checks `stream` from the segment that `begin` lies in, and gives every record
/// after it to `each`.
pub(crate) fn scan<D: Disk>(
    home: &Home<D>,
    stream: &StreamId,
    begin: Begin,
    each: Each<'_>,
) -> Result<Scanned, JournalError> {
    let folder = home.layout.stream(stream);
    let segments = segments(home, stream, &folder)?;
    let (since, from) = match begin {
        Begin::After(since) => {
            (since, segments.partition_point(|first| *first <= since.seq).saturating_sub(1))
        }
        Begin::LastSegment => (Head::START, segments.len().saturating_sub(1)),
    };
    let mut scan = Scan {
        stream,
        since,
        each,
        tail: Tail::default(),
        found: Scanned {
            head: Head::START,
            segment: None,
            segment_bytes: 0,
            has_ended: false,
            torn: None,
            bytes_read: 0,
        },
        met_since: since == Head::START,
        chain: Chain::Known,
    };
    let mut buffer = Vec::new();
    for (nth, first) in segments.iter().enumerate().skip(from) {
        let is_last = nth + 1 == segments.len();
        let path = folder.join(segment_name(*first));
        let failed = |source| JournalError::io(format!("read {}", path.display()), source);
        let file = home.disk.open(&path).map_err(failed)?;
        scan.found.segment = Some(*first);
        scan.found.segment_bytes = 0;
        if nth == from && (since.seq > Seq::ZERO || nth > 0) {
            // The chain is taken up here; `since` vouches for what came before.
            scan.found.head.seq = Seq::new(first.get().saturating_sub(1));
            scan.chain = if first.get() > 1 { Chain::TakenUp } else { Chain::Known };
            if since.seq > Seq::ZERO {
                scan.skip(&file, since.seq, &mut buffer).map_err(failed)?;
            }
        }
        let due = scan.found.head.seq.next();
        if scan.found.segment_bytes == 0 && *first != due {
            let why = Why::Missing { known: *first, known_from: "a later segment" };
            return Err(scan.damage(due, why));
        }
        scan.segment(&file, is_last, &mut buffer).map_err(|stop| match stop {
            Stop::Disk(source) => failed(source),
            Stop::Journal(error) => error,
        })?;
    }
    if !scan.met_since {
        return Err(scan.not_on_chain());
    }
    Ok(scan.found)
}

struct Scan<'s, 'e> {
    stream: &'s StreamId,
    since: Head,
    each: Each<'e>,
    tail: Tail,
    found: Scanned,
    met_since: bool,
    chain: Chain,
}

/// Whether the record before the next line is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chain {
    Known,
    /// The next line itself says what it follows on.
    TakenUp,
}

enum Stop {
    Disk(std::io::Error),
    Journal(JournalError),
}

impl Scan<'_, '_> {
    /// Skips to a line at or before record `upto` that stands near the end of the segment,
    /// if there is one: opening with a snapshot seldom needs more than the last few lines.
    fn skip(
        &mut self,
        file: &impl DiskFile,
        upto: Seq,
        buffer: &mut Vec<u8>,
    ) -> std::io::Result<()> {
        let size = file.size()?;
        let mut window = SKIP_BYTES;
        while window < size && window <= 4 * RECORD_BYTES_MAX as u64 {
            let from = size - window;
            buffer.resize(buffer.len().max(window as usize), 0);
            let count = file.read_at(from, &mut buffer[..window as usize])?;
            let mut ends = memchr::memchr_iter(b'\n', &buffer[..count]);
            if let (Some(first), Some(second)) = (ends.next(), ends.next())
                && let line = &buffer[first + 1..second]
                && let Some(before) = Entry::follows_on(self.stream, line)
                && before.seq < upto
            {
                self.chain = Chain::TakenUp;
                self.found.head = before;
                self.found.segment_bytes = from + first as u64 + 1;
                return Ok(());
            }
            window *= 4;
        }
        Ok(())
    }

    /// Reads the rest of a segment, from where its sound part ends.
    fn segment(
        &mut self,
        file: &impl DiskFile,
        is_last: bool,
        buffer: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        let mut offset = self.found.segment_bytes;
        let mut kept = 0;
        // Most streams are short; a large buffer would cost more than reading them.
        let mut chunk = READ_BYTES_FIRST;
        loop {
            buffer.resize(buffer.len().max(kept + chunk), 0);
            let count =
                file.read_at(offset, &mut buffer[kept..kept + chunk]).map_err(Stop::Disk)?;
            offset += count as u64;
            self.found.bytes_read += count as u64;
            let filled = kept + count;
            let mut from = 0;
            while let Some(len) = memchr::memchr(b'\n', &buffer[from..filled]) {
                let line = &buffer[from..from + len];
                if is_last && lost_sectors(line, self.found.segment_bytes) {
                    return self.torn(file).map_err(Stop::Disk);
                }
                if self.chain == Chain::TakenUp {
                    self.chain = Chain::Known;
                    let before = self.found.head.seq;
                    self.found.head = Entry::follows_on(self.stream, line)
                        .filter(|taken_up| taken_up.seq == before)
                        .ok_or_else(|| {
                            Stop::Journal(self.damage(before.next(), Why::OutOfPlace))
                        })?;
                }
                self.line(line).map_err(Stop::Journal)?;
                from += len + 1;
            }
            buffer.copy_within(from..filled, 0);
            kept = filled - from;
            if kept > RECORD_BYTES_MAX {
                let seq = self.found.head.seq.next();
                return Err(Stop::Journal(self.damage(seq, Why::TooLong)));
            }
            if count < chunk {
                break;
            }
            chunk = READ_BYTES;
        }
        match (kept, is_last) {
            (0, _) => Ok(()),
            (_, true) => self.torn(file).map_err(Stop::Disk),
            // Only the last segment is ever written to.
            (_, false) => {
                let seq = self.found.head.seq.next();
                Err(Stop::Journal(self.damage(seq, Why::OutOfPlace)))
            }
        }
    }

    /// Everything behind the last sound record is what a crash left.
    fn torn(&mut self, file: &impl DiskFile) -> std::io::Result<()> {
        self.found.torn = Torn::behind(file, self.found.segment_bytes)?;
        Ok(())
    }

    fn line(&mut self, line: &[u8]) -> Result<(), JournalError> {
        let before = self.found.head;
        let checked = if self.found.has_ended {
            Err(Why::AfterTheEnd)
        } else {
            Entry::check_with(self.stream, &before, &mut self.tail, line)
        };
        let entry = checked.map_err(|why| self.damage(before.seq.next(), why))?;
        self.found.head = entry.head();
        self.found.segment_bytes += line.len() as u64 + 1;
        self.found.has_ended = entry.is_end();
        match self.found.head.seq.cmp(&self.since.seq) {
            Ordering::Less => Ok(()),
            // Nothing of another chain is shown.
            Ordering::Equal if self.found.head != self.since => Err(self.not_on_chain()),
            Ordering::Equal => {
                self.met_since = true;
                Ok(())
            }
            Ordering::Greater => (self.each)(&entry),
        }
    }

    fn not_on_chain(&self) -> JournalError {
        let Head { seq, hash } = self.since;
        JournalError::NotOnChain { stream: self.stream.clone(), seq, hash }
    }

    fn damage(&self, seq: Seq, why: Why) -> JournalError {
        Damage { stream: self.stream.clone(), seq, why }.into()
    }
}

/// Whether a power loss kept sectors of this line from the disk: they read as zeros, from
/// where the line or a sector begins to where a sector ends. A record holds no zero byte,
/// and a single changed bit does not look like this.
fn lost_sectors(line: &[u8], offset: u64) -> bool {
    let Some(first) = memchr::memchr(0, line) else { return false };
    let run = line[first..].iter().take_while(|byte| **byte == 0).count();
    let begins = first == 0 || (offset + first as u64).is_multiple_of(SECTOR_BYTES);
    begins && (offset + (first + run) as u64).is_multiple_of(SECTOR_BYTES)
}

fn segments<D: Disk>(
    home: &Home<D>,
    stream: &StreamId,
    folder: &Path,
) -> Result<Vec<Seq>, JournalError> {
    let stray = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotADirectory;
    let names = match home.disk.names(folder) {
        Err(error) if stray(&error) => vec![stream.to_string()],
        listed => listed
            .map_err(|source| JournalError::io(format!("list {}", folder.display()), source))?,
    };
    let stranger = |name: String| {
        let why = Why::Stranger { name };
        JournalError::from(Damage { stream: stream.clone(), seq: Seq::new(1), why })
    };
    let mut segments = Vec::with_capacity(names.len());
    for name in names {
        segments.push(segment_first(&name).ok_or_else(|| stranger(name))?);
    }
    segments.sort_unstable();
    Ok(segments)
}

/// About the last hundred lines of a segment.
const SKIP_BYTES: u64 = 32 * 1024;
const SECTOR_BYTES: u64 = 512;
const READ_BYTES_FIRST: usize = 16 * 1024;
const READ_BYTES: usize = 256 * 1024;
