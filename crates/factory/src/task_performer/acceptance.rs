//! Acceptance: the tests that were frozen before anything was built, what they show, and which of them nobody who builds
//! ever sees.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_gates::toolchain::Part;
use sealwright_gates::{Listed, Toolchain, red};
use sealwright_kernel::{Digest, canonical_json};
use serde::{Deserialize, Serialize};

use super::answers::{ShapeAnswer, TraceAnswer};
use sealwright_repo::trees::Changes;

/// What a person froze: the contract in words, and what may change with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contract {
    /// The contract in words.
    pub contract: String,
    /// Files of a guarded kind that will change, each with the reason.
    pub declared: BTreeMap<String, String>,
    /// The names it declares: functions, types, methods.
    pub items: BTreeSet<String>,
    /// Tests that may be skipped on this machine, by name.
    pub skips: BTreeSet<String>,
}

/// Tests that were frozen, and what else was frozen with them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acceptance {
    /// Test files everybody sees.
    pub visible: BTreeMap<String, Digest>,
    /// Test files that only the machine sees.
    pub held_out: BTreeMap<String, Digest>,
    /// What the code looks like before it does anything.
    pub skeleton: BTreeMap<String, Digest>,
    /// Which test shows which criterion, counted from 1.
    pub traces: Vec<Trace>,
}

/// Which test shows which criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The file it is in.
    pub file: String,
    /// Its name there.
    pub test: String,
    /// What it shows.
    pub criterion: usize,
}

impl Contract {
    pub(super) fn from_answer(answer: &ShapeAnswer) -> Self {
        Self {
            contract: answer.contract.text.clone(),
            declared: answer.declared.iter().map(|it| (it.path.clone(), it.why.clone())).collect(),
            items: answer.items.iter().cloned().collect(),
            skips: answer.skips.iter().cloned().collect(),
        }
    }

    pub(super) fn text(&self) -> Vec<u8> {
        // Plain data of a bounded depth always has a canonical form.
        canonical_json(self).unwrap_or_default()
    }
}

impl Acceptance {
    /// Freezes what a test author left, or says why it cannot be.
    pub(super) fn freeze(
        listing: &[Listed],
        contract: &Contract,
        changes: &Changes,
        traces: &[TraceAnswer],
        criteria: usize,
        seed: Digest,
    ) -> Result<Self, String> {
        let (tests, skeleton) = parts(listing, contract, changes)?;
        let traces = traced(traces, &tests, criteria)?;
        let held = held_out(&tests, &traces, seed);
        let (held_out, visible) = tests.into_iter().partition(|(path, _)| held.contains(path));
        Ok(Self { visible, held_out, skeleton, traces })
    }

    /// What a builder finds in the tree: the tests it may see, and the skeleton.
    pub(super) fn visible(&self, changes: &Changes) -> Changes {
        let is_held = |path: &String| self.held_out.contains_key(path);
        changes
            .iter()
            .filter(|(path, _)| !is_held(path))
            .map(|(a, b)| (a.clone(), b.clone()))
            .collect()
    }

    /// Every test file.
    pub fn files(&self) -> impl Iterator<Item = (&String, &Digest)> {
        self.visible.iter().chain(&self.held_out)
    }

    /// Which test of these files shows which criteria, as gates call them.
    pub(super) fn trace(&self, is_meant: impl Fn(&String) -> bool) -> red::Trace {
        let mut trace = red::Trace::default();
        for it in self.traces.iter().filter(|trace| is_meant(&trace.file)) {
            let of = trace.0.entry(format!("{}::{}", it.file, it.test)).or_default();
            of.insert(it.criterion.to_string());
        }
        trace
    }

    pub(super) fn text(&self) -> Vec<u8> {
        // Plain data of a bounded depth always has a canonical form.
        canonical_json(self).unwrap_or_default()
    }
}

type Digests = BTreeMap<String, Digest>;

/// What was written: tests, and the skeleton they need. Anything else is sent back.
fn parts(
    listing: &[Listed],
    contract: &Contract,
    changes: &Changes,
) -> Result<(Digests, Digests), String> {
    let known: BTreeSet<&str> = listing.iter().map(|it| it.path.as_str()).collect();
    let all = known.iter().copied().chain(changes.keys().map(String::as_str));
    let languages = Toolchain::found(all);
    let (mut tests, mut skeleton) = (Digests::new(), Digests::new());
    for (path, now) in changes {
        let Some((_, content)) = now else { return Err(format!("`{path}` was deleted")) };
        let part = languages.iter().map(|it| it.language().part(path)).min();
        let is_guarded = languages.iter().any(|it| it.language().guard(path).is_some());
        match part {
            _ if is_guarded && !contract.declared.contains_key(path) => {
                return Err(format!("`{path}` is guarded and was not declared"));
            }
            Some(Part::Test) if known.contains(path.as_str()) => {
                return Err(format!("`{path}` was there before; tests are written into new files"));
            }
            Some(Part::Test) => tests.insert(path.clone(), Digest::of(content)),
            Some(Part::Source | Part::Other) => skeleton.insert(path.clone(), Digest::of(content)),
            None => return Err("no language with tests was found in the repository".to_owned()),
        };
    }
    match tests.is_empty() {
        true => Err("no test file was written".to_owned()),
        false => Ok((tests, skeleton)),
    }
}

fn traced(answers: &[TraceAnswer], tests: &Digests, criteria: usize) -> Result<Vec<Trace>, String> {
    let mut traces = Vec::new();
    for TraceAnswer { test, criterion } in answers {
        let (file, name) =
            test.split_once("::").ok_or_else(|| format!("`{test}` is not `path::name`"))?;
        if !tests.contains_key(file) {
            return Err(format!("`{file}` is no test file that was written"));
        }
        if !(1..=criteria).contains(criterion) {
            return Err(format!("there is no criterion {criterion}"));
        }
        let (file, test) = (file.to_owned(), name.to_owned());
        traces.push(Trace { file, test, criterion: *criterion });
    }
    let missing = (1..=criteria).find(|nth| !traces.iter().any(|trace| trace.criterion == *nth));
    match missing {
        Some(nth) => Err(format!("no test shows criterion {nth}")),
        None => Ok(traces),
    }
}

/// Which files are held out: as many as leave every criterion a test that is seen, in an order nobody can choose.
fn held_out(tests: &Digests, traces: &[Trace], seed: Digest) -> BTreeSet<String> {
    let mut order: Vec<(Digest, &String)> =
        tests.keys().map(|path| (Digest::of(format!("{seed}/{path}").as_bytes()), path)).collect();
    order.sort();
    let mut held = BTreeSet::new();
    for (_, path) in order {
        let is_seen = |criterion: usize| {
            let shows = |trace: &&Trace| trace.criterion == criterion && trace.file != *path;
            traces.iter().filter(shows).any(|trace| !held.contains(&trace.file))
        };
        let has_tests = traces.iter().any(|trace| trace.file == *path);
        if has_tests && traces.iter().all(|trace| is_seen(trace.criterion)) {
            held.insert(path.clone());
        }
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_out_leaves_every_criterion_a_test_that_is_seen() {
        let tests: Digests =
            ["a.py", "b.py", "c.py"].map(|path| (path.to_owned(), Digest::ZERO)).into();
        let trace = |file: &str, criterion| Trace {
            file: file.to_owned(),
            test: "t".to_owned(),
            criterion,
        };
        let traces = [trace("a.py", 1), trace("a.py", 2), trace("b.py", 1), trace("c.py", 2)];
        for seed in 0..50_u32 {
            let held = held_out(&tests, &traces, Digest::of(&seed.to_le_bytes()));
            assert!(!held.is_empty());
            for criterion in [1, 2] {
                let is_seen = |it: &Trace| it.criterion == criterion && !held.contains(&it.file);
                assert!(traces.iter().any(is_seen), "{held:?}");
            }
        }
        assert!(held_out(&tests, &[trace("a.py", 1)], Digest::ZERO).is_empty());
    }
}
