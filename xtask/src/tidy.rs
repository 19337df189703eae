//! The shape of the repository, as tests: what nothing checks, drifts.

mod auditor;
mod examples;
mod features;
mod languages;
mod volume;
mod wire;

use std::collections::BTreeSet;

use anyhow::{Result, ensure};

use crate::named_tests::NamedTest;
use crate::workspace::{files, root, say, shown};

/// Who may depend on whom. This table is the architecture; ARCHITECTURE.md explains it.
///
/// Crates that are not built yet are in it already: an arrow is decided before it is drawn.
const ARROWS: &[(&str, &[&str])] = &[
    ("kernel", &[]),
    ("documents", &[]),
    ("gates", &["kernel"]),
    ("module", &["kernel"]),
    ("index", &["kernel", "module"]),
    ("leak", &["kernel"]),
    ("sandbox", &["kernel"]),
    ("judge", &["gates", "kernel", "sandbox"]),
    ("store", &["kernel"]),
    ("host", &["kernel", "store"]),
    ("repo", &["kernel", "store"]),
    ("views", &["documents", "kernel", "store"]),
    ("agents", &["kernel", "leak", "sandbox"]),
    ("verify", &["gates", "kernel", "store", "views"]),
    ("config", &["agents", "gates", "kernel", "store", "views"]),
    (
        "factory",
        &[
            "agents",
            "config",
            "documents",
            "gates",
            "host",
            "index",
            "judge",
            "kernel",
            "leak",
            "module",
            "repo",
            "sandbox",
            "store",
            "views",
        ],
    ),
    ("evaluate", &["config", "factory", "gates", "kernel", "repo", "sandbox", "store"]),
    ("fleet", &["factory", "host", "kernel", "store"]),
    ("server", &["factory", "host", "kernel", "store", "verify", "views"]),
    (
        "cli",
        &[
            "agents",
            "config",
            "documents",
            "evaluate",
            "factory",
            "gates",
            "host",
            "index",
            "kernel",
            "module",
            "repo",
            "sandbox",
            "server",
            "store",
            "verify",
            "views",
        ],
    ),
];

/// What only tests need, and what of ours it is built on. Nothing in the table above may depend on these.
const TEST_ARROWS: &[(&str, &[&str])] = &[
    ("agent_scenarios", &["agents", "kernel", "sandbox", "scripted-model"]),
    ("attacks", &["kernel", "sandbox"]),
    ("bench", &["factory", "host", "kernel", "sandbox", "store"]),
    (
        "frauds",
        &[
            "agents", "config", "factory", "gates", "host", "kernel", "repo", "sandbox", "store",
            "verify", "views",
        ],
    ),
    ("model_check", &["kernel"]),
    ("quick_lane", &["frauds", "kernel", "scripted-model"]),
    ("scripted_model", &[]),
    ("sample_machine", &["kernel"]),
    ("sim", &["host", "kernel", "model-check", "sample-machine", "store"]),
];

/// All the kernel may stand on. Each works without `std`.
const KERNEL_PARTS: &[&str] = &["itoa", "ryu-js", "serde", "serde_json", "sha2", "thiserror"];

/// Names that would bring the world into the kernel.
const KERNEL_NEVER: &[&str] = &[
    "std::",
    "core::time",
    "async fn",
    "async move",
    ".await",
    "Instant",
    "SystemTime",
    "HashMap",
    "HashSet",
    "rand::",
    "random",
    "PathBuf",
    "thread",
    "unsafe",
    "static mut",
    "AtomicU",
];

const LINES_MAX: usize = 800;

pub(crate) fn run() -> Result<()> {
    let wrong = all()?;
    say(&format!("lines of source, tests left out\n{}", volume::told(&volume::by_crate(&root())?)));
    ensure!(wrong.is_empty(), "{} things are not tidy:\n  {}", wrong.len(), wrong.join("\n  "));
    say(
        "tidy: arrows, headers, paths, kernel, auditor, views, features, examples, sizes, names and languages hold",
    );
    Ok(())
}

fn all() -> Result<Vec<String>> {
    let mut wrong = arrows_of("crates", ARROWS)?;
    wrong.extend(arrows_of("tests", TEST_ARROWS)?);
    let rules = [headers, named_paths, kernel_parts, kernel_names, sizes, rooms];
    let more = [wire::hand_made_json, languages::all, auditor::wrong];
    for rule in rules.into_iter().chain(more).chain([examples::wrong, features::wrong]) {
        wrong.extend(rule()?);
    }
    wrong.extend(volume::wrong(&volume::by_crate(&root())?));
    Ok(wrong)
}

fn arrows_of(room: &str, table: &[(&str, &[&str])]) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for folder in folders(room)? {
        let Some((_, allowed)) = table.iter().find(|(name, _)| *name == folder) else {
            wrong.push(format!("{room}/{folder} is not in the table of arrows"));
            continue;
        };
        for used in dependencies(&format!("{room}/{folder}"))? {
            let ours = match used.strip_prefix("sealwright") {
                Some("") => Some("cli"),
                Some(rest) => rest.strip_prefix('-'),
                None => None,
            };
            // Its own tests may switch on a feature of it.
            if let Some(ours) = ours.filter(|ours| *ours != folder && !allowed.contains(ours)) {
                wrong.push(format!("{room}/{folder} must not depend on {ours}"));
            }
        }
    }
    Ok(wrong)
}

fn headers() -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for path in sources()? {
        let is_tests = path.file_name().is_some_and(|name| name == "tests.rs");
        if !is_tests && !std::fs::read_to_string(&path)?.starts_with("//! ") {
            wrong.push(format!("{} does not open with `//!`", shown(&path)));
        }
    }
    Ok(wrong)
}

/// Everything between backticks in the documents that looks like a path of ours, or a test in one.
fn named_paths() -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for path in files(&root(), "md")? {
        let text = std::fs::read_to_string(&path)?;
        let document = shown(&path);
        let words: Vec<&str> = text.split('`').collect();
        for &[before, name] in words.as_chunks().0 {
            // A recipe may speak of what it makes.
            let stands = || {
                let beside = path.parent().map(|folder| folder.join(name));
                let is_test = || name.contains(".rs::") && NamedTest::find(name).is_ok();
                root().join(name).exists() || beside.is_some_and(|it| it.exists()) || is_test()
            };
            if is_path(name) && !before.ends_with("Create ") && !stands() {
                wrong.push(format!("{document} names `{name}`, which is not there"));
            }
        }
    }
    Ok(wrong)
}

fn is_path(name: &str) -> bool {
    const ROOMS: [&str; 6] = ["crates/", "docs/", "src/", "tests/", "xtask/", ".ci/"];
    ROOMS.iter().any(|room| name.starts_with(room)) && !name.contains(['<', ' ', '*', '…', '{'])
}

fn kernel_parts() -> Result<Vec<String>> {
    let unknown = |used: &String| !KERNEL_PARTS.contains(&used.as_str());
    let used = dependencies("crates/kernel")?.into_iter().filter(unknown);
    Ok(used.map(|used| format!("crates/kernel must not depend on {used}")).collect())
}

/// The rules of modules keep to the same words as the kernel.
fn kernel_names() -> Result<Vec<String>> {
    let mut wrong = never("crates/kernel/src", "speaks of", KERNEL_NEVER)?;
    // The walk of a debate and its careless world, which no program has, draw from a seed.
    let is_of_rules = |it: &String| !it.starts_with("crates/module/src/debate/explore");
    let module = never("crates/module/src", "speaks of", KERNEL_NEVER)?;
    wrong.extend(module.into_iter().filter(is_of_rules));
    Ok(wrong)
}

/// Lines below `folder`, outside of tests and comments, that hold one of the `words`.
fn never(folder: &str, verb: &str, words: &[&str]) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for path in files(&root().join(folder), "rs")? {
        let is_below_tests = path.parent().is_some_and(|folder| folder.ends_with("tests"));
        if is_below_tests || path.file_name().is_some_and(|name| name == "tests.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path)?;
        for (nth, line) in code_lines(&text) {
            for word in words.iter().filter(|word| line.contains(**word)) {
                wrong.push(format!("{}:{nth} {verb} `{word}`", shown(&path)));
            }
        }
    }
    Ok(wrong)
}

/// A source file up to the tests at its end.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default()
}

/// The lines of a source file with their numbers, without comments and without the tests at its end.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let code = without_tests(text).lines();
    code.zip(1..).map(|(line, nth)| (nth, line.split("//").next().unwrap_or_default()))
}

fn sizes() -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for path in sources()? {
        let lines = std::fs::read_to_string(&path)?.lines().count();
        if lines > LINES_MAX {
            wrong.push(format!("{} has {lines} lines, more than {LINES_MAX}", shown(&path)));
        }
    }
    Ok(wrong)
}

/// Rooms whose names say nothing collect everything.
fn rooms() -> Result<Vec<String>> {
    const VAGUE: [&str; 8] =
        ["mod", "utils", "util", "common", "types", "helpers", "imp", "manager"];
    let mut wrong = Vec::new();
    for path in sources()? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if VAGUE.contains(&name.as_str()) {
            wrong.push(format!("{}: name the file for the thing in it", shown(&path)));
        }
    }
    for folder in folders("crates")? {
        if !root().join("crates").join(&folder).join("README.md").exists() {
            wrong.push(format!("crates/{folder} has no README.md"));
        }
    }
    Ok(wrong)
}

fn sources() -> Result<Vec<std::path::PathBuf>> {
    files(&root(), "rs")
}

fn folders(room: &str) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(root().join(room))? {
        names.insert(entry?.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}

/// What a crate is built on; what only its tests use does not count.
fn dependencies(krate: &str) -> Result<Vec<String>> {
    let manifest = root().join(krate).join("Cargo.toml");
    Ok(dependencies_in(&std::fs::read_to_string(manifest)?))
}

fn dependencies_in(manifest: &str) -> Vec<String> {
    let mut section = "";
    let mut used = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
            // `[dependencies.name]` is a dependency too.
            if let Some((kind, name)) = line.split_once("dependencies.")
                && kind != "[dev-"
            {
                used.push(name.trim_end_matches(']').to_owned());
            }
        } else if let Some(name) = renamed(line) {
            used.push(name.to_owned());
        } else if section.ends_with("dependencies]") && section != "[dev-dependencies]" {
            let name = line.split(['=', '.', ' ']).next().unwrap_or_default();
            if !name.is_empty() && !name.starts_with('#') {
                used.push(name.to_owned());
            }
        }
    }
    used
}

/// The package behind a dependency that goes by another name.
fn renamed(line: &str) -> Option<&str> {
    line.split_once("package = \"")?.1.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        assert_eq!(all().unwrap(), Vec::<String>::new());
    }

    #[test]
    fn dependencies_are_read_in_every_spelling() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\na.workspace = true\n# b = \"1\"\n\
                        c = { version = \"1\" }\n[dependencies.d]\nversion = \"1\"\n\
                        [target.'cfg(unix)'.dependencies]\ne = \"1\"\n[build-dependencies]\n\
                        f = \"1\"\n[dev-dependencies]\ng = \"1\"\n[dev-dependencies.h]\n\
                        [target.x.dependencies.i]\n[dependencies]\n\
                        j = { package = \"sealwright-engine\", path = \"x\" }\n";
        let expected = ["a", "c", "d", "e", "f", "i", "sealwright-engine"];
        assert_eq!(dependencies_in(manifest), expected);
    }

    #[test]
    fn arrows_have_no_circle() {
        // Each crate may only point at crates that stand above it in the table.
        for (nth, (name, used)) in ARROWS.iter().enumerate() {
            for used in *used {
                let stands = ARROWS.iter().position(|(other, _)| other == used);
                assert!(stands.is_some_and(|at| at < nth), "{name} points at {used}");
            }
        }
    }

    #[test]
    fn paths_are_told_from_other_words() {
        assert!(is_path("crates/kernel/src/project.rs"));
        assert!(!is_path("crates/<name>/README.md"));
        assert!(!is_path("cargo test"));
    }
}
