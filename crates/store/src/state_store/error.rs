//! Errors of the state store.

use sealwright_kernel::Digest;
use sealwright_kernel::pack::Version;

use super::path::BadStorePath;
use crate::BlobError;

/// Why an operation on the state store was refused or failed. Nothing has changed.
#[derive(Debug, thiserror::Error)]
pub enum StateStoreError {
    #[error(transparent)]
    BadPath(#[from] BadStorePath),
    #[error("{path} does not exist")]
    NotFound { path: String },
    /// The message is the one roles are given instead of sealed content.
    #[error("{message}")]
    Sealed { message: String },
    #[error("{path} is write-once")]
    Immutable { path: String },
    #[error("{path} is read-only for roles")]
    ReadOnly { path: String },
    /// Only one service writes there.
    #[error("{path} is written only by {by}")]
    ServiceOnly { path: String, by: &'static str },
    #[error("{path} is not part of the state store")]
    Unrouted { path: String },
    #[error("{path} is not valid: {why}")]
    Invalid { path: String, why: String },
    #[error("{what} exceeds the limit of {limit}")]
    TooLarge { what: &'static str, limit: usize },
    /// Content was changed, removed or replaced behind the store's back.
    #[error("{path} is damaged: {why}")]
    Damaged { path: String, why: &'static str },
    #[error("cannot access {path} in the state store")]
    Store { path: String, source: object_store::Error },
    #[error("cannot access {path} in the state store")]
    Io { path: String, source: std::io::Error },
    #[error("cannot access content in the state store")]
    Blob(#[source] BlobError),
}

/// Why a tree did not become a module version.
#[derive(Debug, thiserror::Error)]
pub enum PromotionError {
    #[error("`{text}` is not a module version such as MM-limiter@1.0.0")]
    NotAModule { text: String },
    #[error("the module has no {missing}")]
    Incomplete { missing: &'static str },
    #[error("`{path}` does not belong into a module version")]
    Stranger { path: String },
    #[error("`{first}` and `{second}` are one name on some file systems")]
    Collision { first: String, second: String },
    /// The tree is not the one that passed the gates.
    #[error("the tree has digest {found}, but {expected} was verified")]
    OtherTree { expected: Digest, found: Digest },
    #[error("the module is already spelled {existing}")]
    OtherSpelling { existing: String },
    #[error("version {version} was shipped with other content, digest {existing}")]
    OtherContent { version: Version, existing: Digest },
    #[error("version {version} does not follow {last}")]
    NotIncreasing { version: Version, last: Version },
    #[error(transparent)]
    Store(#[from] StateStoreError),
}

impl StateStoreError {
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Damaged { .. } => {
                Some("restore `.sealwright/store` from git, then run `sealwright verify`")
            }
            Self::ReadOnly { .. } | Self::ServiceOnly { .. } => {
                Some("change the work tree instead; the engine ships it")
            }
            Self::Immutable { .. } => Some("ship a new version; shipped ones never change"),
            Self::BadPath(_)
            | Self::NotFound { .. }
            | Self::Sealed { .. }
            | Self::Unrouted { .. }
            | Self::Invalid { .. }
            | Self::TooLarge { .. }
            | Self::Store { .. }
            | Self::Io { .. }
            | Self::Blob(_) => None,
        }
    }
}
