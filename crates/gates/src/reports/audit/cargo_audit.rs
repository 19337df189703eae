//! `cargo audit --json`: one value, with the size of the database and of the lock file in it.

use serde_json::Value;

use crate::reports::audit::{Advisory, Audit};
use crate::reports::{Unreadable, bounded, json, list, short, text};

pub(super) fn read(bytes: &[u8]) -> Result<Audit, Unreadable> {
    let value = json(bytes)?;
    let number = |pointer: &str| value.pointer(pointer).and_then(Value::as_u64);
    let mut audit = Audit::default();
    if number("/database/advisory-count").is_none_or(|count| count == 0) {
        audit.odd.push("the database it asked knows no advisory".to_owned());
    }
    if number("/lockfile/dependency-count").is_none_or(|count| count == 0) {
        audit.odd.push("it looked at no package".to_owned());
    }
    let vulnerabilities = value
        .get("vulnerabilities")
        .ok_or_else(|| Unreadable::malformed("there are no `vulnerabilities`"))?;
    let found = list(vulnerabilities, "list")?;
    for entry in found {
        audit.advisories.push(advisory(entry, "")?);
    }
    let claimed = vulnerabilities.get("count").and_then(Value::as_u64);
    let is_found = vulnerabilities.get("found").and_then(Value::as_bool);
    if claimed != Some(found.len() as u64) || is_found == Some(found.is_empty()) {
        audit.odd.push("it counts other vulnerabilities than it lists".to_owned());
    }
    let warnings = value.get("warnings").and_then(Value::as_object);
    for (kind, entries) in warnings.into_iter().flatten() {
        let entries = entries
            .as_array()
            .ok_or_else(|| Unreadable::malformed(format!("`{}` is no list", short(kind))))?;
        bounded(audit.advisories.len() + entries.len())?;
        // Unsound code is a hole that is not used yet. Packages that are unmaintained, or that were yanked, are
        // told of and are none.
        if kind == "unsound" {
            for entry in entries {
                audit.advisories.push(advisory(entry, kind)?);
            }
        }
    }
    Ok(audit)
}

fn advisory(entry: &Value, kind: &str) -> Result<Advisory, Unreadable> {
    let part = |name: &str| {
        entry.get(name).ok_or_else(|| Unreadable::malformed(format!("an entry has no `{name}`")))
    };
    let (advisory, package) = (part("advisory")?, part("package")?);
    let severity = advisory.get("severity").or(advisory.get("cvss")).and_then(Value::as_str);
    Ok(Advisory {
        id: short(text(advisory, "id")?),
        package: format!("{} {}", short(text(package, "name")?), short(text(package, "version")?)),
        severity: short(severity.unwrap_or(kind)),
        title: short(text(advisory, "title")?),
    })
}
