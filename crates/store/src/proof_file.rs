//! The records of one task in one file, so that the commit it ships can be verified from a clone.
//!
//! ```text
//! {"proof":1,"task":"T-a-001","records":26,"seq":26,"hash":"…"}   the head that the commit's trailer names
//! …                                                                 every record, byte for byte as in the journal
//! {"blob":"<sha256>","text":"…"}                                    content that records name; "base64" if it is no text
//! {"file":"keys/<key>.pub","text":"…"}                              keys, signed statements and decisions of the task
//! ```
//!
//! The file lies beside the journal, not in it: merging a shipped branch never writes over records that grow.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use data_encoding::BASE64;
use sealwright_kernel::{Digest, Seq, TaskId};
use serde::{Deserialize, Serialize};

use crate::attest::{AttestationDir, AttestationDirError};
use crate::files::segment_name;
use crate::{COMMITTED_BYTES_MAX, Entry, FileJournal, Head, JournalError, Layout, read_blob};

/// The proof of one task, as it travels with a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofFile {
    pub task: TaskId,
    /// The last record in it.
    pub head: Head,
    records: Vec<Vec<u8>>,
    blobs: BTreeMap<Digest, Vec<u8>>,
    /// Keys, statements and signed decisions, by their path below `.sealwright`.
    files: BTreeMap<String, Vec<u8>>,
}

/// Why a proof file cannot be made or used.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    #[error("line {line}: {what}")]
    Form { line: usize, what: String },
    #[error("`{name}` differs from the file of that name in another proof")]
    Differs { name: String },
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    AttestationDir(#[from] AttestationDirError),
    #[error("cannot write `{name}`")]
    Io { name: String, source: io::Error },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    proof: u32,
    task: TaskId,
    records: usize,
    seq: Seq,
    hash: Digest,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    blob: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

impl ProofFile {
    /// The path of the proof of `task`, below the folder that holds `.sealwright`.
    pub fn path(task: &TaskId) -> String {
        format!("{FOLDER}/{task}{ENDING}")
    }

    /// The folder that holds the proofs, below the folder that holds `.sealwright`.
    pub const FOLDER: &str = FOLDER;

    /// The task whose proof has this name.
    pub fn task_of(name: &str) -> Option<TaskId> {
        TaskId::new(name.strip_suffix(ENDING)?).ok()
    }

    /// The proof of `task` up to the record `head`. `None` if it is too large to travel.
    pub fn of(
        journal: &FileJournal,
        task: &TaskId,
        head: Head,
    ) -> Result<Option<Self>, ProofError> {
        let layout = journal.layout();
        let (mut records, mut bytes) = (Vec::new(), 0);
        let mut blobs = BTreeMap::new();
        journal.read_blocking(task.stream(), Head::START, &mut |entry| {
            if entry.head().seq <= head.seq {
                bytes += entry.line().len();
                records.push(entry.line().to_vec());
            }
            Ok(())
        })?;
        let mut due: BTreeSet<Digest> = records.iter().flat_map(|line| digests_in(line)).collect();
        while let Some(digest) = due.pop_first() {
            // Larger content stays out of git.
            let Some(content) = read_blob(layout, &digest, COMMITTED_BYTES_MAX) else { continue };
            bytes += content.len();
            if bytes > PROOF_BYTES_MAX {
                return Ok(None);
            }
            if matches!(content.first(), Some(b'[' | b'{')) {
                due.extend(digests_in(&content).into_iter().filter(|it| !blobs.contains_key(it)));
            }
            blobs.insert(digest, content);
        }
        let kept = AttestationDir::of(layout);
        let mut files = BTreeMap::new();
        for key in kept.keys()? {
            files.insert(format!("keys/{}", key.name), key.bytes);
        }
        for statement in kept.statements(task)? {
            files.insert(format!("store/attestations/{task}/{}", statement.name), statement.bytes);
        }
        for decision in kept.decisions(task.stream())? {
            if decision.decided().is_some_and(|seq| seq <= head.seq) {
                let name = format!("store/decisions/{task}/{}", decision.name);
                files.insert(name, decision.bytes);
            }
        }
        Ok(Some(Self { task: task.clone(), head, records, blobs, files }))
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            proof: VERSION,
            task: self.task.clone(),
            records: self.records.len(),
            seq: self.head.seq,
            hash: self.head.hash,
        };
        // Plain data always has a JSON form.
        let mut text = serde_json::to_vec(&header).unwrap_or_default();
        text.push(b'\n');
        for record in &self.records {
            text.extend_from_slice(record);
            text.push(b'\n');
        }
        let blobs = self.blobs.iter().map(|(digest, bytes)| (Some(*digest), None, bytes));
        let files = self.files.iter().map(|(name, bytes)| (None, Some(name.clone()), bytes));
        for (blob, file, bytes) in blobs.chain(files) {
            let (plain, base64) = match std::str::from_utf8(bytes) {
                Ok(text) => (Some(text.to_owned()), None),
                Err(_) => (None, Some(BASE64.encode(bytes))),
            };
            let part = Part { blob, file, text: plain, base64 };
            text.extend(serde_json::to_vec(&part).unwrap_or_default());
            text.push(b'\n');
        }
        text
    }

    /// Reads a proof file of anyone. The records are checked as a chain that ends with the head it names; what they mean
    /// is not looked at.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ProofError> {
        let wrong =
            |line: usize, what: &str| ProofError::Form { line: line + 1, what: what.to_owned() };
        if bytes.len() > FILE_BYTES_MAX {
            return Err(wrong(0, "the file is too large"));
        }
        let body = bytes.strip_suffix(b"\n").ok_or_else(|| wrong(0, "no line feed at the end"))?;
        let mut lines = body.split(|byte| *byte == b'\n').enumerate();
        let (_, first) = lines.next().ok_or_else(|| wrong(0, "no header"))?;
        let header: Header =
            serde_json::from_slice(first).map_err(|error| wrong(0, &error.to_string()))?;
        if header.proof != VERSION {
            return Err(wrong(0, "a later version of Sealwright wrote this proof"));
        }
        let mut records = Vec::new();
        let mut head = Head::START;
        for (nth, line) in lines.by_ref().take(header.records) {
            let entry = Entry::check(header.task.stream(), &head, line);
            let entry = entry.map_err(|why| wrong(nth, &why.to_string()))?;
            head = entry.head();
            records.push(line.to_vec());
        }
        if (Head { seq: header.seq, hash: header.hash }) != head {
            return Err(wrong(0, "its records do not end where it says"));
        }
        let (mut blobs, mut files) = (BTreeMap::new(), BTreeMap::new());
        for (nth, line) in lines {
            let part: Part =
                serde_json::from_slice(line).map_err(|error| wrong(nth, &error.to_string()))?;
            let content = match (part.text, part.base64) {
                (Some(text), None) => text.into_bytes(),
                (None, Some(text)) => BASE64
                    .decode(text.as_bytes())
                    .map_err(|_| wrong(nth, "the content is not base64"))?,
                _ => return Err(wrong(nth, "one of `text` and `base64`")),
            };
            match (part.blob, part.file) {
                (Some(digest), None) if digest == Digest::of(&content) => {
                    blobs.insert(digest, content);
                }
                (Some(_), None) => return Err(wrong(nth, "the blob has been changed")),
                (None, Some(name)) if is_kept_name(&name, &header.task) => {
                    files.insert(name, content);
                }
                _ => {
                    return Err(wrong(
                        nth,
                        "neither a blob nor a key, statement or decision of this task",
                    ));
                }
            }
        }
        Ok(Self { task: header.task, head, records, blobs, files })
    }

    /// The content with this digest, if it is in the proof.
    pub fn blob(&self, digest: &Digest) -> Option<&[u8]> {
        self.blobs.get(digest).map(Vec::as_slice)
    }

    /// Writes everything below `root`, a folder of its own, as it would lie in `.sealwright`. Several proofs fit into
    /// one folder.
    pub fn unpack(&self, root: &Path) -> Result<(), ProofError> {
        let layout = Layout::new(root);
        let first = segment_name(Seq::new(1));
        let mut journal = self.records.join(&b'\n');
        journal.push(b'\n');
        put(&layout.stream(self.task.stream()).join(first), &journal)?;
        for (digest, content) in &self.blobs {
            put(&layout.blob(digest, content.len() as u64), content)?;
        }
        for (name, content) in &self.files {
            put(&root.join(name), content)?;
        }
        Ok(())
    }
}

/// Writes a new file, or finds the same one there.
fn put(path: &PathBuf, content: &[u8]) -> Result<(), ProofError> {
    let name = || path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let failed = |source| ProofError::Io { name: name(), source };
    if let Ok(found) = std::fs::read(path) {
        return if found == content { Ok(()) } else { Err(ProofError::Differs { name: name() }) };
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(path, content).map_err(failed)
}

/// Whether `name` is one of a key, a retirement, or a statement or signed decision of `task`.
fn is_kept_name(name: &str, task: &TaskId) -> bool {
    let is_plain = |name: &str, endings: &[&str]| {
        let stem = endings.iter().find_map(|ending| name.strip_suffix(ending));
        stem.is_some_and(|stem| {
            !stem.is_empty() && stem.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-')
        })
    };
    let kept = [
        ("keys/".to_owned(), &[".pub", ".retired"][..]),
        (format!("store/attestations/{task}/"), &[".json"]),
        (format!("store/decisions/{task}/"), &[".sig"]),
    ];
    kept.iter().any(|(folder, endings)| {
        name.strip_prefix(folder.as_str()).is_some_and(|name| is_plain(name, endings))
    })
}

/// Everything in `text` that looks like a digest.
fn digests_in(text: &[u8]) -> Vec<Digest> {
    let is_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let words = text.split(|byte| !is_hex(byte)).filter(|word| word.len() == 64);
    words.filter_map(|word| std::str::from_utf8(word).ok()?.parse().ok()).collect()
}

const FOLDER: &str = ".sealwright/proofs";
const ENDING: &str = ".jsonl";
const VERSION: u32 = 1;
/// What a proof may hold of records and blobs; most have a hundredth of it.
const PROOF_BYTES_MAX: usize = 32 << 20;
const FILE_BYTES_MAX: usize = 4 * PROOF_BYTES_MAX;

#[cfg(test)]
mod tests;
