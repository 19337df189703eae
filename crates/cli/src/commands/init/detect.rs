//! Detects the languages of a repository, how its tests run, and the agents on `PATH`.
//!
//! It only reads files, never through a link, and of large files only a part. It starts no program.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use sealwright_store::disk::{Disk as _, RealDisk};
use serde_json::Value;

/// What was detected. Every word in it is ours, none comes from the repository.
#[derive(Debug, Default)]
pub(super) struct Detected {
    /// Languages, in a fixed order.
    pub(super) languages: Vec<&'static str>,
    /// How tests are run, by the name of the check.
    pub(super) tests: BTreeMap<String, Test>,
    /// Agent programs on `PATH`, in a fixed order.
    pub(super) agents: Vec<&'static str>,
}

impl Detected {
    pub(super) fn in_folder(folder: &Path, path: Option<&OsStr>) -> Self {
        let looked = Looked { folder, path, disk: RealDisk::new(folder) };
        let found: Vec<Found> =
            [rust, python, node, go].into_iter().filter_map(|look| look(&looked)).collect();
        let tested = found.iter().filter(|found| found.test.is_some()).count();
        let check = |found: &Found| {
            let name = match tested {
                1 => "tests".to_owned(),
                _ => format!("{}-tests", found.language),
            };
            Some((name, found.test.clone()?))
        };
        let tests: BTreeMap<String, Test> = found.iter().filter_map(check).collect();
        Self {
            languages: found.iter().map(|found| found.language).collect(),
            tests,
            agents: AGENTS.into_iter().filter(|agent| looked.is_program(agent)).collect(),
        }
    }

    /// What was detected, for people.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.languages.is_empty() {
            lines.push(format!("found {}", self.languages.join(", ")));
        }
        for (name, test) in &self.tests {
            lines.push(format!(
                "check `{name}` runs `{}`, as {}",
                test.command.join(" "),
                test.kind
            ));
        }
        if self.tests.values().any(|test| test.kind == "command") {
            lines.push("• a check of kind `command` trusts the exit code; docs/gates.md lists kinds that see single tests".to_owned());
        }
        if self.tests.is_empty() {
            lines.push("• no tests found; add a check to sealwright.toml".to_owned());
        }
        lines.push(if self.agents.is_empty() {
            format!("• none of {} is on PATH", AGENTS.join(", "))
        } else {
            format!("agents on PATH: {}", self.agents.join(", "))
        });
        lines
    }
}

/// A language, and how its tests run if that is clear.
struct Found {
    language: &'static str,
    test: Option<Test>,
}

/// How tests run and where their report is.
#[derive(Clone, Debug)]
pub(super) struct Test {
    pub(super) kind: &'static str,
    /// The command; kinds with a clean room use their own equivalent.
    pub(super) command: Vec<&'static str>,
    /// The report file.
    pub(super) report: Option<&'static str>,
    pub(super) sources: Vec<&'static str>,
    pub(super) tests: Vec<&'static str>,
}

impl Test {
    fn new(kind: &'static str, command: Vec<&'static str>) -> Self {
        Self { kind, command, report: None, sources: Vec::new(), tests: Vec::new() }
    }

    /// Adds the existing source and test folders.
    fn in_room(mut self, looked: &Looked<'_>, sources: &[&'static str]) -> Self {
        self.sources = sources.iter().copied().filter(|folder| looked.is_folder(folder)).collect();
        self.tests = ["tests"].into_iter().filter(|folder| looked.is_folder(folder)).collect();
        self
    }

    /// Whether its language has a clean room.
    pub(super) fn is_of_a_room(&self) -> bool {
        matches!(self.command.first(), Some(&("cargo" | "pytest" | "python" | "python3")))
    }

    /// Whether the kind has its own command.
    pub(super) fn has_own_command(&self) -> bool {
        matches!(self.kind, "cargo-test" | "pytest")
    }
}

fn rust(looked: &Looked<'_>) -> Option<Found> {
    if !looked.is_file("Cargo.toml") {
        return None;
    }
    // Without `--workspace` cargo tests the root package only.
    let is_workspace = |line: &str| line.trim_start().starts_with("[workspace");
    let all = looked.text("Cargo.toml").lines().any(is_workspace).then_some("--workspace");
    let test = if looked.is_file(".config/nextest.toml") {
        let words = ["cargo", "nextest", "run"].into_iter().chain(all);
        Test::new("nextest", words.collect())
    } else {
        let words = ["cargo", "test"].into_iter().chain(all);
        Test::new("cargo-test", words.collect()).in_room(looked, &["src", "crates"])
    };
    Some(Found { language: "rust", test: Some(test) })
}

fn python(looked: &Looked<'_>) -> Option<Found> {
    const MARKS: [&str; 3] = ["pyproject.toml", "setup.py", "requirements.txt"];
    const PYTEST_FILES: [&str; 3] = ["pytest.ini", "conftest.py", "tests/conftest.py"];
    const PYTEST_NAMED: [&str; 8] = [
        "pyproject.toml",
        "setup.py",
        "setup.cfg",
        "tox.ini",
        "requirements.txt",
        "requirements-dev.txt",
        "requirements_dev.txt",
        "dev-requirements.txt",
    ];
    if !MARKS.into_iter().any(|name| looked.is_file(name)) {
        return None;
    }
    let uses_pytest = PYTEST_FILES.into_iter().any(|name| looked.is_file(name))
        || PYTEST_NAMED.into_iter().any(|name| looked.text(name).contains("pytest"));
    let test = if uses_pytest {
        Some(Test::new("pytest", vec!["pytest"]).in_room(looked, &["src"]))
    } else {
        unittest(looked).map(|command| Test::new("command", command))
    };
    Some(Found { language: "python", test })
}

/// Older Python versions exit with 0 if there are no tests, so test files must exist.
fn unittest(looked: &Looked<'_>) -> Option<Vec<&'static str>> {
    // Many systems have `python3` only.
    let python = if !looked.is_program("python") && looked.is_program("python3") {
        "python3"
    } else {
        "python"
    };
    let is_package = |folder: &str| looked.is_file(&format!("{folder}/__init__.py"));
    if looked.has_python_tests("") {
        return Some(vec![python, "-m", "unittest"]);
    }
    let tests = ["tests", "test"].into_iter().find(|folder| looked.has_python_tests(folder))?;
    if is_package(tests) {
        Some(vec![python, "-m", "unittest"])
    } else {
        Some(vec![python, "-m", "unittest", "discover", "-s", tests])
    }
}

fn node(looked: &Looked<'_>) -> Option<Found> {
    if !looked.is_file("package.json") {
        return None;
    }
    let package: Value = serde_json::from_str(&looked.text("package.json")).unwrap_or_default();
    let script = package["scripts"]["test"].as_str().unwrap_or_default();
    // `npm init` writes this placeholder.
    let is_real = !script.trim().is_empty() && !script.contains("no test specified");
    let manager = match () {
        () if looked.is_file("pnpm-lock.yaml") => "pnpm",
        () if looked.is_file("yarn.lock") => "yarn",
        () => "npm",
    };
    let language = if looked.is_file("tsconfig.json") { "typescript" } else { "javascript" };
    let test = is_real.then(|| node_test(manager, script, &package));
    Some(Found { language, test })
}

/// Adds report options for known test runners. The options come last, so the script must end with the runner.
fn node_test(manager: &'static str, script: &str, package: &Value) -> Test {
    let is_alone = !script.contains(['&', '|', ';', '>', '#']);
    let has = |word: &str| is_alone && script.split_whitespace().any(|it| it == word);
    let has_reporter = package["devDependencies"]["jest-junit"].is_string();
    let words: &[&str] = match () {
        () if has("vitest") => &["--run", "--reporter=junit", "--outputFile=/reports/junit.xml"],
        () if has("jest") && has_reporter => &["--reporters=jest-junit"],
        () if script.trim() == "node --test" => {
            &["--test-reporter=junit", "--test-reporter-destination=/reports/junit.xml"]
        }
        () => return Test::new("command", vec![manager, "test"]),
    };
    // Only npm needs `--` before the options.
    let apart = (manager == "npm").then_some("--");
    let command = [manager, "test"].into_iter().chain(apart).chain(words.iter().copied());
    Test { report: Some("junit.xml"), ..Test::new("junit", command.collect()) }
}

fn go(looked: &Looked<'_>) -> Option<Found> {
    let test = Test::new("command", vec!["go", "test", "./..."]);
    let found = Found { language: "go", test: Some(test) };
    looked.is_file("go.mod").then_some(found)
}

struct Looked<'a> {
    folder: &'a Path,
    path: Option<&'a OsStr>,
    disk: RealDisk,
}

impl Looked<'_> {
    fn is_file(&self, name: &str) -> bool {
        std::fs::symlink_metadata(self.folder.join(name)).is_ok_and(|meta| meta.is_file())
    }

    fn is_folder(&self, name: &str) -> bool {
        std::fs::symlink_metadata(self.folder.join(name)).is_ok_and(|meta| meta.is_dir())
    }

    /// The text of a file; empty if it is missing or too large.
    fn text(&self, name: &str) -> String {
        if !self.is_file(name) {
            return String::new();
        }
        let bytes = self.disk.read(&self.folder.join(name), FILE_BYTES_MAX).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn has_python_tests(&self, folder: &str) -> bool {
        let is_test = |name: String| name.starts_with("test") && name.ends_with(".py");
        let is_folder = |meta: std::fs::Metadata| meta.is_dir();
        let folder = self.folder.join(folder);
        std::fs::symlink_metadata(&folder).is_ok_and(is_folder)
            && std::fs::read_dir(&folder).is_ok_and(|entries| {
                let names = entries.take(ENTRIES_MAX).flatten().map(|entry| entry.file_name());
                names.map(|name| name.to_string_lossy().into_owned()).any(is_test)
            })
    }

    /// Whether `PATH` has a program of this name. Relative entries are skipped: they would mean the repository.
    fn is_program(&self, name: &str) -> bool {
        let is_executable = |meta: std::fs::Metadata| {
            meta.is_file() && meta.permissions().mode() & ANY_MAY_EXECUTE != 0
        };
        std::env::split_paths(self.path.unwrap_or_default())
            .filter(|place| place.is_absolute())
            .any(|place| std::fs::metadata(place.join(name)).is_ok_and(is_executable))
    }
}

/// The program names of agents.
pub(super) const AGENTS: [&str; 4] = ["codex", "claude", "gemini", "opencode"];

const FILE_BYTES_MAX: u64 = 1024 * 1024;
const ENTRIES_MAX: usize = 10_000;
const ANY_MAY_EXECUTE: u32 = 0o111;
