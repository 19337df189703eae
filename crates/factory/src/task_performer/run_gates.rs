//! Runs gates and checks on a candidate.

use std::collections::BTreeSet;

use sealwright_gates::kinds::Named;
use sealwright_gates::tripwire;
use sealwright_gates::{Gate, Judgement, Status, TestResult, Toolchain};
use sealwright_kernel::task::slice::{self, GateKind, GateRun};
use sealwright_kernel::task::{Probe, ProbeResult, Report, Residue};
use sealwright_kernel::{Artifact, Digest, Verdict};

use super::agent_caller::AgentCaller;
use super::gate_inputs::{Earlier, GateInputs, Tests, of_language};
use super::{EffectContext, EffectResult, PerformError, TaskPerformer};
use crate::config::Set;
use crate::gate_runner::listing;
use crate::gate_runner::{Candidate, Performed, Stored};
use crate::task_store::TaskStore;
use sealwright_views::built_in_checks::{ACCEPTANCE, HOLD_OUT, LOOK, STRENGTH};

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    /// One of the gates of a slice: in every cycle the visible tests, before delivery also the exit checks.
    pub(super) async fn run_gate(
        &self,
        context: &EffectContext,
        gate: GateKind,
        digest: Digest,
    ) -> Result<EffectResult, PerformError> {
        let mut inputs = self.inputs(context).await?;
        let tree = self.tree(context, digest).await?;
        let candidate = self.candidate(context, &mut inputs, tree, Tests::Seen).await?;
        let mut all = Vec::new();
        all.extend(self.tests(context, &inputs, &candidate, Tests::Seen).await?);
        for check in self.checks_of(gate) {
            if all.iter().all(|it| it.judgement.verdict == Verdict::Pass) {
                all.push(self.check(context, &inputs, &candidate, &check).await?);
            }
        }
        let mut performed = merged(all);
        let planned = context.fingerprint();
        let (mut fingerprint, mut surface) = (planned, None);
        if gate == GateKind::Exit && performed.judgement.verdict == Verdict::Pass {
            let interface = self.interface(context, &inputs.contract, &candidate.tree).await?;
            let mut failures = interface.unread.clone();
            // Earlier slices build a part of the contract.
            if context.is_last_slice() {
                let missing =
                    self.missing_items(context, &inputs.contract, &candidate.tree, &interface);
                failures.extend(missing.await?);
            }
            if !failures.is_empty() {
                performed.judgement = performed.judgement.and(Judgement::fail(failures));
            }
            fingerprint = interface.fingerprint(planned);
            performed.notes.extend(interface.notes());
            surface = (fingerprint != planned).then(|| interface.after().text());
        }
        let mut stored = self.store(&performed, gate.name(), digest).await?;
        if let Some(surface) = surface {
            let blob = self.keep(surface).await?;
            let artifact = Artifact { name: "surface.json".to_owned(), content: blob.sha256 };
            stored.evidence.artifacts.push(artifact);
            stored.blobs.push(blob);
        }
        let judgement = performed.judgement;
        let unmet = match gate {
            GateKind::Iteration => Vec::new(),
            GateKind::Exit => inputs.unmet(context, &judgement.tests),
        };
        let run = GateRun {
            verdict: judgement.verdict,
            evidence: stored.evidence,
            failures: judgement.because.into_iter().take(FAILURES_MAX).collect(),
            cheats: judgement.cheats.into_iter().take(FAILURES_MAX).collect(),
            unmet,
            fingerprint: Some(fingerprint),
        };
        let input = slice::Input::GateRan { effect: context.id.clone(), run };
        Ok(EffectResult::slice(input).resting_on(stored.blobs))
    }

    /// One check of a candidate in the verify phase.
    pub(super) async fn probe(
        &self,
        context: &EffectContext,
        probe: &Probe,
        digest: Digest,
    ) -> Result<EffectResult, PerformError> {
        let mut inputs = self.inputs(context).await?;
        let tree = self.tree(context, digest).await?;
        let performed = match probe {
            Probe::Tripwire => {
                inputs.grant(context, &tree);
                let listing = listing(&tree, &context.base, &inputs.before);
                let changes =
                    inputs.guarded.compare(&tripwire::present(&listing), &inputs.toolchains, &[]);
                // Held-out files are never in the tree, so their absence is no removal.
                let is_there = |change: &tripwire::Change| {
                    !(inputs.acceptance.held_out.contains_key(&change.path)
                        && change.what == tripwire::What::Removed)
                };
                let changes: Vec<_> = changes.into_iter().filter(is_there).collect();
                without_runs(tripwire::judge(&changes))
            }
            Probe::Check(name) => {
                let tests = match name.as_str() {
                    HOLD_OUT => Tests::HeldOut,
                    // A mutant counts as killed by any test, visible or held out.
                    STRENGTH => Tests::All,
                    _ => Tests::Seen,
                };
                let candidate = self.candidate(context, &mut inputs, tree, tests).await?;
                self.check(context, &inputs, &candidate, name).await?
            }
            Probe::Read(role) => return self.read(context, *role, digest).await,
        };
        let stored = self.store(&performed, &probe.key(), digest).await?;
        let judgement = performed.judgement;
        let is_held_out = matches!(probe, Probe::Check(name) if name == HOLD_OUT);
        let failed = if is_held_out && judgement.verdict == Verdict::Fail {
            // The builder learns which criterion does not hold, but not which test shows it.
            let unmet = inputs.unmet(context, &judgement.tests).into_iter();
            unmet.map(|it| format!("a held-out test shows that this does not hold: {it}")).collect()
        } else {
            judgement.because
        };
        let findings = judgement.findings.into_iter();
        let result = ProbeResult {
            verdict: judgement.verdict,
            evidence: stored.evidence,
            failed: failed.into_iter().take(FAILURES_MAX).collect(),
            cheats: judgement.cheats.into_iter().take(FAILURES_MAX).collect(),
            frozen_edited: None,
            residue: findings
                .take(FAILURES_MAX)
                .map(|it| Residue {
                    kind: it.kind,
                    what: format!("{}: {} ({})", it.place, it.what, it.rule),
                })
                .collect(),
            ambiguity: None,
        };
        Ok(EffectResult::machine(context, Report::Probed { result }).resting_on(stored.blobs))
    }

    async fn check(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
        candidate: &Candidate,
        name: &str,
    ) -> Result<Performed, PerformError> {
        match name {
            ACCEPTANCE => {
                let ran = self.tests(context, inputs, candidate, Tests::Seen).await?;
                Ok(ran
                    .unwrap_or_else(|| without_runs(Judgement::cannot_tell("no test can be run"))))
            }
            HOLD_OUT => {
                let ran = self.tests(context, inputs, candidate, Tests::HeldOut).await?;
                Ok(ran.unwrap_or_else(|| without_runs(Judgement::pass())))
            }
            HONESTY => self.honesty(context, inputs, candidate).await,
            STRENGTH => self.strength(context, inputs, candidate).await,
            name => {
                let gate = self.gate(context, inputs, candidate, name)?;
                Ok(self.gates.perform(&*gate, candidate, &context.cancel).await?)
            }
        }
    }

    /// The configured check of this name.
    fn gate(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
        candidate: &Candidate,
        name: &str,
    ) -> Result<Box<dyn Gate>, PerformError> {
        let check = self.config.checks().iter().find(|check| check.name == name);
        let Some(check) = check else {
            return Err(PerformError::Impossible { why: format!("no check `{name}`") });
        };
        let runner = Toolchain::of_tests(check.kind.key);
        let files = match runner {
            Some(toolchain) => of_language(toolchain, &candidate.frozen.tests),
            None => candidate.frozen.tests.clone(),
        };
        let expected = inputs.expected(Tests::Seen, runner, &files);
        Ok(check.gate(files, expected, inputs.announced(context)))
    }

    fn checks_of(&self, gate: GateKind) -> Vec<String> {
        let set = match gate {
            GateKind::Iteration => Set::Iteration,
            GateKind::Exit => Set::Exit,
        };
        let own = self.config.checks().iter().filter(|check| check.is_in(set));
        own.map(|check| check.name.clone()).collect()
    }

    /// Runs frozen tests in every language that has any.
    pub(super) async fn tests(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
        candidate: &Candidate,
        tests: Tests,
    ) -> Result<Option<Performed>, PerformError> {
        Ok(self.tests_by_language(context, inputs, candidate, tests).await?.0)
    }

    /// The same, with the language of each test.
    pub(super) async fn tests_by_language(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
        candidate: &Candidate,
        tests: Tests,
    ) -> Result<(Option<Performed>, Vec<Earlier>), PerformError> {
        let (mut all, mut seen) = (Vec::new(), Vec::new());
        for (toolchain, gate) in inputs.gates(tests, &candidate.frozen.tests) {
            let performed = self.gates.perform(&*gate, candidate, &context.cancel).await?;
            let language = Some(toolchain.language().name().to_owned());
            seen.extend(
                performed
                    .judgement
                    .tests
                    .iter()
                    .map(|result| Earlier { result: result.clone(), language: language.clone() }),
            );
            all.push(performed);
        }
        Ok(((!all.is_empty()).then(|| merged(all)), seen))
    }

    pub(super) async fn store(
        &self,
        performed: &Performed,
        name: &str,
        tree: Digest,
    ) -> Result<Stored, PerformError> {
        Ok(performed.store(&[LOOK[0], LOOK[1], name], tree, self.store.blobs()).await?)
    }
}

impl EffectContext {
    /// The digest of the contract the plan is locked to.
    fn fingerprint(&self) -> Digest {
        let slice = self.data.slices.last().and_then(|slice| slice.charter());
        slice.map_or(Digest::ZERO, |charter| charter.planned.fingerprint)
    }

    fn is_last_slice(&self) -> bool {
        let slice = self.data.slices.last().and_then(|slice| slice.charter());
        let last = self.data.plan.last().map(|(id, _)| *id);
        slice.is_some_and(|charter| Some(charter.id) == last)
    }
}

impl GateInputs {
    /// The criteria with a test that does not pass.
    fn unmet(&self, context: &EffectContext, results: &[TestResult]) -> Vec<String> {
        let of = |name: &str| {
            let named = Named::Anywhere(name.to_owned());
            results.iter().filter(move |result| named.means(&result.id))
        };
        let failed = self.acceptance.traces.iter().filter(|trace| {
            let is_failed = |it: &TestResult| it.status != Status::Passed;
            results.is_empty() || of(&trace.test).any(is_failed)
        });
        let numbers: BTreeSet<usize> = failed.map(|trace| trace.criterion).collect();
        let text = |number: usize| context.criteria().get(number - 1).cloned();
        numbers.into_iter().filter_map(text).collect()
    }

    pub(super) fn is_written(&self, result: &TestResult) -> bool {
        let mut traces = self.acceptance.traces.iter();
        traces.any(|trace| Named::Anywhere(trace.test.clone()).means(&result.id))
    }
}

/// What several gates say together: the gravest verdict counts, and nothing is lost.
fn merged(all: Vec<Performed>) -> Performed {
    all.into_iter()
        .reduce(|mut first, second| {
            first.judgement = first.judgement.and(second.judgement);
            first.runs.extend(second.runs);
            first.tried_ms += second.tried_ms;
            first.notes.extend(second.notes);
            first.environment =
                Digest::of(format!("{}{}", first.environment, second.environment).as_bytes());
            first
        })
        .unwrap_or_else(|| without_runs(Judgement::cannot_tell("there is nothing to check")))
}

/// A judgement that needed no command.
pub(super) fn without_runs(judgement: Judgement) -> Performed {
    Performed {
        judgement,
        runs: Vec::new(),
        tried_ms: 0,
        environment: Digest::ZERO,
        notes: Vec::new(),
    }
}

/// The check for source that recognises its tests or does nothing.
pub const HONESTY: &str = "honesty";
const FAILURES_MAX: usize = 50;
