//! Builds the kernel and the rules of modules, which stand on it, for targets without a standard library.
//!
//! If rustup has the targets, this is a plain build. Otherwise the distribution's compiler and library sources build
//! `core` and `alloc` first.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use crate::workspace::{output_of, root, say, scratch, succeed};

const TARGETS: &[&str] = &["thumbv7em-none-eabi", "wasm32-unknown-unknown"];

pub(crate) fn run() -> Result<()> {
    let sysroot = output_of(Command::new("rustc").args(["--print", "sysroot"]))?;
    let mut built = Vec::new();
    for target in TARGETS {
        let mut build = Command::new("cargo");
        build.args(["build", "--quiet", "--locked", "--package", "sealwright-module"]);
        build.args(["--target", target]).current_dir(root());
        build.env("CARGO_TARGET_DIR", scratch("bare"));
        let library = Path::new(sysroot.trim()).join("lib/rustlib").join(target).join("lib");
        let how = if library.is_dir() { "the toolchain's library" } else { "library from source" };
        if !library.is_dir() {
            let sources = distribution_sources()?;
            build.args(["-Zbuild-std=core,alloc"]);
            build.env("RUSTC", "/usr/bin/rustc").env("RUSTC_BOOTSTRAP", "1");
            build.env("__CARGO_TESTS_ONLY_SRC_ROOT", sources);
        }
        succeed(
            &mut build,
            &format!("the kernel or the rules of modules do not build for {target}"),
        )?;
        built.push(format!("{target} ({how})"));
    }
    say(&format!("bare: the kernel and the rules of modules build for {}", built.join(" and ")));
    Ok(())
}

/// The library sources of the distribution's compiler, in the same version.
fn distribution_sources() -> Result<PathBuf> {
    let hint = "run `rustup target add thumbv7em-none-eabi wasm32-unknown-unknown`, \
                or install the packages `rustc-web` and `rust-web-src`";
    let Ok(version) = output_of(Command::new("/usr/bin/rustc").arg("--version")) else {
        bail!(hint)
    };
    let version = version.split(' ').nth(1).context("`rustc --version` has a version")?.to_owned();
    let sources = PathBuf::from(format!("/usr/src/rustc-{version}/library"));
    ensure!(sources.is_dir(), hint);
    Ok(sources)
}
