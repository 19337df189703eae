//! Patience: whether a question that came to nothing is put again, and when. Pure.

use std::time::Duration;

use sealwright_sandbox::egress::log::{Entry, Failure as Broke, RequestOutcome as Passed};

use super::client::Unanswered;
use crate::{Failure, Said, egress_record};

/// How often, and for how long, a model is waited for that does not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patience {
    /// What is waited before each further attempt at one question. There are no more attempts than these and the
    /// first.
    pub delays_ms: Vec<u64>,
    /// What is waited in one assignment, all in all. A longer wait ends it.
    pub waits_ms_max: u64,
}

/// What is to be done about a question that came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It may be put again.
    Again {
        /// What it comes to if it is not.
        said: Said,
        /// What the model's owner asks to be left alone for.
        after_s: Option<u64>,
    },
    /// It would come to the same again.
    Final(Said),
}

impl Patience {
    /// How long to wait before an attempt, `failed` of this question having failed and `waited_ms` having been
    /// waited before; nothing when it is over.
    pub(super) fn delay(
        &self,
        failed: usize,
        after_s: Option<u64>,
        waited_ms: u64,
    ) -> Option<Duration> {
        let own_ms = *self.delays_ms.get(failed.checked_sub(1)?)?;
        let asked_ms = after_s.unwrap_or(0).saturating_mul(1000);
        let wait_ms = own_ms.max(asked_ms);
        (waited_ms.saturating_add(wait_ms) <= self.waits_ms_max)
            .then(|| Duration::from_millis(wait_ms))
    }
}

impl Default for Patience {
    /// Three attempts, and twenty seconds.
    fn default() -> Self {
        Self { delays_ms: vec![500, 2_000], waits_ms_max: 20_000 }
    }
}

/// What is to be done, by what the way out has seen of the question and, last, by what the client makes of it.
pub(super) fn judge(question: Option<&Entry>, unanswered: &Unanswered) -> Verdict {
    let failed = |failure| Said::Failed { failure, why: unanswered.to_string() };
    let Some(question) = question else { return Verdict::Final(failed(Failure::NotStarted)) };
    if *unanswered == Unanswered::TooLong {
        return Verdict::Final(failed(Failure::Truncated));
    }
    let seen = egress_record::refusal(question).unwrap_or_else(|| failed(Failure::BadStream));
    let said = match (seen, unanswered) {
        // The status says what to do about it, and the owner's words say why.
        (Said::Failed { failure, why }, Unanswered::TurnedAway { words }) if !words.is_empty() => {
            Said::Failed { failure, why: format!("{why}: {words}") }
        }
        (seen, _) => seen,
    };
    match question.outcome {
        Passed::Answered { status: 408 | 429 | 500..=599 } => {
            Verdict::Again { said, after_s: question.retry_after_s }
        }
        Passed::Open
        | Passed::Answered { status: 200..=299 }
        | Passed::Failed {
            why:
                Broke::Unresolved
                | Broke::Unreachable
                | Broke::TimedOut
                | Broke::UpstreamBroke
                | Broke::RoleLeft
                | Broke::Stopped,
        } => Verdict::Again { said, after_s: None },
        Passed::Answered { .. }
        | Passed::Tunnelled
        | Passed::Refused { .. }
        | Passed::Failed { why: Broke::Untrusted | Broke::ResponseTooLarge } => {
            Verdict::Final(said)
        }
    }
}

#[cfg(test)]
mod tests {
    use sealwright_sandbox::egress::log::{Mode, Refusal};

    use super::*;

    #[test]
    fn waiting_has_an_end_in_number_and_in_time() {
        let patience = Patience { delays_ms: vec![100, 200], waits_ms_max: 3_000 };
        let ms = |ms| Some(Duration::from_millis(ms));
        assert_eq!(patience.delay(1, None, 0), ms(100));
        assert_eq!(patience.delay(2, None, 0), ms(200));
        assert_eq!(patience.delay(3, None, 0), None);
        assert_eq!(patience.delay(1, Some(3), 0), ms(3_000));
        assert_eq!(patience.delay(1, Some(3), 1), None);
        assert_eq!(patience.delay(1, Some(u64::MAX), 0), None);
        assert_eq!(patience.delay(0, None, 0), None);
    }

    #[test]
    fn only_what_may_pass_is_tried_again() {
        let again = [
            Passed::Open,
            Passed::Answered { status: 200 },
            Passed::Answered { status: 429 },
            Passed::Answered { status: 500 },
            Passed::Answered { status: 529 },
            Passed::Failed { why: Broke::UpstreamBroke },
        ];
        let never = [
            Passed::Answered { status: 302 },
            Passed::Answered { status: 400 },
            Passed::Answered { status: 401 },
            Passed::Answered { status: 403 },
            Passed::Answered { status: 404 },
            Passed::Failed { why: Broke::Untrusted },
            Passed::Failed { why: Broke::ResponseTooLarge },
            Passed::Refused { why: Refusal::PathUnclear },
        ];
        let broke = Unanswered::Broke { words: "so".to_owned() };
        for outcome in again {
            let verdict = judge(Some(&entry(outcome)), &broke);
            assert!(matches!(verdict, Verdict::Again { .. }), "{outcome:?}: {verdict:?}");
            let long = judge(Some(&entry(outcome)), &Unanswered::TooLong);
            assert!(matches!(long, Verdict::Final(_)), "{outcome:?}: {long:?}");
        }
        for outcome in never {
            let verdict = judge(Some(&entry(outcome)), &broke);
            assert!(matches!(verdict, Verdict::Final(_)), "{outcome:?}: {verdict:?}");
        }
        assert!(matches!(judge(None, &broke), Verdict::Final(_)));
    }

    #[test]
    fn the_owner_is_quoted_and_the_status_decides() {
        let words = "no such model".to_owned();
        let verdict = judge(
            Some(&entry(Passed::Answered { status: 404 })),
            &Unanswered::TurnedAway { words },
        );
        let why = "the model's owner turned the question away with 404: no such model".to_owned();
        assert_eq!(verdict, Verdict::Final(Said::Failed { failure: Failure::Refused, why }));
    }

    fn entry(outcome: Passed) -> Entry {
        Entry {
            at_ms: 0,
            took_ms: 0,
            connection: 1,
            mode: Mode::Reverse,
            target: "model".to_owned(),
            method: "POST".to_owned(),
            path: "/v1/messages".to_owned(),
            outcome,
            retry_after_s: None,
            bytes_in: 0,
            bytes_out: 0,
        }
    }
}
