//! The hold-out of a task: the test files that no agent sees, and the criteria that their tests show.
//!
//! Both come from the frozen tests in the store. A clone without them says nothing about the hold-out of a criterion.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::Digest;
use sealwright_kernel::task::TaskData;
use serde::Deserialize;

use super::ViewInput;

pub(super) struct HoldOut {
    files: BTreeSet<String>,
    /// The texts of the criteria that a held-out test shows.
    criteria: BTreeSet<String>,
}

/// The part of the frozen tests that is read here.
#[derive(Deserialize)]
struct Frozen {
    held_out: BTreeMap<String, Digest>,
    traces: Vec<Trace>,
}

#[derive(Deserialize)]
struct Trace {
    file: String,
    /// Counts from 1.
    criterion: usize,
}

impl HoldOut {
    /// Nothing before the tests are frozen, and nothing in a clone that does not hold them.
    pub(super) fn of(input: &ViewInput<'_>, data: &TaskData) -> Option<Self> {
        let text = (input.outputs)(&data.guarded?.tests)?;
        let criteria = match &data.frame {
            Some(frame) => &frame.done_gate,
            None => &data.charter.criteria,
        };
        Self::read(&text, criteria)
    }

    fn read(text: &str, criteria: &[String]) -> Option<Self> {
        let frozen: Frozen = serde_json::from_str(text).ok()?;
        let is_held = |trace: &&Trace| frozen.held_out.contains_key(&trace.file);
        let shown = frozen.traces.iter().filter(is_held);
        let shown = shown.filter_map(|trace| criteria.get(trace.criterion.checked_sub(1)?));
        let criteria = shown.map(|text| text.trim().to_owned()).collect();
        Some(Self { files: frozen.held_out.into_keys().collect(), criteria })
    }

    pub(super) fn shows(&self, criterion: &str) -> bool {
        self.criteria.contains(criterion)
    }

    /// Where the held-out files are; nothing if no file is held out.
    pub(super) fn place(&self) -> Option<String> {
        (!self.files.is_empty())
            .then(|| format!("kept in the store, not in the branch: {}", self.names()))
    }

    /// What a reader of the branch cannot do.
    pub(super) fn limit(&self) -> Option<String> {
        (!self.files.is_empty()).then(|| {
            format!(
                "Not repeatable from the branch: it does not contain the held-out {}",
                self.names()
            )
        })
    }

    fn names(&self) -> String {
        let shown: Vec<&str> = self.files.iter().take(FILES_MAX).map(String::as_str).collect();
        let more = if self.files.len() > FILES_MAX { ", …" } else { "" };
        format!("{}{more}", shown.join(", "))
    }
}

/// How many held-out files are named.
const FILES_MAX: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_criteria_with_a_held_out_test_are_shown_by_the_hold_out() {
        let criteria = ["one".to_owned(), " two ".to_owned(), "three".to_owned()];
        let zero = Digest::ZERO;
        let text = format!(
            r#"{{"visible":{{"tests/test_a.py":"{zero}"}},"held_out":{{"tests/test_b.py":"{zero}"}},"skeleton":{{}},
            "traces":[{{"file":"tests/test_a.py","test":"t","criterion":1}},
                {{"file":"tests/test_b.py","test":"u","criterion":2}},
                {{"file":"tests/test_b.py","test":"u","criterion":9}}]}}"#
        );
        let hold_out = HoldOut::read(&text, &criteria).unwrap();
        let shown: Vec<bool> = ["one", "two", "three"].map(|it| hold_out.shows(it)).into();
        assert_eq!(shown, [false, true, false]);
        assert_eq!(
            hold_out.place().unwrap(),
            "kept in the store, not in the branch: tests/test_b.py"
        );
        assert_eq!(
            hold_out.limit().unwrap(),
            "Not repeatable from the branch: it does not contain the held-out tests/test_b.py"
        );
        assert!(HoldOut::read("running 3 tests", &criteria).is_none());
        let none = r#"{"held_out":{},"traces":[]}"#;
        assert_eq!(HoldOut::read(none, &criteria).unwrap().place(), None);
    }

    #[test]
    fn the_names_of_files_are_bounded() {
        let files = (0..=FILES_MAX).map(|nth| format!("t{nth:02}.py")).collect();
        let hold_out = HoldOut { files, criteria: BTreeSet::new() };
        assert!(hold_out.names().ends_with("t09.py, …"), "{}", hold_out.names());
    }
}
