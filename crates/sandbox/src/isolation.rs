//! Isolation: what a run is confined by, one by one.
//!
//! The product always puts up all of them. Tests take one away at a time, to show what it is for.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// One thing that stands between a run and the rest of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Barrier {
    /// A root of its own, with only what the plan lists.
    Root,
    /// Mounts that are listed as read-only cannot be written.
    ReadOnlyMounts,
    /// Processes of its own, which die together.
    Processes,
    Network,
    /// Shared memory and message queues of its own.
    Ipc,
    /// System calls that no honest tool needs are refused.
    Seccomp,
    /// Landlock rules inside the rest.
    Landlock,
    /// No capability of any kind, and a user that owns nothing else.
    Privileges,
    /// No program can give more rights than its caller has.
    NoNewPrivileges,
    Environment,
    Descriptors,
    /// A session of its own, without the caller's terminal.
    Session,
    /// Bounds on what each process uses up.
    Rlimits,
    /// Bounds on what all processes use up together.
    Cgroup,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Isolation(BTreeSet<Barrier>);

impl Barrier {
    pub const ALL: [Self; 14] = [
        Self::Root,
        Self::ReadOnlyMounts,
        Self::Processes,
        Self::Network,
        Self::Ipc,
        Self::Seccomp,
        Self::Landlock,
        Self::Privileges,
        Self::NoNewPrivileges,
        Self::Environment,
        Self::Descriptors,
        Self::Session,
        Self::Rlimits,
        Self::Cgroup,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::ReadOnlyMounts => "read-only mounts",
            Self::Processes => "processes",
            Self::Network => "network",
            Self::Ipc => "ipc",
            Self::Seccomp => "seccomp",
            Self::Landlock => "landlock",
            Self::Privileges => "privileges",
            Self::NoNewPrivileges => "no new privileges",
            Self::Environment => "environment",
            Self::Descriptors => "descriptors",
            Self::Session => "session",
            Self::Rlimits => "rlimits",
            Self::Cgroup => "cgroup",
        }
    }
}

impl Isolation {
    pub fn all() -> Self {
        Self(Barrier::ALL.into())
    }

    /// All but some, to show what those are for.
    #[cfg(feature = "ablation")]
    pub fn without(mut self, walls: &[Barrier]) -> Self {
        for wall in walls {
            self.0.remove(wall);
        }
        self
    }

    pub(crate) fn has(&self, wall: Barrier) -> bool {
        self.0.contains(&wall)
    }
}
