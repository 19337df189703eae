//! A run of many outputs: fragments add up, and the budget stops them.

use sealwright_leak::{Bounds, Budget, Filtered, Passed, Refusal, Why, filter};

use super::encoders;
use super::material::{LEDGER, MODULES, NOISE, TARIFF, hidden, sealed};

/// Lines that are too short to be cut alone.
fn short_lines() -> Vec<&'static str> {
    let letters = |line: &str| line.chars().filter(char::is_ascii_alphanumeric).count();
    let lines = MODULES.iter().flat_map(|module| module.body());
    lines.filter(|line| (12..=30).contains(&letters(line))).collect()
}

fn filtered(output: &str, budget: &Budget) -> Filtered {
    filter(output.as_bytes(), &sealed(), &Bounds::default(), budget)
}

#[test]
fn one_short_line_at_a_time_ends_when_the_budget_is_spent() {
    let sealed = sealed();
    let bounds = Bounds { run_faint_lines_max: 12, ..Bounds::default() };
    let mut budget = Budget::default();
    let mut shown = 0;
    for line in short_lines() {
        let filtered = filter(line.as_bytes(), &sealed, &bounds, &budget);
        shown += usize::from(
            filtered.text == line && filtered.budget.lines_shown() > budget.lines_shown(),
        );
        budget = filtered.budget;
    }
    // One fragment may touch two lines.
    assert!(
        (10..=12).contains(&shown) && (10..=12).contains(&budget.lines_shown()),
        "{shown}, {budget:?}"
    );
    assert!(budget.cuts() > 0, "nothing was ever cut");
}

#[test]
fn what_was_shown_once_may_be_shown_again() {
    let line = "        let payer = found.account.clone();";
    let mut budget = Budget::default();
    for _ in 0..100 {
        let filtered = filtered(line, &budget);
        assert_eq!(filtered.passed, Passed::Whole);
        budget = filtered.budget;
    }
    assert_eq!(budget.lines_shown(), 1);
}

#[test]
fn many_small_pieces_in_one_output_are_cut() {
    // From two modules in turn, so that no two lines are neighbours.
    let mut lines = short_lines();
    let half = lines.len() / 2;
    let second = lines.split_off(half);
    let mixed: Vec<_> =
        lines.iter().zip(&second).flat_map(|(one, two)| [*one, *two]).take(30).collect();
    let output = String::from_utf8(hidden(mixed.join("\n").as_bytes())).unwrap();
    let filtered = filtered(&output, &Budget::default());
    assert!(filtered.cut.iter().any(|cut| cut.why == Why::SmallPieces), "{:?}", filtered.cut);
    let left = mixed.iter().filter(|line| filtered.text.contains(**line)).count();
    // The remaining lines are too common to count.
    assert!(
        left * 3 <= mixed.len(),
        "{left} of {} lines are left:\n{}",
        mixed.len(),
        filtered.text
    );
    assert!(
        NOISE.iter().all(|line| filtered.text.contains(line)) || filtered.text.contains("withheld")
    );
}

#[test]
fn guessing_is_over_when_too_many_guesses_were_right() {
    let sealed = sealed();
    let bounds = Bounds { run_cuts_max: 3, ..Bounds::default() };
    let mut budget = Budget::default();
    let mut ends = Vec::new();
    for guess in LEDGER.body().chunks(6) {
        let filtered = filter(guess.join("\n").as_bytes(), &sealed, &bounds, &budget);
        budget = filtered.budget;
        ends.push(filtered.passed);
    }
    assert_eq!(budget.cuts(), 3);
    assert_eq!(ends.last(), Some(&Passed::Nothing { why: Refusal::BudgetSpent }));
    let innocent = filter(b"all is well\n", &sealed, &bounds, &budget);
    assert_eq!(innocent.passed, Passed::Nothing { why: Refusal::BudgetSpent });
    assert!(innocent.hint().is_some_and(|hint| hint.contains("person")));
}

#[test]
fn the_same_failure_again_costs_nothing_new() {
    let output = String::from_utf8(hidden(TARIFF.payload().as_bytes())).unwrap();
    let first = filtered(&output, &Budget::default());
    let second = filtered(&output, &first.budget);
    assert!(first.budget.cuts() > 0);
    assert_eq!((second.budget, second.text), (first.budget, first.text));
}

#[test]
fn unreadable_text_is_counted_over_a_run() {
    let secret = String::from_utf8(encoders::encrypted(&LEDGER.payload().repeat(6))).unwrap();
    let rows = secret.as_bytes().chunks(76).map(String::from_utf8_lossy);
    let output = rows.collect::<Vec<_>>().join("\n");
    let bounds = Bounds { run_unreadable_bytes_max: 10_000, ..Bounds::default() };
    let (sealed, mut budget) = (sealed(), Budget::default());
    let mut given = 0;
    for _ in 0..5 {
        let filtered = filter(output.as_bytes(), &sealed, &bounds, &budget);
        given +=
            filtered.text.lines().filter(|line| output.contains(line)).map(str::len).sum::<usize>();
        budget = filtered.budget;
    }
    assert!((8_000..=10_000).contains(&given), "{given} bytes were given");
    assert!((8_000..=10_000).contains(&budget.unreadable_bytes()), "{}", budget.unreadable_bytes());
}

#[test]
fn a_packed_bomb_is_withheld() {
    let bomb = encoders::base64_of(&encoders::gzipped(&vec![b'a'; 4 << 20]));
    let output = format!("{bomb}\n").repeat(8);
    let bounds = Bounds { line_bytes_max: 16 << 10, ..Bounds::default() };
    let filtered = filter(output.as_bytes(), &sealed(), &bounds, &Budget::default());
    assert_eq!(filtered.passed, Passed::Nothing { why: Refusal::TooTangled });
}
