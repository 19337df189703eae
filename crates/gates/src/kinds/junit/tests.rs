use crate::kinds::story::{captured, left, setting, skipping, told};
use crate::kinds::{Kind, Setting};
use crate::{Seen, Step};

fn heard(setting: Setting, code: i32, report: &str) -> String {
    let setting = Setting { report: Some("junit.xml".to_owned()), ..setting };
    told("junit", &setting, &[Seen::Ran(left(code, "junit.xml", captured(report)))])
}

#[test]
fn real_reports_are_judged() {
    for green in ["vitest-green.xml", "jest-green.xml", "pytest-green.xml"] {
        assert_eq!(heard(setting(), 0, green), "pass", "{green}");
    }
    assert_eq!(
        heard(skipping(&["red > needs a network"]), 1, "vitest-red.xml"),
        "fail: `red > is five` in `test/red.test.js` failed: expected 4 to be 5 // Object.is equality | \
         `red > later` in `test/red.test.js` was skipped, which was not declared"
    );
    let jest = heard(skipping(&["red needs a network"]), 1, "jest-red.xml");
    assert!(
        jest.starts_with("fail: `red is five` in `red is five` failed: Error: expect(received)"),
        "{jest}"
    );
    assert_eq!(
        heard(skipping(&["later"]), 1, "node-red.xml"),
        "fail: `five` in `test` failed: 4 == 5"
    );
}

#[test]
fn a_forced_exit_code_does_not_hide_a_failure() {
    for red in ["vitest-red.xml", "jest-red.xml", "node-red.xml", "pytest-red.xml"] {
        let said = heard(setting(), 0, red);
        assert!(said.starts_with("fail: the command exited with 0, and "), "{said}");
    }
}

#[test]
fn the_report_is_asked_for_by_name() {
    let kind = Kind::of("junit").unwrap();
    let Step::Run(command) =
        kind.gate(Setting { report: Some("a.xml".to_owned()), ..setting() }).next(&[])
    else {
        panic!("it runs something");
    };
    assert_eq!(command.reports, ["a.xml"]);
    assert_eq!(
        command.environment,
        [("JEST_JUNIT_OUTPUT_FILE".to_owned(), "/reports/a.xml".to_owned())]
    );
    assert_eq!(told("junit", &setting(), &[]), "cannot tell: no `report` is configured");
}
