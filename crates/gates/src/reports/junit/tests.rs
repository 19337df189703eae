use super::*;
use crate::kinds::story::captured;

fn told(tests: &Tests) -> Vec<String> {
    let one = |result: &TestResult| {
        let status = match &result.status {
            Status::Passed => "passed".to_owned(),
            Status::Failed { why } => format!("failed ({why})"),
            Status::Broken { why } => format!("broken ({why})"),
            Status::Skipped { why } => format!("left out ({why})"),
        };
        format!("{} / {}: {status}", result.id.suite, result.id.name)
    };
    tests.results.iter().map(one).collect()
}

#[test]
fn what_pytest_leaves_is_read() {
    let tests = read(&captured("pytest-red.xml")).unwrap();
    assert_eq!(tests.odd, [""; 0]);
    assert_eq!(
        told(&tests),
        [
            "tests.test_sums / test_adds: passed",
            "tests.test_sums / test_doubles[1-1]: passed",
            "tests.test_sums / test_doubles[2-2]: passed",
            "tests.test_sums.TestShop / test_zero: passed",
            "tests.test_sums / test_five: failed (assert 4 == 5 + where 4 = add(2, 2))",
            "tests.test_sums / test_network: left out (needs a network)",
            "tests.test_sums / test_fixture: broken (failed on setup with \"RuntimeError: no fixture\")",
            "tests.test_sums / test_expected_to_fail: left out ()",
            "tests.test_sums / test_expected_to_fail_but_passes: passed",
        ]
    );
}

#[test]
fn what_vitest_jest_and_node_leave_is_read() {
    let vitest = read(&captured("vitest-red.xml")).unwrap();
    assert_eq!(
        told(&vitest),
        [
            "test/red.test.js / red > is five: failed (expected 4 to be 5 // Object.is equality)",
            "test/red.test.js / red > needs a network: left out ()",
            "test/red.test.js / red > later: left out ()",
            "test/sums.test.js / sums > adds: passed",
            "test/sums.test.js / sums > doubles: passed",
        ]
    );
    let jest = read(&captured("jest-red.xml")).unwrap();
    assert_eq!(jest.results.len(), 4);
    assert!(
        told(&jest)[0]
            .starts_with("red is five / red is five: failed (Error: expect(received).toBe")
    );
    let node = read(&captured("node-red.xml")).unwrap();
    assert_eq!(
        told(&node),
        [
            "test / adds: passed",
            "test / five: failed (4 == 5)",
            "test / later: left out (needs a network)"
        ]
    );
    assert!([vitest, jest, node].iter().all(|tests| tests.odd.is_empty()));
}

#[test]
fn a_file_that_cannot_be_imported_is_a_broken_test() {
    let tests = read(&captured("pytest-collect.xml")).unwrap();
    let why = "ModuleNotFoundError: No module named 'nothing_of_the_kind'";
    assert_eq!(told(&tests), [format!("pytest / tests.test_broken: broken ({why})")]);
}

#[test]
fn counts_that_do_not_add_up_are_told() {
    let text = r#"<testsuite name="a" tests="2" failures="0" errors="0" skipped="1"><testcase name="t"/></testsuite>"#;
    let tests = read(text.as_bytes()).unwrap();
    assert_eq!(
        tests.odd,
        ["suite `a` counts 2 tests and lists 1", "suite `a` counts 1 skipped tests and lists 0"]
    );
}

/// pytest counts what `subTest` names and lists the test alone. It never lists more than it counts.
#[test]
fn parts_of_a_test_are_counted_by_pytest_and_not_listed() {
    let of = |counted: u32, cases: &str| {
        let text = format!(
            r#"<testsuite name="pytest" tests="{counted}" failures="0">{cases}</testsuite>"#
        );
        read(text.as_bytes()).unwrap().odd
    };
    assert_eq!(of(3, r#"<testcase name="t"/>"#), Vec::<String>::new());
    assert_eq!(of(0, r#"<testcase name="t"/>"#), ["suite `pytest` counts 0 tests and lists 1"]);
    let failed = r#"<testcase name="t"><failure message="f"/></testcase>"#;
    assert_eq!(of(3, failed), ["suite `pytest` counts 0 failures and lists 1"]);
}

#[test]
fn names_that_differ_in_blanks_or_at_their_end_are_two_names() {
    let long = "x".repeat(1_100);
    let names = ["a[ ]", "a[  ]", &format!("{long}1"), &format!("{long}2")];
    let cases: String = names.map(|name| format!("<testcase name=\"{name}\"/>")).concat();
    let tests = read(format!("<testsuite>{cases}</testsuite>").as_bytes()).unwrap();
    let read: std::collections::BTreeSet<&str> =
        tests.results.iter().map(|result| result.id.name.as_str()).collect();
    assert_eq!(read.len(), 4, "{read:?}");
    assert!(read.contains("a[ ]") && read.iter().all(|name| name.chars().count() < 1_100));
}

#[test]
fn a_test_that_was_run_again_has_failed() {
    let text =
        r#"<testsuite><testcase name="t"><flakyFailure message="once"/></testcase></testsuite>"#;
    let tests = read(text.as_bytes()).unwrap();
    assert_eq!(told(&tests), [" / t: failed (it was run again after it had failed: once)"]);
}

#[test]
fn the_worst_that_is_said_of_a_test_counts() {
    let text = r#"<testsuite><testcase name="t"><skipped/><failure message="f"/><skipped/></testcase></testsuite>"#;
    assert_eq!(told(&read(text.as_bytes()).unwrap()), [" / t: failed (f)"]);
}

#[test]
fn a_test_that_only_an_attribute_calls_left_out_is_left_out() {
    let text = r#"<testsuites tests="3" disabled="1"><testsuite tests="3" disabled="1">
        <testcase name="a" status="run" result="completed"/><testcase name="b" status="notrun" result="suppressed"/>
        <testcase name="c" status="failed"><skipped/></testcase></testsuite></testsuites>"#;
    let tests = read(text.as_bytes()).unwrap();
    let expected = [
        " / a: passed",
        " / b: left out (it is marked as suppressed)",
        " / c: failed (it is marked as failed)",
    ];
    assert_eq!(told(&tests), expected);
}

#[test]
fn what_is_no_whole_report_is_refused() {
    let cases = [
        ("", "there is no suite in it"),
        ("{}", "there is text outside of any message"),
        ("<testsuites>", "it ends in the middle"),
        ("<testsuite><testcase name=\"a\"/>", "it ends in the middle"),
        ("<html></html>", "`html` does not belong there"),
        ("<testsuite/><testsuite/>", "something follows the end of it"),
        ("<testsuite><testcase/></testsuite>", "a test has no name"),
        ("<testsuite><testcase name=\"a\"><fai/></testcase></testsuite>", "unknown element `fai`"),
        ("<testsuite tests=\"many\"/>", "`tests` is not a number"),
        ("<!DOCTYPE a [<!ENTITY b \"c\">]><testsuite/>", "it has a document type"),
        ("<testsuite><?a b?></testsuite>", "it has an instruction"),
    ];
    for (text, why) in cases {
        assert_eq!(read(text.as_bytes()), Err(Unreadable::malformed(why)), "{text}");
    }
    for text in [
        "<testsuite></testcase>",
        "<testsuite name=\"a\" name=\"b\"/>",
        "<testsuite a=\"&b;\"/>",
        "<a",
    ] {
        assert!(matches!(read(text.as_bytes()), Err(Unreadable::Malformed { .. })), "{text}");
    }
    let deep = "<testsuite>".repeat(DEPTH_MAX + 1);
    assert_eq!(
        read(deep.as_bytes()),
        Err(Unreadable::malformed("its elements are nested too deep"))
    );
}

#[test]
fn a_report_without_end_is_refused_at_its_bound() {
    use crate::reports::ENTRIES_MAX;
    let report = |count: usize| {
        let cases = "<testcase name=\"a\"/>".repeat(count);
        read(format!("<testsuite>{cases}</testsuite>").as_bytes())
    };
    assert_eq!(report(ENTRIES_MAX).unwrap().results.len(), ENTRIES_MAX);
    assert_eq!(report(ENTRIES_MAX + 1), Err(Unreadable::TooMany { entries_max: ENTRIES_MAX }));
}
