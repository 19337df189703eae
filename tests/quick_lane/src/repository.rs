//! A person's repository: made, committed, and looked at with git alone.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::agent_pair::{AgentPair, KEY};
use crate::household::Household;
use crate::program::Program;
use crate::test_project::{Kind, TestProject};

/// A repository of a household.
pub struct Repository<'h> {
    household: &'h Household,
    name: String,
    folder: PathBuf,
    /// What the person has set beside what everybody of the household has.
    variables: Vec<(&'static str, OsString)>,
}

impl<'h> Repository<'h> {
    /// Makes one of this kind: the project, `sealwright init`, who is at hand, and a commit of all of it.
    pub fn make(
        household: &'h Household,
        name: &str,
        kind: Kind,
        pair: AgentPair,
        model: SocketAddr,
    ) -> Result<Self> {
        let Some(lines) = pair.lines(model) else {
            return Self::clone_of(household, name, kind, model);
        };
        let made = Self::lay(household, name, kind)?;
        made.sealwright("init", &["init"]).said()?;
        let config = made.folder.join("sealwright.toml");
        let text = std::fs::read_to_string(&config)?;
        std::fs::write(&config, text + &lines)?;
        made.sealwright("keys", &["keys", "new"]).said()?;
        made.commit()?;
        Ok(made)
    }

    /// A fresh clone of one of this kind, whose owner has never heard of us, after nothing but `sealwright init`.
    fn clone_of(
        household: &'h Household,
        name: &str,
        kind: Kind,
        model: SocketAddr,
    ) -> Result<Self> {
        let theirs = Self::lay(household, &format!("{name}-theirs"), kind)?;
        theirs.commit()?;
        let folder = household.repository(name);
        theirs.git(&["clone", "-q", "--no-local", ".", &folder.to_string_lossy()])?;
        // People have told git who they are before.
        let known = household.home().join(".gitconfig");
        std::fs::write(&known, "[user]\nname = Quick Lane\nemail = quick-lane@localhost\n")?;
        let variables = vec![
            ("GIT_CONFIG_GLOBAL", known.into()),
            ("PATH", household.path()?),
            ("OPENAI_BASE_URL", format!("http://{model}/v1").into()),
            ("OPENAI_API_KEY", "sk-quick-lane".into()),
        ];
        let cloned = Self { household, name: name.to_owned(), folder, variables };
        cloned.sealwright("init", &["init"]).said()?;
        Ok(cloned)
    }

    /// The project, in a folder that git knows.
    fn lay(household: &'h Household, name: &str, kind: Kind) -> Result<Self> {
        let folder = household.repository(name);
        std::fs::create_dir(&folder)?;
        let variables =
            vec![("SEALWRIGHT_AGENTS", household.agents().into()), (KEY, "sk-quick-lane".into())];
        let laid = Self { household, name: name.to_owned(), folder, variables };
        TestProject::open(kind)?.lay(&laid.folder)?;
        laid.git(&["init", "-q", "-b", "main", "."])?;
        laid.git(&["config", "user.name", "Errand"])?;
        laid.git(&["config", "user.email", "quick-lane@localhost"])?;
        Ok(laid)
    }

    fn commit(&self) -> Result<()> {
        self.git(&["add", "-A", "."])?;
        self.git(&["commit", "-qm", "begin"])?;
        Ok(())
    }

    /// A copy under another name, byte by byte.
    pub fn copy(&self, name: &str) -> Result<Self> {
        let folder = self.household.repository(name);
        let words = ["-a", &self.folder.to_string_lossy(), &folder.to_string_lossy()];
        Program::other(self.household, self.household.root(), "copy", "cp", &words).said()?;
        let variables = self.variables.clone();
        Ok(Self { household: self.household, name: name.to_owned(), folder, variables })
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
        let program = Program::sealwright(self.household, &self.folder, &log, words);
        self.variables.iter().fold(program, |program, (name, value)| program.with(name, value))
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
