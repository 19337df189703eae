//! Libraries of other people in Rust: how much of them can be called across the boundary, and unmodified tests across it.
//!
//! The two programs run side by side here, without rooms.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use sealwright_gates::toolchain::rust_api::Api;
use sealwright_judge::rust::Pair;
use sealwright_judge::side_by_side;

use super::{copy, fresh};
use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::prove::reality::repositories::{Ready, cargo, folder, ready};
use crate::workspace::{output_of, say, scratch, succeed};

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
        let pair = pair(&repository.folder)?;
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, why) in &pair.left {
            *reasons.entry(why).or_default() += 1;
        }
        let (callable, of) = (pair.callable, pair.callable + pair.left.len());
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
            tested(&repository, &pair, figures)?;
        }
    }
    Ok(())
}

/// The programs for the library in a folder.
fn pair(folder: &Path) -> Result<Pair> {
    let mut listing = Command::new("git");
    let listed = output_of(listing.args(["ls-files"]).current_dir(folder))?;
    let is_read = |path: &&str| path.ends_with(".rs") || *path == "Cargo.toml";
    let read = |path: &str| Ok((path.to_owned(), std::fs::read_to_string(folder.join(path))?));
    let files: BTreeMap<String, String> =
        listed.lines().filter(is_read).map(read).collect::<Result<_>>()?;
    Ok(Pair::of(&Api::of(&files).context("no library")?))
}

/// Its own tests, natively and across.
fn tested(repository: &Ready, pair: &Pair, figures: &mut Figures) -> Result<()> {
    let place = fresh("libraries")?;
    let (judge, candidate, target) =
        (place.join(TESTED), place.join("candidate"), scratch("judge").join("libraries-target"));
    std::fs::create_dir_all(candidate.join("src"))?;
    copy(&repository.folder, &place)?;
    std::fs::remove_dir_all(judge.join("src"))?;
    // What builds the candidate is a part of it.
    let _ = std::fs::remove_file(judge.join("build.rs"));
    std::fs::create_dir(judge.join("src"))?;
    std::fs::write(judge.join("src/lib.rs"), &pair.stand_in)?;
    std::fs::write(candidate.join("src/main.rs"), &pair.program)?;
    let manifest = format!(
        "[package]\nname = \"candidate\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
         [dependencies]\n{TESTED} = {{ path = \"{}\" }}\n",
        repository.folder.display()
    );
    std::fs::write(candidate.join("Cargo.toml"), manifest)?;
    let cargo = |folder: &Path, words: &[&str]| -> Result<Command> {
        let mut cargo = cargo(folder)?;
        cargo.args(words).arg("--offline").env("CARGO_TARGET_DIR", &target);
        cargo.env_remove("RUST_BACKTRACE").stdin(Stdio::null());
        Ok(cargo)
    };
    let native = cargo(&repository.folder, &["test", "--tests", "--no-fail-fast"])?.output()?;
    let native = passed(&String::from_utf8_lossy(&native.stdout));
    ensure!(!native.is_empty(), "no test passes natively");
    succeed(&mut cargo(&candidate, &["build", "--quiet"])?, "the program could not be built")?;
    let mut across = BTreeSet::new();
    let mut tests: Vec<PathBuf> =
        std::fs::read_dir(judge.join("tests"))?.map(|it| Ok(it?.path())).collect::<Result<_>>()?;
    tests.retain(|path| path.extension().is_some_and(|it| it == "rs"));
    tests.sort();
    for path in tests {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let built = cargo(&judge, &["test", "--no-run", "--test", &name])?.output()?;
        let said = String::from_utf8_lossy(&built.stderr).into_owned();
        let line = said.lines().find(|line| line.contains("Executable"));
        let program = line.and_then(|line| line.rsplit_once('(')?.1.strip_suffix(')'));
        let Some(program) = program else {
            let why = said.lines().find(|line| line.starts_with("error")).unwrap_or_default();
            say(&format!("    {name} cannot be built across: {why}"));
            continue;
        };
        across.extend(passed(&run(&target.join("debug/candidate"), Path::new(program))?));
    }
    let both = across.intersection(&native).count();
    figures.hold(
        format!("{TESTED}: {both} of {} of its tests pass across, without rooms", native.len()),
        both == native.len() && across.is_subset(&native),
    );
    Ok(())
}

/// What tests print that judge a candidate in another process.
fn run(candidate: &Path, tests: &Path) -> Result<String> {
    let mut running = Command::new(tests);
    running.args(["--test-threads=1"]).env_remove("RUST_BACKTRACE").stderr(Stdio::null());
    let (output, malformed) = side_by_side(Command::new(candidate), running)?;
    ensure!(malformed.is_none(), "the candidate does not keep to the protocol: {malformed:?}");
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn passed(output: &str) -> BTreeSet<String> {
    let test = |line: &str| line.strip_prefix("test ")?.strip_suffix(" ... ok").map(str::to_owned);
    output.lines().filter_map(test).collect()
}

const REASONS_MAX: usize = 5;
