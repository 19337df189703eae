//! JUnit XML: one suite for each piece of evidence and each suite of its runner.

use std::collections::BTreeMap;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use sealwright_kernel::Verdict;

use super::Exhibit;
use crate::{Status, TestResult};

/// All of `exhibits` as one report called `name`.
pub fn render(name: &str, exhibits: &[Exhibit]) -> Result<String, SerializeError> {
    let mut report = Report::new(name);
    for exhibit in exhibits {
        let mut by_suite: BTreeMap<&str, Vec<&TestResult>> = BTreeMap::new();
        for test in &exhibit.tests {
            by_suite.entry(&test.id.suite).or_default().push(test);
        }
        for (suite, tests) in by_suite {
            let called = format!("{}: {suite}", called(exhibit));
            let mut suite = TestSuite::new(called);
            suite.add_test_cases(tests.into_iter().map(|test| case(exhibit, test)));
            report.add_test_suite(suite);
        }
        if let Some(verdict) = own_case(exhibit) {
            let mut suite = TestSuite::new(called(exhibit));
            suite.add_test_case(verdict);
            report.add_test_suite(suite);
        }
    }
    report.to_string()
}

fn called(exhibit: &Exhibit) -> String {
    let expected = if exhibit.is_red { ", expected failures" } else { "" };
    format!("{} {}{expected}", exhibit.evidence, exhibit.check)
}

fn case(exhibit: &Exhibit, test: &TestResult) -> TestCase {
    let status = match &test.status {
        Status::Passed => TestCaseStatus::success(),
        Status::Failed { why } | Status::Broken { why } if exhibit.is_red => expected(why),
        Status::Failed { why } => told(NonSuccessKind::Failure, why),
        Status::Broken { why } => told(NonSuccessKind::Error, why),
        Status::Skipped { why } => {
            let mut skipped = TestCaseStatus::skipped();
            skipped.set_message(why.as_str());
            skipped
        }
    };
    let mut case = TestCase::new(test.id.name.as_str(), status);
    case.set_classname(format!("{}.{}", exhibit.check, test.id.suite));
    if let Some(millis) = test.millis {
        case.set_time(Duration::from_millis(millis));
    }
    case
}

/// The gate itself, where there are no tests to speak for it, or where they would say more than it does.
fn own_case(exhibit: &Exhibit) -> Option<TestCase> {
    let speaks = |test: &TestResult| match &test.status {
        Status::Failed { .. } | Status::Broken { .. } => true,
        Status::Passed | Status::Skipped { .. } => false,
    };
    let status = match (exhibit.verdict, exhibit.tests.iter().any(speaks)) {
        (Verdict::Pass, _) if !exhibit.tests.is_empty() => return None,
        (Verdict::Fail, true) => return None,
        (Verdict::Pass, _) => TestCaseStatus::success(),
        (Verdict::Fail, false) if exhibit.is_red => expected(&exhibit.excerpt),
        (Verdict::Fail, false) => told(NonSuccessKind::Failure, &exhibit.excerpt),
        (Verdict::CannotTell, _) => told(NonSuccessKind::Error, &exhibit.excerpt),
    };
    let mut case = TestCase::new(exhibit.done.as_str(), status);
    case.set_classname(exhibit.check.as_str());
    case.set_time(Duration::from_millis(exhibit.millis));
    Some(case)
}

fn expected(why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_type("expected failure");
    status.set_message(format!("expected: {}", why.lines().next().unwrap_or_default()));
    status
}

fn told(kind: NonSuccessKind, why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(why.lines().next().unwrap_or_default());
    status.set_description(why);
    status
}

#[cfg(test)]
mod tests {
    use super::super::tests::exhibits;
    use super::*;

    #[test]
    fn every_end_of_a_test_has_its_element() {
        insta::assert_snapshot!(render("T-limits-0a1b2c", &exhibits()).unwrap());
    }

    #[test]
    fn no_report_is_greener_than_its_verdict() {
        for exhibit in exhibits() {
            for verdict in [Verdict::Pass, Verdict::Fail, Verdict::CannotTell] {
                let told = Exhibit { verdict, ..exhibit.clone() };
                let xml = render("x", &[told]).unwrap();
                let is_red = xml.contains("<failure") || xml.contains("<error");
                assert!(verdict == Verdict::Pass || is_red, "{verdict:?} of {}", exhibit.evidence);
            }
        }
        let xml = render("x", &[]).unwrap();
        assert!(xml.contains("tests=\"0\""), "{xml}");
    }

    #[test]
    fn the_red_run_is_a_suite_of_expected_failures() {
        let [tests, audit, _] = exhibits().try_into().unwrap();
        let red = Exhibit { check: "red run".to_owned(), is_red: true, ..tests };
        let xml = render("x", &[red.clone(), audit]).unwrap();
        assert!(!xml.contains("<failure") && !xml.contains("<error"), "{xml}");
        assert!(xml.contains("EV-000001 red run, expected failures: limits"), "{xml}");
        assert!(xml.contains("message=\"expected: left: 1\""), "{xml}");
        let unbuilt = Exhibit { tests: vec![], ..red };
        let xml = render("x", &[unbuilt]).unwrap();
        assert!(xml.contains("message=\"expected: running 4 tests\""), "{xml}");
    }

    #[test]
    fn hostile_text_stays_text() {
        let mut hostile = exhibits().remove(0);
        hostile.check = "a\"/><testsuite name=\"\u{1b}[2J\u{0}".to_owned();
        let xml = render("x]]>", &[hostile]).unwrap();
        assert!(
            !xml.contains('\u{1b}')
                && !xml.contains('\u{0}')
                && !xml.contains("/><testsuite name=\"\u{fffd}")
        );
        assert_eq!(xml.matches("<testsuite ").count(), xml.matches("</testsuite>").count());
    }
}
