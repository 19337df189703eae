//! Tests named by file and function, such as `crates/cli/tests/hands/slices.rs::a_scout_sees_the_cap`: how cargo calls
//! them, whether they exist, and whether they pass.

use std::collections::BTreeSet;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::workspace::{root, say};

/// One test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NamedTest {
    /// The file, below the root of the repository.
    pub(crate) file: String,
    pub(crate) function: String,
    package: String,
    target: Target,
    /// The name by which its program knows it, with modules.
    name: String,
}

/// The program a test is part of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    /// The unit tests of a library.
    Library,
    /// The unit tests of a program.
    Program(String),
    /// An integration test.
    Test(String),
}

impl NamedTest {
    /// Reads `file::function`. The function must be a test of the file that is not ignored.
    pub(crate) fn find(text: &str) -> Result<Self> {
        let (file, function) =
            text.split_once("::").with_context(|| format!("`{text}` names no test"))?;
        let source = std::fs::read_to_string(root().join(file)).with_context(|| file.to_owned())?;
        ensure!(has_test(&source, function), "{file} has no test `{function}`");
        let parts: Vec<&str> = file.split('/').collect();
        let has_manifest =
            |at: &usize| root().join(parts[..*at].join("/")).join("Cargo.toml").is_file();
        let at = (1..parts.len())
            .find(has_manifest)
            .with_context(|| format!("{file} belongs to no package"))?;
        let folder = parts[..at].join("/");
        let package = package(&folder)?;
        let (target, modules) = match parts[at] {
            "tests" => integration(&parts[at + 1..]),
            _ => (unit(&folder, &package), modules(&parts[at + 1..], is_inline(&source))),
        };
        let name =
            modules.iter().map(String::as_str).chain([function]).collect::<Vec<_>>().join("::");
        Ok(Self { file: file.to_owned(), function: function.to_owned(), package, target, name })
    }

    /// Its program and name, as nextest prints them.
    pub(crate) fn id(&self) -> (String, &str) {
        let program = match &self.target {
            Target::Library => self.package.clone(),
            Target::Program(name) => format!("{}::bin/{name}", self.package),
            Target::Test(name) => format!("{}::{name}", self.package),
        };
        (program, &self.name)
    }

    /// The filter expression of nextest that selects it alone.
    fn filter(&self) -> String {
        let (program, name) = self.id();
        format!("(binary_id(={program}) & test(={name}))")
    }

    /// The arguments of `cargo test` that select its program.
    pub(crate) fn cargo_args(&self) -> Vec<String> {
        let mut args = vec!["--package".to_owned(), self.package.clone()];
        match &self.target {
            Target::Library => args.push("--lib".to_owned()),
            Target::Program(name) => args.extend(["--bin".to_owned(), name.clone()]),
            Target::Test(name) => args.extend(["--test".to_owned(), name.clone()]),
        }
        args
    }

    /// The folder of its package.
    pub(crate) fn folder(&self) -> &str {
        let at = self.file.find("/src/").or_else(|| self.file.rfind("/tests/"));
        at.map_or("", |at| &self.file[..at])
    }

    /// The name by which its program knows it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

impl std::fmt::Display for NamedTest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}::{}", self.file, self.function)
    }
}

/// Runs these tests as the gate has built them, and returns those that did not pass.
pub(crate) fn run(
    tests: &BTreeSet<NamedTest>,
    environment: &[(&str, &str)],
) -> Result<Vec<NamedTest>> {
    if tests.is_empty() {
        return Ok(Vec::new());
    }
    let filter: Vec<String> = tests.iter().map(NamedTest::filter).collect();
    let mut cargo = Command::new("cargo");
    cargo.args(["nextest", "run", "--workspace", "--locked", "--no-fail-fast", "--color", "never"]);
    cargo.args([
        "--status-level",
        "all",
        "--final-status-level",
        "none",
        "--failure-output",
        "immediate",
    ]);
    cargo.args(["-E", &filter.join(" | ")]).current_dir(root());
    let output = cargo.envs(environment.iter().copied()).output();
    let output = output.context("`cargo nextest` could not be started")?;
    let said = String::from_utf8_lossy(&output.stderr);
    let passed = passed(&said);
    let is_passed = |test: &&NamedTest| {
        let (program, name) = test.id();
        passed.contains(&(program.as_str(), name))
    };
    let failed: Vec<NamedTest> = tests.iter().filter(|test| !is_passed(test)).cloned().collect();
    if !failed.is_empty() {
        say(&said);
    }
    Ok(failed)
}

/// The tests that passed, by program and name, from what nextest prints.
fn passed(said: &str) -> BTreeSet<(&str, &str)> {
    let is_pass = |line: &&str| line.starts_with("PASS [") || line.starts_with("LEAK [");
    let lines = said.lines().map(str::trim).filter(is_pass);
    let words = lines.map(|line| line.rsplitn(3, ' '));
    words
        .filter_map(|mut words| Some((words.next()?, words.next()?)))
        .map(|(name, program)| (program, name))
        .collect()
}

fn package(folder: &str) -> Result<String> {
    let manifest = std::fs::read_to_string(root().join(folder).join("Cargo.toml"))
        .with_context(|| folder.to_owned())?;
    let name = manifest.lines().find_map(|line| line.strip_prefix("name = "));
    Ok(name.with_context(|| format!("{folder}: no name"))?.trim_matches('"').to_owned())
}

/// The program of the unit tests of a package.
fn unit(folder: &str, package: &str) -> Target {
    if root().join(folder).join("src/lib.rs").is_file() {
        Target::Library
    } else {
        Target::Program(package.to_owned())
    }
}

/// The modules of a test below `src`.
fn modules(below: &[&str], is_inline: bool) -> Vec<String> {
    let mut modules: Vec<String> =
        below.iter().map(|part| part.trim_end_matches(".rs").to_owned()).collect();
    if matches!(modules.last().map(String::as_str), Some("lib" | "main" | "mod")) {
        modules.pop();
    }
    if is_inline {
        modules.push("tests".to_owned());
    }
    modules
}

/// The program and the modules of a test below `tests`.
fn integration(below: &[&str]) -> (Target, Vec<String>) {
    let mut modules = modules(below, false);
    // The root of a test is `name.rs` or `name/main.rs`.
    let target = Target::Test(modules.remove(0));
    (target, modules)
}

/// Whether the tests of a source file stand in a module `tests` of the file itself.
fn is_inline(source: &str) -> bool {
    source.lines().any(|line| line == "mod tests {")
}

/// Whether a file has this test. Ignored tests do not count.
fn has_test(source: &str, function: &str) -> bool {
    let (mut is_test, mut is_ignored) = (false, false);
    for line in source.lines().map(str::trim) {
        if line.starts_with("#[") {
            is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
            is_ignored |= line.starts_with("#[ignore");
        } else if let Some(name) = function_of(line) {
            if is_test && !is_ignored && name == function {
                return true;
            }
            (is_test, is_ignored) = (false, false);
        }
    }
    false
}

fn function_of(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let line = line.strip_prefix("async ").unwrap_or(line);
    line.strip_prefix("fn ")?.split(['(', '<']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_called_as_cargo_calls_it() {
        for (text, program, name) in [
            (
                "crates/kernel/src/goal.rs::a_criterion_is_cited_by_its_form_alone",
                "sealwright-kernel",
                "goal::tests::a_criterion_is_cited_by_its_form_alone",
            ),
            (
                "crates/kernel/src/task/tests/resolutions.rs::a_resolution_is_carried_out_without_a_role",
                "sealwright-kernel",
                "task::tests::resolutions::a_resolution_is_carried_out_without_a_role",
            ),
            (
                "crates/cli/tests/hands/slices.rs::a_gap_in_the_contract_goes_to_a_person",
                "sealwright::hands",
                "slices::a_gap_in_the_contract_goes_to_a_person",
            ),
            (
                "xtask/src/named_tests.rs::a_test_is_called_as_cargo_calls_it",
                "xtask::bin/xtask",
                "named_tests::tests::a_test_is_called_as_cargo_calls_it",
            ),
        ] {
            let test = NamedTest::find(text).unwrap();
            assert_eq!(test.id(), (program.to_owned(), name));
            assert_eq!(test.to_string(), text);
        }
        assert!(NamedTest::find("crates/kernel/src/goal.rs::cites").is_err());
    }

    #[test]
    fn what_passed_is_read_from_what_nextest_prints() {
        let said = "    Starting 2 tests across 1 binary\n\
                    \x20       PASS [   5.123s] (1/2) sealwright::hands slices::one\n\
                    \x20       FAIL [   0.010s] (2/2) sealwright::hands slices::two\n";
        assert_eq!(passed(said), BTreeSet::from([("sealwright::hands", "slices::one")]));
    }

    #[test]
    fn an_ignored_test_is_none() {
        let source =
            "#[test]\nfn one() {}\n#[test]\n#[ignore = \"slow\"]\nfn two() {}\nfn three() {}\n";
        assert!(has_test(source, "one") && !has_test(source, "two") && !has_test(source, "three"));
    }
}
