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
    /// What comes before the release, identifier by identifier.
    pub pre: Vec<String>,
    /// What it was built from, identifier by identifier.
    pub build: Vec<String>,
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
    /// An identifier is empty or has a sign in it that does not belong there.
    Identifier(String),
}

impl Version {
    /// The next version that mends something.
    pub fn next_patch(&self) -> Self {
        Self { patch: self.patch + 1, pre: Vec::new(), build: Vec::new(), ..self.clone() }
    }

    fn key(&self) -> (u64, u64, u64) {
        (self.major, self.minor, self.patch)
    }
}

impl FromStr for Version {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let (text, build) = match text.split_once('+') {
            Some((text, build)) => (text, identifiers(build, Zeros::Allowed)?),
            None => (text, Vec::new()),
        };
        let (text, pre) = match text.split_once('-') {
            Some((text, pre)) => (text, identifiers(pre, Zeros::Refused)?),
            None => (text, Vec::new()),
        };
        let numbers: Vec<&str> = text.split('.').collect();
        let [major, minor, patch] = numbers[..] else {
            return Err(Malformed::NotThreeNumbers);
        };
        Ok(Self { major: number(major)?, minor: number(minor)?, patch: number(patch)?, pre, build })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if !self.pre.is_empty() {
            write!(f, "-{}", self.pre.join("."))?;
        }
        if !self.build.is_empty() {
            write!(f, "+{}", self.build.join("."))?;
        }
        Ok(())
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key()).then_with(|| match (&self.pre[..], &other.pre[..]) {
            ([], []) => Ordering::Equal,
            ([], _) => Ordering::Greater,
            (_, []) => Ordering::Less,
            (ours, theirs) => precedence(ours, theirs),
        })
    }
}

/// Whether a number may begin with a zero it does not need.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Zeros {
    Allowed,
    Refused,
}

fn identifiers(text: &str, zeros: Zeros) -> Result<Vec<String>, Malformed> {
    let check = |identifier: &str| {
        let belongs = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if identifier.is_empty() || !identifier.bytes().all(belongs) {
            return Err(Malformed::Identifier(identifier.to_owned()));
        }
        let has_zero = is_number(identifier) && identifier.len() > 1 && identifier.starts_with('0');
        match zeros {
            Zeros::Refused if has_zero => Err(Malformed::LeadingZero(identifier.to_owned())),
            Zeros::Refused | Zeros::Allowed => Ok(identifier.to_owned()),
        }
    };
    text.split('.').map(check).collect()
}

fn precedence(ours: &[String], theirs: &[String]) -> Ordering {
    let pairs = ours.iter().zip(theirs);
    let first = pairs.map(|(our, their)| one_by_one(our, their)).find(|order| order.is_ne());
    first.unwrap_or_else(|| ours.len().cmp(&theirs.len()))
}

fn one_by_one(our: &str, their: &str) -> Ordering {
    match (is_number(our), is_number(their)) {
        // Without leading zeros the longer number is the larger one, however long it is.
        (true, true) => our.len().cmp(&their.len()).then_with(|| our.cmp(their)),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => our.cmp(their),
    }
}

fn is_number(identifier: &str) -> bool {
    identifier.bytes().all(|byte| byte.is_ascii_digit())
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
