//! Wrongs: a candidate with one small thing wrong in it, built and tested like any other, many times.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sealwright_gates::strength::{Aim, Baseline, End, Mutant, Sample};
use sealwright_gates::{Room, Toolchain};
use sealwright_sandbox::plan::Limits;
use sealwright_sandbox::room::{Attempt, Bench, Conditions, RoomError, Wrong};
use sealwright_sandbox::{Cancel, Ended, RunOutcome};

use super::stopwatch::Stopwatch;
use super::{Candidate, Command, GateRunner, GateRunnerError};

#[derive(Debug)]
pub struct Tried {
    pub chosen: Vec<Mutant>,
    /// How they ended, in this order. Shorter, if time ran out.
    pub ended: Vec<End>,
    /// How the tests ended without any.
    pub baseline: Baseline,
    /// How long each was given.
    pub limit_ms: u64,
    pub runs: Vec<Command>,
    /// How long trying them took, all in all.
    pub tried_ms: u64,
}

/// Where mutants are tried.
#[derive(Clone, Copy)]
struct Place<'p> {
    bench: &'p Bench<'p>,
    toolchain: Toolchain,
    limits: Limits,
    conditions: &'p Conditions<'p>,
}

impl GateRunner {
    /// Lists mutants of what changed and tries a sample of them, or says why it cannot.
    ///
    /// Tests that fail without any mutant count for nothing, unless they are among `traced`.
    pub async fn try_wrongs(
        self: &Arc<Self>,
        room: Room,
        aim: &Aim,
        sample: &Sample,
        traced: BTreeSet<String>,
        candidate: &Candidate,
        cancel: &Arc<Cancel>,
    ) -> Result<Result<Tried, String>, GateRunnerError> {
        let toolchain = room.toolchain;
        if !self.tools.of(toolchain).is_some_and(|tools| tools.can_list_mutants()) {
            let tool = toolchain.language().facts().mutant_tool;
            return Ok(Err(format!("{} was not found: {}", tool.name, tool.hint)));
        }
        let (aim, sample) = (aim.clone(), sample.clone());
        let tried = self.in_room(room, candidate, cancel, move |gates, room, conditions| {
            let bench = room.bench()?;
            let place = Place { bench: &bench, toolchain, limits: room.limits, conditions };
            gates.measure(place, &aim, &sample, &traced)
        });
        Ok(tried.await?.and_then(|tried| tried))
    }

    fn measure(
        &self,
        place: Place<'_>,
        aim: &Aim,
        sample: &Sample,
        traced: &BTreeSet<String>,
    ) -> Result<Result<Tried, String>, RoomError> {
        let Place { bench, toolchain, limits, conditions } = place;
        let mutator = toolchain.language().mutator();
        let argv = (mutator.argv)(aim, sample);
        let words: Vec<&str> = argv.iter().map(String::as_str).collect();
        let listed = bench.list(&words, &self.slots.take()?, conditions)?;
        let run = command(&argv, &listed);
        if listed.ended != Ended::Exited(0) || listed.stdout.dropped > 0 {
            let said = String::from_utf8_lossy(&listed.stderr.kept).into_owned();
            return Ok(Err(format!("mutants could not be listed: {said}")));
        }
        let listing = match (mutator.read)(&listed.stdout.kept, aim) {
            Ok(listing) => listing,
            Err(unread) => return Ok(Err(unread.to_string())),
        };
        let chosen = sample.choose(&listing.mutants);
        let began = Stopwatch::start();
        let slot = self.slots.take()?;
        let plain = bench.attempt(Wrong::Nothing, limits, &slot, conditions)?;
        let millis = began.millis();
        let (baseline, failing) = match end(toolchain, &plain, &BTreeSet::new()) {
            End::Survived => (Baseline::Passed { millis }, BTreeSet::new()),
            End::Killed { by } if !by.is_empty() && !by.iter().any(|it| traced.contains(it)) => {
                (Baseline::Passed { millis }, by.into_iter().collect())
            }
            End::Killed { .. } | End::Unviable | End::TimedOut | End::Lost => {
                (Baseline::Failed, BTreeSet::new())
            }
        };
        drop(slot);
        let limit_ms = millis.saturating_mul(LONGER).max(LIMIT_MS_MIN);
        let ended = match baseline {
            Baseline::Failed => Vec::new(),
            Baseline::Passed { .. } => {
                let limits = Limits { wall_ms: limit_ms, ..limits };
                self.each(Place { limits, ..place }, &chosen, aim, &failing)?
            }
        };
        let tried_ms = began.millis();
        Ok(Ok(Tried { chosen, ended, baseline, limit_ms, runs: vec![run], tried_ms }))
    }

    /// Every mutant in a room of its own, two rooms at a time, until the time is over.
    fn each(
        &self,
        place: Place<'_>,
        chosen: &[Mutant],
        aim: &Aim,
        failing: &BTreeSet<String>,
    ) -> Result<Vec<End>, RoomError> {
        let Place { bench, toolchain, limits, conditions } = place;
        let began = Stopwatch::start();
        let next = AtomicUsize::new(0);
        let worker = || -> Result<Vec<(usize, End)>, RoomError> {
            let slot = self.slots.take()?;
            let mut ended = Vec::new();
            loop {
                let nth = next.fetch_add(1, Ordering::Relaxed);
                let Some(mutant) = chosen.get(nth) else { return Ok(ended) };
                if began.elapsed() > TIME_MAX {
                    return Ok(ended);
                }
                let text = aim.files.get(&mutant.path).and_then(|it| mutant.apply(&it.text));
                let Some(text) = text else {
                    ended.push((nth, End::Lost));
                    continue;
                };
                let wrong = Wrong::File { path: &mutant.path, content: text.as_bytes() };
                let attempt = bench.attempt(wrong, limits, &slot, conditions)?;
                ended.push((nth, end(toolchain, &attempt, failing)));
            }
        };
        let all = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(worker)).collect();
            workers
                .into_iter()
                .map(|it| it.join().map_err(|_| RoomError::Died)?)
                .collect::<Vec<_>>()
        });
        let mut ended = Vec::new();
        for one in all {
            ended.extend(one?);
        }
        ended.sort_by_key(|(nth, _)| *nth);
        // What was tried are the first of them; whatever lies behind a gap was not.
        let whole = ended.iter().enumerate().take_while(|(at, (nth, _))| at == nth).count();
        Ok(ended.into_iter().take(whole).map(|(_, end)| end).collect())
    }
}

/// How an attempt ended, where these tests fail in any case.
fn end(toolchain: Toolchain, attempt: &Attempt, failing: &BTreeSet<String>) -> End {
    if attempt.build.as_ref().is_some_and(|build| build.ended != Ended::Exited(0)) {
        return End::Unviable;
    }
    if attempt.runs.is_empty() {
        return End::Lost;
    }
    let is = |wanted: Ended| attempt.runs.iter().any(|(_, outcome)| outcome.ended == wanted);
    if is(Ended::TimedOut) {
        return End::TimedOut;
    }
    let bad = attempt.runs.iter().filter(|(_, outcome)| outcome.ended != Ended::Exited(0));
    let bad: Vec<&(String, RunOutcome)> = bad.collect();
    let language = toolchain.language();
    let is_verdict = |ended: Ended| match ended {
        Ended::Exited(code) => language.facts().failing_exits.contains(&code),
        Ended::Signalled(_) => true,
        Ended::TimedOut | Ended::OutOfRoom | Ended::Cancelled | Ended::Vanished => false,
    };
    if bad.is_empty() {
        return End::Survived;
    }
    if !bad.iter().any(|(_, outcome)| is_verdict(outcome.ended)) {
        return End::Lost;
    }
    let by =
        |(name, outcome): &&(String, RunOutcome)| language.failed_tests(name, &outcome.stdout.kept);
    let by: Vec<String> = bad.iter().flat_map(by).collect();
    let is_as_before = !by.is_empty() && by.iter().all(|test| failing.contains(test));
    let is_by_tests = bad.iter().all(|(_, outcome)| matches!(outcome.ended, Ended::Exited(_)));
    if is_as_before && is_by_tests {
        return End::Survived;
    }
    End::Killed { by: by.into_iter().filter(|test| !failing.contains(test)).collect() }
}

fn command(argv: &[String], outcome: &RunOutcome) -> Command {
    let ran = sealwright_gates::Ran {
        ended: super::ended(outcome.ended),
        stdout: sealwright_gates::Said::default(),
        stderr: sealwright_gates::Said::whole(outcome.stderr.kept.clone()),
        reports: Default::default(),
        millis: u64::try_from(outcome.wall.as_millis()).unwrap_or(u64::MAX),
    };
    // The words of a script are not for people.
    let argv = argv.iter().take(6).map(|word| word.chars().take(60).collect()).collect();
    Command {
        argv,
        ran,
        confinement: outcome.confinement.clone(),
        around: sealwright_kernel::Digest::ZERO,
    }
}

const AT_ONCE: usize = 2;
/// How much longer than the tests without a mutant one may take.
const LONGER: u64 = 5;
const LIMIT_MS_MIN: u64 = 10_000;
const TIME_MAX: Duration = Duration::from_secs(300);
