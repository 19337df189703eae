//! `pip-audit --format json`: every package with what is known against it, or why it could not be asked about.
//!
//! A package that could not be asked about is in there with exit code 0, so silence is told apart from a clean bill.

use serde_json::Value;

use crate::reports::audit::{Advisory, Audit};
use crate::reports::{Unreadable, bounded, json, list, short, text};

pub(super) fn read(bytes: &[u8]) -> Result<Audit, Unreadable> {
    let value = json(bytes)?;
    let dependencies = list(&value, "dependencies")?;
    let mut audit = Audit::default();
    if dependencies.is_empty() {
        audit.odd.push("it looked at no package".to_owned());
    }
    for dependency in dependencies {
        let name = short(text(dependency, "name")?);
        if let Some(why) = dependency.get("skip_reason") {
            let why = why.as_str().unwrap_or("it does not say why");
            audit.odd.push(format!("`{name}` could not be audited: {}", short(why)));
            continue;
        }
        let version = short(text(dependency, "version")?);
        for found in list(dependency, "vulns")? {
            bounded(audit.advisories.len() + 1)?;
            let title = found.get("description").and_then(Value::as_str).unwrap_or_default();
            audit.advisories.push(Advisory {
                id: short(text(found, "id")?),
                package: format!("{name} {version}"),
                severity: String::new(),
                title: short(title),
            });
        }
    }
    Ok(audit)
}
