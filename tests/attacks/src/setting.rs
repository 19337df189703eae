//! The environment that an attack needs, confined or not.

/// The environment of an attack. The default is an implementer without a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    pub work: WorkTree,
    pub reach: Reach,
    pub terminal: Terminal,
    pub jail: Jail,
    pub setuid: Setuid,
    pub wall: WallClock,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkTree {
    ReadWrite,
    ReadOnly,
    /// Changes are discarded.
    CopyOnWrite,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Nothing,
    Proxy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminal {
    Absent,
    /// It has one, with typed text.
    Controlling,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jail {
    Absent,
    /// `chroot` into the work tree.
    Chroot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setuid {
    Absent,
    /// It lies in the work tree under the name [`SETUID_PROGRAM`].
    Planted,
}

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

pub const SETUID_PROGRAM: &str = "planted-setuid";
