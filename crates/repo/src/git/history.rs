//! The first-parent history of a branch.

use std::path::{Path, PathBuf};

use super::{GitError, answer_of, git, succeeded};

/// One step of the first-parent history: a merge or a single commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineStep {
    pub commit: String,
    /// Empty for the first commit of the repository.
    pub parents: Vec<String>,
    pub message: String,
}

/// The last `count` steps up to `HEAD`, newest first, without `since` and its ancestors.
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
    let output = succeeded(git(repository, &words)?)?;
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
    let odd = || GitError::Failed { message: "`git log` printed an unexpected format".to_owned() };
    records.filter(|it| !it.is_empty()).map(|it| step(it).ok_or_else(odd)).collect()
}

/// The top folder of the work tree that contains `folder`.
pub fn top(folder: &Path) -> Result<PathBuf, GitError> {
    answer_of(folder, &["rev-parse", "--show-toplevel"]).map(PathBuf::from)
}

const MESSAGE_CHARS_MAX: usize = 64 << 10;
