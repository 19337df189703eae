//! Errors of the journal.

use std::io;

use sealwright_kernel::{CanonicalError, Digest, Seq, StreamId};

/// Why the journal could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another process writes this stream.
    #[error("{stream} is being written by another process ({holder})")]
    Held {
        stream: StreamId,
        /// The process id and name in the lock file.
        holder: String,
    },
    /// The stream took a record that this writer did not write.
    #[error("{stream} was changed by a process that did not hold its lock")]
    Overtaken { stream: StreamId },
    /// Nothing follows on the end of a stream.
    #[error("{stream} has ended at record {at}")]
    Ended { stream: StreamId, at: Seq },
    /// A record was changed after it was accepted.
    #[error(transparent)]
    Damaged(#[from] Damage),
    /// The place named is not on this stream's chain.
    #[error("{stream} has no record {seq} with hash {hash}")]
    NotOnChain { stream: StreamId, seq: Seq, hash: Digest },
    /// A record would be too long; bodies belong into the blob store.
    #[error("a record of {bytes} bytes exceeds the limit of {bytes_max}")]
    TooLarge { bytes: usize, bytes_max: usize },
    /// The record cannot be written in canonical JSON.
    #[error("the record has no canonical JSON form")]
    NotCanonical(#[from] CanonicalError),
    /// A machine's events use the name the journal keeps for itself.
    #[error("the event name `journal` is reserved")]
    Reserved,
    /// Events were recorded that this version does not know.
    #[error("{stream}, record {seq}: this version cannot read its events")]
    UnknownEvents { stream: StreamId, seq: Seq, source: serde_json::Error },
    /// The disk is full. Nothing was accepted.
    #[error("the disk is full")]
    Full { source: io::Error },
    /// The disk failed. Nothing was accepted.
    #[error("cannot {what}")]
    Io { what: String, source: io::Error },
}

/// The first damaged record of a stream.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{stream}, record {seq}: {why}")]
pub struct Damage {
    pub stream: StreamId,
    /// The record that is wrong or missing.
    pub seq: Seq,
    pub why: Why,
}

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// The line does not end like the record that belongs here.
    #[error("the line is not the expected record")]
    OutOfPlace,
    /// The content is not what was hashed.
    #[error("the content does not match its hash")]
    HashDiffers,
    /// The line is longer than any record.
    #[error("the line exceeds the record size limit")]
    TooLong,
    /// The record is gone, although later ones or an anchor show that it was there.
    #[error("missing, but {known_from} names record {known}")]
    Missing {
        /// The last record that is known to have been there.
        known: Seq,
        /// The source of that knowledge: an anchor, a commit or the last writer.
        known_from: &'static str,
    },
    /// The record is there, but another one was anchored.
    #[error("not the record that {known_from} names")]
    Replaced {
        /// The source of that knowledge: an anchor, a commit or the last writer.
        known_from: &'static str,
    },
    /// A record follows the end of the stream.
    #[error("the stream had already ended")]
    AfterTheEnd,
    /// The stream's folder has a file that is not a segment.
    #[error("`{name}` is not a segment of the stream")]
    Stranger { name: String },
}

impl JournalError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Held { .. } => {
                Some("wait for it to finish, or stop it; readers can go on meanwhile".to_owned())
            }
            Self::Overtaken { .. } => {
                Some("run `sealwright verify`, then open it again".to_owned())
            }
            Self::Ended { .. } => {
                Some("begin a new task; an ended stream takes no records".to_owned())
            }
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

/// The name of the lock's mark in messages.
pub(crate) const WRITER_HERE: &str = "its last writer here";
