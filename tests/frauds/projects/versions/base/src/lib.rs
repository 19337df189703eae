//! Versions of three numbers, read, written and compared.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// What breaks.
    pub major: u64,
    /// What is new.
    pub minor: u64,
    /// What is mended.
    pub patch: u64,
}

/// Why a text is no version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// There are not three numbers.
    NotThreeNumbers,
    /// One of them is none.
    NotANumber(String),
    /// One of them begins with a zero it does not need.
    LeadingZero(String),
}

impl Version {
    /// The next version that mends something.
    pub fn next_patch(&self) -> Self {
        Self { patch: self.patch + 1, ..self.clone() }
    }

    fn key(&self) -> (u64, u64, u64) {
        (self.major, self.minor, self.patch)
    }
}

impl FromStr for Version {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let numbers: Vec<&str> = text.split('.').collect();
        let [major, minor, patch] = numbers[..] else {
            return Err(Malformed::NotThreeNumbers);
        };
        Ok(Self { major: number(major)?, minor: number(minor)?, patch: number(patch)? })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

fn number(text: &str) -> Result<u64, Malformed> {
    if text.len() > 1 && text.starts_with('0') {
        return Err(Malformed::LeadingZero(text.to_owned()));
    }
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Malformed::NotANumber(text.to_owned()));
    }
    text.parse().map_err(|_| Malformed::NotANumber(text.to_owned()))
}
