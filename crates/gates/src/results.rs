//! Results of single tests, from any runner.

use serde::{Deserialize, Serialize};

/// One test: the suite it stands in, as its runner calls it, and its name there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TestId {
    /// A file, a class, an executable.
    pub suite: String,
    pub name: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestResult {
    pub id: TestId,
    pub status: Status,
    /// How long it took, where the runner tells.
    pub millis: Option<u64>,
}

/// How a test can end. Only one of them is a pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It ran and held.
    Passed,
    /// Something it asserts does not hold.
    Failed { why: String },
    /// It did not finish: it did not compile or load, its fixture broke, its process died.
    Broken { why: String },
    Skipped {
        /// What it or the runner says about it, cut short.
        why: String,
    },
}

impl Status {
    /// Whether it says less for the code than `other` does.
    pub fn is_worse_than(&self, other: &Self) -> bool {
        let rank = |status: &Self| match status {
            Self::Passed => 0,
            Self::Skipped { .. } => 1,
            Self::Failed { .. } | Self::Broken { .. } => 2,
        };
        rank(self) > rank(other)
    }
}
