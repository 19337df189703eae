//! What a client of a model has to be able to do: put one question, and bring one reply.
//!
//! It keeps no key, repeats nothing and follows nowhere. Whether a question is put again is for the conversation.

use std::any::Any;
use std::fmt;
use std::pin::Pin;

use serde_json::Value;

use crate::{Protocol, Usage};

pub trait ModelClient: Send + Sync {
    /// Puts one question. The future is dropped when the reply is no longer wanted.
    fn ask(&self, question: Question) -> Asking<'_>;
}

pub type Asking<'a> = Pin<Box<dyn Future<Output = Result<Reply, Unanswered>> + Send + 'a>>;

/// One question, with everything that was said before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Where the model answers, without the version. No key is needed there.
    pub at: String,
    pub protocol: Protocol,
    pub model: String,
    pub rules: String,
    /// What was said, in turn; the last is ours.
    pub said: Vec<Message>,
    pub schema: Value,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    Ours(String),
    Theirs(String),
}

#[derive(Debug)]
pub struct Reply {
    pub text: String,
    pub usage: Usage,
    pub finish: Finish,
    /// The line it came by, still open.
    pub line: Line,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    /// It was done.
    Complete,
    /// It had no tokens left.
    CutOff,
    /// It, or a filter of its owner's, would not.
    Refused { why: String },
}

/// A line that is kept open until it is dropped, so that the other side can come to its end.
#[derive(Default)]
pub struct Line(Option<Box<dyn Any + Send>>);

/// Why there is no reply. What passed the way out tells more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// The model's owner said no, with these words.
    #[error("{words}")]
    TurnedAway { words: String },
    /// The reply is longer than is read.
    #[error("the answer exceeds the size limit")]
    TooLong,
    /// There was no reply, or none that makes sense.
    #[error("{words}")]
    Broke { words: String },
}

impl Line {
    /// Keeps this until it is dropped.
    pub fn of(open: impl Any + Send) -> Self {
        Self(Some(Box::new(open)))
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Line(open)" } else { "Line" })
    }
}
