//! The scope ledger: what became of every item that was ever asked for.
//!
//! An item is a criterion or a deferred item of any version of `scope.md`. It is delivered with evidence, deferred or
//! dropped by a person, or open. An item that is none of these has vanished, which is a finding.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, Findings};
use crate::scope::{FILE, Scope};
use crate::text::{is_placeholder, plain, shown};

/// One item and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The id, or the name of a deferred item that has no id.
    pub item: String,
    pub text: String,
    /// The version of the scope that asked for it first, from 1.
    pub since: usize,
    pub outcome: Outcome,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Outcome {
    Delivered {
        evidence: String,
    },
    /// `by` is `None` if the scope does not say who deferred it.
    Deferred {
        by: Option<String>,
    },
    Dropped {
        by: String,
    },
    Open,
    Vanished,
}

/// The ledger of all versions of a scope, oldest first. `delivered` maps items to their evidence, `dropped` to the person
/// who dropped them.
pub fn ledger(
    versions: &[Scope],
    delivered: &BTreeMap<String, String>,
    dropped: &BTreeMap<String, String>,
) -> (Vec<Entry>, Vec<Finding>) {
    let mut findings = Findings::new("ledger", FILE);
    let mut entries: BTreeMap<String, Entry> = BTreeMap::new();
    let latest = Latest::of(versions.last());
    for (nth, scope) in versions.iter().enumerate() {
        for (item, text) in items(scope) {
            let key = plain(item);
            // The newest wording is shown.
            if let Some(entry) = entries.get_mut(&key) {
                entry.text = text.to_string();
                continue;
            }
            let outcome = latest.outcome(item, delivered, dropped);
            let (item, text) = (item.to_string(), text.to_string());
            entries.insert(key, Entry { item, text, since: nth + 1, outcome });
        }
    }
    for entry in entries.values().filter(|it| it.outcome == Outcome::Vanished) {
        let what = format!("{} of version {} is nowhere any more", shown(&entry.item), entry.since);
        let fix = "keep it as a criterion, list it in Deferred, or record who dropped it";
        findings.add("ledger.vanished", 1, what, fix);
    }
    (entries.into_values().collect(), findings.finish())
}

fn items(scope: &Scope) -> impl Iterator<Item = (&str, &str)> {
    let criteria = scope.criteria.iter().map(|it| (it.id.as_str(), it.text.as_str()));
    let deferred = scope.deferred.iter();
    criteria.chain(deferred.map(|it| (it.id.as_deref().unwrap_or(&it.name), it.name.as_str())))
}

/// The items of the version that holds now.
struct Latest {
    /// Keys of criteria, with their words.
    criteria: BTreeMap<String, String>,
    deferred: BTreeMap<String, Option<String>>,
}

impl Latest {
    fn of(scope: Option<&Scope>) -> Self {
        let (criteria, deferred) =
            scope.map_or((&[][..], &[][..]), |it| (&it.criteria[..], &it.deferred[..]));
        let key = |id: Option<&String>, name: &str| plain(id.map_or(name, String::as_str));
        let beginning = |text: &str| plain(&text.chars().take(CHARS_MAX).collect::<String>());
        Self {
            criteria: criteria.iter().map(|it| (plain(&it.id), beginning(&it.text))).collect(),
            deferred: deferred
                .iter()
                .map(|it| (key(it.id.as_ref(), &it.name), it.by.clone()))
                .collect(),
        }
    }

    fn outcome(
        &self,
        item: &str,
        delivered: &BTreeMap<String, String>,
        dropped: &BTreeMap<String, String>,
    ) -> Outcome {
        let key = plain(item);
        let said = |map: &BTreeMap<String, String>| {
            map.get(item).filter(|it| !is_placeholder(it)).cloned()
        };
        if let Some(evidence) = said(delivered) {
            Outcome::Delivered { evidence }
        } else if let Some(by) = said(dropped) {
            Outcome::Dropped { by }
        } else if let Some(by) = self.deferred.get(&key) {
            Outcome::Deferred { by: by.clone() }
        } else if self.criteria.contains_key(&key) || self.is_taken_up(&key) {
            Outcome::Open
        } else {
            Outcome::Vanished
        }
    }

    /// A deferred item without an id became a criterion that still names it.
    fn is_taken_up(&self, key: &str) -> bool {
        let padded = format!(" {key} ");
        self.criteria.values().any(|it| format!(" {it} ").contains(&padded))
    }
}

/// As much of a criterion is searched for the names of deferred items.
const CHARS_MAX: usize = 4096;

#[cfg(test)]
mod tests;
