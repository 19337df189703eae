//! Libraries of other people in Rust: how much of them can be called across the boundary, and unmodified tests across it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};
use sealwright_judge::rust::{End, Files, RustTrial, TestEnd};
use sealwright_judge::{OTHER, USUAL};
use sealwright_sandbox::plan::Limits;

use super::{SECONDS, WALL_MS, in_rust_rooms};
use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::prove::reality::repositories::{Ready, cargo, folder, ready};
use crate::workspace::{output_of, say, scratch};

/// Libraries, with the share of their public functions that can be called across.
const LIBRARIES: [(&str, usize); 5] =
    [("semver", 100), ("bytes", 40), ("either", 0), ("hexyl", 0), ("anyhow", 10)];
/// Those whose own tests are run, with the share of them that pass across: a library, and two programs.
const TESTED: [(&str, usize); 3] = [("semver", 96), ("hexyl", 90), ("fd", 90)];

pub(super) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    if !folder().is_dir() {
        figures.tell("no repositories beside this one: no libraries".to_owned());
        return Ok(());
    }
    for (name, percent) in LIBRARIES {
        let repository = ready(name, size)?;
        let (candidate, frozen) = files(&repository.folder)?;
        let pair = RustTrial::pair_of(&candidate, &frozen, "");
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, why) in &pair.left {
            *reasons.entry(why).or_default() += 1;
        }
        let (callable, of) = (pair.called.len(), pair.called.len() + pair.left.len());
        let share = callable * 100 / of.max(1);
        let mut reasons: Vec<(usize, &str)> =
            reasons.into_iter().map(|(why, count)| (count, why)).collect();
        reasons.sort_by(|a, b| b.cmp(a));
        let reasons: Vec<String> =
            reasons.iter().take(REASONS_MAX).map(|(count, why)| format!("{count} {why}")).collect();
        figures.hold(
            format!("{name}: {callable} of {of} public functions can be called across ({share} %, at least {percent} %)"),
            share >= percent,
        );
        if !reasons.is_empty() {
            say(&format!("    the rest: {}", reasons.join(", ")));
        }
    }
    for &(name, percent) in &TESTED[..size.choose(1, TESTED.len())] {
        let repository = ready(name, size)?;
        let (candidate, frozen) = files(&repository.folder)?;
        tested(&repository, (&candidate, &frozen), percent, size, figures)?;
    }
    Ok(())
}

/// All files of a repository, and those of them that nobody who builds may write to.
fn files(folder: &Path) -> Result<(Files, Files)> {
    let mut listing = Command::new("git");
    let listed = output_of(listing.args(["ls-files"]).current_dir(folder))?;
    let (mut candidate, mut frozen) = (Files::new(), Files::new());
    for path in listed.lines().filter(|path| folder.join(path).is_file()) {
        let content = std::fs::read(folder.join(path))?;
        let is_test = path.starts_with("tests/");
        if is_test || matches!(path, "Cargo.toml" | "Cargo.lock" | "build.rs") {
            frozen.insert(path.to_owned(), content.clone());
        }
        if !is_test {
            candidate.insert(path.to_owned(), content);
        }
    }
    Ok((candidate, frozen))
}

/// Its own tests, natively and across. Those that need its process are not run across.
fn tested(
    repository: &Ready,
    (candidate, frozen): (&Files, &Files),
    percent: usize,
    size: Size,
    figures: &mut Figures,
) -> Result<()> {
    let target = scratch("judge").join("libraries-target");
    let mut native = cargo(&repository.folder)?;
    native.args(["test", "--test", "*", "--no-fail-fast", "--offline"]);
    native.env("CARGO_TARGET_DIR", &target).env_remove("RUST_BACKTRACE").stdin(Stdio::null());
    let native = passed(&String::from_utf8_lossy(&native.output()?.stdout));
    ensure!(!native.is_empty(), "no test passes natively");
    let is_target = |path: &&String| path.ends_with(".rs") && path.matches('/').count() == 1;
    let wanted: Vec<&str> = frozen.keys().filter(is_target).map(String::as_str).collect();
    let (tests, ends) = in_rust_rooms(frozen, size, |cargo, rooms| {
        let trial = RustTrial {
            cargo,
            candidate,
            frozen,
            package: "",
            wanted: &wanted,
            limits: Limits { wall_ms: WALL_MS, ..Limits::default() },
            seconds: SECONDS,
            cancel: None,
        };
        let pair = trial.pair()?;
        let tests = trial.tests(rooms, &pair)?;
        let mut ends = Vec::new();
        for surroundings in [&USUAL, &OTHER] {
            let (told, malformed) = trial.run(rooms, &pair, &tests, surroundings)?;
            ensure!(malformed.is_none(), "it does not keep to the protocol: {malformed:?}");
            ends.push(told);
        }
        Ok((tests, ends))
    })?;
    let passes = |told: &[TestEnd], name: &str| {
        let mut own = told.iter().filter(|it| it.name == name);
        own.any(|it| matches!(it.end, End::Passed | End::Silent))
    };
    let is_shared = |name: &str| tests.shared.keys().any(|(_, it)| it == name);
    let across: BTreeSet<&String> = native
        .iter()
        .filter(|name| !is_shared(name) && ends.iter().all(|told| passes(told, name)))
        .collect();
    for test in ends.iter().flatten() {
        if let End::Failed(why) = &test.end {
            say(&format!("    {} {} fails across: {why}", test.suite, test.name));
        }
    }
    for ((file, name), why) in &tests.shared {
        say(&format!("    {file} {name} needs its process: {why}"));
    }
    let only = ends[0].iter().filter(|it| it.end == End::Passed && !native.contains(&it.name));
    let only: Vec<&str> = only.map(|it| it.name.as_str()).collect();
    let share = across.len() * 100 / native.len();
    figures.hold(
        format!(
            "{}: {} of {} of its tests pass across, in both rooms ({share} %, at least {percent} %)",
            repository.name,
            across.len(),
            native.len()
        ),
        share >= percent && only.is_empty(),
    );
    if !only.is_empty() {
        say(&format!("  ✗ pass across and not natively: {only:?}"));
    }
    Ok(())
}

fn passed(output: &str) -> BTreeSet<String> {
    let test = |line: &str| line.strip_prefix("test ")?.strip_suffix(" ... ok").map(str::to_owned);
    output.lines().filter_map(test).collect()
}

const REASONS_MAX: usize = 5;
