//! The walls: what is expected to stop an attack, and what an ablation takes down.

/// Which part of the confinement stops an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Barrier {
    /// What is not mounted does not exist.
    MountNamespace,
    /// Processes of the host have no number.
    PidNamespace,
    /// The host's network is another one.
    NetNamespace,
    /// The host's shared memory and queues are others.
    IpcNamespace,
    /// The call is refused.
    Seccomp,
    /// The path is refused.
    Landlock,
    /// It would need a capability.
    NoCapabilities,
    /// The first process lets nobody look into it.
    NotDumpable,
    /// A setuid program gives nothing.
    NoNewPrivs,
    /// The launcher's environment is not handed on.
    CleanEnvironment,
    /// The launcher's descriptors are not handed on.
    ClosedDescriptors,
    /// It belongs to somebody else.
    OtherUid,
    /// A limit of the process.
    Rlimits,
    /// A limit of all its processes.
    Cgroup,
    /// With the first process, all end.
    PidTreeKill,
    /// It is mounted read-only, or changes are thrown away.
    ReadOnlyMounts,
    /// How a run ended is reported where the agent cannot write.
    ResultChannel,
    /// The proxy connects to what is listed, and to nothing else.
    Egress,
    /// What goes into a view is checked file by file.
    Materialiser,
    /// What comes out of a work tree is checked file by file.
    Harvest,
    /// The launching terminal is not the agent's.
    NewSession,
    /// Output is kept up to a bound.
    OutputBound,
    /// Somebody watches how much a work tree grows.
    WorkTreeBound,
}

impl Barrier {
    /// Its name in tables.
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
