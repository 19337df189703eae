//! Heads and anchors: the last record of a stream, and the same said where the stream cannot be changed.
//!
//! The end of a task's stream is named in the trailer of its commit, and in the project's
//! stream where a project run owns the task. So nothing can be cut off or swapped later.

use std::fmt;

use sealwright_kernel::{Digest, Seq, StreamId};
use serde::{Deserialize, Serialize};

/// The last record of a stream, or of a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub seq: Seq,
    pub hash: Digest,
}

impl Head {
    pub const START: Self = Self { seq: Seq::ZERO, hash: Digest::ZERO };
}

/// The claim that a stream held this record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    pub stream: StreamId,
    pub head: Head,
}

impl Anchor {
    /// The key of the trailer in a commit message.
    pub const TRAILER: &str = "Sealwright-Stream";

    /// The whole trailer line.
    pub fn trailer(&self) -> String {
        format!("{}: {self}", Self::TRAILER)
    }

    /// Reads what stands behind the trailer's key.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let stream = StreamId::new(words.next()?).ok()?;
        let seq = words.next()?.strip_prefix("seq=")?.parse().ok()?;
        let hash = words.next()?.strip_prefix("sha256=")?.parse().ok()?;
        let head = Head { seq: Seq::new(seq), hash };
        words.next().is_none().then_some(Self { stream, head })
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} seq={} sha256={}", self.stream, self.head.seq, self.head.hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailer_reads_back() {
        let head = Head { seq: Seq::new(17), hash: Digest::of(b"x") };
        let anchor = Anchor { stream: "T-a-001".parse().unwrap(), head };
        assert_eq!(Anchor::parse(&anchor.to_string()), Some(anchor.clone()));
        assert!(anchor.trailer().starts_with("Sealwright-Stream: T-a-001 seq=17 sha256="));
        let hash = head.hash;
        let bad = [
            String::new(),
            "T-a-001".to_owned(),
            format!("../x seq=1 sha256={hash}"),
            format!("T-a seq=-1 sha256={hash}"),
            format!("T-a seq=1 sha256={hash} and more"),
        ];
        for text in bad {
            assert_eq!(Anchor::parse(&text), None, "{text}");
        }
    }
}
