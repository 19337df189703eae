//! The line of a repository's own branch: what came to it, one step after the other.

use std::path::{Path, PathBuf};

use super::{GitError, failed, git, said};

/// One step of the line: a merge as a whole, or a commit of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineStep {
    /// What it came to.
    pub commit: String,
    /// What was there before. Nothing, where the history begins.
    pub parents: Vec<String>,
    /// What whoever made it said.
    pub message: String,
}

/// The last `count` steps to `HEAD`, the newest first; those of `since` and before it are left out.
pub fn steps(
    repository: &Path,
    count: usize,
    since: Option<&str>,
) -> Result<Vec<LineStep>, GitError> {
    let (most, hidden) = (format!("--max-count={count}"), since.map(|since| format!("^{since}")));
    let mut words = vec!["log", "-z", "--first-parent", "--no-notes", "--no-color", &most];
    words.extend(["--format=%H%x1f%P%x1f%B", "HEAD"]);
    words.extend(hidden.as_deref());
    words.push("--");
    let output = git(repository, &words)?;
    if !output.status.success() {
        return Err(failed(&output));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let step = |record: &str| {
        let mut parts = record.splitn(3, '\u{1f}');
        let (commit, parents, message) = (parts.next()?, parts.next()?, parts.next()?);
        Some(LineStep {
            commit: commit.to_owned(),
            parents: parents.split_whitespace().map(str::to_owned).collect(),
            message: message.chars().take(MESSAGE_CHARS_MAX).collect(),
        })
    };
    let records = text.split('\0').map(|record| record.trim_start_matches('\n'));
    let odd = || GitError::Failed { said: "a history that makes no sense".to_owned() };
    records.filter(|it| !it.is_empty()).map(|it| step(it).ok_or_else(odd)).collect()
}

/// The top of the work tree around `folder`.
pub fn top(folder: &Path) -> Result<PathBuf, GitError> {
    said(folder, &["rev-parse", "--show-toplevel"]).map(PathBuf::from)
}

/// More than anybody writes about one change.
const MESSAGE_CHARS_MAX: usize = 64 << 10;
