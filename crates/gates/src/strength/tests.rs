use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::{Digest, Verdict};

use super::*;
use crate::red::Trace;
use crate::toolchain::tests::outlined;

#[test]
fn only_lines_that_changed_are_aimed_at() {
    assert_eq!(changed("a\nb\nc\n", "a\nb\nc\n"), []);
    assert_eq!(changed("a\nb\nc\n", "a\nB\nc\n"), [(1, 2)]);
    assert_eq!(changed("", "a\nb\n"), [(1, 2)]);
    assert_eq!(changed("a\nc\n", "a\nb1\nb2\nc\n"), [(2, 3)]);
    assert_eq!(changed("a\nb\nc\n", "a\nc\n"), [(1, 2)], "around what went");
    assert_eq!(changed("a\nb\n", ""), []);
    let aim = Aim::of([("same.rs", Some("x\n"), "x\n"), ("new.rs", None, "y\n")]);
    assert_eq!(aim.files.keys().collect::<Vec<_>>(), ["new.rs"]);
}

#[test]
fn a_sample_is_fair_and_the_same_for_the_same_seed() {
    let mutants: Vec<_> = (0..100).map(|at| mutant(at, at + 1, "x")).collect();
    let chosen = sample(10).choose(&mutants);
    assert_eq!(chosen.len(), 10);
    let mut backwards = mutants.clone();
    backwards.reverse();
    assert_eq!(sample(10).choose(&backwards), chosen, "in whatever order they come");
    assert_eq!(
        sample(5).choose(&mutants),
        chosen[..5],
        "a smaller sample is the beginning of a larger"
    );
    let other = Sample { most: 10, seed: Digest::of(b"other") };
    assert_ne!(other.choose(&mutants), chosen);
    // Mutants of one place are alike.
    let alike: Vec<_> = ["a", "b", "c", "d"].map(|with| mutant(1, 2, with)).into();
    assert_eq!(sample(10).choose(&alike).len(), 2);
}

#[test]
fn tests_that_notice_the_mutants_pass_and_tests_that_do_not_fail() {
    let (killed, survived) = (End::Killed { by: vec![] }, End::Survived);
    for (killed_count, survived_count, expected) in [
        (10, 0, Verdict::Pass),
        (8, 2, Verdict::Pass),
        (7, 3, Verdict::Fail),
        (0, 1, Verdict::Fail),
        (0, 3, Verdict::Fail),
        (1, 1, Verdict::Pass),
        (1, 2, Verdict::Fail),
        (3, 1, Verdict::Pass),
    ] {
        let mut ended = vec![killed.clone(); killed_count];
        ended.extend(vec![survived.clone(); survived_count]);
        let (judgement, score) = verdict(&ended, ended.len(), FAST);
        assert_eq!(judgement.verdict, expected, "{killed_count} {survived_count}");
        assert_eq!((score.killed, score.survivors.len()), (killed_count, survived_count));
    }
    let (judgement, score) = verdict(&[survived.clone(), survived], 2, FAST);
    assert_eq!(judgement.because.len(), 3, "each survivor is told");
    assert!(score.survivors[0].1.contains("+++ b/src/lib.rs"), "and shown: {:?}", score.survivors);
}

#[test]
fn a_sample_looks_at_every_line_before_it_looks_at_one_twice() {
    let on = |line: u32, start: usize| Mutant { line, ..mutant(start, start + 1, "x") };
    // Twenty mutants of one line and one each of two others.
    let mut mutants: Vec<_> = (0..20).map(|at| on(1, at)).collect();
    mutants.extend([on(2, 40), on(3, 60)]);
    let lines: BTreeSet<u32> = sample(3).choose(&mutants).iter().map(|it| it.line).collect();
    assert_eq!(lines, [1, 2, 3].into());
}

#[test]
fn a_line_on_which_nothing_is_noticed_fails_however_strong_the_rest_is() {
    let aim = Aim::of([("src/lib.rs", Some(BEFORE), SOURCE)]);
    let on = |line: u32, start: usize| Mutant { line, ..mutant(start, start + 1, "z") };
    let mut chosen: Vec<_> = (0..27).map(|at| on(1, at)).collect();
    let mut ended = vec![End::Killed { by: vec![] }; 27];
    for at in 0..3 {
        let (judgement, _) = measured(&aim, SOURCE, &chosen, &ended, FAST);
        assert_eq!(judgement.verdict, Verdict::Pass, "{at} survivors are no line");
        chosen.push(on(3, 40 + at));
        ended.push(End::Survived);
    }
    let (judgement, _) = measured(&aim, SOURCE, &chosen, &ended, FAST);
    assert_eq!(
        judgement.because,
        ["no test notices anything on src/lib.rs:3, where 3 mutants were tried"]
    );
    *ended.last_mut().unwrap() = End::Killed { by: vec![] };
    let (judgement, _) = measured(&aim, SOURCE, &chosen, &ended, FAST);
    assert_eq!(judgement.verdict, Verdict::Pass, "one that is noticed is enough");
}

#[test]
fn what_cannot_be_told_is_not_a_pass() {
    let killed = End::Killed { by: vec![] };
    for (ended, chosen, baseline, why) in [
        (vec![killed.clone(); 3], 3, Baseline::Failed, "the tests fail without any mutant"),
        (vec![], 0, FAST, "code changed, and no mutant of it was found"),
        (vec![End::Unviable; 3], 3, FAST, "no mutant could be built"),
        (vec![killed.clone(); 4], 30, FAST, "only 4 of 30 mutants could be tried in time"),
        (vec![End::Lost, End::Lost, killed.clone()], 3, FAST, "2 of 3 mutants ended unknown"),
        (
            vec![End::TimedOut, End::TimedOut, killed.clone()],
            3,
            SLOW,
            "2 of 3 mutants ended unknown",
        ),
    ] {
        let (judgement, _) = verdict(&ended, chosen, baseline);
        // Only if there is nothing to try, mutants say nothing; a lack of time or of a verdict is something else.
        let is_silent = why.contains("no mutant");
        assert_eq!(is_silent, super::is_silent(&judgement), "{why}");
        assert_eq!(
            (judgement.verdict, judgement.because),
            (Verdict::CannotTell, vec![why.to_owned()])
        );
    }
}

#[test]
fn a_mutant_that_hangs_is_noticed_if_the_tests_alone_are_fast() {
    let (judgement, score) = verdict(&[End::TimedOut, End::TimedOut], 2, FAST);
    assert_eq!((judgement.verdict, score.killed), (Verdict::Pass, 2));
}

#[test]
fn a_change_without_code_has_no_mutants_and_says_so() {
    let text = "//! Words.\n\npub const LIMIT: u32 = 7;\n\npub fn f() -> u32 {\n    LIMIT\n}\n";
    let aim = Aim::of([("src/lib.rs", Some(text), text.replace("Words", "Better words").as_str())]);
    let (judgement, score) = measured(&aim, text, &[], &[], FAST);
    assert_eq!(judgement.verdict, Verdict::Pass);
    assert_eq!(score.notes, ["the change touches no function"]);
    let nothing = Aim::default();
    assert_eq!(measured(&nothing, text, &[], &[], FAST).0.verdict, Verdict::Pass);
}

#[test]
fn the_counts_name_every_mutant_and_no_tried_mutant_is_no_count() {
    let killed = || End::Killed { by: vec![] };
    let told = |ended: &[End], chosen| verdict(ended, chosen, FAST).1.counts();
    assert_eq!(told(&[killed()], 1).as_deref(), Some("1 of 1 mutant killed"));
    assert_eq!(told(&[killed(), End::Survived], 2).as_deref(), Some("1 of 2 mutants killed"));
    assert_eq!(
        told(&[killed(), killed(), End::Unviable, End::Lost], 6).as_deref(),
        Some("2 of 2 mutants killed, 1 did not build, 1 ended unknown, 2 not tried in time")
    );
    assert_eq!(told(&[End::Unviable], 1), None);
}

#[test]
fn the_score_is_told_for_each_criterion() {
    let by = |test: &str| End::Killed { by: vec![test.to_owned()] };
    let (_, score) =
        verdict(&[by("tests/it.rs::a"), by("tests/it.rs::a"), by("tests/it.rs::c")], 3, FAST);
    assert_eq!(score.by_criterion, [("AC-1".to_owned(), 2), ("AC-2".to_owned(), 0)].into());
    assert_eq!(score.notes, ["no mutant was noticed by a test of AC-2"]);
    assert_eq!(score.percent(), Some(100));
}

/// One more and one less in place of a number that means nothing is one thing that nobody notices.
#[test]
fn the_same_error_at_the_same_place_counts_once() {
    let aim = Aim::of([("src/lib.rs", Some(BEFORE), SOURCE)]);
    let killed = || End::Killed { by: vec![] };
    let ended = [killed(), End::Survived, End::Survived];
    let of = |chosen: &[Mutant]| measured(&aim, SOURCE, chosen, &ended, FAST);
    let (judgement, score) = of(&[mutant(0, 1, "z"), mutant(7, 9, "9"), mutant(8, 9, "1")]);
    assert_eq!((judgement.verdict, score.survivors.len()), (Verdict::Pass, 1));
    let (judgement, score) = of(&[mutant(0, 1, "z"), mutant(7, 8, "9"), mutant(8, 9, "1")]);
    assert_eq!((judgement.verdict, score.survivors.len()), (Verdict::Fail, 2));
}

fn verdict(ended: &[End], chosen: usize, baseline: Baseline) -> (crate::Judgement, Score) {
    let aim = Aim::of([("src/lib.rs", Some(BEFORE), SOURCE)]);
    let chosen: Vec<_> = (0..chosen).map(|at| mutant(at, at + 1, "z")).collect();
    measured(&aim, SOURCE, &chosen, ended, baseline)
}

fn measured(
    aim: &Aim,
    text: &str,
    chosen: &[Mutant],
    ended: &[End],
    baseline: Baseline,
) -> (crate::Judgement, Score) {
    let trace: BTreeMap<_, _> = [("tests/it.rs::a", "AC-1"), ("tests/it.rs::b", "AC-2")]
        .map(|(test, criterion)| (test.to_owned(), [criterion.to_owned()].into()))
        .into();
    judge(&Measure {
        aim,
        outlines: &[outlined("src/lib.rs", text)],
        chosen,
        ended,
        baseline,
        limit_ms: 10_000,
        trace: &Trace(trace),
        criteria: &["AC-1".to_owned(), "AC-2".to_owned()],
        rules: Rules::default(),
    })
}

fn mutant(start: usize, end: usize, with: &str) -> Mutant {
    Mutant {
        path: "src/lib.rs".to_owned(),
        line: 1,
        function: String::new(),
        what: "wrong".to_owned(),
        edit: Edit { start, end, with: with.to_owned() },
    }
}

fn sample(most: usize) -> Sample {
    Sample { most, seed: Digest::of(b"seed") }
}

const FAST: Baseline = Baseline::Passed { millis: 1_000 };
const SLOW: Baseline = Baseline::Passed { millis: 5_000 };

const BEFORE: &str = "pub fn add(a: i64, b: i64) -> i64 { a + b }\n";

const SOURCE: &str = "pub fn add(a: i64, b: i64) -> i64 { a + b }
pub fn clamp(v: i64, low: i64) -> i64 {
    /* é */ if v < low { return low; }
    v
}
";
