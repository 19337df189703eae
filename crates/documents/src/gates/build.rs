//! The gate after Build, from what the performer measured on the committed tree.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Evaluation;
use super::checks::Checks;
use crate::brake::is_below;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BuildFacts {
    /// The criteria of the scope.
    pub criteria: Vec<String>,
    /// The red run of each criterion's first test. The performer runs the skeleton before it takes the first source change.
    pub red: BTreeMap<String, RedTest>,
    /// The performer runs the build command.
    pub compiles: Option<bool>,
    /// The performer runs all tests.
    pub tests: Option<TestRun>,
    /// The tests of each criterion that passed in that run. The performer reads their ids from the report of the tests.
    pub passed_tests: Option<BTreeMap<String, Vec<String>>>,
    /// The proof trail of each criterion: digests of the records the performer stored.
    pub proofs: Option<BTreeMap<String, Vec<String>>>,
    /// Where the secret scanner found a secret. The performer runs it on the tree.
    pub secrets: Option<Vec<String>>,
    /// The performer runs the dependency audit of the ecosystem.
    pub audit: Option<Audit>,
    /// How many dependencies the manifests declare.
    pub dependencies: Option<u32>,
    /// Whether a lockfile is in the tree.
    pub lockfile: Option<bool>,
    /// The files and directories of the design.
    pub designed_files: Vec<String>,
    pub designed_directories: Vec<String>,
    /// The files of the committed tree.
    pub files: Option<Vec<String>>,
    /// The criteria that a placeholder detector or a reviewer found closed by placeholder behaviour.
    pub placeholders: Option<Vec<String>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RedTest {
    /// Whether the test failed, from the exit of the run.
    pub failed: Option<bool>,
    /// Whether it ran before the first source change, from the order of the records.
    pub before_source: Option<bool>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestRun {
    pub passed: u32,
    pub failed: u32,
}

impl TestRun {
    /// A run without tests is no pass.
    pub(super) fn holds(self) -> bool {
        self.passed > 0 && self.failed == 0
    }
}

/// The vulnerabilities a dependency audit reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Audit {
    pub critical: u32,
    pub high: u32,
}

pub fn build(facts: &BuildFacts) -> Evaluation {
    let mut checks = Checks::new("build facts");
    let known = (!facts.criteria.is_empty()).then_some(true);
    checks.check("build.criteria", known, "", "read the criteria of scope.md");
    checks.check(
        "build.red-first",
        red_first(facts),
        NOT_RED,
        "record one failing test per criterion before the first source change",
    );
    checks.check("build.compiles", facts.compiles, "the code does not compile", "repair the build");
    checks.check(
        "build.tests",
        facts.tests.map(TestRun::holds),
        "a test fails, or there is none",
        "repair the failing tests",
    );
    let without = missing(&facts.criteria, facts.passed_tests.as_ref());
    checks.none_of(
        "build.criterion-tests",
        without,
        "criteria without a passing test",
        "write a test for each",
    );
    let without = missing(&facts.criteria, facts.proofs.as_ref());
    checks.none_of(
        "build.criterion-proofs",
        without,
        "criteria without a proof trail",
        "record the runs that prove them",
    );
    let secrets = facts.secrets.as_ref().map(|it| it.iter().map(String::as_str).collect());
    checks.none_of(
        "build.secrets",
        secrets,
        "secrets in the source",
        "remove them and replace what they opened",
    );
    let audit = facts.audit.map(|it| it.critical == 0 && it.high == 0);
    checks.check(
        "build.audit",
        audit,
        "the audit reports a high or critical vulnerability",
        "update or replace the dependency",
    );
    checks.check(
        "build.lockfile",
        lockfile(facts),
        "there are dependencies and no lockfile",
        "commit the lockfile",
    );
    let differences = structure(facts);
    let names = differences.as_ref().map(|it| it.iter().map(String::as_str).collect());
    checks.none_of(
        "build.structure",
        names,
        "the tree differs from the design",
        "move the files, or change design.md and its gate",
    );
    let closed = facts.placeholders.as_ref().map(|it| it.iter().map(String::as_str).collect());
    checks.none_of(
        "build.placeholders",
        closed,
        "criteria closed by placeholder behaviour",
        "implement them",
    );
    checks.finish()
}

/// How a tree differs from the directory structure of the design: designed files that are missing, and files in
/// directories that the design does not have. Files at the root, documents and hidden files are free.
pub fn structure_differences(
    designed_files: &[String],
    designed_directories: &[String],
    files: &[String],
) -> Vec<String> {
    let present: BTreeSet<&str> = files.iter().map(String::as_str).collect();
    let missing = designed_files.iter().filter(|it| !present.contains(it.as_str()));
    let mut differences: Vec<String> = missing.map(|it| format!("{it} is missing")).collect();
    let folders: BTreeSet<&str> = designed_files
        .iter()
        .filter_map(|it| it.rsplit_once('/').map(|(folder, _)| folder))
        .chain(designed_directories.iter().map(|it| it.trim_end_matches('/')))
        .collect();
    let is_free = |path: &str| {
        path.starts_with('.') || ["docs", "scaffolding"].iter().any(|it| is_below(path, it))
    };
    let is_planned = |path: &str| match path.rsplit_once('/') {
        Some((folder, _)) => folders.contains(folder),
        None => true,
    };
    let unplanned = files.iter().filter(|it| !is_free(it) && !is_planned(it));
    differences.extend(unplanned.map(|it| format!("{it} is in no designed directory")));
    differences
}

fn red_first(facts: &BuildFacts) -> Option<bool> {
    let of_one = |id: &String| {
        let red = facts.red.get(id)?;
        Some(red.failed? && red.before_source?)
    };
    all(facts.criteria.iter().map(of_one))
}

fn lockfile(facts: &BuildFacts) -> Option<bool> {
    if facts.dependencies? == 0 { Some(true) } else { facts.lockfile }
}

fn structure(facts: &BuildFacts) -> Option<Vec<String>> {
    let files = facts.files.as_ref()?;
    let (designed, folders) = (&facts.designed_files, &facts.designed_directories);
    (!designed.is_empty()).then(|| structure_differences(designed, folders, files))
}

/// The criteria that a map has nothing for.
fn missing<'f>(
    criteria: &'f [String],
    map: Option<&BTreeMap<String, Vec<String>>>,
) -> Option<Vec<&'f str>> {
    let map = map.filter(|_| !criteria.is_empty())?;
    let has = |id: &&str| map.get(*id).is_some_and(|it| it.iter().any(|it| !it.is_empty()));
    Some(criteria.iter().map(String::as_str).filter(|id| !has(id)).collect())
}

/// Whether all of them hold: one that does not hold decides, and nothing at all cannot be told.
fn all(held: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let held: Vec<Option<bool>> = held.collect();
    if held.contains(&Some(false)) {
        Some(false)
    } else if held.is_empty() || held.contains(&None) {
        None
    } else {
        Some(true)
    }
}

const NOT_RED: &str = "a criterion has no test that failed before the first source change";

#[cfg(test)]
mod tests;
