//! Red before green: acceptance tests must fail before anything is built, each of them, and for the right reason.
//!
//! ```text
//! skeleton + frozen tests ──run──▶ results ─┐
//! outlines of the tests ────────────────────┼──▶ seen red, test by test  ──▶ accepted
//! criteria and trace ───────────────────────┘    or why not                  or sent back
//! ```
//!
//! The right reason is that what the contract declares is not there yet: an assertion, a panic or an exception in a
//! test that ran. Where the skeleton lacks an item altogether nothing runs, so a missing item counts only if
//! everything that is wrong stands in frozen test files, is about a name of the module under test that the contract
//! declares, and the test uses that very name. A typing error, a package that is not installed, a fixture that
//! broke, a test that was skipped: all of these go back. A test that would hide behind another's missing item is
//! one that does not name it, and goes back too.

mod vacuity;

use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::Cheat;
use serde::{Deserialize, Serialize};

use crate::toolchain::{Function, Kind, Language, Missing, Outline, TestRun, Unread, whole_name};
use crate::{Judgement, Status, TestId, TestResult, Toolchain};

pub use crate::toolchain::UnderTest;

#[derive(Clone, Debug)]
pub struct Trial<'t> {
    pub toolchain: Toolchain,
    pub frozen: &'t [String],
    /// Their outlines, and those of their helpers.
    pub outlines: &'t [Outline],
    pub unread: &'t [Unread],
    pub results: &'t [TestResult],
    /// What programs pass that work nothing out; none where there are no such programs.
    pub idle: &'t [IdleProgram],
    /// The messages of a compiler that could not build them, a line of JSON each.
    pub build: &'t str,
    pub under_test: &'t UnderTest,
    pub criteria: &'t [String],
    pub trace: &'t Trace,
    /// Tests whose skipping is declared, as those of another platform. They prove nothing here.
    pub may_skip: &'t [String],
    /// Whether nothing observable changes, so that tests have to pass.
    pub keeps_behaviour: bool,
}

/// A program in the place of the code that works nothing out, and how the tests end with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdleProgram {
    /// Such as `answers 0`.
    pub does: String,
    pub passed: Vec<TestId>,
    pub failed: Vec<TestId>,
}

/// Which test proves which criteria. A test is called `path::name`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Trace(pub BTreeMap<String, BTreeSet<String>>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Red {
    /// The tests that were seen to fail for the right reason.
    pub seen: BTreeMap<String, Because>,
    pub refused: Vec<Reason>,
    /// Notes for the author of the tests.
    pub told: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// It ran, and something does not hold.
    Failed,
    /// An item is missing that the contract declares.
    Missing,
    /// It passes, and nothing observable is to change.
    Kept,
}

/// Why a test, or all of them, go back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Which, as `path::name`; a file, a criterion.
    pub subject: String,
    pub why: Wrong,
    pub what: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// It passed before anything was built.
    Green,
    Vacuous,
    /// It fails because of itself.
    Broken,
    NotRun,
    /// It fails although nothing observable is to change.
    NotKept,
    /// No test proves it.
    Unproven,
    /// The trace names what does not exist.
    Astray,
}

pub fn judge(trial: &Trial<'_>) -> Red {
    let mut red = Red::default();
    let language = trial.toolchain.language();
    for unread in trial.unread {
        red.refuse(&unread.path, Wrong::Broken, &unread.why);
    }
    let tests = tests(trial);
    let trace = resolved(trial.trace, &tests);
    let trial = &Trial { trace: &trace, ..trial.clone() };
    for path in trial.frozen {
        if !tests.iter().any(|test| test.path == path)
            && !trial.unread.iter().any(|unread| &unread.path == path)
        {
            red.refuse(path, Wrong::NotRun, "no test is found in it");
        }
    }
    let missing = missing(trial, &mut red);
    for test in &tests {
        let own: Vec<_> = trial.results.iter().filter(|one| test.is_meant(one, language)).collect();
        if own.is_empty() {
            if uses(&missing, test, trial.outlines) && !trial.keeps_behaviour {
                red.seen.insert(test.key.clone(), Because::Missing);
            } else {
                red.refuse(&test.key, Wrong::NotRun, "it was not seen to fail");
            }
        }
        for result in own {
            one(trial, test, result, &mut red);
        }
        let modules = &trial.under_test.modules;
        if let Some((what, is_all)) = vacuity::look(test.function, trial.outlines, modules) {
            match is_all {
                vacuity::Extent::Whole => red.refuse(&test.key, Wrong::Vacuous, &what),
                vacuity::Extent::Part => red.told.push(format!("{}: {what}", test.key)),
            }
        }
    }
    // A test that was refused for anything was not seen red.
    for reason in &red.refused {
        red.seen.remove(&reason.subject);
    }
    traced(trial, &tests, &mut red);
    red.refused.sort_by(|a, b| (a.why, &a.subject).cmp(&(b.why, &b.subject)));
    red.refused.dedup();
    red
}

pub fn key(path: &str, function: &Function) -> String {
    format!("{path}::{}", function.name)
}

/// The test a runner speaks of, as it is called in a trace. Cases of one test share its name.
pub fn key_of(
    language: &dyn Language,
    outlines: &[Outline],
    result: &TestResult,
) -> Option<String> {
    let tests = outlines.iter().flat_map(|outline| outline.tests().map(move |it| (outline, it)));
    let mut tests = tests.map(|(outline, function)| Test::new(&outline.path, function));
    tests.find(|test| test.is_meant(result, language)).map(|test| test.key)
}

impl Red {
    /// Whether the tests may be frozen.
    pub fn is_accepted(&self) -> bool {
        self.refused.is_empty() && !self.seen.is_empty()
    }

    /// It as a gate says it: passing means that the tests failed as they must.
    pub fn judgement(&self, results: &[TestResult]) -> Judgement {
        if self.is_accepted() {
            return Judgement::pass().with_tests(results.to_vec());
        }
        let mut because: Vec<_> = self.refused.iter().map(Reason::line).collect();
        if because.is_empty() {
            because.push("no test was seen to fail".to_owned());
        }
        let mut judgement = Judgement::fail(because).with_tests(results.to_vec());
        let vacuous = self.refused.iter().filter(|reason| reason.why == Wrong::Vacuous);
        judgement.cheats = vacuous.map(|it| (Cheat::VacuousAsserts, it.line())).collect();
        judgement
    }

    fn refuse(&mut self, subject: &str, why: Wrong, what: &str) {
        let what = what.chars().take(WHAT_MAX).collect();
        self.refused.push(Reason { subject: subject.to_owned(), why, what });
    }
}

impl Reason {
    pub fn line(&self) -> String {
        let why = match self.why {
            Wrong::Green => "passes before anything is built",
            Wrong::Vacuous => "cannot fail",
            Wrong::Broken => "fails because of itself",
            Wrong::NotRun => "was not run",
            Wrong::NotKept => "fails before the change, and nothing observable is to change",
            Wrong::Unproven => "is proven by no test",
            Wrong::Astray => "is named in the trace and does not exist",
        };
        let what = if self.what.is_empty() { String::new() } else { format!(": {}", self.what) };
        let is_number = self.subject.bytes().all(|byte| byte.is_ascii_digit());
        let of = if is_number { "criterion " } else { "" };
        format!("{of}{} {why}{what}", self.subject)
    }
}

struct Test<'t> {
    key: String,
    path: &'t str,
    function: &'t Function,
}

impl<'t> Test<'t> {
    fn new(path: &'t str, function: &'t Function) -> Self {
        Self { key: key(path, function), path, function }
    }

    /// Whether a result is about this test, or about one of its cases.
    fn is_meant(&self, result: &TestResult, language: &dyn Language) -> bool {
        self.is_called(&result.id, language)
    }

    fn is_called(&self, id: &TestId, language: &dyn Language) -> bool {
        let said = id.name.split('[').next().unwrap_or_default();
        let said = said.replace('.', "::");
        let name = &self.function.name;
        let last = |text: &str| text.rsplit("::").next().unwrap_or_default().to_owned();
        let class = name.rsplit_once("::").map(|(class, _)| class);
        let has_class = class.is_none_or(|class| {
            said.contains("::") && said.ends_with(name.as_str())
                || id.suite.rsplit(['.', ':']).next() == class.rsplit("::").next()
        });
        language.is_in(id, self.path)
            && !language.is_whole_file(id, self.path)
            && last(&said) == last(name)
            && has_class
    }
}

/// Whether a test uses a missing item, itself or through functions of its file: on a line, or by a name that stands for it.
fn uses(missing: &Missing, test: &Test<'_>, outlines: &[Outline]) -> bool {
    let reached = reached(test, outlines);
    missing.items.iter().any(|(path, line, names)| {
        let is_used = |function: &&Function| {
            let is_inside = (function.first..=function.last).contains(line);
            is_inside || names.iter().any(|name| function.mentions.contains(name))
        };
        path == test.path && reached.iter().any(is_used)
    })
}

/// A test and what it calls in its file: helpers, fixtures that it asks for, and what sets it up.
fn reached<'f>(test: &Test<'f>, outlines: &'f [Outline]) -> Vec<&'f Function> {
    fn split(name: &str) -> (&str, &str) {
        name.rsplit_once("::").unwrap_or(("", name))
    }
    let (class, _) = split(&test.function.name);
    let of_file = outlines.iter().filter(|outline| outline.path == test.path);
    let mut others: Vec<&Function> =
        of_file.flat_map(|outline| &outline.functions).filter(|it| it.kind != Kind::Test).collect();
    let mut reached = vec![test.function];
    loop {
        let is_reached = |function: &&Function| {
            let (of, name) = split(&function.name);
            let is_set_up = name.to_lowercase().replace('_', "").starts_with("setup");
            let is_named = |by: &&Function| {
                by.mentions.contains(name) || by.parameters.iter().any(|it| it == name)
            };
            is_set_up && (of.is_empty() || of == class) || reached.iter().any(is_named)
        };
        let (more, rest): (Vec<&Function>, Vec<&Function>) =
            others.into_iter().partition(|it| is_reached(it));
        if more.is_empty() {
            return reached;
        }
        reached.extend(more);
        others = rest;
    }
}

fn tests<'t>(trial: &Trial<'t>) -> Vec<Test<'t>> {
    let frozen = trial.outlines.iter().filter(|outline| trial.frozen.contains(&outline.path));
    let tests = frozen.flat_map(|outline| outline.tests().map(|it| Test::new(&outline.path, it)));
    tests.collect()
}

/// What the run lacked. Errors that no missing item explains are refused.
fn missing(trial: &Trial<'_>, red: &mut Red) -> Missing {
    let Trial { frozen, outlines, results, build, under_test, .. } = *trial;
    let run = TestRun { frozen, outlines, results, build, under_test };
    let missing = trial.toolchain.language().missing(&run);
    for (place, message) in &missing.broken {
        red.refuse(place, Wrong::Broken, message);
    }
    missing
}

fn one(trial: &Trial<'_>, test: &Test<'_>, result: &TestResult, red: &mut Red) {
    let broken = |why: &str| trial.toolchain.language().broken(why, trial.under_test);
    match &result.status {
        Status::Passed if trial.keeps_behaviour => {
            red.seen.entry(test.key.clone()).or_insert(Because::Kept);
        }
        Status::Failed { why } | Status::Broken { why } if trial.keeps_behaviour => {
            red.refuse(&test.key, Wrong::NotKept, why);
        }
        Status::Passed => red.refuse(&test.key, Wrong::Green, &result.id.name),
        Status::Skipped { why } if trial.may_skip.contains(&test.key) => {
            red.told.push(format!("{}: skipped, as declared: {why}", test.key));
        }
        Status::Skipped { why } => {
            red.refuse(&test.key, Wrong::NotRun, &format!("it was skipped: {why}"));
        }
        Status::Failed { why } => match broken(why) {
            Some(what) => red.refuse(&test.key, Wrong::Broken, &what),
            None => {
                red.seen.entry(test.key.clone()).or_insert(Because::Failed);
            }
        },
        // What sets a test up may already need what is not written.
        Status::Broken { why }
            if trial.toolchain.language().is_unwritten(why, trial.under_test) =>
        {
            red.seen.entry(test.key.clone()).or_insert(Because::Failed);
        }
        // Whatever else broke outside of the test's own steps is not what it tests.
        Status::Broken { why } => red.refuse(&test.key, Wrong::Broken, why),
    }
}

/// The trace with whole names.
fn resolved(trace: &Trace, tests: &[Test<'_>]) -> Trace {
    let mut resolved = Trace::default();
    for (key, criteria) in &trace.0 {
        let (path, name) = key.split_once("::").unwrap_or((key, ""));
        let own = tests.iter().filter(|it| it.path == path).map(|it| it.function.name.as_str());
        let whole = whole_name(own, name).map_or_else(|| key.clone(), |it| format!("{path}::{it}"));
        resolved.0.entry(whole).or_default().extend(criteria.iter().cloned());
    }
    resolved
}

fn traced(trial: &Trial<'_>, tests: &[Test<'_>], red: &mut Red) {
    for (test, criteria) in &trial.trace.0 {
        if !tests.iter().any(|known| &known.key == test) {
            red.refuse(test, Wrong::Astray, "no such test");
        }
        for criterion in criteria.iter().filter(|one| !trial.criteria.contains(one)) {
            red.refuse(criterion, Wrong::Astray, &format!("no such criterion, in {test}"));
        }
    }
    for criterion in trial.criteria {
        let proven = |(test, criteria): (&String, &BTreeSet<String>)| {
            criteria.contains(criterion) && red.seen.contains_key(test)
        };
        if !trial.trace.0.iter().any(proven) {
            red.refuse(criterion, Wrong::Unproven, "no test that was seen red is traced to it");
        } else if let Some(why) = idle(trial, tests, criterion) {
            red.refuse(criterion, Wrong::Unproven, &why);
        }
    }
    for test in tests.iter().filter(|test| !trial.trace.0.contains_key(&test.key)) {
        red.told.push(format!("{}: it proves no criterion", test.key));
    }
}

/// Which program that works nothing out passes all tests of a criterion.
fn idle(trial: &Trial<'_>, tests: &[Test<'_>], criterion: &String) -> Option<String> {
    let language = trial.toolchain.language();
    let is_traced = |test: &&Test<'_>| {
        trial.trace.0.get(&test.key).is_some_and(|criteria| criteria.contains(criterion))
    };
    let traced: Vec<&Test<'_>> = tests.iter().filter(is_traced).collect();
    let is_in = |test: &Test<'_>, ids: &[TestId]| ids.iter().any(|id| test.is_called(id, language));
    let passes = |it: &&IdleProgram| {
        traced.iter().all(|test| is_in(test, &it.passed) && !is_in(test, &it.failed))
    };
    let does = &trial.idle.iter().find(passes)?.does;
    let names: Vec<&str> = traced.iter().map(|test| test.function.name.as_str()).collect();
    let names = names.join(", ");
    Some(format!(
        "a program that {does} passes {names}. Compare an answer with a value that is written out"
    ))
}

const WHAT_MAX: usize = 400;

#[cfg(test)]
mod tests;
