//! History: which changes there are. Each step of the branch's own line is one, a merge as a whole.

use std::path::{Path, PathBuf};

use super::EvaluateError;
use sealwright_repo::GitError;
use sealwright_repo::git::{history, objects};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What it came to.
    pub commit: String,
    pub before: String,
    /// The first line of what was said of it.
    pub subject: String,
    /// All that was said of it.
    pub message: String,
    pub came: Came,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    Merged,
    Committed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The last so many. At most [`Reach::LAST_MAX`].
    pub last: usize,
    /// Only what came after this commit.
    pub since: Option<String>,
}

impl Reach {
    /// More are not looked at in one go.
    pub const LAST_MAX: usize = 100;
}

/// The top of the repository around `folder`.
pub fn top_of(folder: &Path) -> Result<PathBuf, EvaluateError> {
    Ok(history::top(folder)?)
}

/// The changes in reach, the newest first.
pub(super) fn changes(repository: &Path, reach: &Reach) -> Result<Vec<Change>, EvaluateError> {
    if objects::commit(repository, "HEAD").is_err() {
        return Err(EvaluateError::NoHistory);
    }
    let since = match &reach.since {
        None => None,
        Some(revision) => match objects::commit(repository, revision) {
            Ok(commit) => Some(commit),
            Err(GitError::Failed { .. }) => {
                return Err(EvaluateError::NoCommit { revision: revision.clone() });
            }
            Err(error) => return Err(error.into()),
        },
    };
    let steps = history::steps(repository, reach.last.min(Reach::LAST_MAX), since.as_deref())?;
    // What has nothing before it changed nothing.
    let changes = steps.into_iter().filter_map(|step| {
        let came = match step.parents.len() {
            0 | 1 => Came::Committed,
            2.. => Came::Merged,
        };
        let subject = step.message.lines().next().unwrap_or_default().to_owned();
        let before = step.parents.into_iter().next()?;
        Some(Change { commit: step.commit, before, subject, message: step.message, came })
    });
    Ok(changes.collect())
}
