//! Acceptance tests: frozen before anything is built, traced to criteria, and partly held out from the builder.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_gates::toolchain::Part;
use sealwright_gates::{Listed, Toolchain, red};
use sealwright_kernel::task::slice::is_below;
use sealwright_kernel::{Digest, canonical_json};
use serde::{Deserialize, Serialize};

use crate::role_calls::{ShapeAnswer, TraceAnswer};
use sealwright_repo::trees::Changes;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contract {
    pub contract: String,
    /// Guarded files that may change, each with the reason.
    pub declared: BTreeMap<String, String>,
    /// The names the contract declares: functions, types, methods.
    pub items: BTreeSet<String>,
    /// The names of tests that may be skipped on this machine.
    pub skips: BTreeSet<String>,
}

/// Frozen tests, and the files frozen with them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acceptance {
    /// Test files the builder sees.
    pub visible: BTreeMap<String, Digest>,
    /// Test files held out from every role.
    pub held_out: BTreeMap<String, Digest>,
    /// Those of them that the engine made, of tests that stood in one file with visible ones.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub divided: BTreeSet<String>,
    /// Source files that compile but do nothing yet.
    pub skeleton: BTreeMap<String, Digest>,
    pub traces: Vec<Trace>,
}

/// Which test shows which criterion. Criteria count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    pub file: String,
    pub test: String,
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

    /// The contract as roles read it: with the public items that may change.
    pub(super) fn for_roles(&self) -> String {
        let items: Vec<String> = self.items.iter().map(|item| format!("`{item}`")).collect();
        let rule = if items.is_empty() {
            "No public item is removed, and none gets another signature.".to_owned()
        } else {
            format!(
                "Public items that may be changed or removed: {}. Every other public item that is there keeps its \
                 name and signature.",
                items.join(", ")
            )
        };
        format!("{}\n\n{rule}\n", self.contract.trim_end())
    }
}

impl Acceptance {
    /// Freezes the files a test author wrote, or says why they are refused.
    pub(super) fn freeze(
        listing: &[Listed],
        contract: &Contract,
        places: &[&String],
        (changes, divided): (&Changes, BTreeSet<String>),
        traces: &[TraceAnswer],
        criteria: usize,
        seed: Digest,
    ) -> Result<Self, String> {
        let (tests, skeleton) = parts(listing, contract, places, changes)?;
        let traces = traced(traces, &tests, criteria)?;
        let is_whole = |path: &String| !divided.contains(path);
        let whole = tests.iter().filter(|(path, _)| is_whole(path));
        let whole = whole.map(|(path, digest)| (path.clone(), *digest)).collect();
        let of_whole: Vec<Trace> = traces.iter().filter(|it| is_whole(&it.file)).cloned().collect();
        let mut held = held_out(&whole, &of_whole, seed);
        held.extend(divided.iter().cloned());
        let (held_out, visible) = tests.into_iter().partition(|(path, _)| held.contains(path));
        Ok(Self { visible, held_out, divided, skeleton, traces })
    }

    /// The changes a builder sees: the visible tests and the skeleton.
    pub(super) fn visible(&self, changes: &Changes) -> Changes {
        let is_held = |path: &String| self.held_out.contains_key(path);
        changes
            .iter()
            .filter(|(path, _)| !is_held(path))
            .map(|(a, b)| (a.clone(), b.clone()))
            .collect()
    }

    pub fn files(&self) -> impl Iterator<Item = (&String, &Digest)> {
        self.visible.iter().chain(&self.held_out)
    }

    /// The criteria each test of these files shows, in the format of the gates.
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

/// Splits the changes into tests and the skeleton they need: source in the places of the plan, and files that lie where
/// the tests do. Any other change is refused.
fn parts(
    listing: &[Listed],
    contract: &Contract,
    places: &[&String],
    changes: &Changes,
) -> Result<(Digests, Digests), String> {
    let existing: BTreeSet<&str> = listing.iter().map(|it| it.path.as_str()).collect();
    let all = existing.iter().copied().chain(changes.keys().map(String::as_str));
    let languages = Toolchain::found(all);
    let (mut tests, mut skeleton) = (Digests::new(), Digests::new());
    let is_test = |path: &str| languages.iter().any(|it| it.language().part(path) == Part::Test);
    let known = existing.iter().copied().chain(changes.keys().map(String::as_str));
    let folders: BTreeSet<&str> = known
        .filter(|path| is_test(path))
        .filter_map(|path| Some(path.rsplit_once('/')?.0))
        .collect();
    let is_beside_tests = |path: &str| folders.iter().any(|folder| is_below(path, folder));
    for (path, now) in changes {
        let Some((_, content)) = now else { return Err(format!("`{path}` was deleted")) };
        let part = languages.iter().map(|it| it.language().part(path)).min();
        let is_guarded = languages.iter().any(|it| it.language().guard(path).is_some());
        match part {
            _ if is_guarded && !contract.declared.contains_key(path) => {
                return Err(format!("`{path}` is guarded and not declared in the contract"));
            }
            Some(Part::Test) if existing.contains(path.as_str()) => {
                return Err(format!("`{path}` exists already; write tests into new files"));
            }
            Some(Part::Test) => tests.insert(path.clone(), Digest::of(content)),
            Some(Part::Source) if !places.iter().any(|it| is_below(path, it)) => {
                return Err(format!("`{path}` is source outside of the planned places"));
            }
            Some(Part::Other) if !is_beside_tests(path) => {
                return Err(format!("`{path}` is no test, and lies beside none"));
            }
            Some(Part::Source | Part::Other) => skeleton.insert(path.clone(), Digest::of(content)),
            None => return Err("no supported language with tests in the repository".to_owned()),
        };
    }
    if tests.is_empty() {
        Err("no test file was written".to_owned())
    } else {
        Ok((tests, skeleton))
    }
}

fn traced(answers: &[TraceAnswer], tests: &Digests, criteria: usize) -> Result<Vec<Trace>, String> {
    are_traced(answers, criteria)?;
    let mut traces = Vec::new();
    for TraceAnswer { test, criterion } in answers {
        let (file, name) = test.split_once("::").unwrap_or_default();
        if !tests.contains_key(file) {
            return Err(format!("`{file}` is not one of the new test files"));
        }
        let (file, test) = (file.to_owned(), name.to_owned());
        traces.push(Trace { file, test, criterion: *criterion });
    }
    Ok(traces)
}

/// Whether every test is named as it must be, and every criterion has one.
pub(super) fn are_traced(answers: &[TraceAnswer], criteria: usize) -> Result<(), String> {
    for TraceAnswer { test, criterion } in answers {
        if !test.contains("::") {
            return Err(format!("`{test}` is not `path::name`"));
        }
        if !(1..=criteria).contains(criterion) {
            return Err(format!("no criterion {criterion}"));
        }
    }
    match (1..=criteria).find(|nth| !answers.iter().any(|trace| trace.criterion == *nth)) {
        Some(nth) => Err(format!("no test shows criterion {nth}")),
        None => Ok(()),
    }
}

/// The files to hold out: as many as possible while every criterion keeps a visible test. The seed fixes the order, so
/// that no role can choose it.
pub(super) fn held_out(tests: &Digests, traces: &[Trace], seed: Digest) -> BTreeSet<String> {
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
    fn holding_out_leaves_every_criterion_a_visible_test() {
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
