//! Suites: the tests of a tree, run in a clean room as they are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sealwright_gates::kinds::{Declared, Expected, Named};
use sealwright_gates::{Gate, Seen, Status, Step, TestId, TestResult, Toolchain};
use sealwright_kernel::Verdict;
use sealwright_sandbox::Cancel;

use super::account::Counts;
use sealwright_config::Check;
use sealwright_factory::gate_runner::{Candidate, GateRunner, GateRunnerError, Performed};

#[derive(Clone, Debug)]
pub(super) struct Suite {
    pub(super) verdict: Verdict,
    pub(super) because: Vec<String>,
    pub(super) results: BTreeMap<TestId, TestResult>,
    /// The modules that the runner says it does not find.
    pub(super) missing: BTreeSet<String>,
    /// Tests of the project that were not run.
    pub(super) not_run: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Which<'w> {
    All,
    Only(&'w [String]),
}

impl Suite {
    /// Runs tests of a candidate. Where there are none, nothing is run, and that is no fault.
    pub(super) async fn run(
        gates: &Arc<GateRunner>,
        candidate: &Candidate,
        (check, toolchain): (&Check, Toolchain),
        which: Which<'_>,
        cancel: &Arc<Cancel>,
    ) -> Result<Self, GateRunnerError> {
        let mut tests = candidate.frozen.tests_of(toolchain);
        if let Which::Only(files) = which {
            tests.retain(|path| files.contains(path));
        }
        if tests.is_empty() {
            return Ok(Self {
                verdict: Verdict::Pass,
                because: Vec::new(),
                results: BTreeMap::new(),
                missing: BTreeSet::new(),
                not_run: Vec::new(),
            });
        }
        let gate = AsItIs { check: check.clone(), tests };
        let Performed { judgement, runs, .. } = gates.perform(&gate, candidate, cancel).await?;
        let language = toolchain.language();
        let missing = runs.iter().flat_map(|run| language.not_installed(&run.ran.stdout.text()));
        let missing = missing.collect();
        let own = judgement.tests.into_iter();
        let own = own.filter(|result| !language.is_room_entry(&result.id.suite));
        Ok(Self {
            verdict: judgement.verdict,
            because: judgement.because,
            results: own.map(|result| (result.id.clone(), result)).collect(),
            missing,
            not_run: judgement.not_run,
        })
    }

    /// Whether a test fails that did not fail before.
    pub(super) fn fails_since(&self, before: &Self) -> bool {
        self.failed().any(|it| !before.failed().any(|old| old.id == it.id))
    }

    /// Whether tests fail, and only those that failed before.
    pub(super) fn fails_as(&self, before: &Self) -> bool {
        self.verdict == Verdict::Fail && self.failed().next().is_some() && !self.fails_since(before)
    }

    /// Takes the results of a second run where the first failed. Gives the tests that fail only sometimes.
    pub(super) fn settle(&mut self, again: Self) -> Vec<String> {
        let failed: Vec<TestId> = self.failed().map(|it| it.id.clone()).collect();
        let flaky: Vec<TestId> = failed.into_iter().filter(|id| again.has_passed(id)).collect();
        for id in &flaky {
            if let Some(result) = self.results.get_mut(id) {
                result.status = Status::Passed;
            }
        }
        if !flaky.is_empty() && self.failed().next().is_none() {
            (self.verdict, self.because) = (again.verdict, again.because);
        }
        flaky.into_iter().map(|id| id.name).collect()
    }

    /// How a test ended, if it was told of.
    pub(super) fn status(&self, id: &TestId) -> Option<&Status> {
        self.results.get(id).map(|result| &result.status)
    }

    pub(super) fn has_passed(&self, id: &TestId) -> bool {
        self.status(id) == Some(&Status::Passed)
    }

    /// The tests that did not hold.
    pub(super) fn failed(&self) -> impl Iterator<Item = &TestResult> {
        self.results.values().filter(|result| match result.status {
            Status::Failed { .. } | Status::Broken { .. } => true,
            Status::Passed | Status::Skipped { .. } => false,
        })
    }

    /// Whether something could not even be loaded, so that nobody knows which tests are in it.
    pub(super) fn is_broken(&self) -> bool {
        let is_broken = |it: &TestResult| matches!(it.status, Status::Broken { .. });
        self.results.is_empty() && self.verdict != Verdict::Pass
            || self.results.values().any(is_broken)
    }

    pub(super) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for result in self.results.values() {
            match result.status {
                Status::Passed => counts.passed += 1,
                Status::Failed { .. } | Status::Broken { .. } => counts.failed += 1,
                Status::Skipped { .. } => counts.skipped += 1,
            }
        }
        counts
    }
}

/// Tests as a project has them: what it leaves out is told and held against nobody. What matters is what a change did
/// to it.
#[derive(Debug)]
struct AsItIs {
    check: Check,
    tests: Vec<String>,
}

impl Gate for AsItIs {
    fn next(&self, seen: &[Seen]) -> Step {
        let gate = |skips| {
            let expected = Expected { skips, ..Expected::default() };
            self.check.gate(self.tests.clone(), expected, Declared::default())
        };
        match gate(Default::default()).next(seen) {
            Step::Say(first) => {
                let is_left_out = |it: &&TestResult| matches!(it.status, Status::Skipped { .. });
                let skips = first.tests.iter().filter(is_left_out);
                gate(skips.map(|it| Named::Exactly(it.id.clone())).collect()).next(seen)
            }
            step @ (Step::Run(_) | Step::Visit(_) | Step::Read(_)) => step,
        }
    }
}
