//! Role tools: the few things a role can ask of the harness while it works. One file each, one line in a tool_server.
//!
//! A tool is pure in what it tells: a value, or a refusal in words that a model can act on. How it is reached is for
//! the tool server ([`crate::ToolServer`]); which role has which, for [`allowance`].

pub mod allowance;
mod check_workspace;
mod submit_result;

pub use check_workspace::{CheckWorkspace, Checked, Holds, Screen};
pub use submit_result::{Answer, SubmitResult};

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub trait Tool: Send + Sync {
    /// Its name, the same for every agent. Models see it with a prefix of their agent's own.
    fn name(&self) -> &'static str;

    /// What it does and when to use it, for the model.
    fn about(&self) -> &'static str;

    fn input(&self) -> Value;

    fn effect(&self) -> Effect;

    fn calls_max(&self) -> u32;

    fn call(&self, input: &Value) -> Reply;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    None,
    /// Something of the harness, never the tree.
    Recorded,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    Done(Value),
    /// Why not, in words that a model can act on.
    Refused(String),
}

/// One call, as evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    pub tool: String,
    pub heard: Heard,
    pub input: Value,
    pub reply: Reply,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Heard {
    ByTheTool,
    /// No tool: the name is unknown, or it was called too often.
    ByNobody,
}
