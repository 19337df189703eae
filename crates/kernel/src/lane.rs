//! Process lanes: which roles a task needs, as data.
//!
//! | lane | for | who reads at verify | who judges at review |
//! |---|---|---|---|
//! | quick | one change in a repository | – | challenger |
//! | factory | modules that will be sealed | – | challenger, arbiter |
//! | strict | high risk, contracts of sealed modules | refute-reader, auditor | challenger, arbiter |

use serde::{Deserialize, Serialize};

use crate::Role;

/// A process lane. A person and the declared risk choose it, never a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lane {
    /// One change in an existing repository.
    #[default]
    Quick,
    /// Modules that will be sealed.
    Factory,
    Strict,
}

/// The roles a task needs besides its builder and its checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duties {
    /// The role that drafts the contract and the plan.
    pub drafter: Role,
    /// The roles that read the change in verify and try to show that a pass was not earned.
    pub readers: &'static [Role],
    /// The roles that judge the verified tree, in order.
    pub judges: &'static [Role],
    /// Whether a person may approve the contract in advance.
    pub freeze_in_advance: bool,
}

named! { Lane { Quick = "quick", Factory = "factory", Strict = "strict" } }

impl Lane {
    pub fn duties(self) -> Duties {
        match self {
            Self::Quick => Duties {
                drafter: Role::Builder,
                readers: &[],
                judges: &[Role::Challenger],
                freeze_in_advance: true,
            },
            Self::Factory => Duties {
                drafter: Role::Planner,
                readers: &[],
                judges: &[Role::Challenger, Role::Arbiter],
                freeze_in_advance: false,
            },
            Self::Strict => Duties {
                drafter: Role::Planner,
                readers: &[Role::RefuteReader, Role::Auditor],
                judges: &[Role::Challenger, Role::Arbiter],
                freeze_in_advance: false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_lane_never_owes_less() {
        for pair in Lane::ALL.windows(2) {
            let (low, high) = (pair[0].duties(), pair[1].duties());
            assert!(low.judges.iter().all(|judge| high.judges.contains(judge)));
            assert!(low.readers.iter().all(|reader| high.readers.contains(reader)));
            assert!(low.freeze_in_advance || !high.freeze_in_advance);
        }
    }
}
