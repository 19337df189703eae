//! Runs gates and checks on a candidate.

use std::collections::BTreeSet;

use sealwright_gates::kinds::Named;
use sealwright_gates::runnable::runnable;
use sealwright_gates::strength::{self, Sample, Score};
use sealwright_gates::toolchain::NO_ROOM_BELOW;
use sealwright_gates::tripwire;
use sealwright_gates::{Finding, Gate, Judgement, Status, TestResult, Toolchain};
use sealwright_kernel::task::slice::{self, GateKind, GateRun};
use sealwright_kernel::task::{Freeze, PartKind, Probe, ProbeResult, Report, Residue};
use sealwright_kernel::{Artifact, Digest, Verdict};

use super::agent_caller::AgentCaller;
use super::gate_inputs::{Earlier, GateInputs, Tests, others};
use super::{EffectContext, EffectResult, PerformError, PerformResult, TaskPerformer};
use crate::gate_runner::gate_preview::names;
use crate::gate_runner::guarded_files::{is_test_file, test_files};
use crate::gate_runner::honesty::Wanted;
use crate::gate_runner::strength::{Measured, Trying};
use crate::gate_runner::{Candidate, Performed, Stored, listing};
use crate::task_store::TaskStore;
use sealwright_config::Set;
use sealwright_repo::trees::Tree;
use sealwright_views::built_in_checks::{
    ACCEPTANCE, DISPROVED, HOLD_OUT, HONESTY, LOOK, NO_MUTANTS, STRENGTH,
};

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    /// One of the gates of a slice: in every cycle the visible tests, before delivery also the exit checks.
    pub(super) async fn run_gate(
        &self,
        context: &EffectContext,
        gate: GateKind,
        digest: Digest,
    ) -> PerformResult {
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
    ) -> PerformResult {
        let mut inputs = self.inputs(context).await?;
        let tree = self.tree(context, digest).await?;
        let mut change = None;
        let performed = match probe {
            Probe::Tripwire => {
                // What is too large for a reviewer is refused there, and not shown here.
                change = match self.change(context, &tree).await {
                    Ok(change) => Some(change),
                    Err(PerformError::Impossible { .. }) => None,
                    Err(error) => return Err(error),
                };
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
                let mut judgement = tripwire::judge(&changes);
                judgement.findings.extend(for_a_person(context, &inputs, &tree));
                judgement.findings.extend(self.unreadable(context, &tree).await?);
                without_runs(judgement)
            }
            Probe::Check(name) => {
                let tests = match name.as_str() {
                    HOLD_OUT => Tests::HeldOut,
                    // A mutant counts as killed by any test, visible or held out; any may set what source looks at.
                    STRENGTH | HONESTY => Tests::All,
                    _ => Tests::Seen,
                };
                let candidate = self.candidate(context, &mut inputs, tree, tests).await?;
                let mut performed = self.check(context, &inputs, &candidate, name).await?;
                let is_passed = performed.judgement.verdict == Verdict::Pass;
                if is_passed && matches!(name.as_str(), ACCEPTANCE | HOLD_OUT) {
                    self.tried_across(context, &inputs, &candidate, &mut performed).await?;
                }
                performed
            }
            Probe::Read(role) => return self.read(context, *role, digest).await,
        };
        let mut stored = self.store(&performed, &probe.key(), digest).await?;
        if let Some(change) = change {
            let blob = self.keep(change).await?;
            let artifact =
                Artifact { name: sealwright_views::CHANGE_FILE.to_owned(), content: blob.sha256 };
            stored.evidence.artifacts.push(artifact);
            stored.blobs.push(blob);
        }
        let judgement = performed.judgement;
        let is_held_out = matches!(probe, Probe::Check(name) if name == HOLD_OUT);
        let failed = if is_held_out && judgement.verdict == Verdict::Fail {
            // The builder learns which criterion does not hold, but not which test shows it.
            let unmet = inputs.unmet(context, &judgement.tests).into_iter();
            unmet.map(|it| format!("{DISPROVED}{it}")).collect()
        } else {
            judgement.because
        };
        // While a person's fix is judged, no role has touched the tree since.
        let is_by_person = *probe == Probe::Tripwire && context.data.fix_by.is_some();
        let (cheats, frozen_edited) = if is_by_person && !judgement.cheats.is_empty() {
            let edits: Vec<String> = judgement.cheats.into_iter().map(|(_, what)| what).collect();
            (Vec::new(), Some(edits.join("; ")))
        } else {
            (judgement.cheats, None)
        };
        let findings = judgement.findings.into_iter();
        let result = ProbeResult {
            verdict: judgement.verdict,
            evidence: stored.evidence,
            failed: failed.into_iter().take(FAILURES_MAX).collect(),
            cheats: cheats.into_iter().take(FAILURES_MAX).collect(),
            frozen_edited,
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

    /// Files of a change that can be run and that nobody can read.
    async fn unreadable(
        &self,
        context: &EffectContext,
        tree: &Tree,
    ) -> PerformResult<Vec<Finding>> {
        let mut found = Vec::new();
        for path in tree.changes.keys() {
            let content = self.trees.read(&context.base, tree, path).await?;
            if let Some(what) = content.as_deref().and_then(runnable) {
                let what = format!("{what} comes with the change");
                found.push(Finding::architecture("nobody can read what it runs", path, what));
            }
        }
        Ok(found)
    }

    async fn check(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
        candidate: &Candidate,
        name: &str,
    ) -> PerformResult<Performed> {
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

    fn gate(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
        candidate: &Candidate,
        name: &str,
    ) -> PerformResult<Box<dyn Gate>> {
        let check = self.config.checks().iter().find(|check| check.name == name);
        let Some(check) = check else {
            return Err(PerformError::Impossible { why: format!("no check `{name}`") });
        };
        let all = &candidate.frozen.tests;
        let own = Toolchain::of_tests(check.kind.key);
        let (others, files): (_, Vec<String>) = match own {
            Some(own) => {
                // What is compiled is built and run as a whole.
                let is_run =
                    |path: &String| own.language().facts().is_compiled || names(check, path);
                (others(own), test_files(own, all).into_iter().filter(is_run).collect())
            }
            // Whoever runs other tests beside a check of their own language is not asked for those.
            None => {
                let checks = self.config.checks().iter();
                let checked: Vec<Toolchain> =
                    checks.filter_map(|it| Toolchain::of_tests(it.kind.key)).collect();
                let is_others = |path: &&String| checked.iter().any(|it| is_test_file(*it, path));
                (checked.clone(), all.iter().filter(|path| !is_others(path)).cloned().collect())
            }
        };
        let mut expected = inputs.expected(Tests::Seen, &others, &files);
        // The built-in gates run all of them.
        let is_partial = !check.setting.tests.is_empty();
        let own = own.map(Toolchain::language);
        if let Some(own) = own.filter(|it| is_partial && !it.facts().is_compiled) {
            expected.limit(|id| files.iter().any(|path| own.is_in(id, path)));
        }
        Ok(check.gate(files, expected, inputs.announced(context)))
    }

    fn checks_of(&self, gate: GateKind) -> Vec<String> {
        let set = match gate {
            GateKind::Iteration => Set::Iteration,
            GateKind::Exit => Set::Exit,
        };
        let own = self.config.checks().iter().filter(|check| check.sets.contains(&set));
        own.map(|check| check.name.clone()).collect()
    }

    /// Runs frozen tests in every language that has any.
    pub(super) async fn tests(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
        candidate: &Candidate,
        tests: Tests,
    ) -> PerformResult<Option<Performed>> {
        let mut ran = self.tests_by_language(context, inputs, candidate, tests).await?.0;
        if let Some(performed) = &mut ran {
            let left = inputs.without_room.iter().map(|it| it.language().name());
            let left = left.map(|name| format!("{name} tests: {NO_ROOM_BELOW}"));
            performed.judgement.not_run.extend(left);
        }
        Ok(ran)
    }

    /// The same, with the language of each test.
    pub(super) async fn tests_by_language(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
        candidate: &Candidate,
        tests: Tests,
    ) -> PerformResult<(Option<Performed>, Vec<Earlier>)> {
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

    /// Compares what a candidate added with the texts of the task.
    async fn honesty(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
        candidate: &Candidate,
    ) -> PerformResult<Performed> {
        let texts = self.task_texts(context, inputs).await?;
        let is_held_out = |path: &str| inputs.acceptance.held_out.contains_key(path);
        let items = &inputs.contract.items;
        let wanted = Wanted { said: &texts, items, is_held_out: &is_held_out };
        let judgement =
            self.gates.honesty(candidate, &inputs.toolchains, &wanted, &context.cancel).await?;
        Ok(without_runs(judgement))
    }

    /// The criteria, the contract, the other frozen parts and the text of the task.
    async fn task_texts(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
    ) -> PerformResult<String> {
        let mut texts = context.criteria_text();
        texts.push_str(&inputs.contract.contract);
        let parts = context.data.bundle.iter().flat_map(|bundle| &bundle.parts);
        for one in parts.filter(|one| one.kind != PartKind::Contract) {
            texts.push_str(&String::from_utf8_lossy(&self.store.blobs().find(&one.content).await?));
        }
        texts.push_str(&String::from_utf8_lossy(
            &self.store.blobs().find(&context.data.charter.text).await?,
        ));
        Ok(texts)
    }

    /// The tests of a task must kill mutants of the change.
    async fn strength(
        &self,
        context: &EffectContext,
        inputs: &GateInputs,
        candidate: &Candidate,
    ) -> PerformResult<Performed> {
        let mut all = Vec::new();
        let (mut runs, mut all_ms, mut counts) = (Vec::new(), 0, Vec::new());
        let sample = Sample { most: MUTANTS_MAX, seed: context.seed() };
        let trace = inputs.acceptance.trace(|_| true);
        for toolchain in &inputs.toolchains {
            let files = candidate.frozen.tests_of(*toolchain);
            let expected = inputs.expected(Tests::Written, &others(*toolchain), &files);
            let trying = Trying {
                sample: &sample,
                tests_s: inputs.tests_s,
                trace: &trace,
                known_failing: &expected.known_failing(),
            };
            let measured =
                self.gates.strength(candidate, *toolchain, &trying, &context.cancel).await?;
            let Some(Measured { mut judgement, score, runs: ran, tried_ms }) = measured else {
                continue;
            };
            runs.extend(ran);
            all_ms += tried_ms;
            let language = toolchain.language().name();
            let counted = score.as_ref().and_then(Score::counts);
            counts.extend(counted.map(|counted| format!("{language}: {counted}")));
            let survivors = score.into_iter().flat_map(|score| score.survivors);
            judgement.findings.extend(survivors.map(|(line, difference)| {
                Finding::architecture("no test notices this", &line, difference)
            }));
            // Survivors that the rule allows are shown with the evidence and raise no question.
            if judgement.verdict == Verdict::Pass {
                judgement.findings.clear();
            }
            // Nothing is wrong here that anybody could mend: whether tests notice the change is a person's to judge.
            if strength::is_silent(&judgement) {
                let what = judgement.because.join("; ");
                let finding = Finding::architecture("mutants of the change", language, what);
                judgement = Judgement { findings: vec![finding], ..Judgement::pass() };
            }
            all.push(judgement);
        }
        let judgement = all.into_iter().reduce(Judgement::and).unwrap_or_else(Judgement::pass);
        let said = if counts.is_empty() { NO_MUTANTS.to_owned() } else { counts.join("; ") };
        Ok(Performed {
            judgement,
            runs,
            tried_ms: all_ms,
            environment: Digest::ZERO,
            notes: vec![said],
        })
    }

    pub(super) async fn store(
        &self,
        performed: &Performed,
        name: &str,
        tree: Digest,
    ) -> PerformResult<Stored> {
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

/// What changed and nobody has seen or planned: old tests that a contract approved in advance lets change, and what a
/// person's fix changed outside of the plan.
fn for_a_person(context: &EffectContext, inputs: &GateInputs, tree: &Tree) -> Vec<Finding> {
    let start = |path: &String| context.base.leaves().get(path).copied();
    let is_changed = |path: &&String| tree.leaf(&context.base, path) != start(path);
    let mut found = Vec::new();
    if context.data.charter.freeze == Freeze::InAdvance {
        let declared = inputs.contract.declared.keys().filter(is_changed);
        let old = declared.filter(|path| start(path).is_some() && inputs.is_test(path));
        let what = "a test that was there before is changed";
        let finding = |path| Finding::architecture("nobody read the contract", path, what);
        found.extend(old.map(|path| finding(path)));
    }
    if context.data.fix_by.is_some() {
        let places: Vec<&String> = context.places().collect();
        let is_planned = |path: &String| places.iter().any(|it| slice::is_below(path, it));
        let written = |path: &String| inputs.acceptance.files().any(|(file, _)| file == path);
        let outside = tree.changes.keys().filter(|path| !is_planned(path) && !written(path));
        let what = "a person's fix changes it";
        let finding = |path| Finding::architecture("it is outside of the plan", path, what);
        found.extend(outside.map(|path| finding(path)));
    }
    found
}

const FAILURES_MAX: usize = 50;
/// A sample of a change needs no more, and each mutant costs a test run.
const MUTANTS_MAX: usize = 16;
