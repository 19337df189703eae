//! What `agents try` prints.

use serde::Serialize;

use super::{AgentKind, ClaimSubject, Level, Printed};

/// The trial of one agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentTrial {
    /// The name of the agent.
    pub agent: String,
    pub kind: AgentKind,
    /// The model; empty for a script, which calls none.
    pub model: String,
    /// The word the agent had to write and to submit.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[A-Za-z0-9-]{1,40}$")))]
    pub word: String,
    /// The result. The exit codes are 0, 10 and 20.
    pub result: TrialResult,
    pub claims: Vec<AgentClaim>,
    pub tokens: TokenUsage,
    /// The cost in millionths of a dollar; null if the price is unknown.
    pub micro_dollars: Option<u64>,
    pub turns: u64,
    pub wall_ms: u64,
    /// The sandbox; null if the agent did not start.
    pub confinement: Option<TrialConfinement>,
    /// The role tools the agent called, in order.
    pub calls: Vec<String>,
    /// The number of commands the agent reports.
    pub commands_told: u64,
    pub hint: Option<String>,
}

/// The result of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum TrialResult {
    Held,
    NotProven,
    Environment,
}

/// One claim that the trial checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentClaim {
    pub about: ClaimSubject,
    pub expected: String,
    pub found: String,
    pub holds: bool,
}

/// The tokens of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenUsage {
    /// Input tokens outside of a cache.
    pub input: u64,
    /// Input tokens read from a cache.
    pub cached: u64,
    /// Input tokens written to a cache.
    pub cache_written: u64,
    /// Output tokens.
    pub output: u64,
}

/// The sandbox around a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrialConfinement {
    pub level: Level,
    pub mechanism: String,
}

impl Printed for AgentTrial {}
