//! The tests of a task once more, where only values pass between them and the code they judge.
//!
//! In one process a candidate can steer the tests; across the boundary it cannot. What passes in one process alone is put
//! to a person. Tests that need the process of the code, by their own text, are named as not proven; only the quick lane
//! accepts them.

use sealwright_gates::{Finding, Status, TestResult, Toolchain};
use sealwright_kernel::Lane;
use sealwright_kernel::task::ResidueKind;

use super::agent_caller::AgentCaller;
use super::gate_inputs::GateInputs;
use super::{EffectContext, PerformResult, TaskPerformer};
use crate::gate_runner::guarded_files::test_files;
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
        for toolchain in &inputs.toolchains {
            let written = test_files(*toolchain, inputs.acceptance.files().map(|(path, _)| path));
            let tests: Vec<String> =
                written.into_iter().filter(|it| candidate.frozen.tests.contains(it)).collect();
            if tests.is_empty() {
                continue;
            }
            let wanted = (tests.as_slice(), inputs.tests_s);
            let across = self.gates.across(candidate, *toolchain, wanted, &context.cancel).await?;
            let is_accepted = context.lane() == Lane::Quick;
            let own = |it: &&TestResult| {
                let is_known = across.why_not.is_some() || is_of(*toolchain, &tests, it);
                it.status == Status::Passed && inputs.is_written(it) && is_known
            };
            let passed: Vec<TestResult> =
                performed.judgement.tests.iter().filter(own).cloned().collect();
            weigh(&across, &passed, is_accepted, performed);
        }
        Ok(())
    }
}

/// Whether a result is of a test in one of these files.
fn is_of(toolchain: Toolchain, files: &[String], result: &TestResult) -> bool {
    let suffix = toolchain.language().facts().import_suffix;
    files.iter().any(|file| {
        let module = file.strip_suffix(suffix).unwrap_or(file).replace('/', ".");
        let rest = result.id.suite.strip_prefix(&module);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
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
    let finding = |place: &str, what: String| Finding {
        kind: ResidueKind::Architecture,
        rule: "judged in one process with the code".to_owned(),
        place: place.to_owned(),
        what,
    };
    let mut shared = |place: &str, why: &str| {
        if !is_accepted {
            let what = format!("it shares a process with the code: {why}");
            judgement.findings.push(finding(place, what));
        }
        judgement.shared.push(format!("{place}: {why}"));
    };
    if let Some(why) = &across.why_not {
        let many =
            if passed.len() == 1 { "1 test".to_owned() } else { format!("{} tests", passed.len()) };
        shared(&many, why);
        return;
    }
    let mut alone = Vec::new();
    for test in passed {
        let place = format!("{}::{}", test.id.suite, test.id.name);
        if let Some(reasons) = across.reasons(&test.id) {
            shared(&place, &reasons.join(", "));
            continue;
        }
        let what = match (end(&across.results, test), end(&across.elsewhere, test)) {
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
