use crate::kinds::story::{captured, left, setting, skipping, told, visited};
use crate::kinds::{PYTEST_REPORT, Setting};
use crate::{Canary, Ran, Said, Seen, Visited};

/// What a room brings back of one run of pytest.
fn room(code: i32, printed: &str, report: &str) -> Visited {
    let stdout = Said::whole(captured(printed));
    visited(vec![("pytest", Ran { stdout, ..left(code, PYTEST_REPORT, captured(report)) })])
}

fn heard(setting: &Setting, visited: Visited) -> String {
    told("pytest", setting, &[Seen::Visited(visited)])
}

#[test]
fn tests_that_all_ran_in_an_honest_room_pass() {
    assert_eq!(heard(&setting(), room(0, "pytest-green.out", "pytest-green.xml")), "pass");
}

#[test]
fn what_failed_broke_or_was_left_out_is_told() {
    let red = Visited { canary: Canary::NotNeeded, ..room(1, "pytest-red.out", "pytest-red.xml") };
    assert_eq!(
        heard(&skipping(&["test_network"]), red),
        "fail: `test_five` in `tests.test_sums` failed: assert 4 == 5 + where 4 = add(2, 2) | \
         `test_fixture` in `tests.test_sums` did not finish: failed on setup with \"RuntimeError: no fixture\" | \
         `test_expected_to_fail` in `tests.test_sums` was skipped, which was not declared"
    );
}

#[test]
fn a_report_that_says_otherwise_than_what_was_printed_is_not_believed() {
    assert_eq!(
        heard(&setting(), room(0, "pytest-red.out", "pytest-green.xml")),
        "cannot tell: pytest prints 5 passed and reports 4 | pytest prints 1 failed and reports 0 | \
         pytest prints 2 left out and reports 0 | pytest prints 1 broken and reports 0"
    );
}

#[test]
fn no_tests_no_report_and_a_broken_import_do_not_pass() {
    let none = room(5, "pytest-green.out", "pytest-none.xml");
    let said = heard(&setting(), none);
    let passed = "fail: `pytest` exited with 5, and every test it tells of passed; it printed: ";
    assert!(said.starts_with(passed) && said.contains(" | no test ran"), "{said}");
    let broken = room(2, "pytest-green.out", "pytest-collect.xml");
    let said = heard(&setting(), broken);
    assert!(
        said.starts_with(
            "fail: `tests.test_broken` in `pytest` did not finish: ModuleNotFoundError: No module named 'nothing_of_the_kind'"
        ),
        "{said}"
    );
    let mut silent = room(0, "pytest-green.out", "pytest-green.xml");
    silent.runs[0].1.reports.clear();
    assert_eq!(heard(&setting(), silent), "cannot tell: `pytest`: there is no report");
}

#[test]
fn code_that_ends_the_process_early_is_caught_by_the_canary() {
    let passed =
        Canary::Passed { what: "tests/test_sums.py: `pytest` ended with Exited(0)".to_owned() };
    let said = heard(
        &setting(),
        Visited { canary: passed, ..room(0, "pytest-green.out", "pytest-green.xml") },
    );
    assert!(said.starts_with("fail: the canary passed, so no test here proves anything"), "{said}");
    assert!(said.contains("[cheat VacuousAsserts: the canary passed"), "{said}");
}
