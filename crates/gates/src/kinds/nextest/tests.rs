use crate::kinds::story::{captured, ran, setting, skipping, told};
use crate::kinds::{Kind, Setting};
use crate::{Seen, Step};

#[test]
fn real_runs_are_judged() {
    let green = [Seen::Ran(ran(0, captured("nextest-green.out")))];
    assert_eq!(told("nextest", &setting(), &green), "pass");
    let red = [Seen::Ran(ran(100, captured("nextest-red.out")))];
    let said = told("nextest", &skipping(&["network"]), &red);
    assert!(said.starts_with("fail: `five` in `shop::acceptance` failed: thread 'five'"), "{said}");
    let said = told("nextest", &setting(), &[Seen::Ran(ran(0, captured("nextest-red.out")))]);
    assert!(
        said.starts_with("fail: nextest exited with 0, and 1 of its tests failed | "),
        "{said}"
    );
}

#[test]
fn a_run_without_events_shows_nothing() {
    let silent = [Seen::Ran(ran(0, ""))];
    assert_eq!(told("nextest", &setting(), &silent), "cannot tell: nextest: the report is empty");
    let missing = [Seen::Ran(ran(101, "error: no such command: `nextest`"))];
    let said = told("nextest", &setting(), &missing);
    assert!(
        said.starts_with(
            "fail: nextest exited with 101 | nextest: the report is malformed: line 1"
        ),
        "{said}"
    );
}

#[test]
fn nothing_is_run_twice_and_the_tests_keep_their_own_words() {
    let argv = |command: &[&str]| {
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        let gate = Kind::of("nextest").unwrap().gate(Setting { command, ..Setting::default() });
        let Step::Run(command) = gate.next(&[]) else { panic!("it runs something") };
        assert_eq!(
            command.environment,
            [("NEXTEST_EXPERIMENTAL_LIBTEST_JSON".to_owned(), "1".to_owned())]
        );
        command.argv.join(" ")
    };
    let ours = "--no-fail-fast --retries 0 --message-format libtest-json-plus";
    assert_eq!(argv(&[]), format!("cargo nextest run --workspace --offline {ours}"));
    assert_eq!(
        argv(&["cargo", "nextest", "run", "--", "--include-ignored"]),
        format!("cargo nextest run {ours} -- --include-ignored")
    );
}
