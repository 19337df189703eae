//! Weighing: what speaks against a change, and what nobody can tell about it.

use std::collections::BTreeSet;

use sealwright_gates::{TestId, TestResult};
use sealwright_kernel::Verdict;

use super::account::{Checked, End, Fate, How, Lost};
use super::changed_files::ChangedFiles;
use super::proof::Proof;
use super::suite::Suite;

#[derive(Debug, Default)]
pub(super) struct Weighing {
    against: Vec<String>,
    unclear: Vec<String>,
    /// The source changed, and no test with it: whether old tests notice the change is for mutants to tell.
    is_untested: bool,
    /// The change brings examples in comments: they may notice what no other test does.
    has_examples: bool,
}

impl Weighing {
    pub(super) fn against(&mut self, why: impl Into<String>) {
        self.against.push(why.into());
    }

    /// Nobody can tell this.
    pub(super) fn unclear(&mut self, why: impl Into<String>) {
        self.unclear.push(why.into());
    }

    /// What would have become of the change. Cannot tell is never a pass.
    pub(super) fn fate(self) -> Fate {
        match (self.against.is_empty(), self.unclear.is_empty()) {
            (false, _) => Fate::Stopped { why: self.against },
            (true, false) => Fate::CannotTell { why: self.unclear },
            (true, true) => Fate::Passed,
        }
    }

    /// Puts the tests on the scales: what fails now and did not before is the change's doing.
    pub(super) fn tests(&mut self, before: &Suite, now: &Suite, modules: &[String]) {
        let first = |suite: &Suite| suite.because.first().cloned().unwrap_or_default();
        let failed: Vec<&TestResult> = now.failed().collect();
        match now.verdict {
            Verdict::Pass => {}
            Verdict::CannotTell => self.unclear(format!("the tests: {}", first(now))),
            Verdict::Fail if failed.is_empty() && before.verdict != Verdict::Pass => {
                self.unclear(format!(
                    "the tests do not hold here, neither before the change nor after it: {}",
                    first(now)
                ))
            }
            Verdict::Fail if failed.is_empty() => {
                self.against(format!("the tests do not hold: {}", first(now)));
            }
            Verdict::Fail => {
                if let Some(package) = absent(now, modules) {
                    let why = format!("tests need `{package}`, which is not installed here");
                    return self.unclear(why);
                }
                let known: BTreeSet<&TestId> = before.failed().map(|it| &it.id).collect();
                // What failed before says nothing about the change.
                let new = failed.iter().filter(|it| !known.contains(&it.id));
                let new: Vec<&str> = new.map(|it| it.id.name.as_str()).collect();
                if new.is_empty() {
                    return;
                }
                let what = listed(new.into_iter(), "fails", "fail");
                match before.verdict {
                    Verdict::CannotTell => self.unclear(format!(
                        "{what}; how the tests end before the change is unknown: {}",
                        first(before)
                    )),
                    Verdict::Pass | Verdict::Fail => self.against(what),
                }
            }
        }
    }

    pub(super) fn lost(&mut self, lost: &[Lost]) {
        for how in [How::Weakened, How::Removed, How::Undiscovered, How::Skipped] {
            let tests = lost.iter().filter(|it| it.how == how).map(|it| it.test.as_str());
            if tests.clone().next().is_none() {
                continue;
            }
            let (one, many) = match how {
                How::Weakened => ("was weakened", "were weakened"),
                How::Removed => ("was removed", "were removed"),
                How::Undiscovered => ("is no longer found", "are no longer found"),
                How::Skipped => ("is skipped now", "are skipped now"),
            };
            self.against(listed(tests, one, many));
        }
    }

    pub(super) fn proof(&mut self, proof: &Proof, work: &ChangedFiles) {
        for test in &proof.tests {
            if let End::CannotFail { what } = &test.end {
                self.against(format!("{} cannot fail: {what}", test.test));
            }
        }
        self.has_examples = work.has_examples();
        if !work.has_news() || proof.holds() {
            return;
        }
        let of = |wanted: End| {
            let tests = proof.tests.iter().filter(move |test| test.end == wanted);
            tests.map(|test| test.test.as_str())
        };
        if of(End::Unclear).next().is_some() {
            let why = "cannot be tried without the change";
            self.unclear(listed(of(End::Unclear), why, why));
        } else if of(End::Green).next().is_some() {
            let (one, many) =
                ("passes without the change as well", "pass without the change as well");
            self.against(format!("nothing is proven: {}", listed(of(End::Green), one, many)));
        } else if proof.tests.is_empty() {
            self.is_untested = true;
        }
    }

    /// What mutants tell of a change, and first of all of one that came without a test.
    pub(super) fn mutants(&mut self, verdict: Option<Verdict>, because: Option<&String>) {
        let is_untested = std::mem::take(&mut self.is_untested);
        if verdict == Some(Verdict::Fail) {
            if self.has_examples {
                return self
                    .unclear("the examples in its comments are tests, and nothing runs them here");
            }
            self.against(because.cloned().unwrap_or_default());
        }
        if !is_untested {
            return;
        }
        let what = "the source changed, and no test with it";
        match verdict {
            Some(Verdict::Pass) => {}
            Some(Verdict::Fail) => {
                self.against.insert(0, format!("unproven: {what}, and no old test notices it"));
            }
            Some(Verdict::CannotTell) | None => self.unclear(format!(
                "{what}; without mutants nobody can tell whether old tests notice it"
            )),
        }
    }

    pub(super) fn check(&mut self, checked: &Checked) {
        let Checked { name, verdict, before, because, .. } = checked;
        let why = because.first().cloned().unwrap_or_default();
        match (verdict, before) {
            (Verdict::Pass, _) => {}
            // What did not hold before says nothing about the change.
            (Verdict::Fail, Some(Verdict::Fail)) => {
                self.unclear(format!("`{name}` fails, and did before: {why}"));
            }
            (Verdict::Fail, Some(Verdict::Pass | Verdict::CannotTell) | None) => {
                self.against(format!("`{name}` fails: {why}"));
            }
            (Verdict::CannotTell, _) => self.unclear(format!("`{name}` cannot tell: {why}")),
        }
    }
}

/// `2 tests fail: a, b`.
pub(super) fn listed<'n>(names: impl Iterator<Item = &'n str>, one: &str, many: &str) -> String {
    let names: Vec<&str> = names.collect();
    let shown = names[..names.len().min(SHOWN_MAX)].join(", ");
    let more = match names.len().saturating_sub(SHOWN_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    match names.len() {
        1 => format!("1 test {one}: {shown}"),
        count => format!("{count} tests {many}: {shown}{more}"),
    }
}

/// A package of others that the tests could not load, if there is one.
fn absent<'s>(suite: &'s Suite, modules: &[String]) -> Option<&'s String> {
    // Whoever tests something imports it under its own name, and that is missing for another reason.
    let is_own = |name: &str| {
        modules.iter().any(|module| module == name) || matches!(name, "tests" | "test")
    };
    suite.missing.iter().find(|name| !is_own(name))
}

const SHOWN_MAX: usize = 3;
