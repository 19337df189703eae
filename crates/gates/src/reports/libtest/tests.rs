use super::*;
use crate::kinds::story::captured;

/// The outputs of the executables that one `cargo test` ran.
fn executables(name: &str) -> Vec<String> {
    let text = String::from_utf8(captured(name)).unwrap();
    text.split("\nrunning ").skip(1).map(|part| format!("\nrunning {part}")).collect()
}

fn told(text: &str) -> String {
    match read("s", text.as_bytes()) {
        Err(error) => error.to_string(),
        Ok(tests) => {
            let one = |result: &TestResult| match &result.status {
                Status::Passed => format!("{} passed", result.id.name),
                Status::Failed { .. } | Status::Broken { .. } => {
                    format!("{} failed", result.id.name)
                }
                Status::Skipped { why } => format!("{} left out ({why})", result.id.name),
            };
            let results: Vec<String> = tests.results.iter().map(one).chain(tests.odd).collect();
            results.join(", ")
        }
    }
}

#[test]
fn what_an_executable_prints_is_read() {
    let green = executables("libtest-green.out");
    assert_eq!(green.len(), 2);
    assert_eq!(told(&green[0]), "tests::adds passed, tests::panics passed");
    assert_eq!(told(&green[1]), "three_and_three passed, two_and_two passed");
    let red = executables("libtest-red.out");
    assert_eq!(
        told(&red[1]),
        "network left out (needs a network), three_and_three passed, two_and_two passed, five failed"
    );
    let tests = read("s", red[1].as_bytes()).unwrap();
    let Status::Failed { why } = &tests.results[3].status else { panic!("{tests:?}") };
    assert!(
        why.contains("assertion `left == right` failed: two and two left: 4 right: 5"),
        "{why}"
    );
}

#[test]
fn tests_that_were_filtered_out_are_told_of() {
    let filtered = executables("libtest-filtered.out");
    assert_eq!(told(&filtered[0]), "tests::adds passed, 1 tests of `s` were filtered out");
    assert_eq!(told(&filtered[1]), "2 tests of `s` were filtered out");
}

#[test]
fn what_tests_print_past_the_harness_does_not_hide_them() {
    let end = "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s\n";
    let torn = format!("running 2 tests\nnoisetest a ... ok\ntest b ... hello\nok\n\n{end}");
    assert_eq!(told(&torn), "a passed, b passed");
}

#[test]
fn a_forged_line_does_not_add_up() {
    let end = "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s";
    let honest = format!("running 2 tests\ntest a ... ok\ntest b ... FAILED\n{end}\n");
    let forged = "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s";
    assert_eq!(
        told(&format!("{honest}test b ... ok\n{forged}\n")),
        "a passed, b failed, b passed, the result is told twice, `s` counts 2 tests and lists 3, \
         `s` counts 0 failed and lists 1"
    );
}

#[test]
fn what_ends_early_is_refused() {
    assert_eq!(told(""), "the report is malformed: no tests are announced in it");
    assert_eq!(told("hello\n"), "the report is malformed: no tests are announced in it");
    let cut =
        "running 2 tests\ntest a ... ok\ntest b ... ok\n\ntest result: ok. 2 passed; 0 failed";
    assert_eq!(told(cut), "the report is malformed: it ends before the tests do");
}
