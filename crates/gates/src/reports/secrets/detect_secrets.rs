//! `detect-secrets scan`: what it looked for, and by file what it found. It exits with 0 whatever it finds.

use serde_json::Value;

use crate::reports::secrets::{Leak, Scan};
use crate::reports::{Unreadable, bounded, json, list, short, text};

pub(super) fn read(bytes: &[u8]) -> Result<Scan, Unreadable> {
    let value = json(bytes)?;
    let mut scan = Scan::default();
    if list(&value, "plugins_used")?.is_empty() {
        scan.odd.push("it looked for no kind of secret".to_owned());
    }
    let results = value
        .get("results")
        .and_then(Value::as_object)
        .ok_or_else(|| Unreadable::malformed("there are no `results`"))?;
    for (path, found) in results {
        let path = short(path);
        let found = found
            .as_array()
            .ok_or_else(|| Unreadable::malformed("the results of a file are no list"))?;
        for one in found {
            bounded(scan.leaks.len() + 1)?;
            let hash = short(text(one, "hashed_secret")?);
            scan.leaks.push(Leak {
                rule: short(text(one, "type")?),
                path: path.clone(),
                line: one.get("line_number").and_then(Value::as_u64),
                fingerprint: format!("{path}:{hash}"),
            });
        }
    }
    Ok(scan)
}
