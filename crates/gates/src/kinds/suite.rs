//! Suites: what was reported about tests, held against what had to be seen and against how the run ended.

use std::collections::BTreeMap;

use crate::kinds::scales::{Scales, printed};
use crate::kinds::{Expected, Known};
use crate::reports::{Tests, Unreadable};
use crate::{Ended, Finding, Ran, Status, Step, TestId, TestResult};

/// Runs whose tests are judged together.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    results: Vec<TestResult>,
    /// Reports that could not be read: which of their tests are missing is unknown.
    unread: u32,
}

impl Runs {
    /// Judges a single run by its report.
    pub(crate) fn judge_one(
        what: &str,
        ran: &Ran,
        report: Result<Tests, Unreadable>,
        expected: &Expected,
    ) -> Step {
        let (mut runs, mut scales) = (Self::default(), Scales::default());
        runs.add(&mut scales, what, ran, report);
        runs.conclude(&mut scales, expected);
        scales.say()
    }

    /// Puts one run and its report on the scales. `what` is how it is called: "the command".
    pub(crate) fn add(
        &mut self,
        scales: &mut Scales,
        what: &str,
        ran: &Ran,
        report: Result<Tests, Unreadable>,
    ) {
        let tests = match report {
            Ok(tests) => tests,
            Err(error) => {
                self.unread += 1;
                scales.ended(what, ran);
                return scales.unclear(format!("{what}: {error}{}", printed(ran)));
            }
        };
        let failed = tests.results.iter().filter(|result| is_failed(&result.status)).count();
        match (ran.ended, failed) {
            (Ended::Exited(0), 0) => {}
            (Ended::Exited(0), failed) => {
                scales.against(format!("{what} exited with 0, and {failed} of its tests failed"));
            }
            // The tests that failed say more than a number.
            (Ended::Exited(1..126), 1..) => {}
            (Ended::Exited(code @ 1..126), 0) => {
                scales.against(format!(
                    "{what} exited with {code}, and every test it tells of passed{}",
                    printed(ran)
                ));
            }
            (
                Ended::Exited(_)
                | Ended::Signalled(_)
                | Ended::TimedOut
                | Ended::OutOfRoom
                | Ended::Lost,
                _,
            ) => scales.ended(what, ran),
        }
        tests.odd.into_iter().for_each(|odd| scales.unclear(odd));
        self.results.extend(tests.results);
    }

    /// Takes the results of tests that failed before. How their run ended says nothing.
    pub(crate) fn add_known(&mut self, report: Result<Tests, Unreadable>) {
        self.results.extend(report.into_iter().flat_map(|tests| tests.results));
    }

    /// Puts all results on the scales, held against what had to be seen.
    pub(crate) fn conclude(self, scales: &mut Scales, expected: &Expected) {
        let mut seen: BTreeMap<&TestId, Times> = BTreeMap::new();
        for TestResult { id, status, .. } in &self.results {
            let times = seen.entry(id).or_default();
            times.told += 1;
            match status {
                Status::Passed => times.ran += 1,
                Status::Failed { .. } | Status::Broken { .. } if expected.may_fail(id) => {
                    times.ran += 1;
                }
                Status::Failed { why } => {
                    times.ran += 1;
                    scales.against(told(id, "failed", why));
                }
                Status::Broken { why } => {
                    times.ran += 1;
                    scales.against(told(id, "did not finish", why));
                }
                Status::Skipped { why } if !expected.may_skip(id) => {
                    scales.against(told(id, "was skipped, which was not declared", why));
                }
                Status::Skipped { .. } => {}
            }
        }
        for (id, times) in seen.iter().filter(|(_, times)| times.told > 1) {
            let what = format!("is told of {} times, so one result could hide another", times.told);
            scales.against(told(id, &what, ""));
        }
        if self.unread == 0 {
            missing(scales, &seen, expected);
        }
        scales.tests(self.results);
    }
}

/// How often a test was reported, and how often it ran.
#[derive(Default)]
struct Times {
    told: u32,
    ran: u32,
}

fn missing(scales: &mut Scales, seen: &BTreeMap<&TestId, Times>, expected: &Expected) {
    if expected.known != Known::Any && seen.values().all(|times| times.ran == 0) {
        scales.against("no test ran");
    }
    let new = seen.keys().filter(|id| !expected.baseline.contains(id));
    let mut new: Vec<&TestId> = new.copied().collect();
    for id in expected.baseline.iter().filter(|id| !seen.contains_key(id)) {
        match new.iter().position(|it| is_same_elsewhere(id, it)) {
            Some(at) => drop(new.swap_remove(at)),
            None => scales.against(told(id, MISSING, "")),
        }
    }
    for named in expected.moved.iter().filter(|named| !seen.keys().any(|id| named.means(id))) {
        let what = "a test that was there before is gone";
        scales.finding(Finding::architecture("its file may change", &named.text(), what));
    }
    for named in &expected.acceptance {
        if !seen.keys().any(|id| named.means(id)) {
            scales.against(format!("`{}` {MISSING}", named.text()));
        }
    }
}

/// Whether a test is one that was there before, in a module with another name. Only a test inside of source can move so, with
/// the code that it stands beside, and what it says was never frozen.
fn is_same_elsewhere(before: &TestId, now: &TestId) -> bool {
    let last = |id: &TestId| id.name.rsplit_once("::").map(|(_, last)| last.to_owned());
    let is_inner = INNER.iter().any(|kind| before.suite.starts_with(kind));
    is_inner && before.suite == now.suite && last(before).is_some() && last(before) == last(now)
}

fn is_failed(status: &Status) -> bool {
    match status {
        Status::Failed { .. } | Status::Broken { .. } => true,
        Status::Passed | Status::Skipped { .. } => false,
    }
}

fn told(id: &TestId, what: &str, why: &str) -> String {
    let TestId { suite, name } = id;
    let why = if why.is_empty() { String::new() } else { format!(": {why}") };
    format!("`{name}` in `{suite}` {what}{why}")
}

/// How suites are called whose tests stand inside of source.
const INNER: [&str; 2] = ["lib ", "bin "];
const MISSING: &str = "was not seen: it was renamed, deleted or filtered out";

#[cfg(test)]
mod tests;
