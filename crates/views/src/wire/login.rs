//! What `login` and `logout` print.

use serde::Serialize;

use super::{AgentProgramKind, Printed, Timestamp};

/// The logins of coding agents on this machine. One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoginReport {
    pub logins: Vec<LoginRow>,
}

/// The login of one program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoginRow {
    pub kind: AgentProgramKind,
    /// Who serves the models of the program.
    pub maker: String,
    /// Whether this user lets agents use it.
    pub allowed: bool,
    /// How it is used; null if it is not allowed.
    pub way: Option<LoginWay>,
    /// The file in which the program keeps it; null if no home folder is known.
    pub file: Option<String>,
    /// Whether it is allowed and can be used now.
    pub works: bool,
    /// Why it cannot be used, and what to type.
    pub why: Option<String>,
    /// When the maker last said how much is used up; null if it never did.
    pub seen: Option<Timestamp>,
    pub windows: Vec<LoginWindow>,
}

/// How a login is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum LoginWay {
    /// The agent finds a placeholder; Sealwright adds the token to its requests, outside of the sandbox.
    Host,
    /// The agent is given the token for one call and signs its requests itself.
    Program,
}

/// A window of a subscription.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoginWindow {
    /// How long it is, such as `5h`.
    pub length: String,
    /// How much of it is used, in thousandths.
    pub used_permille: u32,
    /// When it begins anew; null if the maker did not say it.
    pub resets: Option<Timestamp>,
}

impl Printed for LoginReport {}
