//! What can go wrong between a decision and the disk.

use std::io;

use sealwright_kernel::{CanonicalError, Digest, Seq, StreamId};

/// A journal that could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another process writes this stream.
    #[error("{stream} is being written by another process ({holder})")]
    Held {
        /// The stream.
        stream: StreamId,
        /// What that process said of itself.
        holder: String,
    },
    /// The stream took a record that this writer did not write.
    #[error("{stream} was changed by someone who did not hold its lock")]
    Overtaken {
        /// The stream.
        stream: StreamId,
    },
    /// Nothing follows on the end of a stream.
    #[error("{stream} has ended at record {at}")]
    Ended {
        /// The stream.
        stream: StreamId,
        /// Its last record.
        at: Seq,
    },
    /// A record is not what was once accepted.
    #[error(transparent)]
    Damaged(#[from] Damage),
    /// The place named is not on this stream's chain.
    #[error("{stream} has no record {seq} with hash {hash}")]
    NotOnChain {
        /// The stream.
        stream: StreamId,
        /// The place asked for.
        seq: Seq,
        /// The hash it should have had.
        hash: Digest,
    },
    /// A record would be too long; bodies belong into the blob store.
    #[error("a record of {bytes} bytes is longer than {bytes_max}")]
    TooLarge {
        /// Its length.
        bytes: usize,
        /// The most there may be.
        bytes_max: usize,
    },
    /// The record cannot be written in canonical JSON.
    #[error("the record cannot be written")]
    NotCanonical(#[from] CanonicalError),
    /// A machine's events use the name the journal keeps for itself.
    #[error("events called `journal` are the journal's own")]
    Reserved,
    /// Events were recorded that this version does not know.
    #[error("{stream}, record {seq}: its events are not known to this version")]
    UnknownEvents {
        /// The stream.
        stream: StreamId,
        /// The record.
        seq: Seq,
        /// What the reader said.
        source: serde_json::Error,
    },
    /// The disk is full. Nothing was accepted.
    #[error("the disk is full")]
    Full {
        /// What the system said.
        source: io::Error,
    },
    /// The disk failed. Nothing was accepted.
    #[error("cannot {what}")]
    Io {
        /// What was being done.
        what: String,
        /// What the system said.
        source: io::Error,
    },
}

/// The first place where a stream is not what was once accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{stream}, record {seq}: {why}")]
pub struct Damage {
    /// The stream.
    pub stream: StreamId,
    /// The record that is wrong or missing.
    pub seq: Seq,
    /// What is wrong with it.
    pub why: Why,
}

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// The line does not end like the record that belongs here.
    #[error("the line is not the record that belongs here")]
    OutOfPlace,
    /// The content is not what was hashed.
    #[error("the content does not have the hash it was sealed with")]
    HashDiffers,
    /// The line is longer than any record.
    #[error("the line is longer than any record")]
    TooLong,
    /// The record is gone, although later ones or an anchor show that it was there.
    #[error("it is missing, but {known_from} knows of record {known}")]
    Missing {
        /// The last record that is known to have been there.
        known: Seq,
        /// Who knows it.
        known_from: &'static str,
    },
    /// The record is there, but another one was anchored.
    #[error("it is not the record that {known_from} knows")]
    Replaced {
        /// Who knows it.
        known_from: &'static str,
    },
    /// Something follows on the end.
    #[error("it follows on the end of its stream")]
    AfterTheEnd,
    /// A file stands in the stream's folder that is no segment of it.
    #[error("`{name}` does not belong into the stream's folder")]
    Stranger {
        /// Its name.
        name: String,
    },
}

impl JournalError {
    /// What a person can do about it, in one sentence, if anything.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Held { .. } => {
                Some("wait for it to finish, or stop it; readers can go on meanwhile".to_owned())
            }
            Self::Overtaken { .. } => {
                Some("run `sealwright verify`, then open it again".to_owned())
            }
            Self::Ended { .. } => Some("an ended stream is history; begin a new task".to_owned()),
            Self::Damaged(damage) => Some(damage.hint()),
            Self::NotOnChain { .. } => {
                Some("delete the snapshot in `.sealwright/cache`; it is rebuilt".to_owned())
            }
            Self::TooLarge { .. } => {
                Some("put the body into the blob store and record its digest".to_owned())
            }
            Self::NotCanonical(_) | Self::Reserved => None,
            Self::UnknownEvents { .. } => {
                Some("a newer Sealwright wrote this journal; use that version".to_owned())
            }
            Self::Full { .. } => Some("free some space and continue; nothing was lost".to_owned()),
            Self::Io { .. } => None,
        }
    }

    pub(crate) fn io(what: impl Into<String>, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { source },
            _ => Self::Io { what: what.into(), source },
        }
    }
}

impl Damage {
    /// What a person can do about it.
    pub fn hint(&self) -> String {
        let stream = &self.stream;
        match &self.why {
            Why::Stranger { name } => format!("move `{name}` out of the folder of {stream}"),
            Why::Missing { known_from: WRITER_HERE, .. }
            | Why::Replaced { known_from: WRITER_HERE } => format!(
                "restore `.sealwright/journal/{stream}`; if you went back to an older commit on \
                 purpose, delete `.sealwright/work/locks/{stream}.lock`"
            ),
            Why::OutOfPlace
            | Why::HashDiffers
            | Why::TooLong
            | Why::AfterTheEnd
            | Why::Missing { .. }
            | Why::Replaced { .. } => {
                format!("restore `.sealwright/journal/{stream}` from git or a backup")
            }
        }
    }
}

/// How the mark at a lock is called as a witness.
pub(crate) const WRITER_HERE: &str = "its last writer here";
