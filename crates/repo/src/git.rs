//! The person's own repository: what its history remembers, what its commits hold, and new commits beside them.

pub mod commits;
pub mod history;
pub mod objects;
pub mod remote;
pub mod uncommitted;

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use sealwright_store::Anchor;

/// A history that could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no `git` to ask.
    #[error("`git` could not be started")]
    Start {
        /// What the system said.
        source: io::Error,
    },
    /// It answered with an error.
    #[error("`git` failed: {said}")]
    Failed {
        /// Its first line.
        said: String,
    },
}

/// What the history says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// How streams ended.
    pub anchors: Vec<Anchor>,
    /// How much of it is here.
    pub depth: Depth,
}

/// How much of a history is here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// There is no repository, or no commit yet.
    #[default]
    None,
    /// Only the last commits; those before them may have said more.
    Shallow,
    /// All of it.
    Whole,
}

/// The anchors in the history of what is checked out in `repository`, which holds a
/// `.sealwright`. A folder that is no repository, or has no commit yet, has none.
pub fn history_of(repository: &Path) -> Result<History, GitError> {
    let found = git(repository, &["rev-parse", "--git-dir"])?;
    if !found.status.success() {
        // Any other complaint would hide the anchors of a repository that is there.
        let said = String::from_utf8_lossy(&found.stderr).into_owned();
        return match said.contains("not a git repository") {
            true => Ok(History::default()),
            false => Err(failed(&found)),
        };
    }
    // `log` on an empty history is an error; asking for the commit first is an answer.
    let head = git(repository, &["rev-parse", "--quiet", "--verify", "HEAD^{commit}"])?;
    if !head.status.success() {
        return Ok(History::default());
    }
    let shallow = git(repository, &["rev-parse", "--is-shallow-repository"])?;
    let depth = match shallow.stdout.starts_with(b"true") {
        true => Depth::Shallow,
        false => Depth::Whole,
    };
    let key = Anchor::TRAILER;
    let grep = format!("--grep=^{key}: ");
    let format = format!("--format=%(trailers:key={key},valueonly)");
    // One repository may hold several projects; each has its own commits.
    let only = ["--full-history", "HEAD", "--", ".sealwright"];
    let output = git(repository, &[&["log", &grep, &format][..], &only].concat())?;
    if !output.status.success() {
        return Err(failed(&output));
    }
    let log = String::from_utf8_lossy(&output.stdout);
    Ok(History { anchors: log.lines().filter_map(Anchor::parse).collect(), depth })
}

/// Where the hooks of a repository stand, and where in it `.sealwright` does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookHome {
    /// The folder of hooks.
    pub folder: PathBuf,
    /// The folder that holds `.sealwright`, as seen from the top of the repository.
    pub below: PathBuf,
}

/// The hooks of the repository around `folder`. Where its configuration puts them into a folder of somebody's choice,
/// they may be shared with other repositories, and are nobody's to write.
pub fn hooks_of(folder: &Path) -> Result<HookHome, GitError> {
    let common = said(folder, &["rev-parse", "--path-format=absolute", "--git-common-dir"])?;
    let below = said(folder, &["rev-parse", "--show-prefix"])?;
    // Asked without what is set for every question here.
    let elsewhere = plain_git(folder, &["config", "--get", "core.hooksPath"])?;
    if elsewhere.status.success() {
        let said = "core.hooksPath puts the hooks of this repository elsewhere".to_owned();
        return Err(GitError::Failed { said });
    }
    let below = PathBuf::from(below.trim_end_matches('/'));
    Ok(HookHome { folder: PathBuf::from(common).join("hooks"), below })
}

/// One line that git answers.
fn said(folder: &Path, args: &[&str]) -> Result<String, GitError> {
    let output = git(folder, args)?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned()),
        false => Err(failed(&output)),
    }
}

/// What git calls the person who works in `repository`, if it knows.
pub fn user_name(repository: &Path) -> Result<Option<String>, GitError> {
    let output = git(repository, &["config", "--get", "user.name"])?;
    let name = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok((output.status.success() && !name.is_empty()).then_some(name))
}

/// Only reading commands, on the person's own repository, with nothing of its
/// configuration that would start another program.
#[expect(clippy::disallowed_methods, reason = "the repository's own history, read only")]
fn git(repository: &Path, args: &[&str]) -> Result<Output, GitError> {
    guarded(&mut Command::new("git"), repository)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .map_err(|source| GitError::Start { source })
}

/// A command on the repository that starts nothing its configuration names.
fn guarded<'c>(command: &'c mut Command, repository: &Path) -> &'c mut Command {
    command
        .args(["--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
        .args(["-c", "log.showSignature=false"])
        .current_dir(repository)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("LC_ALL", "C")
}

#[expect(clippy::disallowed_methods, reason = "the repository's own configuration, read only")]
fn plain_git(repository: &Path, args: &[&str]) -> Result<Output, GitError> {
    Command::new("git")
        .args(args)
        .current_dir(repository)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .map_err(|source| GitError::Start { source })
}

fn failed(output: &Output) -> GitError {
    let said = String::from_utf8_lossy(&output.stderr);
    GitError::Failed { said: said.lines().next().unwrap_or("it gave no reason").to_owned() }
}
