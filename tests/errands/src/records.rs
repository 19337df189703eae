//! The records of a task, as `sealwright journal` prints them: what was reported, and whether anything was twice.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::Value;

use crate::repository::Repository;

/// Every effect that more than one record reports, with their numbers.
pub fn reported_twice(repository: &Repository<'_>, task: &str) -> Result<Vec<String>> {
    let words = ["--format", "json", "journal", task];
    let said = repository.sealwright("journal", &words).said()?;
    let mut reports: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for line in said.lines() {
        let record: Value = serde_json::from_str(line)?;
        if let Some(effect) = answered(&record["cause"]) {
            let seq = record["seq"].as_u64().unwrap_or_default();
            reports.entry(effect.to_owned()).or_default().push(seq);
        }
    }
    let twice = reports.into_iter().filter(|(_, seqs)| seqs.len() > 1);
    Ok(twice.map(|(effect, seqs)| format!("{effect} is reported by records {seqs:?}")).collect())
}

/// The tasks of which there is a record.
pub fn tasks(repository: &Repository<'_>) -> Result<Vec<String>> {
    let said = repository.sealwright("journal", &["--format", "json", "journal"]).said()?;
    let mut tasks = Vec::new();
    for line in said.lines() {
        let stream: Value = serde_json::from_str(line)?;
        let name = stream["stream"].as_str().unwrap_or_default();
        if name.starts_with("T-") {
            tasks.push(name.to_owned());
        }
    }
    Ok(tasks)
}

/// The effect that a cause answers, wherever it stands in it.
fn answered(cause: &Value) -> Option<&str> {
    let parts = cause.as_object()?;
    // A receipt names the effect that a call served; it answers nothing.
    if parts.contains_key("spend") {
        return None;
    }
    let own = parts.get("effect").and_then(Value::as_str);
    own.or_else(|| parts.values().find_map(answered))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_effect_of_a_report_is_found_wherever_it_stands() {
        let slice = json!({"slice": {"input": {"edited": {"effect": "T-1/edit/1", "edit": {}}}}});
        assert_eq!(answered(&slice), Some("T-1/edit/1"));
        let report = json!({"report": {"effect": "T-1/frame/1", "report": {}}});
        assert_eq!(answered(&report), Some("T-1/frame/1"));
        assert_eq!(answered(&json!({"create": {"by": {}}})), None);
        assert_eq!(answered(&json!({"spend": {"receipt": {"effect": "T-1/frame/1"}}})), None);
    }
}
