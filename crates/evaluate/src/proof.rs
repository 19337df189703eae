//! Proof: how the tests that came with a change end without it.
//!
//! A test passes with the change, and everything but the work itself is the same without it. So whatever keeps it from
//! passing there is what the change brought, and no reason has to be looked for. Where nothing could be built or loaded,
//! a test counts only if it uses a name that the change brought: another one would hide behind it.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_gates::red::{self, Trace, UnderTest, Wrong};
use sealwright_gates::strength::changed;
use sealwright_gates::toolchain::Outline;
use sealwright_gates::{Status, TestResult, Toolchain};

use super::account::{End, Proven};
use super::functions::TestFunction;
use super::lost::{label, plain_name};
use super::suite::Suite;

#[derive(Clone, Copy)]
pub(super) struct Trial<'t> {
    /// The tests of before on the work of before.
    pub(super) before: &'t Suite,
    /// The tests of now on the work of now.
    pub(super) now: &'t Suite,
    /// The tests of now on the work of before.
    pub(super) without: &'t Suite,
    /// The functions of test files that changed, as they are now.
    pub(super) functions: &'t [TestFunction],
    /// Those of them that were there and read otherwise.
    pub(super) edited: &'t BTreeSet<String>,
    /// Those that cannot fail, and what they do instead.
    pub(super) vacuous: &'t BTreeMap<String, String>,
    /// Names that the change brought.
    pub(super) brought: &'t BTreeSet<String>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Proof {
    pub(super) tests: Vec<Proven>,
    /// How many other tests fail without it.
    pub(super) others: usize,
}

impl Proof {
    /// Whether any test tells the change from what was there before.
    pub(super) fn holds(&self) -> bool {
        self.others > 0 || self.tests.iter().any(|test| test.end.is_proof())
    }
}

pub(super) fn prove(trial: &Trial<'_>) -> Proof {
    let mut proof = Proof::default();
    let mut ends: BTreeMap<String, End> = BTreeMap::new();
    let held = trial.now.results.values().filter(|it| it.status == Status::Passed);
    for result in held {
        let meant = trial.functions.iter().find(|function| function.is_meant(result));
        let is_edited = meant.is_some_and(|it| trial.edited.contains(&it.key()));
        let is_new = is_new(result, trial.before);
        let end = match trial.without.status(&result.id) {
            Some(Status::Passed) => End::Green,
            Some(Status::Failed { .. } | Status::Broken { .. } | Status::Skipped { .. }) => {
                End::Red
            }
            None => match meant {
                Some(it) if !it.function().mentions.is_disjoint(trial.brought) => End::Missing,
                Some(_) | None => End::Unclear,
            },
        };
        if is_new || is_edited {
            let test = label(result, trial.functions);
            let known = ends.entry(test).or_insert(End::Unclear);
            // One case that fails without the change is enough.
            if weight(&end) > weight(known) {
                *known = end;
            }
        } else if end == End::Red {
            proof.others += 1;
        }
    }
    for (test, what) in trial.vacuous {
        ends.insert(test.clone(), End::CannotFail { what: what.clone() });
    }
    proof.tests = ends.into_iter().map(|(test, end)| Proven { test, end }).collect();
    proof
}

/// Those of these tests that cannot fail, as far as their text tells. `around` is everything they may call.
pub(super) fn vacuous(
    toolchain: Toolchain,
    tests: &[&TestFunction],
    around: &[Outline],
) -> BTreeMap<String, String> {
    let paths: BTreeSet<String> = tests.iter().map(|test| test.path().to_owned()).collect();
    let helpers = around.iter().filter(|outline| !paths.contains(&outline.path)).cloned();
    let outlines: Vec<Outline> = tests
        .iter()
        .map(|test| test.outline().clone())
        .chain(helpers)
        .chain(sanitize(around, &paths))
        .collect();
    let judged = red::judge(&red::Trial {
        toolchain,
        frozen: &paths.into_iter().collect::<Vec<_>>(),
        outlines: &outlines,
        unread: &[],
        results: &[],
        idle: &[],
        build: "",
        under_test: &UnderTest::default(),
        criteria: &[],
        trace: &Trace::default(),
        may_skip: &[],
        keeps_behaviour: false,
    });
    let reasons = judged.refused.into_iter().filter(|reason| reason.why == Wrong::Vacuous);
    reasons.map(|reason| (reason.subject, reason.what)).collect()
}

/// Names that a file brings: those on changed lines that nothing was called by before, and those that are defined anew.
pub(super) fn brought(before: &str, now: &str) -> BTreeSet<String> {
    let known: BTreeSet<&str> = names(before).collect();
    let lines: Vec<&str> = now.lines().collect();
    let mut brought = BTreeSet::new();
    for (first, last) in changed(before, now) {
        let range = (first as usize).saturating_sub(1)..(last as usize).min(lines.len());
        for line in lines.get(range).unwrap_or_default() {
            brought.extend(names(line).filter(|name| !known.contains(name)).map(str::to_owned));
            brought.extend(defined(line).map(str::to_owned));
        }
    }
    brought
}

/// The names that are defined on changed lines.
pub(super) fn definitions(before: &str, now: &str) -> BTreeSet<String> {
    let lines: Vec<&str> = now.lines().collect();
    let ranges = changed(before, now);
    let all = ranges.into_iter().flat_map(|(first, last)| {
        lines.get((first as usize).saturating_sub(1)..(last as usize).min(lines.len()))
    });
    all.flatten().filter_map(|line| defined(line)).map(str::to_owned).collect()
}

/// The other functions of files whose tests are looked at: a check that is made in one of them is one.
fn sanitize(around: &[Outline], paths: &BTreeSet<String>) -> Vec<Outline> {
    let own = around.iter().filter(|outline| paths.contains(&outline.path));
    own.map(|outline| Outline {
        // Under another name, so that its tests are not looked at a second time.
        path: format!("{} ", outline.path),
        functions: outline.functions.clone(),
        ..Outline::default()
    })
    .collect()
}

fn is_new(result: &TestResult, before: &Suite) -> bool {
    let is_same = |it: &TestResult| {
        it.id.suite == result.id.suite && plain_name(&it.id.name) == plain_name(&result.id.name)
    };
    !before.results.contains_key(&result.id) && !before.results.values().any(is_same)
}

fn weight(end: &End) -> u8 {
    match end {
        End::Unclear => 0,
        End::Green => 1,
        End::Missing => 2,
        End::Red => 3,
        End::CannotFail { .. } => 4,
    }
}

/// The name that a line defines, in any language.
fn defined(line: &str) -> Option<&str> {
    let defines = |word: &&str| {
        Toolchain::ALL.iter().any(|it| it.language().facts().definitions.contains(word))
    };
    let mut words = names(line).skip_while(|word| !defines(word));
    words.next()?;
    words.next()
}

fn names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    words.filter(|word| !word.is_empty() && !word.starts_with(|it: char| it.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_change_brings_what_was_not_called_so_before() {
        let before = "def add(a, b):\n    return a + b\n";
        let now = "def add(a, b):\n    return a + b\n\n\ndef halve(a):\n    return a // two\n";
        assert_eq!(brought(before, now), set(&["halve", "two"]));
        assert_eq!(definitions(before, now), set(&["halve"]));
    }

    #[test]
    fn a_function_with_another_signature_is_brought_too() {
        let before = "pub fn add(a: u32) -> u32 {\n    a\n}\n";
        let now = "pub fn add(a: u32, b: u32) -> u32 {\n    a\n}\n";
        assert_eq!(brought(before, now), set(&["add", "b"]));
        assert_eq!(brought(before, before), set(&[]));
    }
}
