//! The mark: what a writer leaves at its lock.
//!
//! It says who writes and which record is durable. It is written after the record was
//! synced and is not synced itself, so it can be behind and never ahead. A stream that is
//! shorter than its mark has lost records, and a follower that keeps to the mark never
//! shows what a crash could take back.

use sealwright_kernel::StreamId;
use serde::{Deserialize, Serialize};

use crate::disk::Disk;
use crate::error::WRITER_HERE;
use crate::files::Home;
use crate::{Damage, Head, Why};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    pub(crate) holder: String,
    pub(crate) head: Head,
}

impl Mark {
    /// The mark of `stream`, if one was left here that can be read.
    pub(crate) fn of<D: Disk>(home: &Home<D>, stream: &StreamId) -> Option<Self> {
        Self::from_bytes(&home.disk.noted(&home.layout.lock(stream)).ok()?)
    }

    /// Holds a stream against its mark: `at` is the record it has at the mark's place, or some
    /// record it was opened at, `end` its last one.
    pub(crate) fn holds(&self, stream: &StreamId, at: Head, end: Head) -> Result<(), Damage> {
        let known = self.head.seq;
        let (seq, why) = match known {
            _ if known > end.seq => {
                (end.seq.next(), Why::Missing { known, known_from: WRITER_HERE })
            }
            _ if known == at.seq && at != self.head => {
                (known, Why::Replaced { known_from: WRITER_HERE })
            }
            _ => return Ok(()),
        };
        Err(Damage { stream: stream.clone(), seq, why })
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// Always of one length, so that writing one over another leaves nothing of the old.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(BYTES + 1);
        serde_json::to_writer(&mut bytes, self).expect("a mark is plain data");
        bytes.resize(bytes.len().max(BYTES), b' ');
        bytes.push(b'\n');
        bytes
    }

    /// What a process says of itself.
    pub(crate) fn this_process() -> String {
        format!("process {}", std::process::id())
    }
}

const BYTES: usize = 191;
