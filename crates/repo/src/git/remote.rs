//! The default branch of a remote, and pushing a branch to it.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{GitError, git};

/// The default branch of `remote`, as far as this clone knows.
pub fn first_branch(repository: &Path, remote: &str) -> Result<Option<String>, GitError> {
    let head = format!("refs/remotes/{remote}/HEAD");
    let output = git(repository, &["symbolic-ref", "--quiet", &head])?;
    let found = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let branch = found.strip_prefix(&format!("refs/remotes/{remote}/")).map(str::to_owned);
    Ok(branch.filter(|branch| output.status.success() && !branch.is_empty()))
}

/// Pushes a commit to `remote` as `branch`, without force. The commit is named and not the branch here, which may have
/// moved since somebody looked at it.
///
/// This is the user's own push: their hooks run, git may ask for their credentials, and its output goes to standard
/// error.
#[expect(
    clippy::disallowed_methods,
    reason = "a person asked for this push of their own repository"
)]
pub fn push(repository: &Path, remote: &str, commit: &str, branch: &str) -> Result<(), GitError> {
    let what = format!("{commit}:refs/heads/{branch}");
    let ended = Command::new("git")
        .args(["push", remote, &what])
        .current_dir(repository)
        .stdin(Stdio::null())
        .stdout(Stdio::from(std::io::stderr()))
        .status()
        .map_err(|source| GitError::Start { source })?;
    if ended.success() {
        Ok(())
    } else {
        Err(GitError::Failed { message: format!("`git push` exited with {ended}") })
    }
}
