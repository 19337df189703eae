//! Lost tests: those that ran before a change and do not any more. A test that moved or has another name is not lost.

use std::collections::BTreeSet;

use sealwright_gates::{Status, TestResult};

use super::account::{How, Lost};
use super::functions::TestFunction;
use super::suite::Suite;

/// A suite, and the functions in the files of it that changed.
#[derive(Clone, Copy)]
pub(super) struct SuiteSide<'t> {
    pub(super) suite: &'t Suite,
    pub(super) functions: &'t [TestFunction],
}

/// The tests that held before and do not run now.
pub(super) fn lost(before: SuiteSide<'_>, now: SuiteSide<'_>) -> Vec<Lost> {
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

#[cfg(test)]
mod tests {
    use sealwright_gates::toolchain::Outliner;
    use sealwright_gates::{TestId, Toolchain};
    use sealwright_kernel::Verdict;

    use super::super::functions::functions;
    use super::*;

    /// A file of tests, and how its tests ended.
    struct File {
        suite: Suite,
        functions: Vec<TestFunction>,
    }

    impl File {
        fn told(&self) -> SuiteSide<'_> {
            SuiteSide { suite: &self.suite, functions: &self.functions }
        }
    }

    fn file(path: &str, text: &str, ended: &[(&str, Status)]) -> File {
        let toolchain = Toolchain::named("Rust").unwrap();
        let Outliner::Text(outline) = toolchain.language().outliner() else {
            panic!("Rust is outlined from its text");
        };
        let texts = [(path.to_owned(), text.to_owned())];
        let outlines = [outline(path, text).unwrap()];
        let results = ended.iter().map(|(name, status)| {
            let stem = path.trim_start_matches("tests/").trim_end_matches(".rs");
            let id = TestId { suite: format!("test {stem}"), name: (*name).to_owned() };
            (id.clone(), TestResult { id, status: status.clone(), millis: None })
        });
        let suite = Suite {
            verdict: Verdict::Pass,
            because: Vec::new(),
            results: results.collect(),
            missing: BTreeSet::new(),
            not_run: Vec::new(),
        };
        File { suite, functions: functions(toolchain, &outlines, &texts, &[]) }
    }

    fn test(name: &str) -> String {
        format!("#[test]\nfn {name}() {{\n    assert_eq!(calc::add(1, 2), 3);\n}}\n")
    }

    /// What is lost from the test `a` in `tests/it.rs` to the file that is there now.
    fn check(now: &File, expected: &[(&str, How)]) {
        let before = file("tests/it.rs", &test("a"), &[("a", Status::Passed)]);
        let lost: Vec<(String, How)> =
            lost(before.told(), now.told()).into_iter().map(|it| (it.test, it.how)).collect();
        let expected: Vec<(String, How)> =
            expected.iter().map(|(test, how)| ((*test).to_owned(), *how)).collect();
        assert_eq!(lost, expected);
    }

    #[test]
    fn what_runs_as_before_is_not_lost() {
        check(&file("tests/it.rs", &test("a"), &[("a", Status::Passed)]), &[]);
    }

    #[test]
    fn a_test_that_moved_or_has_another_name_is_not_lost() {
        check(&file("tests/other.rs", &test("a"), &[("a", Status::Passed)]), &[]);
        check(&file("tests/it.rs", &test("b"), &[("b", Status::Passed)]), &[]);
    }

    #[test]
    fn a_test_that_is_gone_is_lost_whatever_came_instead() {
        let other = "#[test]\nfn b() {\n    assert_eq!(calc::add(0, 0), 0);\n}\n";
        let removed = [("tests/it.rs::a", How::Removed)];
        check(&file("tests/it.rs", other, &[("b", Status::Passed)]), &removed);
        check(&file("tests/it.rs", "", &[]), &removed);
    }

    #[test]
    fn a_test_that_is_there_and_does_not_run_is_lost() {
        let plain = test("a").replace("#[test]\n", "");
        check(&file("tests/it.rs", &plain, &[]), &[("tests/it.rs::a", How::Undiscovered)]);
        let left_out = Status::Skipped { why: String::new() };
        let skipped = file("tests/it.rs", &test("a"), &[("a", left_out)]);
        check(&skipped, &[("tests/it.rs::a", How::Skipped)]);
    }

    #[test]
    fn where_something_cannot_be_loaded_nobody_knows_what_is_missing() {
        let broken = Status::Broken { why: String::new() };
        check(&file("tests/it.rs", "", &[("it", broken)]), &[]);
    }
}
