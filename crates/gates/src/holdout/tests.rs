use proptest::prelude::*;
use sealwright_kernel::Verdict;

use super::*;
use crate::Toolchain;
use crate::toolchain::tests::{in_python, in_rust, outlined};

#[test]
fn a_third_is_held_out_and_every_criterion_stays_shown() {
    let (tests, trace) = suite(9, |at| vec![at % 3]);
    let split = split(&tests, &trace, &Digest::of(b"seed"));
    assert_eq!((split.shown.len(), split.held.len()), (6, 3));
    assert_eq!(
        split,
        super::split(&tests, &trace, &Digest::of(b"seed")),
        "the same seed, the same split"
    );
    let others = (0..20).map(|at: u8| super::split(&tests, &trace, &Digest::of(&[at])));
    assert!(others.map(|other| other.held).collect::<BTreeSet<_>>().len() > 5, "seeds differ");
}

#[test]
fn a_small_suite_and_the_only_test_of_a_criterion_are_shown() {
    let (tests, trace) = suite(3, |_| vec![0]);
    assert_eq!(split(&tests, &trace, &Digest::ZERO).held.len(), 0);
    let (tests, trace) = suite(8, |at| vec![at]);
    assert_eq!(split(&tests, &trace, &Digest::ZERO).held.len(), 0, "each is the only one");
    let (tests, _) = suite(8, |at| vec![at]);
    assert_eq!(
        split(&tests, &Trace::default(), &Digest::ZERO).held.len(),
        0,
        "none proves anything"
    );
}

proptest! {
    #[test]
    fn no_split_leaves_a_criterion_unsaid(count in 0_usize..30, spread in 1_usize..8, seed: [u8; 4]) {
        let (tests, trace) = suite(count, |at| vec![at % spread, (at * 7) % spread]);
        let split = split(&tests, &trace, &Digest::of(&seed));
        prop_assert!(split.held.len() <= count / 3);
        prop_assert_eq!(&split.shown | &split.held, tests.clone());
        let said = |tests: &BTreeSet<String>| -> BTreeSet<String> {
            tests.iter().flat_map(|test| trace.0[test].clone()).collect()
        };
        prop_assert_eq!(said(&split.shown), said(&tests));
    }
}

#[test]
fn held_out_tests_must_run_and_hold_and_are_not_named() {
    let (tests, trace) = suite(6, |_| vec![1]);
    let split = split(&tests, &trace, &Digest::ZERO);
    let held: Vec<_> = split.held.iter().cloned().collect();
    let judge = |statuses: &[Status]| {
        let ended =
            held.iter().cloned().zip(statuses.iter().map(|status| vec![status.clone()])).collect();
        judge(&split, &trace, &ended)
    };
    let failed = Status::Failed { why: "secret".to_owned() };
    let skipped = Status::Skipped { why: String::new() };
    assert_eq!(judge(&[Status::Passed, Status::Passed]).verdict, Verdict::Pass);
    assert_eq!(judge(&[Status::Passed]).verdict, Verdict::CannotTell);
    assert_eq!(judge(&[Status::Passed, skipped]).verdict, Verdict::CannotTell);
    let red = judge(&[Status::Passed, failed]);
    assert_eq!(red.verdict, Verdict::Fail);
    assert_eq!(red.because, ["1 of 2 tests that were held out fail", "AC-1: 1"]);
}

#[test]
fn a_file_is_cut_so_that_it_still_is_one() {
    let rust = "use calc::add;\n\n/// Secret.\n#[test]\nfn a() {\n    assert_eq!(add(1, 2), 3);\n}\n\n#[test]\nfn b() { assert_eq!(add(2, 2), 4); }\n";
    let cut = cut_of(in_rust(), "tests/it.rs", rust, "a").unwrap();
    assert_eq!(
        cut,
        "use calc::add;\n\n\n\n\n\n\n\n#[test]\nfn b() { assert_eq!(add(2, 2), 4); }\n"
    );
    assert_eq!(outlined("tests/it.rs", &cut).tests().count(), 1);

    let python = "import pytest\n\nclass TestX:\n    @pytest.mark.slow\n    def test_a(self):\n        assert add(1, 2) == 3\n\ndef test_b():\n    assert add(2, 2) == 4\n";
    let cut = cut_of(in_python(), "tests/test_it.py", python, "TestX::test_a").unwrap();
    assert_eq!(
        cut,
        "import pytest\n\nclass TestX:\n    pass\n\n\n\ndef test_b():\n    assert add(2, 2) == 4\n"
    );
    assert_eq!(outlined("tests/test_it.py", &cut).tests().count(), 1);

    let crowded = "#[test] fn a() { assert!(x()); } #[test] fn b() { assert!(y()); }\n";
    assert_eq!(cut_of(in_rust(), "tests/it.rs", crowded, "a"), None);
}

fn cut_of(toolchain: Toolchain, path: &str, text: &str, held: &str) -> Option<String> {
    let split = Split { held: [format!("{path}::{held}")].into(), ..Split::default() };
    cut(toolchain.language(), text, &outlined(path, text), &split)
}

fn suite(count: usize, criteria: impl Fn(usize) -> Vec<usize>) -> (BTreeSet<String>, Trace) {
    let name = |at: usize| format!("tests/it.rs::t{at:02}");
    let traced = (0..count).map(|at| {
        (name(at), criteria(at).into_iter().map(|criterion| format!("AC-{criterion}")).collect())
    });
    ((0..count).map(name).collect(), Trace(traced.collect()))
}
