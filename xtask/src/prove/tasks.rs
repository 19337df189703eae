//! `prove tasks`: a task advances on evidence and on people's decisions, and on nothing else.

mod fuzz;
mod many;
mod mutants;
mod walk;
mod worlds;

use anyhow::Result;

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::say;

pub(crate) fn run(size: Size, resume: bool) -> Result<()> {
    let mut figures = Figures::new("tasks", size);
    say("walking every path");
    walk::prove(size, &mut figures)?;
    say("rules made wrong, one at a time");
    mutants::prove(size, &mut figures)?;
    say("careless worlds");
    worlds::prove(size, resume, mutants::for_worlds(size), &mut figures)?;
    say("many tasks");
    many::prove(size, &mut figures)?;
    say("bent input");
    fuzz::prove(size, &mut figures)?;
    figures.close()
}
