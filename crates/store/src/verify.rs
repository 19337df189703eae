//! Checking everything, offline, from files alone.
//!
//! Every record is hashed again, every anchor looked up on its chain, every blob hashed. Streams
//! are independent, so they are checked side by side. What records mean is not looked at here.

mod strays;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use sealwright_kernel::{Digest, Seq, StreamId};

use crate::disk::Disk;
use crate::files::{Begin, Home, Mark, Torn, scan};
use crate::layout::COMMITTED_BYTES_MAX;
use crate::{Anchor, BlobRef, Damage, FileJournal, Head, JournalError, Note, Why};

/// What was checked, and what was found.
#[derive(Debug, Default)]
pub struct Verified {
    pub streams: u64,
    pub records: u64,
    pub bytes: u64,
    /// How many anchors were held against their streams.
    pub anchors: u64,
    pub blobs: u64,
    /// How many blobs are kept out of git and are not here.
    pub blobs_elsewhere: u64,
    /// How many more were, that no record lists as its own.
    pub strays: u64,
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
    #[error("{stream}, record {seq}: blob {sha256} {problem}")]
    Blob {
        /// The stream of the first record that rests on it.
        stream: StreamId,
        seq: Seq,
        sha256: Digest,
        problem: &'static str,
    },
    /// A blob that no record lists as its own.
    #[error("blob {sha256} {problem}")]
    Stray { sha256: Digest, problem: &'static str },
    /// A folder of the blob store that cannot be looked into.
    #[error("cannot list `{folder}` in the store")]
    Unlisted { folder: String },
    /// A stream that could not be read at all.
    #[error("cannot read {stream}")]
    Unreadable { stream: StreamId, source: JournalError },
}

impl Finding {
    /// The thing it is about, in a form that programs can compare.
    pub fn object(&self) -> String {
        match self {
            Self::Record(damage) => format!("record {}#{}", damage.stream, damage.seq),
            Self::Blob { sha256, .. } | Self::Stray { sha256, .. } => format!("blob {sha256}"),
            Self::Unlisted { folder } => format!("folder {folder}"),
            Self::Unreadable { stream, .. } => format!("stream {stream}"),
        }
    }

    pub fn stream(&self) -> Option<&StreamId> {
        match self {
            Self::Record(damage) => Some(&damage.stream),
            Self::Blob { stream, .. } | Self::Unreadable { stream, .. } => Some(stream),
            Self::Stray { .. } | Self::Unlisted { .. } => None,
        }
    }

    /// Whether the records of its stream cannot be believed.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Record(_) | Self::Unreadable { .. } => true,
            Self::Blob { .. } | Self::Stray { .. } | Self::Unlisted { .. } => false,
        }
    }

    pub fn seq(&self) -> Option<Seq> {
        match self {
            Self::Record(damage) => Some(damage.seq),
            Self::Blob { seq, .. } => Some(*seq),
            Self::Stray { .. } | Self::Unlisted { .. } | Self::Unreadable { .. } => None,
        }
    }

    pub fn hint(&self) -> String {
        match self {
            Self::Record(damage) => damage.hint(),
            Self::Blob { sha256, .. } | Self::Stray { sha256, .. } => {
                format!("restore {sha256} below `.sealwright/store/blobs` from git or a backup")
            }
            Self::Unlisted { folder } => {
                format!("put a folder of its own at `.sealwright/store/blobs/{folder}`")
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
    let checked = in_parallel(&streams, threads, RUN, |stream| check(home, stream, &claims));
    Ok(sum_up(home, &streams, checked, &claims))
}

/// Calls `work` for each of `things` on this many threads; the results are in the order of `things`. A thread takes
/// `run` things at a time, so that threads seldom meet.
pub fn in_parallel<T: Sync, R: Send>(
    things: &[T],
    threads: usize,
    run: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let all: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(things.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, things.len().max(1)) {
            scope.spawn(|| {
                let mut mine = Vec::new();
                loop {
                    let from = next.fetch_add(run, Ordering::Relaxed);
                    let taken = things.get(from..things.len().min(from + run)).unwrap_or_default();
                    if taken.is_empty() {
                        break;
                    }
                    mine.extend((from..).zip(taken.iter().map(&work)));
                }
                all.lock().expect("no panic while the lock is held").extend(mine);
            });
        }
    });
    let mut all = all.into_inner().expect("no panic while the lock is held");
    all.sort_by_key(|(nth, _)| *nth);
    all.into_iter().map(|(_, result)| result).collect()
}

/// What commits say about records of streams.
struct Claims {
    by_stream: BTreeMap<StreamId, Vec<Head>>,
}

impl Claims {
    fn new(anchors: &[Anchor]) -> Self {
        let mut by_stream: BTreeMap<StreamId, Vec<Head>> = BTreeMap::new();
        for anchor in anchors {
            by_stream.entry(anchor.stream.clone()).or_default().push(anchor.head);
        }
        for claims in by_stream.values_mut() {
            claims.sort_by_key(|claim| claim.seq);
        }
        Self { by_stream }
    }

    /// In the order of the records.
    fn about(&self, stream: &StreamId) -> &[Head] {
        self.by_stream.get(stream).map_or(&[], Vec::as_slice)
    }
}

#[derive(Default)]
struct Checked {
    end: Option<Head>,
    records: u64,
    bytes: u64,
    is_torn: bool,
    /// Blobs, and the record that rests on each.
    blobs: Vec<(BlobRef, Seq)>,
    /// What this stream says of others.
    anchored: Vec<Anchor>,
    finding: Option<Finding>,
}

fn check<D: Disk>(home: &Home<D>, stream: &StreamId, claims: &Claims) -> Checked {
    // Before the records: a writer at work may take the mark further while they are read.
    let mark = Mark::of(home, stream);
    let mark_seq = mark.as_ref().map(|mark| mark.head.seq);
    let mut at_mark = Head::START;
    let mut claims = claims.about(stream).iter().peekable();
    let mut broken_claim = None;
    let mut checked = Checked::default();
    let scanned = scan(home, stream, Begin::After(Head::START), &mut |entry| {
        let head = entry.head();
        checked.records += 1;
        checked.blobs.extend(entry.blobs()?.into_iter().map(|blob| (blob, head.seq)));
        checked.anchored.extend(entry.notes().into_iter().filter_map(|note| match note {
            Note::Anchored(anchor) => Some(anchor),
            Note::TornTail { .. } | Note::Ended => None,
        }));
        if mark_seq == Some(head.seq) {
            at_mark = head;
        }
        while let Some(claim) = claims.next_if(|claim| claim.seq <= head.seq) {
            if *claim != head && broken_claim.is_none() {
                broken_claim = Some((claim.seq, Why::Replaced { known_from: COMMIT }));
            }
        }
        Ok(())
    });
    let damage = |(seq, why)| Damage { stream: stream.clone(), seq, why };
    match scanned {
        Err(JournalError::Damaged(damage)) => checked.finding = Some(damage.into()),
        Err(source) => {
            checked.finding = Some(Finding::Unreadable { stream: stream.clone(), source });
        }
        Ok(found) => {
            checked.end = Some(found.head);
            checked.bytes = found.bytes_read;
            checked.is_torn = found.torn.is_some();
            let held = mark.map_or(Ok(()), |mark| mark.holds(stream, at_mark, found.head));
            let unmet = claims.last().map(|claim| {
                (found.head.seq.next(), Why::Missing { known: claim.seq, known_from: COMMIT })
            });
            let claim = broken_claim.or(unmet).map(damage);
            checked.finding = held.err().or(claim).map(Finding::Record);
        }
    }
    checked
}

fn sum_up<D: Disk>(
    home: &Home<D>,
    streams: &[StreamId],
    checked: Vec<Checked>,
    claims: &Claims,
) -> Verified {
    let mut verified = Verified::default();
    let mut seen = BTreeSet::new();
    // A stream with a finding of its own has none, and nothing more is said of it.
    let ends: BTreeMap<&StreamId, Option<Head>> = streams
        .iter()
        .zip(checked.iter().map(|it| it.end.filter(|_| it.finding.is_none())))
        .collect();
    let mut about_anchors = Vec::new();
    for anchor in checked.iter().flat_map(|it| &it.anchored) {
        verified.anchors += 1;
        about_anchors.extend(anchored(home, anchor, &ends));
    }
    for (stream, claimed) in &claims.by_stream {
        verified.anchors += claimed.len() as u64;
        if let Some(last) = claimed.last()
            && !ends.contains_key(stream)
        {
            about_anchors.push(all_missing(stream, last.seq, COMMIT));
        }
    }
    for (name, stream) in streams.iter().zip(checked) {
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
                Looked::Bad(problem) => {
                    let (stream, sha256) = (name.clone(), blob.sha256);
                    verified.findings.push(Finding::Blob { stream, seq, sha256, problem });
                }
            }
        }
    }
    verified.findings.extend(about_anchors.into_iter().map(Finding::Record));
    let seen = seen.into_iter().map(|blob| blob.sha256).collect();
    let (sound, strays) = strays::check(home, &seen);
    verified.strays = sound;
    verified.findings.extend(strays);
    verified
}

/// Holds a stream against what another stream says of it.
fn anchored<D: Disk>(
    home: &Home<D>,
    anchor: &Anchor,
    ends: &BTreeMap<&StreamId, Option<Head>>,
) -> Option<Damage> {
    let Anchor { stream, head: claim } = anchor;
    match ends.get(stream) {
        None => return Some(all_missing(stream, claim.seq, PROJECT)),
        Some(None) => return None,
        Some(Some(end)) if end == claim => return None,
        Some(Some(_)) => {}
    }
    // It may have gone on since it was read, or the anchor may lie inside it: look again.
    let mut found = Head::START;
    let scanned = scan(home, stream, Begin::After(Head::START), &mut |entry| {
        if entry.head().seq == claim.seq {
            found = entry.head();
        }
        Ok(())
    });
    let end = scanned.ok()?.head;
    if found == *claim {
        return None;
    }
    let (seq, why) = if claim.seq > end.seq {
        (end.seq.next(), Why::Missing { known: claim.seq, known_from: PROJECT })
    } else {
        (claim.seq, Why::Replaced { known_from: PROJECT })
    };
    Some(Damage { stream: stream.clone(), seq, why })
}

fn all_missing(stream: &StreamId, known: Seq, known_from: &'static str) -> Damage {
    let why = Why::Missing { known, known_from };
    Damage { stream: stream.clone(), seq: Seq::new(1), why }
}

enum Looked {
    Sound,
    Elsewhere,
    Bad(&'static str),
}

fn look_at<D: Disk>(home: &Home<D>, blob: &BlobRef) -> Looked {
    match digest_of(home, &home.layout.blob(&blob.sha256, blob.size)) {
        Ok(found) if found == blob.sha256 => Looked::Sound,
        Ok(_) => Looked::Bad("has been changed"),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            if blob.size > COMMITTED_BYTES_MAX {
                Looked::Elsewhere
            } else {
                Looked::Bad("is missing")
            }
        }
        Err(_) => Looked::Bad("cannot be read"),
    }
}

fn digest_of<D: Disk>(home: &Home<D>, path: &Path) -> std::io::Result<Digest> {
    let content = home.disk.open(path).and_then(|file| Torn::behind(&file, 0))?;
    Ok(content.map_or_else(|| Digest::of(b""), |content| content.sha256))
}

const COMMIT: &str = "a commit's trailer";
const PROJECT: &str = "the project's stream";
const RUN: usize = 64;
