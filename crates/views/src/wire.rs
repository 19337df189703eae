//! What `--format json` and `sealwright mcp` serialize.
//!
//! Every root type implements [`Printed`] and has a JSON Schema in `docs/schemas`, generated from the type. The types
//! hold plain values and belong to the published interface: a kernel type never reaches it by accident, and a new
//! variant of a kernel enum does not compile until its word is added here.

use serde::Serialize;
use serde_json::Value;

mod actor;
mod agents;
mod allow;
mod budget;
mod closed;
mod confinement;
mod decide;
mod demo;
mod do_task;
mod doctor;
mod evaluate;
mod evidence;
mod gates;
mod hooks;
mod ids;
mod inbox;
mod init;
mod journal;
mod keys;
mod log;
mod login;
mod mcp;
mod new;
mod pr;
mod project;
mod question;
mod replay;
mod restore;
mod sandbox;
#[cfg(feature = "schema")]
pub mod schema;
mod show;
mod sign;
mod status;
mod verify;
mod watch;

pub use actor::Actor;
pub use agents::{AgentClaim, AgentTrial, TokenUsage, TrialConfinement, TrialResult};
pub use allow::{AllowReport, AllowedItem};
pub use budget::{BudgetReport, CallCosts, Cost, CostLimits, CostReport, GateCounts, RoleCosts};
pub use closed::{
    AgentKind, AgentProgram, AgentProgramKind, Cheat, CheckKind, ClaimSubject, CleanRoomLanguage,
    Condition, DetectedCheckKind, DetectedLanguage, FindingKind, Lane, Level, MechanismName,
    Permission, Phase, Role, RoleName, Status, Verdict,
};
pub use confinement::{Confinement, Fact, Mechanism};
pub use decide::{Notice, TaskReport};
pub use demo::{CheatRun, DemoReport, HonestRun, TamperFinding};
pub use do_task::{RunEnd, RunReport, StalledEffect};
pub use doctor::{
    AbsentAgent, AccessKind, AgentAccess, AgentState, DoctorReport, FoundAgent, LaneCheck,
    ModelAddress, ModelReach, RoleAgent, TriedMechanism,
};
pub use evaluate::{
    Arrival, ChangeReport, ChangeWhat, CheckReport, DeclarableKind, EvaluateLine, EvaluateSummary,
    Fate, LostHow, LostTest, MutantSurvivor, NewTest, NewTestEnd, StrengthReport, SuiteCounts,
    TestCounts, UndeclaredChange,
};
pub use evidence::{Artifact, Evidence, EvidenceRow, EvidenceSource};
pub use gates::{
    CheatFinding, CheckRow, CheckSet, Finding, GateReport, GatesLine, TestReport, TestStatus,
};
pub use hooks::{HookReport, HookState};
pub use ids::{
    Anchor, Branch, Commit, Digest, EvidenceId, Head, InvocationId, NonEmptyText, QuestionId, Seq,
    Signature, StreamId, TaskId, Timestamp,
};
pub use inbox::InboxItem;
pub use init::{Detected, InitReport, TriedCheck};
pub use journal::{BlobEntry, EventBody, JournalLine, JournalRecord, StreamRow};
pub use keys::{
    ExportedKey, ExportedRetirement, KeyHome, KeyRow, KeysLine, RetiredKey, SignReport,
};
pub use log::{LogDetail, LogEntry};
pub use login::{LoginReport, LoginRow, LoginWay, LoginWindow};
pub use mcp::{EvidenceAnswer, InboxAnswer, StatusAnswer, TaskAnswer};
pub use new::CreatedTask;
pub use pr::PullRequestView;
pub use project::{
    DocumentFinding, GraphRow, PhaseReport, PlanReport, ProjectReport, ProjectRunEnd,
    ResearchQuery, SpecDecision, SpecDeficiency, SpecReport,
};
pub use question::{AnswerOption, Question};
pub use replay::{ReplayedState, ReplayedStream};
pub use restore::RestoredTree;
pub use sandbox::{
    MountAccess, NetworkAccess, RunConfinement, SandboxLine, SandboxRun, SandboxView, ViewFile,
    WorkMount,
};
pub use show::{MachineState, TaskView};
pub use sign::DecisionsSigned;
pub use status::{StatusRow, TaskRow};
pub use verify::{
    ChangedFile, CodeStanding, ExplainedCriterion, ExplainedFile, HistoryDepth, KeyTrust,
    PassedEvidence, PersonRecordRow, ProvenCommit, VerifiedCode, VerifyFinding, VerifyReport,
    VerifyVerdict,
};
pub use watch::{
    AgentCall, CallState, TranscriptKind, TranscriptLine, WatchCost, WatchDetail, WatchEvidence,
    WatchFrame, WatchRow, WatchSlice, WatchTask, WatchWindow, WriterPlace,
};

/// A value that `--format json` prints. Its schema is in `docs/schemas`.
pub trait Printed: Serialize {}

/// The value with the members of every object in the order of their names. Which other crates are linked decides
/// whether `serde_json` keeps an order by itself.
pub fn in_order(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(String, Value)> = members.into_iter().collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            members.into_iter().map(|(name, member)| (name, in_order(member))).collect()
        }
        Value::Array(parts) => parts.into_iter().map(in_order).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}
