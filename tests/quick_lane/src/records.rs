//! The records of a task, from `sealwright journal`.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use serde_json::Value;

use crate::repository::Repository;

/// Every effect with more than one report, with the numbers of the records.
pub fn reported_twice(repository: &Repository<'_>, task: &str) -> Result<Vec<String>> {
    let mut reports: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for record in lines(repository, &[task])? {
        if let Some(effect) = answered(&record["cause"]) {
            let seq = record["seq"].as_u64().unwrap_or_default();
            reports.entry(effect.to_owned()).or_default().push(seq);
        }
    }
    let twice = reports.into_iter().filter(|(_, seqs)| seqs.len() > 1);
    Ok(twice.map(|(effect, seqs)| format!("{effect} is reported by records {seqs:?}")).collect())
}

/// The time in which agents or gates worked; parallel work counts once.
pub fn at_work(repository: &Repository<'_>, task: &str) -> Result<Duration> {
    Ok(covered(lines(repository, &[task])?.iter().filter_map(spell).collect()))
}

/// The interval of the work that a record reports, in milliseconds: it ended when it was recorded.
fn spell(record: &Value) -> Option<(u64, u64)> {
    let end = record["at"].as_u64()?;
    let took = cost(&record["cause"])?;
    Some((end.saturating_sub(took), end))
}

/// The duration in a receipt, or of the command of some evidence.
fn cost(cause: &Value) -> Option<u64> {
    let parts = cause.as_object()?;
    let is_paid = parts.contains_key("invocation")
        || parts.get("source").is_some_and(|source| source.get("command").is_some());
    match parts.get("cost").filter(|_| is_paid) {
        Some(cost) => cost["millis"].as_u64(),
        None => parts.values().find_map(cost),
    }
}

fn covered(mut spells: Vec<(u64, u64)>) -> Duration {
    spells.sort_unstable();
    let (mut until, mut all) = (0, 0);
    for (from, to) in spells {
        all += to.saturating_sub(from.max(until));
        until = until.max(to);
    }
    Duration::from_millis(all)
}

/// The tasks with records.
pub fn tasks(repository: &Repository<'_>) -> Result<Vec<String>> {
    let mut tasks = Vec::new();
    for stream in lines(repository, &[])? {
        let name = stream["stream"].as_str().unwrap_or_default();
        if name.starts_with("T-") {
            tasks.push(name.to_owned());
        }
    }
    Ok(tasks)
}

/// The output of `sealwright journal`, one value per line.
fn lines(repository: &Repository<'_>, of: &[&str]) -> Result<Vec<Value>> {
    let words = [&["--format", "json", "journal"], of].concat();
    let said = repository.sealwright("journal", &words).said()?;
    said.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// The effect that a cause answers, at any depth.
fn answered(cause: &Value) -> Option<&str> {
    let parts = cause.as_object()?;
    // A receipt names the effect of its call; it answers nothing.
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

    #[test]
    fn what_is_done_side_by_side_counts_once() {
        let receipt = json!({"invocation": "INV-000001", "cost": {"millis": 40}});
        let call = json!({"at": 100, "cause": {"spend": {"receipt": receipt}}});
        let evidence = json!({"source": {"command": {"argv": []}}, "cost": {"millis": 50}});
        let gate = json!({"at": 130, "cause": {"report": {"report": {"probed": {"result": {"evidence": evidence}}}}}});
        let word = json!({"source": {"role": {}}, "cost": {"millis": 70}});
        let judged = json!({"at": 300, "cause": {"report": {"evidence": word}}});
        let spells: Vec<_> = [call, gate, judged].iter().filter_map(spell).collect();
        assert_eq!(spells, [(60, 100), (80, 130)]);
        assert_eq!(covered(spells), Duration::from_millis(70));
    }
}
