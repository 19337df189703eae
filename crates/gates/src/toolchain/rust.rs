//! Rust, with cargo.

mod detect;
mod inner;
mod manifest;
mod mutants;
mod outline;
mod reach;
mod red;
mod surface;
mod tokens;

pub use surface::{Api, Callable, Constant, OwnType, Receiver, Shape, Type, Variant};

use std::collections::BTreeSet;

use crate::guard::Guard;
use crate::reports::libtest;
use crate::toolchain::ecosystem::{Ecosystem, Signs};
use crate::toolchain::language::{
    Facts, InnerTests, Language, Mutator, Needed, Outliner, Part, Places, Reach, SurfaceReader,
};
use crate::toolchain::missing::{Missing, TestRun, UnderTest};
use crate::toolchain::paths::{folder_of, name_of, resolve};
use crate::{Status, TestId};

#[derive(Debug)]
pub(super) struct Rust;

impl Language for Rust {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn ecosystem(&self) -> &'static Ecosystem {
        &ECOSYSTEM
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
        // Data below the sources belongs to the product too.
        let is_source = has("src") || (name.ends_with(".rs") && name != "build.rs");
        if is_source && !has("examples") { Part::Source } else { Part::Other }
    }

    fn is_test_file(&self, path: &str) -> bool {
        path.ends_with(".rs") && name_of(folder_of(path)) == "tests"
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

    fn module_names(&self, manifest: &str) -> Vec<String> {
        manifest::module_names(manifest)
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

    fn reach(&self, path: &str, text: &str) -> Reach {
        reach::of(path, text)
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

    fn missing(&self, run: &TestRun<'_>) -> Missing {
        red::missing(run)
    }

    fn build_errors(&self, stdout: &str) -> Vec<String> {
        red::build_errors(stdout)
    }

    fn broken(&self, why: &str, _under_test: &UnderTest) -> Option<String> {
        red::broken(why)
    }

    fn failed_tests(&self, run: &str, stdout: &[u8]) -> Vec<String> {
        let results = libtest::read(run, stdout).map(|tests| tests.results).unwrap_or_default();
        let failed = results.into_iter().filter(|result| result.status != Status::Passed);
        let file = run.split(' ').nth(1).unwrap_or(run);
        failed.map(|result| format!("tests/{file}.rs::{}", result.id.name)).collect()
    }

    fn outliner(&self) -> Outliner {
        Outliner::Text(outline::of)
    }

    fn surface_reader(&self) -> Option<SurfaceReader> {
        Some(surface::READER)
    }

    fn mutator(&self) -> Mutator {
        mutants::MUTATOR
    }

    fn inner_tests(&self) -> Option<&'static InnerTests> {
        Some(&inner::INNER_TESTS)
    }

    fn room_entry(&self, paths: &BTreeSet<&str>) -> Option<(String, &'static str)> {
        let mut packages = paths.iter().filter_map(|path| path.strip_suffix("Cargo.toml"));
        let has = |folder: &str, root: &str| paths.contains(format!("{folder}{root}").as_str());
        let package = packages.find(|it| has(it, "src/lib.rs") || has(it, "src/main.rs"))?;
        Some((format!("{package}{ROOM_ENTRY}"), "#[test]\nfn the_room_can_be_entered() {}\n"))
    }

    fn is_room_entry(&self, suite: &str) -> bool {
        suite == "test sealwright_room"
    }
}

fn is_hash(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

const ROOM_ENTRY: &str = "tests/sealwright_room.rs";

const FACTS: Facts = Facts {
    name: "Rust",
    test_kinds: &["cargo-test", "nextest"],
    room_test: Some("tests/sealwright_room.rs"),
    top_manifest: Some("Cargo.toml"),
    is_compiled: true,
    failing_exits: &[101],
    room_tool: Needed {
        name: "Rust toolchain",
        hint: "install Rust, so that `rustc --print sysroot` works",
    },
    mutant_tool: Needed { name: "cargo-mutants", hint: "`cargo install cargo-mutants`" },
    comment: "//",
    import_suffix: "",
    definitions: &["fn", "struct", "enum", "trait", "const", "static", "type", "mod", "union"],
};

const ECOSYSTEM: Ecosystem = Ecosystem {
    detect: detect::detect,
    manifest: manifest::manifest,
    guard: |_| None,
    locks: &["Cargo.lock"],
    installed: None,
    by_products: &["mutants.out", "target"],
    leftover_folders: &["mutants.out", "target"],
    leftover_endings: &[".profraw"],
    signs: Signs {
        test_name_prefixes: &["cfg!(test"],
        test_texts: &["RUST_TEST_", "NEXTEST", "CARGO_TARGET_TMPDIR", "CARGO_BIN_EXE_"],
        looks: &[
            // A build for tests, or for anything but a release, differs on purpose.
            "cfg(not(test))",
            "env.args",
            "env.args_os",
            "env.current_exe",
            "current_exe",
            "Backtrace.capture",
            "Backtrace.force_capture",
            "Location.caller",
            // What differs from run to run can hide what differs from test to test.
            "SystemTime.now",
            "Instant.now",
            "env.var",
            "env.var_os",
            "process.id",
            "TcpStream.connect",
        ],
        look_prefixes: &["cfg!(debug_assertions"],
        entry_files: &["main.rs", "cli.rs", "args.rs"],
        ..Signs::NONE
    },
};
