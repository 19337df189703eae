//! The Python of the proofs.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::Result;

use crate::workspace::{root, scratch, succeed};

/// The Python that runs the tests of repositories, installed once.
pub(super) fn python() -> Result<PathBuf> {
    let named = std::env::var_os("SEALWRIGHT_PYTHON").map(PathBuf::from);
    let python = named.unwrap_or_else(|| scratch("trust").join("python"));
    let mut install = Command::new(root().join(".ci/python"));
    succeed(install.arg(&python).stdout(Stdio::null()), "Python could not be made ready")?;
    Ok(python)
}
