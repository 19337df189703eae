//! What can go wrong at the border of this crate.

use sealwright_kernel::Seq;

use crate::embedder::EmbedderError;
use crate::rules::Refused;
use crate::search::InvalidSearch;

#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("cannot {doing} in the code index `{path}`")]
    Io { doing: &'static str, path: String, source: std::io::Error },
    #[error("the code index `{path}` is open for writing in another process")]
    Held { path: String },
    #[error("there is no code index at `{path}`")]
    Missing { path: String },
    #[error("record {seq} of the code index `{path}` is damaged: {why}")]
    Damaged { path: String, seq: Seq, why: &'static str },
    #[error("the code index has no record {seq} with this hash")]
    UnknownSnapshot { seq: Seq },
    #[error("{missing} entries have no vector of the embedder `{name}`")]
    VectorsMissing { missing: usize, name: String },
    #[error("the vector of entry {row} is damaged")]
    VectorDamaged { row: u32 },
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error(transparent)]
    Search(#[from] InvalidSearch),
    #[error(transparent)]
    Embedder(#[from] EmbedderError),
}

impl IndexError {
    /// What to do about it, where a person can do something.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Held { .. } => Some("wait until the other process ends"),
            Self::Missing { .. } => Some("it is made when the first module ships"),
            Self::Damaged { .. } => {
                Some("restore the file from a backup, or rebuild it from the journal")
            }
            Self::UnknownSnapshot { .. } => {
                Some("`sealwright index stats` shows the newest record")
            }
            Self::VectorsMissing { .. } | Self::VectorDamaged { .. } => {
                Some("`sealwright index reindex` computes the vectors again")
            }
            Self::Embedder(_) => {
                Some("check the embedder in sealwright.toml, or rank by words without one")
            }
            Self::Io { .. } | Self::Refused(_) | Self::Search(_) => None,
        }
    }
}
