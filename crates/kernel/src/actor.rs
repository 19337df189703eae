//! Actors: people, roles, the machine and the environment.

use alloc::string::String;

use serde::{Deserialize, Serialize};

use crate::InvocationId;

/// The author of a record. The machine never writes a record in a person's name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// A person, by the name they go by.
    Human(String),
    /// A role, in one of its invocations.
    Role(Role, InvocationId),
    /// Sealwright itself.
    Machine,
    /// The world around it: a clock that ran out, a process that died.
    Environment,
}

/// The roles that agents and people take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Writes the change.
    Builder,
    /// Finds facts, read-only.
    Scout,
    /// Breaks a task into modules.
    Planner,
    /// Tries to disprove a claim.
    Challenger,
    /// Decides a debate from its record.
    Arbiter,
    /// Argues that a green result was not earned.
    RefuteReader,
    /// Says why a slice is stuck, without prescribing.
    Auditor,
    /// Reads the integrated whole.
    Reviewer,
    /// Checks the integrated whole and may execute it.
    Verifier,
    /// Finds where documents and code drifted apart.
    Reconciler,
    /// Writes the tests of a contract, before anything is built.
    TestAuthor,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 11] = [
        Self::Builder,
        Self::Scout,
        Self::Planner,
        Self::Challenger,
        Self::Arbiter,
        Self::RefuteReader,
        Self::Auditor,
        Self::Reviewer,
        Self::Verifier,
        Self::Reconciler,
        Self::TestAuthor,
    ];

    /// Its name in files and commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::Builder => "builder",
            Self::Scout => "scout",
            Self::Planner => "planner",
            Self::Challenger => "challenger",
            Self::Arbiter => "arbiter",
            Self::RefuteReader => "refute-reader",
            Self::Auditor => "auditor",
            Self::Reviewer => "reviewer",
            Self::Verifier => "verifier",
            Self::Reconciler => "reconciler",
            Self::TestAuthor => "test-author",
        }
    }
}
