//! A household: a scratch folder in which a person has a home, repositories, and a machine that remembers nothing of
//! anybody else. Toolchains and agents are this machine's own.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

/// Where runs are run.
#[derive(Debug)]
pub struct Household {
    folder: TempDir,
    sealwright: PathBuf,
    agents: PathBuf,
}

impl Household {
    /// A fresh one. The program stands beside this one unless it is named.
    pub fn new(sealwright: Option<&Path>, agents: Option<&Path>) -> Result<Self> {
        let beside =
            || Ok::<_, std::io::Error>(std::env::current_exe()?.with_file_name("sealwright"));
        let sealwright = match sealwright {
            Some(named) => named.canonicalize()?,
            None => beside()?,
        };
        ensure!(sealwright.is_file(), "there is no `{}`; build it first", sealwright.display());
        let named = std::env::var_os("SEALWRIGHT_AGENTS").map(PathBuf::from);
        let of_user = || Some(std::env::home_dir()?.join(".cache/sealwright/agents"));
        let agents = agents.map(Path::to_owned).or(named).or_else(of_user);
        let agents = agents.context("nobody says where agents are installed")?;
        ensure!(agents.join("bin/codex").exists(), "no agents are in `{}`", agents.display());
        // Users without rights pass through on their way to their seats.
        let folder = tempfile::Builder::new()
            .prefix("quick-lane-")
            .permissions(fs::Permissions::from_mode(0o711))
            .tempdir()?;
        for name in ["home", "state", "repositories", "logs"] {
            fs::create_dir(folder.path().join(name))?;
        }
        Ok(Self { folder, sealwright, agents })
    }

    /// Leaves everything where it is, and says where that is.
    pub fn keep(mut self) -> PathBuf {
        self.folder.disable_cleanup(true);
        self.folder.path().to_owned()
    }

    /// The folder of everything.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// The home of the person.
    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// What the machine keeps for itself.
    pub fn state(&self) -> PathBuf {
        self.root().join("state")
    }

    /// The folder of a repository of this name.
    pub fn repository(&self, name: &str) -> PathBuf {
        self.root().join("repositories").join(name)
    }

    /// A file for what a program says.
    pub fn log(&self, name: &str) -> PathBuf {
        self.root().join("logs").join(name)
    }

    /// The program.
    pub fn sealwright(&self) -> &Path {
        &self.sealwright
    }

    /// The `PATH` of somebody who has the agents on it.
    pub fn path(&self) -> Result<OsString> {
        let rest = std::env::var_os("PATH").unwrap_or_default();
        let first = [self.agents.join("bin")];
        Ok(std::env::join_paths(first.into_iter().chain(std::env::split_paths(&rest)))?)
    }

    /// Where agents are installed.
    pub fn agents(&self) -> &Path {
        &self.agents
    }
}
