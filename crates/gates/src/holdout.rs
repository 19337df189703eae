//! The hold-out: acceptance tests that the builder never sees, chosen by a seed that cannot be guessed.
//!
//! Source that fits the tests it was shown and nothing else fails these. Every criterion keeps at least one test
//! that is shown, so nothing is demanded that was not said; about a third is held out. A suite of fewer than
//! [`TESTS_MIN`] tests is shown whole: what would be left says too little.
//!
//! The answer to a role names criteria and counts, never a held-out test.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::{Digest, Hasher};
use serde::{Deserialize, Serialize};

use crate::red::Trace;
use crate::toolchain::{Function, Language, Outline};
use crate::{Judgement, Status};

/// Which tests are shown and which are not. Tests are called `path::name`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    pub shown: BTreeSet<String>,
    pub held: BTreeSet<String>,
}

/// Chooses. The same tests, trace and seed are split the same way, in whatever order they come.
pub fn split(tests: &BTreeSet<String>, trace: &Trace, seed: &Digest) -> Split {
    let mut split = Split { shown: tests.clone(), held: BTreeSet::new() };
    if tests.len() < TESTS_MIN {
        return split;
    }
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    let proven = |test: &String| trace.0.get(test).into_iter().flatten();
    for criterion in tests.iter().flat_map(proven) {
        *left.entry(criterion).or_default() += 1;
    }
    let mut order: Vec<&String> = tests.iter().collect();
    order.sort_by_key(|test| rank(seed, test));
    for test in order {
        if split.held.len() >= tests.len() / SHARE {
            break;
        }
        // A test of no criterion is shown: its failure would tell nothing.
        let criteria: Vec<_> = proven(test).collect();
        let is_spare = |criterion: &&String| left.get(criterion.as_str()).is_some_and(|it| *it > 1);
        if !criteria.is_empty() && criteria.iter().all(is_spare) {
            for criterion in criteria {
                left.entry(criterion).and_modify(|count| *count -= 1);
            }
            split.shown.remove(test);
            split.held.insert(test.clone());
        }
    }
    split
}

/// A test file as the builder sees it: held-out tests are gone, every other line is where it was. Nothing, if
/// they cannot be taken out line by line.
pub fn cut(
    language: &dyn Language,
    text: &str,
    outline: &Outline,
    split: &Split,
) -> Option<String> {
    let is_held = |name: &str| split.held.contains(&format!("{}::{name}", outline.path));
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for test in outline.tests().filter(|test| is_held(&test.name)) {
        // Two functions that share a line cannot be told apart by lines.
        let is_apart = |other: &Function| {
            other.last < test.first
                || other.first > test.last
                || other.name == test.name
                || other.name.starts_with(&format!("{}::", test.name))
                || test.name.starts_with(&format!("{}::", other.name))
        };
        let (first, last) = (test.first as usize, test.last as usize);
        if !outline.functions.iter().all(is_apart)
            || first == 0
            || last > lines.len()
            || first > last
        {
            return None;
        }
        let indent: String =
            lines[first - 1].chars().take_while(|letter| letter.is_whitespace()).collect();
        let hole = language.hole(&indent);
        for line in &mut lines[first - 1..last] {
            line.clear();
        }
        lines[first - 1] = hole;
    }
    Some(lines.join("\n") + "\n")
}

/// Judges the held-out tests. Each must have run and passed.
pub fn judge(split: &Split, trace: &Trace, ended: &BTreeMap<String, Vec<Status>>) -> Judgement {
    let mut failed: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut failing, mut missing) = (0, 0);
    for test in &split.held {
        let statuses = ended.get(test).map(Vec::as_slice).unwrap_or_default();
        let has_failed =
            |status: &Status| matches!(status, Status::Failed { .. } | Status::Broken { .. });
        let is_open = |status: &Status| matches!(status, Status::Skipped { .. });
        if statuses.iter().any(has_failed) {
            failing += 1;
            for criterion in trace.0.get(test).into_iter().flatten() {
                *failed.entry(criterion).or_default() += 1;
            }
        } else if statuses.is_empty() || statuses.iter().any(is_open) {
            missing += 1;
        }
    }
    let all = split.held.len();
    if failing > 0 {
        let mut because = vec![format!("{failing} of {all} tests that were held out fail")];
        because.extend(failed.iter().map(|(criterion, count)| format!("{criterion}: {count}")));
        return Judgement::fail(because);
    }
    match missing {
        0 => Judgement::pass(),
        missing => Judgement::cannot_tell(format!(
            "{missing} of {all} tests that were held out did not run"
        )),
    }
}

fn rank(seed: &Digest, test: &str) -> [u8; 64] {
    let mut hasher = Hasher::default();
    hasher.update(&seed.hex());
    hasher.update(test.as_bytes());
    hasher.finish().hex()
}

/// A smaller suite is shown whole.
pub const TESTS_MIN: usize = 4;
/// One of so many is held out.
const SHARE: usize = 3;

#[cfg(test)]
mod tests;
