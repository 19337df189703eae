//! The rules for tests, which every kind that runs tests shares, told through `junit`.

use std::collections::{BTreeMap, BTreeSet};

use crate::kinds::story::{id, left, setting, skipping, told};
use crate::kinds::{Expected, Known, Named, Setting, Unpassed};
use crate::{Ended, Ran, Said, Seen};

fn expecting(expected: Expected) -> Setting {
    Setting { report: Some("r.xml".to_owned()), expected, ..setting() }
}

/// A report of these tests: `a`, `a!` for one that failed, `a?` for one that was left out.
fn report(tests: &[&str]) -> String {
    let case = |test: &&str| match (test.strip_suffix('!'), test.strip_suffix('?')) {
        (Some(name), _) => format!(
            "<testcase classname=\"s\" name=\"{name}\"><failure message=\"no\"/></testcase>"
        ),
        (_, Some(name)) => format!(
            "<testcase classname=\"s\" name=\"{name}\"><skipped message=\"later\"/></testcase>"
        ),
        (None, None) => format!("<testcase classname=\"s\" name=\"{test}\"/>"),
    };
    format!("<testsuite>{}</testsuite>", tests.iter().map(case).collect::<String>())
}

fn heard(expected: Expected, ran: Ran) -> String {
    told("junit", &expecting(expected), &[Seen::Ran(ran)])
}

/// Proves: F-CONTRACT-038
#[test]
fn only_everything_expected_is_a_pass() {
    let baseline = |names: &[&str]| Expected {
        baseline: names.iter().map(|name| id("s", name)).collect(),
        ..Expected::default()
    };
    let acceptance = |name: &str| Expected {
        acceptance: BTreeSet::from([Named::Anywhere(name.to_owned())]),
        ..Expected::default()
    };
    let skips = |names: &[&str]| skipping(names).expected;
    let cases = [
        (Expected::default(), 0, vec!["a"], "pass"),
        (baseline(&["a", "b"]), 0, vec!["a", "b", "c"], "pass"),
        (acceptance("a"), 0, vec!["a"], "pass"),
        (skips(&["b"]), 0, vec!["a", "b?"], "pass"),
        (Expected::default(), 0, vec![], "fail: no test ran"),
        (skips(&["a"]), 0, vec!["a?"], "fail: no test ran"),
        (
            skips(&["a"]),
            0,
            vec!["a", "b?"],
            "fail: `b` in `s` was skipped, which was not declared: later",
        ),
        (
            baseline(&["a", "b"]),
            0,
            vec!["a", "renamed"],
            "fail: `b` in `s` was not seen: it was renamed, deleted or filtered out",
        ),
        (
            acceptance("b"),
            0,
            vec!["a"],
            "fail: `b` was not seen: it was renamed, deleted or filtered out",
        ),
        (
            Expected::default(),
            0,
            vec!["a", "a"],
            "fail: `a` in `s` is told of 2 times, so one result could hide another",
        ),
        (Expected::default(), 1, vec!["a", "b!"], "fail: `b` in `s` failed: no"),
        (
            Expected::default(),
            0,
            vec!["a", "b!"],
            "fail: the command exited with 0, and 1 of its tests failed | `b` in `s` failed: no",
        ),
        (
            Expected::default(),
            3,
            vec!["a"],
            "fail: the command exited with 3, and every test it tells of passed",
        ),
        (
            Expected::default(),
            1,
            vec!["a!", "a"],
            "fail: `a` in `s` failed: no | `a` in `s` is told of 2 times, so one result could hide another",
        ),
        (
            Expected::default(),
            127,
            vec!["a"],
            "cannot tell: the command could not be started (exit code 127)",
        ),
    ];
    for (expected, code, tests, end) in cases {
        assert_eq!(heard(expected, left(code, "r.xml", report(&tests))), end, "{tests:?}");
    }
}

#[test]
fn a_command_that_fails_although_every_test_passed_says_what_it_printed_last() {
    let failed = |stdout: &str, stderr: &str| Ran {
        stdout: Said::whole(stdout),
        stderr: Said::whole(stderr),
        ..left(1, "r.xml", report(&["a"]))
    };
    let says = |ran| heard(Expected::default(), ran);
    let what = "fail: the command exited with 1, and every test it tells of passed";
    assert_eq!(
        says(failed("1 passed\n", "a\nb\n\nc\nEACCES\n")),
        format!("{what}; it printed: b | c | EACCES")
    );
    assert_eq!(says(failed("1 passed\n", "")), format!("{what}; it printed: 1 passed"));
}

/// Whether it moved or went for good is a person's to judge.
#[test]
fn a_test_that_is_gone_from_a_file_that_may_change_is_shown() {
    let moved = |name: &str| Expected {
        moved: BTreeSet::from([Named::Anywhere(name.to_owned())]),
        ..Expected::default()
    };
    let ends = |name: &str| heard(moved(name), left(0, "r.xml", report(&["a"])));
    assert_eq!(ends("a"), "pass");
    let gone = "pass [Architecture its file may change at b: a test that was there before is gone]";
    assert_eq!(ends("b"), gone);
}

#[test]
fn a_declared_skip_of_an_expected_test_is_one_nobody_misses() {
    let expected =
        Expected { baseline: BTreeSet::from([id("s", "b")]), ..skipping(&["b"]).expected };
    assert_eq!(heard(expected, left(0, "r.xml", report(&["a", "b?"]))), "pass");
}

#[test]
fn a_run_that_did_not_end_by_itself_never_passes() {
    let green = report(&["a"]);
    let cases = [
        (Ended::Signalled(6), "fail: the command was killed by signal 6"),
        (Ended::Signalled(9), "cannot tell: the command was killed from outside"),
        (Ended::TimedOut, "fail: the command timed out"),
        (Ended::OutOfRoom, "fail: the command exceeded its resource limits"),
        (Ended::Lost, "cannot tell: how the command ended is unknown"),
    ];
    for (ended, end) in cases {
        let ran = Ran { ended, ..left(0, "r.xml", green.clone()) };
        assert_eq!(heard(Expected::default(), ran), end);
    }
}

#[test]
fn a_report_that_is_not_whole_is_none() {
    let cut = Ran {
        reports: [("r.xml".to_owned(), Said { bytes: report(&["a"]).into_bytes(), total: 9_000 })]
            .into(),
        ..left(0, "r.xml", "")
    };
    let kept = report(&["a"]).len();
    assert_eq!(
        heard(Expected::default(), cut),
        format!("cannot tell: the command: only {kept} of 9000 bytes of the report were kept")
    );
    assert_eq!(
        heard(Expected::default(), left(0, "other.xml", report(&["a"]))),
        "cannot tell: the command: there is no report"
    );
    assert_eq!(
        heard(Expected::default(), left(0, "r.xml", "  \n")),
        "cannot tell: the command: the report is empty"
    );
}

#[test]
fn a_test_that_did_not_pass_before_may_end_as_it_did_and_in_no_other_way() {
    let known = |ended| Expected {
        known: Known::These(BTreeMap::from([(id("s", "b"), ended)])),
        ..Expected::default()
    };
    let said = |expected: Expected, code, tests: &[&str]| {
        heard(expected, left(code, "r.xml", report(tests)))
    };
    assert_eq!(said(known(Unpassed::Failed), 1, &["a", "b!"]), "pass");
    assert_eq!(said(known(Unpassed::Failed), 0, &["a", "b"]), "pass");
    assert_eq!(said(known(Unpassed::Skipped), 0, &["a", "b?"]), "pass");
    // A failure may not be hidden by a skip, and what was skipped may not begin to fail.
    assert!(
        said(known(Unpassed::Failed), 0, &["a", "b?"]).starts_with("fail: `b` in `s` was skip")
    );
    assert!(said(known(Unpassed::Skipped), 1, &["a", "b!"]).starts_with("fail: `b` in `s` failed"));
    assert!(said(known(Unpassed::Failed), 1, &["a!", "b!"]).starts_with("fail: `a` in `s` failed"));
    let any = Expected { known: Known::Any, ..Expected::default() };
    assert_eq!(said(any.clone(), 1, &["a!", "b?"]), "pass");
    assert_eq!(said(any, 0, &["b?"]), "pass");
}
