//! `prove tasks`: a task advances on evidence and on people's decisions, and on nothing else.

mod fuzz;
mod many;
pub(crate) mod mutants;

use std::process::Command;

use anyhow::{Context as _, Result};

use crate::planted::{Build, Hunt};
use crate::prove::figures::Figures;
use crate::prove::sim::Sim;
use crate::prove::{Size, in_parts};

/// The parts of the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Every path, in every lane and at every rung.
    Walk,
    /// Rules made wrong, one at a time.
    Mutants,
    /// Careless worlds.
    Worlds,
    /// A hundred thousand tasks.
    Many,
    /// Bent input.
    Fuzz,
}

pub(crate) fn run(size: Size, resume: bool, only: Option<Part>) -> Result<()> {
    let worlds = |size, figures: &mut Figures| worlds(size, resume, figures);
    in_parts(
        "tasks",
        size,
        only,
        &[
            (Part::Walk, "walking every path", &walk),
            (Part::Mutants, "rules made wrong, one at a time", &mutants::prove),
            (Part::Worlds, "careless worlds", &worlds),
            (Part::Many, "many tasks", &many::prove),
            (Part::Fuzz, "bent input", &fuzz::prove),
        ],
    )
}

/// Both machines, walked over every path, in every lane and at every rung.
fn walk(size: Size, figures: &mut Figures) -> Result<()> {
    let program = "sealwright-model-check";
    let mut walk = Command::new(size.build(program, program)?);
    let output = walk.args(size.choose(Some("--quick"), None)).output();
    let output = output.context("the walk could not be started")?;
    let said = String::from_utf8_lossy(&output.stdout).trim().replace('\n', "; ");
    figures.hold(format!("{said}; violations: none"), output.status.success());
    Ok(())
}

/// The careless world drives whole tasks, and would have found what is broken in their rules.
fn worlds(size: Size, resume: bool, figures: &mut Figures) -> Result<()> {
    let (held, told) = Sim::build(size)?.play("task", size, resume)?;
    figures.hold(format!("whole tasks: {told}"), held);
    let (bugs, hunt) =
        (mutants::for_worlds(size), Hunt { program: "sealwright-sim", build: Build::Release });
    let found = hunt.count(bugs, &[&["--machine", "task", "--seeds", "10000"]])?;
    if !bugs.is_empty() {
        let text = format!("{found} of {} planted rule bugs found by it", bugs.len());
        figures.hold(text, found == bugs.len());
    }
    Ok(())
}
