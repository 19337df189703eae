//! How two interfaces differ, dimension by dimension and name by name.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use sealwright_kernel::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Dimension, Effect, Interface};

/// The interface of the code is not the one that was locked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(deny_unknown_fields)]
pub struct Mismatch {
    pub expected: Digest,
    pub actual: Digest,
    /// The dimensions that differ, in the order of the contract.
    pub differences: Vec<DimensionDifference>,
}

/// How one dimension differs: entries by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DimensionDifference {
    pub dimension: Dimension,
    pub added: Vec<Entry>,
    pub removed: Vec<Entry>,
    pub changed: Vec<Change>,
    /// An entry that both have stands elsewhere in the list, or behind a new one.
    pub is_reordered: bool,
}

/// One entry of a dimension.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub name: String,
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    pub name: String,
    pub expected: Value,
    pub actual: Value,
}

/// Holds an actual interface against the locked one. Only equal fingerprints match.
pub fn compare(expected: &Interface, actual: &Interface) -> Result<(), Mismatch> {
    let (locked, got) = (expected.fingerprint(), actual.fingerprint());
    if locked == got {
        return Ok(());
    }
    Err(Mismatch { expected: locked, actual: got, differences: differences(expected, actual) })
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { expected, actual, .. } = self;
        write!(f, "Interface fingerprint mismatch: expected {expected}, got {actual}")
    }
}

/// The dimensions in which two interfaces differ.
pub(crate) fn differences(expected: &Interface, actual: &Interface) -> Vec<DimensionDifference> {
    let one =
        |dimension| between(dimension, entries(expected, dimension), entries(actual, dimension));
    Dimension::ALL.into_iter().filter_map(one).collect()
}

fn between(
    dimension: Dimension,
    expected: Vec<Entry>,
    actual: Vec<Entry>,
) -> Option<DimensionDifference> {
    let find = |list: &[Entry]| -> BTreeMap<String, Value> {
        list.iter().map(|it| (it.name.clone(), it.value.clone())).collect()
    };
    let (old, new) = (find(&expected), find(&actual));
    let changed: Vec<Change> = expected
        .iter()
        .filter_map(|Entry { name, value }| {
            let actual = new.get(name).filter(|it| *it != value)?.clone();
            Some(Change { name: name.clone(), expected: value.clone(), actual })
        })
        .collect();
    // New entries belong behind all others, and the others keep their order.
    let kept: Vec<&str> = names(&expected).filter(|it| new.contains_key(*it)).collect();
    let is_reordered = names(&actual).take(kept.len()).ne(kept);
    let added: Vec<Entry> = actual.into_iter().filter(|it| !old.contains_key(&it.name)).collect();
    let removed: Vec<Entry> =
        expected.into_iter().filter(|it| !new.contains_key(&it.name)).collect();
    let is_equal = added.is_empty() && removed.is_empty() && changed.is_empty() && !is_reordered;
    (!is_equal).then_some(DimensionDifference { dimension, added, removed, changed, is_reordered })
}

fn names(entries: &[Entry]) -> impl Iterator<Item = &str> {
    entries.iter().map(|it| it.name.as_str())
}

fn entries(interface: &Interface, dimension: Dimension) -> Vec<Entry> {
    let Interface { inputs, outputs, error_surfaces, effects, modes } = interface;
    match dimension {
        Dimension::Inputs => named(inputs, |it| it.name.clone()),
        Dimension::Outputs => named(outputs, |it| it.name.clone()),
        Dimension::ErrorSurfaces => named(error_surfaces, |it| it.name.clone()),
        Dimension::Effects => named(effects, Effect::name),
        Dimension::Modes => [
            ("sync", Value::Bool(modes.is_sync)),
            ("async", Value::Bool(modes.is_async)),
            ("notes", Value::String(modes.notes.clone())),
        ]
        .into_iter()
        .map(|(name, value)| Entry { name: name.to_string(), value })
        .collect(),
    }
}

fn named<T: Serialize>(list: &[T], name: impl Fn(&T) -> String) -> Vec<Entry> {
    let value = |it| serde_json::to_value(it).expect("an entry of a contract is JSON");
    list.iter().map(|it| Entry { name: name(it), value: value(it) }).collect()
}
