//! Faults: what can go wrong between a model and whoever asks it. One variant each.
//!
//! A fault belongs to a step. It changes what is said (`bend`), how it is delivered, or takes the answer's place; the
//! server does the last two.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::reply::halves;
use crate::{Content, Input, Reply};

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Fault {
    /// The owner asks for patience: 429.
    RateLimited {
        /// For how long.
        retry_after_s: u32,
    },
    /// The owner does not know who asks: 401.
    Unauthorised,
    /// The owner is in trouble: 500.
    ServerError,
    /// The connection is closed after half of the answer.
    CutStream,
    /// The answer takes its time.
    Slow {
        /// Before it begins.
        #[serde(default)]
        before_ms: u32,
        /// Between one piece and the next.
        #[serde(default)]
        between_ms: u32,
    },
    /// The answer is no JSON.
    Malformed,
    /// The answer, or what a tool is called with, has another shape than was asked for.
    WrongSchema,
    /// The model declines.
    Refusal,
    /// The model runs into the limit for one turn.
    Truncated,
}

/// A fault, and how often it strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strike {
    /// What goes wrong.
    pub fault: Fault,
    /// How often.
    pub times: Times,
}

/// How often a fault strikes before its step is served as if nothing were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// Whenever the step is asked for.
    Always,
    /// So many times.
    First(u32),
}

impl Fault {
    /// What becomes of a reply under this fault.
    pub(crate) fn bend(self, reply: Reply) -> Reply {
        match self {
            Self::RateLimited { .. }
            | Self::Unauthorised
            | Self::ServerError
            | Self::CutStream
            | Self::Slow { .. }
            | Self::Malformed => reply,
            Self::WrongSchema => wrong(reply),
            Self::Refusal => Reply::Refused(NO.to_owned()),
            Self::Truncated => Reply::CutShort(first_half(&reply)),
        }
    }
}

/// Whether a tool was called with what [`Fault::WrongSchema`] makes of its input, or with what an agent made of that.
pub(crate) fn is_nonsense(input: &Value) -> bool {
    input.to_string().contains(NONSENSE)
}

fn wrong(reply: Reply) -> Reply {
    let nonsense = json!({NONSENSE: true});
    match reply {
        Reply::Whole(Content::Text(_)) => Reply::text(nonsense.to_string()),
        Reply::Whole(Content::Call(mut call)) => {
            call.input = match call.input {
                Input::Json(_) => Input::Json(nonsense),
                Input::Text(_) => Input::Text(NONSENSE.to_owned()),
            };
            Reply::Whole(Content::Call(call))
        }
        Reply::CutShort(_) | Reply::Refused(_) => reply,
    }
}

/// What was said when the limit came. A call that the limit falls into is never made: the model was still talking.
fn first_half(reply: &Reply) -> String {
    let words = match reply {
        Reply::Whole(Content::Text(text)) | Reply::CutShort(text) | Reply::Refused(text) => {
            text.clone()
        }
        Reply::Whole(Content::Call(call)) => {
            format!("I am going to call `{}` for this.", call.tool)
        }
    };
    halves(&words)[0].to_owned()
}

const NO: &str = "I cannot help with that.";
/// A word that no schema and no script has.
const NONSENSE: &str = "not_in_the_schema";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Call, Calling};

    fn call(input: Input) -> Reply {
        let tool = "submit_result".to_owned();
        Reply::Whole(Content::Call(Call { tool, calling: Calling::Function, input }))
    }

    #[test]
    fn a_wrong_shape_is_wrong_for_words_and_for_calls() {
        let bent = Fault::WrongSchema.bend(Reply::text("{\"verdict\":\"accept\"}"));
        assert_eq!(bent, Reply::text("{\"not_in_the_schema\":true}"));
        let bent = Fault::WrongSchema.bend(call(Input::Json(json!({"verdict": "accept"}))));
        assert_eq!(bent, call(Input::Json(json!({NONSENSE: true}))));
        let bent = Fault::WrongSchema.bend(call(Input::Text("*** Begin Patch".to_owned())));
        assert_eq!(bent, call(Input::Text(NONSENSE.to_owned())));
    }

    #[test]
    fn a_reply_that_is_cut_short_calls_nothing() {
        let bent = Fault::Truncated.bend(call(Input::Json(json!({}))));
        assert_eq!(bent, Reply::CutShort("I am going to call `su".to_owned()));
        assert_eq!(Fault::Truncated.bend(Reply::text("1234")), Reply::CutShort("12".to_owned()));
    }

    #[test]
    fn a_refusal_says_no() {
        assert_eq!(Fault::Refusal.bend(Reply::text("yes")), Reply::Refused(NO.to_owned()));
    }
}
