use super::*;
use crate::kinds::story::captured;

fn told(text: &[u8]) -> String {
    match read(text) {
        Err(error) => error.to_string(),
        Ok(tests) => {
            let one = |result: &TestResult| {
                let how = match &result.status {
                    Status::Passed => "passed",
                    Status::Failed { .. } | Status::Broken { .. } => "failed",
                    Status::Skipped { .. } => "left out",
                };
                format!("{}/{} {how}", result.id.suite, result.id.name)
            };
            let mut lines: Vec<String> = tests.results.iter().map(one).collect();
            lines.sort();
            lines.extend(tests.odd);
            lines.join(", ")
        }
    }
}

#[test]
fn what_nextest_prints_is_read_though_suites_run_side_by_side() {
    assert_eq!(
        told(&captured("nextest-green.out")),
        "shop::acceptance/three_and_three passed, shop::acceptance/two_and_two passed, \
         shop::shop/tests::adds passed, shop::shop/tests::panics passed"
    );
}

#[test]
fn a_suite_that_nextest_takes_up_again_is_one_suite() {
    assert_eq!(
        told(&captured("nextest-red.out")),
        "shop::acceptance/five failed, shop::acceptance/network left out, \
         shop::acceptance/three_and_three passed, shop::acceptance/two_and_two passed, \
         shop::shop/tests::adds passed, shop::shop/tests::panics passed"
    );
}

#[test]
fn what_libtest_prints_for_programs_is_read() {
    assert_eq!(
        told(&captured("libtest-json-red.out")),
        "suite 1/tests::adds passed, suite 1/tests::panics passed, suite 2/five failed, \
         suite 2/network left out, suite 2/three_and_three passed, suite 2/two_and_two passed"
    );
}

#[test]
fn what_does_not_add_up_is_told_or_refused() {
    let begin = r#"{"type":"suite","event":"started","test_count":1}"#;
    let ok = r#"{"type":"test","event":"ok","name":"a"}"#;
    let end = |filtered: u32, passed: u32, event: &str| {
        format!(
            r#"{{"type":"suite","event":"{event}","passed":{passed},"failed":0,"ignored":0,"filtered_out":{filtered}}}"#
        )
    };
    let cases = [
        (vec![begin.to_owned(), ok.to_owned(), end(0, 1, "ok")], "suite 1/a passed"),
        (
            vec![begin.to_owned(), ok.to_owned(), end(3, 1, "ok")],
            "suite 1/a passed, 3 tests of `suite 1` were filtered out",
        ),
        (
            vec![begin.to_owned(), end(0, 1, "ok")],
            "`suite 1` counts 1 tests and lists 0, `suite 1` counts 1 passed and lists 0",
        ),
        (
            vec![begin.to_owned(), ok.to_owned(), end(0, 1, "failed")],
            "suite 1/a passed, `suite 1` ends failed with 0 failed",
        ),
        (
            vec![begin.to_owned(), ok.to_owned()],
            "the report is malformed: it ends before `suite 1` does",
        ),
        (vec![ok.to_owned()], "the report is malformed: `a` stands outside of its suite"),
        (vec![], "the report is malformed: there is no suite in it"),
        (
            vec![begin.to_owned(), r#"{"type":"test","event":"fine","name":"a"}"#.to_owned()],
            "the report is malformed: unknown event `fine` of a `test`",
        ),
    ];
    for (lines, expected) in cases {
        assert_eq!(told(lines.join("\n").as_bytes()), expected);
    }
}
