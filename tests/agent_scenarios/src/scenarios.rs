//! The table of scenarios. A new one is a function in a file below and a line in [`SCENARIOS`].

mod boundaries;
mod conversations;
mod faults;
mod limits;
mod logins;
mod work;

use anyhow::Result;
use sealwright_agents::{CallOutcome, End};

use crate::route::{Kind, Route};

/// One scenario, run on every route that supports it.
pub struct Scenario {
    pub key: &'static str,
    /// What holds if it passes.
    pub about: &'static str,
    /// The kind of route it needs; `Model` means any, `Agent` one with a login as well.
    pub needs: Kind,
    pub run: Run,
}

impl Scenario {
    pub fn runs_on(&self, route: &Route) -> bool {
        match self.needs {
            Kind::Model => true,
            Kind::Agent => route.kind != Kind::Model,
            Kind::Login => route.kind == Kind::Login,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
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

pub const SCENARIOS: &[Scenario] = &[
    model("answers", "submits a typed answer", work::answers),
    agent("edits", "edits files", work::edits),
    agent("runs", "runs a command and reads its output", work::runs),
    agent("role-tool", "calls a role tool and reads its result", work::role_tool),
    model("mends", "corrects a rejected result", work::mends),
    agent("read-only", "cannot write in a read-only role", work::read_only),
    agent("injection", "ignores instructions in a file", work::injection),
    agent(
        "tree-settings",
        "takes no setting, hook, server or order from the tree",
        boundaries::tree_settings,
    ),
    agent(
        "other-calls",
        "reaches its model by questions and nothing else",
        boundaries::other_calls,
    ),
    agent("goes-on", "asked again, goes on with its own conversation", conversations::goes_on),
    agent("begins-anew", "begins anew where it cannot go on", conversations::begins_anew),
    agent("talk-only", "a claim to be done is no answer", work::talk_only),
    model("rate-limited", "429 always: parked with the retry time", faults::rate_limited),
    model("rate-limited-once", "429 once: waits and continues", faults::rate_limited_once),
    model("server-error", "500 always: unreachable", faults::server_error),
    model("server-error-once", "500 once: continues", faults::server_error_once),
    model("cut-stream", "every stream breaks: unreachable", faults::cut_stream),
    model("slow", "waits for a slow model", faults::slow),
    model("malformed", "malformed JSON is no answer", faults::malformed),
    model(
        "wrong-shape",
        "a result that never matches the schema is no answer",
        faults::wrong_shape,
    ),
    model("refusal", "a refusal is no answer", faults::refusal),
    model("truncated", "a truncated answer is no answer", faults::truncated),
    model("unauthorised", "a wrong key is reported", faults::unauthorised),
    agent("cancelled", "cancelled in the middle; no process remains", limits::cancelled),
    agent("turns", "stops at the turn limit", limits::turns),
    agent("tokens", "stops at the token limit", limits::tokens),
    login("login-hidden", "the token of a login is nowhere inside", logins::hidden),
    login("login-given", "a program that is given the token leaves it nowhere", logins::given),
    login("login-renewed", "a login that is renewed in the middle goes on", logins::renewed),
    login("login-expired", "an expired login says what to type, once", logins::expired),
    login("login-rejected", "a rejected login says what to type", logins::rejected),
    login("login-readable", "a login that others can read is not sent", logins::readable),
    login("login-window", "a full window is parked until its reset", logins::window),
    login(
        "login-other-calls",
        "a login signs the calls it needs and no other",
        logins::other_calls,
    ),
    model("minutes", "stops at the time limit", limits::minutes),
];

/// A scenario for every route.
const fn model(key: &'static str, about: &'static str, run: Run) -> Scenario {
    Scenario { key, about, needs: Kind::Model, run }
}

/// A scenario for routes that edit files and run commands.
const fn agent(key: &'static str, about: &'static str, run: Run) -> Scenario {
    Scenario { key, about, needs: Kind::Agent, run }
}

/// A scenario for routes with a login.
const fn login(key: &'static str, about: &'static str, run: Run) -> Scenario {
    Scenario { key, about, needs: Kind::Login, run }
}

type Run = fn(&Route) -> Result<Verdict>;
