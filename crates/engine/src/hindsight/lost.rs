//! Lost tests: those that ran before a change and do not any more. A test that moved or has another name is not lost.

use std::collections::BTreeSet;

use sealwright_gates::{Status, TestResult};

use super::account::{How, Lost};
use super::functions::TestFunction;
use super::suite::Suite;

/// A suite, and the functions in the files of it that changed.
#[derive(Clone, Copy)]
pub(super) struct Told<'t> {
    pub(super) suite: &'t Suite,
    pub(super) functions: &'t [TestFunction],
}

/// The tests that held before and do not run now.
pub(super) fn lost(before: Told<'_>, now: Told<'_>) -> Vec<Lost> {
    // Where something cannot be loaded, nobody knows which tests are missing; that it cannot is told already.
    if now.suite.is_broken() {
        return Vec::new();
    }
    let is_new = |it: &&TestResult| !before.suite.results.contains_key(&it.id);
    let new: Vec<&TestResult> = now.suite.results.values().filter(is_new).collect();
    let held = before.suite.results.values().filter(|it| it.status == Status::Passed);
    let mut lost: Vec<Lost> = Vec::new();
    let mut told = BTreeSet::new();
    for result in held {
        let how = match now.suite.status(&result.id) {
            Some(Status::Skipped { .. }) => How::Skipped,
            Some(Status::Passed | Status::Failed { .. } | Status::Broken { .. }) => continue,
            None if new.iter().any(|it| it.id.name == result.id.name) => continue,
            None => match gone(result, before.functions, now.functions, &new) {
                Some(how) => how,
                None => continue,
            },
        };
        let test = match has_other_cases(result, now.suite) {
            true => format!("{}{}", label(result, before.functions), case(&result.id.name)),
            false => label(result, before.functions),
        };
        if told.insert((test.clone(), how)) && lost.len() < LOST_MAX {
            lost.push(Lost { test, how });
        }
    }
    lost
}

/// What people call the test of a result: its file and name, or else what the runner says.
pub(super) fn label(result: &TestResult, functions: &[TestFunction]) -> String {
    let meant = functions.iter().find(|function| function.is_meant(result));
    let said = || format!("{} {}", result.id.suite, plain_name(&result.id.name)).trim().to_owned();
    meant.map_or_else(said, TestFunction::key)
}

/// Why a test that held is not told of any more; nothing, if it only has another name.
fn gone(
    result: &TestResult,
    before: &[TestFunction],
    now: &[TestFunction],
    new: &[&TestResult],
) -> Option<How> {
    let Some(was) = before.iter().find(|function| function.is_meant(result)) else {
        return Some(How::Removed);
    };
    let is_same = |it: &&TestFunction| {
        it.name() == was.name() || (!was.body.trim().is_empty() && it.body == was.body)
    };
    let mut same = now.iter().filter(is_same).peekable();
    if same.peek().is_none() {
        return Some(How::Removed);
    }
    let is_run = |it: &TestFunction| new.iter().any(|result| it.is_meant(result));
    match same.any(is_run) {
        true => None,
        // Other cases of it may have gone with what they were made of.
        false if now.iter().any(|it| it.key() == was.key() && it.is_test()) => Some(How::Removed),
        false => Some(How::Undiscovered),
    }
}

fn has_other_cases(result: &TestResult, now: &Suite) -> bool {
    let is_case = |it: &&TestResult| {
        it.id.suite == result.id.suite && plain_name(&it.id.name) == plain_name(&result.id.name)
    };
    now.results.values().filter(is_case).any(|it| it.id != result.id)
}

/// A name without what tells its cases apart.
pub(super) fn plain_name(name: &str) -> &str {
    name.split('[').next().unwrap_or(name)
}

fn case(name: &str) -> &str {
    &name[plain_name(name).len()..]
}

/// More are not told one by one.
const LOST_MAX: usize = 200;
