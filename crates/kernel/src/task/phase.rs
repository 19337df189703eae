//! The nine phases of a task, and which may follow which.
//!
//! ```text
//! intake ─▶ shape ─▶ implement ─▶ verify ─▶ review ─▶ done
//!                                  │  ▲        │
//!                                  ▼  │        ▼
//!                                 repair ◀─────┘
//! ```
//!
//! Every phase after intake may also end in `needs_user_decision`, and all but review in
//! `blocked`. What a person decides after a halt opens a new attempt; it is not an edge here.

use core::fmt;

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The frame is being drafted.
    Intake,
    /// The contract, the plan and the tests are being made.
    Shape,
    Implement,
    /// The machine checks the candidate.
    Verify,
    /// Independent judges look at what was verified.
    Review,
    /// Known failures are being repaired, and nothing else.
    Repair,
    /// It is proven and shipped.
    Done,
    /// It cannot be done in this environment.
    Blocked,
    /// A person has to decide.
    NeedsUserDecision,
}

named! { Phase {
    Intake = "intake", Shape = "shape", Implement = "implement", Verify = "verify",
    Review = "review", Repair = "repair", Done = "done", Blocked = "blocked",
    NeedsUserDecision = "needs_user_decision",
} }

impl Phase {
    /// The phases that may follow without a person's resolution.
    pub fn next(self) -> &'static [Self] {
        match self {
            Self::Intake => &[Self::Shape],
            Self::Shape => &[Self::Implement, Self::Blocked, Self::NeedsUserDecision],
            Self::Implement => &[Self::Verify, Self::Blocked, Self::NeedsUserDecision],
            Self::Verify => &[Self::Review, Self::Repair, Self::Blocked, Self::NeedsUserDecision],
            Self::Review => &[Self::Done, Self::Repair, Self::NeedsUserDecision],
            Self::Repair => &[Self::Verify, Self::Blocked, Self::NeedsUserDecision],
            Self::Done | Self::Blocked | Self::NeedsUserDecision => &[],
        }
    }

    /// Whether a role that works in this phase may propose `next`. Staying is always allowed. The
    /// task decides whether to follow a proposal.
    pub fn may_propose(self, next: Self) -> bool {
        next == self || self.next().contains(&next)
    }

    /// Whether the runner stops here.
    pub fn is_terminal(self) -> bool {
        self.next().is_empty()
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;
    use std::vec::Vec;

    use super::*;

    /// Proves: P-005, P-020
    #[test]
    fn the_whole_table_is_this_and_nothing_else() {
        let allowed = [
            "intake>shape",
            "shape>implement",
            "shape>blocked",
            "shape>needs_user_decision",
            "implement>verify",
            "implement>blocked",
            "implement>needs_user_decision",
            "verify>review",
            "verify>repair",
            "verify>blocked",
            "verify>needs_user_decision",
            "review>done",
            "review>repair",
            "review>needs_user_decision",
            "repair>verify",
            "repair>blocked",
            "repair>needs_user_decision",
        ];
        let mut found: Vec<String> = Vec::new();
        for from in Phase::ALL {
            for to in Phase::ALL {
                if from.next().contains(&to) {
                    found.push(std::format!("{from}>{to}"));
                }
            }
        }
        assert_eq!(found.len(), allowed.len());
        assert!(allowed.iter().all(|edge| found.iter().any(|it| it == edge)), "{found:?}");
        for forbidden in ["implement>done", "shape>done", "repair>done", "verify>implement"] {
            assert!(!found.iter().any(|edge| edge == forbidden));
        }
        assert_eq!(Phase::ALL.len(), 9);
    }

    /// Proves: P-019
    #[test]
    fn the_runner_stops_in_three_phases_only() {
        let stops: Vec<Phase> = Phase::ALL.into_iter().filter(|it| it.is_terminal()).collect();
        assert_eq!(stops, [Phase::Done, Phase::Blocked, Phase::NeedsUserDecision]);
    }

    #[test]
    fn a_name_in_a_file_is_the_name_in_the_journal() {
        for phase in Phase::ALL {
            assert_eq!(serde_json::to_value(phase).unwrap(), phase.name());
        }
    }
}
