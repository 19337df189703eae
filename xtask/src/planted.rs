//! Planted bugs: real code with one line made wrong, to see whether the proofs notice.
//!
//! A bug is planted in a copy of the repository, so the product carries no switches for
//! it. The text it replaces must be there exactly once; a bug that can no longer be
//! planted fails the proof.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::workspace::{copy_to, say, scratch};

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

/// Looks whether a program notices bugs, one planted at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hunt {
    /// The copy the bugs are planted in.
    pub(crate) proof: &'static str,
    /// The program. Its first line, or one of its lines, begins with `violation` if it noticed.
    pub(crate) package: &'static str,
    /// How it is built.
    pub(crate) build: Build,
}

/// How a program is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Build {
    /// Soon.
    Quick,
    /// As it is released.
    Release,
}

impl Hunt {
    /// How many of `bugs` the program notices. It is run with one list of words after the other until it does.
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

/// A copy of the repository with a bug in it.
struct Planted {
    root: PathBuf,
}

impl Bug {
    /// Plants it in the copy called `proof`, which is kept between runs for its build.
    fn plant(&self, proof: &str) -> Result<Planted> {
        let root = scratch("planted").join(proof);
        copy_to(&root)?;
        let wrong = self.planted_in(&root)?;
        std::fs::write(root.join(self.file), wrong)?;
        Ok(Planted { root })
    }

    /// What its file says with the bug in it.
    fn planted_in(&self, root: &Path) -> Result<String> {
        let text =
            std::fs::read_to_string(root.join(self.file)).with_context(|| self.file.to_owned())?;
        let found = text.matches(self.right).count();
        ensure!(found == 1, "`{}` cannot be planted: its text is there {found} times", self.name);
        Ok(text.replacen(self.right, self.wrong, 1))
    }
}

impl Planted {
    /// Runs `cargo` in the copy; whether it succeeded, and what it said.
    fn cargo(&self, args: &[&str]) -> Result<(bool, String)> {
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
