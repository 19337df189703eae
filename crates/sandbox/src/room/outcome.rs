//! What is known after a check: how each command ended, what was found that should not be there, and a digest of
//! everything that went in.
//!
//! These are facts. What they mean for a task is a gate's to say.

use std::collections::BTreeMap;

use sealwright_kernel::{Digest, canonical_json};
use serde::{Deserialize, Serialize};

use crate::{Ended, RunOutcome};

/// What is known of a check.
#[derive(Debug)]
pub struct RoomOutcome {
    /// Everything that went in.
    pub digest: RoomDigest,
    /// Traces of somebody having tried to decide the outcome.
    pub tampering: Vec<Tampering>,
    /// How the build ended, where there is one.
    pub build: Option<RunOutcome>,
    /// What was run, in this order.
    pub runs: Vec<(String, RunOutcome)>,
    /// What the runs left to be read. Whoever ran in there could have written them.
    pub reports: Vec<Report>,
    /// What the build made and the runs ran, by its path inside.
    pub artifacts: BTreeMap<String, Digest>,
    /// How the test ended that must fail.
    pub canary: Canary,
}

/// A report that a run left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The run, by its name.
    pub run: String,
    /// What the file is called.
    pub name: String,
    /// What was kept of it.
    pub kept: Vec<u8>,
    /// How many bytes it has.
    pub total: u64,
}

/// Something a role left that could have decided the outcome. It did not come into the room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tampering {
    /// Where it was, in the work tree.
    pub path: String,
    /// What is wrong with it.
    pub why: String,
}

/// How the test ended that must fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Canary {
    /// It failed in every test file, as it must.
    Failed,
    /// It did not fail: whoever wrote the code under test decided how tests end.
    Passed {
        /// The test file it was in.
        test: String,
        /// How that came out.
        why: String,
    },
    /// There was no need: something had failed before.
    NotNeeded,
}

/// Everything that decides how a check ends, as digests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomDigest {
    /// What was taken of the work tree, with paths.
    pub sources: Digest,
    /// What the harness put over it, with paths.
    pub frozen: Digest,
    /// The packages of others.
    pub packages: Digest,
    /// Compiler or interpreter.
    pub toolchain: Digest,
    /// What each command had around it, in order: paths inside, environment, limits.
    pub plans: Vec<Digest>,
}

impl RoomOutcome {
    /// Whether nobody tampered, all that was run ended well, and the canary failed as it must.
    pub fn passed(&self) -> bool {
        let all = self.build.iter().chain(self.runs.iter().map(|(_, outcome)| outcome));
        self.is_honest()
            && !self.runs.is_empty()
            && ended_well(all)
            && self.canary == Canary::Failed
    }

    /// Whether nothing was found that should not be there.
    pub fn is_honest(&self) -> bool {
        self.tampering.is_empty()
    }
}

impl Tampering {
    pub(crate) fn new(path: &str, why: &str) -> Self {
        Self { path: path.to_owned(), why: why.to_owned() }
    }
}

impl RoomDigest {
    /// All of it in one number.
    pub fn whole(&self) -> Digest {
        let text = canonical_json(self).expect("digests are text");
        Digest::of(&text)
    }
}

pub(crate) fn ended_well<'o>(outcomes: impl IntoIterator<Item = &'o RunOutcome>) -> bool {
    outcomes.into_iter().all(|outcome| outcome.ended == Ended::Exited(0))
}
