//! The tests of a task once more, where only values pass between them and the code they judge.
//!
//! In one process a candidate can steer the tests; across the boundary it cannot. What passes in one process alone is put
//! to a person. Tests that need the process of the code, by their own text, are named as not proven; only the quick lane
//! accepts them.

use sealwright_gates::{Finding, Status, TestResult};
use sealwright_kernel::Lane;

use super::agent_caller::AgentCaller;
use super::gate_inputs::GateInputs;
use super::{EffectContext, PerformResult, TaskPerformer};
use crate::gate_runner::stopwatch::Stopwatch;
use crate::gate_runner::{Across, Candidate, Performed};
use crate::task_store::TaskStore;

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    /// Adds to a run that passed what it is worth.
    pub(super) async fn tried_across(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
        candidate: &Candidate,
        performed: &mut Performed,
    ) -> PerformResult<()> {
        let began = Stopwatch::start();
        for toolchain in &inputs.toolchains {
            let tests = inputs.own_tests(*toolchain, candidate);
            if tests.is_empty() {
                continue;
            }
            let wanted = (tests.as_slice(), inputs.tests_s);
            let across = self.gates.across(candidate, *toolchain, wanted, &context.cancel).await?;
            let is_accepted = context.lane() == Lane::Quick;
            let is_in =
                |it: &TestResult| tests.iter().any(|file| toolchain.language().is_in(&it.id, file));
            // Where nothing is tried, tests need not be told apart by their files.
            let is_tried = matches!(across, Across::Tried(_));
            let own = |it: &&TestResult| {
                it.status == Status::Passed && inputs.is_written(it) && (!is_tried || is_in(it))
            };
            let passed: Vec<TestResult> =
                performed.judgement.tests.iter().filter(own).cloned().collect();
            weigh(&across, &passed, is_accepted, performed);
        }
        performed.tried_ms += began.millis();
        Ok(())
    }
}

/// Why a test did not pass, if it did not.
fn end<'r>(results: &'r [TestResult], test: &TestResult) -> Option<&'r str> {
    match results.iter().find(|it| it.id == test.id).map(|it| &it.status) {
        Some(Status::Passed) => None,
        Some(Status::Failed { why } | Status::Broken { why } | Status::Skipped { why }) => {
            Some(why)
        }
        None => Some("it was not run"),
    }
}

fn weigh(across: &Across, passed: &[TestResult], is_accepted: bool, performed: &mut Performed) {
    let judgement = &mut performed.judgement;
    let finding = |place: &str, what: String| {
        Finding::architecture("judged in one process with the code", place, what)
    };
    let mut shared = |place: &str, why: &str| {
        if !is_accepted {
            let what = format!("it shares a process with the code: {why}");
            judgement.findings.push(finding(place, what));
        }
        judgement.shared.push(format!("{place}: {why}"));
    };
    let many = || match passed.len() {
        1 => "1 test".to_owned(),
        count => format!("{count} tests"),
    };
    let tried = match across {
        _ if passed.is_empty() => return,
        Across::Shared { why } => return shared(&many(), why),
        Across::Failed { why } => {
            let what = format!("passed beside the code, and could not be run apart from it: {why}");
            judgement.findings.push(finding(&many(), what));
            return;
        }
        Across::Tried(tried) => tried,
    };
    for name in &tried.claims {
        shared(&format!("`{name}`"), "whether two of them are equal is its own word");
    }
    let mut alone = Vec::new();
    for test in passed {
        let place = format!("{}::{}", test.id.suite, test.id.name);
        if let Some(reasons) = tried.reasons(&test.id) {
            shared(&place, &reasons.join(", "));
            continue;
        }
        let what = match (end(&tried.results, test), end(&tried.elsewhere, test)) {
            (None, None) => continue,
            (Some(why), _) => {
                format!("it passes beside the code, and not where only values reach it: {why}")
            }
            (None, Some(why)) => {
                format!(
                    "it passes in one room, and not in one of another place, time zone and order: {why}"
                )
            }
        };
        alone.push(finding(&place, what));
    }
    judgement.findings.extend(alone);
}
