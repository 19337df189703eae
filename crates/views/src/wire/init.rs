//! What `init` prints.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{AgentProgram, DetectedCheckKind, DetectedLanguage, NonEmptyText, Printed, Verdict};

/// The files that `init` wrote and what it detected. One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InitReport {
    /// The files that were written, or would be.
    #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = "^[^/]")), extend("uniqueItems" = true)))]
    pub written: Vec<String>,
    /// The files that existed already.
    #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = "^[^/]")), extend("uniqueItems" = true)))]
    pub kept: Vec<String>,
    /// The agents that were added to an existing `sealwright.toml`, or would be.
    #[cfg_attr(feature = "schema", schemars(extend("uniqueItems" = true)))]
    pub added: Vec<AgentProgram>,
    /// The checks that were added to it, or would be.
    #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = CHECK_NAME)), extend("uniqueItems" = true)))]
    pub added_checks: Vec<String>,
    /// How the checks that were written ended on the last commit.
    pub tried: Vec<TriedCheck>,
    pub detected: Detected,
    /// Whether nothing was written.
    pub dry_run: bool,
}

/// A check that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TriedCheck {
    pub name: String,
    pub verdict: Verdict,
    /// Why it is no pass, the main reason first.
    pub because: Vec<String>,
}

/// What was detected in the repository and on PATH.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Detected {
    #[cfg_attr(feature = "schema", schemars(extend("uniqueItems" = true)))]
    pub languages: Vec<DetectedLanguage>,
    /// The command of each check, a program and its arguments, by the name of the check.
    #[cfg_attr(feature = "schema", schemars(extend(
        "propertyNames" = serde_json::json!({"pattern": CHECK_NAME}),
        "additionalProperties" = serde_json::json!({
            "type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1,
        })
    )))]
    pub checks: BTreeMap<String, Vec<NonEmptyText>>,
    /// The kind of each check, by its name.
    #[cfg_attr(feature = "schema", schemars(extend(
        "propertyNames" = serde_json::json!({"pattern": CHECK_NAME})
    )))]
    pub kinds: BTreeMap<String, DetectedCheckKind>,
    /// The agent programs on PATH.
    #[cfg_attr(feature = "schema", schemars(extend("uniqueItems" = true)))]
    pub agents: Vec<AgentProgram>,
}

#[cfg(feature = "schema")]
const CHECK_NAME: &str = "^(?:[A-Za-z0-9-]+-)?tests$";

impl Printed for InitReport {}
