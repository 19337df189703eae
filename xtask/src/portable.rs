//! Crates that run wherever Rust does: they are compiled, as far as it takes to check them, for a system that is not
//! the one they are written on.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::workspace::{has_library, root, say, scratch, succeed};

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
    succeed(&mut check, &format!("{} do not compile for {TARGET}", CRATES.join(", ")))?;
    say(&format!("portable: {} compile for {TARGET}", CRATES.join(", ")));
    Ok(())
}
