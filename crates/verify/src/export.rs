//! Exports the evidence of a task in formats other tools read.
//!
//! The artifact `tests.json` holds a JSON list of test results, `findings.json` a list of findings. Gates wrote both;
//! they are read with a size limit and checked by their digest.

use sealwright_gates::export::{Exhibit, junit, sarif};
use sealwright_kernel::task::Task;
use sealwright_kernel::{Artifact, EvidenceRecord, Source, TaskId};
use sealwright_store::attest::{AttestationDir, AttestationDirError};
use sealwright_store::{FileJournal, Layout, read_blob};
use sealwright_views::{is_red, latest_evidence};
use serde::de::DeserializeOwned;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JUnit XML.
    Junit,
    /// SARIF 2.1.0.
    Sarif,
    /// Signed in-toto statements, one envelope per line.
    InToto,
    /// The evidence records, one per line.
    Json,
}

/// Why evidence cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The task has no signed statement.
    #[error("{task} has no signed statements")]
    Unsigned { task: TaskId },
    /// An artifact is missing from the store or was changed.
    #[error("cannot read `{artifact}` of {evidence} from the store")]
    Artifact { evidence: String, artifact: String },
    /// The signed statements cannot be read.
    #[error(transparent)]
    AttestationDir(#[from] AttestationDirError),
    /// The evidence does not fit the format.
    #[error("cannot write the evidence in this format: {why}")]
    Form { why: String },
}

impl ExportError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unsigned { .. } => Some("sign it with `sealwright keys sign TASK`".to_owned()),
            Self::Artifact { .. } => {
                Some("`sealwright verify` lists what is missing or changed".to_owned())
            }
            Self::AttestationDir(error) => error.hint(),
            Self::Form { .. } => None,
        }
    }
}

/// The evidence of `task`, whose id is `id`, in `form`. Writes no file.
pub fn export(
    journal: &FileJournal,
    id: &TaskId,
    task: &Task,
    form: Form,
) -> Result<String, ExportError> {
    let data = task.data();
    let records = data.map_or(&[][..], |data| &data.evidence);
    match form {
        Form::Json => lines(records.iter().map(serde_json::to_string)),
        Form::InToto => statements(journal, id),
        Form::Junit => {
            // What failed once and was repaired since is in the other forms.
            let latest = data.map(latest_evidence).unwrap_or_default();
            let exhibits = exhibits(journal.layout(), latest)?;
            junit::render(id.as_str(), &exhibits).map_err(unwritten)
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

fn exhibits<'r>(
    layout: &Layout,
    records: impl IntoIterator<Item = &'r EvidenceRecord>,
) -> Result<Vec<Exhibit>, ExportError> {
    records.into_iter().map(|record| exhibit(layout, record)).collect()
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
        is_red: is_red(record),
        done,
        excerpt: evidence.excerpt.clone(),
        tests: kept(layout, record, TESTS)?,
        findings: kept(layout, record, FINDINGS)?,
        millis: evidence.cost.millis,
    })
}

/// The list in the artifact `name`; empty if there is no such artifact.
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
    let bytes = read_blob(layout, content, ARTIFACT_BYTES_MAX).ok_or_else(unreadable)?;
    serde_json::from_slice(&bytes).map_err(|_| unreadable())
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

/// The artifact that holds the test results.
pub const TESTS: &str = "tests.json";
/// The artifact that holds findings for a person.
pub const FINDINGS: &str = "findings.json";
const ARTIFACT_BYTES_MAX: u64 = 64 * 1024 * 1024;
