//! The user's repository: its history, the files of its commits, and new commits beside them.

mod bounded;
pub mod commits;
mod guard;
pub mod history;
pub mod join;
pub mod objects;
pub mod patches;
pub mod remote;
pub mod signing;
pub mod uncommitted;

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use self::guard::guarded;

/// Why a git command failed.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// `git` cannot be started.
    #[error("cannot start `git`")]
    Start { source: io::Error },
    /// `git` exited with an error.
    #[error("`git` failed: {message}")]
    Failed { message: String },
}

impl GitError {
    /// What to do where git does not trust a repository, because somebody else owns it.
    pub fn hint(&self) -> Option<String> {
        let Self::Failed { message } = self else { return None };
        let is_of_another = message.contains("dubious ownership");
        is_of_another.then(|| {
            "this repository belongs to another user: work as that user, or trust it with \
             `git config --global --add safe.directory FOLDER`"
                .to_owned()
        })
    }
}

/// The hook folder of a repository, and the location of `.sealwright` in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookHome {
    pub folder: PathBuf,
    /// The folder that holds `.sealwright`, relative to the top of the repository.
    pub below: PathBuf,
}

/// The hook folder of the repository around `folder`. If `core.hooksPath` is set or the folder is a link, this is an error:
/// other repositories may share it.
pub fn hooks_of(folder: &Path) -> Result<HookHome, GitError> {
    let common = answer_of(folder, &["rev-parse", "--path-format=absolute", "--git-common-dir"])?;
    let below = prefix(folder)?;
    // Without `guarded`, which sets `core.hooksPath` itself.
    let elsewhere = plain_git(folder, &["config", "--get", "core.hooksPath"])?;
    if elsewhere.status.success() {
        let message =
            "`core.hooksPath` is set; other repositories may share that folder".to_owned();
        return Err(GitError::Failed { message });
    }
    let folder = PathBuf::from(common).join("hooks");
    if folder.is_symlink() {
        let message = "the folder of hooks is a link; other repositories may share it".to_owned();
        return Err(GitError::Failed { message });
    }
    let below = PathBuf::from(below.trim_end_matches('/'));
    Ok(HookHome { folder, below })
}

/// Whether older commits are missing in this clone.
pub fn is_shallow(repository: &Path) -> Result<bool, GitError> {
    Ok(answer_of(repository, &["rev-parse", "--is-shallow-repository"])? == "true")
}

/// The place of `folder` in its repository: empty at the top, otherwise with a slash at its end.
pub fn prefix(folder: &Path) -> Result<String, GitError> {
    answer_of(folder, &["rev-parse", "--show-prefix"])
}

/// Runs a git command that prints one line.
fn answer_of(folder: &Path, args: &[&str]) -> Result<String, GitError> {
    let output = succeeded(git(folder, args)?)?;
    Ok(String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned())
}

/// The configured `user.name`, if any.
pub fn user_name(repository: &Path) -> Result<Option<String>, GitError> {
    let output = git(repository, &["config", "--get", "user.name"])?;
    let name = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok((output.status.success() && !name.is_empty()).then_some(name))
}

/// Runs a read-only git command that starts no program named in the repository's configuration.
#[expect(clippy::disallowed_methods, reason = "the repository's own history, read only")]
fn git(repository: &Path, args: &[&str]) -> Result<Output, GitError> {
    ran(guarded(&mut Command::new("git"), repository).args(args))
}

#[expect(clippy::disallowed_methods, reason = "the repository's own configuration, read only")]
fn plain_git(repository: &Path, args: &[&str]) -> Result<Output, GitError> {
    ran(Command::new("git").args(args).current_dir(repository).env("LC_ALL", "C"))
}

fn ran(command: &mut Command) -> Result<Output, GitError> {
    bounded::output(command.stdin(Stdio::null())).map_err(|source| match source.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::FileTooLarge => {
            GitError::Failed { message: source.to_string() }
        }
        _ => GitError::Start { source },
    })
}

fn succeeded(output: Output) -> Result<Output, GitError> {
    if output.status.success() { Ok(output) } else { Err(failed(&output)) }
}

fn failed(output: &Output) -> GitError {
    let stderr = String::from_utf8_lossy(&output.stderr);
    GitError::Failed { message: stderr.lines().next().unwrap_or("no error message").to_owned() }
}
