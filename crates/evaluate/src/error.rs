//! What keeps a change, or all of them, from being looked at.

use std::io;

use sealwright_store::BlobError;

use sealwright_factory::gate_runner::GateRunnerError;
use sealwright_repo::GitError;
use sealwright_repo::trees::TreeError;

/// What keeps changes from being looked at.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// There is no commit at all.
    #[error("there is no commit to look back from")]
    NoHistory,
    /// The repository has no such commit.
    #[error("there is no commit `{revision}`")]
    NoCommit { revision: String },
    /// Time was over.
    #[error("time was over while it was looked at")]
    OutOfTime,
    #[error("the tests cannot be tried without the change: {why}")]
    Untried { why: String },
    #[error("the repository could not be read")]
    Git(#[from] GitError),
    #[error("the commit cannot be had")]
    Tree(#[from] TreeError),
    #[error(transparent)]
    GateRunner(#[from] GateRunnerError),
    #[error("what is read could not be kept")]
    Blob(#[from] BlobError),
    #[error("it could not be prepared")]
    Io(#[from] io::Error),
    #[error("internal worker thread panicked")]
    Died,
}

impl EvaluateError {
    /// What a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoHistory => Some("commit something first".to_owned()),
            Self::NoCommit { .. } => {
                Some("name a commit, a branch or a tag of this repository".to_owned())
            }
            Self::OutOfTime => Some("give it more with --minutes".to_owned()),
            Self::Git(GitError::Start { .. }) => Some("install git".to_owned()),
            Self::Git(error @ GitError::Failed { .. }) => error.hint().or_else(|| {
                Some("run this inside a git repository, or name one with --repository".to_owned())
            }),
            Self::Tree(error) => error.hint(),
            Self::GateRunner(error) => error.hint(),
            Self::Untried { .. } | Self::Blob(_) | Self::Io(_) | Self::Died => None,
        }
    }
}
