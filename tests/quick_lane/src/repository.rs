//! A user's repository, created and inspected with git alone.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Result;
use sealwright_kernel::Digest;

use crate::agent_pair::{AgentPair, KEY};
use crate::environment::Environment;
use crate::program::Program;
use crate::test_project::{Kind, TestProject};

pub struct Repository<'h> {
    environment: &'h Environment,
    name: String,
    folder: PathBuf,
    /// Environment variables of its user.
    variables: Vec<(&'static str, OsString)>,
}

impl<'h> Repository<'h> {
    /// Creates a repository: the project, `sealwright init`, the agents, and a commit.
    pub fn make(
        environment: &'h Environment,
        name: &str,
        kind: Kind,
        pair: AgentPair,
        model: SocketAddr,
    ) -> Result<Self> {
        let Some(lines) = pair.lines(model) else {
            return Self::clone_of(environment, name, kind, model);
        };
        let made = Self::lay(environment, name, kind)?;
        made.sealwright("init", &["init"]).said()?;
        let config = made.folder.join("sealwright.toml");
        let text = std::fs::read_to_string(&config)?;
        std::fs::write(&config, text + &lines)?;
        made.sealwright("keys", &["keys", "new"]).said()?;
        made.commit()?;
        Ok(made)
    }

    /// A fresh clone without any configuration but `sealwright init`.
    fn clone_of(
        environment: &'h Environment,
        name: &str,
        kind: Kind,
        model: SocketAddr,
    ) -> Result<Self> {
        let theirs = Self::lay(environment, &format!("{name}-theirs"), kind)?;
        theirs.commit()?;
        let folder = environment.repository(name);
        theirs.git(&["clone", "-q", "--no-local", ".", &folder.to_string_lossy()])?;
        // Users have configured git before.
        let known = environment.home().join(".gitconfig");
        std::fs::write(&known, "[user]\nname = Quick Lane\nemail = quick-lane@localhost\n")?;
        let variables = vec![
            ("GIT_CONFIG_GLOBAL", known.into()),
            ("PATH", environment.path()?),
            ("OPENAI_BASE_URL", format!("http://{model}/v1").into()),
            ("OPENAI_API_KEY", "sk-quick-lane".into()),
        ];
        let cloned = Self { environment, name: name.to_owned(), folder, variables };
        cloned.sealwright("init", &["init"]).said()?;
        Ok(cloned)
    }

    /// The project in a git repository.
    fn lay(environment: &'h Environment, name: &str, kind: Kind) -> Result<Self> {
        let folder = environment.repository(name);
        std::fs::create_dir(&folder)?;
        let variables =
            vec![("SEALWRIGHT_AGENTS", environment.agents().into()), (KEY, "sk-quick-lane".into())];
        let laid = Self { environment, name: name.to_owned(), folder, variables };
        TestProject::open(kind)?.lay(&laid.folder)?;
        laid.git(&["init", "-q", "-b", "main", "."])?;
        laid.git(&["config", "user.name", "Quick Lane"])?;
        laid.git(&["config", "user.email", "quick-lane@localhost"])?;
        Ok(laid)
    }

    fn commit(&self) -> Result<()> {
        self.git(&["add", "-A", "."])?;
        self.git(&["commit", "-qm", "begin"])?;
        Ok(())
    }

    pub fn copy(&self, name: &str) -> Result<Self> {
        let folder = self.environment.repository(name);
        let words = ["-a", &self.folder.to_string_lossy(), &folder.to_string_lossy()];
        Program::other(self.environment, self.environment.root(), "copy", "cp", &words).said()?;
        let variables = self.variables.clone();
        Ok(Self { environment: self.environment, name: name.to_owned(), folder, variables })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn environment(&self) -> &'h Environment {
        self.environment
    }

    /// `sealwright` in this repository. Its output is kept under `log`.
    pub fn sealwright(&self, log: &str, words: &[&str]) -> Program {
        let log = format!("{}-{log}", self.name);
        let program = Program::sealwright(self.environment, &self.folder, &log, words);
        self.variables.iter().fold(program, |program, (name, value)| program.with(name, value))
    }

    /// `git` in this repository.
    pub fn git(&self, words: &[&str]) -> Result<String> {
        let log = format!("{}-git", self.name);
        // Inspection must not change the repository.
        let words: Vec<&str> = ["--no-optional-locks"].iter().chain(words).copied().collect();
        Program::other(self.environment, &self.folder, &log, "git", &words).said()
    }

    /// The branches that `sealwright` created.
    pub fn branches(&self) -> Result<Vec<String>> {
        let words = ["for-each-ref", "--format=%(refname:short)", "refs/heads/sealwright"];
        Ok(self.git(&words)?.lines().map(str::to_owned).collect())
    }

    /// The digest of all files of a commit but its proof, which has times in it.
    pub fn tree(&self, commit: &str) -> Result<String> {
        let files = self.git(&["ls-tree", "-r", commit])?;
        let files: Vec<&str> = files.lines().filter(|it| !it.contains("\t.sealwright/")).collect();
        Ok(Digest::of(files.join("\n").as_bytes()).to_string())
    }
}
