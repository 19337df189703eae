//! Trees that cannot be had.

use std::io;

use sealwright_kernel::{BadName, Digest};
use sealwright_store::BlobError;

use crate::GitError;

/// A tree that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// The repository could not be asked.
    #[error("the repository could not be read")]
    Git(#[from] GitError),
    /// Something in it has a name that no file of a tree may have.
    #[error(transparent)]
    Name(#[from] BadName),
    /// There is more of it than is taken.
    #[error("the repository has more than {most} {what}")]
    TooMuch {
        /// Of what.
        what: &'static str,
        /// The most that is taken.
        most: u64,
    },
    /// The store failed.
    #[error("the store could not be used")]
    Blob(#[from] BlobError),
    /// What is kept under this digest is no tree.
    #[error("what is kept under {digest} is no tree")]
    Unreadable {
        /// What was asked for.
        digest: Digest,
        /// Why.
        source: serde_json::Error,
    },
    /// A file of the machine's own was changed by somebody else.
    #[error("`{path}` was changed in a folder of the machine's own")]
    Changed {
        /// Where.
        path: String,
    },
    /// The system did not let it be written or read.
    #[error("a folder of the machine's own could not be used")]
    Io(#[from] io::Error),
}

impl TreeError {
    /// What a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Git(_) => {
                Some("see that `git status` works here and that there is a commit".to_owned())
            }
            Self::Name(_) => {
                Some("rename it; such a name means something else elsewhere".to_owned())
            }
            Self::TooMuch { .. } => {
                Some("work in a smaller repository, or leave generated files out of it".to_owned())
            }
            Self::Changed { .. } => {
                Some("delete the folder `trees` in the state folder; it is made anew".to_owned())
            }
            Self::Blob(_) | Self::Unreadable { .. } => {
                Some("`sealwright verify` says what is missing or changed".to_owned())
            }
            Self::Io(_) => None,
        }
    }
}
