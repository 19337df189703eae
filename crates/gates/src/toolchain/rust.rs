//! Rust, with cargo.

mod outline;
mod reach;
mod tokens;

use std::collections::BTreeSet;

use crate::TestId;
use crate::strength::cargo_mutants;
use crate::toolchain::{
    Language, Mutator, Outliner, Part, Places, Reach, Unlisted, folder_of, name_of, resolve,
};
use crate::tripwire::Guard;

#[derive(Debug)]
pub(super) struct Rust;

impl Language for Rust {
    fn name(&self) -> &'static str {
        "Rust"
    }

    fn is_found(&self, paths: &BTreeSet<&str>) -> bool {
        paths.contains("Cargo.toml") || paths.iter().any(|path| path.ends_with("/Cargo.toml"))
    }

    fn is_written(&self, path: &str) -> bool {
        path.ends_with(".rs")
    }

    fn part(&self, path: &str) -> Part {
        let name = name_of(path);
        let has = |wanted: &str| folder_of(path).split('/').any(|folder| folder == wanted);
        if has("tests") || has("benches") || matches!(name, "tests.rs" | "test.rs") {
            return Part::Test;
        }
        // What lies below the sources belongs to the product, also where it is data.
        let is_source = has("src") || (name.ends_with(".rs") && name != "build.rs");
        if is_source && !has("examples") { Part::Source } else { Part::Other }
    }

    fn sources(&self, paths: &BTreeSet<&str>) -> Places {
        let manifests = paths.iter().filter(|path| name_of(path) == "Cargo.toml");
        let folders = manifests.filter_map(|manifest| {
            let folder = resolve(folder_of(manifest), "src")?;
            let below = format!("{folder}/");
            paths.iter().any(|path| path.starts_with(&below)).then_some(folder)
        });
        Places { folders: folders.collect(), files: Vec::new() }
    }

    fn guard(&self, path: &str) -> Option<Guard> {
        let name = name_of(path).to_ascii_lowercase();
        let is_below = |wanted: &str| folder_of(path).split('/').any(|folder| folder == wanted);
        match name.as_str() {
            _ if is_below(".cargo") => Some(Guard::StartUpHook),
            "cargo.toml" => Some(Guard::Manifest),
            "cargo.lock" => Some(Guard::Lock),
            // Below the sources it is a module like any other: only a manifest could say otherwise.
            "build.rs" if !is_below("src") => Some(Guard::StartUpHook),
            "rust-toolchain"
            | "rust-toolchain.toml"
            | "clippy.toml"
            | ".clippy.toml"
            | "rustfmt.toml"
            | ".rustfmt.toml"
            | "deny.toml"
            | "audit.toml"
            | "nextest.toml" => Some(Guard::ToolConfiguration),
            _ => None,
        }
    }

    fn locks(&self) -> &'static [&'static str] {
        &["Cargo.lock"]
    }

    fn reach(&self, path: &str, text: &str) -> Reach {
        reach::of(path, text)
    }

    fn list_tests(&self) -> Vec<String> {
        // Not the terse form: it names tests without saying how many there are and where one file ends.
        ["cargo", "test", "--offline", "--frozen", "--workspace", "--", "--list"]
            .map(str::to_owned)
            .into()
    }

    fn listed(&self, stdout: &str, stderr: &str) -> Result<Vec<TestId>, Unlisted> {
        let mut suites = stderr.lines().filter_map(suite);
        let (mut all, mut here) = (Vec::new(), Vec::new());
        for line in stdout.lines() {
            if let Some(name) = line.strip_suffix(": test") {
                here.push(name);
            } else if let Some(counted) = counted(line) {
                if here.len() != counted {
                    return Err(Unlisted::Miscounted { named: here.len(), counted });
                }
                let suite = suites.next().ok_or(Unlisted::NoEnd)?;
                let suite = |name: &str| TestId { suite: suite.to_owned(), name: name.to_owned() };
                all.extend(here.drain(..).map(suite));
            }
        }
        if here.is_empty() && suites.next().is_none() { Ok(all) } else { Err(Unlisted::NoEnd) }
    }

    fn is_in(&self, id: &TestId, path: &str) -> bool {
        let Some(stem) = name_of(path).strip_suffix(".rs") else { return false };
        let target = if stem == "main" { name_of(folder_of(path)) } else { stem };
        // Runners call it `it`, `test it`, `calc::it`, `tests/it.rs` or by its path in the target.
        let suite = id.suite.as_str();
        let last = suite.rsplit(['/', ' ', ':']).next().unwrap_or_default();
        let executable = last.rsplit_once('-').filter(|(_, hash)| is_hash(hash));
        suite == path || last == target || executable.is_some_and(|(name, _)| name == target)
    }

    fn mutator(&self) -> Mutator {
        cargo_mutants::MUTATOR
    }

    fn hole(&self, _indent: &str) -> String {
        String::new()
    }

    fn outliner(&self) -> Outliner {
        Outliner::Text(outline::of)
    }
}

/// `     Running tests/it.rs (target/debug/deps/it-0123456789abcdef)` and `   Doc-tests calc`.
fn suite(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(running) = line.strip_prefix("Running ") {
        let running = running.strip_prefix("unittests ").unwrap_or(running);
        return running.split_once(" (").map(|(path, _)| path);
    }
    line.strip_prefix("Doc-tests ")
}

/// `3 tests, 0 benchmarks`.
fn counted(line: &str) -> Option<usize> {
    let (tests, rest) = line.split_once(" test")?;
    let rest = rest.strip_prefix('s').unwrap_or(rest);
    let benchmarks = rest.strip_prefix(", ")?;
    let is_end = benchmarks.ends_with(" benchmark") || benchmarks.ends_with(" benchmarks");
    tests.parse().ok().filter(|_| is_end)
}

fn is_hash(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
