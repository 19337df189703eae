//! Expectations: which tests have to be seen, and which may be left out.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::TestId;

/// Which tests have to be seen. What is not seen is missing, whatever else passed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// The tests that ran before, each of which has to run again.
    pub baseline: BTreeSet<TestId>,
    /// The tests that show whether the criteria are met.
    pub acceptance: BTreeSet<Named>,
    /// The tests that may be skipped, because that was declared beforehand.
    pub skips: BTreeSet<Named>,
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
            Self::Anywhere(name) => id.name.strip_prefix(name.as_str()).is_some_and(|rest| {
                rest.is_empty() || (rest.starts_with('[') && rest.ends_with(']'))
            }),
        }
    }

    pub fn text(&self) -> String {
        match self {
            Self::Exactly(id) => format!("{} in {}", id.name, id.suite),
            Self::Anywhere(name) => name.clone(),
        }
    }
}

impl Expected {
    /// Whether a skip of `id` was declared.
    pub fn may_skip(&self, id: &TestId) -> bool {
        self.skips.iter().any(|skip| skip.means(id))
    }
}
