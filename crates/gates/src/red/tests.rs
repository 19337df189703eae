use sealwright_kernel::Verdict;

use super::*;
use crate::TestId;
use crate::toolchain::tests::{self, outlined};

#[test]
fn tests_that_fail_on_the_skeleton_are_accepted() {
    for world in [rust(), python()] {
        let path = world.path;
        let red = world.judge(&[
            ("adds", failed("assertion `left == right` failed\n  left: 0\n right: 5")),
            ("clamps", failed("not yet implemented")),
        ]);
        assert!(red.is_accepted(), "{:?}", red.refused);
        assert_eq!(
            red.seen,
            [
                (format!("{path}::adds"), Because::Failed),
                (format!("{path}::clamps"), Because::Failed)
            ]
            .into()
        );
        assert_eq!(red.judgement(&[]).verdict, Verdict::Pass);
    }
}

#[test]
fn every_wrong_reason_sends_a_test_back() {
    let green = Status::Passed;
    let skipped = Status::Skipped { why: "later".to_owned() };
    let broken = Status::Broken { why: "its process died".to_owned() };
    for (status, wrong) in
        [(green, Wrong::Green), (skipped, Wrong::NotRun), (broken, Wrong::Broken)]
    {
        for world in [rust(), python()] {
            let red = world.judge(&[("adds", status.clone()), ("clamps", failed("assert 1 == 2"))]);
            assert!(!red.is_accepted());
            assert_eq!(
                wrongs(&red),
                [(format!("{}::adds", world.path), wrong), ("AC-1".into(), Wrong::Unproven)]
                    .into_iter()
                    .collect(),
                "{:?}",
                red.refused
            );
            assert_eq!(red.judgement(&[]).verdict, Verdict::Fail);
        }
    }
    // A test that was not heard of did not run.
    let red = rust().judge(&[("clamps", failed("assertion failed: x"))]);
    assert!(wrongs(&red).contains(&("tests/it.rs::adds".into(), Wrong::NotRun)));
}

/// A trace may leave out the class of a test, if only one can be meant.
#[test]
fn a_test_of_a_class_may_be_named_without_it() {
    let mut world = python();
    for function in &mut world.outlines[0].functions {
        if function.name == "adds" {
            function.name = "Sums::adds".to_owned();
        }
    }
    let result = |suite: &str, name: &str| TestResult {
        id: TestId { suite: suite.into(), name: name.into() },
        status: failed("assert 1 == 2"),
        millis: None,
    };
    let results = [result("tests.test_it.Sums", "adds"), result("tests.test_it", "clamps")];
    let red = world.judge_results(&results);
    assert!(red.is_accepted(), "{:?}", red.refused);
    let mut other = world.outlines[0].functions.clone();
    other.retain(|it| it.name == "Sums::adds");
    other[0].name = "Others::adds".to_owned();
    world.outlines[0].functions.append(&mut other);
    let wrong = wrongs(&world.judge_results(&results));
    assert!(wrong.contains(&("tests/test_it.py::adds".into(), Wrong::Astray)), "{wrong:?}");
}

/// A criterion needs a test that a program which does nothing fails.
#[test]
fn a_criterion_that_needs_no_work_is_not_proven() {
    let red_results = [("adds", failed("assert 1 == 2")), ("clamps", failed("assert 1 == 2"))];
    let id = |name: &str| TestId { suite: "tests.test_it".into(), name: name.into() };
    let judged = |passed: &[&str], failed: &[&str]| {
        let ids = |names: &[&str]| names.iter().map(|name| id(name)).collect();
        let mut world = python();
        world.idle = vec![
            IdleProgram { does: "refuses everything".into(), passed: vec![], failed: ids(passed) },
            IdleProgram { does: "answers 0".into(), passed: ids(passed), failed: ids(failed) },
        ];
        world.judge(&red_results)
    };
    let red = judged(&["adds[1]", "adds[2]"], &["clamps"]);
    let lines: Vec<String> = red.refused.iter().map(Reason::line).collect();
    let said = "AC-1 is proven by no test: a program that answers 0 passes adds. Compare an answer with a value that is \
                written out";
    assert_eq!(lines, [said]);
    assert!(judged(&["adds[1]"], &["adds[2]", "clamps"]).is_accepted());
    assert!(judged(&[], &[]).is_accepted());
    // Where there is no such program, nothing is asked of it.
    assert!(python().judge(&red_results).is_accepted());
}

/// A fixture may need what is not written yet; one that breaks for another reason does not count.
#[test]
fn a_python_test_may_wait_for_its_fixtures() {
    for (why, is_right) in [
        ("failed on setup with \"NotImplementedError\"", true),
        (
            "failed on setup with \"NotImplementedError: later\"\nE       NotImplementedError: later",
            true,
        ),
        ("E   AttributeError: module 'calc' has no attribute 'add'", true),
        ("E   AttributeError: module 'calc' has no attribute 'typo'", false),
        ("E   AttributeError: 'Five' object has no attribute 'add'", false),
        ("E   ModuleNotFoundError: No module named 'numpy'", false),
        ("failed on setup with \"ValueError: 5\"", false),
        ("failed on teardown with \"ValueError: 5\"", false),
    ] {
        let broken = Status::Broken { why: why.to_owned() };
        let red = python().judge(&[("adds", broken), ("clamps", failed("assert 1 == 2"))]);
        assert_eq!(red.is_accepted(), is_right, "{why}: {:?}", red.refused);
    }
}

#[test]
fn a_python_test_must_not_fail_for_the_world_or_for_itself() {
    for (why, is_right) in [
        ("AssertionError: assert 1 == 2", true),
        ("assert 1 == 2", true),
        ("NotImplementedError", true),
        ("calc.errors.CalcError: no", true),
        ("TypeError: unsupported operand type(s) for +: 'NoneType' and 'int'", true),
        ("AttributeError: 'NoneType' object has no attribute 'total'", true),
        ("AttributeError: module 'calc' has no attribute 'add'", true),
        ("AttributeError: module 'calc' has no attribute 'typo'", false),
        ("AttributeError: module 'os' has no attribute 'add'", false),
        ("Failed: DID NOT RAISE <class 'ValueError'>", true),
        ("Failed: Timeout >10.0s", false),
        ("ImportError: cannot import name 'add' from 'calc' (/work/calc/__init__.py)", true),
        ("ImportError: cannot import name 'add' from 'other' (/site/other.py)", false),
        ("ModuleNotFoundError: No module named 'calc.core'", true),
        ("ModuleNotFoundError: No module named 'numpy'", false),
        ("NameError: name 'add' is not defined", true),
        ("NameError: name 'ad' is not defined", false),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'x.json'", false),
        ("SyntaxError: invalid syntax", false),
        (
            "def test_adds():\n>   assert add(2, 3) == 5\nE   AssertionError: assert\nE     - ImportError: no\n\ntests/x.py:3: AssertionError",
            true,
        ),
        ("first\nE   KeyError: 'a'\n\nDuring handling\nE   FileNotFoundError: gone", false),
    ] {
        let red = python().judge(&[("adds", failed(why)), ("clamps", failed("assert 1 == 2"))]);
        assert_eq!(red.is_accepted(), is_right, "{why}: {:?}", red.refused);
    }
}

#[test]
fn a_rust_test_must_not_fail_for_the_world() {
    for (why, is_right) in [
        ("panicked at src/lib.rs:2:5:\nnot yet implemented", true),
        ("panicked at tests/it.rs:3:5:\nassertion `left == right` failed", true),
        (
            "panicked at tests/it.rs:3:5:\ncalled `Result::unwrap()` on an `Err` value: NotWritten",
            true,
        ),
        (
            "panicked at tests/it.rs:3:5:\ncalled `Result::unwrap()` on an `Err` value: Os { code: 2, kind: NotFound }",
            false,
        ),
        ("note: test did not panic as expected", true),
    ] {
        let red = rust().judge(&[("adds", failed(why)), ("clamps", failed("assertion failed: x"))]);
        assert_eq!(red.is_accepted(), is_right, "{why}: {:?}", red.refused);
    }
}

#[test]
fn an_item_that_the_contract_declares_may_be_missing() {
    let world = World {
        build: [
            error("E0432", "unresolved import `calc::add`", "tests/it.rs", 1),
            error("E0425", "cannot find function `clamp` in crate `calc`", "tests/it.rs", 8),
            aborting(),
        ]
        .join("\n"),
        ..rust()
    };
    let red = world.judge(&[]);
    assert!(red.is_accepted(), "{:?}", red.refused);
    assert!(red.seen.values().all(|because| *because == Because::Missing));
}

#[test]
fn whoever_imports_through_a_missing_module_waits_for_it() {
    let mut world = rust();
    world.text = world.text.replace("use calc::add;", "use calc::clamp::{add as plus};");
    world.text = world.text.replace("add(2, 3)", "plus(2, 3)");
    world.outline();
    world.build = error("E0432", "unresolved import `calc::clamp`", "tests/it.rs", 1);
    let red = world.judge(&[]);
    assert!(red.seen.contains_key("tests/it.rs::adds"), "{:?}", red.refused);
}

#[test]
fn nothing_else_may_be_wrong_while_an_item_is_missing() {
    let fine = error("E0425", "cannot find function `clamp` in crate `calc`", "tests/it.rs", 8);
    let import = error("E0432", "unresolved import `calc::add`", "tests/it.rs", 1);
    for other in [
        error("E0432", "unresolved import `serde::Value`", "tests/it.rs", 2),
        error("E0432", "unresolved import `calc::typo`", "tests/it.rs", 2),
        error(
            "E0433",
            "failed to resolve: use of unresolved module or unlinked crate `rand`",
            "tests/it.rs",
            2,
        ),
        error("E0425", "cannot find value `typo` in this scope", "tests/it.rs", 4),
        error("E0425", "cannot find function `add` in crate `other`", "tests/it.rs", 4),
        error("E0308", "mismatched types", "tests/it.rs", 4),
        error(
            "E0061",
            "this function takes 1 argument but 2 arguments were supplied",
            "tests/it.rs",
            4,
        ),
        error("E0425", "cannot find function `add` in this scope", "src/lib.rs", 4),
        error("", "expected one of `.`, `;`, found `}`", "tests/it.rs", 4),
    ] {
        let world =
            World { build: [fine.clone(), import.clone(), other.clone()].join("\n"), ..rust() };
        let red = world.judge(&[]);
        assert!(!red.is_accepted() && red.seen.is_empty(), "{other}");
        assert!(red.refused.iter().any(|reason| reason.why == Wrong::Broken), "{:?}", red.refused);
    }
}

#[test]
fn no_test_hides_behind_what_another_misses() {
    let world = World {
        build: error("E0425", "cannot find function `clamp` in crate `calc`", "tests/it.rs", 8),
        ..rust()
    };
    let red = world.judge(&[]);
    assert_eq!(red.seen.keys().collect::<Vec<_>>(), ["tests/it.rs::clamps"]);
    assert!(wrongs(&red).contains(&("tests/it.rs::adds".into(), Wrong::NotRun)));

    let why = "ImportError while importing test module '/work/tests/test_it.py'.\nE   ImportError: cannot import name 'add' from 'calc' (/work/calc/__init__.py)";
    let red = python().judge_files(why);
    assert_eq!(red.seen.keys().collect::<Vec<_>>(), ["tests/test_it.py::adds"]);
    assert!(wrongs(&red).contains(&("tests/test_it.py::clamps".into(), Wrong::NotRun)));
}

/// A helper, a fixture, or what sets a test up may stand between a test and what is missing.
#[test]
fn a_test_may_reach_what_is_missing_through_its_file() {
    let why = "E   ImportError: cannot import name 'add' from 'calc' (/work/calc/__init__.py)";
    let direct = "def test_adds():\n    assert add(2, 3) == 5\n";
    for through in [
        "def five():\n    return add(2, 3)\n\ndef test_adds():\n    assert five() == 5\n",
        "@pytest.fixture\ndef five():\n    return add(2, 3)\n\ndef test_adds(five):\n    assert five == 5\n",
        "def sum():\n    return add(2, 3)\n\n@pytest.fixture\ndef five():\n    return sum()\n\n\
         def test_adds(five):\n    assert five == 5\n",
        "def setup_module():\n    global FIVE\n    FIVE = add(2, 3)\n\ndef test_adds():\n    assert FIVE == 5\n",
    ] {
        let mut world = python();
        world.text = format!("import pytest\n{}", world.text.replace(direct, through));
        world.outline();
        let seen = world.judge_files(why).seen;
        assert!(seen.contains_key("tests/test_it.py::adds"), "{through}: {seen:?}");
    }
    // A function that the test does not reach lends it nothing.
    let mut world = python();
    let beside = "def five():\n    return add(2, 3)\n\ndef test_adds():\n    assert 4 == 5\n";
    world.text = world.text.replace(direct, beside);
    world.outline();
    assert!(!world.judge_files(why).seen.contains_key("tests/test_it.py::adds"));
    // A module that was found in the project counts wherever imports begin.
    let elsewhere = why.replace("'calc' (/work/calc/__init__.py)", "'sums' (/work/lib/sums.py)");
    assert!(!python().judge_files(&elsewhere.replace("/work", "/site")).is_accepted());
    let mut world = python();
    world.text = world.text.replace("from calc import", "from sums import");
    world.outline();
    assert!(world.judge_files(&elsewhere).seen.contains_key("tests/test_it.py::adds"));
}

#[test]
fn a_python_file_may_wait_for_its_module_and_for_nothing_else() {
    let red = python().judge_files(
        "ImportError while importing\nE   ModuleNotFoundError: No module named 'calc'",
    );
    assert!(red.is_accepted(), "{:?}", red.refused);
    for why in [
        "E   ModuleNotFoundError: No module named 'numpy'",
        "E     File \"/work/tests/test_it.py\", line 3\nE       def (\nE   SyntaxError: invalid syntax",
        "E   ImportError: cannot import name 'typo' from 'calc' (/work/calc/__init__.py)",
        "E   AttributeError: partially initialized module 'calc' has no attribute 'add'",
        "collection failure",
    ] {
        let red = python().judge_files(why);
        assert!(!red.is_accepted() && red.seen.is_empty(), "{why}");
    }
}

#[test]
fn where_nothing_observable_changes_tests_pass_before_it() {
    for world in [rust(), python()] {
        let world = World { keeps_behaviour: true, ..world };
        let red = world.judge(&[("adds", Status::Passed), ("clamps", Status::Passed)]);
        assert!(red.is_accepted(), "{:?}", red.refused);
        let red = world.judge(&[("adds", Status::Passed), ("clamps", failed("assertion failed"))]);
        let key = format!("{}::clamps", world.path);
        assert!(wrongs(&red).contains(&(key, Wrong::NotKept)), "{:?}", red.refused);
    }
}

#[test]
fn a_test_that_cannot_fail_goes_back_though_it_failed() {
    for (rust_body, python_body) in [
        ("let _ = add(2, 3);", "add(2, 3)"),
        ("add(2, 3); assert!(true);", "add(2, 3); assert True"),
        ("let x = add(2, 3); assert_eq!(x, x);", "x = add(2, 3); assert x == x"),
    ] {
        for world in [rust().with_adds(rust_body), python().with_adds(python_body)] {
            let red = world.judge(&[
                ("adds", failed("not yet implemented")),
                ("clamps", failed("assertion failed")),
            ]);
            let key = format!("{}::adds", world.path);
            assert!(wrongs(&red).contains(&(key.clone(), Wrong::Vacuous)), "{:?}", red.refused);
            assert!(!red.seen.contains_key(&key));
            let cheats = red.judgement(&[]).cheats;
            assert_eq!(cheats[0].0, Cheat::VacuousAsserts);
        }
    }
}

#[test]
fn a_check_in_a_helper_is_a_check() {
    let helper = outlined("tests/common/mod.rs", "pub fn is_five(x: i64) { assert_eq!(x, 5); }");
    let mut world = rust().with_adds("common::is_five(add(2, 3));");
    world.outlines.push(helper);
    let red = world
        .judge(&[("adds", failed("not yet implemented")), ("clamps", failed("assertion failed"))]);
    assert!(red.is_accepted(), "{:?}", red.refused);
}

#[test]
fn a_check_that_a_fixture_gives_is_a_check() {
    let fixture = "import pytest\n\n@pytest.fixture\ndef sums():\n    def are(x, y):\n        assert x == y\n    return are\n";
    let results = [("adds", failed("assert 1 == 2")), ("clamps", failed("assert 1 == 2"))];
    let mut world = python().with_adds("sums(add(2, 3), 5)");
    assert!(!world.judge(&results).is_accepted());
    world.outlines.push(outlined("tests/conftest.py", fixture));
    assert!(world.judge(&results).is_accepted(), "{:?}", world.judge(&results).refused);
}

#[test]
fn every_criterion_is_proven_and_every_trace_leads_somewhere() {
    let results = [("adds", failed("assertion failed")), ("clamps", failed("assertion failed"))];
    let mut world = rust();
    world.criteria.push("AC-3".to_owned());
    assert_eq!(
        wrongs(&world.judge(&results)),
        [("AC-3".into(), Wrong::Unproven)].into_iter().collect()
    );
    let mut world = rust();
    world.trace.0.insert("tests/it.rs::gone".to_owned(), ["AC-1".to_owned()].into());
    assert_eq!(
        wrongs(&world.judge(&results)),
        [("tests/it.rs::gone".into(), Wrong::Astray)].into_iter().collect()
    );
    let mut world = rust();
    world.trace.0.get_mut("tests/it.rs::adds").unwrap().insert("AC-9".to_owned());
    assert_eq!(
        wrongs(&world.judge(&results)),
        [("AC-9".into(), Wrong::Astray)].into_iter().collect()
    );
    // A test without a criterion is only told.
    let mut world = rust();
    world.criteria.retain(|one| one == "AC-1");
    world.trace.0.remove("tests/it.rs::clamps");
    let red = world.judge(&results);
    assert!(red.is_accepted());
    assert_eq!(red.told, ["tests/it.rs::clamps: it proves no criterion"]);
}

#[test]
fn a_declared_skip_is_told_and_proves_nothing() {
    let results = [
        ("adds", Status::Skipped { why: "not on Linux".to_owned() }),
        ("clamps", failed("assertion failed")),
    ];
    let mut world = rust();
    world.may_skip.push("tests/it.rs::adds".to_owned());
    assert_eq!(
        wrongs(&world.judge(&results)),
        [("AC-1".into(), Wrong::Unproven)].into_iter().collect()
    );
    world.trace.0.get_mut("tests/it.rs::clamps").unwrap().insert("AC-1".to_owned());
    let red = world.judge(&results);
    assert!(red.is_accepted(), "{:?}", red.refused);
    assert_eq!(red.told, ["tests/it.rs::adds: skipped, as declared: not on Linux"]);
}

#[test]
fn one_green_case_of_many_is_green() {
    let red = python().judge(&[
        ("adds[2-3]", failed("assert 0 == 5")),
        ("adds[0-0]", Status::Passed),
        ("clamps", failed("assert 0 == 5")),
    ]);
    assert!(wrongs(&red).contains(&("tests/test_it.py::adds".into(), Wrong::Green)));
    assert!(!red.seen.contains_key("tests/test_it.py::adds"));
}

#[test]
fn a_file_that_cannot_be_read_or_holds_no_test_goes_back() {
    let mut world = rust();
    world.outlines.clear();
    assert!(wrongs(&world.judge(&[])).contains(&("tests/it.rs".into(), Wrong::NotRun)));
    world.unread.push(Unread { path: "tests/it.rs".to_owned(), why: "unbalanced".to_owned() });
    assert!(wrongs(&world.judge(&[])).contains(&("tests/it.rs".into(), Wrong::Broken)));
}

/// Whoever writes the code says what such a check does.
#[test]
fn a_check_that_the_code_under_test_brings_along_is_none() {
    let vacuous = |uses: &str, body: &str| {
        let mut world = rust().with_adds(body);
        world.text = world.text.replace("use calc::add;", uses);
        world.outline();
        let red = world.judge(&[("adds", failed("no")), ("clamps", failed("no"))]);
        wrongs(&red).contains(&("tests/it.rs::adds".into(), Wrong::Vacuous))
    };
    let check = "assert_sum!(add(2, 3), 5);";
    for uses in ["use calc::{add, assert_sum};", "use calc::*;"] {
        assert!(vacuous(uses, check), "{uses}");
        assert!(!vacuous(uses, &format!("{check} assert_eq!(add(1, 1), 2);")), "{uses}");
        assert!(!vacuous(uses, "assert_eq!(add(2, 3), 5);"), "{uses}");
    }
    assert!(vacuous("use calc::add;", "calc::assert_sum!(add(2, 3), 5);"));
    let helped = "is_sum(add(2, 3)); } fn is_sum(sum: u8) { assert_sum!(sum, 5);";
    assert!(vacuous("use calc::{add, assert_sum};", helped));
    assert!(!vacuous("use calc::add; use close::assert_sum;", check));
    assert!(!vacuous("use calc::add; use close::assert_sum;", helped));
}

struct World {
    toolchain: Toolchain,
    path: &'static str,
    text: String,
    outlines: Vec<Outline>,
    unread: Vec<Unread>,
    idle: Vec<IdleProgram>,
    build: String,
    criteria: Vec<String>,
    trace: Trace,
    may_skip: Vec<String>,
    keeps_behaviour: bool,
}

fn rust() -> World {
    world(
        tests::in_rust(),
        "tests/it.rs",
        "use calc::add;\n\n#[test]\nfn adds() { assert_eq!(add(2, 3), 5); }\n\n#[test]\n\
         fn clamps() {\n    assert_eq!(calc::clamp(9, 0, 5), 5);\n}\n",
    )
}

fn python() -> World {
    world(
        tests::in_python(),
        "tests/test_it.py",
        "from calc import add\nimport calc\n\ndef test_adds():\n    assert add(2, 3) == 5\n\n\
         def test_clamps():\n    assert calc.clamp(9, 0, 5) == 5\n",
    )
}

fn world(toolchain: Toolchain, path: &'static str, text: &str) -> World {
    let mut world = World {
        toolchain,
        path,
        text: text.to_owned(),
        outlines: Vec::new(),
        unread: Vec::new(),
        idle: Vec::new(),
        build: String::new(),
        criteria: vec!["AC-1".to_owned(), "AC-2".to_owned()],
        trace: Trace::default(),
        may_skip: Vec::new(),
        keeps_behaviour: false,
    };
    for (test, criterion) in [("adds", "AC-1"), ("clamps", "AC-2")] {
        world.trace.0.insert(format!("{path}::{test}"), [criterion.to_owned()].into());
    }
    world.outline();
    world
}

impl World {
    /// Tests of both languages are called the same here.
    fn outline(&mut self) {
        let mut outline = outlined(self.path, &self.text);
        for function in &mut outline.functions {
            function.name = function.name.replace("test_", "");
        }
        self.outlines = vec![outline];
    }

    fn with_adds(mut self, body: &str) -> Self {
        let checks = ["assert_eq!(add(2, 3), 5);", "assert add(2, 3) == 5"];
        self.text = checks.iter().fold(self.text, |text, check| text.replace(check, body));
        self.outline();
        self
    }

    fn judge(&self, results: &[(&str, Status)]) -> Red {
        let suite = if self.path == "tests/it.rs" { "test it" } else { "tests.test_it" };
        let result = |(name, status): &(&str, Status)| TestResult {
            id: TestId { suite: suite.to_owned(), name: (*name).to_owned() },
            status: status.clone(),
            millis: None,
        };
        self.judge_results(&results.iter().map(result).collect::<Vec<_>>())
    }

    /// As if the file could not be loaded.
    fn judge_files(&self, why: &str) -> Red {
        let id = TestId { suite: "pytest".to_owned(), name: "tests.test_it".to_owned() };
        let status = Status::Broken { why: why.to_owned() };
        self.judge_results(&[TestResult { id, status, millis: None }])
    }

    fn judge_results(&self, results: &[TestResult]) -> Red {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let under_test = UnderTest { modules: words(&["calc"]), items: words(&["add", "clamp"]) };
        judge(&Trial {
            toolchain: self.toolchain,
            frozen: &[self.path.to_owned()],
            outlines: &self.outlines,
            unread: &self.unread,
            results,
            idle: &self.idle,
            build: &self.build,
            under_test: &under_test,
            criteria: &self.criteria,
            trace: &self.trace,
            may_skip: &self.may_skip,
            keeps_behaviour: self.keeps_behaviour,
        })
    }
}

fn failed(why: &str) -> Status {
    Status::Failed { why: why.to_owned() }
}

fn wrongs(red: &Red) -> BTreeSet<(String, Wrong)> {
    red.refused.iter().map(|reason| (reason.subject.clone(), reason.why)).collect()
}

/// A message as cargo writes it.
fn error(code: &str, message: &str, path: &str, line: u32) -> String {
    let code = (!code.is_empty()).then(|| serde_json::json!({ "code": code, "explanation": null }));
    serde_json::json!({
        "reason": "compiler-message",
        "message": {
            "level": "error", "message": message, "code": code,
            "spans": [{ "file_name": path, "line_start": line, "line_end": line, "is_primary": true }],
        },
    })
    .to_string()
}

fn aborting() -> String {
    let message = "aborting due to 2 previous errors";
    serde_json::json!({
        "reason": "compiler-message",
        "message": { "level": "error", "message": message, "code": null, "spans": [] },
    })
    .to_string()
}
