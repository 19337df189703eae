//! The offline audit: whether the records of a repository are intact, allowed by the rules, and backed by evidence.
//!
//! ```text
//! store::verify: records, anchors, blobs ──▶ sound streams ──▶ snapshots ──▶ every record decided again
//!                                                                        ├─▶ decisions: made by a person
//!                                                                        ├─▶ evidence: for the same tree, all in the store
//!                                                                        └─▶ statements: match the journal, signed
//! git objects ──▶ commits of tasks ──▶ held against the trees that were proven ──▶ what a commit is worth
//! ```
//!
//! The audit reads files only: it runs no program, asks no one, and writes nothing but a temporary folder with the
//! proofs that came with a commit. A damaged stream gives one finding; the audit does not interpret the rest of it.

pub mod code;
mod content;
mod decisions;
mod evidence;
mod explain;
pub mod export;
pub mod git;
mod pages;
mod people;
mod redo;
mod signatures;
mod snapshots;
mod tasks;
mod whole;

use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::{Seq, StreamId, TaskId};
use sealwright_store::attest::person::Signers;
use sealwright_store::attest::{AttestationDir, AttestationDirError, Keyring, Trust};
use sealwright_store::{Anchor, FileJournal, JournalError, Verified, in_parallel};
use serde::Serialize;

pub use content::FrozenFile;
pub use explain::Explained;
pub use people::PersonRecord;
pub use whole::{Answer, Question, VerifyError};

use code::Gate;
use people::PeopleCheck;
use redo::{Redone, redo_stream};

use content::Content;

#[derive(Clone, Copy, Debug)]
pub struct Audit<'a> {
    pub journal: &'a FileJournal,
    /// The ends of streams, from commit trailers.
    pub anchors: &'a [Anchor],
    pub trust: &'a Trust,
    /// The people whose signatures each record of a person needs; without them, any or none will do.
    pub signers: Option<&'a Signers>,
    pub threads: usize,
    pub origin: Origin,
}

/// Where the records of an audit come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The journal of a repository.
    Journal,
    /// Proofs that came with commits. Their tasks were about to ship; there are no views, and other streams are missing.
    Proofs,
}

#[derive(Debug, Default)]
pub struct Audited {
    pub verified: Verified,
    /// Snapshots compared with their streams.
    pub snapshots: u64,
    pub keys: u64,
    /// Signed statements that match the journal.
    pub statements: u64,
    /// Decisions checked for their person.
    pub decisions: u64,
    /// Evidence records checked against the store.
    pub evidence: u64,
    /// Finished tasks without a signed statement.
    pub unsigned: Vec<TaskId>,
    /// Tasks that shipped nothing. Of them only the records can be right or wrong.
    pub unshipped: Vec<TaskId>,
    /// Tasks that shipped with a risk that a person accepted.
    pub risk_accepted: Vec<TaskId>,
    /// Tasks that shipped with every check passed.
    pub proven: u64,
    /// Every task that could be read, and its last gate if that was opened.
    pub gates: BTreeMap<TaskId, Option<Gate>>,
    /// Streams with events this version does not know. Their records are intact; their meaning was not audited.
    pub unaudited: Vec<StreamId>,
    /// Signed or anchored records that this version would decide differently: a rule has changed since.
    pub changed: Vec<Found>,
    /// The records of people.
    pub people: Vec<PersonRecord>,
    pub findings: Vec<Found>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    /// The object: `record T-x#4`, `blob 0a1b…`, `statement T-x/EV-000001`, `key 0a1b….pub`, `snapshot T-x`.
    pub object: String,
    pub stream: Option<StreamId>,
    pub seq: Option<Seq>,
    pub finding: String,
    pub hint: String,
}

impl Audit<'_> {
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
        findings.extend(signatures::of_unknown_tasks(&attestation_dir, &streams));
        findings.extend(people::of_unknown_streams(&attestation_dir, &streams));
        let sound: Vec<&StreamId> =
            streams.iter().filter(|stream| !damaged.contains(*stream)).collect();
        if self.origin == Origin::Journal {
            findings.extend(signatures::of_missing_streams(&ring, &streams));
        }
        let content = Content::of(self.journal.layout());
        let context = AuditContext {
            audit: self,
            attestation_dir: &attestation_dir,
            ring: &ring,
            content: &content,
        };
        for result in in_parallel(&sound, self.threads, 1, |stream| context.audit_stream(stream)) {
            audited.statements += result.statements;
            audited.decisions += result.decisions;
            audited.evidence += result.evidence;
            audited.unsigned.extend(result.unsigned);
            audited.unshipped.extend(result.unshipped);
            audited.risk_accepted.extend(result.risk_accepted);
            audited.proven += u64::from(result.is_proven);
            audited.gates.extend(result.gate);
            audited.unaudited.extend(result.unaudited);
            audited.changed.extend(result.changed);
            audited.people.extend(result.people);
            findings.extend(result.findings);
        }
        audited.findings = findings;
        Ok(audited)
    }

    /// Reads the trusted keys and adds findings about their files.
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
            finding: format!("key file {}: {}", flaw.file, flaw.what),
            hint: format!("restore `.sealwright/keys/{}` from git or a backup", flaw.file),
        }));
        ring
    }
}

struct AuditContext<'a> {
    audit: &'a Audit<'a>,
    attestation_dir: &'a AttestationDir,
    ring: &'a Keyring,
    content: &'a Content<'a>,
}

#[derive(Debug, Default)]
struct StreamAudit {
    statements: u64,
    decisions: u64,
    evidence: u64,
    unsigned: Option<TaskId>,
    unshipped: Option<TaskId>,
    risk_accepted: Option<TaskId>,
    is_proven: bool,
    gate: Option<(TaskId, Option<Gate>)>,
    unaudited: Option<StreamId>,
    changed: Vec<Found>,
    people: Vec<PersonRecord>,
    findings: Vec<Found>,
}

impl Audited {
    /// Adds the result of another audit.
    fn absorb(&mut self, other: Self) {
        let (mine, more) = (&mut self.verified, other.verified);
        mine.streams += more.streams;
        mine.records += more.records;
        mine.bytes += more.bytes;
        mine.anchors += more.anchors;
        mine.blobs += more.blobs;
        mine.blobs_elsewhere += more.blobs_elsewhere;
        mine.strays += more.strays;
        mine.torn.extend(more.torn);
        self.snapshots += other.snapshots;
        self.keys = self.keys.max(other.keys);
        self.statements += other.statements;
        self.decisions += other.decisions;
        self.evidence += other.evidence;
        self.unsigned.extend(other.unsigned);
        self.unshipped.extend(other.unshipped);
        self.risk_accepted.extend(other.risk_accepted);
        self.proven += other.proven;
        self.gates.extend(other.gates);
        self.unaudited.extend(other.unaudited);
        self.changed.extend(other.changed);
        self.people.extend(other.people);
        self.findings.extend(other.findings);
    }
}

impl AuditContext<'_> {
    fn audit_stream(&self, stream: &StreamId) -> StreamAudit {
        let people = people::check(self, stream);
        let result = match TaskId::new(stream.as_str()) {
            Ok(task) => tasks::audit(self, &task),
            Err(_) => match redo_stream(self.audit.journal, stream) {
                Some(redone) => redone.map(|Redone { differences, findings }| {
                    let mut result = StreamAudit { findings, ..StreamAudit::default() };
                    // Anyone who can commit can anchor. If signers are given, only their signatures vouch for a stream.
                    let vouched = match self.audit.signers {
                        Some(_) => people.vouched(),
                        None => self.anchored(stream),
                    };
                    result.add_differences(stream, differences, vouched);
                    result
                }),
                None if self.audit.signers.is_none() => Ok(StreamAudit::unaudited(stream)),
                None => Ok(StreamAudit::not_understood(
                    stream,
                    "this version has no machine for it",
                    None,
                )),
            },
        };
        let mut result = result.unwrap_or_else(|error| {
            // With pinned keys, every task has to be proven, and with signers every decision has to be seen. Events
            // this version does not know prove and show nothing.
            let is_foreign = matches!(error, JournalError::UnknownEvents { .. });
            let is_strict = *self.audit.trust != Trust::Clone || self.audit.signers.is_some();
            if is_foreign && !is_strict {
                return StreamAudit::unaudited(stream);
            }
            StreamAudit::not_understood(stream, &error.to_string(), error.hint())
        });
        let PeopleCheck { records, findings } = people;
        result.people = records;
        result.findings.extend(findings);
        result
    }

    /// The last record of `stream` that a commit anchors. The store check has verified that it is on the chain.
    fn anchored(&self, stream: &StreamId) -> Option<Seq> {
        let mine = self.audit.anchors.iter().filter(|anchor| anchor.stream == *stream);
        mine.map(|anchor| anchor.head.seq).max()
    }
}

impl StreamAudit {
    fn unaudited(stream: &StreamId) -> Self {
        Self { unaudited: Some(stream.clone()), ..Self::default() }
    }

    fn not_understood(stream: &StreamId, why: &str, hint: Option<String>) -> Self {
        let finding = Found {
            object: format!("stream {stream}"),
            stream: Some(stream.clone()),
            seq: None,
            finding: format!("cannot audit {stream}: {why}"),
            hint: hint.unwrap_or_else(|| format!("read it with `sealwright journal {stream}`")),
        };
        Self { findings: vec![finding], ..Self::default() }
    }

    /// A record that this version would decide differently is a changed rule if it is vouched for by a signature or an
    /// anchor, and a finding otherwise.
    fn add_differences(
        &mut self,
        stream: &StreamId,
        differences: Vec<redo::Difference>,
        vouched: Option<Seq>,
    ) {
        for redo::Difference { seq, what } in differences {
            let found = |finding, hint: &str| Found {
                object: format!("record {stream}#{seq}"),
                stream: Some(stream.clone()),
                seq: Some(seq),
                finding,
                hint: hint.to_owned(),
            };
            if vouched.is_some_and(|vouched| seq <= vouched) {
                self.changed.push(found(
                    format!(
                        "{stream}, record {seq}: a rule has changed since it was accepted: {what}"
                    ),
                    "no action needed: the record is signed or anchored",
                ));
            } else {
                self.findings.push(found(
                    format!("{stream}, record {seq}: its events do not follow from its cause: {what}"),
                    "if Sealwright was updated since, verify with the version that wrote the record; \
                     it is neither signed nor anchored",
                ));
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
        // Only the file name, which is what people search for.
        let short = name.rsplit('/').next().unwrap_or(name);
        Self {
            object: format!("{kind} {short}"),
            stream: None,
            seq: None,
            finding: format!("{error}"),
            hint: error.hint().unwrap_or_else(|| format!("check `{name}`")),
        }
    }
}
