//! The strength check: the tests of a task must kill mutants of the change.

use sealwright_gates::strength::Sample;
use sealwright_gates::{Finding, Judgement};
use sealwright_kernel::task::ResidueKind;
use sealwright_kernel::{Digest, Verdict};

use super::agent_caller::AgentCaller;
use super::gate_inputs::GateInputs;
use super::{EffectContext, PerformError, TaskPerformer};
use crate::gate_runner::strength::{Measured, Trying};
use crate::gate_runner::{Candidate, Performed};
use crate::task_store::TaskStore;

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    pub(super) async fn strength(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
        candidate: &Candidate,
    ) -> Result<Performed, PerformError> {
        let mut all = Vec::new();
        let (mut runs, mut all_ms) = (Vec::new(), 0);
        let sample = Sample { most: MUTANTS_MAX, seed: context.seed() };
        let trace = inputs.acceptance.trace(|_| true);
        let trying = Trying { sample: &sample, tests_s: inputs.tests_s, trace: &trace };
        for toolchain in &inputs.toolchains {
            let measured =
                self.gates.strength(candidate, *toolchain, &trying, &context.cancel).await?;
            let Some(Measured { mut judgement, score, runs: ran, tried_ms }) = measured else {
                continue;
            };
            runs.extend(ran);
            all_ms += tried_ms;
            let survivors = score.into_iter().flat_map(|score| score.survivors);
            judgement.findings.extend(survivors.map(|(line, difference)| Finding {
                kind: ResidueKind::Architecture,
                rule: "no test notices this".to_owned(),
                place: line,
                what: difference,
            }));
            // Survivors that the rule allows are shown with the evidence and raise no question.
            if judgement.verdict == Verdict::Pass {
                judgement.findings.clear();
            }
            all.push(judgement);
        }
        let judgement = all.into_iter().reduce(Judgement::and).unwrap_or_else(Judgement::pass);
        Ok(Performed {
            judgement,
            runs,
            tried_ms: all_ms,
            environment: Digest::ZERO,
            notes: Vec::new(),
        })
    }
}

/// A sample of a change needs no more, and each mutant costs a test run.
const MUTANTS_MAX: usize = 16;
