//! Constants that come from tests: an answer beside its question, and undeclared values.

use std::collections::BTreeSet;

use sealwright_kernel::Cheat;

use crate::overfit::{Declared, Look, Suspicion, Weight};
use crate::toolchain::{Outline, Pair, Role, Value};

pub(super) fn look(at: &Look<'_>, declared: &Declared) -> Vec<Suspicion> {
    let mut found = answers(at, declared);
    found.extend(values(at, declared));
    found
}

/// Source that answers a test's question with that test's outcome.
fn answers(at: &Look<'_>, declared: &Declared) -> Vec<Suspicion> {
    let known: Vec<&Pair> = at.before.iter().flat_map(|outline| &outline.pairs).collect();
    let is_known = |pair: &Pair| {
        known.iter().any(|old| old.given == pair.given && old.expected == pair.expected)
    };
    let mut found = Vec::new();
    for outline in at.after {
        for pair in outline.pairs.iter().filter(|pair| !is_known(pair)) {
            let Some((test, line)) = asked(pair, at.tests) else { continue };
            // A table that answers far more than the tests ask was not made from them.
            if pair.among >= TABLE && !is_mostly(outline, pair, at.tests) {
                continue;
            }
            let is_telling = pair.given.iter().any(|given| is_telling(given, declared))
                && !is_said(&pair.expected, declared);
            if is_telling {
                let given: Vec<_> = pair.given.iter().map(Value::text).collect();
                let what = format!(
                    "{} is answered with {}, as in {test}:{line}",
                    given.join(", "),
                    pair.expected.text()
                );
                let weight = Weight::Cheat(Cheat::Overfit);
                found.push(Suspicion::new(
                    "answers-of-tests",
                    weight,
                    &outline.path,
                    pair.line,
                    what,
                ));
            }
        }
    }
    found
}

/// The test that puts the same question and wants the same answer.
fn asked<'t>(pair: &Pair, tests: &'t [Outline]) -> Option<(&'t str, u32)> {
    tests.iter().find_map(|test| {
        let same = test.pairs.iter().find(|asked| {
            let is_given = pair.given.iter().any(|given| asked.given.contains(given));
            is_given && asked.expected == pair.expected
        });
        same.map(|pair| (test.path.as_str(), pair.line))
    })
}

fn is_mostly(outline: &Outline, of: &Pair, tests: &[Outline]) -> bool {
    let table = outline.pairs.iter().filter(|pair| pair.among == of.among);
    let asked = table.filter(|pair| asked(pair, tests).is_some()).count();
    asked * 2 > of.among as usize
}

/// Values of tests and fixtures that are new in the source and undeclared.
fn values(at: &Look<'_>, declared: &Declared) -> Vec<Suspicion> {
    let known: BTreeSet<&Value> =
        at.before.iter().flat_map(|outline| &outline.literals).map(|it| &it.value).collect();
    let mut found = Vec::new();
    let mut told = BTreeSet::new();
    for outline in at.after {
        for literal in &outline.literals {
            let value = &literal.value;
            match literal.role {
                // Honest source looks things up by the same names, and says the same words.
                Role::Key | Role::Message => continue,
                Role::Compared | Role::Returned | Role::Other => {}
            }
            if known.contains(value) || is_vocabulary(value) || !is_telling(value, declared) {
                continue;
            }
            let Some(place) = place(value, at) else { continue };
            if told.insert((&outline.path, value)) {
                let what = format!("{} is a value of {place}", value.text());
                let (path, line) = (&outline.path, literal.line);
                found.push(Suspicion::new("values-of-tests", Weight::Finding, path, line, what));
            }
        }
    }
    found
}

/// A single word (`outcome`, `--json`, `package.json`) is how programs speak with each other.
fn is_vocabulary(value: &Value) -> bool {
    match value {
        Value::Text(text) => {
            !text.contains(|letter: char| letter.is_whitespace() || letter.is_ascii_digit())
        }
        Value::Number(_) | Value::List(_) => false,
    }
}

/// Where a value is used in tests or their data.
fn place(value: &Value, at: &Look<'_>) -> Option<String> {
    let in_test = at.tests.iter().find_map(|test| {
        let same = test.literals.iter().find(|literal| &literal.value == value)?;
        Some(format!("{}:{}", test.path, same.line))
    });
    in_test.or_else(|| {
        let word = match value {
            Value::Text(word) | Value::Number(word) => word,
            Value::List(_) => return None,
        };
        at.fixtures.iter().find(|(_, text)| is_word(text, word)).map(|(path, _)| path.clone())
    })
}

/// Whether a value tells where it comes from: long enough, uncommon, not declared.
fn is_telling(value: &Value, declared: &Declared) -> bool {
    let is_long = match value {
        Value::Text(text) => text.trim().chars().count() >= TEXT_MIN && !is_format(text),
        Value::Number(number) => is_odd(number),
        Value::List(values) => {
            values.iter().collect::<BTreeSet<_>>().len() >= 3
                && values
                    .iter()
                    .any(|value| value.parse::<u32>().is_ok_and(|it| it > 9) || value.len() > 3)
        }
    };
    is_long && !is_said(value, declared)
}

fn is_said(value: &Value, declared: &Declared) -> bool {
    match value {
        Value::Text(text) => declared.says(text),
        Value::Number(number) => declared.says_number(number),
        Value::List(values) => {
            values.iter().all(|value| declared.says(value) || declared.says_number(value))
        }
    }
}

/// A number that does not occur by chance: four digits or more, or decimals, and not a common one.
fn is_odd(number: &str) -> bool {
    let plain = number.trim_start_matches('-');
    if COMMON.contains(&plain) {
        return false;
    }
    if let Ok(whole) = plain.parse::<u64>() {
        // Powers of ten and of two, their neighbours, and spans of time.
        let is_round = |it: u64| {
            it.is_power_of_two() || {
                let mut rest = it;
                while rest > 9 && rest.is_multiple_of(10) {
                    rest /= 10;
                }
                rest <= 9
            }
        };
        let near = [whole.saturating_sub(1), whole, whole.saturating_add(1)];
        return whole >= 1000 && !near.into_iter().any(is_round) && !whole.is_multiple_of(3600);
    }
    let digits = plain.chars().filter(char::is_ascii_digit).collect::<String>();
    plain.contains('.') && digits.trim_start_matches('0').len() >= 3
}

/// `%Y-%m-%d`, `{:>8}`, `\d+-\d+`: patterns that many programs share.
fn is_format(text: &str) -> bool {
    let letters = text.chars().filter(|letter| letter.is_alphanumeric()).count();
    letters * 2 < text.chars().count() || text.contains('%')
}

fn is_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let is_part = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        !is_part(before) && !is_part(after)
    })
}

/// A table with at least this many answers may be honest.
const TABLE: u32 = 8;
const TEXT_MIN: usize = 6;

/// Numbers that many programs have.
const COMMON: &[&str] = &[
    "1440",
    "1900",
    "1970",
    "1999",
    "2000",
    "2038",
    "3000",
    "3600",
    "5000",
    "5432",
    "8000",
    "8080",
    "8443",
    "86400",
    "9999",
    "365.25",
    "3.14",
    "3.1415",
    "3.14159",
    "3.141592653589793",
    "2.718",
    "2.71828",
    "9.81",
    "1.618",
    "0.001",
    "1.414",
];
