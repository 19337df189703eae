//! Expectations: which tests have to be seen, and which may be left out.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{Status, TestId};

/// Which tests have to be seen. What is not seen is missing, whatever else passed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// The tests that ran before, each of which has to run again.
    pub baseline: BTreeSet<TestId>,
    /// The tests that show whether the criteria are met.
    pub acceptance: BTreeSet<Named>,
    /// The tests of files that may change. Each may move or go; one that is gone is shown to a person.
    #[serde(default)]
    pub moved: BTreeSet<Named>,
    /// The tests that may be skipped, because that was declared beforehand.
    pub skips: BTreeSet<Named>,
    /// The tests that need not pass, because they did not pass before.
    #[serde(default)]
    pub known: Known,
}

/// Tests that need not pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Known {
    #[default]
    None,
    /// These may end as they ended before, or pass.
    These(BTreeMap<TestId, Unpassed>),
    /// Any test may be skipped: nothing changes, so nothing is hidden by it.
    AnySkipped,
    /// The run is the one that shows how tests end before anything changes.
    Any,
}

/// How a test ended that did not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unpassed {
    Failed,
    Skipped,
}

impl Unpassed {
    pub fn of(status: &Status) -> Option<Self> {
        match status {
            Status::Passed => None,
            Status::Failed { .. } | Status::Broken { .. } => Some(Self::Failed),
            Status::Skipped { .. } => Some(Self::Skipped),
        }
    }
}

impl Known {
    fn may_end(&self, id: &TestId, ended: Unpassed) -> bool {
        match self {
            Self::None => false,
            Self::These(known) => known.get(id) == Some(&ended),
            Self::AnySkipped => ended == Unpassed::Skipped,
            Self::Any => true,
        }
    }
}

/// A test as people name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Named {
    Exactly(TestId),
    /// Every test of this name and every case of it, in whatever suite. At least one has to be there.
    Anywhere(String),
}

impl Named {
    pub fn means(&self, id: &TestId) -> bool {
        match self {
            Self::Exactly(exactly) => exactly == id,
            Self::Anywhere(name) => {
                let in_class = name.rsplit_once("::").is_some_and(|(class, name)| {
                    is_case(&id.name, name) && is_end(&id.suite, class)
                });
                // A trace may leave out the modules that a test stands in.
                let in_module =
                    id.name.rsplit_once("::").is_some_and(|(_, last)| is_case(last, name));
                is_case(&id.name, name) || in_class || in_module
            }
        }
    }

    pub fn text(&self) -> String {
        match self {
            Self::Exactly(id) => format!("{} in {}", id.name, id.suite),
            Self::Anywhere(name) => name.clone(),
        }
    }
}

/// Whether a test has this name, or is a case of it.
fn is_case(test: &str, name: &str) -> bool {
    test.strip_prefix(name)
        .is_some_and(|rest| rest.is_empty() || (rest.starts_with('[') && rest.ends_with(']')))
}

/// Whether a suite ends with this class: runners put the classes of a test behind its module.
fn is_end(suite: &str, class: &str) -> bool {
    let (suite, class) = (suite.replace("::", "."), class.replace("::", "."));
    suite.strip_suffix(class.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

impl Expected {
    /// Expects old tests only where `is_run` says so: a check may run a part of them.
    pub fn limit(&mut self, is_run: impl Fn(&TestId) -> bool) {
        self.baseline.retain(|id| is_run(id));
        if let Known::These(known) = &mut self.known {
            known.retain(|id, _| is_run(id));
        }
    }

    /// Whether a skip of `id` was declared, or it was skipped before.
    pub fn may_skip(&self, id: &TestId) -> bool {
        self.skips.iter().any(|skip| skip.means(id)) || self.known.may_end(id, Unpassed::Skipped)
    }

    /// The tests that failed before.
    pub fn known_failing(&self) -> Vec<TestId> {
        let Known::These(known) = &self.known else { return Vec::new() };
        let failed = known.iter().filter(|(_, ended)| **ended == Unpassed::Failed);
        failed.map(|(id, _)| id.clone()).collect()
    }

    /// Whether `id` failed before.
    pub fn may_fail(&self, id: &TestId) -> bool {
        self.known.may_end(id, Unpassed::Failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_in_a_class_is_meant_with_its_class_and_without_it() {
        let id =
            |suite: &str, name: &str| TestId { suite: suite.to_owned(), name: name.to_owned() };
        let named = |name: &str| Named::Anywhere(name.to_owned());
        let in_class = id("tests.test_g.TestG", "test_g");
        for name in ["test_g", "TestG::test_g", "test_g::TestG::test_g"] {
            assert!(named(name).means(&in_class), "{name}");
        }
        for name in ["G::test_g", "TestH::test_g", "TestG::test", "TestG::test_g::more"] {
            assert!(!named(name).means(&in_class), "{name}");
        }
        assert!(named("TestG::test_g").means(&id("tests.test_g.TestG", "test_g[1]")));
        assert!(named("deep::works").means(&id("crate", "deep::works")));
    }
}
