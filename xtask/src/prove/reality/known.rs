//! `docs/reality.tsv`: what is known to differ, with the reason.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};

use crate::workspace::root;

/// The reasons of one kind, by repository and test or commit.
pub(super) fn reasons(kind: &str) -> Result<BTreeMap<(String, String), String>> {
    let text = std::fs::read_to_string(root().join(FILE)).context(FILE)?;
    let mut found = BTreeMap::new();
    for (nth, line) in text.lines().enumerate().skip(1) {
        let row: Vec<&str> = line.split('\t').collect();
        let [its_kind, repository, what, reason] = row[..] else {
            anyhow::bail!("{FILE}:{}: not four columns", nth + 1);
        };
        ensure!(!reason.trim().is_empty(), "{FILE}:{}: no reason", nth + 1);
        if its_kind == kind {
            found.insert((repository.to_owned(), what.to_owned()), reason.to_owned());
        }
    }
    Ok(found)
}

const FILE: &str = "docs/reality.tsv";
