//! What `watch` prints without a terminal.

use serde::Serialize;

use super::{
    EvidenceId, LoginWindow, NonEmptyText, Phase, Printed, Question, Status, TaskId, Timestamp,
    Verdict,
};

/// The tasks at this moment. One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchFrame {
    /// Every task; those that wait for a person first.
    pub tasks: Vec<WatchTask>,
    /// The selected task, if it can be read.
    pub shown: Option<WatchDetail>,
    /// How much of the logins that agents use is used up, as their makers last said.
    pub windows: Vec<WatchWindow>,
}

/// A usage window of a login.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchWindow {
    /// The program, such as `codex`.
    pub login: NonEmptyText,
    #[serde(flatten)]
    pub window: LoginWindow,
}

/// A task in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchTask {
    pub task: TaskId,
    /// Null if the stream is damaged or has no record yet.
    pub row: Option<WatchRow>,
}

/// The state of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchRow {
    /// The title of the task.
    pub title: NonEmptyText,
    pub status: Status,
    pub phase: Option<Phase>,
    /// Since when status and phase have these values.
    pub since: Timestamp,
    /// The text of its open question.
    pub asks: Option<NonEmptyText>,
}

/// The selected task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchDetail {
    pub task: TaskId,
    /// When its last record was written.
    pub recorded: Timestamp,
    /// The next step, in words.
    pub next: NonEmptyText,
    /// What a person has to look at in its files.
    pub red: Vec<NonEmptyText>,
    /// The slices of its plan, in order.
    pub slices: Vec<WatchSlice>,
    /// The newest evidence.
    pub evidence: Option<WatchEvidence>,
    pub question: Option<Question>,
    /// The commands that answer the question.
    pub commands: Vec<NonEmptyText>,
    pub writer: WriterPlace,
    /// The agent calls that have not ended.
    pub calls: Vec<AgentCall>,
    /// The call whose transcript is shown.
    pub last: Option<AgentCall>,
    /// The end of its transcript.
    pub transcript: Vec<TranscriptLine>,
    /// The cost so far.
    pub cost: WatchCost,
}

/// A slice of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchSlice {
    /// The id of the slice.
    pub slice: NonEmptyText,
    /// Its state, in words.
    pub state: NonEmptyText,
    /// The number of gate runs.
    pub gate_runs: u32,
    /// What it changes.
    pub what: String,
}

/// A piece of evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchEvidence {
    pub id: EvidenceId,
    /// The check, gate or judge that produced it.
    pub gate: NonEmptyText,
    pub verdict: Verdict,
    /// The first lines of the output.
    pub excerpt: String,
}

/// Whether a process of this machine is writing the stream, as far as the system shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum WriterPlace {
    Here,
    Nobody,
    Unknown,
}

/// One agent call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentCall {
    /// The number of the call in its task.
    pub call: u32,
    /// The purpose of the call.
    pub part: NonEmptyText,
    pub state: CallState,
    pub role: Option<String>,
    pub agent: Option<String>,
    pub model: Option<String>,
    /// When the call started.
    pub begun: Option<Timestamp>,
    /// When its transcript last changed.
    pub news: Timestamp,
    /// How the call ended.
    pub ended: Option<String>,
}

/// The state of a call. A call without an end is running, has broken off, or is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum CallState {
    Runs,
    Ended,
    Broken,
    Unknown,
}

/// One line of a transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TranscriptLine {
    pub at: Timestamp,
    pub how: TranscriptKind,
    pub text: String,
}

/// The kind of a transcript line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum TranscriptKind {
    Says,
    Runs,
    Edits,
    Reads,
    Asks,
    Uses,
    Changed,
    Warns,
    Ended,
}

/// The cost of a task in `watch`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchCost {
    /// Money, in millionths of a dollar.
    pub micro_dollars: u64,
    /// Input and output tokens.
    pub tokens: u64,
    /// The number of calls; 0 if only evidence is known.
    pub calls: u32,
    /// The running time of checks, in milliseconds.
    pub checks_ms: u64,
}

impl Printed for WatchFrame {}
