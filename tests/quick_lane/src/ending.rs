//! The end of a run, expected and observed.

use std::fmt;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::Value;

use crate::program::Ran;
use crate::repository::Repository;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ending {
    pub exit: i32,
    /// The value in `--format json`.
    pub ended: String,
    /// The cause of the halt; empty without one.
    #[serde(default)]
    pub cause: String,
    /// The number of confirmed cheats.
    #[serde(default)]
    pub cheats: u64,
    /// The number of branches afterwards.
    #[serde(default)]
    pub branches: usize,
}

impl Ending {
    /// The observed end: the exit code, the output of `do` and `show`, and the branches in git.
    pub fn seen(repository: &Repository<'_>, ran: &Ran) -> Result<(Self, String)> {
        let output: Value = serde_json::from_str(ran.said.trim())
            .with_context(|| format!("`do` said no JSON: {}{}", ran.said, ran.talked))?;
        let word = |name: &str| output[name].as_str().unwrap_or_default().to_owned();
        let task = word("task");
        let shown = repository.sealwright("show", &["--format", "json", "show", &task]).said()?;
        let shown: Value = serde_json::from_str(&shown)?;
        let cause = find(&shown["state"], "cause").map(name).unwrap_or_default();
        let cheats = find(&shown["state"], "heals").and_then(Value::as_u64).unwrap_or_default();
        let ended = word("ended");
        let ending = Self {
            exit: ran.code.unwrap_or(-1),
            cause: if ended == "halted" { cause } else { String::new() },
            ended,
            cheats,
            branches: repository.branches()?.len(),
        };
        Ok((ending, task))
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { exit, ended, cause, cheats, branches } = self;
        write!(f, "exit {exit}, {ended}")?;
        if !cause.is_empty() {
            write!(f, " by {cause}")?;
        }
        if *cheats > 0 {
            write!(f, ", {cheats} cheats confirmed")?;
        }
        write!(f, ", {branches} branches")
    }
}

/// The first value with this name, at any depth.
fn find<'v>(value: &'v Value, wanted: &str) -> Option<&'v Value> {
    match value {
        Value::Object(parts) => {
            parts.get(wanted).or_else(|| parts.values().find_map(|part| find(part, wanted)))
        }
        Value::Array(parts) => parts.iter().find_map(|part| find(part, wanted)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// The name of an enum variant, with or without content.
fn name(value: &Value) -> String {
    let of_object = value.as_object().and_then(|parts| parts.keys().next().cloned());
    of_object.or_else(|| value.as_str().map(str::to_owned)).unwrap_or_default()
}
