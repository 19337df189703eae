//! Time as a number that was given. It is recorded, and never decides.

use serde::{Deserialize, Serialize};

/// Milliseconds since the Unix epoch, as the host's clock told it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(u64);

impl Timestamp {
    /// A moment, in milliseconds since the epoch. Clocks past the year 10000 stop there.
    pub fn from_millis(millis: u64) -> Self {
        Self(millis.min(MILLIS_MAX))
    }

    pub fn as_millis(self) -> u64 {
        self.0
    }
}

/// The last millisecond of the year 9999: it stays exact in every JSON reader.
const MILLIS_MAX: u64 = 253_402_300_799_999;
