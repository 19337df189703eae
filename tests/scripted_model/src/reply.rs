//! A reply: one turn of the model, before a protocol formats it.

use serde_json::Value;

use crate::Calling;

/// One turn of the model.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// A complete message or call.
    Whole(Content),
    /// A message truncated at the output limit.
    CutShort(String),
    Refused(String),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    Text(String),
    Call(Call),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Its name as offered.
    pub tool: String,
    pub calling: Calling,
    pub input: Input,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    Json(Value),
    Text(String),
}

impl Input {
    /// As text on the wire.
    pub(crate) fn to_text(&self) -> String {
        match self {
            Self::Json(value) => value.to_string(),
            Self::Text(text) => text.clone(),
        }
    }

    /// As a value on the wire.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Json(value) => value.clone(),
            Self::Text(text) => Value::from(text.as_str()),
        }
    }
}

impl Reply {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Whole(Content::Text(text.into()))
    }
}

/// What distinguishes the replies of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// A counter. Agents treat two replies with one id as the same.
    pub number: u64,
    pub model: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// In one body.
    Whole,
    /// As server-sent events.
    Streamed,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    Body(Value),
    Events(Vec<String>),
}

/// Both halves of a text, split between characters. The second is empty only if the text is.
pub(crate) fn halves(text: &str) -> [&str; 2] {
    let middle = text.chars().count() / 2;
    let at = text.char_indices().nth(middle).map_or(0, |(at, _)| at);
    let (first, second) = text.split_at(at);
    [first, second]
}

/// The creation time of every reply, for determinism.
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
