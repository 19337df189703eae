//! The outcome of a check: how each command ended, what was found that should not be there, and a digest of
//! everything that went in.
//!
//! These are facts. What they mean for a task is a gate's to say.

use std::collections::BTreeMap;

use sealwright_kernel::{Digest, canonical_json};
use serde::{Deserialize, Serialize};

use crate::{Ended, RunOutcome};

#[derive(Debug)]
pub struct RoomOutcome {
    pub digest: RoomDigest,
    /// Traces of an attempt to decide the outcome.
    pub tampering: Vec<Tampering>,
    pub build: Option<RunOutcome>,
    pub runs: Vec<(String, RunOutcome)>,
    /// Runs of tests that failed before the change, apart from all others.
    pub known_failing: Vec<(String, RunOutcome)>,
    /// Reports that the runs left. The code under test could have written them.
    pub reports: Vec<Report>,
    /// Executables that the build made and the runs ran, by path inside.
    pub artifacts: BTreeMap<String, Digest>,
    /// Test files that the project's configuration left out, as the first run says. The code under test could say so
    /// too, and then no test of theirs may be told of.
    pub left_out: Vec<String>,
    /// Other tests of the project that nothing ran, in a few words each.
    pub not_run: Vec<String>,
    /// Runs whose executables have no test harness: they are one test each, and their exit code is its result.
    pub without_harness: Vec<String>,
    pub canary: Canary,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub run: String,
    pub name: String,
    pub kept: Vec<u8>,
    pub total: u64,
}

/// A file of a role that could have decided the outcome. It did not come into the room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tampering {
    /// Where it was, in the work tree.
    pub path: String,
    pub why: String,
}

/// The canary, a test that must fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Canary {
    /// It failed in every test file, as it must.
    Failed,
    /// It did not fail: the code under test decided how tests end.
    Passed { test: String, why: String },
    /// The run that has it was cut off, so nobody knows.
    Unseen { test: String, why: String },
    /// There was no need: something had failed before.
    NotNeeded,
}

/// Everything that decides how a check ends, as digests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomDigest {
    /// The source of the work tree, with paths.
    pub sources: Digest,
    /// The frozen files over it, with paths.
    pub frozen: Digest,
    pub packages: Digest,
    /// Compiler or interpreter.
    pub toolchain: Digest,
    /// The plan of each command, in order: paths inside, environment, limits.
    pub plans: Vec<Digest>,
}

impl RoomOutcome {
    /// Whether there was no tampering, every command exited with 0, and the canary failed.
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
    pub fn whole(&self) -> Digest {
        let text = canonical_json(self).expect("digests are text");
        Digest::of(&text)
    }
}

pub(crate) fn ended_well<'o>(outcomes: impl IntoIterator<Item = &'o RunOutcome>) -> bool {
    outcomes.into_iter().all(|outcome| outcome.ended == Ended::Exited(0))
}
