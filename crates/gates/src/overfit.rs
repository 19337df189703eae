//! Overfitting: source that knows its tests instead of doing what they ask for, and source that does nothing.
//!
//! Four looks, all of them at what a candidate added: answers and constants that come from tests and fixtures, answers
//! under digests, ways to notice that tests are running, and functions that are not written. Each finds by text, so each is wrong
//! at times; what an honest author could have written is a finding for a person, and only what has no honest
//! reading is called a cheat. A value that the contract declares is never suspicious.

mod constants;
mod digests;
mod stubs;
mod surroundings;

use std::collections::BTreeSet;

use sealwright_kernel::Cheat;

use crate::toolchain::{Outline, number};
use crate::{Finding, Judgement};

/// The source that is judged, and the tests it is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Look<'l> {
    /// The frozen tests that whoever built it saw, and what they are made of.
    pub tests: &'l [Outline],
    /// Those that were held out.
    pub held_out: &'l [Outline],
    pub fixtures: &'l [(String, String)],
    /// The product's source in the base. All of it, so that what was there is not called new.
    pub before: &'l [Outline],
    /// The product's source in the candidate, as far as it changed.
    pub after: &'l [Outline],
    /// Everything that was said about what is wanted: specification, scenarios, contract, criteria.
    pub declared: &'l str,
    /// The items the contract declares, by their own names.
    pub items: &'l BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspicion {
    pub rule: &'static str,
    pub weight: Weight,
    pub place: String,
    /// What, with the place in the tests it comes from.
    pub what: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// There is no honest reading.
    Cheat(Cheat),
    /// A person should look at it.
    Finding,
}

pub fn look(at: &Look<'_>) -> Vec<Suspicion> {
    let declared = Declared::of(at.declared);
    let mut found = constants::look(at, &declared);
    found.extend(surroundings::look(at, &declared));
    found.extend(stubs::look(at));
    found.extend(digests::look(at));
    found.sort_by(|a, b| (a.weight, &a.place, &a.what).cmp(&(b.weight, &b.place, &b.what)));
    found.dedup();
    found.truncate(FOUND_MAX);
    found
}

/// Judges suspicions: a cheat fails the candidate, a finding goes to a person.
pub fn judge(found: &[Suspicion]) -> Judgement {
    let cheats: Vec<_> = found
        .iter()
        .filter_map(|one| match one.weight {
            Weight::Cheat(cheat) => Some((cheat, one.line())),
            Weight::Finding => None,
        })
        .collect();
    let findings = found
        .iter()
        .filter(|one| one.weight == Weight::Finding)
        .map(|one| Finding::architecture(one.rule, &one.place, one.what.clone()));
    let findings = findings.collect();
    let mut judgement = if cheats.is_empty() {
        Judgement::pass()
    } else {
        Judgement::fail(cheats.iter().map(|(_, line)| line.clone()).collect())
    };
    judgement.cheats = cheats;
    judgement.findings = findings;
    judgement
}

impl Suspicion {
    pub fn line(&self) -> String {
        format!("{}: {} ({})", self.place, self.what, self.rule)
    }

    fn new(rule: &'static str, weight: Weight, path: &str, line: u32, what: String) -> Self {
        Self { rule, weight, place: format!("{path}:{line}"), what }
    }
}

/// The text of specification, scenarios, contract and criteria.
pub(crate) struct Declared {
    text: String,
    numbers: BTreeSet<String>,
}

impl Declared {
    fn of(text: &str) -> Self {
        let is_number =
            |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_');
        let words = text.split(|letter: char| !is_number(letter));
        let words = words.map(|word| word.trim_end_matches('.'));
        let numbers = words.filter(|word| word.starts_with(|it: char| it.is_ascii_digit()));
        Self { text: text.to_lowercase(), numbers: numbers.map(number).collect() }
    }

    fn says(&self, text: &str) -> bool {
        self.text.contains(&text.trim().to_lowercase())
    }

    /// The same, with nothing that belongs to a word before or behind it.
    fn says_word(&self, text: &str) -> bool {
        let wanted = text.to_lowercase();
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        self.text.match_indices(&wanted).any(|(at, found)| {
            let before = self.text[..at].chars().next_back();
            let behind = self.text[at + found.len()..].chars().next();
            !before.is_some_and(is_part) && !behind.is_some_and(is_part)
        })
    }

    fn says_number(&self, value: &str) -> bool {
        self.numbers.contains(value.trim_start_matches('-'))
    }
}

const FOUND_MAX: usize = 200;

#[cfg(test)]
mod tests;
