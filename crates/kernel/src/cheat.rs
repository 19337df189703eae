//! The cheats a role can be caught in.

use serde::{Deserialize, Serialize};

/// The five findings that are cheats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cheat {
    RedTestChanged,
    FrozenContractChanged,
    /// The source hard-codes values of the tests.
    Overfit,
    /// Tests that cannot fail.
    VacuousAsserts,
    LogicStubbed,
}

impl Cheat {
    pub const ALL: [Self; 5] = [
        Self::RedTestChanged,
        Self::FrozenContractChanged,
        Self::Overfit,
        Self::VacuousAsserts,
        Self::LogicStubbed,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::RedTestChanged => "red_test_changed",
            Self::FrozenContractChanged => "frozen_contract_changed",
            Self::Overfit => "overfit",
            Self::VacuousAsserts => "vacuous_asserts",
            Self::LogicStubbed => "logic_stubbed",
        }
    }
}
