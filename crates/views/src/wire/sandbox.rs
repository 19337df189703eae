//! What `sandbox` prints.

use serde::Serialize;

use super::{Digest, Fact, Level, MechanismName, Permission, Printed};

/// `explain`: what a role can see. `run`: the result of a command in the sandbox of a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum SandboxLine {
    View(SandboxView),
    Run(SandboxRun),
}

/// The view of a role: what it can read, write and reach.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SandboxView {
    pub title: String,
    /// The mounted work tree, if there is one.
    pub work: Option<WorkMount>,
    pub files: Vec<ViewFile>,
    pub network: NetworkAccess,
}

/// The work tree of a view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkMount {
    pub module: String,
    pub access: MountAccess,
}

/// What a role may do with its work tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum MountAccess {
    ReadOnly,
    ReadWrite,
    CopyOnWrite,
}

/// One file of a view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ViewFile {
    /// The path in the view.
    pub at: String,
    pub permission: Permission,
    pub bytes: u64,
}

/// What a role can reach over the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum NetworkAccess {
    Off,
    Egress,
}

/// The result of a command: how it ended, how it was confined, and what it would have changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SandboxRun {
    pub ended: String,
    pub stdout: String,
    pub stderr: String,
    /// Output that was not kept.
    pub dropped_bytes: u64,
    /// Processes that were still running at the end; they were killed.
    pub leftovers: u64,
    pub confinement: RunConfinement,
    /// The files the command would have changed.
    pub changes: Vec<String>,
    /// Why its changes would have been refused.
    pub refused: Vec<String>,
}

/// The sandbox around the command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunConfinement {
    pub level: Level,
    pub mechanism: MechanismName,
    pub facts: Vec<Fact>,
    pub plan: Digest,
}

impl Printed for SandboxLine {}

impl From<&sealwright_kernel::Confinement> for RunConfinement {
    fn from(it: &sealwright_kernel::Confinement) -> Self {
        Self {
            level: it.level.into(),
            mechanism: it.mechanism.as_str().into(),
            facts: it.facts.iter().map(Fact::from).collect(),
            plan: it.plan.into(),
        }
    }
}
