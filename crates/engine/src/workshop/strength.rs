//! Strength: mutants of the change, each built and tested in a clean room, must be killed by the tests.

use std::collections::BTreeSet;

use sealwright_gates::strength::{self, Aim, Baseline, Measure, Rules, Sample};
use sealwright_gates::{Finding, Judgement, Room};
use sealwright_kernel::Digest;

use super::bench::Bench;
use super::cast::Cast;
use super::{Case, Trouble, Workshop};
use crate::gatehouse::{Candidate, Performed, Tried};

impl<C: Cast> Workshop<C> {
    /// Tries what the tests would notice.
    pub(super) async fn strength(
        &self,
        case: &Case,
        bench: &Bench,
        candidate: &Candidate,
    ) -> Result<Performed, Trouble> {
        let mut all = Vec::new();
        let mut runs = Vec::new();
        for toolchain in &bench.toolchains {
            let changed = self.changed(case, candidate, *toolchain);
            let mut texts: Vec<(String, Option<String>, String)> = Vec::new();
            for path in &changed {
                let Candidate { trees, base, tree, before, .. } = candidate;
                let now = trees.read(base, tree, path).await?.unwrap_or_default();
                let was = trees.read(base, before, path).await?;
                let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
                texts.push((path.clone(), was.map(text), text(now)));
            }
            let aim = Aim::of(
                texts.iter().map(|(path, was, now)| (path.as_str(), was.as_deref(), now.as_str())),
            );
            if aim.files.is_empty() {
                continue;
            }
            let tests = candidate.frozen.tests_of(*toolchain);
            if tests.is_empty() {
                all.push(Judgement::cannot_tell("there are no tests that could notice anything"));
                continue;
            }
            let room = Room { toolchain: *toolchain, tests, timeout_s: bench.tests_s };
            let sample = Sample { most: MUTANTS_MAX, seed: case.seed() };
            let tried = self.house.try_wrongs(room, &aim, &sample, candidate, &case.cancel).await?;
            let Tried { chosen, ended, baseline, limit_ms, runs: ran } = match tried {
                Ok(tried) => tried,
                Err(why) => {
                    all.push(Judgement::cannot_tell(why));
                    continue;
                }
            };
            runs.extend(ran);
            if baseline == Baseline::Failed {
                // Which of them fail, and why, is for those who run them to say.
                all.push(Judgement::fail(vec![
                    "tests fail, so nothing is known of mutants".to_owned(),
                ]));
                continue;
            }
            let (outlines, _) = self.outlines(case, candidate, *toolchain, &changed).await?;
            let trace = bench.acceptance.trace(|_| true);
            let criteria: BTreeSet<String> = trace.0.values().flatten().cloned().collect();
            let (mut judgement, score) = strength::judge(&Measure {
                aim: &aim,
                outlines: &outlines,
                chosen: &chosen,
                ended: &ended,
                baseline,
                limit_ms,
                trace: &trace,
                criteria: &criteria.into_iter().collect::<Vec<_>>(),
                rules: Rules::default(),
            });
            judgement.findings.extend(score.survivors.into_iter().map(|(line, difference)| {
                Finding {
                    kind: sealwright_kernel::task::ResidueKind::Architecture,
                    rule: "no test notices this".to_owned(),
                    place: line,
                    what: difference,
                }
            }));
            // Survivors that the rule allows are shown with the evidence and are nobody's question.
            if judgement.verdict == sealwright_kernel::Verdict::Pass {
                judgement.findings.clear();
            }
            all.push(judgement);
        }
        let judgement = all.into_iter().reduce(Judgement::and).unwrap_or_else(Judgement::pass);
        Ok(Performed { judgement, runs, environment: Digest::ZERO })
    }
}

/// More than a sample of a change needs, and as many as there is time for.
const MUTANTS_MAX: usize = 16;
