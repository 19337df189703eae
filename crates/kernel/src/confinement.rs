//! Confinement: how strongly a run was sandboxed, as the probe measured it.
//!
//! It is recorded in evidence, so it never claims more than was measured. This file says what each level promises; the
//! sandbox crate implements it.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::Digest;

/// How strongly a run is confined, the weakest level first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// No confinement: the brief only asks the role to behave.
    Advisory,
    /// The operator runs each role in a container of its own and is responsible for it.
    ContainerDelegated,
    /// Files that are not granted cannot be read or written; their names can be seen.
    KernelRestricted,
    /// The same under a separate user id: files that are not granted cannot be seen or changed.
    #[serde(rename = "kernel-restricted+uid")]
    KernelRestrictedUid,
    /// Files that are not granted do not exist in the sandbox.
    KernelIsolated,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    pub level: Level,
    /// The mechanism, such as `namespaces`.
    pub mechanism: String,
    /// What the probe measured, each as a name and a value.
    pub facts: Vec<ConfinementFact>,
    /// The digest of the sandbox plan.
    pub plan: Digest,
}

/// One measurement of the sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfinementFact {
    pub name: String,
    pub value: String,
}

named! { Level {
    Advisory = "advisory", ContainerDelegated = "container-delegated",
    KernelRestricted = "kernel-restricted", KernelRestrictedUid = "kernel-restricted+uid",
    KernelIsolated = "kernel-isolated",
} }

impl Level {
    pub fn holds(self) -> &'static [&'static str] {
        match self {
            Self::Advisory => &[],
            Self::ContainerDelegated => &["whatever the container gives"],
            Self::KernelRestricted => {
                &["what is not granted cannot be read", "what is not granted cannot be written"]
            }
            Self::KernelRestrictedUid => &[
                "what is not granted cannot be read, nor seen to be there",
                "what is read-only cannot be changed in any way",
                "processes of others cannot be touched",
            ],
            Self::KernelIsolated => &[
                "what is not granted does not exist",
                "no network but the egress proxy, host by host",
                "processes of others do not exist",
                "everything that was started dies with the run",
            ],
        }
    }

    pub fn lacks(self) -> &'static [&'static str] {
        match self {
            Self::Advisory => &["everything: the run could read and change whatever its user can"],
            Self::ContainerDelegated => &["nothing of it was found out by experiment"],
            Self::KernelRestricted => &[
                "names, sizes and times of other files can be read",
                "modes and times of the user's own files can be changed",
                "egress is held to a port, not to a host",
            ],
            Self::KernelRestrictedUid => &["egress is held to a port, not to a host"],
            Self::KernelIsolated => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_written_as_it_is_named() {
        for level in Level::ALL {
            assert_eq!(serde_json::to_value(level).unwrap(), level.name());
            assert_eq!(Level::named(level.name()), Some(level));
        }
        assert_eq!(Level::named("kernel"), None);
    }

    #[test]
    fn levels_rise() {
        assert!(Level::ALL.is_sorted());
    }
}
