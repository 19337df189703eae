//! Checking everything, offline, from files alone.
//!
//! Every record is hashed again, every anchor looked up on its chain, every blob that a
//! record rests on hashed. Streams are independent, so they are checked side by side.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use sealwright_kernel::{Digest, Seq, StreamId};

use crate::disk::Disk;
use crate::files::{From, Home, Mark, Scanned, is_not_behind, scan};
use crate::layout::COMMITTED_BYTES_MAX;
use crate::{Anchor, BlobRef, Damage, FileJournal, Head, JournalError, Note, Why};

/// What was checked, and what was found.
#[derive(Debug, Default)]
pub struct Verified {
    /// How many streams were read.
    pub streams: u64,
    /// How many records were hashed.
    pub records: u64,
    /// How many bytes of journal were read.
    pub bytes: u64,
    /// How many anchors were held against their streams.
    pub anchors: u64,
    /// How many blobs were hashed.
    pub blobs: u64,
    /// How many blobs are kept out of git and are not here.
    pub blobs_elsewhere: u64,
    /// Streams whose last line a crash left unfinished; their next writer drops it.
    pub torn: Vec<StreamId>,
    /// Everything that is wrong, in the order of the streams.
    pub findings: Vec<Finding>,
}

/// Something that is not what was once accepted.
#[derive(Debug, thiserror::Error)]
pub enum Finding {
    /// A record.
    #[error(transparent)]
    Record(#[from] Damage),
    /// A blob.
    #[error("{stream}, record {seq}: the content {sha256} it rests on {problem}")]
    Blob {
        /// The stream of the first record that rests on it.
        stream: StreamId,
        /// That record.
        seq: Seq,
        /// The blob.
        sha256: Digest,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A stream that could not be read at all.
    #[error("{stream} could not be read")]
    Unreadable {
        /// The stream.
        stream: StreamId,
        /// What the system said.
        source: JournalError,
    },
}

impl Finding {
    /// What a person can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Record(damage) => damage.hint(),
            Self::Blob { sha256, .. } => {
                format!("restore {sha256} below `.sealwright/store/blobs` from git or a backup")
            }
            Self::Unreadable { source, .. } => source
                .hint()
                .unwrap_or_else(|| "check the permissions below `.sealwright`".to_owned()),
        }
    }
}

/// Checks every stream of `journal`, and what `anchors` say of them.
///
/// `threads` streams are checked at a time.
pub fn verify<D: Disk>(
    journal: &FileJournal<D>,
    anchors: &[Anchor],
    threads: usize,
) -> Result<Verified, JournalError> {
    let home = journal.home();
    let streams = journal.streams_blocking()?;
    let claims = Claims::new(anchors);
    let next = AtomicUsize::new(0);
    let checked: Mutex<Vec<(usize, Checked)>> = Mutex::new(Vec::with_capacity(streams.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, streams.len().max(1)) {
            scope.spawn(|| {
                let mut mine = Vec::new();
                // Streams are handed out in runs, so that threads seldom meet.
                loop {
                    let from = next.fetch_add(RUN, Ordering::Relaxed);
                    let Some(run) = streams.get(from..streams.len().min(from + RUN)) else { break };
                    if run.is_empty() {
                        break;
                    }
                    for (nth, stream) in run.iter().enumerate() {
                        mine.push((from + nth, check(home, stream, &claims)));
                    }
                }
                checked.lock().expect("no check panics").extend(mine);
            });
        }
    });
    let mut checked = checked.into_inner().expect("no check panics");
    checked.sort_by_key(|(nth, _)| *nth);
    Ok(sum_up(home, &streams, checked, &claims))
}

/// What is said elsewhere about records of streams.
struct Claims {
    by_stream: BTreeMap<StreamId, Vec<Head>>,
}

impl Claims {
    fn new(anchors: &[Anchor]) -> Self {
        let mut by_stream: BTreeMap<StreamId, Vec<Head>> = BTreeMap::new();
        for anchor in anchors {
            by_stream.entry(anchor.stream.clone()).or_default().push(anchor.head);
        }
        Self { by_stream }
    }

    fn about(&self, stream: &StreamId) -> &[Head] {
        self.by_stream.get(stream).map_or(&[], Vec::as_slice)
    }
}

/// What came of one stream.
struct Checked {
    records: u64,
    bytes: u64,
    is_torn: bool,
    /// Blobs, and the first record that rests on each.
    blobs: Vec<(BlobRef, Seq)>,
    /// What this stream says of others.
    anchored: Vec<Anchor>,
    /// The heads that others may speak of; kept only where a record was asked for.
    heads: BTreeMap<Seq, Digest>,
    finding: Option<Finding>,
}

fn check<D: Disk>(home: &Home<D>, stream: &StreamId, claims: &Claims) -> Checked {
    let mut blobs = Vec::new();
    let mut anchored = Vec::new();
    let mut records = 0;
    let claimed = claims.about(stream);
    let mut heads = BTreeMap::new();
    let scanned = scan(home, stream, From::After(Head::START), &mut |entry| {
        let head = entry.head();
        records += 1;
        blobs.extend(entry.blobs()?.into_iter().map(|blob| (blob, head.seq)));
        anchored.extend(entry.notes().into_iter().filter_map(|note| match note {
            Note::Anchored(anchor) => Some(anchor),
            Note::TornTail { .. } | Note::Ended => None,
        }));
        if claimed.iter().any(|claim| claim.seq == head.seq) {
            heads.insert(head.seq, head.hash);
        }
        Ok(())
    });
    let finding = match &scanned {
        Ok(found) => past_the_end(home, stream, found, claimed, &heads),
        Err(_) => None,
    };
    let (bytes, is_torn, finding) = match scanned {
        Ok(found) => {
            heads.insert(found.head.seq, found.head.hash);
            (found.bytes_read, found.torn.is_some(), finding.map(Finding::Record))
        }
        Err(JournalError::Damaged(damage)) => (0, false, Some(Finding::Record(damage))),
        Err(source) => (0, false, Some(Finding::Unreadable { stream: stream.clone(), source })),
    };
    Checked { records, bytes, is_torn, blobs, anchored, heads, finding }
}

/// Holds the end of a sound chain against those who know how far it once went.
fn past_the_end<D: Disk>(
    home: &Home<D>,
    stream: &StreamId,
    found: &Scanned,
    claimed: &[Head],
    heads: &BTreeMap<Seq, Digest>,
) -> Option<Damage> {
    if let Some(mark) = Mark::of(home, stream)
        && let Err(JournalError::Damaged(damage)) = is_not_behind(stream, found.head, &mark)
    {
        return Some(damage);
    }
    claimed.iter().find_map(|claim| holds(stream, claim, found.head, heads, "a commit's trailer"))
}

fn holds(
    stream: &StreamId,
    claim: &Head,
    end: Head,
    heads: &BTreeMap<Seq, Digest>,
    known_from: &'static str,
) -> Option<Damage> {
    let (seq, why) = match heads.get(&claim.seq) {
        _ if claim.seq > end.seq => (end.seq.next(), Why::Missing { known: claim.seq, known_from }),
        Some(hash) if *hash == claim.hash => return None,
        Some(_) | None => (claim.seq, Why::Replaced { known_from }),
    };
    Some(Damage { stream: stream.clone(), seq, why })
}

fn sum_up<D: Disk>(
    home: &Home<D>,
    streams: &[StreamId],
    checked: Vec<(usize, Checked)>,
    claims: &Claims,
) -> Verified {
    let mut verified = Verified::default();
    let mut seen = BTreeSet::new();
    let mut heads: BTreeMap<&StreamId, &BTreeMap<Seq, Digest>> = BTreeMap::new();
    for (nth, stream) in &checked {
        heads.insert(&streams[*nth], &stream.heads);
    }
    let mut findings = Vec::new();
    for anchor in checked.iter().flat_map(|(_, stream)| &stream.anchored) {
        verified.anchors += 1;
        findings.extend(anchored_elsewhere(anchor, &heads));
    }
    for (stream, claimed) in &claims.by_stream {
        verified.anchors += claimed.len() as u64;
        if let Some(known) = claimed.iter().map(|claim| claim.seq).max()
            && !heads.contains_key(stream)
        {
            let why = Why::Missing { known, known_from: "a commit's trailer" };
            findings.push(Damage { stream: stream.clone(), seq: Seq::new(1), why });
        }
    }
    for (nth, stream) in checked {
        let name = &streams[nth];
        verified.streams += 1;
        verified.records += stream.records;
        verified.bytes += stream.bytes;
        if stream.is_torn {
            verified.torn.push(name.clone());
        }
        verified.findings.extend(stream.finding);
        for (blob, seq) in stream.blobs {
            if !seen.insert(blob) {
                continue;
            }
            match look_at(home, &blob) {
                Looked::Sound => verified.blobs += 1,
                Looked::Elsewhere => verified.blobs_elsewhere += 1,
                Looked::Bad(problem) => verified.findings.push(Finding::Blob {
                    stream: name.clone(),
                    seq,
                    sha256: blob.sha256,
                    problem,
                }),
            }
        }
    }
    verified.findings.extend(findings.into_iter().map(Finding::Record));
    verified
}

/// An ended stream is anchored at its end, so its last head is what counts.
fn anchored_elsewhere(
    anchor: &Anchor,
    heads: &BTreeMap<&StreamId, &BTreeMap<Seq, Digest>>,
) -> Option<Damage> {
    let known_from = "the project's stream";
    let stream = &anchor.stream;
    let Some((seq, hash)) = heads.get(stream).and_then(|heads| heads.last_key_value()) else {
        let why = Why::Missing { known: anchor.head.seq, known_from };
        return Some(Damage { stream: stream.clone(), seq: Seq::new(1), why });
    };
    holds(stream, &anchor.head, Head { seq: *seq, hash: *hash }, heads[stream], known_from)
}

enum Looked {
    Sound,
    Elsewhere,
    Bad(&'static str),
}

fn look_at<D: Disk>(home: &Home<D>, blob: &BlobRef) -> Looked {
    match home.disk.read(&home.layout.blob(&blob.sha256, blob.size)) {
        Ok(content) if Digest::of(&content) == blob.sha256 => Looked::Sound,
        Ok(_) => Looked::Bad("has been changed"),
        Err(_) if blob.size > COMMITTED_BYTES_MAX => Looked::Elsewhere,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Looked::Bad("is missing"),
        Err(_) => Looked::Bad("cannot be read"),
    }
}

const RUN: usize = 64;
