//! The careless world drives whole tasks, and would have found what is broken in their rules.

use anyhow::Result;

use crate::planted::{Bug, Build, Hunt};
use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::prove::sim::Sim;

/// Rules made wrong; the world has to run into each of them.
pub(crate) fn prove(size: Size, resume: bool, bugs: &[Bug], figures: &mut Figures) -> Result<()> {
    let seeds = match size {
        Size::Quick => 10_000_u64,
        Size::Full => 1_000_000,
    };
    let sim = Sim::build()?;
    let progress = sim.progress("task");
    if !resume && progress.exists() {
        std::fs::remove_file(&progress)?;
    }
    let (seeds, progress) = (seeds.to_string(), progress.display().to_string());
    let (held, output) =
        sim.run(&["--machine", "task", "--seeds", &seeds, "--resume", &progress])?;
    figures.hold(format!("whole tasks: {}", output.trim().replace('\n', "; ")), held);
    let hunt = Hunt { proof: "tasks", package: "sealwright-sim", build: Build::Release };
    let found = hunt.count(bugs, &[&["--machine", "task", "--seeds", "10000"]])?;
    if !bugs.is_empty() {
        figures.hold(
            format!("{found} of {} planted rule bugs found by it", bugs.len()),
            found == bugs.len(),
        );
    }
    Ok(())
}
