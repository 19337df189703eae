//! Exporting: the evidence of a task, gathered from its records and the store, in the forms other tools read.
//!
//! An artifact called `tests.json` holds a JSON list of test results, one called `findings.json` a list of findings.
//! Both were written by gates and are read like everything from a repository: bounded, and checked by their digest.

use sealwright_gates::export::{Exhibit, junit, sarif};
use sealwright_kernel::task::Task;
use sealwright_kernel::{Artifact, Digest, EvidenceRecord, Source, TaskId};
use sealwright_store::attest::{AttestationDir, AttestationDirError};
use sealwright_store::disk::{Disk as _, RealDisk};
use sealwright_store::{FileJournal, Layout};
use serde::de::DeserializeOwned;

/// What an export looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JUnit XML.
    Junit,
    /// SARIF 2.1.0.
    Sarif,
    /// Signed in-toto statements, one envelope a line.
    InToto,
    /// The records themselves, one a line.
    Json,
}

/// Evidence that could not be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// Nothing of the task is signed.
    #[error("nothing of {task} is signed")]
    Unsigned {
        /// The task.
        task: TaskId,
    },
    /// What a gate kept is not there, or is not what it kept.
    #[error("`{artifact}` of {evidence} cannot be read from the store")]
    Artifact {
        /// The evidence.
        evidence: String,
        /// The artifact.
        artifact: String,
    },
    /// The signed statements could not be read.
    #[error(transparent)]
    AttestationDir(#[from] AttestationDirError),
    /// It cannot be written in this form.
    #[error("it cannot be written in this form: {why}")]
    Form {
        /// What the writer said.
        why: String,
    },
}

impl ExportError {
    /// What a person can do about it, in one sentence, if anything.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unsigned { .. } => Some("`sealwright keys sign TASK` signs it".to_owned()),
            Self::Artifact { .. } => {
                Some("`sealwright verify` says what is not as it was accepted".to_owned())
            }
            Self::AttestationDir(error) => error.hint(),
            Self::Form { .. } => None,
        }
    }
}

/// The evidence of `task`, which goes by `id`, in `form`. Nothing is written.
pub fn export(
    journal: &FileJournal,
    id: &TaskId,
    task: &Task,
    form: Form,
) -> Result<String, ExportError> {
    let records = task.data().map_or(&[][..], |known| &known.evidence);
    match form {
        Form::Json => lines(records.iter().map(serde_json::to_string)),
        Form::InToto => statements(journal, id),
        Form::Junit => {
            junit::render(id.as_str(), &exhibits(journal.layout(), records)?).map_err(unwritten)
        }
        Form::Sarif => {
            let exhibits = exhibits(journal.layout(), records)?;
            sarif::render(env!("CARGO_PKG_VERSION"), &exhibits).map_err(unwritten)
        }
    }
}

fn statements(journal: &FileJournal, id: &TaskId) -> Result<String, ExportError> {
    let kept = AttestationDir::of(journal.layout()).statements(id)?;
    if kept.is_empty() {
        return Err(ExportError::Unsigned { task: id.clone() });
    }
    let text = kept.into_iter().map(|kept| String::from_utf8(kept.bytes));
    lines(text.map(|line| line.map(|line| line.trim_end().to_owned())))
}

fn exhibits(layout: &Layout, records: &[EvidenceRecord]) -> Result<Vec<Exhibit>, ExportError> {
    records.iter().map(|record| exhibit(layout, record)).collect()
}

fn exhibit(layout: &Layout, record: &EvidenceRecord) -> Result<Exhibit, ExportError> {
    let evidence = &record.evidence;
    let done = match &evidence.source {
        Source::Command { argv, exit, .. } => format!("{}, exit {exit}", argv.join(" ")),
        Source::Role { role, invocation } => format!("{}, {invocation}", role.name()),
    };
    Ok(Exhibit {
        evidence: record.id.to_string(),
        check: record.subject.clone(),
        verdict: record.verdict,
        done,
        excerpt: evidence.excerpt.clone(),
        tests: kept(layout, record, TESTS)?,
        findings: kept(layout, record, FINDINGS)?,
        millis: evidence.cost.millis,
    })
}

/// The list in an artifact of that name; none if no such artifact was left.
fn kept<T: DeserializeOwned>(
    layout: &Layout,
    record: &EvidenceRecord,
    name: &str,
) -> Result<Vec<T>, ExportError> {
    let artifacts = &record.evidence.artifacts;
    let Some(Artifact { content, .. }) = artifacts.iter().find(|it| it.name == name) else {
        return Ok(vec![]);
    };
    let unreadable =
        || ExportError::Artifact { evidence: record.id.to_string(), artifact: name.to_owned() };
    let bytes = stored(layout, content).ok_or_else(unreadable)?;
    serde_json::from_slice(&bytes).map_err(|_| unreadable())
}

fn stored(layout: &Layout, content: &Digest) -> Option<Vec<u8>> {
    let disk = RealDisk::new(layout.root());
    // A small one and a large one stand in different places.
    let places = [0, u64::MAX].map(|size| layout.blob(content, size));
    let bytes = places.iter().find_map(|path| disk.read(path, ARTIFACT_BYTES_MAX).ok())?;
    (Digest::of(&bytes) == *content).then_some(bytes)
}

fn lines<E: std::fmt::Display>(
    lines: impl Iterator<Item = Result<String, E>>,
) -> Result<String, ExportError> {
    let lines: Result<Vec<String>, E> = lines.collect();
    Ok(lines.map_err(unwritten)?.join("\n"))
}

fn unwritten(error: impl std::fmt::Display) -> ExportError {
    ExportError::Form { why: error.to_string() }
}

/// The artifact that holds how each test ended.
pub const TESTS: &str = "tests.json";
/// The artifact that holds what a person has to look at.
pub const FINDINGS: &str = "findings.json";
const ARTIFACT_BYTES_MAX: u64 = 64 * 1024 * 1024;
