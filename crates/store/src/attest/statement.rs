//! Statements: what the journal says of one tree, in the words of in-toto (Statement v1).
//!
//! There are three kinds, each under a predicate type of its own: what a check found, what a person froze, how the last
//! gate was opened. Every one names the record it was taken from. Nothing in them comes from a clock but what that
//! record holds, so the same journal gives the same bytes for ever.

use sealwright_kernel::task::{Bundle, Freeze, GateRecord, Guarded, RecordOwner};
use sealwright_kernel::{
    CanonicalError, Digest, EvidenceRecord, Seq, Source, StreamId, TaskId, Timestamp,
    canonical_json,
};
use serde::Serialize;
use serde_json::{Value, json};

/// One in-toto statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Statement {
    #[serde(rename = "_type")]
    kind: &'static str,
    /// What it is about.
    pub subject: Vec<Subject>,
    /// How its predicate is to be read.
    #[serde(rename = "predicateType")]
    pub predicate_type: &'static str,
    pub predicate: Value,
}

/// Something a statement is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Subject {
    pub name: String,
    pub digest: Digests,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Digests {
    pub sha256: Digest,
}

/// Where in the journal it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordRef {
    pub stream: StreamId,
    pub seq: Seq,
    /// Its hash, which is a hash of everything before it too.
    pub hash: Digest,
    pub at: Timestamp,
}

/// What was frozen when the record was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Frozen {
    /// The item a person approved.
    pub item: Option<Digest>,
    /// The contract the tripwire guards.
    pub contract: Option<Digest>,
    /// The tests it guards.
    pub tests: Option<Digest>,
}

impl Frozen {
    pub fn new(frozen: Option<Digest>, guarded: Option<Guarded>) -> Self {
        Self {
            item: frozen,
            contract: guarded.map(|guarded| guarded.contract),
            tests: guarded.map(|guarded| guarded.tests),
        }
    }
}

impl Statement {
    /// What a check, a gate of a slice or a judge found on one tree.
    pub fn evidence(
        task: &TaskId,
        record: &EvidenceRecord,
        frozen: Frozen,
        place: &RecordRef,
    ) -> Self {
        let evidence = &record.evidence;
        let source = match &evidence.source {
            Source::Command { argv, exit, confinement } => json!({ "command": {
                "argv": argv,
                "exit": exit,
                "confinement": confinement,
                "environment": confinement.as_ref().map(|walls| walls.plan),
            }}),
            Source::Role { role, invocation } => {
                json!({ "role": { "name": role.name(), "invocation": invocation } })
            }
        };
        let artifacts: Vec<Value> = evidence
            .artifacts
            .iter()
            .map(|artifact| json!({ "name": artifact.name, "sha256": artifact.content }))
            .collect();
        Self::of(
            EVIDENCE,
            vec![tree_of(task, evidence.tree)],
            json!({
                "task": task,
                "evidence": record.id,
                "check": record.subject,
                "verdict": record.verdict,
                "tree": evidence.tree,
                "source": source,
                "output": evidence.output,
                "artifacts": artifacts,
                "frozen": frozen,
                "journal": place,
            }),
        )
    }

    /// What a person froze before anything was built.
    pub fn freeze(
        task: &TaskId,
        bundle: &Bundle,
        (item, by, when): (Digest, &str, Freeze),
        place: &RecordRef,
    ) -> Self {
        let parts = bundle.parts.iter().map(|part| Subject {
            name: format!("{task}/{}", part_name(&part.kind)),
            digest: Digests { sha256: part.content },
        });
        Self::of(
            FREEZE,
            parts.collect(),
            json!({
                "task": task,
                "item": item,
                "by": by,
                "when": when,
                "journal": place,
            }),
        )
    }

    /// How the last gate was opened, and on what.
    pub fn gate(
        task: &TaskId,
        record: &GateRecord,
        seen: &[EvidenceRecord],
        frozen: Frozen,
        place: &RecordRef,
    ) -> Self {
        let owner = match &record.owner {
            RecordOwner::Run => json!("run"),
            RecordOwner::Person(name) => json!({ "person": name }),
        };
        let about_it = seen.iter().filter(|seen| seen.evidence.tree == record.tree);
        let rests_on: Vec<Value> = about_it
            .map(|seen| json!({ "evidence": seen.id, "check": seen.subject, "verdict": seen.verdict }))
            .collect();
        Self::of(
            GATE,
            vec![tree_of(task, record.tree)],
            json!({
                "task": task,
                "outcome": record.outcome,
                "owner": owner,
                "reason": record.reason,
                "tree": record.tree,
                "header": record.header,
                "rests_on": rests_on,
                "frozen": frozen,
                "journal": place,
            }),
        )
    }

    /// Its bytes: canonical JSON. It has none if a number in it is one that readers disagree about.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CanonicalError> {
        canonical_json(self)
    }

    fn of(predicate_type: &'static str, subject: Vec<Subject>, predicate: Value) -> Self {
        Self { kind: STATEMENT, subject, predicate_type, predicate }
    }
}

fn tree_of(task: &TaskId, tree: Digest) -> Subject {
    Subject { name: format!("{task}/tree"), digest: Digests { sha256: tree } }
}

fn part_name(kind: &sealwright_kernel::task::PartKind) -> &'static str {
    use sealwright_kernel::task::PartKind;
    match kind {
        PartKind::Spec => "spec",
        PartKind::Scenarios => "scenarios",
        PartKind::Contract => "contract",
    }
}

const STATEMENT: &str = "https://in-toto.io/Statement/v1";
const EVIDENCE: &str = "https://sealwright.dev/evidence/v1";
const FREEZE: &str = "https://sealwright.dev/freeze/v1";
const GATE: &str = "https://sealwright.dev/gate/v1";
