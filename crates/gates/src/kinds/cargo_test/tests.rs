use std::collections::BTreeSet;

use crate::kinds::story::{captured, id, ran, setting, skipping, told, visited};
use crate::kinds::{Expected, Kind, Known, Setting, Unpassed};
use crate::{Canary, Ended, Ran, Said, Seen, Step, TestId, Visited};

/// The runs of one `cargo test`, as a room makes them.
fn runs(name: &str, codes: [i32; 2]) -> Vec<(&'static str, Ran)> {
    let text = String::from_utf8(captured(name)).unwrap();
    let parts: Vec<String> =
        text.split("\nrunning ").skip(1).map(|part| format!("\nrunning {part}")).collect();
    let [lib, acceptance] = <[String; 2]>::try_from(parts).unwrap();
    vec![("lib shop", ran(codes[0], lib)), ("test acceptance", ran(codes[1], acceptance))]
}

fn green() -> Visited {
    Visited { build: Some(ran(0, "")), ..visited(runs("libtest-green.out", [0, 0])) }
}

fn heard(setting: &Setting, visited: Visited) -> String {
    told("cargo-test", setting, &[Seen::Visited(visited)])
}

#[test]
fn tests_that_all_ran_in_an_honest_room_pass() {
    let baseline =
        BTreeSet::from([id("lib shop", "tests::adds"), id("test acceptance", "two_and_two")]);
    let expected = Expected { baseline, ..Expected::default() };
    assert_eq!(heard(&Setting { expected, ..setting() }, green()), "pass");
}

/// A test inside of source moves with its module. One that was frozen does not, and two do not become one.
#[test]
fn an_inner_test_in_a_module_of_another_name_is_the_same_test() {
    let heard = |baseline: &[TestId]| {
        let baseline = baseline.iter().cloned().collect();
        heard(
            &Setting { expected: Expected { baseline, ..Expected::default() }, ..setting() },
            green(),
        )
    };
    let (old, other) = (id("lib shop", "sums::tests::adds"), id("lib shop", "more::tests::adds"));
    assert_eq!(heard(std::slice::from_ref(&old)), "pass");
    assert!(heard(&[old.clone(), other]).contains("was not seen"));
    assert!(heard(&[old, id("lib shop", "tests::adds")]).contains("was not seen"));
    assert!(heard(&[id("test acceptance", "sums::two_and_two")]).contains("was not seen"));
    assert!(heard(&[id("bin shop", "sums::tests::adds")]).contains("was not seen"));
}

#[test]
fn a_room_is_asked_for_the_frozen_tests() {
    let kind = Kind::of("cargo-test").unwrap();
    let Step::Visit(room) = kind.gate(setting()).next(&[]) else { panic!("it visits a room") };
    assert_eq!(
        (room.toolchain, room.tests.as_slice()),
        (crate::toolchain::tests::in_rust(), setting().tests.as_slice())
    );
    let nothing = Setting { tests: vec![], ..setting() };
    assert_eq!(
        told("cargo-test", &nothing, &[]),
        "cannot tell: no test file is frozen, so there is nothing to run in a clean room"
    );
}

#[test]
fn a_failed_test_and_an_undeclared_skip_are_told() {
    let red = Visited { canary: Canary::NotNeeded, ..visited(runs("libtest-red.out", [0, 101])) };
    let said = heard(&setting(), red.clone());
    assert!(said.starts_with("fail: `network` in `test acceptance` was skipped, which was not declared: needs a network | `five` in `test acceptance` failed: "), "{said}");
    let said = heard(&skipping(&["network"]), red);
    assert!(said.starts_with("fail: `five` in `test acceptance` failed: "), "{said}");
}

#[test]
fn what_was_filtered_out_is_missed() {
    let filtered = visited(runs("libtest-filtered.out", [0, 0]));
    assert_eq!(
        heard(&setting(), filtered),
        "cannot tell: 1 tests of `lib shop` were filtered out | 2 tests of `test acceptance` were filtered out"
    );
    // Tests that failed before are left out on purpose, and run by themselves.
    let known = |suite: &str, name: &str| (id(suite, name), Unpassed::Failed);
    let known = [
        known("lib shop", "old"),
        known("test acceptance", "one"),
        known("test acceptance", "two"),
    ];
    let mut knowing = setting();
    knowing.expected.known = Known::These(known.into());
    let filtered = visited(runs("libtest-filtered.out", [0, 0]));
    let said = heard(&knowing, filtered);
    assert!(!said.contains("filtered out"), "{said}");
}

#[test]
fn a_canary_that_passes_and_tampering_are_cheats() {
    let passed = Canary::Passed {
        what: "tests/acceptance.rs: `test acceptance` ended with Exited(0)".to_owned(),
    };
    let tampering = vec![
        (".cargo/config.toml".to_owned(), "it says how to build".to_owned()),
        ("tests/acceptance.rs".to_owned(), "the canary passed: it was not run".to_owned()),
    ];
    assert_eq!(
        heard(&setting(), Visited { canary: passed, tampering, ..green() }),
        "fail: tampering with how the tests end: .cargo/config.toml: it says how to build | \
         the canary passed, so no test here proves anything: tests/acceptance.rs: `test acceptance` ended with Exited(0) \
         [cheat RedTestChanged: .cargo/config.toml: it says how to build] \
         [cheat VacuousAsserts: the canary passed: tests/acceptance.rs: `test acceptance` ended with Exited(0)]"
    );
}

#[test]
fn a_canary_that_was_not_tried_leaves_everything_open() {
    let said = heard(&setting(), Visited { canary: Canary::NotNeeded, ..green() });
    assert_eq!(
        said,
        "cannot tell: the canary was not run, so it is unknown whether a test can fail here"
    );
}

#[test]
fn a_build_that_failed_is_told_with_its_errors() {
    let stderr = Said::whole(
        "   Compiling shop\nerror[E0425]: cannot find function `sub`\n  --> src/lib.rs\nerror: could not compile\n",
    );
    let build = Some(Ran { stderr, ..ran(101, "") });
    let broken = Visited { build, canary: Canary::NotNeeded, ..visited(vec![]) };
    assert_eq!(
        heard(&setting(), broken),
        "fail: the build exited with 101 | error[E0425]: cannot find function `sub` | error: could not compile"
    );
}

#[test]
fn a_room_in_which_nothing_ran_shows_nothing() {
    let empty = Visited { build: Some(ran(0, "")), canary: Canary::NotNeeded, ..visited(vec![]) };
    assert_eq!(heard(&setting(), empty), "fail: no test ran | nothing was run in the clean room");
    let why = Seen::Nothing { why: "there are no walls".to_owned() };
    assert_eq!(told("cargo-test", &setting(), &[why]), "cannot tell: there are no walls");
}

#[test]
fn an_executable_that_ends_early_or_says_too_much_does_not_pass() {
    let with = |change: fn(&mut Ran)| {
        let mut visited = green();
        change(&mut visited.runs[1].1);
        heard(&setting(), visited)
    };
    let exited = with(|ran| ran.stdout = Said::whole("\nrunning 2 tests\n"));
    assert_eq!(
        exited,
        "cannot tell: `test acceptance`: the report is malformed: it ends before the tests do"
    );
    let cut = with(|ran| ran.stdout.total += 1);
    assert!(cut.starts_with("cannot tell: `test acceptance`: only "), "{cut}");
    let aborted = with(|ran| ran.ended = Ended::Signalled(6));
    assert_eq!(aborted, "fail: `test acceptance` was killed by signal 6");
    let forced = with(|ran| ran.ended = Ended::Exited(101));
    let passed =
        "fail: `test acceptance` exited with 101, and every test it tells of passed; it printed: ";
    assert!(forced.starts_with(passed), "{forced}");
}

#[test]
fn two_executables_of_one_name_are_two_suites() {
    let mut twice = green();
    let again = twice.runs[1].clone();
    twice.runs.push(again);
    assert_eq!(heard(&setting(), twice), "pass");
}
