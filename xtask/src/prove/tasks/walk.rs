//! Both machines, walked over every path, in every lane and at every rung.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::{root, target};

pub(crate) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let args = ["build", "--quiet", "--release", "--locked", "--package", "sealwright-explore"];
    let status = Command::new("cargo").args(args).current_dir(root()).status();
    ensure!(status.context("`cargo` could not be started")?.success(), "the walk does not compile");
    let mut walk = Command::new(target().join("release/sealwright-explore"));
    if size == Size::Quick {
        walk.arg("--quick");
    }
    let output = walk.output().context("the walk could not be started")?;
    let said = String::from_utf8_lossy(&output.stdout).trim().replace('\n', "; ");
    figures.hold(format!("{said}; violations: none"), output.status.success());
    Ok(())
}
