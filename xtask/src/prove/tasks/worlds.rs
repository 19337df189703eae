//! The careless world drives whole tasks, and would have found what is broken in their rules.

use anyhow::Result;

use crate::planted::{Bug, Build, Hunt};
use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::prove::sim::Sim;

/// Rules made wrong; the world has to run into each of them.
pub(crate) fn prove(size: Size, resume: bool, bugs: &[Bug], figures: &mut Figures) -> Result<()> {
    let (held, told) = Sim::build(size)?.play("task", size, resume)?;
    figures.hold(format!("whole tasks: {told}"), held);
    let hunt = Hunt { program: "sealwright-sim", build: Build::Release };
    let found = hunt.count(bugs, &[&["--machine", "task", "--seeds", "10000"]])?;
    if !bugs.is_empty() {
        figures.hold(
            format!("{found} of {} planted rule bugs found by it", bugs.len()),
            found == bugs.len(),
        );
    }
    Ok(())
}
