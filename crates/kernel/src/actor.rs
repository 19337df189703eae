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
    /// A role, in one of its calls.
    Role(Role, InvocationId),
    /// Sealwright itself.
    Machine,
    /// The world around it: a clock that ran out, a process that died.
    Environment,
}

impl Actor {
    /// The name of a person; nothing for any other actor.
    pub fn person(&self) -> Option<&str> {
        match self {
            Self::Human(name) => Some(name.as_str()).filter(|it| !it.trim().is_empty()),
            Self::Role(..) | Self::Machine | Self::Environment => None,
        }
    }
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

named! { Role {
    Builder = "builder", Scout = "scout", Planner = "planner", Challenger = "challenger",
    Arbiter = "arbiter", RefuteReader = "refute-reader", Auditor = "auditor", Reviewer = "reviewer",
    Verifier = "verifier", Reconciler = "reconciler", TestAuthor = "test-author",
} }
