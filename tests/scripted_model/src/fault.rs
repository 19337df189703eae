//! Faults between a model and its client, one variant each.
//!
//! A fault belongs to a step. It changes the reply (`bend`), changes its delivery, or replaces it; the server does the
//! last two.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::reply::halves;
use crate::{Content, Input, Reply};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Fault {
    /// Rate limit: 429.
    RateLimited { retry_after_s: u32 },
    /// A window of the subscription is full: 429, with the headers that makers tell it by and no time to wait.
    WindowFull { resets_in_s: u32 },
    /// Unknown key: 401.
    Unauthorised,
    /// Server error: 500.
    ServerError,
    /// The connection closes after half of the answer.
    CutStream,
    /// The answer is delayed.
    Slow {
        /// Before it starts.
        #[serde(default)]
        before_ms: u32,
        /// Between two pieces.
        #[serde(default)]
        between_ms: u32,
    },
    /// The answer is not valid JSON.
    Malformed,
    /// The answer, or the input of a call, does not match the schema.
    WrongSchema,
    /// The model refuses.
    Refusal,
    /// The answer is truncated at the output limit.
    Truncated,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strike {
    pub fault: Fault,
    pub times: Times,
}

/// How often a fault strikes before its step is served normally.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// On every request for the step.
    Always,
    First(u32),
}

impl Fault {
    /// Applies the fault to a reply.
    pub(crate) fn bend(self, reply: Reply) -> Reply {
        match self {
            Self::RateLimited { .. }
            | Self::WindowFull { .. }
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

/// Whether a tool was called with the input of [`Fault::WrongSchema`], or with what an agent made of it.
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

/// The first half of a reply. A truncated call is never made.
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
/// A word that occurs in no schema and no script.
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
