//! Crates that run wherever Rust does: they are compiled, as far as it takes to check them, for a system that is not
//! the one they are written on.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::workspace::{root, say, scratch};

const TARGET: &str = "aarch64-apple-darwin";
const CRATES: &[&str] =
    &["sealwright-kernel", "sealwright-store", "sealwright-views", "sealwright-verify"];

pub(crate) fn run() -> Result<()> {
    ensure!(
        has_library(TARGET)?,
        "the library for {TARGET} is missing: run `rustup target add {TARGET}`"
    );
    let mut check = Command::new("cargo");
    check.args(["check", "--quiet", "--locked", "--target", TARGET]).current_dir(root());
    check.args(CRATES.iter().flat_map(|name| ["--package", name]));
    check.env("CARGO_TARGET_DIR", scratch("portable"));
    let status = check.status().context("`cargo` could not be started")?;
    ensure!(status.success(), "{} do not compile for {TARGET}", CRATES.join(", "));
    say(&format!("portable: {} compile for {TARGET}", CRATES.join(", ")));
    Ok(())
}

/// Whether the toolchain has the standard library of a target.
fn has_library(target: &str) -> Result<bool> {
    let output =
        Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output()?;
    let folder = String::from_utf8(output.stdout)?;
    Ok(output.status.success() && std::path::Path::new(folder.trim()).is_dir())
}
