//! What `verify` prints.

use serde::Serialize;

use super::{Commit, NonEmptyText, Printed, Seq, StreamId};

/// Whether everything is as it was accepted. One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(extend(
        "if" = serde_json::json!({"properties": {"verdict": {"const": "proven"}}}),
        "then" = serde_json::json!({"properties": {"findings": {"maxItems": 0}}}),
        "else" = serde_json::json!({"properties": {"findings": {"minItems": 1}}}),
    ))
)]
pub struct VerifyReport {
    /// `proven` if and only if there are no findings.
    pub verdict: VerifyVerdict,
    /// The number of streams that were read.
    pub streams: u64,
    /// The number of records that were hashed.
    pub records: u64,
    /// The number of journal bytes that were read.
    pub bytes: u64,
    /// The number of anchors that were compared with their streams.
    pub anchors: u64,
    pub history: HistoryDepth,
    /// The number of blobs that were hashed.
    pub blobs: u64,
    /// The number of blobs that are kept out of git and are not in this clone.
    pub blobs_elsewhere: u64,
    /// The number of snapshots that were compared with their streams.
    pub snapshots: u64,
    pub trust: KeyTrust,
    /// The number of trusted keys.
    pub keys: u64,
    /// The number of signed statements that agree with the journal.
    pub statements: u64,
    /// The number of decisions whose author was checked.
    pub decisions: u64,
    /// The number of pieces of evidence that were compared with the store.
    pub evidence: u64,
    /// The records of people, in the order of their streams. Left out where none of them is signed and `--signers` was not
    /// given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<PersonRecordRow>,
    /// Finished tasks without a signature.
    #[cfg_attr(feature = "schema", schemars(extend("uniqueItems" = true)))]
    pub unsigned: Vec<StreamId>,
    /// Streams whose events this version does not know.
    #[cfg_attr(feature = "schema", schemars(extend("uniqueItems" = true)))]
    pub unaudited: Vec<StreamId>,
    /// Streams whose last line is incomplete after a crash.
    #[cfg_attr(feature = "schema", schemars(extend("uniqueItems" = true)))]
    pub torn: Vec<StreamId>,
    /// Signed or anchored records that this version would decide differently, because a rule changed.
    pub changed: Vec<VerifyFinding>,
    /// Everything that is wrong.
    pub findings: Vec<VerifyFinding>,
    /// How the commit stands to what was proven; none without a commit.
    pub code: Option<VerifiedCode>,
    /// The tasks that changed the file named with `--explain`, the newest first.
    pub explained: Vec<ExplainedFile>,
}

/// How a commit stands to what was proven. Its objects are read and hashed; no program is run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerifiedCode {
    /// The commit.
    pub commit: Commit,
    pub standing: CodeStanding,
    /// The nearest commits in its history whose files are exactly what a task proved.
    pub tasks: Vec<ProvenCommit>,
    /// The files that are not as they were proven, with the commits that changed them since.
    pub changed: Vec<ChangedFile>,
    /// Commits with the change of a task on top of other files than it was proven on.
    pub moved: Vec<ProvenCommit>,
    /// Commits of tasks that cannot be compared, because the clone is shallow.
    pub unknown: Vec<ProvenCommit>,
    /// Branches of shipped tasks that are exactly what was proven and not in its history.
    pub branches: Vec<ProvenCommit>,
    /// Shipped tasks whose commit is neither in its history nor on their branch.
    #[cfg_attr(feature = "schema", schemars(extend("uniqueItems" = true)))]
    pub elsewhere: Vec<StreamId>,
    /// The number of commits that were read.
    pub commits: u64,
    /// The number of proofs that came with the commit.
    pub proofs: u64,
}

/// What a commit is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum CodeStanding {
    /// Its files are exactly what a task proved.
    Proven,
    /// All of it was proven, by several tasks, and not tested together.
    Joined,
    /// Files changed since the last proof.
    Changed,
    /// Nothing in its history was proven.
    Never,
}

/// A commit whose files a task proved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProvenCommit {
    pub task: StreamId,
    pub commit: Commit,
}

/// What a task says of a file that it changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainedFile {
    pub task: StreamId,
    pub commit: Commit,
    /// Whether the file is still as this task left it.
    pub as_proven: bool,
    pub criteria: Vec<ExplainedCriterion>,
    /// The evidence that passed on the proven tree.
    pub evidence: Vec<PassedEvidence>,
}

/// A criterion and the tests that show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainedCriterion {
    pub criterion: NonEmptyText,
    pub tests: Vec<NonEmptyText>,
}

/// A piece of evidence that passed, and what it checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PassedEvidence {
    pub evidence: NonEmptyText,
    pub check: NonEmptyText,
}

/// A record of a person. Without a key the name is only what the person's machine said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PersonRecordRow {
    pub stream: StreamId,
    pub seq: Seq,
    pub by: NonEmptyText,
    /// The fingerprint of the SSH key that signed it.
    pub key: Option<NonEmptyText>,
    /// Whose key it is, if `--signers` names it.
    pub signer: Option<NonEmptyText>,
}

/// A file that is not as it was proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangedFile {
    pub path: NonEmptyText,
    /// The commits that changed it since, the newest first.
    pub commits: Vec<Commit>,
}

/// The result of `verify`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum VerifyVerdict {
    Proven,
    NotProven,
}

/// How much of the commit history is in this clone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum HistoryDepth {
    None,
    Shallow,
    Whole,
}

/// Where the trusted keys come from: the clone itself, or `--trust`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum KeyTrust {
    Clone,
    Pinned,
}

/// Something that is not as it was accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerifyFinding {
    /// The object: a record, a blob, a folder of blobs, a statement, a signed decision, a key file, a snapshot, a task's text, a view,
    /// a stream, a commit, or the proof of a task in a commit.
    #[cfg_attr(
        feature = "schema",
        schemars(regex(
            pattern = "^(?:record|blob|folder|statement|decision|key|snapshot|text|stream|view|commit|proof) "
        ))
    )]
    pub object: String,
    /// The stream of the object, if it has one.
    pub stream: Option<StreamId>,
    /// The sequence number of the record, if the object is one.
    pub seq: Option<u64>,
    /// What is wrong.
    pub finding: NonEmptyText,
    /// What a person can do about it.
    pub hint: NonEmptyText,
}

impl Printed for VerifyReport {}
