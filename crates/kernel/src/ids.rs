//! The kernel's names: small, ordered, checked when they are made.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::fmt::{self, Write as _};

use serde::{Deserialize, Serialize, Serializer};

use crate::Digest;

/// The name of a stream: `project`, `index` or a task's id.
///
/// It is also the name of a folder on every file system people use, so it is short, plain
/// and never a dot-file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct StreamId(Arc<str>);

/// A task: `T-…`, also the name of its stream.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct TaskId(StreamId);

/// One question put to a person after a halt: `ESC-` and eight hex digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct EscalationId(String);

/// A name that is a number behind a prefix, with only one spelling.
macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $digits:literal, $kind:literal) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(u32);

        impl $name {
            pub fn new(number: u32) -> Self {
                Self(number)
            }

            pub fn number(self) -> u32 {
                self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;

            fn try_from(text: String) -> Result<Self, IdError> {
                let digits = text.strip_prefix($prefix);
                let number: Option<u32> = digits.and_then(|digits| digits.parse().ok());
                // Only the one spelling that `Display` gives is a name.
                match number.map(Self) {
                    Some(id) if id.to_string() == text => Ok(id),
                    Some(_) | None => Err(IdError::new(&text, $kind)),
                }
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.to_string()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{:0", $digits, "}"), self.0)
            }
        }
    };
}

numbered!(
    /// One call of a role: `INV-000001`.
    InvocationId, "INV-", "6", "an invocation such as INV-000001"
);
numbered!(
    /// One slice of a task, minted from its locked plan: `S-0001`.
    SliceId, "S-", "4", "a slice such as S-0001"
);
numbered!(
    /// One piece of evidence of a task: `EV-000001`.
    EvidenceId, "EV-", "6", "evidence such as EV-000001"
);
numbered!(
    /// One context snapshot of a task: `iter-0001`.
    Iteration, "iter-", "4", "a snapshot such as iter-0001"
);

/// One thing owed, such as `T-x/frame/try-1`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
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
    pub kind: &'static str,
}

impl StreamId {
    pub fn new(name: impl Into<String>) -> Result<Self, IdError> {
        let name = name.into();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let begins_well = name.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
        let ends_well = name.as_bytes().last().is_some_and(u8::is_ascii_alphanumeric);
        if begins_well && ends_well && name.len() <= NAME_BYTES_MAX && name.bytes().all(plain) {
            return Ok(Self(name.into()));
        }
        Err(IdError::new(&name, "a stream's name: letters, digits and -_. inside, at most 128"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TaskId {
    pub fn new(name: impl Into<String>) -> Result<Self, IdError> {
        let name = name.into();
        match StreamId::new(name.as_str()) {
            Ok(stream) if name.starts_with("T-") && name.len() > 2 => Ok(Self(stream)),
            Ok(_) | Err(_) => Err(IdError::new(&name, "a task such as T-rate-limit-3f9a2c")),
        }
    }

    /// The stream the task is kept in.
    pub fn stream(&self) -> &StreamId {
        &self.0
    }

    /// The branch the task is delivered on.
    pub fn branch(&self) -> String {
        format!("sealwright/{self}")
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl EscalationId {
    /// The `nth` escalation of `task`: always the same name for the same halt.
    pub fn of(task: &TaskId, nth: u32) -> Self {
        let digest = Digest::of(format!("{task}/escalation/{nth}").as_bytes()).to_string();
        Self(format!("ESC-{}", &digest[..8]))
    }

    fn read(text: String) -> Result<Self, IdError> {
        match text.strip_prefix("ESC-") {
            Some(rest) if is_hex8(rest) => Ok(Self(text)),
            Some(_) | None => Err(IdError::new(&text, "an escalation such as ESC-1a2b3c4d")),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl EffectId {
    /// Names the `attempt`th try at `what`, for the thing called `owner`.
    pub fn of(owner: impl fmt::Display, what: &str, attempt: u32) -> Self {
        // They are asked for several times in every step, and put together faster than formatted.
        let mut name = String::with_capacity(EFFECT_BYTES_USUAL);
        write!(name, "{owner}").expect("a text takes everything");
        for part in ["/", what, "/try-", itoa::Buffer::new().format(attempt)] {
            name.push_str(part);
        }
        Self(name)
    }

    fn read(text: String) -> Result<Self, IdError> {
        let plain = |byte: u8| byte.is_ascii_graphic();
        let parts_named = text.split('/').all(|part| !part.is_empty());
        if text.len() <= EFFECT_BYTES_MAX && text.bytes().all(plain) && parts_named {
            return Ok(Self(text));
        }
        Err(IdError::new(&text, "an effect such as T-x/frame/try-1"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Seq {
    /// Before the first record.
    pub const ZERO: Self = Self(0);

    pub fn new(number: u64) -> Self {
        Self(number)
    }

    pub fn get(self) -> u64 {
        self.0
    }

    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl IdError {
    pub(crate) fn new(text: &str, kind: &'static str) -> Self {
        Self { text: text.chars().take(TEXT_SHOWN_MAX).collect(), kind }
    }
}

text_id!(
    StreamId by Self::new,
    TaskId by Self::new,
    EscalationId by Self::read,
    EffectId by Self::read,
);

impl Serialize for StreamId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

pub(crate) fn is_hex8(text: &str) -> bool {
    let hex = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f');
    text.len() == 8 && text.bytes().all(hex)
}

const NAME_BYTES_MAX: usize = 128;
const EFFECT_BYTES_MAX: usize = 512;
/// Room for nearly every name of an effect.
const EFFECT_BYTES_USUAL: usize = 64;
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
    fn a_task_an_escalation_and_a_slice_have_their_own_forms() {
        assert!(TaskId::new("T-rate-limit-3f9a2c").is_ok());
        for bad in ["T-", "t-x", "rate-limit", "T-a/b", "T-x.", "project"] {
            assert!(TaskId::new(bad).is_err(), "{bad}");
        }
        let task = TaskId::new("T-x").unwrap();
        let first = EscalationId::of(&task, 1);
        assert_eq!(EscalationId::try_from(first.to_string()), Ok(first.clone()));
        assert_ne!(first, EscalationId::of(&task, 2));
        for bad in ["ESC-", "ESC-1A2B3C4D", "ESC-1a2b3c4", "1a2b3c4d"] {
            assert!(EscalationId::try_from(bad.to_string()).is_err(), "{bad}");
        }
        assert_eq!(SliceId::try_from("S-0007".to_string()), Ok(SliceId::new(7)));
        assert!(SliceId::try_from("S-7".to_string()).is_err());
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
