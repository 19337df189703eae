//! Judging: what the machine finds out about a candidate by itself.

use std::collections::BTreeSet;

use sealwright_gates::kinds::Named;
use sealwright_gates::trip;
use sealwright_gates::{Gate, Judgement, Status, TestResult, Toolchain};
use sealwright_kernel::slice::{self, GateKind, GateRun};
use sealwright_kernel::task::{Probe, ProbeResult, Report, Residue};
use sealwright_kernel::{Digest, Verdict};

use super::bench::{Bench, Earlier, Tests, of_language};
use super::cast::Cast;
use super::{Case, Trouble, Work, Workshop};
use crate::config::Set;
use crate::gatehouse::{Candidate, Performed, Stored};
use crate::own_checks::{ACCEPTANCE, HOLD_OUT, LOOK, STRENGTH};

impl<C: Cast> Workshop<C> {
    /// One of the gates of a slice: in every cycle the tests that are seen, before delivery also what else is checked.
    pub(super) async fn run_gate(
        &self,
        case: &Case,
        gate: GateKind,
        digest: Digest,
    ) -> Result<Work, Trouble> {
        let mut bench = self.bench(case).await?;
        let tree = self.tree(case, digest).await?;
        let candidate = self.candidate(case, &mut bench, tree, Tests::Seen).await?;
        let mut all = Vec::new();
        all.extend(self.tests(case, &bench, &candidate, Tests::Seen).await?);
        for check in self.checks_of(gate) {
            if all.iter().all(|it| it.judgement.verdict == Verdict::Pass) {
                all.push(self.check(case, &bench, &candidate, &check).await?);
            }
        }
        let performed = merged(all);
        let stored = self.store(&performed, gate.name(), digest).await?;
        let judgement = performed.judgement;
        let unmet = match gate {
            GateKind::Iteration => Vec::new(),
            GateKind::Exit => bench.unmet(case, &judgement.tests),
        };
        let run = GateRun {
            verdict: judgement.verdict,
            evidence: stored.evidence,
            failures: judgement.because.into_iter().take(FAILURES_MAX).collect(),
            cheats: judgement.cheats.into_iter().take(FAILURES_MAX).collect(),
            unmet,
            fingerprint: Some(case.fingerprint()),
        };
        let input = slice::Input::GateRan { effect: case.id.clone(), run };
        Ok(Work::slice(input).resting_on(stored.blobs))
    }

    /// One look at a candidate that is to be verified.
    pub(super) async fn probe(
        &self,
        case: &Case,
        probe: &Probe,
        digest: Digest,
    ) -> Result<Work, Trouble> {
        let mut bench = self.bench(case).await?;
        let tree = self.tree(case, digest).await?;
        let performed = match probe {
            Probe::Tripwire => {
                bench.grant(case, &tree);
                let listing = tree.listing(&case.base, &bench.before);
                let changes =
                    bench.guarded.compare(&trip::present(&listing), &bench.toolchains, &[]);
                // What nobody sees but the machine is not in the tree, and nobody took it away.
                let is_there = |change: &trip::Change| {
                    !(bench.acceptance.held_out.contains_key(&change.path)
                        && change.what == trip::What::Removed)
                };
                let changes: Vec<_> = changes.into_iter().filter(is_there).collect();
                said(trip::judge(&changes))
            }
            Probe::Check(name) => {
                let tests = match name.as_str() {
                    HOLD_OUT => Tests::HeldOut,
                    // Whoever notices a mutant has noticed it, seen or not.
                    STRENGTH => Tests::All,
                    _ => Tests::Seen,
                };
                let candidate = self.candidate(case, &mut bench, tree, tests).await?;
                self.check(case, &bench, &candidate, name).await?
            }
            Probe::Read(role) => return self.read(case, *role, digest).await,
        };
        let stored = self.store(&performed, &probe.key(), digest).await?;
        let judgement = performed.judgement;
        let is_held_out = matches!(probe, Probe::Check(name) if name == HOLD_OUT);
        let failed = match is_held_out {
            // Whoever mends it learns what does not hold, and not by which test.
            true if judgement.verdict == Verdict::Fail => {
                let unmet = bench.unmet(case, &judgement.tests).into_iter();
                unmet
                    .map(|it| format!("a test nobody sees finds that this does not hold: {it}"))
                    .collect()
            }
            true | false => judgement.because,
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
        Ok(Work::machine(case, Report::Probed { result }).resting_on(stored.blobs))
    }

    /// One check by its name.
    async fn check(
        &self,
        case: &Case,
        bench: &Bench,
        candidate: &Candidate,
        name: &str,
    ) -> Result<Performed, Trouble> {
        match name {
            ACCEPTANCE => {
                let ran = self.tests(case, bench, candidate, Tests::Seen).await?;
                Ok(ran.unwrap_or_else(|| said(Judgement::cannot_tell("no test could be run"))))
            }
            HOLD_OUT => {
                let ran = self.tests(case, bench, candidate, Tests::HeldOut).await?;
                Ok(ran.unwrap_or_else(|| said(Judgement::pass())))
            }
            HONESTY => self.honesty(case, bench, candidate).await,
            STRENGTH => self.strength(case, bench, candidate).await,
            name => {
                let gate = self.gate(case, bench, candidate, name)?;
                Ok(self.house.perform(&*gate, candidate, &case.cancel).await?)
            }
        }
    }

    /// The gate that people called by this name.
    fn gate(
        &self,
        case: &Case,
        bench: &Bench,
        candidate: &Candidate,
        name: &str,
    ) -> Result<Box<dyn Gate>, Trouble> {
        let check = self.config.checks().iter().find(|check| check.name == name);
        let Some(check) = check else {
            return Err(Trouble::Impossible { why: format!("there is no check `{name}`") });
        };
        let runner = runner(check.kind.key);
        let files = match runner {
            Some(toolchain) => of_language(toolchain, &candidate.frozen.tests),
            None => candidate.frozen.tests.clone(),
        };
        let expected = bench.expected(Tests::Seen, runner, &files);
        Ok(check.gate(files, expected, bench.announced(case)))
    }

    /// The checks that belong to a gate of a slice.
    fn checks_of(&self, gate: GateKind) -> Vec<String> {
        let set = match gate {
            GateKind::Iteration => Set::Iteration,
            GateKind::Exit => Set::Exit,
        };
        let own = self.config.checks().iter().filter(|check| check.is_in(set));
        own.map(|check| check.name.clone()).collect()
    }

    /// Runs frozen tests, in every language that has any.
    pub(super) async fn tests(
        &self,
        case: &Case,
        bench: &Bench,
        candidate: &Candidate,
        tests: Tests,
    ) -> Result<Option<Performed>, Trouble> {
        Ok(self.tests_by_language(case, bench, candidate, tests).await?.0)
    }

    /// The same, with each test and the language whose runner saw it.
    pub(super) async fn tests_by_language(
        &self,
        case: &Case,
        bench: &Bench,
        candidate: &Candidate,
        tests: Tests,
    ) -> Result<(Option<Performed>, Vec<Earlier>), Trouble> {
        let (mut all, mut seen) = (Vec::new(), Vec::new());
        for (toolchain, gate) in bench.gates(tests, &candidate.frozen.tests) {
            let performed = self.house.perform(&*gate, candidate, &case.cancel).await?;
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
    ) -> Result<Stored, Trouble> {
        Ok(performed.store(&[LOOK[0], LOOK[1], name], tree, &self.blobs).await?)
    }
}

impl Case {
    /// The contract that the plan was locked to.
    fn fingerprint(&self) -> Digest {
        let slice = self.known.slices.last().and_then(|slice| slice.charter());
        slice.map_or(Digest::ZERO, |charter| charter.planned.fingerprint)
    }
}

impl Bench {
    /// The criteria of which a test that was run does not hold.
    fn unmet(&self, case: &Case, results: &[TestResult]) -> Vec<String> {
        let of = |name: &str| {
            let named = Named::Anywhere(name.to_owned());
            results.iter().filter(move |result| named.means(&result.id))
        };
        let failed = self.acceptance.traces.iter().filter(|trace| {
            let is_failed = |it: &TestResult| it.status != Status::Passed;
            results.is_empty() || of(&trace.test).any(is_failed)
        });
        let numbers: BTreeSet<usize> = failed.map(|trace| trace.criterion).collect();
        let text = |number: usize| case.criteria().get(number - 1).cloned();
        numbers.into_iter().filter_map(text).collect()
    }

    pub(super) fn is_written(&self, result: &TestResult) -> bool {
        let mut traces = self.acceptance.traces.iter();
        traces.any(|trace| Named::Anywhere(trace.test.clone()).means(&result.id))
    }
}

/// The language whose tests a kind of check runs, if it is one.
fn runner(kind: &str) -> Option<Toolchain> {
    match kind {
        "cargo-test" | "nextest" => Some(Toolchain::Rust),
        "pytest" => Some(Toolchain::Python),
        _ => None,
    }
}

/// What several gates say together: the gravest verdict counts, and nothing is lost.
fn merged(all: Vec<Performed>) -> Performed {
    all.into_iter()
        .reduce(|mut first, second| {
            first.judgement = first.judgement.and(second.judgement);
            first.runs.extend(second.runs);
            first.tried_ms += second.tried_ms;
            first.environment =
                Digest::of(format!("{}{}", first.environment, second.environment).as_bytes());
            first
        })
        .unwrap_or_else(|| said(Judgement::cannot_tell("there is nothing that could be checked")))
}

/// What was found without running anything.
pub(super) fn said(judgement: Judgement) -> Performed {
    Performed { judgement, runs: Vec::new(), tried_ms: 0, environment: Digest::ZERO }
}

/// Source that knows its tests or does nothing.
pub const HONESTY: &str = "honesty";
const FAILURES_MAX: usize = 50;
