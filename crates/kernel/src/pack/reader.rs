//! The reader of a pack: a role, or the orchestrator for steps without a role.

use alloc::string::String;
use core::fmt;

use serde::{Deserialize, Serialize};

use crate::Role;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum PackReader {
    /// A step without a role. It is shown nothing.
    Orchestrator,
    Role(Role),
}

/// The name of a reader that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown role")]
pub struct UnknownPackReader;

impl PackReader {
    pub fn name(self) -> &'static str {
        match self {
            Self::Orchestrator => "orchestrator",
            Self::Role(role) => role.name(),
        }
    }

    /// Its name in a pack, where roles are written as everywhere in a journal.
    fn wire_name(self) -> String {
        self.name().replace('-', "_")
    }
}

impl TryFrom<String> for PackReader {
    type Error = UnknownPackReader;

    fn try_from(text: String) -> Result<Self, UnknownPackReader> {
        // The Factory's own words for two of the roles are read, and written in ours.
        match text.as_str() {
            "orchestrator" => Ok(Self::Orchestrator),
            "proposer" => Ok(Self::Role(Role::Builder)),
            "micro_planner" => Ok(Self::Role(Role::Planner)),
            name => {
                let found = Role::ALL.into_iter().map(Self::Role).find(|it| it.wire_name() == name);
                found.ok_or(UnknownPackReader)
            }
        }
    }
}

impl From<PackReader> for String {
    fn from(reader: PackReader) -> Self {
        reader.wire_name()
    }
}

impl fmt::Display for PackReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
