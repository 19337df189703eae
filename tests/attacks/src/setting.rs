//! The environment that an attack needs, confined or not.

/// The environment of an attack. The default is an implementer without a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The access to the work tree.
    pub work: WorkTree,
    /// The reachable network.
    pub reach: Reach,
    /// Whether it was launched from a terminal.
    pub terminal: Terminal,
    /// Whether the control starts in a chroot.
    pub jail: Jail,
    /// Whether a setuid program lies in the work tree.
    pub setuid: Setuid,
    /// The time limit.
    pub wall: WallClock,
}

/// The access to the work tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkTree {
    ReadWrite,
    ReadOnly,
    /// Changes are discarded.
    CopyOnWrite,
}

/// The reachable network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Nothing,
    Proxy,
}

/// Whether the launcher has a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminal {
    Absent,
    /// It has one, with typed text.
    Controlling,
}

/// Whether a control starts in a chroot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jail {
    Absent,
    /// `chroot` into the work tree.
    Chroot,
}

/// Whether a setuid program was planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setuid {
    Absent,
    /// It lies in the work tree under the name [`SETUID_PROGRAM`].
    Planted,
}

/// The time limit of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WallClock {
    /// That of the fixture.
    Usual,
    /// So short that it ends the run.
    Short,
}

impl Setting {
    /// An implementer without a network.
    pub(crate) const PLAIN: Self = Self {
        work: WorkTree::ReadWrite,
        reach: Reach::Nothing,
        terminal: Terminal::Absent,
        jail: Jail::Absent,
        setuid: Setuid::Absent,
        wall: WallClock::Usual,
    };
}

/// The name of the setuid program in the work tree.
pub const SETUID_PROGRAM: &str = "planted-setuid";
