//! Strength: mutants of a change, each built and tested in a clean room, and what came of them.

use std::sync::Arc;

use sealwright_gates::red::Trace;
use sealwright_gates::strength::{self, Aim, Baseline, Measure, Rules, Sample, Score};
use sealwright_gates::{Judgement, Room, TestId, Toolchain};
use sealwright_sandbox::Cancel;

use super::honesty::changed;
use super::{Candidate, Command, GateRunner, GateRunnerError, Tried};

#[derive(Clone, Copy, Debug)]
pub struct Trying<'t> {
    /// How many, and which.
    pub sample: &'t Sample,
    /// How long one run of tests may take.
    pub tests_s: u32,
    /// Which test proves which criteria.
    pub trace: &'t Trace,
    /// Tests that failed before the change.
    pub known_failing: &'t [TestId],
}

/// What the tests of one language noticed.
#[derive(Clone, Debug)]
pub struct Measured {
    pub judgement: Judgement,
    /// The mutants, counted, where any were tried.
    pub score: Option<Score>,
    pub runs: Vec<Command>,
    pub tried_ms: u64,
}

impl GateRunner {
    /// Tries what the tests of one language would notice. Nothing, where none of its source does anything else now.
    pub async fn strength(
        self: &Arc<Self>,
        candidate: &Candidate,
        toolchain: Toolchain,
        trying: &Trying<'_>,
        cancel: &Arc<Cancel>,
    ) -> Result<Option<Measured>, GateRunnerError> {
        let changed = changed(candidate, toolchain);
        let mut texts: Vec<(String, Option<String>, String)> = Vec::new();
        for path in &changed {
            let Candidate { trees, base, tree, before, .. } = candidate;
            let now = trees.read(base, tree, path).await?.unwrap_or_default();
            let was = trees.read(base, before, path).await?;
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            let (was, now) = (was.map(text), text(now));
            // Comments do nothing that a test could notice.
            let code = |text: &str| toolchain.language().code(text);
            if was.as_deref().is_none_or(|was| code(was) != code(&now)) {
                texts.push((path.clone(), was, now));
            }
        }
        let aim = Aim::of(
            texts.iter().map(|(path, was, now)| (path.as_str(), was.as_deref(), now.as_str())),
        );
        if aim.files.is_empty() {
            return Ok(None);
        }
        let only = |judgement| {
            Ok(Some(Measured { judgement, score: None, runs: Vec::new(), tried_ms: 0 }))
        };
        let tests = candidate.frozen.tests_of(toolchain);
        if tests.is_empty() {
            return only(Judgement::cannot_tell("there are no tests that could notice anything"));
        }
        let traced = trying.trace.0.keys().cloned().collect();
        let known_failing = trying.known_failing.to_vec();
        let room = Room { toolchain, tests, known_failing, timeout_s: trying.tests_s };
        let tried = self.try_wrongs(room, &aim, trying.sample, traced, candidate, cancel).await?;
        let Tried { chosen, ended, baseline, limit_ms, runs, tried_ms } = match tried {
            Ok(tried) => tried,
            Err(why) => return only(Judgement::cannot_tell(why)),
        };
        if baseline == Baseline::Failed {
            // Which of them fail, and why, is for those who run them to say.
            let judgement =
                Judgement::fail(vec!["tests fail, so nothing is known of mutants".to_owned()]);
            return Ok(Some(Measured { judgement, score: None, runs, tried_ms }));
        }
        let (outlines, _) = self.outlines(candidate, toolchain, &changed, cancel).await?;
        let mut criteria: Vec<String> = trying.trace.0.values().flatten().cloned().collect();
        criteria.sort();
        criteria.dedup();
        let (judgement, score) = strength::judge(&Measure {
            aim: &aim,
            outlines: &outlines,
            chosen: &chosen,
            ended: &ended,
            baseline,
            limit_ms,
            trace: trying.trace,
            criteria: &criteria,
            rules: Rules::default(),
        });
        Ok(Some(Measured { judgement, score: Some(score), runs, tried_ms }))
    }
}
