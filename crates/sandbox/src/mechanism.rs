//! Mechanisms: what walls are made of, in the order they are tried.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What walls are made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mechanism {
    /// Linux namespaces, made by this program itself.
    Namespaces,
    /// Linux namespaces, made by bubblewrap, with our own walls inside.
    Bubblewrap {
        /// Where it is.
        program: PathBuf,
    },
    /// Landlock and seccomp on the host's own root.
    Landlock,
    /// None.
    Nothing,
}

impl Mechanism {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::Bubblewrap { .. } => "bubblewrap",
            Self::Landlock => "landlock",
            Self::Nothing => "nothing",
        }
    }

    /// Whether what the plan lists appears where the plan says, instead of where it is on the host.
    pub(crate) fn has_root(&self) -> bool {
        match self {
            Self::Namespaces | Self::Bubblewrap { .. } => true,
            Self::Landlock | Self::Nothing => false,
        }
    }

    /// Whether a run has a network of its own, in which the way out always has the same address.
    pub fn has_own_network(&self) -> bool {
        self.has_root()
    }
}
