//! How long a task took, and how much of it neither an agent nor a check worked.

use std::time::Duration;

use anyhow::Result;
use serde_json::Value;

use super::Ready;

/// The time that the only task of a project spent in calls and checks; what ran side by side counts once.
pub(super) fn at_work(project: &Ready) -> Result<Duration> {
    let (listed, _) = project.sealwright(&["--format", "json", "journal"])?;
    let task = listed.lines().find_map(|line| {
        let stream: Value = serde_json::from_str(line).ok()?;
        stream["stream"].as_str().filter(|name| name.starts_with("T-")).map(str::to_owned)
    });
    let Some(task) = task else { return Ok(Duration::ZERO) };
    let (records, _) = project.sealwright(&["--format", "json", "journal", &task])?;
    let mut spells = Vec::new();
    for line in records.lines() {
        let record: Value = serde_json::from_str(line)?;
        let end = record["at"].as_u64().unwrap_or_default();
        spells.extend(millis(&record["cause"]).map(|took| (end.saturating_sub(took), end)));
    }
    spells.sort_unstable();
    let (mut until, mut all) = (0, 0);
    for (from, to) in spells {
        all += to.saturating_sub(from.max(until));
        until = until.max(to);
    }
    Ok(Duration::from_millis(all))
}

/// The time in a receipt, or of the command of some evidence, at any depth.
fn millis(cause: &Value) -> Option<u64> {
    let parts = cause.as_object()?;
    let is_work = parts.contains_key("invocation")
        || parts.get("source").is_some_and(|source| source.get("command").is_some());
    match parts.get("cost").filter(|_| is_work) {
        Some(cost) => cost["millis"].as_u64(),
        None => parts.values().find_map(millis),
    }
}
