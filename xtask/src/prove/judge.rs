//! `prove judge`: tests in one room, the code they judge in another, and nothing but checked values between.

mod cost;
mod cost_in_rust;
mod frames;
mod libraries;
mod suites;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use sealwright_judge::rust::Files;
use sealwright_judge::{Judgement, Rooms, Trial, USUAL};
use sealwright_kernel::Level;
use sealwright_sandbox::plan::Limits;
use sealwright_sandbox::room::{Cache, Cargo, CargoParts, Conditions};
use sealwright_sandbox::{Mechanism, SandboxSlots};

use crate::prove::{Size, frauds, in_parts};
use crate::workspace::{output_of, scratch, succeed};

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Hostile frames end the conversation and nothing else.
    Frames,
    /// Unmodified suites of other people across the boundary.
    Suites,
    /// Libraries of other people in Rust.
    Libraries,
    /// What it costs beside one process.
    Cost,
    /// Planted frauds and honest runs, compared with three naive loops.
    Frauds,
}

pub(crate) fn run(size: Size, only: Option<Part>) -> Result<()> {
    in_parts(
        "judge",
        size,
        only,
        &[
            (Part::Frames, "hostile frames", &frames::prove),
            (Part::Suites, "suites of other people", &suites::prove),
            (Part::Libraries, "libraries of other people", &libraries::prove),
            (Part::Cost, "cost", &cost::prove),
            (Part::Frauds, "frauds and honest runs", &frauds::prove),
        ],
    )
}

/// What a trial is made of, in folders.
struct Subject<'s> {
    /// The virtual environment with what the tests need.
    python: &'s Path,
    candidate: &'s Path,
    package: &'s str,
    tests: &'s Path,
    wanted: Vec<String>,
    options: &'s [&'s str],
}

impl Subject<'_> {
    fn judged(&self, size: Size) -> Result<Judgement> {
        let program = size.build("sealwright", "sealwright")?;
        let slots = SandboxSlots::with_launcher(&scratch("judge").join("slots"), &program)?;
        let ask =
            "import sys, sysconfig; print(sys.base_prefix); print(sysconfig.get_path('purelib'))";
        let mut python = Command::new(self.python.join("bin/python3"));
        let said = output_of(python.args(["-c", ask]))?;
        let mut lines = said.lines().map(PathBuf::from);
        let (interpreter, site) = lines.next().zip(lines.next()).context("no Python")?;
        let wanted: Vec<&str> = self.wanted.iter().map(String::as_str).collect();
        let trial = Trial {
            interpreter: &interpreter,
            site: &site,
            candidate: self.candidate,
            packages: &[self.package],
            tests: self.tests,
            wanted: &wanted,
            options: self.options,
            limits: Limits { wall_ms: WALL_MS, ..Limits::default() },
            seconds: SECONDS,
            cancel: None,
        };
        let mechanism = &Mechanism::Namespaces;
        let rooms = Rooms { slots: &slots, mechanism, least: Level::KernelIsolated };
        Ok(trial.run(rooms, &trial.surface(rooms)?, &USUAL)?)
    }
}

/// Rooms for what is written in Rust, and a cargo that has the packages of others which these manifests name.
fn in_rust_rooms<T>(
    frozen: &Files,
    size: Size,
    act: impl FnOnce(&Cargo, Rooms<'_>) -> Result<T>,
) -> Result<T> {
    let place = fresh("frozen")?;
    lay(&place, frozen)?;
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
    act(&cargo, rooms)
}

/// A folder of the proof that has nothing in it yet.
fn fresh(name: &str) -> Result<PathBuf> {
    let place = scratch("judge").join(name);
    if place.exists() {
        std::fs::remove_dir_all(&place)?;
    }
    Ok(place)
}

/// Writes files below a folder.
fn lay(place: &Path, files: &Files) -> Result<()> {
    for (path, content) in files {
        let path = place.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(place))?;
        std::fs::write(path, content)?;
    }
    Ok(())
}

/// Copies a folder into another, readable by everybody.
fn copy(folder: &Path, into: &Path) -> Result<()> {
    std::fs::create_dir_all(into)?;
    let words = [folder.display().to_string(), into.display().to_string()];
    succeed(Command::new("cp").arg("-r").args(&words), "a folder could not be copied")?;
    let mut open = Command::new("chmod");
    succeed(open.args(["-R", "a+rX", &words[1]]), "a folder could not be opened")
}

const WALL_MS: u64 = 1_800_000;
/// The most that one test may take.
const SECONDS: u32 = 20;
