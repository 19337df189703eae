//! Proofs: one command per capability, at full size, with its figures in the last line.

mod agents;
mod bent;
mod boundaries;
pub(crate) mod debate;
mod figures;
mod frauds;
mod graph;
mod hands;
mod journal;
mod judge;
mod pipeline;
mod project;
mod python;
mod quick;
mod reality;
mod sandbox;
pub(crate) mod sim;
pub(crate) mod tags;
pub(crate) mod tasks;
mod trust;
pub(crate) mod unsynced;
pub(crate) mod writer;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::prove::figures::Figures;
use crate::sample::Sample;
use crate::workspace::{build, build_quickly, say, succeed};

/// What to prove.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The capability.
    name: Name,

    /// Smaller numbers, for every change; without it the proof runs at full size.
    #[arg(long)]
    quick: bool,

    /// Go on where the last full run of `sim` or `tasks` stopped.
    #[arg(long)]
    resume: bool,

    /// Only one part of `tasks`, `trust`, `quick`, `hands`, `reality`, `judge`, `pipeline`, `graph`, `project`,
    /// `boundaries` or `debate`; a proof is only whole without it.
    #[arg(long)]
    part: Option<String>,
}

/// The capabilities, one file each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Name {
    /// Durable, tamper-evident and fast streams.
    Journal,
    /// Nothing is lost, whatever the world does.
    Sim,
    /// A task advances on evidence and on people's decisions, and on nothing else.
    Tasks,
    /// What a pack does not grant cannot be had.
    Sandbox,
    /// What is said to be proven was proven, and a clone shows it.
    Trust,
    /// The agents people have do the work, and what they say of themselves decides nothing.
    Agents,
    /// One sentence, an existing repository, and at the end a branch with proof or an honest stop.
    Quick,
    /// What tasks and slices owe is done for real, and ends in every report that the rules know.
    Hands,
    /// Ordinary repositories of other people: their tests, their checks, their last changes.
    Reality,
    /// A test that claims a requirement fails when the requirement is broken.
    Tags,
    /// Code under test shares nothing with what judges it.
    Judge,
    /// Which phase a project is in: every run that the table allows.
    Pipeline,
    /// Whose turn it is in a project: random graphs, and a hundred thousand tasks.
    Graph,
    /// What is proven is what is there, and a repository of somebody else acts on nothing.
    Boundaries,
    /// A project from its spec to its branch, killed on the way; wrong rules, and what strangers write.
    Project,
    /// How a module version is argued over: every run, and careless worlds.
    Debate,
}

impl Name {
    /// Whether its full form measures speed, which only a release build shows.
    fn needs_release(self) -> bool {
        !matches!(
            self,
            Self::Hands
                | Self::Tags
                | Self::Reality
                | Self::Pipeline
                | Self::Project
                | Self::Boundaries
        )
    }
}

/// How large a proof is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// The part that a sample chooses, with every change.
    Quick(Sample),
    Full,
}

impl Size {
    pub(crate) fn choose<T>(self, quick: T, full: T) -> T {
        match self {
            Self::Quick(_) => quick,
            Self::Full => full,
        }
    }

    /// Builds a program: for `--quick` as the tests have built it already, otherwise as it is released.
    pub(crate) fn build(self, package: &str, program: &str) -> Result<PathBuf> {
        match self {
            Self::Quick(_) => build_quickly(program),
            Self::Full => Ok(build(package)?.with_file_name(program)),
        }
    }
}

/// A copy of a program at a location where every user may run it, removed on drop.
struct PublicProgram(PathBuf);

impl PublicProgram {
    fn copy(built: &Path) -> Result<Self> {
        let name = built.file_name().context("a program has a name")?.to_string_lossy();
        let copy = format!("sealwright-{name}-{}", std::process::id());
        let copy = Self(std::env::temp_dir().join(copy));
        std::fs::copy(built, &copy.0)?;
        Ok(copy)
    }
}

impl Drop for PublicProgram {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Proves the parts in order, or only one: its name, its heading and its proof.
fn in_parts<P: PartialEq>(
    name: &'static str,
    size: Size,
    only: Option<P>,
    parts: &[(P, &str, Prove<'_>)],
) -> Result<()> {
    let mut figures = Figures::new(name, size);
    for (part, heading, prove) in parts {
        if only.as_ref().is_none_or(|only| only == part) {
            say(heading);
            prove(size, &mut figures)?;
        }
    }
    figures.close()
}

type Prove<'p> = &'p dyn Fn(Size, &mut Figures) -> Result<()>;

pub(crate) fn run(args: &Args) -> Result<()> {
    let size = if args.quick {
        let sample = Sample::of_commit()?;
        say(&sample.told());
        Size::Quick(sample)
    } else if cfg!(debug_assertions) && args.name.needs_release() {
        return in_release();
    } else {
        Size::Full
    };
    match args.name {
        Name::Journal => journal::run(size),
        Name::Sim => sim::run(size, args.resume),
        Name::Tasks => tasks::run(size, args.resume, part(args)?),
        Name::Trust => trust::run(size, part(args)?),
        Name::Sandbox => sandbox::run(size),
        Name::Agents => agents::run(size),
        Name::Quick => quick::run(size, part(args)?),
        Name::Hands => hands::run(size, part(args)?),
        Name::Reality => reality::run(size, part(args)?),
        Name::Tags => tags::run(size),
        Name::Judge => judge::run(size, part(args)?),
        Name::Pipeline => pipeline::run(size, part(args)?),
        Name::Graph => graph::run(size, part(args)?),
        Name::Project => project::run(size, part(args)?),
        Name::Boundaries => boundaries::run(size, part(args)?),
        Name::Debate => debate::run(size, part(args)?),
    }
}

/// Runs the same command again, built as it is released: only such figures are held against what is promised.
fn in_release() -> Result<()> {
    let mut cargo = Command::new("cargo");
    cargo.args(["run", "--quiet", "--release", "--locked", "--package", "xtask", "--"]);
    succeed(cargo.args(std::env::args_os().skip(1)), "the full form did not hold")
}

/// The part that was named, among those of one proof.
fn part<P: clap::ValueEnum>(args: &Args) -> Result<Option<P>> {
    let Some(named) = &args.part else { return Ok(None) };
    let parts = P::value_variants().iter().filter_map(|part| part.to_possible_value());
    let names: Vec<String> = parts.map(|part| part.get_name().to_owned()).collect();
    match P::from_str(named, false) {
        Ok(part) => Ok(Some(part)),
        Err(_) => anyhow::bail!("`{named}` is no part of it; there are {}", names.join(", ")),
    }
}
