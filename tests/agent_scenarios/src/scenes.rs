//! The scenes there are. A new one is a function in a file below and a line in [`SCENES`].

mod faults;
mod limits;
mod work;

use anyhow::Result;
use sealwright_agents::{CallOutcome, End};

use crate::route::{Hands, Route};

/// Something every route is put through.
pub struct Scene {
    /// Its name.
    pub key: &'static str,
    /// What holds when it holds.
    pub about: &'static str,
    /// Who can play it.
    pub needs: Hands,
    /// Plays it.
    pub play: fn(&Route) -> Result<Verdict>,
}

/// Whether a scene held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether.
    pub held: bool,
    /// What was seen, in a few words.
    pub seen: String,
}

impl Verdict {
    /// Holds if all of these do; names the first that does not.
    fn all(seen: impl Into<String>, claims: &[(&str, bool)]) -> Self {
        match claims.iter().find(|(_, holds)| !holds) {
            None => Self { held: true, seen: seen.into() },
            Some((claim, _)) => {
                Self { held: false, seen: format!("not so: {claim}; {}", seen.into()) }
            }
        }
    }
}

/// An end in a few words, for a table.
pub fn told(outcome: &CallOutcome) -> String {
    match &outcome.end {
        End::Answered { .. } => "answered".to_owned(),
        End::GaveUp { why } => format!("gave up: {}", first_words(why)),
        End::OutOfBudget { limit } => format!("out of budget: {limit:?}").to_lowercase(),
        End::RateLimited { retry_after_s: Some(seconds) } => {
            format!("rate-limited for {seconds} s")
        }
        End::RateLimited { retry_after_s: None } => "rate-limited".to_owned(),
        End::Cancelled => "cancelled".to_owned(),
        End::Failed { failure, why } => {
            format!("failed: {}: {}", format!("{failure:?}").to_lowercase(), first_words(why))
        }
    }
}

fn first_words(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(90) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// All of them, in the order of the table.
pub const SCENES: &[Scene] = &[
    Scene {
        key: "answers",
        about: "hands in a typed answer",
        needs: Hands::None,
        play: work::answers,
    },
    Scene { key: "edits", about: "edits files", needs: Hands::Both, play: work::edits },
    Scene {
        key: "runs",
        about: "runs a command and sees what it says",
        needs: Hands::Both,
        play: work::runs,
    },
    Scene {
        key: "role-tool",
        about: "calls a role tool and sees what it says",
        needs: Hands::Both,
        play: work::role_tool,
    },
    Scene {
        key: "mends",
        about: "mends a result that was sent back",
        needs: Hands::None,
        play: work::mends,
    },
    Scene {
        key: "read-only",
        about: "cannot write in a read-only role",
        needs: Hands::Both,
        play: work::read_only,
    },
    Scene {
        key: "injection",
        about: "words in a file move nothing",
        needs: Hands::Both,
        play: work::injection,
    },
    Scene {
        key: "talk-only",
        about: "being done is no answer",
        needs: Hands::Both,
        play: work::talk_only,
    },
    Scene {
        key: "rate-limited",
        about: "429 for ever: parked until told",
        needs: Hands::None,
        play: faults::rate_limited,
    },
    Scene {
        key: "rate-limited-once",
        about: "429 once: waits and goes on",
        needs: Hands::None,
        play: faults::rate_limited_once,
    },
    Scene {
        key: "server-error",
        about: "500 for ever: unreachable",
        needs: Hands::None,
        play: faults::server_error,
    },
    Scene {
        key: "server-error-once",
        about: "500 once: goes on",
        needs: Hands::None,
        play: faults::server_error_once,
    },
    Scene {
        key: "cut-stream",
        about: "every stream is cut: unreachable",
        needs: Hands::None,
        play: faults::cut_stream,
    },
    Scene {
        key: "slow",
        about: "a slow model is waited for",
        needs: Hands::None,
        play: faults::slow,
    },
    Scene {
        key: "malformed",
        about: "an answer that is no JSON is no answer",
        needs: Hands::None,
        play: faults::malformed,
    },
    Scene {
        key: "wrong-shape",
        about: "a result of the wrong shape for ever is no answer",
        needs: Hands::None,
        play: faults::wrong_shape,
    },
    Scene {
        key: "refusal",
        about: "a refusal is no answer",
        needs: Hands::None,
        play: faults::refusal,
    },
    Scene {
        key: "truncated",
        about: "half an answer is no answer",
        needs: Hands::None,
        play: faults::truncated,
    },
    Scene {
        key: "unauthorised",
        about: "a wrong key is named",
        needs: Hands::None,
        play: faults::unauthorised,
    },
    Scene {
        key: "cancelled",
        about: "called off in the middle, nothing is left",
        needs: Hands::Both,
        play: limits::cancelled,
    },
    Scene {
        key: "turns",
        about: "stops when its turns are spent",
        needs: Hands::Both,
        play: limits::turns,
    },
    Scene {
        key: "tokens",
        about: "stops when its tokens are spent",
        needs: Hands::Both,
        play: limits::tokens,
    },
    Scene {
        key: "minutes",
        about: "stops when its time is over",
        needs: Hands::None,
        play: limits::minutes,
    },
];
