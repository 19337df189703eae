//! The barriers that stop attacks, and that an ablation removes.

/// The part of the confinement that stops an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Barrier {
    /// The path is not mounted.
    MountNamespace,
    /// Processes of the host have no pid inside.
    PidNamespace,
    /// The host's network is not visible.
    NetNamespace,
    /// The host's shared memory and queues are not visible.
    IpcNamespace,
    /// The call is refused.
    Seccomp,
    /// The path is refused.
    Landlock,
    /// It needs a capability.
    NoCapabilities,
    /// The first process is not dumpable.
    NotDumpable,
    /// A setuid program has no effect.
    NoNewPrivs,
    /// The launcher's environment is not passed on.
    CleanEnvironment,
    /// The launcher's descriptors are not passed on.
    ClosedDescriptors,
    /// It belongs to another user.
    OtherUid,
    /// A limit of the process.
    Rlimits,
    /// A limit of all its processes.
    Cgroup,
    /// All processes end with the first one.
    PidTreeKill,
    /// It is mounted read-only, or changes are discarded.
    ReadOnlyMounts,
    /// The end of a run is reported where the agent cannot write.
    ResultChannel,
    /// The proxy connects only to listed destinations.
    Egress,
    /// Files of a view are checked one by one.
    Materialiser,
    /// Files taken out of a work tree are checked one by one.
    Harvest,
    /// The agent has another session than the launching terminal.
    NewSession,
    /// Output is bounded.
    OutputBound,
    /// The growth of the work tree is watched.
    WorkTreeBound,
}

impl Barrier {
    pub fn name(self) -> &'static str {
        match self {
            Self::MountNamespace => "mount namespace",
            Self::PidNamespace => "pid namespace",
            Self::NetNamespace => "network namespace",
            Self::IpcNamespace => "ipc namespace",
            Self::Seccomp => "seccomp",
            Self::Landlock => "landlock",
            Self::NoCapabilities => "no capabilities",
            Self::NotDumpable => "not dumpable",
            Self::NoNewPrivs => "no new privileges",
            Self::CleanEnvironment => "clean environment",
            Self::ClosedDescriptors => "closed descriptors",
            Self::OtherUid => "other uid",
            Self::Rlimits => "rlimits",
            Self::Cgroup => "cgroup",
            Self::PidTreeKill => "tree kill",
            Self::ReadOnlyMounts => "read-only mounts",
            Self::ResultChannel => "result channel",
            Self::Egress => "egress proxy",
            Self::Materialiser => "materialiser",
            Self::Harvest => "harvest",
            Self::NewSession => "new session",
            Self::OutputBound => "output bound",
            Self::WorkTreeBound => "work tree bound",
        }
    }
}
