//! What an attack needs around it, be it confined or not.

/// What an attack needs around it. The default is an implementer without a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// What the agent may do with its work tree.
    pub work: WorkTree,
    /// What it can reach.
    pub reach: Reach,
    /// Whether somebody launched it from a terminal.
    pub terminal: Terminal,
    /// Whether the control starts in a jail of the old kind.
    pub jail: Jail,
    /// Whether a program that makes its caller root lies in the work tree.
    pub setuid: Setuid,
    /// How long it may run.
    pub wall: WallClock,
}

/// What the agent may do with its work tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkTree {
    /// Change it.
    ReadWrite,
    /// Read it.
    ReadOnly,
    /// Change it, and the change is thrown away.
    CopyOnWrite,
}

/// What the agent can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Nothing.
    Nothing,
    /// The egress proxy.
    Proxy,
}

/// Whether the launcher has a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminal {
    /// It has none.
    Absent,
    /// It has one, and somebody typed something.
    Controlling,
}

/// Whether a control starts below a changed root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jail {
    /// It does not.
    Absent,
    /// `chroot` into the work tree, and nothing else.
    Chroot,
}

/// Whether a setuid program was planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setuid {
    /// There is none.
    Absent,
    /// It lies in the work tree under the name [`SETUID_PROGRAM`].
    Planted,
}

/// How long a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WallClock {
    /// As long as the scene's bounds say.
    Usual,
    /// So short that the run is ended by it.
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
