//! The status of an artifact: a table of transitions, and the log that holds the ones taken.
//!
//! ```text
//! DRAFT ─challenge─▶ CHALLENGED ─adjudication─▶ ADJUDICATED ─ship evidence─▶ SHIPPED ─successor─▶ DEPRECATED
//!   ▲                                                │
//!   └──────────────────adjudication──────────────────┘
//! ```

use std::fmt;

use sealwright_kernel::pack::timestamp;
use sealwright_kernel::{Ref, Timestamp};
use serde::{Deserialize, Serialize};

use super::envelope::{ArtifactType, CreatedBy};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    Draft,
    Challenged,
    Adjudicated,
    Shipped,
    Deprecated,
}

/// One entry of an artifact's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatusChange {
    pub from: Status,
    pub to: Status,
    /// The artifact that entitles to it.
    pub because: Ref,
    pub by: CreatedBy,
    #[serde(with = "timestamp")]
    pub at: Timestamp,
}

/// The kind of artifact that entitles to a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entitlement {
    /// One of this type that was made from the artifact.
    Made(ArtifactType),
    /// A later version of the artifact that is shipped.
    Successor,
}

/// A transition that is not in the table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{artifact} is {from} and cannot become {to}")]
pub struct IllegalTransition {
    pub artifact: Ref,
    pub from: Status,
    pub to: Status,
}

impl Status {
    pub const ALL: [Self; 5] =
        [Self::Draft, Self::Challenged, Self::Adjudicated, Self::Shipped, Self::Deprecated];

    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "DRAFT",
            Self::Challenged => "CHALLENGED",
            Self::Adjudicated => "ADJUDICATED",
            Self::Shipped => "SHIPPED",
            Self::Deprecated => "DEPRECATED",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What entitles an artifact of this type to go from one status to another; `None` if nothing does.
///
/// Contracts, implementations and their examples are debated. All other types are records and stay what they are.
pub fn allowed(artifact_type: ArtifactType, from: Status, to: Status) -> Option<Entitlement> {
    match artifact_type {
        ArtifactType::Contract | ArtifactType::Implementation | ArtifactType::Examples => {}
        ArtifactType::MicroPlan
        | ArtifactType::Proposal
        | ArtifactType::Challenge
        | ArtifactType::Adjudication
        | ArtifactType::ShipEvidence
        | ArtifactType::Escalation
        | ArtifactType::ContextPack
        | ArtifactType::InterfaceChangeException
        | ArtifactType::ReuseSearchReport
        | ArtifactType::ProductSpec => return None,
    }
    let row = TABLE.iter().find(|(before, after, _)| (*before, *after) == (from, to));
    row.map(|(_, _, entitlement)| *entitlement)
}

const TABLE: [(Status, Status, Entitlement); 5] = [
    (Status::Draft, Status::Challenged, Entitlement::Made(ArtifactType::Challenge)),
    (Status::Challenged, Status::Adjudicated, Entitlement::Made(ArtifactType::Adjudication)),
    (Status::Adjudicated, Status::Shipped, Entitlement::Made(ArtifactType::ShipEvidence)),
    (Status::Adjudicated, Status::Draft, Entitlement::Made(ArtifactType::Adjudication)),
    (Status::Shipped, Status::Deprecated, Entitlement::Successor),
];
