//! Names, digests and times, each with the pattern its schema promises.

use sealwright_kernel::EffectId;
use sealwright_store::attest::KeyId;
use serde::Serialize;

/// A text whose form the schema describes.
macro_rules! text {
    ($(#[$doc:meta])* $name:ident, $pattern:literal $(, from $($source:ty),+)?) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub struct $name(#[cfg_attr(feature = "schema", schemars(regex(pattern = $pattern)))] String);

        $($(impl From<$source> for $name {
            fn from(it: $source) -> Self {
                Self(it.to_string())
            }
        })+)?
    };
}

text!(
    /// A SHA-256 in lower-case hex.
    Digest, "^[0-9a-f]{64}$", from sealwright_kernel::Digest, KeyId
);
text!(
    /// The id of a task, which is also the id of its stream.
    TaskId, "^T-[A-Za-z0-9._-]{0,125}[A-Za-z0-9]$", from &sealwright_kernel::TaskId, &sealwright_kernel::StreamId
);
text!(
    /// The id of a stream.
    StreamId, "^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$",
    from &sealwright_kernel::StreamId, &sealwright_kernel::TaskId
);
text!(
    /// The id of one agent call.
    InvocationId, "^INV-[0-9]{6,10}$", from sealwright_kernel::InvocationId
);
text!(
    /// The id of a piece of evidence.
    EvidenceId, "^EV-[0-9]{6,10}$", from sealwright_kernel::EvidenceId, String
);
text!(
    /// The id of a question.
    QuestionId, "^T-[A-Za-z0-9._-]{0,125}[A-Za-z0-9]/(ask|budget)/try-[0-9]+$", from &EffectId
);
text!(
    /// The name of a git commit: SHA-1 or SHA-256 in hex.
    Commit, "^[0-9a-f]{40}([0-9a-f]{24})?$", from &String
);
text!(
    /// The branch that holds the work of a task.
    Branch, "^sealwright/T-[A-Za-z0-9._-]{0,125}[A-Za-z0-9]$", from String
);
text!(
    /// The end of a task's stream: the value of the commit trailer `Sealwright-Stream`.
    Anchor, "^T-[A-Za-z0-9._-]{0,125}[A-Za-z0-9] seq=[1-9][0-9]* sha256=[0-9a-f]{64}$", from &sealwright_store::Anchor
);
text!(
    /// An ed25519 signature in hex.
    Signature, "^[0-9a-f]{128}$"
);

/// A text that is never empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, description = ""))]
pub struct NonEmptyText(#[cfg_attr(feature = "schema", schemars(length(min = 1)))] String);

/// The sequence number of a record in its stream, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Seq(#[cfg_attr(feature = "schema", schemars(range(min = 1)))] u64);

/// Milliseconds since 1970-01-01 in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timestamp(u64);

/// The last record of a stream. If no record could be read, `seq` is 0 and `hash` is all zeros.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Head {
    /// Its sequence number.
    pub seq: u64,
    /// Its hash.
    pub hash: Digest,
}

impl From<&str> for NonEmptyText {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<&String> for NonEmptyText {
    fn from(text: &String) -> Self {
        Self(text.clone())
    }
}

impl From<String> for NonEmptyText {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<sealwright_kernel::Seq> for Seq {
    fn from(seq: sealwright_kernel::Seq) -> Self {
        Self(seq.get())
    }
}

impl From<sealwright_kernel::Timestamp> for Timestamp {
    fn from(at: sealwright_kernel::Timestamp) -> Self {
        Self(at.as_millis())
    }
}

impl From<sealwright_store::Head> for Head {
    fn from(head: sealwright_store::Head) -> Self {
        Self { seq: head.seq.get(), hash: head.hash.into() }
    }
}
