//! The red run: before anything is built, it is seen how existing tests end, and new ones fail, each for the right
//! reason.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_gates::red::{self, Red, Trial, UnderTest};
use sealwright_gates::toolchain::Outline;
use sealwright_gates::{Judgement, Status, Toolchain};
use sealwright_kernel::task::Report;
use sealwright_kernel::{Artifact, Digest, Verdict};

use super::agent_caller::AgentCaller;
use super::gate_inputs::{BASELINE, Earlier, GateInputs, Tests};
use super::{EffectContext, EffectResult, PerformError, PerformResult, TaskPerformer};
use crate::gate_runner::{Candidate, Idle, Performed};
use crate::task_store::TaskStore;

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    pub(super) async fn run_red(
        &self,
        context: &EffectContext,
        tests: Digest,
        tree: Digest,
    ) -> PerformResult {
        let mut inputs = self.inputs_of(context, tests, tree, Vec::new()).await?;
        let before = inputs.before.clone();
        let start = self.trees.start(&context.base);
        let old = self.candidate(context, &mut inputs, start, Tests::Old).await?;
        let (old, seen) = self.tests_by_language(context, &inputs, &old, Tests::Old).await?;
        let is_bad = |old: &&Performed| old.judgement.verdict != Verdict::Pass;
        if let Some(old) = old.as_ref().filter(is_bad) {
            // Without knowing how tests end before it, later failures could not be attributed to the change.
            let stored = self.store(old, "baseline", tree).await?;
            let report = Report::RedRan {
                evidence: stored.evidence,
                verdict: Verdict::CannotTell,
                green: Vec::new(),
            };
            return Ok(EffectResult::machine(context, report).resting_on(stored.blobs));
        }
        // Tests that fail or are skipped today may run beside the new ones.
        inputs.baseline.clone_from(&seen);
        let candidate = self.candidate(context, &mut inputs, before, Tests::Written).await?;
        let (new, written) =
            self.tests_by_language(context, &inputs, &candidate, Tests::Written).await?;
        let Some(mut performed) = new else {
            let why = "no test can be run".to_owned();
            return Err(PerformError::Impossible { why });
        };
        let (seen_red, mut refused) =
            self.judge_red(context, &inputs, &candidate, &performed).await?;
        if context.keeps_behaviour() && refused.is_empty() {
            refused.clone_from(&performed.judgement.because);
        }
        let results = std::mem::take(&mut performed.judgement.tests);
        if refused.is_empty() && context.keeps_behaviour() {
            performed.judgement = Judgement::pass().with_tests(results);
            return self.red_ran(context, &inputs, performed, (seen, written), Vec::new()).await;
        }
        let because = if refused.is_empty() {
            vec![sealwright_views::seen_red(seen_red)]
        } else {
            refused.clone()
        };
        performed.judgement = Judgement::fail(because).with_tests(results);
        self.red_ran(context, &inputs, performed, (seen, written), refused).await
    }

    /// Stores what was seen, with the results of old tests, and reports it.
    async fn red_ran(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
        performed: Performed,
        (mut seen, written): (Vec<Earlier>, Vec<Earlier>),
        refused: Vec<String>,
    ) -> PerformResult {
        let verdict = performed.judgement.verdict;
        let mut stored = self.store(&performed, "red-run", inputs.before.digest()).await?;
        // Of the new tests only those count here that pass already and show no criterion.
        let is_old =
            |it: &Earlier| it.result.status == Status::Passed && !inputs.is_written(&it.result);
        seen.extend(written.into_iter().filter(is_old));
        // Tests of two languages may have the same name.
        let mut baseline: BTreeMap<_, &Earlier> = BTreeMap::new();
        baseline.extend(seen.iter().map(|it| ((&it.language, &it.result.id), it)));
        let baseline: Vec<&Earlier> = baseline.into_values().collect();
        let kept = self.keep(serde_json::json!(baseline).to_string()).await?;
        stored.blobs.push(kept);
        let artifact = Artifact { name: BASELINE.to_owned(), content: kept.sha256 };
        stored.evidence.artifacts.push(artifact);
        let report = Report::RedRan { evidence: stored.evidence, verdict, green: refused };
        Ok(EffectResult::machine(context, report).resting_on(stored.blobs))
    }

    /// What programs that work nothing out pass of the new tests.
    async fn idle(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
        candidate: &Candidate,
        toolchain: Toolchain,
    ) -> PerformResult<Idle> {
        let tests = inputs.own_tests(toolchain, candidate);
        if tests.is_empty() || context.keeps_behaviour() {
            return Ok(Idle::default());
        }
        let wanted = (tests.as_slice(), inputs.tests_s);
        let cancel = &context.cancel;
        let idle =
            self.gates.idle(candidate, toolchain, wanted, &inputs.under_test, cancel).await?;
        Ok(idle.unwrap_or_default())
    }

    /// How many tests were seen to fail for the right reason, and why others are refused.
    async fn judge_red(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
        candidate: &Candidate,
        performed: &Performed,
    ) -> PerformResult<(usize, Vec<String>)> {
        let mut refused = Vec::new();
        let mut seen = 0;
        for toolchain in &inputs.toolchains {
            let frozen = candidate.frozen.tests_of(*toolchain);
            if frozen.is_empty() {
                continue;
            }
            let read = [&frozen[..], &candidate.frozen.helpers_of(*toolchain)].concat();
            let (outlines, unread) =
                self.gates.outlines(candidate, *toolchain, &read, &context.cancel).await?;
            let trace = inputs.acceptance.trace(|file| frozen.contains(file));
            let criteria: BTreeSet<String> = trace.0.values().flatten().cloned().collect();
            let criteria: Vec<String> = criteria.into_iter().collect();
            let may_skip = may_skip(inputs, &outlines);
            let idle = self.idle(context, inputs, candidate, *toolchain).await?;
            refused.extend(repeated(inputs, &idle));
            let red: Red = red::judge(&Trial {
                toolchain: *toolchain,
                frozen: &frozen,
                outlines: &outlines,
                unread: &unread,
                results: &performed.judgement.tests,
                idle: &idle.programs,
                build: &messages(*toolchain, performed),
                under_test: &UnderTest {
                    modules: inputs.under_test.iter().cloned().collect(),
                    items: inputs.contract.items.clone(),
                },
                criteria: &criteria,
                trace: &trace,
                may_skip: &may_skip,
                keeps_behaviour: context.keeps_behaviour(),
            });
            seen += red.seen.len();
            refused.extend(red.refused.iter().map(red::Reason::line));
        }
        if seen == 0 && refused.is_empty() {
            refused.push("no test failed".to_owned());
        }
        Ok((seen, refused))
    }
}

/// Held-out files whose tests ask only what the visible ones ask: they show nothing that those do not.
fn repeated(inputs: &GateInputs, idle: &Idle) -> Vec<String> {
    let (held, seen): (Vec<_>, Vec<_>) =
        idle.questions.iter().partition(|(path, _)| inputs.acceptance.held_out.contains_key(*path));
    let seen: BTreeSet<&String> = seen.into_iter().flat_map(|(_, asked)| asked).collect();
    let is_repeated =
        |asked: &BTreeSet<String>| !asked.is_empty() && asked.iter().all(|it| seen.contains(it));
    held.into_iter()
        // Its author does not know which tests of a file are held out.
        .filter(|(path, _)| !inputs.acceptance.divided.contains(*path))
        .filter(|(_, asked)| is_repeated(asked))
        .map(|(path, _)| {
            format!("{path} asks only what other tests ask; ask for other cases there")
        })
        .collect()
}

/// Tests whose skipping is declared, with the names used in a trace.
fn may_skip(inputs: &GateInputs, outlines: &[Outline]) -> Vec<String> {
    let tests = outlines.iter().flat_map(|it| it.tests().map(|test| red::key(&it.path, test)));
    let is_declared = |key: &String| {
        let name = key.rsplit("::").next().unwrap_or(key);
        inputs.contract.skips.contains(name) || inputs.contract.skips.contains(key)
    };
    tests.filter(is_declared).collect()
}

/// The compiler's messages, in a language that has one.
fn messages(toolchain: Toolchain, performed: &Performed) -> String {
    let is_compiled = toolchain.language().facts().is_compiled;
    let build = performed.runs.first().filter(|_| is_compiled);
    build.map(|run| run.ran.stdout.text()).unwrap_or_default()
}
