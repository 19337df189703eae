//! The head of a stream: its last record, by place and hash.

use sealwright_kernel::{Digest, Seq};
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
