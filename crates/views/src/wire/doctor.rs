//! What `doctor` prints.

use serde::Serialize;

use super::{AgentProgramKind, Fact, Lane, Level, Mechanism, Printed, Role};

/// The sandbox mechanisms, lanes, agents and models of this machine. One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DoctorReport {
    /// The strongest level that is available.
    pub level: Level,
    /// Every mechanism, in order of preference.
    pub tried: Vec<TriedMechanism>,
    pub lanes: Vec<LaneCheck>,
    /// What would make the sandbox stronger.
    pub remedies: Vec<String>,
    pub agents: Vec<FoundAgent>,
    /// The agent of each role; empty if no agent is configured.
    pub roles: Vec<RoleAgent>,
    /// The configured agents that are unavailable.
    pub absent: Vec<AbsentAgent>,
    /// The model endpoints of the configured agents.
    pub models: Vec<ModelAddress>,
    /// What the configuration names and nobody allowed yet.
    pub not_allowed: Vec<String>,
}

/// One mechanism that was probed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TriedMechanism {
    pub mechanism: Mechanism,
    /// Its level; null if it is unavailable.
    pub level: Option<Level>,
    /// Why it is unavailable or weaker.
    pub why: Option<String>,
    pub facts: Vec<Fact>,
}

/// Whether the sandbox is strong enough for a lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LaneCheck {
    pub lane: Lane,
    /// The level the lane requires.
    pub least: Level,
    pub holds: bool,
}

/// One agent program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FoundAgent {
    pub kind: AgentProgramKind,
    pub state: AgentState,
    /// The path of the program.
    pub program: Option<String>,
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[0-9]+\.[0-9]+\.[0-9]+$")))]
    pub version: Option<String>,
    /// The credentials of the agent; only their name is known.
    pub access: Option<AgentAccess>,
    pub advice: Vec<String>,
}

/// Whether an agent can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum AgentState {
    Ready,
    Missing,
    TooOld,
    Unclear,
    NoAccess,
}

/// Where the credentials of an agent are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentAccess {
    pub by: AccessKind,
    /// The name of the variable, or the path of the file below the home folder.
    pub name: String,
}

/// What holds the credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum AccessKind {
    Variable,
    File,
}

/// The agent that is selected for a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoleAgent {
    pub role: Role,
    /// Null if no agent is available.
    pub agent: Option<String>,
    pub why: String,
}

/// A configured agent that is unavailable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AbsentAgent {
    pub agent: String,
    pub why: String,
    pub hint: String,
}

/// The model endpoint of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelAddress {
    pub agent: String,
    pub address: String,
    pub reach: ModelReach,
    pub why: Option<String>,
}

/// Whether the endpoint answers. Without --online no request is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ModelReach {
    Reached,
    Unreached,
    NotAsked,
}

impl Printed for DoctorReport {}
