//! Both machines, walked over every path, in every lane and at every rung.

use std::process::Command;

use anyhow::{Context as _, Result};

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::{build, build_quickly};

pub(crate) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let mut walk = match size {
        Size::Quick(_) => {
            let mut walk = Command::new(build_quickly("sealwright-model-check")?);
            walk.arg("--quick");
            walk
        }
        Size::Full => Command::new(build("sealwright-model-check")?),
    };
    let output = walk.output().context("the walk could not be started")?;
    let said = String::from_utf8_lossy(&output.stdout).trim().replace('\n', "; ");
    figures.hold(format!("{said}; violations: none"), output.status.success());
    Ok(())
}
