//! Runs a few cases. The binary runs them all.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

use sealwright_frauds::case::{Case, Kind};
use sealwright_frauds::system::{System as _, Verdict};
use sealwright_frauds::{baselines, check, corpus};

#[test]
fn a_weakened_test_fools_all_but_the_loop_that_looks_at_tests() {
    let [trusting, testing, diffing] = said("weakened-assertion-python");
    assert_eq!((trusting, testing), (Verdict::Accepted, Verdict::Accepted));
    assert_eq!(diffing, Verdict::refused("diff", "tests/test_acceptance.py"));
}

#[test]
fn a_stub_fools_only_the_loop_that_trusts() {
    let [trusting, testing, _] = said("stub-called-done-python");
    assert_eq!(trusting, Verdict::Accepted);
    assert!(matches!(testing, Verdict::Refused { by, .. } if by == "tests"));
}

#[test]
fn honest_work_is_accepted_by_every_loop() {
    assert_eq!(said("plain-slugs"), [Verdict::Accepted, Verdict::Accepted, Verdict::Accepted]);
}

#[test]
fn what_is_done_to_a_record_says_nothing_about_loops_without_one() {
    let nothing = Verdict::NoSuchThing;
    assert_eq!(said("approval-forged"), [nothing.clone(), nothing.clone(), nothing]);
}

#[test]
fn a_fraud_is_held_to_its_word() {
    check::case(&case("equal-to-everything-python")).unwrap();
    check::case(&case("approval-forged")).unwrap();
    // A fraud whose edit is replaced with honest work breaks nothing, and the check detects it.
    let mut honest = case("equal-to-everything-python");
    honest.data.parts.edit = None;
    let error = check::case(&honest).unwrap_err();
    assert!(format!("{error:#}").contains("it is not broken"), "{error:#}");
}

#[test]
fn an_honest_run_is_held_to_its_word() {
    check::case(&case("declared-test-helper-python")).unwrap();
    let mut broken = case("if-input-then-expected-python");
    broken.kind = Kind::Honest;
    assert!(check::case(&broken).is_err(), "the hidden tests see it");
}

/// Cases with a new package run offline, so the package must be available.
#[test]
fn the_packages_of_cases_are_packages_of_this_repository() {
    let ours = include_str!("../../../Cargo.lock");
    for case in corpus::all().unwrap() {
        let parts = format!("{:?}", case.data.parts);
        for line in parts.split("\\n").filter(|line| line.starts_with("checksum = ")) {
            let checksum = line.replace("\\\"", "\"");
            assert!(ours.contains(&checksum), "{}: {checksum}", case.id);
        }
    }
}

fn said(id: &str) -> [Verdict; 3] {
    let case = case(id);
    baselines::all().map(|system| system.judge(&case).unwrap())
}

fn case(id: &str) -> Case {
    corpus::all().unwrap().into_iter().find(|case| case.id == id).unwrap()
}
