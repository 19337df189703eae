//! The errors of candidate trees.

use std::io;

use sealwright_kernel::{BadName, Digest};
use sealwright_store::BlobError;

use crate::GitError;

/// Why a tree cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// A git command on the repository failed.
    #[error("cannot read the repository")]
    Git(#[from] GitError),
    /// A file has a name that is not allowed in a tree.
    #[error(transparent)]
    Name(#[from] BadName),
    /// The repository is larger than a limit.
    #[error("the repository has more than {most} {what}")]
    TooMuch { what: &'static str, most: u64 },
    /// The store cannot be read or written.
    #[error("the store could not be used")]
    Blob(#[from] BlobError),
    /// The blob under this digest is not a tree.
    #[error("blob {digest} is not a tree")]
    Unreadable { digest: Digest, source: serde_json::Error },
    /// A file in Sealwright's own state folder has changed.
    #[error("`{path}` was changed in Sealwright's state folder")]
    Changed { path: String },
    /// The commit that git wrote is not what it was told to write.
    #[error("commit {commit} is not the tree that was to be written: `{path}` differs")]
    Differs { commit: String, path: String },
    /// The state folder cannot be read or written.
    #[error("cannot read or write Sealwright's state folder")]
    Io(#[from] io::Error),
}

impl TreeError {
    /// What to do next, in one sentence.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Git(_) => {
                Some("check that `git status` works here and that there is a commit".to_owned())
            }
            Self::Name(_) => Some("rename the file; such a name is not portable".to_owned()),
            Self::TooMuch { .. } => {
                Some("use a smaller repository, or do not commit generated files".to_owned())
            }
            Self::Changed { .. } => Some(
                "delete the folder `trees` in the state folder; Sealwright rebuilds it".to_owned(),
            ),
            Self::Differs { .. } => Some(
                "no branch was made; `git fsck` and `git config --list` in the repository show what is odd"
                    .to_owned(),
            ),
            Self::Blob(_) | Self::Unreadable { .. } => {
                Some("`sealwright verify` lists what is missing or changed".to_owned())
            }
            Self::Io(_) => None,
        }
    }
}
