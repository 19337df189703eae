//! A person's repository: made, committed, and looked at with git alone.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::crew::Crew;
use crate::ground::{Ground, Kind};
use crate::household::Household;
use crate::program::Program;

/// A repository of a household.
pub struct Repository<'h> {
    household: &'h Household,
    name: String,
    folder: PathBuf,
}

impl<'h> Repository<'h> {
    /// Makes one of this kind: the ground, `sealwright init`, who is at hand, and a commit of all of it.
    pub fn make(
        household: &'h Household,
        name: &str,
        kind: Kind,
        crew: Crew,
        model: SocketAddr,
    ) -> Result<Self> {
        let folder = household.repository(name);
        std::fs::create_dir(&folder)?;
        let made = Self { household, name: name.to_owned(), folder };
        Ground::open(kind)?.lay(&made.folder)?;
        made.git(&["init", "-q", "-b", "main", "."])?;
        made.git(&["config", "user.name", "Errand"])?;
        made.git(&["config", "user.email", "errand@localhost"])?;
        made.sealwright("init", &["init"]).said()?;
        let config = made.folder.join("sealwright.toml");
        let text = std::fs::read_to_string(&config)?;
        std::fs::write(&config, text + &crew.lines(model))?;
        made.sealwright("keys", &["keys", "new"]).said()?;
        made.git(&["add", "-A", "."])?;
        made.git(&["commit", "-qm", "begin"])?;
        Ok(made)
    }

    /// A copy under another name, byte by byte.
    pub fn copy(&self, name: &str) -> Result<Self> {
        let folder = self.household.repository(name);
        let words = ["-a", &self.folder.to_string_lossy(), &folder.to_string_lossy()];
        Program::other(self.household, self.household.root(), "copy", "cp", &words).said()?;
        Ok(Self { household: self.household, name: name.to_owned(), folder })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whose it is.
    pub fn household(&self) -> &'h Household {
        self.household
    }

    /// `sealwright` in it. What it says is kept under `log`.
    pub fn sealwright(&self, log: &str, words: &[&str]) -> Program {
        let log = format!("{}-{log}", self.name);
        Program::sealwright(self.household, &self.folder, &log, words)
    }

    /// `git` in it.
    pub fn git(&self, words: &[&str]) -> Result<String> {
        let log = format!("{}-git", self.name);
        // Looking must not change what is looked at.
        let words: Vec<&str> = ["--no-optional-locks"].iter().chain(words).copied().collect();
        Program::other(self.household, &self.folder, &log, "git", &words).said()
    }

    /// The branches that `sealwright` made.
    pub fn branches(&self) -> Result<Vec<String>> {
        let words = ["for-each-ref", "--format=%(refname:short)", "refs/heads/sealwright"];
        Ok(self.git(&words)?.lines().map(str::to_owned).collect())
    }

    /// The tree of a commit.
    pub fn tree(&self, commit: &str) -> Result<String> {
        self.git(&["rev-parse", &format!("{commit}^{{tree}}")])
    }
}
