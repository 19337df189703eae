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

named! { Cheat {
    RedTestChanged = "red_test_changed", FrozenContractChanged = "frozen_contract_changed",
    Overfit = "overfit", VacuousAsserts = "vacuous_asserts", LogicStubbed = "logic_stubbed",
} }
