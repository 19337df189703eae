//! The kernel's names: small, ordered, checked when they are made.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};

/// The name of a stream: `project`, `index`, a task's or an invocation's id.
///
/// It is also the name of a folder on every file system people use, so it is short, plain
/// and never a dot-file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StreamId(String);

/// One role invocation: `INV-000001`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct InvocationId(u32);

/// One thing owed, such as `INV-000001/invoke/try-1`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EffectId(String);

/// A place in a stream, counted from 1.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Seq(u64);

/// A text that cannot be the name it was offered as.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {kind}")]
pub struct IdError {
    /// What was offered, cut short.
    pub text: String,
    /// What it should have been.
    pub kind: &'static str,
}

impl StreamId {
    /// Checks a stream's name.
    pub fn new(name: impl Into<String>) -> Result<Self, IdError> {
        let name = name.into();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let begins_well = name.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
        let ends_well = name.as_bytes().last().is_some_and(u8::is_ascii_alphanumeric);
        if begins_well && ends_well && name.len() <= NAME_BYTES_MAX && name.bytes().all(plain) {
            return Ok(Self(name));
        }
        Err(IdError::new(&name, "a stream's name: letters, digits and -_. inside, at most 128"))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl InvocationId {
    /// The `number`th invocation of a project.
    pub fn new(number: u32) -> Self {
        Self(number)
    }

    /// The stream of an invocation that stands alone.
    pub fn stream(self) -> StreamId {
        StreamId(self.to_string())
    }
}

impl EffectId {
    /// Names the `attempt`th try at `what`, for the thing called `owner`.
    pub fn of(owner: impl fmt::Display, what: &str, attempt: u32) -> Self {
        Self(format!("{owner}/{what}/try-{attempt}"))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Seq {
    /// Before the first record.
    pub const ZERO: Self = Self(0);

    /// The `number`th place.
    pub fn new(number: u64) -> Self {
        Self(number)
    }

    /// The place as a number.
    pub fn get(self) -> u64 {
        self.0
    }

    /// The place after this one.
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl IdError {
    fn new(text: &str, kind: &'static str) -> Self {
        Self { text: text.chars().take(TEXT_SHOWN_MAX).collect(), kind }
    }
}

impl TryFrom<String> for StreamId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        Self::new(text)
    }
}

impl FromStr for StreamId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        Self::new(text)
    }
}

impl TryFrom<String> for InvocationId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        let digits = text.strip_prefix("INV-").filter(|digits| digits.len() >= 6);
        let number: Option<u32> = digits.and_then(|digits| digits.parse().ok());
        // Only the one spelling that `Display` gives is a name.
        match number.map(Self) {
            Some(id) if id.to_string() == text => Ok(id),
            Some(_) | None => Err(IdError::new(&text, "an invocation such as INV-000001")),
        }
    }
}

impl TryFrom<String> for EffectId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        let plain = |byte: u8| byte.is_ascii_graphic();
        let parts_named = text.split('/').all(|part| !part.is_empty());
        if text.len() <= EFFECT_BYTES_MAX && text.bytes().all(plain) && parts_named {
            return Ok(Self(text));
        }
        Err(IdError::new(&text, "an effect such as INV-000001/invoke/try-1"))
    }
}

impl From<StreamId> for String {
    fn from(id: StreamId) -> Self {
        id.0
    }
}

impl From<InvocationId> for String {
    fn from(id: InvocationId) -> Self {
        id.to_string()
    }
}

impl From<EffectId> for String {
    fn from(id: EffectId) -> Self {
        id.0
    }
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for InvocationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "INV-{:06}", self.0)
    }
}

impl fmt::Display for EffectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

const NAME_BYTES_MAX: usize = 128;
const EFFECT_BYTES_MAX: usize = 512;
const TEXT_SHOWN_MAX: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_named_like_a_plain_folder() {
        for good in ["project", "T-auth-login-form-001", "INV-000001", "a", "v1.2_x"] {
            assert_eq!(StreamId::new(good).unwrap().as_str(), good);
        }
        let long = "x".repeat(129);
        for bad in ["", ".", "..", ".git", "a/b", "a\\b", "a b", "é", "-rf", "a.", "a\n", &long] {
            assert!(StreamId::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_invocation_has_one_spelling() {
        let read = |text: &str| InvocationId::try_from(text.to_string());
        assert_eq!(read("INV-000042"), Ok(InvocationId::new(42)));
        assert_eq!(read("INV-1234567"), Ok(InvocationId::new(1_234_567)));
        for bad in ["INV-42", "INV-0000042", "INV-+00042", "inv-000042", "INV-99999999999"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_effect_id_survives_the_journal() {
        let id = EffectId::of("T-a-001/MM-x/round-2", "challenge", 1);
        assert_eq!(id.as_str(), "T-a-001/MM-x/round-2/challenge/try-1");
        let stored = serde_json::to_string(&id).unwrap();
        assert_eq!(serde_json::from_str::<EffectId>(&stored).unwrap(), id);
        for bad in [r#""""#, r#""a//b""#, r#""a b""#, r#""/a""#] {
            assert!(serde_json::from_str::<EffectId>(bad).is_err(), "{bad}");
        }
    }
}
