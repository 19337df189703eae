//! The trail an agent leaves at its way out: what its model really answered, whatever the agent makes of it. The
//! model is known by the name it has there.

use sealwright_sandbox::egress::Log;
use sealwright_sandbox::egress::log::{Entry, Failure as Broke, Refusal, RequestOutcome as Passed};

use crate::{Failure, Said};

/// Whether this is a question to the model, and not a look at what else its owner serves.
pub(crate) fn is_question(entry: &Entry, model: &str) -> bool {
    let asks = QUESTIONS.iter().any(|ending| entry.path.ends_with(ending));
    entry.target == model && entry.method == "POST" && asks
}

/// Whether this is an answer of the model, or going to be one.
pub(crate) fn is_turn(entry: &Entry, model: &str) -> bool {
    is_question(entry, model)
        && matches!(entry.outcome, Passed::Open | Passed::Answered { status: 200..=299 })
}

/// How questions of one run follow each other, as they are told one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Course {
    /// How often the last question was asked in a row. A conversation grows with every turn, so a question of the
    /// same size is the same question.
    pub(crate) repeated: usize,
    /// How long the model's owner asked to be left alone, last.
    pub(crate) retry_after_s: Option<u64>,
    /// What was sent to the model, in bytes.
    pub(crate) sent: u64,
    /// Whether a question was turned away because its turns are spent.
    pub(crate) is_spent: bool,
    /// Whether the host had nothing to sign the last question with.
    pub(crate) is_unsigned: bool,
    size: u64,
}

impl Course {
    pub(crate) fn and(self, entry: &Entry, model: &str) -> Self {
        if !is_question(entry, model) || entry.outcome == Passed::Open {
            return self;
        }
        let repeated = if entry.bytes_in == self.size { self.repeated + 1 } else { 1 };
        Self {
            repeated,
            retry_after_s: entry.retry_after_s,
            sent: self.sent.saturating_add(entry.bytes_in),
            is_spent: self.is_spent
                || entry.outcome == Passed::Refused { why: Refusal::RequestsSpent },
            is_unsigned: entry.outcome == Passed::Refused { why: Refusal::NoCredential },
            size: entry.bytes_in,
        }
    }

    /// Whether an agent that goes on like this comes to nothing: it is asked to wait for long, it asks the same thing
    /// again and again, or its person has to sign in again.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.repeated >= REPEATED_MAX
            || self.is_unsigned
            || self.retry_after_s.is_some_and(|seconds| seconds > RETRY_AFTER_S_MAX)
    }

    /// About how many tokens were sent, for agents that do not tell.
    pub(crate) fn tokens_sent(&self) -> u64 {
        self.sent / BYTES_OF_A_TOKEN
    }
}

/// What the last question came to, where it came to nothing.
pub(crate) fn last_refusal(log: &Log, model: &str) -> Option<Said> {
    refusal(log.entries.iter().rfind(|entry| is_question(entry, model))?)
}

/// What a question came to, if it came to nothing.
pub(crate) fn refusal(question: &Entry) -> Option<Said> {
    let failed = |failure, why: &str| Some(Said::Failed { failure, why: why.to_owned() });
    match question.outcome {
        Passed::Answered { status: 429 } => {
            Some(Said::RateLimited { retry_after_s: question.retry_after_s })
        }
        Passed::Answered { status: 401 | 403 } => {
            failed(Failure::Unauthorised, "the model's owner does not know the key")
        }
        Passed::Answered { status: status @ (408 | 500..=599) } => {
            failed(Failure::Unreachable, &format!("the model's owner answered with {status}"))
        }
        Passed::Answered { status: status @ 400..=499 } => failed(
            Failure::Refused,
            &format!("the model's owner turned the question away with {status}"),
        ),
        Passed::Failed { why: Broke::RoleLeft | Broke::Stopped } => None,
        Passed::Failed { why: Broke::ResponseTooLarge } => {
            failed(Failure::Truncated, "the answer exceeds the size limit")
        }
        Passed::Failed {
            why:
                Broke::Unresolved
                | Broke::Unreachable
                | Broke::Untrusted
                | Broke::TimedOut
                | Broke::UpstreamBroke,
        } => failed(Failure::Unreachable, "the model broke off, or could not be reached"),
        Passed::Refused { why: Refusal::NoCredential } => {
            failed(Failure::Unauthorised, "the host had nothing to sign the question with")
        }
        Passed::Refused { .. } => {
            failed(Failure::Unreachable, "the question was not let out of the sandbox")
        }
        Passed::Open | Passed::Answered { .. } | Passed::Tunnelled => None,
    }
}

/// How the path of a question ends, in the protocols there are.
pub(crate) const QUESTIONS: &[&str] =
    &["/messages", "/responses", "/chat/completions", "enerateContent"];
const REPEATED_MAX: usize = 4;
/// How long an agent may be asked to wait without being parked.
const RETRY_AFTER_S_MAX: u64 = 20;
const BYTES_OF_A_TOKEN: u64 = 4;

#[cfg(test)]
mod tests {
    use sealwright_sandbox::egress::log::Mode;

    use super::*;

    fn entry(path: &str, outcome: Passed) -> Entry {
        Entry {
            at_ms: 0,
            took_ms: 0,
            connection: 1,
            mode: Mode::Reverse,
            target: "model".to_owned(),
            method: "POST".to_owned(),
            path: path.to_owned(),
            outcome,
            retry_after_s: Some(7),
            bytes_in: 0,
            bytes_out: 0,
        }
    }

    #[test]
    fn the_last_question_tells_what_became_of_the_model() {
        let ok = || entry("/v1/responses", Passed::Answered { status: 200 });
        for (last, expected) in [
            (ok(), None),
            (
                entry("/v1/messages", Passed::Answered { status: 429 }),
                Some(Said::RateLimited { retry_after_s: Some(7) }),
            ),
            (entry("/v1/messages/count_tokens", Passed::Answered { status: 404 }), None),
            (entry("/v1/x:streamGenerateContent", Passed::Failed { why: Broke::RoleLeft }), None),
        ] {
            let log = Log { entries: vec![ok(), last], ..Log::default() };
            assert_eq!(last_refusal(&log, "model"), expected);
        }
        for (status, failure) in
            [(401, Failure::Unauthorised), (500, Failure::Unreachable), (400, Failure::Refused)]
        {
            let log = Log {
                entries: vec![entry("/v1/responses", Passed::Answered { status })],
                ..Log::default()
            };
            assert!(
                matches!(last_refusal(&log, "model"), Some(Said::Failed { failure: found, .. }) if found == failure)
            );
        }
    }

    #[test]
    fn the_same_question_again_and_again_is_hopeless() {
        let asked = |sizes: &[u64], outcome| {
            sizes.iter().fold(Course::default(), |course, size| {
                let entry = Entry {
                    bytes_in: *size,
                    retry_after_s: None,
                    ..entry("/v1/responses", outcome)
                };
                course.and(&entry, "model")
            })
        };
        let answered = Passed::Answered { status: 200 };
        assert!(!asked(&[10, 20, 30, 40, 50], answered).is_hopeless());
        assert!(!asked(&[10, 20, 20, 20], answered).is_hopeless());
        assert!(asked(&[10, 20, 20, 20, 20], answered).is_hopeless());
        assert!(!asked(&[20, 20, 20, 20, 30], answered).is_hopeless());
        assert!(!asked(&[20, 20, 20, 20, 20], Passed::Open).is_hopeless());
        assert_eq!(asked(&[10, 30], answered).tokens_sent(), 10);
    }

    #[test]
    fn who_is_asked_to_wait_for_long_is_parked() {
        let waits = |seconds| {
            let limited = Passed::Answered { status: 429 };
            let entry = Entry { retry_after_s: Some(seconds), ..entry("/v1/responses", limited) };
            Course::default().and(&entry, "model").is_hopeless()
        };
        assert!(!waits(RETRY_AFTER_S_MAX) && waits(RETRY_AFTER_S_MAX + 1));
    }

    #[test]
    fn a_turn_is_an_answer_of_the_model() {
        let turns = [
            (entry("/v1/responses", Passed::Open), true),
            (entry("/v1/responses", Passed::Answered { status: 500 }), false),
            (entry("/v1/messages/count_tokens", Passed::Answered { status: 200 }), false),
            (Entry { target: "tools".to_owned(), ..entry("/v1/responses", Passed::Open) }, false),
        ];
        for (entry, expected) in turns {
            assert_eq!(is_turn(&entry, "model"), expected, "{entry:?}");
        }
    }
}
