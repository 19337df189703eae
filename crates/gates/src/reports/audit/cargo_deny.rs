//! `cargo deny --format json check advisories`: one event on each line, on standard error, and a summary at the end.

use serde_json::Value;

use crate::reports::audit::{Advisory, Audit};
use crate::reports::{Unreadable, bounded, json, short, text};

pub(super) fn read(bytes: &[u8]) -> Result<Audit, Unreadable> {
    let mut audit = Audit::default();
    let (mut errors, mut summary) = (0_u64, None);
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        let event = json(line)?;
        let fields =
            event.get("fields").ok_or_else(|| Unreadable::malformed("an event has no fields"))?;
        match text(&event, "type")? {
            "log" => {
                if fields.get("level").and_then(Value::as_str) == Some("ERROR") {
                    let said = fields.get("message").and_then(Value::as_str).unwrap_or_default();
                    audit.odd.push(format!("the auditor could not do its work: {}", short(said)));
                }
            }
            "diagnostic" => {
                bounded(audit.advisories.len() + 1)?;
                let severity = text(fields, "severity")?;
                errors += u64::from(severity == "error");
                let advisory = fields.get("advisory").filter(|advisory| advisory.is_object());
                if let Some(advisory) = advisory {
                    audit.advisories.push(vulnerable(fields, advisory, severity)?);
                } else if severity == "error" {
                    // Licences and bans are no vulnerabilities, and the report does not say what is wrong.
                    let said = fields.get("message").and_then(Value::as_str).unwrap_or_default();
                    audit.odd.push(format!("it complains of something else: {}", short(said)));
                }
            }
            "summary" => summary = Some(fields.clone()),
            other => {
                let what = format!("unknown entry `{}`", short(other));
                return Err(Unreadable::malformed(what));
            }
        }
    }
    let Some(summary) = summary else {
        return Err(Unreadable::malformed("it ends before its summary"));
    };
    let Some(advisories) = summary.get("advisories") else {
        audit.odd.push("it did not look for advisories".to_owned());
        return Ok(audit);
    };
    let claimed = advisories.get("errors").and_then(Value::as_u64);
    let others: u64 = ["bans", "licenses", "sources"]
        .into_iter()
        .filter_map(|name| summary.get(name)?.get("errors")?.as_u64())
        .fold(0, u64::saturating_add);
    if claimed.map(|count| count.saturating_add(others)) != Some(errors) {
        audit.odd.push("it counts other errors than it lists".to_owned());
    }
    Ok(audit)
}

fn vulnerable(fields: &Value, advisory: &Value, severity: &str) -> Result<Advisory, Unreadable> {
    let krate = fields.pointer("/graphs/0/Krate").or(fields.pointer("/graphs/0/krate"));
    let package = match krate {
        Some(krate) => {
            format!("{} {}", short(text(krate, "name")?), short(text(krate, "version")?))
        }
        None => short(text(advisory, "package")?),
    };
    Ok(Advisory {
        id: short(text(advisory, "id")?),
        package,
        severity: short(severity),
        title: short(text(advisory, "title")?),
    })
}
