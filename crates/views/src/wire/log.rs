//! What `log` prints.

use serde::Serialize;

use super::{Actor, NonEmptyText, Printed, Seq, Timestamp};

/// One record in words. One value each, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogEntry {
    pub seq: Seq,
    pub at: Timestamp,
    pub actor: Actor,
    /// Whether a person's own key signed it; none for whoever is no person.
    pub signed: Option<bool>,
    /// What happened.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub said: Vec<NonEmptyText>,
    pub details: Vec<LogDetail>,
}

/// A detail of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogDetail {
    pub name: NonEmptyText,
    pub text: String,
}

impl Printed for LogEntry {}
