//! Rooms around pytest projects.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sealwright_sandbox::Ended;
use sealwright_sandbox::plan::Limits;
use sealwright_sandbox::room::{Canary, Language, Pytest, Room, RoomError, RoomOutcome};

use crate::lab::{Lab, NONCE, Project, conditions, ended, is_green, output, story, told, tool};

#[test]
fn an_honest_package_passes() {
    let lab = Lab::open();
    let work = tree(&lab, HONEST, &[]);
    assert!(naive(&work), "the control: an honest tree is green");
    let outcome = check(&lab, &work);
    assert!(outcome.passed(), "{}", story(&outcome));
    assert_eq!(outcome.canary, Canary::Failed);
    let [report] = outcome.reports.as_slice() else { panic!("{}", story(&outcome)) };
    assert_eq!((report.run.as_str(), report.name.as_str()), ("pytest", "pytest.xml"));
    assert_eq!(report.total, report.kept.len() as u64);
    let text = String::from_utf8_lossy(&report.kept);
    assert!(text.contains("failures=\"0\"") && text.ends_with("</testsuites>"), "{text}");
    // What the naive check left behind is nobody's fault.
    assert!(work.join("calc/__pycache__").exists());
}

#[test]
fn a_broken_package_fails_and_is_not_accused() {
    let lab = Lab::open();
    let work = tree(&lab, BROKEN, &[]);
    assert!(!naive(&work), "the control: a broken tree is red");
    let outcome = check(&lab, &work);
    assert_eq!(ended(&outcome, "pytest"), Ended::Exited(1), "{}", story(&outcome));
    assert!(outcome.is_honest() && !outcome.passed());
}

#[test]
fn a_plugin_beside_the_tests_is_not_loaded() {
    let plugin = "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n";
    let outcome = fooled(BROKEN, &[("conftest.py", plugin)]);
    assert_eq!(told(&outcome), ["conftest.py: a plugin of pytest"]);
    assert_eq!(ended(&outcome, "pytest"), Ended::Exited(1));
    let outcome = fooled(BROKEN, &[("tests/conftest.py", plugin)]);
    assert_eq!(told(&outcome), ["tests/conftest.py: a plugin of pytest"]);
    assert_eq!(ended(&outcome, "pytest"), Ended::Exited(1));
}

#[test]
fn configuration_in_the_tree_is_not_read() {
    let outcome = fooled(BROKEN, &[("pytest.ini", "[pytest]\naddopts = --collect-only\n")]);
    assert_eq!(told(&outcome), ["pytest.ini: configuration of pytest"]);
    assert_eq!(ended(&outcome, "pytest"), Ended::Exited(1));
}

#[test]
fn a_module_that_stands_in_for_pytest_is_not_run() {
    let outcome = fooled(BROKEN, &[("pytest.py", "raise SystemExit(0)\n")]);
    assert_eq!(
        told(&outcome),
        ["pytest.py: stands in for a module of the interpreter or of its packages"]
    );
    assert_eq!(ended(&outcome, "pytest"), Ended::Exited(1));
}

#[test]
fn what_every_interpreter_runs_is_not_run() {
    let outcome = fooled(BROKEN, &[("sitecustomize.py", "import os\nos._exit(0)\n")]);
    assert_eq!(told(&outcome), ["sitecustomize.py: run by every interpreter"]);
    assert_eq!(ended(&outcome, "pytest"), Ended::Exited(1));
}

#[test]
fn a_package_that_exits_when_imported_is_betrayed_by_the_canary() {
    let outcome = fooled("import os\nos._exit(0)\n", &[]);
    assert_eq!(ended(&outcome, "pytest"), Ended::Exited(0));
    assert_eq!(
        told(&outcome),
        ["tests/test_calc.py: the canary passed: `pytest` ended with Exited(0)"]
    );
}

#[test]
fn a_package_that_rewrites_the_judge_is_betrayed_by_the_canary() {
    let outcome = fooled(REWRITES_REPORTS, &[]);
    assert_eq!(ended(&outcome, "pytest"), Ended::Exited(0), "{}", story(&outcome));
    assert!(matches!(outcome.canary, Canary::Passed { .. }) && !outcome.is_honest());
}

/// Proves in part: A-014
#[test]
fn a_frozen_test_that_was_overwritten_is_run_as_it_was_frozen() {
    let outcome = fooled(BROKEN, &[("tests/test_calc.py", "def test_fine():\n    pass\n")]);
    assert_eq!(told(&outcome), ["tests/test_calc.py: not what was frozen"]);
    assert_eq!(ended(&outcome, "pytest"), Ended::Exited(1));
}

#[test]
fn a_package_cannot_be_called_like_a_known_module() {
    let lab = Lab::open();
    let work = tree(&lab, HONEST, &[]);
    for name in ["random", "pytest", "src/json"] {
        let refused = try_check(&lab, &work, &[name]).unwrap_err();
        assert!(matches!(refused, RoomError::Shadows { .. }), "{refused}");
    }
}

#[test]
fn what_a_project_leaves_out_is_not_run_and_is_named() {
    let lab = Lab::open();
    let given: Project<'_> = &[
        ("tests/test_calc.py", TEST),
        ("tests/test_old.py", "raise SystemExit('of another day')\n"),
        ("tests/slow/test_slow.py", "import nothing_like_this\n"),
        ("demo/test_demo.py", "import nothing_like_this\n"),
        ("tests/conftest.py", "def pytest_collect_file(parent, file_path):\n    return None\n"),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\ntestpaths = ['tests']\n\
             addopts = '--ignore=tests/test_old.py --ignore-glob=*slow* --doctest-modules -m \"not late\"'\n\
             markers = ['late']\n",
        ),
    ];
    lab.write("frozen", &[given]);
    let work = lab.write("tree", &[given, &[("calc/__init__.py", HONEST)]]);
    let tests: Vec<&str> = given.iter().map(|it| it.0).filter(|it| it.contains("test_")).collect();
    let outcome = check_these(&lab, &work, &["calc"], &tests).unwrap();
    assert!(outcome.passed(), "{}", story(&outcome));
    assert_eq!(outcome.canary, Canary::Failed);
    let mut left_out = outcome.left_out.clone();
    left_out.sort();
    assert_eq!(left_out, ["demo/test_demo.py", "tests/slow/test_slow.py", "tests/test_old.py"]);
    assert_eq!(
        outcome.not_run,
        [
            "doc tests, which pyproject.toml asks for",
            "tests that pyproject.toml leaves out by its options",
            "what tests/conftest.py collects by itself"
        ]
    );
}

#[test]
fn projects_side_by_side_are_run_as_each_is_configured() {
    let lab = Lab::open();
    let test = "import pytest, calc, helper\n\n\n@pytest.mark.NAME\ndef test_it():\n    \
                assert calc.add(2, 3) == 5 and helper.name == 'NAME'\n";
    let (one, two) = (test.replace("NAME", "one"), test.replace("NAME", "two"));
    let given: Project<'_> = &[
        (
            "one/pytest.ini",
            "[pytest]\npythonpath = lib\naddopts = --strict-markers\nmarkers = one\n",
        ),
        ("one/tests/test_it.py", &one),
        (
            "two/pyproject.toml",
            "[tool.pytest.ini_options]\npythonpath = ['lib']\nmarkers = ['two']\naddopts = '--strict-markers'\n",
        ),
        ("two/tests/test_it.py", &two),
    ];
    let libraries: Project<'_> =
        &[("one/lib/helper.py", "name = 'one'\n"), ("two/lib/helper.py", "name = 'two'\n")];
    lab.write("frozen", &[given]);
    let work = lab.write("tree", &[given, &[("calc/__init__.py", HONEST)], libraries]);
    let tests = ["one/tests/test_it.py", "two/tests/test_it.py"];
    let outcome = check_these(&lab, &work, &["calc", "one/lib", "two/lib"], &tests).unwrap();
    assert!(outcome.passed(), "{}", story(&outcome));
    let names: Vec<&str> = outcome.runs.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["pytest, in one", "pytest, in two"]);
}

/// The naive check is fooled by this tree, the room is not.
fn fooled(package: &str, role: Project<'_>) -> RoomOutcome {
    let lab = Lab::open();
    let work = tree(&lab, package, role);
    assert!(naive(&work), "the control: the naive check is fooled");
    let outcome = check(&lab, &work);
    assert!(!outcome.passed(), "{}", story(&outcome));
    outcome
}

fn tree(lab: &Lab, package: &str, role: Project<'_>) -> PathBuf {
    let given: Project<'_> = &[("tests/test_calc.py", TEST)];
    lab.write("frozen", &[given]);
    lab.write("tree", &[given, &[("calc/__init__.py", package)], role])
}

fn check(lab: &Lab, tree: &Path) -> RoomOutcome {
    try_check(lab, tree, &["calc"]).unwrap()
}

fn try_check(lab: &Lab, tree: &Path, packages: &[&str]) -> Result<RoomOutcome, RoomError> {
    check_these(lab, tree, packages, &["tests/test_calc.py"])
}

fn check_these(
    lab: &Lab,
    tree: &Path,
    packages: &[&str],
    tests: &[&str],
) -> Result<RoomOutcome, RoomError> {
    static PYTEST: OnceLock<Language> = OnceLock::new();
    let language =
        PYTEST.get_or_init(|| Language::from(Pytest::provide(interpreter(), site()).unwrap()));
    let room = Room {
        work_tree: tree,
        sources: language.sources(packages),
        frozen: &lab.folder("frozen"),
        tests,
        witnesses: &BTreeMap::new(),
        known_failing: &[],
        nonce: NONCE,
        language,
        limits: Limits { wall_ms: 120_000, ..Limits::default() },
    };
    room.check(&lab.slots, &conditions())
}

/// A slow suite is not run twice: beside the canary there is one test that uses the code.
#[test]
fn beside_the_canary_only_one_known_test_is_run() {
    let lab = Lab::open();
    let slow = "import time, calc\n\n\ndef test_a():\n    assert calc.add(2, 3) == 5\n\n\n\
                def test_b():\n    time.sleep(3)\n    assert calc.add(2, 3) == 5\n";
    let given: Project<'_> = &[("tests/test_calc.py", slow)];
    lab.write("frozen", &[given]);
    let tree = lab.write("tree", &[given, &[("calc/__init__.py", HONEST)]]);
    let language = Language::from(Pytest::provide(interpreter(), site()).unwrap());
    let known = BTreeMap::from([("tests/test_calc.py".to_owned(), vec!["test_a".to_owned()])]);
    let room = Room {
        work_tree: &tree,
        sources: language.sources(&["calc"]),
        frozen: &lab.folder("frozen"),
        tests: &["tests/test_calc.py"],
        witnesses: &known,
        known_failing: &[],
        nonce: NONCE,
        language: &language,
        limits: Limits { wall_ms: 120_000, ..Limits::default() },
    };
    let outcome = room.check(&lab.slots, &conditions()).unwrap();
    assert!(outcome.passed(), "{}", story(&outcome));
    // Ending the process from inside is still betrayed: the one test uses the code.
    let exits = "import os\n\n\ndef add(a, b):\n    os._exit(0)\n";
    let tree = lab.write("exits", &[given, &[("calc/__init__.py", exits)]]);
    let outcome = Room { work_tree: &tree, ..room }.check(&lab.slots, &conditions()).unwrap();
    assert!(matches!(outcome.canary, Canary::Passed { .. }), "{}", story(&outcome));
}

/// The naive check: pytest, in the tree, as it was left, with the tree on the path as people have it.
fn naive(tree: &Path) -> bool {
    let mut python = tool(&interpreter().join("bin/python3"));
    python.args(["-m", "pytest"]).current_dir(tree);
    is_green(python.env("PYTHONPATH", format!(".:{}", site().display())))
}

pub(crate) fn interpreter() -> &'static Path {
    static INTERPRETER: OnceLock<PathBuf> = OnceLock::new();
    INTERPRETER.get_or_init(|| {
        let ask = ["-c", "import sys; print(sys.base_prefix)"];
        output(tool(Path::new("python3")).args(ask)).into()
    })
}

/// A folder with pytest in it.
pub(crate) fn site() -> &'static Path {
    static SITE: OnceLock<PathBuf> = OnceLock::new();
    SITE.get_or_init(|| packages("pytest-9", "pytest>=9,<10"))
}

/// A folder with a package in it, fetched once for this machine. Without it there is no test, and that is a failure.
pub(crate) fn packages(name: &str, wanted: &str) -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache =
        cache.unwrap_or_else(|| Path::new(&std::env::var_os("HOME").unwrap()).join(".cache"));
    let cache = cache.join("sealwright/tests");
    let site = cache.join(name);
    if !site.exists() {
        fs::create_dir_all(&cache).unwrap();
        let making = tempfile::tempdir_in(&cache).unwrap();
        let mut pip = tool(&interpreter().join("bin/python3"));
        pip.args(["-m", "pip", "install", "--quiet", "--target"]).arg(making.path().join("site"));
        let fetched = pip.arg(wanted).output().unwrap();
        assert!(
            fetched.status.success(),
            "these tests need {wanted}, and pip cannot fetch it:\n{}",
            String::from_utf8_lossy(&fetched.stderr)
        );
        // Another test may have been faster.
        if fs::rename(making.path().join("site"), &site).is_err() {
            assert!(site.exists(), "{wanted} could not be put into its place");
        }
    }
    site
}

const TEST: &str = "import calc


def test_two_and_three_are_five():
    assert calc.add(2, 3) == 5
";

const HONEST: &str = "def add(a, b):\n    return a + b\n";

const BROKEN: &str = "def add(a, b):\n    return a - b\n";

/// Has every report say that its test passed.
const REWRITES_REPORTS: &str = "import _pytest.reports

told = _pytest.reports.TestReport.__init__


def tell(self, *words, **names):
    told(self, *words, **names)
    self.outcome = 'passed'


_pytest.reports.TestReport.__init__ = tell


def add(a, b):
    return a - b
";
