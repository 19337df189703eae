//! Planted bugs: real code with one wrong line, to test whether the proofs detect it.
//!
//! A bug is planted in a copy of the repository, so the product needs no switches for it. The text it replaces must
//! occur exactly once; a bug that can no longer be planted fails the proof.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::workspace::{copy_to, say, scratch};

/// One wrong line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bug {
    /// A short description.
    pub(crate) name: &'static str,
    pub(crate) file: &'static str,
    /// The original text, exactly once in the file.
    pub(crate) right: &'static str,
    /// The replacement.
    pub(crate) wrong: &'static str,
}

/// Tests whether a program detects bugs, one at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hunt {
    /// The name of the copy for the bugs.
    pub(crate) proof: &'static str,
    /// The package of the program. It prints a line that begins with `violation` if it detects the bug.
    pub(crate) package: &'static str,
    pub(crate) build: Build,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Build {
    Quick,
    Release,
}

impl Hunt {
    /// Counts the bugs that the program detects. It runs with each of the argument lists until it does.
    pub(crate) fn count(&self, bugs: &[Bug], tries: &[&[&str]]) -> Result<usize> {
        let mut package = vec!["--quiet", "--locked", "--package", self.package];
        package.extend((self.build == Build::Release).then_some("--release"));
        let mut found = 0;
        for bug in bugs {
            let planted = bug.plant(self.proof)?;
            let (built, output) = planted.cargo(&[&["build"], &package[..]].concat())?;
            ensure!(built, "`{}` does not compile:\n{output}", bug.name);
            let mut noticed = None;
            for args in tries {
                let run = [&["run"], &package[..], &["--"], *args].concat();
                let (held, output) = planted.cargo(&run)?;
                let verdict = output.lines().find(|line| line.starts_with("violation"));
                ensure!(held || verdict.is_some(), "`{}`: {output}", bug.name);
                if let Some(verdict) = verdict.filter(|_| !held) {
                    noticed = Some(verdict.chars().take(110).collect::<String>());
                    break;
                }
            }
            let sign = if noticed.is_some() { "✓" } else { "✗" };
            found += usize::from(noticed.is_some());
            say(&format!("  {sign} planted: {}: {}", bug.name, noticed.unwrap_or_default()));
        }
        Ok(found)
    }
}

/// A copy of the repository with a bug.
struct Planted {
    root: PathBuf,
}

impl Bug {
    /// Plants the bug in the copy called `proof`, which is kept between runs to reuse its build.
    fn plant(&self, proof: &str) -> Result<Planted> {
        let root = scratch("planted").join(proof);
        copy_to(&root)?;
        let wrong = self.planted_in(&root)?;
        std::fs::write(root.join(self.file), wrong)?;
        Ok(Planted { root })
    }

    /// The text of its file with the bug.
    fn planted_in(&self, root: &Path) -> Result<String> {
        let text =
            std::fs::read_to_string(root.join(self.file)).with_context(|| self.file.to_owned())?;
        let found = text.matches(self.right).count();
        ensure!(found == 1, "`{}` cannot be planted: its text is there {found} times", self.name);
        Ok(text.replacen(self.right, self.wrong, 1))
    }
}

impl Planted {
    /// Runs `cargo` in the copy. Returns whether it succeeded, and its output.
    fn cargo(&self, args: &[&str]) -> Result<(bool, String)> {
        let output = Command::new("cargo")
            .args(args)
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", scratch("planted").join("target"))
            // The planted code may cause warnings.
            .env("RUSTFLAGS", "-Awarnings")
            .output()
            .context("`cargo` could not be started")?;
        let said = [output.stdout, output.stderr].concat();
        Ok((output.status.success(), String::from_utf8_lossy(&said).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use crate::prove::{sim, tasks};
    use crate::workspace::root;

    #[test]
    fn every_bug_can_be_planted() {
        for bug in sim::BUGS.iter().chain(tasks::mutants::MUTANTS) {
            bug.planted_in(&root()).unwrap();
        }
    }
}
