//! `npm audit --json`: vulnerable packages by name, and how many there are. An error is a value of another shape.

use serde_json::Value;

use crate::reports::audit::{Advisory, Audit};
use crate::reports::{Unreadable, bounded, json, short, text};

pub(super) fn read(bytes: &[u8]) -> Result<Audit, Unreadable> {
    let value = json(bytes)?;
    if value.get("error").is_some() || value.get("message").is_some() {
        let said = value.get("message").or(value.pointer("/error/summary")).and_then(Value::as_str);
        let what = format!("the registry did not answer: {}", short(said.unwrap_or_default()));
        return Err(Unreadable::malformed(what));
    }
    let vulnerable = value
        .get("vulnerabilities")
        .and_then(Value::as_object)
        .ok_or_else(|| Unreadable::malformed("there are no `vulnerabilities`"))?;
    let mut audit = Audit::default();
    for (name, package) in vulnerable {
        let severity = short(text(package, "severity")?);
        let via = package.get("via").and_then(Value::as_array);
        let via = via.filter(|via| !via.is_empty());
        let via = via.ok_or_else(|| Unreadable::malformed("a vulnerability has no reason"))?;
        let range = package.get("range").and_then(Value::as_str).unwrap_or_default();
        let package = format!("{} {}", short(name), short(range));
        for reason in via {
            bounded(audit.advisories.len() + 1)?;
            let (id, title) = match reason.as_str() {
                // It is vulnerable because another package of the list is.
                Some(other) => {
                    (format!("via:{}", short(other)), format!("it stands on {}", short(other)))
                }
                None => (id(reason)?, short(text(reason, "title")?)),
            };
            let severity = severity.clone();
            audit.advisories.push(Advisory { id, package: package.clone(), severity, title });
        }
    }
    let number = |pointer: &str| value.pointer(pointer).and_then(Value::as_u64);
    if number("/metadata/vulnerabilities/total") != Some(vulnerable.len() as u64) {
        audit.odd.push("it counts other vulnerabilities than it lists".to_owned());
    }
    if number("/metadata/dependencies/total").is_none_or(|count| count == 0) {
        audit.odd.push("it looked at no package".to_owned());
    }
    Ok(audit)
}

/// The common name, at the end of the address; else the registry's number.
fn id(reason: &Value) -> Result<String, Unreadable> {
    let address = reason.get("url").and_then(Value::as_str).unwrap_or_default();
    let last = address.rsplit('/').next().unwrap_or_default();
    if last.starts_with("GHSA-") {
        return Ok(short(last));
    }
    let source = reason.get("source").and_then(Value::as_u64);
    let source = source.ok_or_else(|| Unreadable::malformed("a vulnerability has no name"))?;
    Ok(format!("npm:{source}"))
}
