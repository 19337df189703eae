//! Planted bugs: real code with one line made wrong, to see whether the proofs notice.
//!
//! A bug is planted in a copy of the repository, so the product carries no switches for
//! it. The text it replaces must be there exactly once; a bug that can no longer be
//! planted fails the proof.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::workspace::{copy_to, scratch};

/// One line made wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bug {
    /// What was broken, in words.
    pub(crate) name: &'static str,
    /// The file.
    pub(crate) file: &'static str,
    /// What stands there, exactly once.
    pub(crate) right: &'static str,
    /// What stands there instead.
    pub(crate) wrong: &'static str,
}

/// A copy of the repository with a bug in it.
pub(crate) struct Planted {
    root: PathBuf,
}

impl Bug {
    /// Plants it in the copy called `proof`, which is kept between runs for its build.
    pub(crate) fn plant(&self, proof: &str) -> Result<Planted> {
        let root = scratch("planted").join(proof);
        copy_to(&root)?;
        let path = root.join(self.file);
        let text = std::fs::read_to_string(&path).with_context(|| self.file.to_owned())?;
        let found = text.matches(self.right).count();
        ensure!(found == 1, "`{}` cannot be planted: its text is there {found} times", self.name);
        std::fs::write(&path, text.replacen(self.right, self.wrong, 1))?;
        Ok(Planted { root })
    }
}

impl Planted {
    /// Runs `cargo` in the copy; whether it succeeded, and what it said.
    pub(crate) fn cargo(&self, args: &[&str]) -> Result<(bool, String)> {
        let output = Command::new("cargo")
            .args(args)
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", scratch("planted").join("target"))
            // Wrong code is allowed to look wrong.
            .env("RUSTFLAGS", "-Awarnings")
            .output()
            .context("`cargo` could not be started")?;
        let said = [output.stdout, output.stderr].concat();
        Ok((output.status.success(), String::from_utf8_lossy(&said).into_owned()))
    }
}
