//! What `evidence` prints.

use sealwright_kernel::{EvidenceRecord, Source};
use serde::Serialize;

use super::{
    Confinement, Cost, Digest, EvidenceId, InvocationId, NonEmptyText, Printed, Role, Verdict,
};

/// The evidence of a task, the oldest first. One value per line. The other forms of `--as` follow their own standards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvidenceRow {
    pub id: EvidenceId,
    /// The check, gate or judge that produced it.
    pub subject: NonEmptyText,
    pub verdict: Verdict,
    pub evidence: Evidence,
}

/// What supports the verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// The digest of the tree the evidence is about.
    pub tree: Digest,
    pub source: EvidenceSource,
    /// The whole output, in the store.
    pub output: Digest,
    /// The first lines of the output.
    pub excerpt: String,
    /// Other files of the run, in the store.
    pub artifacts: Vec<Artifact>,
    pub cost: Cost,
}

/// The source of evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum EvidenceSource {
    /// A command that the engine ran.
    Command {
        #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
        argv: Vec<String>,
        /// The exit code.
        exit: i32,
        /// Null if no sandbox ran the command.
        confinement: Option<Confinement>,
    },
    /// The answer of a role.
    Role { role: Role, invocation: InvocationId },
}

/// A file that belongs to evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Artifact {
    pub name: NonEmptyText,
    /// The file, in the store.
    pub content: Digest,
}

impl Printed for EvidenceRow {}

impl From<&EvidenceRecord> for EvidenceRow {
    fn from(record: &EvidenceRecord) -> Self {
        let EvidenceRecord { id, subject, verdict, evidence } = record;
        let artifact = |it: &sealwright_kernel::Artifact| Artifact {
            name: (&it.name).into(),
            content: it.content.into(),
        };
        Self {
            id: (*id).into(),
            subject: subject.into(),
            verdict: (*verdict).into(),
            evidence: Evidence {
                tree: evidence.tree.into(),
                source: (&evidence.source).into(),
                output: evidence.output.into(),
                excerpt: evidence.excerpt.clone(),
                artifacts: evidence.artifacts.iter().map(artifact).collect(),
                cost: evidence.cost.into(),
            },
        }
    }
}

impl From<&Source> for EvidenceSource {
    fn from(source: &Source) -> Self {
        match source {
            Source::Command { argv, exit, confinement } => Self::Command {
                argv: argv.clone(),
                exit: *exit,
                confinement: confinement.as_ref().map(Confinement::from),
            },
            Source::Role { role, invocation } => {
                Self::Role { role: (*role).into(), invocation: (*invocation).into() }
            }
        }
    }
}
