//! Any agent that speaks the Agent Client Protocol over its standard streams.
//!
//! ```text
//! initialize ──▶ session/new ──▶ session/prompt ──▶ updates … ──▶ the turn ends
//! ```
//!
//! We lend the agent nothing: no files and no terminals of ours, so that everything it does happens inside the walls.
//! What it asks leave for is granted, because the walls are the boundary and not its good will. What differs between
//! agents is a [`Profile`], one file each; a new agent is such a file and a line in [`profiles`].
//!
//! Only the protocol's types are borrowed from its crate. The conversation itself is a plain machine of our own, a line
//! in and at most a line out: it needs no runtime and no thread, it is bounded, and what it hears is passed on at once.

mod dialogue;
pub mod profiles;
mod updates;
mod usage;
mod wire;

use std::collections::BTreeMap;

use agent_client_protocol_schema::v1::{Meta, PromptResponse};

use crate::program::{Driver, Launch, Talk, Ways};
use crate::{Assignment, Protocol, Usage};

pub struct Acp(pub &'static Profile);

/// What is particular to one agent that speaks the protocol.
pub struct Profile {
    pub key: &'static str,
    pub programs: &'static [&'static str],
    /// What it can speak to a model; the first is what it speaks best.
    pub protocols: &'static [Protocol],
    pub words: fn(&Assignment) -> Vec<String>,
    pub environment: fn(&Assignment, &Ways) -> BTreeMap<String, String>,
    /// Folders and files at the top of the tree that it sees empty.
    pub hides: &'static [&'static str],
    /// Its settings, by their path in its home.
    pub files: fn(&Assignment, &Ways) -> Vec<(String, String)>,
    /// The tool behind a call, where the agent tells it in a way of its own.
    pub tool: fn(&CallNames<'_>) -> Option<String>,
    /// The tokens of the run, from what is told when the turn ends.
    pub usage: fn(&PromptResponse) -> Option<Usage>,
}

pub struct CallNames<'n> {
    pub id: &'n str,
    /// What people are shown.
    pub title: &'n str,
    /// What the agent adds of its own.
    pub meta: Option<&'n Meta>,
}

impl Driver for Acp {
    fn key(&self) -> &'static str {
        self.0.key
    }

    fn programs(&self) -> &'static [&'static str] {
        self.0.programs
    }

    fn protocols(&self) -> &'static [Protocol] {
        self.0.protocols
    }

    fn hides(&self) -> &'static [&'static str] {
        self.0.hides
    }

    fn launch(&self, assignment: &Assignment, ways: &Ways) -> Launch {
        Launch {
            words: (self.0.words)(assignment),
            environment: (self.0.environment)(assignment, ways),
            files: (self.0.files)(assignment, ways),
        }
    }

    fn talk(&self, assignment: &Assignment, ways: &Ways) -> Talk {
        Talk::Dialogue(Box::new(dialogue::Client::new(self.0, &assignment.brief, ways)))
    }
}

#[cfg(test)]
mod tests;
