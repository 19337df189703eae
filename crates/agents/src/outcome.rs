//! How an assignment ended. An exit code decides nothing: the end is concluded from what came in by the role tools,
//! from what cut the run short, and last from the agent's own words.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use sealwright_kernel::Confinement;
use sealwright_sandbox::Ended;
use sealwright_sandbox::egress::Log;

use crate::login::{LoginError, UsageWindow};
use crate::tools::Call;
use crate::{Limit, Spent};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallOutcome {
    pub end: End,
    pub spent: Spent,
    /// How strongly it was confined, where a process was run.
    pub confinement: Option<Confinement>,
    /// Processes it had left behind; they are dead.
    pub leftovers: u32,
    pub calls: Vec<Call>,
    pub way_out: Log,
    /// How much of a subscription is used up, as its maker last said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<UsageWindow>,
}

impl CallOutcome {
    /// This one, with what a call before it did that asked its model nothing.
    pub(crate) fn after(mut self, first: Self) -> Self {
        let last = first.way_out.entries.iter().map(|it| it.connection).max().unwrap_or(0);
        for entry in &mut self.way_out.entries {
            entry.connection = entry.connection.saturating_add(last);
            entry.at_ms = entry.at_ms.saturating_add(first.spent.wall_ms);
        }
        self.way_out.entries.splice(0..0, first.way_out.entries);
        self.way_out.refusals_dropped += first.way_out.refusals_dropped;
        self.way_out.accepts_failed += first.way_out.accepts_failed;
        self.calls.splice(0..0, first.calls);
        self.leftovers = self.leftovers.saturating_add(first.leftovers);
        self.spent.usage = self.spent.usage.and(first.spent.usage);
        self.spent.wall_ms = self.spent.wall_ms.saturating_add(first.spent.wall_ms);
        if let Some(spent) = first.spent.micro_dollars {
            let own = self.spent.micro_dollars.unwrap_or(0);
            self.spent.micro_dollars = Some(own.saturating_add(spent));
        }
        if self.windows.is_empty() {
            self.windows = first.windows;
        }
        self
    }

    /// Of an assignment whose login cannot be used, before anything was spent.
    pub(crate) fn without_login(error: &LoginError) -> Self {
        let why = format!("{error}; {}", error.hint());
        Self::unspent(End::Failed { failure: Failure::Unauthorised, why })
    }

    /// Of an assignment that ended like this before anything was spent.
    pub fn unspent(end: End) -> Self {
        Self {
            end,
            spent: Spent::default(),
            confinement: None,
            leftovers: 0,
            calls: Vec::new(),
            way_out: Log::default(),
            windows: Vec::new(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "end")]
pub enum End {
    /// With an answer of the shape that was asked for.
    Answered { answer: Value },
    /// It ended by itself, without one.
    GaveUp {
        /// Its last words, shortened.
        why: String,
    },
    /// There was nothing left of something.
    OutOfBudget { limit: Limit },
    /// The model's owner asks for patience.
    RateLimited {
        /// For how long, if it was said.
        retry_after_s: Option<u64>,
    },
    /// It was cancelled.
    Cancelled,
    /// It could not be done.
    Failed {
        failure: Failure,
        /// In words, shortened.
        why: String,
    },
}

/// What can go wrong with a call. Each asks for something else to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// The agent is not there, or cannot be started.
    NotStarted,
    /// The walls were not strong enough, or could not be put up.
    Isolation,
    /// The model's owner does not know who asks.
    Unauthorised,
    /// The model could not be reached, or broke off.
    Unreachable,
    Refused,
    /// The answer was cut off before its end.
    Truncated,
    /// The answer never had the shape that was asked for.
    WrongShape,
    /// What the agent says makes no sense.
    BadStream,
    Died,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered { .. } => f.write_str("it answered"),
            Self::GaveUp { why } => write!(f, "it ended without an answer: {why}"),
            Self::OutOfBudget { limit } => write!(f, "it used up its {}", limit.name()),
            Self::RateLimited { retry_after_s: Some(wait) } => {
                write!(f, "the model's owner asks for patience, {wait} s of it")
            }
            Self::RateLimited { retry_after_s: None } => {
                f.write_str("the model's owner asks for patience")
            }
            Self::Cancelled => f.write_str("it was called off"),
            Self::Failed { failure, why } => write!(f, "{failure}: {why}"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotStarted => "the agent could not be started",
            Self::Isolation => "the walls around it were not strong enough",
            Self::Unauthorised => "the model's owner does not know who asks",
            Self::Unreachable => "the model could not be reached",
            Self::Refused => "the model refused to do it",
            Self::Truncated => "the answer was cut off",
            Self::WrongShape => "the answer never had the shape that was asked for",
            Self::BadStream => "what the agent said made no sense",
            Self::Died => "the agent ended in the middle",
        })
    }
}

/// What an agent itself says of its end. It is believed last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Said {
    /// Nothing: it stopped in the middle of a stream.
    #[default]
    Nothing,
    /// That it is done.
    Finished { text: String },
    /// That a budget of its own is used up.
    OutOfBudget { limit: Limit },
    /// That it has to wait.
    RateLimited {
        /// For how long, if it was told.
        retry_after_s: Option<u64>,
    },
    /// That it cannot.
    Failed { failure: Failure, why: String },
}

/// What cut a run short, seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// A person, or a task that no longer wants it.
    Cancelled,
    Budget(Limit),
    /// It has answered and did not stop by itself.
    Answered,
}

impl Cut {
    /// What cut a run short that ended like this, if anything did.
    pub(crate) fn of(ended: Ended) -> Option<Self> {
        match ended {
            Ended::TimedOut => Some(Self::Budget(Limit::Minutes)),
            Ended::Cancelled => Some(Self::Cancelled),
            Ended::Exited(_) | Ended::Signalled(_) | Ended::OutOfRoom | Ended::Vanished => None,
        }
    }
}

/// The end of an assignment: a cut that was asked for is named first, then what came in by the role tools, and only
/// then the agent's own words.
pub fn conclude(cut: Option<Cut>, answer: Option<Value>, said: Said) -> End {
    match (cut, answer, said) {
        (Some(Cut::Cancelled), _, _) => End::Cancelled,
        // What was submitted in time counts, whatever came after it.
        (Some(Cut::Budget(_) | Cut::Answered) | None, Some(answer), _) => End::Answered { answer },
        (Some(Cut::Budget(limit)), None, _) => End::OutOfBudget { limit },
        (Some(Cut::Answered) | None, None, said) => match said {
            Said::Nothing => End::Failed {
                failure: Failure::Died,
                why: "the agent ended without a last word".to_owned(),
            },
            Said::Finished { text } => End::GaveUp { why: shortened(&text) },
            Said::OutOfBudget { limit } => End::OutOfBudget { limit },
            Said::RateLimited { retry_after_s } => End::RateLimited { retry_after_s },
            Said::Failed { failure, why } => End::Failed { failure, why: shortened(&why) },
        },
    }
}

/// The first of a text, in whole characters.
pub(crate) fn shortened(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(WORDS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

const WORDS_MAX: usize = 500;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_counts_whatever_the_agent_says_afterwards() {
        let died = Said::Failed { failure: Failure::Died, why: "exit 1".to_owned() };
        let answered = End::Answered { answer: json!({"a": 1}) };
        assert_eq!(conclude(None, Some(json!({"a": 1})), died), answered);
        let late = conclude(Some(Cut::Budget(Limit::Turns)), Some(json!({"a": 1})), Said::Nothing);
        assert_eq!(late, answered);
        assert_eq!(conclude(Some(Cut::Cancelled), Some(json!({})), Said::Nothing), End::Cancelled);
    }

    #[test]
    fn being_done_is_no_answer() {
        let done = Said::Finished { text: " All done! ".to_owned() };
        assert_eq!(conclude(None, None, done), End::GaveUp { why: "All done!".to_owned() });
        assert!(matches!(
            conclude(None, None, Said::Nothing),
            End::Failed { failure: Failure::Died, .. }
        ));
    }

    #[test]
    fn last_words_are_shortened_between_characters() {
        let long = "é".repeat(WORDS_MAX + 1);
        let End::GaveUp { why } = conclude(None, None, Said::Finished { text: long }) else {
            unreachable!("it said that it is done")
        };
        assert_eq!(why.chars().count(), WORDS_MAX + 1);
    }
}
