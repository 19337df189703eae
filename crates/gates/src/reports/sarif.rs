//! SARIF: what linters and scanners agree on for telling what they found and where.

use serde_json::Value;

use crate::reports::{Unreadable, bounded, json, list, short};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// Everything that was found and not suppressed.
    pub found: Vec<Found>,
    pub odd: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub rule: String,
    pub weight: Weight,
    /// A path with a line.
    pub place: String,
    pub what: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// An error or a warning.
    Counts,
    Note,
}

/// Reads one log of version 2.
pub fn read(bytes: &[u8]) -> Result<Log, Unreadable> {
    let value = json(bytes)?;
    let version = value.get("version").and_then(Value::as_str).unwrap_or_default();
    if !version.starts_with("2.") {
        return Err(Unreadable::malformed("it is not of SARIF version 2"));
    }
    let runs = list(&value, "runs")?;
    if runs.is_empty() {
        return Err(Unreadable::malformed("nothing was run"));
    }
    let mut log = Log::default();
    for run in runs {
        let tool = run.pointer("/tool/driver/name").and_then(Value::as_str);
        if tool.is_none_or(|name| name.trim().is_empty()) {
            return Err(Unreadable::malformed("a run names no tool"));
        }
        for invocation in run.get("invocations").and_then(Value::as_array).into_iter().flatten() {
            if invocation.get("executionSuccessful").and_then(Value::as_bool) != Some(true) {
                log.odd.push("the tool says that it did not end well".to_owned());
            }
        }
        // A run without results is one that was not made; one without findings has an empty list.
        for result in list(run, "results")? {
            bounded(log.found.len() + 1)?;
            log.found.extend(found(result)?);
        }
    }
    Ok(log)
}

fn found(result: &Value) -> Result<Option<Found>, Unreadable> {
    let word = |name: &str, default: &'static str| match result.get(name) {
        None => Ok(default),
        Some(value) => {
            value.as_str().ok_or_else(|| Unreadable::malformed(format!("`{name}` is no text")))
        }
    };
    let is_suppressed =
        result.get("suppressions").and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    let weight = match (word("kind", "fail")?, word("level", "warning")?) {
        ("fail" | "open" | "review", "error" | "warning") => Weight::Counts,
        (
            "fail" | "open" | "review" | "informational" | "pass" | "notApplicable",
            "none" | "note",
        )
        | ("informational" | "pass" | "notApplicable", "error" | "warning") => Weight::Note,
        (kind, level) => {
            let what = format!("unknown level `{}` of kind `{}`", short(level), short(kind));
            return Err(Unreadable::malformed(what));
        }
    };
    if is_suppressed {
        return Ok(None);
    }
    let text = |pointer: &str| result.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let path = text("/locations/0/physicalLocation/artifactLocation/uri");
    let line =
        result.pointer("/locations/0/physicalLocation/region/startLine").and_then(Value::as_u64);
    let place = match line {
        Some(line) => format!("{}:{line}", short(path)),
        None => short(path),
    };
    let rule = result.get("ruleId").and_then(Value::as_str).unwrap_or(text("/rule/id"));
    Ok(Some(Found { rule: short(rule), weight, place, what: short(text("/message/text")) }))
}

#[cfg(test)]
mod tests;
