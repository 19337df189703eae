//! What `sign` prints.

use serde::Serialize;

use super::{NonEmptyText, Printed};

/// What a person signed. One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecisionsSigned {
    /// The number of new signatures.
    pub written: u64,
    /// The fingerprint of the key, if something was signed.
    pub key: Option<NonEmptyText>,
    /// The number of records of other people that no signature stands for.
    pub unsigned_of_others: u64,
}

impl Printed for DecisionsSigned {}
