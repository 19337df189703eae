//! A reply: what the model says in one turn, before a protocol gives it its form.

use serde_json::Value;

use crate::Calling;

/// What the model says in one turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// It says something, or calls something, and comes to its end.
    Whole(Content),
    /// It says something and runs into the limit for one turn.
    CutShort(String),
    /// It declines, in these words.
    Refused(String),
}

/// What a turn that came to its end consists of.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Words.
    Text(String),
    /// A call.
    Call(Call),
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Which, as it was offered.
    pub tool: String,
    /// How it is called.
    pub calling: Calling,
    /// With what.
    pub input: Input,
}

/// What a tool is called with.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// JSON.
    Json(Value),
    /// Plain text.
    Text(String),
}

impl Input {
    /// As the text that goes over the wire.
    pub(crate) fn to_text(&self) -> String {
        match self {
            Self::Json(value) => value.to_string(),
            Self::Text(text) => text.clone(),
        }
    }

    /// As the value that goes over the wire.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Json(value) => value.clone(),
            Self::Text(text) => Value::from(text.as_str()),
        }
    }
}

impl Reply {
    /// Words that come to their end.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Whole(Content::Text(text.into()))
    }
}

/// What tells one reply of a server from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Counts replies. Agents take two replies with one id for one reply.
    pub number: u64,
    /// The model that was asked for.
    pub model: String,
}

/// How an answer is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// In one body.
    Whole,
    /// As events, one after the other.
    Streamed,
}

/// A reply in a protocol's form.
#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    /// One body.
    Body(Value),
    /// Events.
    Events(Vec<String>),
}

/// Both halves of a text, split between characters. The second is empty only if the text is.
pub(crate) fn halves(text: &str) -> [&str; 2] {
    let middle = text.chars().count() / 2;
    let at = text.char_indices().nth(middle).map_or(0, |(at, _)| at);
    let (first, second) = text.split_at(at);
    [first, second]
}

/// When every reply was made. The script's world has no clock.
pub(crate) const CREATED_S: u64 = 1_767_225_600;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_halved_between_characters() {
        for text in ["", "a", "ab", "éèê", "日本語x"] {
            assert_eq!(halves(text).concat(), text);
        }
        assert_eq!(halves("abc"), ["a", "bc"]);
    }
}
