//! The other side: which branch work is offered to, and bringing a branch there when a person asks for it.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{GitError, git};

/// Whether `branch` is a branch of `repository`.
pub fn has_branch(repository: &Path, branch: &str) -> Result<bool, GitError> {
    let reference = format!("refs/heads/{branch}");
    let ask = ["rev-parse", "--quiet", "--verify", "--end-of-options", &reference];
    Ok(git(repository, &ask)?.status.success())
}

/// The branch that `remote` takes for its first, as far as this clone knows.
pub fn first_branch(repository: &Path, remote: &str) -> Result<Option<String>, GitError> {
    let head = format!("refs/remotes/{remote}/HEAD");
    let output = git(repository, &["symbolic-ref", "--quiet", &head])?;
    let found = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let branch = found.strip_prefix(&format!("refs/remotes/{remote}/")).map(str::to_owned);
    Ok(branch.filter(|branch| output.status.success() && !branch.is_empty()))
}

/// Brings `branch` to `remote`, and overwrites nothing there.
///
/// This is the person's own push: their hooks look at it, their credentials are asked for, and what git says goes to
/// standard error as it comes.
#[expect(
    clippy::disallowed_methods,
    reason = "a person asked for this push of their own repository"
)]
pub fn push(repository: &Path, remote: &str, branch: &str) -> Result<(), GitError> {
    let ended = Command::new("git")
        .args(["push", remote, branch])
        .current_dir(repository)
        .stdin(Stdio::null())
        .stdout(Stdio::from(std::io::stderr()))
        .status()
        .map_err(|source| GitError::Start { source })?;
    match ended.success() {
        true => Ok(()),
        false => Err(GitError::Failed { said: format!("`git push` ended with {ended}") }),
    }
}
