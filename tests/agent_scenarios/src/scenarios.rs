//! The table of scenarios. A new one is a function in a file below and a line in [`SCENARIOS`].

mod faults;
mod limits;
mod work;

use anyhow::Result;
use sealwright_agents::{CallOutcome, End};

use crate::route::{Kind, Route};

/// One scenario, run on every route that supports it.
pub struct Scenario {
    /// Its name.
    pub key: &'static str,
    /// What holds if it passes.
    pub about: &'static str,
    /// The kind of route it needs; `Model` means any.
    pub needs: Kind,
    /// Runs it.
    pub run: fn(&Route) -> Result<Verdict>,
}

/// The result of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it passed.
    pub held: bool,
    /// A short description of the observation.
    pub seen: String,
}

impl Verdict {
    /// Passes if all claims hold; names the first that does not.
    fn all(seen: impl Into<String>, claims: &[(&str, bool)]) -> Self {
        match claims.iter().find(|(_, holds)| !holds) {
            None => Self { held: true, seen: seen.into() },
            Some((claim, _)) => {
                Self { held: false, seen: format!("failed: {claim}; {}", seen.into()) }
            }
        }
    }
}

/// The end of a call in a few words, for a table.
pub fn summary(outcome: &CallOutcome) -> String {
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

/// All scenarios, in the order of the table.
pub const SCENARIOS: &[Scenario] = &[
    Scenario {
        key: "answers",
        about: "submits a typed answer",
        needs: Kind::Model,
        run: work::answers,
    },
    Scenario { key: "edits", about: "edits files", needs: Kind::Agent, run: work::edits },
    Scenario {
        key: "runs",
        about: "runs a command and reads its output",
        needs: Kind::Agent,
        run: work::runs,
    },
    Scenario {
        key: "role-tool",
        about: "calls a role tool and reads its result",
        needs: Kind::Agent,
        run: work::role_tool,
    },
    Scenario {
        key: "mends",
        about: "corrects a rejected result",
        needs: Kind::Model,
        run: work::mends,
    },
    Scenario {
        key: "read-only",
        about: "cannot write in a read-only role",
        needs: Kind::Agent,
        run: work::read_only,
    },
    Scenario {
        key: "injection",
        about: "ignores instructions in a file",
        needs: Kind::Agent,
        run: work::injection,
    },
    Scenario {
        key: "talk-only",
        about: "a claim to be done is no answer",
        needs: Kind::Agent,
        run: work::talk_only,
    },
    Scenario {
        key: "rate-limited",
        about: "429 always: parked with the retry time",
        needs: Kind::Model,
        run: faults::rate_limited,
    },
    Scenario {
        key: "rate-limited-once",
        about: "429 once: waits and continues",
        needs: Kind::Model,
        run: faults::rate_limited_once,
    },
    Scenario {
        key: "server-error",
        about: "500 always: unreachable",
        needs: Kind::Model,
        run: faults::server_error,
    },
    Scenario {
        key: "server-error-once",
        about: "500 once: continues",
        needs: Kind::Model,
        run: faults::server_error_once,
    },
    Scenario {
        key: "cut-stream",
        about: "every stream breaks: unreachable",
        needs: Kind::Model,
        run: faults::cut_stream,
    },
    Scenario {
        key: "slow",
        about: "waits for a slow model",
        needs: Kind::Model,
        run: faults::slow,
    },
    Scenario {
        key: "malformed",
        about: "malformed JSON is no answer",
        needs: Kind::Model,
        run: faults::malformed,
    },
    Scenario {
        key: "wrong-shape",
        about: "a result that never matches the schema is no answer",
        needs: Kind::Model,
        run: faults::wrong_shape,
    },
    Scenario {
        key: "refusal",
        about: "a refusal is no answer",
        needs: Kind::Model,
        run: faults::refusal,
    },
    Scenario {
        key: "truncated",
        about: "a truncated answer is no answer",
        needs: Kind::Model,
        run: faults::truncated,
    },
    Scenario {
        key: "unauthorised",
        about: "a wrong key is reported",
        needs: Kind::Model,
        run: faults::unauthorised,
    },
    Scenario {
        key: "cancelled",
        about: "cancelled in the middle; no process remains",
        needs: Kind::Agent,
        run: limits::cancelled,
    },
    Scenario {
        key: "turns",
        about: "stops at the turn limit",
        needs: Kind::Agent,
        run: limits::turns,
    },
    Scenario {
        key: "tokens",
        about: "stops at the token limit",
        needs: Kind::Agent,
        run: limits::tokens,
    },
    Scenario {
        key: "minutes",
        about: "stops at the time limit",
        needs: Kind::Model,
        run: limits::minutes,
    },
];
