//! `prove tasks`: a task advances on evidence and on people's decisions, and on nothing else.

mod fuzz;
mod many;
pub(crate) mod mutants;
mod walk;
mod worlds;

use anyhow::Result;

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::say;

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
    let mut figures = Figures::new("tasks", size);
    for part in [Part::Walk, Part::Mutants, Part::Worlds, Part::Many, Part::Fuzz] {
        if only.is_some_and(|only| only != part) {
            continue;
        }
        say(part.name());
        match part {
            Part::Walk => walk::prove(size, &mut figures)?,
            Part::Mutants => mutants::prove(size, &mut figures)?,
            Part::Worlds => {
                worlds::prove(size, resume, mutants::for_worlds(size), &mut figures)?;
            }
            Part::Many => many::prove(size, &mut figures)?,
            Part::Fuzz => fuzz::prove(size, &mut figures)?,
        }
    }
    figures.close()
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Walk => "walking every path",
            Self::Mutants => "rules made wrong, one at a time",
            Self::Worlds => "careless worlds",
            Self::Many => "many tasks",
            Self::Fuzz => "bent input",
        }
    }
}
