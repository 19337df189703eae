//! A scratch folder with a home, repositories and state, isolated from the user's own. Toolchains and agents are those
//! of this machine.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

#[derive(Debug)]
pub struct Environment {
    folder: TempDir,
    sealwright: PathBuf,
    agents: PathBuf,
}

impl Environment {
    /// A new environment. The program is the one beside this one unless it is named.
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
        let agents = agents.context("the folder of the agents is unknown; use --agents")?;
        ensure!(agents.join("bin/codex").exists(), "no agents are in `{}`", agents.display());
        // Unprivileged users pass through to their sandbox slots.
        let folder = tempfile::Builder::new()
            .prefix("quick-lane-")
            .permissions(fs::Permissions::from_mode(0o711))
            .tempdir()?;
        for name in ["home", "state", "repositories", "logs"] {
            fs::create_dir(folder.path().join(name))?;
        }
        Ok(Self { folder, sealwright, agents })
    }

    /// Keeps all files and returns the folder.
    pub fn keep(mut self) -> PathBuf {
        self.folder.disable_cleanup(true);
        self.folder.path().to_owned()
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// The state folder of `sealwright`.
    pub fn state(&self) -> PathBuf {
        self.root().join("state")
    }

    pub fn repository(&self, name: &str) -> PathBuf {
        self.root().join("repositories").join(name)
    }

    /// A file for the output of a program.
    pub fn log(&self, name: &str) -> PathBuf {
        self.root().join("logs").join(name)
    }

    pub fn sealwright(&self) -> &Path {
        &self.sealwright
    }

    /// A `PATH` with the agents.
    pub fn path(&self) -> Result<OsString> {
        let rest = std::env::var_os("PATH").unwrap_or_default();
        let first = [self.agents.join("bin")];
        Ok(std::env::join_paths(first.into_iter().chain(std::env::split_paths(&rest)))?)
    }

    pub fn agents(&self) -> &Path {
        &self.agents
    }
}
