//! Content, by its SHA-256.

use core::fmt;
use core::str::FromStr;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::Digest as _;

/// The SHA-256 of some bytes, written as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// A digest in the making, for content that comes in pieces.
#[derive(Clone, Default)]
pub struct Hasher(sha2::Sha256);

/// A text that is not 64 lower-case hex digits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a digest is 64 lower-case hex digits")]
pub struct NotADigest;

impl Digest {
    /// The hash before the first record of a chain.
    pub const ZERO: Self = Self([0; 32]);

    pub fn of(content: &[u8]) -> Self {
        Self(sha2::Sha256::digest(content).into())
    }

    /// The 64 hex digits, without an allocation.
    pub fn hex(&self) -> [u8; 64] {
        let mut hex = [0; 64];
        for (pair, byte) in hex.as_chunks_mut().0.iter_mut().zip(self.0) {
            *pair = PAIRS[usize::from(byte)];
        }
        hex
    }

    /// Reads 64 lower-case hex digits.
    pub fn from_hex(hex: &[u8]) -> Result<Self, NotADigest> {
        let mut bytes = [0; 32];
        if hex.len() != 64 {
            return Err(NotADigest);
        }
        // Opening a journal reads millions of these; one check at the end is enough.
        let mut seen = 0;
        for (byte, [high, low]) in bytes.iter_mut().zip(hex.as_chunks().0) {
            let (high, low) = (VALUES[usize::from(*high)], VALUES[usize::from(*low)]);
            seen |= high | low;
            *byte = high << 4 | low & 15;
        }
        if seen > 15 {
            return Err(NotADigest);
        }
        Ok(Self(bytes))
    }
}

impl Hasher {
    pub fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hasher")
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = self.hex();
        f.write_str(core::str::from_utf8(&hex).expect("hex digits are ASCII"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        Self::from_hex(text.as_bytes())
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(core::str::from_utf8(&self.hex()).expect("hex digits are ASCII"))
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Journals are full of digests; none of them needs a string of its own.
        struct Hex;
        impl Visitor<'_> for Hex {
            type Value = Digest;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("64 lower-case hex digits")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Digest, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Hex)
    }
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// The two digits of every byte.
const PAIRS: [[u8; 2]; 256] = {
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = [DIGITS[byte >> 4], DIGITS[byte & 15]];
        byte += 1;
    }
    pairs
};

/// The value of every digit; what is no digit is more than 15.
const VALUES: [u8; 256] = {
    let mut values = [0xff; 256];
    let mut value = 0;
    while value < 16 {
        values[DIGITS[value] as usize] = value as u8;
        value += 1;
    }
    values
};

#[cfg(test)]
mod tests {
    use std::string::ToString as _;

    use super::*;

    #[test]
    fn the_empty_content_has_its_well_known_digest() {
        let expected = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Digest::of(b"").to_string(), expected);
        assert_eq!(expected.parse(), Ok(Digest::of(b"")));
    }

    #[test]
    fn only_64_lower_case_digits_are_a_digest() {
        let good = Digest::of(b"x").to_string();
        for bad in [&good[1..], &good.to_uppercase(), &good.replace('a', "g"), "", "é"] {
            assert_eq!(bad.parse::<Digest>(), Err(NotADigest), "{bad}");
        }
    }

    #[test]
    fn pieces_hash_like_the_whole() {
        let mut hasher = Hasher::default();
        hasher.update(b"seal");
        hasher.update(b"wright");
        assert_eq!(hasher.finish(), Digest::of(b"sealwright"));
    }
}
