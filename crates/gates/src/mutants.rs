//! Mutants: what a change touches, the small errors a tool lists in it, and which of them are tried.

mod lines;

use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::{Digest, Hasher};
use serde::{Deserialize, Serialize};

pub use lines::changed;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aim {
    pub files: BTreeMap<String, Target>,
}

/// One file, and where it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub text: String,
    pub lines: Vec<(u32, u32)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    pub most: usize,
    pub seed: Digest,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// How many mutants there are on the changed lines.
    pub count: usize,
    pub mutants: Vec<Mutant>,
}

/// A mutant: source with one small error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutant {
    pub path: String,
    pub line: u32,
    pub function: String,
    /// The error, in the tool's words.
    pub what: String,
    pub edit: Edit,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edit {
    pub start: usize,
    pub end: usize,
    pub with: String,
}

impl Aim {
    /// The changed lines between two trees of source: for each path the text before, if any, and now.
    pub fn of<'c>(changes: impl IntoIterator<Item = (&'c str, Option<&'c str>, &'c str)>) -> Self {
        let files = changes.into_iter().filter_map(|(path, before, now)| {
            let lines = changed(before.unwrap_or_default(), now);
            (!lines.is_empty()).then(|| (path.to_owned(), Target { text: now.to_owned(), lines }))
        });
        Self { files: files.collect() }
    }

    /// Whether lines `first` to `last` of a file are touched.
    pub(crate) fn touches(&self, path: &str, first: u32, last: u32) -> bool {
        self.files.get(path).is_some_and(|target| {
            target.lines.iter().any(|(from, to)| *from <= last && first <= *to)
        })
    }
}

impl Sample {
    /// Which of them are tried, in this order: one of every line first, then a second of every line, and so on, so that
    /// no line is left out while another is looked at twice. However many are tried in the end, the first of them are
    /// a fair sample of all.
    pub fn choose(&self, mutants: &[Mutant]) -> Vec<Mutant> {
        let mut ordered: Vec<_> =
            mutants.iter().map(|mutant| (self.rank(mutant), mutant)).collect();
        ordered.sort_by_key(|(rank, _)| *rank);
        let mut at_place: BTreeMap<(&str, usize, usize), usize> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let mut chosen = Vec::new();
        for (_, mutant) in ordered {
            let Edit { start, end, .. } = mutant.edit;
            let count = at_place.entry((&mutant.path, start, end)).or_default();
            if *count < AT_ONE_PLACE && seen.insert((&mutant.path, &mutant.edit)) {
                *count += 1;
                chosen.push(mutant.clone());
            }
        }
        let mut on_line: BTreeMap<(String, u32), usize> = BTreeMap::new();
        let mut turns: Vec<(usize, Mutant)> = Vec::new();
        for mutant in chosen {
            let turn = on_line.entry((mutant.path.clone(), mutant.line)).or_default();
            turns.push((*turn, mutant));
            *turn += 1;
        }
        turns.sort_by_key(|(turn, _)| *turn);
        turns.truncate(self.most);
        turns.into_iter().map(|(_, mutant)| mutant).collect()
    }

    fn rank(&self, mutant: &Mutant) -> [u8; 64] {
        let mut hasher = Hasher::default();
        hasher.update(&self.seed.hex());
        for part in [mutant.path.as_bytes(), mutant.edit.with.as_bytes()] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        hasher.update(&(mutant.edit.start as u64).to_le_bytes());
        hasher.update(&(mutant.edit.end as u64).to_le_bytes());
        hasher.finish().hex()
    }
}

impl Mutant {
    /// The text with the error in it. None if it does not fit.
    pub fn apply(&self, text: &str) -> Option<String> {
        let Edit { start, end, with } = &self.edit;
        let (before, after) = (text.get(..*start)?, text.get(*end..)?);
        let changed = format!("{before}{with}{after}");
        (start <= end && changed != text).then_some(changed)
    }

    pub fn difference(&self, text: &str) -> String {
        let changed = self.apply(text).unwrap_or_default();
        similar::TextDiff::from_lines(text, &changed)
            .unified_diff()
            .context_radius(1)
            .header(&format!("a/{}", self.path), &format!("b/{}", self.path))
            .to_string()
    }

    pub fn line(&self) -> String {
        format!("{}:{}: {}", self.path, self.line, self.what)
    }
}

/// Mutants of one place are alike: a test that kills one mostly kills the others.
const AT_ONE_PLACE: usize = 2;
