//! `gitleaks --report-format json`: a list of leaks. An empty list is a scan that found nothing.

use serde_json::Value;

use crate::reports::secrets::{Leak, Scan};
use crate::reports::{Unreadable, bounded, json, short, text};

pub(super) fn read(bytes: &[u8]) -> Result<Scan, Unreadable> {
    let value = json(bytes)?;
    let leaks =
        value.as_array().ok_or_else(|| Unreadable::malformed("it is not a list of leaks"))?;
    bounded(leaks.len())?;
    let leaks = leaks.iter().map(leak).collect::<Result<_, _>>()?;
    Ok(Scan { leaks, odd: Vec::new() })
}

fn leak(value: &Value) -> Result<Leak, Unreadable> {
    let (rule, path) = (short(text(value, "RuleID")?), short(text(value, "File")?));
    let line = value.get("StartLine").and_then(Value::as_u64);
    let fingerprint = match value.get("Fingerprint").and_then(Value::as_str) {
        Some(fingerprint) if !fingerprint.is_empty() => short(fingerprint),
        Some(_) | None => format!("{path}:{rule}:{}", line.unwrap_or(0)),
    };
    Ok(Leak { rule, path, line, fingerprint })
}
