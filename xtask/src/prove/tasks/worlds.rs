//! The careless world drives whole tasks, and would have found what is broken in their rules.

use anyhow::{Result, ensure};

use crate::planted::Bug;
use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::prove::sim::Sim;
use crate::workspace::say;

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
    let mut found = 0;
    for bug in bugs {
        let planted = bug.plant("tasks")?;
        let sim = ["--quiet", "--release", "--locked", "--package", "sealwright-sim"];
        let (built, output) = planted.cargo(&[&["build"], &sim[..]].concat())?;
        ensure!(built, "`{}` does not compile:\n{output}", bug.name);
        let run = [&["run"], &sim[..], &["--", "--machine", "task", "--seeds", "10000"]].concat();
        let (held, output) = planted.cargo(&run)?;
        let verdict = output.lines().next().unwrap_or_default();
        ensure!(held || verdict.starts_with("violation"), "`{}`: {output}", bug.name);
        let short: String = verdict.chars().take(110).collect();
        say(&format!("  {} planted: {}: {short}", if held { "✗" } else { "✓" }, bug.name));
        found += usize::from(!held);
    }
    if !bugs.is_empty() {
        figures.hold(
            format!("{found} of {} planted rule bugs found by it", bugs.len()),
            found == bugs.len(),
        );
    }
    Ok(())
}
