//! Sandbox mechanisms, in the order they are tried.

use std::path::PathBuf;

use sealwright_kernel::{ConfinementFact, Level};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mechanism {
    /// Linux namespaces, made by this program itself.
    Namespaces,
    /// Linux namespaces, made by bubblewrap, with our own walls inside.
    Bubblewrap { program: PathBuf },
    /// Landlock and seccomp on the host's own root.
    Landlock,
    /// None.
    Nothing,
}

impl Mechanism {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::Bubblewrap { .. } => "bubblewrap",
            Self::Landlock => "landlock",
            Self::Nothing => "nothing",
        }
    }

    /// The confinement level that these measurements prove.
    pub(crate) fn level(&self, facts: &[ConfinementFact]) -> Level {
        let is = |name: &str, value: &str| {
            facts.iter().any(|fact| fact.name == name && fact.value == value)
        };
        let hardened = is("capabilities", "none")
            && is("new-privileges", "refused")
            && is("seccomp", "filtering");
        if *self == Self::Nothing || is("canary", "reached") || !hardened {
            Level::Advisory
        } else if is("canary", "does not exist")
            && is("processes-namespace", "its own")
            && is("network-namespace", "its own")
            && is("ipc-namespace", "its own")
        {
            Level::KernelIsolated
        } else if is("canary-name", "denied") && is("user", "its own") {
            Level::KernelRestrictedUid
        } else {
            Level::KernelRestricted
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
