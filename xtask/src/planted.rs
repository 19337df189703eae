//! Planted bugs: real code with one wrong line, to test whether the proofs detect it.
//!
//! A bug is planted in a copy of the repository, so the product needs no switches for it. The text it replaces must
//! occur exactly once; a bug that can no longer be planted fails the proof.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::workspace::{cargo_in, copy_to, output_of, root, say, scratch};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Bug {
    pub(crate) name: &'static str,
    pub(crate) file: &'static str,
    /// The original text, exactly once in the file.
    pub(crate) right: &'static str,
    pub(crate) wrong: &'static str,
}

/// Tests whether a program detects bugs, one at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hunt {
    /// The program. Its first line, or one of its lines, begins with `violation` if it noticed.
    pub(crate) program: &'static str,
    pub(crate) build: Build,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Build {
    /// As the tests are.
    Quick,
    Release,
}

impl Hunt {
    /// Counts the bugs that the program detects. It runs with each of the argument lists until it does.
    pub(crate) fn count(&self, bugs: &[Bug], tries: &[&[&str]]) -> Result<usize> {
        let mut found = 0;
        for bug in bugs {
            let program = self.build(bug)?;
            let mut noticed = None;
            for args in tries {
                let output = Command::new(&program).args(*args).output()?;
                let held = output.status.success();
                let said = [output.stdout, output.stderr].concat();
                let said = String::from_utf8_lossy(&said).into_owned();
                let verdict = said.lines().find(|line| line.starts_with("violation"));
                ensure!(held || verdict.is_some(), "`{}`: {said}", bug.name);
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

    /// Builds the program with `bug` in it, in a copy of the repository that is kept between runs.
    fn build(&self, bug: &Bug) -> Result<PathBuf> {
        let (copy, programs) = (scratch("planted"), scratch("planted-programs"));
        let changed = BTreeMap::from([(bug.file.to_owned(), bug.planted_in(&root())?)]);
        copy_to(&copy, &changed)?;
        let mut cargo = cargo_in(&copy, &programs);
        cargo.args(["build", "--quiet", "--locked", "--bin", self.program]);
        let folder = match self.build {
            Build::Quick => {
                // With the features that libraries have in the tests, so that they are compiled already.
                cargo.arg("--workspace");
                "debug"
            }
            Build::Release => {
                cargo.args(["--release", "--package", self.program]);
                "release"
            }
        };
        output_of(&mut cargo).with_context(|| format!("`{}` does not compile", bug.name))?;
        Ok(programs.join(folder).join(self.program))
    }
}

impl Bug {
    /// What its file says with the bug in it.
    pub(crate) fn planted_in(&self, root: &Path) -> Result<String> {
        let text =
            std::fs::read_to_string(root.join(self.file)).with_context(|| self.file.to_owned())?;
        let found = text.matches(self.right).count();
        ensure!(found == 1, "`{}` cannot be planted: its text is there {found} times", self.name);
        Ok(text.replacen(self.right, self.wrong, 1))
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
