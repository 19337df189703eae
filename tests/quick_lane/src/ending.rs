//! Endings: how an run ends, as it is expected and as it was seen.

use std::fmt;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::Value;

use crate::program::Ran;
use crate::repository::Repository;

/// How an run ends.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ending {
    /// The exit code.
    pub exit: i32,
    /// The word that `--format json` has for it.
    pub ended: String,
    /// Why it was halted, by the name of the cause; empty where nothing was.
    #[serde(default)]
    pub cause: String,
    /// How many cheats were confirmed on the way.
    #[serde(default)]
    pub cheats: u64,
    /// How many branches there are afterwards.
    #[serde(default)]
    pub branches: usize,
}

impl Ending {
    /// What was seen: the exit code and what `do` and `show` say, and the branches git knows.
    pub fn seen(repository: &Repository<'_>, ran: &Ran) -> Result<(Self, String)> {
        let told: Value = serde_json::from_str(ran.said.trim())
            .with_context(|| format!("`do` said no JSON: {}{}", ran.said, ran.talked))?;
        let word = |name: &str| told[name].as_str().unwrap_or_default().to_owned();
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

/// The first value under this name, wherever it stands.
fn find<'v>(value: &'v Value, wanted: &str) -> Option<&'v Value> {
    match value {
        Value::Object(parts) => {
            parts.get(wanted).or_else(|| parts.values().find_map(|part| find(part, wanted)))
        }
        Value::Array(parts) => parts.iter().find_map(|part| find(part, wanted)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// The name of a variant, with or without content.
fn name(value: &Value) -> String {
    let of_object = value.as_object().and_then(|parts| parts.keys().next().cloned());
    of_object.or_else(|| value.as_str().map(str::to_owned)).unwrap_or_default()
}
