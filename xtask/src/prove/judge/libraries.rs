//! Libraries of other people in Rust: how much of them can be called across the boundary, and unmodified tests across it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use sealwright_judge::rust::{End, Files, RustTrial, TestEnd};
use sealwright_judge::{OTHER, Rooms, USUAL};
use sealwright_kernel::Level;
use sealwright_sandbox::plan::Limits;
use sealwright_sandbox::room::{Cache, Cargo, CargoParts, Conditions};
use sealwright_sandbox::{Mechanism, SandboxSlots};

use super::{SECONDS, WALL_MS, fresh};
use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::prove::reality::repositories::{Ready, cargo, folder, ready};
use crate::workspace::{output_of, say, scratch};

/// Libraries, with the share of their public functions that can be called across.
const LIBRARIES: [(&str, usize); 5] =
    [("semver", 100), ("bytes", 40), ("either", 0), ("hexyl", 0), ("anyhow", 10)];
/// The one whose own tests are run.
const TESTED: &str = "semver";

pub(super) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    if !folder().is_dir() {
        figures.tell("no repositories beside this one: no libraries".to_owned());
        return Ok(());
    }
    for (name, percent) in LIBRARIES {
        let repository = ready(name, size)?;
        let (candidate, frozen) = files(&repository.folder)?;
        let pair = RustTrial::pair_of(&candidate, &frozen, "").context("no library")?;
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
        if name == TESTED {
            tested(&repository, (&candidate, &frozen), size, figures)?;
        }
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

/// Its own tests, natively and across.
fn tested(
    repository: &Ready,
    (candidate, frozen): (&Files, &Files),
    size: Size,
    figures: &mut Figures,
) -> Result<()> {
    let target = scratch("judge").join("libraries-target");
    let mut native = cargo(&repository.folder)?;
    native.args(["test", "--tests", "--no-fail-fast", "--offline"]);
    native.env("CARGO_TARGET_DIR", &target).env_remove("RUST_BACKTRACE").stdin(Stdio::null());
    let native = passed(&String::from_utf8_lossy(&native.output()?.stdout));
    ensure!(!native.is_empty(), "no test passes natively");
    let place = fresh("libraries")?;
    for (path, content) in frozen {
        let path = place.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(&place))?;
        std::fs::write(path, content)?;
    }
    let program = size.build("sealwright", "sealwright")?;
    let slots = SandboxSlots::with_launcher(&scratch("judge").join("slots"), &program)?;
    let mechanism = &Mechanism::Namespaces;
    let rooms = Rooms { slots: &slots, mechanism, least: Level::KernelIsolated };
    let conditions = Conditions::new(mechanism.clone(), rooms.least);
    let toolchain = output_of(Command::new("rustc").args(["--print", "sysroot"]))?;
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).context("no home")?;
    let parts =
        CargoParts { toolchain: Path::new(toolchain.trim()), cargo_home: &home, frozen: &place };
    let cache = Cache::open(&scratch("judge").join("rooms"))?;
    let cargo = Cargo::provide(&cache, parts, &slots.take()?, &conditions)?;
    let is_target = |path: &&String| path.ends_with(".rs") && path.matches('/').count() == 1;
    let wanted: Vec<&str> = frozen.keys().filter(is_target).map(String::as_str).collect();
    let wanted: Vec<&str> = wanted.into_iter().filter(|path| *path != "build.rs").collect();
    let trial = RustTrial {
        cargo: &cargo,
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
        ensure!(malformed.is_none(), "the candidate does not keep to the protocol: {malformed:?}");
        ends.push(told);
    }
    let passes = |told: &[TestEnd], name: &str| {
        let mut own = told.iter().filter(|it| it.name == name);
        own.any(|it| matches!(it.end, End::Passed | End::Silent))
    };
    let across: BTreeSet<&String> =
        native.iter().filter(|name| ends.iter().all(|told| passes(told, name))).collect();
    for test in ends.iter().flatten() {
        if let End::Failed(why) = &test.end {
            say(&format!("    {} {} fails across: {why}", test.suite, test.name));
        }
    }
    for ((file, name), why) in &tests.shared {
        say(&format!("    {file} {name} needs its process: {why}"));
    }
    figures.hold(
        format!(
            "{TESTED}: {} of {} of its tests pass across, in both rooms",
            across.len(),
            native.len()
        ),
        across.len() == native.len(),
    );
    Ok(())
}

fn passed(output: &str) -> BTreeSet<String> {
    let test = |line: &str| line.strip_prefix("test ")?.strip_suffix(" ... ok").map(str::to_owned);
    output.lines().filter_map(test).collect()
}

const REASONS_MAX: usize = 5;
