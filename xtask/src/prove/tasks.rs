//! `prove tasks`: a task advances on evidence and on people's decisions, and on nothing else.

mod mutants;
mod walk;

use anyhow::Result;

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::say;

pub(crate) fn run(size: Size) -> Result<()> {
    let mut figures = Figures::new("tasks", size);
    say("walking every path");
    walk::prove(size, &mut figures)?;
    say("rules made wrong, one at a time");
    mutants::prove(size, &mut figures)?;
    figures.close()
}
