//! The records of the index on disk: lines of JSON in a chain of hashes, only ever appended to.
//!
//! ```text
//! {"hash":"…64 hex digits…","seq":1,"event":{…}}        the hash covers the hash before it and the rest of the line
//! ```
//!
//! A crash leaves whole lines and at most one piece of a line, which is dropped and told. A whole line that does not
//! fit its chain is damage, and nothing after it is believed.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::os::unix::fs::FileExt as _;

use sealwright_kernel::{Canonical, Digest, Hasher, Seq};
use serde::Deserialize;

use crate::rules::Event;
use crate::search::Snapshot;

/// A record, and where it stands.
pub(crate) struct Record {
    pub(crate) snapshot: Snapshot,
    pub(crate) event: Event,
    pub(crate) place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) offset: u64,
    pub(crate) bytes: u32,
}

/// What was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) head: Snapshot,
    /// The end of the last whole record.
    pub(crate) offset: u64,
    pub(crate) torn_bytes: u64,
}

pub(crate) enum LogError {
    Io(io::Error),
    Damaged { seq: Seq, why: &'static str },
}

/// Appends records. One writer at a time; the caller holds the lock.
pub(crate) struct LogWriter {
    file: File,
    end: End,
    /// Whether something may stand behind the end.
    is_unsound: bool,
    canonical: Canonical,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(rename = "hash")]
    _hash: Digest,
    seq: Seq,
    event: Event,
}

/// Reads every whole record. `each` says why a record cannot follow the ones before it.
pub(crate) fn read(
    file: &File,
    mut each: impl FnMut(Record) -> Result<(), &'static str>,
) -> Result<End, LogError> {
    let mut end = End { head: BEFORE_FIRST, offset: 0, torn_bytes: 0 };
    let mut reader = BufReader::with_capacity(READ_BYTES, file);
    let mut line = Vec::new();
    loop {
        line.clear();
        reader.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line).map_err(LogError::Io)?;
        if line.is_empty() {
            return Ok(end);
        }
        let seq = end.head.seq.next();
        match parse(&line, &end.head) {
            Ok((event, head)) => {
                let bytes = u32::try_from(line.len()).unwrap_or(u32::MAX);
                let place = Place { offset: end.offset, bytes };
                let refused = |why| LogError::Damaged { seq, why };
                each(Record { snapshot: head, event, place }).map_err(refused)?;
                end.head = head;
                end.offset += line.len() as u64;
            }
            Err(why) => {
                // Only what a crash can leave is dropped: nothing behind it is a record.
                loop {
                    let is_whole = line.ends_with(b"\n");
                    if is_whole && serde_json::from_slice::<Line>(&line).is_ok() {
                        return Err(LogError::Damaged { seq, why });
                    }
                    end.torn_bytes += line.len() as u64;
                    line.clear();
                    let mut more = reader.by_ref().take(LINE_BYTES_MAX);
                    more.read_until(b'\n', &mut line).map_err(LogError::Io)?;
                    if line.is_empty() {
                        return Ok(end);
                    }
                }
            }
        }
    }
}

/// Reads one record again.
pub(crate) fn read_at(file: &File, place: Place, hash: Digest) -> io::Result<Option<Event>> {
    let mut line = vec![0; place.bytes as usize];
    file.read_exact_at(&mut line, place.offset)?;
    let parsed = serde_json::from_slice::<Line>(&line).ok();
    Ok(parsed.filter(|line| line._hash == hash).map(|line| line.event))
}

fn parse(line: &[u8], head: &Snapshot) -> Result<(Event, Snapshot), &'static str> {
    let rest = line.strip_prefix(OPENING).ok_or("it does not begin with a hash")?;
    let rest = rest.strip_suffix(b"\n").ok_or("it is cut short")?;
    let (hash, rest) = rest.split_at_checked(64).ok_or("it is cut short")?;
    let hash = Digest::from_hex(hash).map_err(|_| "it does not begin with a hash")?;
    if hash != chained(&head.hash, rest) {
        return Err("its hash does not fit");
    }
    let line: Line = serde_json::from_slice(line).map_err(|_| "it is not a record")?;
    if line.seq != head.seq.next() {
        return Err("its number does not follow");
    }
    Ok((line.event, Snapshot { seq: line.seq, hash }))
}

fn chained(before: &Digest, rest: &[u8]) -> Digest {
    let mut hasher = Hasher::default();
    hasher.update(&before.hex());
    hasher.update(rest);
    hasher.finish()
}

impl LogWriter {
    /// What a crash left behind `end` is cut off with the first record.
    pub(crate) fn new(file: File, end: End) -> Self {
        Self { file, end, is_unsound: end.torn_bytes > 0, canonical: Canonical::default() }
    }

    /// Where each of `events` stands once it is appended, without appending it.
    pub(crate) fn prepare(&mut self, events: &[Event]) -> Prepared {
        let mut prepared = Prepared { lines: Vec::new(), records: Vec::new(), end: self.end };
        for event in events {
            let seq = prepared.end.head.seq.next();
            let mut rest = format!("\",\"seq\":{seq},\"event\":").into_bytes();
            self.canonical.write(&mut rest, event).expect("an event is text and whole numbers");
            rest.push(b'}');
            let hash = chained(&prepared.end.head.hash, &rest);
            let bytes = OPENING.len() + 64 + rest.len() + 1;
            prepared.lines.extend_from_slice(OPENING);
            prepared.lines.extend_from_slice(&hash.hex());
            prepared.lines.extend_from_slice(&rest);
            prepared.lines.push(b'\n');
            let bytes = u32::try_from(bytes).expect("an entry is bounded");
            let place = Place { offset: prepared.end.offset, bytes };
            prepared.end.head = Snapshot { seq, hash };
            prepared.end.offset += u64::from(bytes);
            prepared.records.push((prepared.end.head, place));
        }
        prepared
    }

    /// Appends durably. After an error, nothing of it counts.
    pub(crate) fn append(&mut self, prepared: &Prepared) -> io::Result<()> {
        if self.is_unsound {
            self.file.set_len(self.end.offset)?;
        }
        self.is_unsound = true;
        self.file.write_all_at(&prepared.lines, self.end.offset)?;
        self.file.sync_data()?;
        self.end = End { torn_bytes: 0, ..prepared.end };
        self.is_unsound = false;
        Ok(())
    }
}

/// Records that are not appended yet.
pub(crate) struct Prepared {
    lines: Vec<u8>,
    pub(crate) records: Vec<(Snapshot, Place)>,
    end: End,
}

const OPENING: &[u8] = b"{\"hash\":\"";
pub(crate) const BEFORE_FIRST: Snapshot = Snapshot { seq: Seq::ZERO, hash: Digest::ZERO };
/// Room for the largest entry with every sign escaped.
const LINE_BYTES_MAX: u64 = 4 * 1024 * 1024;
const READ_BYTES: usize = 256 * 1024;
