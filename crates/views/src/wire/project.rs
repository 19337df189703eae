//! What `spec`, `plan`, `run` and `graph` print.

use sealwright_documents::Finding;
use sealwright_kernel::project::run::Run;
use serde::Serialize;

use crate::project_log;

use super::{Commit, Digest, NonEmptyText, Printed, Status, TaskId};

/// What is wrong with a spec. One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpecReport {
    /// What keeps it from being approved.
    pub errors: Vec<SpecDeficiency>,
    /// What a person should look at.
    pub warnings: Vec<SpecDeficiency>,
    /// The number of its tasks, if it has no errors.
    pub tasks: Option<u64>,
}

/// One thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpecDeficiency {
    /// The element, such as `pillars[0].epics[1]`. Empty for the spec itself.
    pub path: String,
    /// The member of the element. Empty for the element itself.
    pub field: String,
    pub message: NonEmptyText,
}

/// The spec of a project and what was decided about it. One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanReport {
    pub spec_id: NonEmptyText,
    pub spec_version: NonEmptyText,
    pub title: NonEmptyText,
    /// The digest of the spec's text.
    pub spec: Digest,
    /// The number of its tasks.
    pub tasks: u64,
    pub warnings: Vec<SpecDeficiency>,
    /// The whole spec as Markdown, with its warnings and the research: what `.sealwright/product/spec.md` says.
    pub readable: String,
    /// What was looked up for it, in the order of the queries.
    pub research: Vec<ResearchQuery>,
    pub decision: SpecDecision,
    /// How often in a row a change was asked for.
    pub amends: u32,
}

/// A query that was made for a spec, and where its answers stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResearchQuery {
    pub query: NonEmptyText,
    pub urls: Vec<String>,
}

/// What a person decided about a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum SpecDecision {
    /// Nothing yet.
    Open,
    Approved,
    Rejected,
    Amended,
}

/// How a run of the project ended. One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProjectReport {
    pub ended: ProjectRunEnd,
    /// The tasks that wait for a person, that cannot begin, or that failed.
    pub tasks: Vec<TaskId>,
    /// Why it cannot go on, if it cannot.
    pub why: Option<NonEmptyText>,
    /// The commit with the work of every task that shipped, once all have ended.
    pub commit: Option<Commit>,
    /// Where the version stands in its phases, if it goes through them.
    pub phase: Option<PhaseReport>,
}

/// Where a version stands in its phases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PhaseReport {
    pub version: u32,
    /// One of the states of docs/project.md, such as `Expanding`.
    pub state: NonEmptyText,
    /// What a person is asked, where a gate, a STOP or the brake asks one.
    pub blocked: Option<NonEmptyText>,
    /// What the last gate found, if it did not pass.
    pub findings: Vec<DocumentFinding>,
}

/// One reason why a gate does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DocumentFinding {
    /// A stable id, such as `scope.section.estimated-cost`.
    pub rule: NonEmptyText,
    pub file: NonEmptyText,
    /// From 1.
    pub line: u32,
    pub what: String,
    pub fix: String,
}

impl PhaseReport {
    /// Of a run, if it has phases.
    pub fn of(run: &Run, findings: &[Finding]) -> Option<Self> {
        if run.version == 0 {
            return None;
        }
        let finding = |it: &Finding| DocumentFinding {
            rule: it.condition.as_ref().into(),
            file: it.file.as_ref().into(),
            line: it.line,
            what: it.what.clone(),
            fix: it.fix.clone(),
        };
        Some(Self {
            version: run.version,
            state: format!("{:?}", run.pipeline.state).as_str().into(),
            blocked: project_log::blocked(run).map(|it| it.as_str().into()),
            findings: findings.iter().map(finding).collect(),
        })
    }
}

/// How a run ended: every task ended, a version is delivered, a phase waits for a person, tasks wait for a person, no task
/// can begin, stopped, or failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ProjectRunEnd {
    Complete,
    Delivered,
    Asked,
    Waiting,
    Stalled,
    Stopped,
    Failed,
}

/// A task of the project and what it waits for. One value per task, in the order of declaration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphRow {
    pub task: TaskId,
    pub title: String,
    pub status: Status,
    /// Whether something that it depends on has halted or was abandoned.
    pub blocked: bool,
    pub depends_on: Vec<TaskId>,
    /// The tasks that it was split into.
    pub superseded_by: Vec<TaskId>,
}

impl Printed for SpecReport {}
impl Printed for PlanReport {}
impl Printed for ProjectReport {}
impl Printed for GraphRow {}
