//! One call of an agent, as its transcript tells it.

use sealwright_kernel::Timestamp;

use crate::wire::TranscriptKind;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub number: u32,
    /// The purpose of the call.
    pub part: String,
    pub begun: Option<Begun>,
    /// When the transcript last changed.
    pub news: Timestamp,
    pub ended: Option<Ended>,
    pub tokens: u64,
    /// The last lines.
    pub tail: Vec<Said>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    pub at: Timestamp,
    pub role: String,
    pub agent: String,
    pub model: String,
    /// The id of the effect.
    pub effect: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    pub end: String,
    pub micro_dollars: u64,
    pub tokens: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub at: Timestamp,
    pub how: TranscriptKind,
    pub text: String,
}

impl TranscriptKind {
    pub fn word(self) -> &'static str {
        match self {
            Self::Says => "says",
            Self::Runs => "runs",
            Self::Edits => "edits",
            Self::Reads => "reads",
            Self::Asks => "asks",
            Self::Uses => "uses",
            Self::Changed => "changed",
            Self::Warns => "warns",
            Self::Ended => "ended",
        }
    }
}

/// The text, or its first characters and an ellipsis.
pub fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
