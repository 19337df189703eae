//! The dossier: what the machine found out about a deliverable, so that a challenger can disprove it without its source.
//!
//! It holds names, results and digests, one line each. Findings are derived here: where the machine has already shown
//! that a criterion is not met, no challenger may say otherwise.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use sealwright_kernel::{Digest, Ref};
use serde::{Deserialize, Serialize};

use super::challenge::Criterion;
use super::charter::{Charter, ClauseKind};
use super::probe::{ProbeRecord, ProbeResult};
use super::ship::TestResult;

/// Facts about one tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dossier {
    pub tree: Digest,
    /// The interface fingerprint that the surface extractor derived from the tree.
    pub fingerprint: Digest,
    /// The public items that a caller can reach.
    pub entry_points: Vec<String>,
    pub tests: Vec<CoveredTest>,
    /// What tests touch besides the public surface.
    pub inner_accesses: Vec<String>,
    pub imports: Vec<Import>,
    /// The dependencies as they were resolved.
    pub dependencies: Vec<Resolved>,
    /// What the lint of `examples.md` found.
    pub example_faults: Vec<String>,
    pub example_headings: Vec<String>,
}

/// A test, and which clauses and criteria it covers by the coverage map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoveredTest {
    pub name: String,
    pub result: TestResult,
    /// JSON pointers into the contract.
    pub covers: Vec<String>,
    /// Criteria of the task, counted from 0 among those assigned to the module.
    pub criteria: Vec<u32>,
    pub is_happy_path: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Import {
    pub name: String,
    pub kind: ImportKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportKind {
    /// The language's own library, or the module itself.
    Own,
    /// The public surface of a declared dependency.
    Declared,
    /// A package that the project allows.
    Allowed,
    /// A module that the contract does not declare.
    Undeclared,
    /// The inside of a dependency.
    Internal,
    /// A package that the project does not allow.
    Forbidden,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resolved {
    #[serde(rename = "ref")]
    pub reference: Ref,
    pub fingerprint: Digest,
}

/// A criterion that is not met, as the machine can show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub criterion: Criterion,
    /// The test, clause, import or probe.
    pub item: String,
    pub wrong: String,
}

/// Why a dossier cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadDossier {
    #[error("too many {what} in the dossier: at most {most}")]
    TooMany { what: &'static str, most: usize },
    /// Source could hide in a text of several lines.
    #[error("a text of the dossier is blank, longer than {NAME_BYTES_MAX} bytes or not one line")]
    NotAName,
    #[error("the dossier names test `{name}` twice")]
    TestTwice { name: String },
}

impl Dossier {
    pub fn check(&self) -> Result<(), BadDossier> {
        let lists = [
            ("entry points", self.entry_points.len()),
            ("tests", self.tests.len()),
            ("inner accesses", self.inner_accesses.len()),
            ("imports", self.imports.len()),
            ("dependencies", self.dependencies.len()),
            ("faults of examples", self.example_faults.len()),
            ("headings of examples", self.example_headings.len()),
        ];
        let of_tests = self.tests.iter().flat_map(|it| {
            [("covered clauses", it.covers.len()), ("covered criteria", it.criteria.len())]
        });
        for (what, count) in lists.into_iter().chain(of_tests) {
            if count > ITEMS_MAX {
                return Err(BadDossier::TooMany { what, most: ITEMS_MAX });
            }
        }
        let names = self.tests.iter().flat_map(|it| it.covers.iter().chain([&it.name]));
        let names = names
            .chain(&self.entry_points)
            .chain(&self.inner_accesses)
            .chain(self.imports.iter().map(|it| &it.name))
            .chain(&self.example_faults)
            .chain(&self.example_headings);
        if !names.into_iter().all(|it| is_name(it)) {
            return Err(BadDossier::NotAName);
        }
        let mut seen = BTreeSet::new();
        match self.tests.iter().find(|it| !seen.insert(&it.name)) {
            Some(twice) => Err(BadDossier::TestTwice { name: twice.name.clone() }),
            None => Ok(()),
        }
    }

    /// What the machine can show to be not met, by criterion.
    pub fn findings(
        &self,
        charter: &Charter,
        locked: Digest,
        probes: &[ProbeRecord],
    ) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut find = |criterion, item: &str, wrong: String| {
            findings.push(Finding { criterion, item: item.into(), wrong });
        };
        if self.fingerprint != locked {
            let wrong = mismatch(locked, self.fingerprint);
            find(Criterion::R1, "fingerprint", wrong);
        }
        let passes = |test: &&CoveredTest| test.result == TestResult::Pass;
        for test in self.tests.iter().filter(|it| !passes(it)) {
            find(Criterion::R1, &test.name, format!("test `{}` fails", test.name));
        }
        for clause in &charter.clauses {
            let is_covered =
                self.tests.iter().filter(passes).any(|it| it.covers.contains(&clause.pointer));
            if !is_covered {
                let kind = clause.kind.name();
                let wrong = format!("{kind} {} has no passing test", clause.pointer);
                find(Criterion::R2, &clause.pointer, wrong);
            }
        }
        if !self.tests.iter().filter(passes).any(|it| it.is_happy_path) {
            find(Criterion::R2, "happy path", "no passing happy path test".into());
        }
        for access in &self.inner_accesses {
            let wrong = format!("a test touches `{access}`, which is not public");
            find(Criterion::R2, access, wrong);
        }
        for probe in probes {
            if let Some(ProbeResult::Raised { surface }) = &probe.result
                && !charter.declares_error(surface)
            {
                let wrong = format!("probe {} raises the undeclared `{surface}`", probe.id());
                find(Criterion::R3, &probe.id(), wrong);
            }
        }
        for import in &self.imports {
            let wrong = match import.kind {
                ImportKind::Own | ImportKind::Declared | ImportKind::Allowed => continue,
                ImportKind::Undeclared => "is not declared in the contract",
                ImportKind::Internal => "is the inside of a dependency",
                ImportKind::Forbidden => "is a package that the project does not allow",
            };
            find(Criterion::R4, &import.name, format!("import `{}` {wrong}", import.name));
        }
        for dependency in &charter.dependencies {
            let resolved = self.dependencies.iter().find(|it| it.reference == dependency.reference);
            let is_same = resolved.is_some_and(|it| it.fingerprint == dependency.fingerprint);
            if !is_same {
                let wrong = format!("{} is not resolved as it was locked", dependency.reference);
                find(Criterion::R4, dependency.reference.id(), wrong);
            }
        }
        for nth in 0..charter.criteria.len() {
            let covers =
                |it: &CoveredTest| it.criteria.iter().any(|of| usize::try_from(*of) == Ok(nth));
            if !self.tests.iter().filter(passes).any(covers) {
                let item = format!("criterion {}", nth + 1);
                find(Criterion::R5, &item, format!("{item} has no passing test"));
            }
        }
        for fault in &self.example_faults {
            find(Criterion::R5, fault, format!("examples.md: {fault}"));
        }
        if self.entry_points.len() != 1 {
            let wrong = format!("{} public entry points instead of one", self.entry_points.len());
            find(Criterion::R6, "entry points", wrong);
        }
        findings
    }

    pub fn test(&self, name: &str) -> Option<&CoveredTest> {
        self.tests.iter().find(|it| it.name == name)
    }
}

impl ClauseKind {
    fn name(self) -> &'static str {
        match self {
            Self::InputConstraint => "input constraint",
            Self::OutputInvariant => "output invariant",
            Self::ErrorSurface => "error surface",
        }
    }
}

/// The mismatch text of the ship step.
pub fn mismatch(locked: Digest, actual: Digest) -> String {
    format!("Interface fingerprint mismatch: expected {locked}, got {actual}")
}

pub(super) fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && text.len() <= NAME_BYTES_MAX && !text.chars().any(char::is_control)
}

/// Entries of one list of a dossier.
pub const ITEMS_MAX: usize = 1024;
/// One name in a dossier.
pub const NAME_BYTES_MAX: usize = 256;
