//! References: `id@version`, and the names in them.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::ids::is_hex8;
use crate::{Digest, IdError, StreamId, TaskId};

/// A context pack: `CP-` and eight hex digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PackId(String);

/// One version of one thing: `MM-limiter@1.0.0`, `PROP-1a2b3c4d@1.0.0`, `T-rate-limit-3f9a2c@1.0.0`.
///
/// Paths are no references: a pack names things, and where they stand is for the store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Ref {
    kind: RefKind,
    id: String,
    version: Version,
}

/// What a reference is to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RefKind {
    /// A module: `MM-…`.
    Module,
    /// A task: `T-…`.
    Task,
    /// A schema of the harness: `SCHEMA-…`.
    Schema,
    /// A rubric of the harness: `RUBRIC-…`.
    Rubric,
    /// The plan of a task's modules.
    MicroPlan,
    /// A contract under debate.
    Contract,
    /// A module's source, as an artifact.
    Implementation,
    /// What a builder claims.
    Proposal,
    /// What a challenger found.
    Challenge,
    /// What an arbiter decided.
    Adjudication,
    /// The proof a module shipped with.
    ShipEvidence,
    Escalation,
    ContextPack,
    /// A request to change a sealed interface.
    InterfaceChangeException,
    /// What a search of the code index found.
    ReuseSearchReport,
    /// What should exist.
    ProductSpec,
    Examples,
}

/// Three numbers without leading zeros: `1.0.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

impl PackId {
    /// The pack of `run` in `task`: always the same name for the same run.
    pub fn of(task: &TaskId, run: &StreamId) -> Self {
        let digest = Digest::of(format!("{task}/pack/{run}").as_bytes()).to_string();
        Self(format!("CP-{}", &digest[..8]))
    }

    fn read(text: String) -> Result<Self, IdError> {
        match text.strip_prefix("CP-") {
            Some(rest) if is_hex8(rest) => Ok(Self(text)),
            Some(_) | None => Err(IdError::new(&text, "a context pack such as CP-1a2b3c4d")),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Ref {
    pub fn new(text: &str) -> Result<Self, IdError> {
        let read = || {
            let (id, version) = text.split_once('@')?;
            Some(Self { kind: kind_of(id)?, id: id.to_string(), version: Version::read(version)? })
        };
        read().ok_or_else(|| IdError::new(text, "a reference such as MM-limiter@1.0.0"))
    }

    pub fn kind(&self) -> RefKind {
        self.kind
    }

    /// The name before the `@`.
    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn version(&self) -> Version {
        self.version
    }
}

impl Version {
    pub fn new(text: &str) -> Result<Self, IdError> {
        Self::read(text).ok_or_else(|| IdError::new(text, "a version such as 1.0.0"))
    }

    fn read(text: &str) -> Option<Self> {
        let mut numbers = text.split('.').map(number);
        let version =
            Self { major: numbers.next()??, minor: numbers.next()??, patch: numbers.next()?? };
        numbers.next().is_none().then_some(version)
    }
}

fn number(digits: &str) -> Option<u32> {
    let has_one_spelling = digits == "0" || !digits.starts_with('0');
    let all_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    if has_one_spelling && all_digits { digits.parse().ok() } else { None }
}

fn kind_of(id: &str) -> Option<RefKind> {
    if id.starts_with("T-") {
        return TaskId::new(id).is_ok().then_some(RefKind::Task);
    }
    let (prefix, rest) = id.split_once('-')?;
    let named = NAMED.iter().find(|(name, _)| *name == prefix);
    if let Some((_, kind)) = named {
        let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let is_word = !rest.is_empty() && rest.len() <= NAME_BYTES_MAX && rest.bytes().all(word);
        return is_word.then_some(*kind);
    }
    let (_, kind) = MINTED.iter().find(|(name, _)| *name == prefix)?;
    is_hex8(rest).then_some(*kind)
}

text_id!(PackId by Self::read);

impl TryFrom<String> for Ref {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        Self::new(&text)
    }
}

impl FromStr for Ref {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        Self::new(text)
    }
}

impl From<Ref> for String {
    fn from(reference: Ref) -> Self {
        reference.to_string()
    }
}

impl FromStr for Version {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        Self::new(text)
    }
}

impl TryFrom<String> for Version {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<Version> for String {
    fn from(version: Version) -> Self {
        version.to_string()
    }
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.id, self.version)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Things that are called by a word.
const NAMED: &[(&str, RefKind)] =
    &[("MM", RefKind::Module), ("SCHEMA", RefKind::Schema), ("RUBRIC", RefKind::Rubric)];

/// Things whose names are minted: eight hex digits.
const MINTED: &[(&str, RefKind)] = &[
    ("MP", RefKind::MicroPlan),
    ("CTR", RefKind::Contract),
    ("IMPL", RefKind::Implementation),
    ("PROP", RefKind::Proposal),
    ("CHAL", RefKind::Challenge),
    ("ADJ", RefKind::Adjudication),
    ("SHIP", RefKind::ShipEvidence),
    ("ESC", RefKind::Escalation),
    ("CP", RefKind::ContextPack),
    ("ICE", RefKind::InterfaceChangeException),
    ("RSR", RefKind::ReuseSearchReport),
    ("SPEC", RefKind::ProductSpec),
    ("EX", RefKind::Examples),
];

const NAME_BYTES_MAX: usize = 64;
