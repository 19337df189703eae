//! The audit: whether what is in a repository is what was accepted, and rests on what it says it rests on.
//!
//! ```text
//! store::verify: records, anchors, blobs ──▶ sound streams ──▶ snapshots ──▶ every record decided again
//!                                                                        ├─▶ decisions: a person, in their own words
//!                                                                        ├─▶ evidence: the same tree, all of it kept
//!                                                                        └─▶ statements: what the journal says, signed
//! ```
//!
//! Everything is read from files, nothing is written and nobody is asked. A stream that is damaged is told of once;
//! what it would have meant is not guessed at.

mod content;
mod decisions;
mod evidence;
pub mod export;
mod pages;
mod redo;
mod signatures;
mod snapshots;
mod tasks;

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use sealwright_kernel::{Seq, StreamId, TaskId};
use sealwright_store::attest::{AttestationDir, AttestationDirError, Keyring, Trust};
use sealwright_store::{Anchor, FileJournal, JournalError, Verified};
use serde::Serialize;

pub use content::FrozenFile;
use redo::redo_stream;

use content::Content;

/// What is to be audited, and on whose keys.
#[derive(Clone, Copy, Debug)]
pub struct Audit<'a> {
    /// The streams.
    pub journal: &'a FileJournal,
    /// What commits say of them.
    pub anchors: &'a [Anchor],
    /// Where keys are taken from.
    pub trust: &'a Trust,
    /// How many streams are looked at side by side.
    pub threads: usize,
}

/// What was audited, and what was found.
#[derive(Debug, Default)]
pub struct Audited {
    /// The records, anchors and blobs.
    pub verified: Verified,
    /// How many snapshots were held against their streams.
    pub snapshots: u64,
    /// How many keys count.
    pub keys: u64,
    /// How many signed statements say what the journal says.
    pub statements: u64,
    /// How many decisions of people were held against who made them.
    pub decisions: u64,
    /// How many pieces of evidence were held against the store.
    pub evidence: u64,
    /// Finished tasks of which nothing is signed.
    pub unsigned: Vec<TaskId>,
    /// Streams whose words this version does not know. Their records are whole; what they mean was not looked at.
    pub unaudited: Vec<StreamId>,
    /// What this version decides otherwise, although it is signed or anchored: a rule has changed since.
    pub changed: Vec<Found>,
    /// Everything that is wrong.
    pub findings: Vec<Found>,
}

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    /// The thing it is about: `record T-x#4`, `blob 0a1b…`, `statement T-x/EV-000001`, `key 0a1b….pub`, `snapshot T-x`.
    pub object: String,
    /// The stream it is about, if it is about one.
    pub stream: Option<StreamId>,
    /// The record it is about, if it is about one.
    pub seq: Option<Seq>,
    /// What was found.
    pub finding: String,
    /// What a person can do about it.
    pub hint: String,
}

impl Audit<'_> {
    /// Looks at everything.
    pub async fn run(&self) -> Result<Audited, JournalError> {
        let verified = sealwright_store::verify(self.journal, self.anchors, self.threads)?;
        let mut findings: Vec<Found> = verified.findings.iter().map(Found::of_store).collect();
        let damaged: BTreeSet<StreamId> = verified
            .findings
            .iter()
            .filter(|finding| finding.is_damage())
            .filter_map(|finding| finding.stream().cloned())
            .collect();
        let mut audited = Audited { verified, ..Audited::default() };
        audited.snapshots = snapshots::check(self.journal, &damaged, &mut findings).await?;
        let attestation_dir = AttestationDir::of(self.journal.layout());
        let ring = self.keys(&attestation_dir, &mut findings);
        audited.keys = ring.len() as u64;
        let streams = self.journal.streams_blocking()?;
        findings.extend(signatures::strangers(&attestation_dir, &streams));
        let sound: Vec<&StreamId> =
            streams.iter().filter(|stream| !damaged.contains(*stream)).collect();
        findings.extend(signatures::lost_ends(&ring, &streams));
        let content = Content::of(self.journal.layout());
        let room =
            Room { audit: self, attestation_dir: &attestation_dir, ring: &ring, content: &content };
        for looked in side_by_side(&sound, self.threads, |stream| room.look(stream)) {
            audited.statements += looked.statements;
            audited.decisions += looked.decisions;
            audited.evidence += looked.evidence;
            audited.unsigned.extend(looked.unsigned);
            audited.unaudited.extend(looked.unaudited);
            audited.changed.extend(looked.changed);
            findings.extend(looked.findings);
        }
        audited.findings = findings;
        Ok(audited)
    }

    /// The keys that count, and what is wrong with their files.
    fn keys(&self, attestation_dir: &AttestationDir, findings: &mut Vec<Found>) -> Keyring {
        let files = attestation_dir.keys().unwrap_or_else(|error| {
            findings.push(Found::unusable("key", &error));
            vec![]
        });
        let (ring, flaws) = Keyring::gather(&files, self.trust);
        findings.extend(flaws.into_iter().map(|flaw| Found {
            object: format!("key {}", flaw.file),
            stream: None,
            seq: None,
            finding: format!("the key file {}: {}", flaw.file, flaw.what),
            hint: format!("restore `.sealwright/keys/{}` from git or a backup", flaw.file),
        }));
        ring
    }
}

/// What every stream is looked at with.
struct Room<'a> {
    audit: &'a Audit<'a>,
    attestation_dir: &'a AttestationDir,
    ring: &'a Keyring,
    content: &'a Content<'a>,
}

/// What came of one stream.
#[derive(Debug, Default)]
struct Looked {
    statements: u64,
    decisions: u64,
    evidence: u64,
    unsigned: Option<TaskId>,
    unaudited: Option<StreamId>,
    changed: Vec<Found>,
    findings: Vec<Found>,
}

impl Room<'_> {
    fn look(&self, stream: &StreamId) -> Looked {
        let looked = match TaskId::new(stream.as_str()) {
            Ok(task) => tasks::look(self, &task),
            Err(_) => match redo_stream(self.audit.journal, stream) {
                Some(redone) => redone.map(|odd| {
                    let mut looked = Looked::default();
                    looked.sort_out(stream, odd, self.anchored(stream));
                    looked
                }),
                None => Ok(Looked::unaudited(stream)),
            },
        };
        looked.unwrap_or_else(|error| {
            // Whoever pins keys wants every task of theirs proven, and words nobody knows prove nothing.
            let is_foreign = matches!(error, JournalError::UnknownEvents { .. });
            if is_foreign && *self.audit.trust == Trust::Clone {
                return Looked::unaudited(stream);
            }
            let hint =
                error.hint().unwrap_or_else(|| "look at it with `sealwright journal`".to_owned());
            let finding = Found {
                object: format!("stream {stream}"),
                stream: Some(stream.clone()),
                seq: None,
                finding: format!("{stream} could not be audited: {error}"),
                hint,
            };
            Looked { findings: vec![finding], ..Looked::default() }
        })
    }

    /// The last record of `stream` that a commit knows. It is on the chain, or the stream were damaged.
    fn anchored(&self, stream: &StreamId) -> Option<Seq> {
        let mine = self.audit.anchors.iter().filter(|anchor| anchor.stream == *stream);
        mine.map(|anchor| anchor.head.seq).max()
    }
}

impl Looked {
    fn unaudited(stream: &StreamId) -> Self {
        Self { unaudited: Some(stream.clone()), ..Self::default() }
    }

    /// What this version decides otherwise is a changed rule if somebody stands behind the record, and else unproven.
    fn sort_out(&mut self, stream: &StreamId, odd: Vec<redo::Odd>, vouched: Option<Seq>) {
        for redo::Odd { seq, what } in odd {
            let found = |finding, hint: &str| Found {
                object: format!("record {stream}#{seq}"),
                stream: Some(stream.clone()),
                seq: Some(seq),
                finding,
                hint: hint.to_owned(),
            };
            match vouched.is_some_and(|vouched| seq <= vouched) {
                true => self.changed.push(found(
                    format!("{stream}, record {seq}: a rule has changed since it was accepted: {what}"),
                    "it is signed or anchored, so it counts as it was recorded",
                )),
                false => self.findings.push(found(
                    format!("{stream}, record {seq}: it is not what its cause leads to: {what}"),
                    "if Sealwright was updated since, verify with the version that wrote it; nothing signed or \
                     anchored vouches for this record",
                )),
            }
        }
    }
}

impl Found {
    fn of_store(finding: &sealwright_store::Finding) -> Self {
        Self {
            object: finding.object(),
            stream: finding.stream().cloned(),
            seq: finding.seq(),
            finding: finding.to_string(),
            hint: finding.hint(),
        }
    }

    fn about_record(stream: &StreamId, seq: Seq, what: &str) -> Self {
        Self {
            object: format!("record {stream}#{seq}"),
            stream: Some(stream.clone()),
            seq: Some(seq),
            finding: format!("{stream}, record {seq}: {what}"),
            hint: format!("restore `.sealwright/journal/{stream}` from a source you trust"),
        }
    }

    fn unusable(kind: &str, error: &AttestationDirError) -> Self {
        let name = match error {
            AttestationDirError::Differs { name } | AttestationDirError::Io { name, .. } => name,
            AttestationDirError::TooMany { folder, .. } => folder,
        };
        // The file in the last place is what people look for.
        let short = name.rsplit('/').next().unwrap_or(name);
        Self {
            object: format!("{kind} {short}"),
            stream: None,
            seq: None,
            finding: format!("{error}"),
            hint: error.hint().unwrap_or_else(|| format!("look at `{name}`")),
        }
    }
}

/// `look` for each of `things`, in their order, on so many threads.
fn side_by_side<T: Sync, R: Send>(
    things: &[T],
    threads: usize,
    look: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let all: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(things.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, things.len().max(1)) {
            scope.spawn(|| {
                loop {
                    let nth = next.fetch_add(1, Ordering::Relaxed);
                    let Some(thing) = things.get(nth) else { break };
                    let looked = look(thing);
                    all.lock().expect("no look panics").push((nth, looked));
                }
            });
        }
    });
    let mut all = all.into_inner().expect("no look panics");
    all.sort_by_key(|(nth, _)| *nth);
    all.into_iter().map(|(_, looked)| looked).collect()
}
