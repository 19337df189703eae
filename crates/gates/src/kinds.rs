//! The kinds of gate: one file each, and this table.
//!
//! A kind is found by its key, which is never used for another. It knows what it needs to be told, makes a gate of
//! that, and decides nothing before the gate has seen something.

mod audit;
mod cargo_build;
mod cargo_test;
mod changes;
mod clean_tree;
mod command;
mod declared;
mod docs;
mod expected;
mod junit;
mod lint;
mod lockfile;
mod manifests;
mod nextest;
mod pytest;
mod room;
mod scales;
mod secrets;
mod setting;
mod size;
mod suite;

use std::fmt;

use crate::{Gate, Seen, Step};

pub use declared::{Declared, Paths};
pub use expected::{Expected, Known, Named, Unpassed};
pub use pytest::REPORT as PYTEST_REPORT;
pub use setting::{Demand, Key, Setting, Tool};

pub struct Kind {
    /// Its name in `sealwright.toml`, which is never reused.
    pub key: &'static str,
    pub proves: &'static str,
    pub needs: &'static str,
    /// Its own settings, beside those of every kind.
    pub takes: &'static [(Key, Demand)],
    next: Next,
}

/// The next step of a gate of some kind, see [`Gate::next`].
type Next = fn(&Setting, &[Seen]) -> Step;

#[derive(Debug)]
struct Configured {
    setting: Setting,
    next: Next,
}

impl Gate for Configured {
    fn next(&self, seen: &[Seen]) -> Step {
        (self.next)(&self.setting, seen)
    }
}

impl Kind {
    pub fn of(key: &str) -> Option<&'static Self> {
        ALL.iter().find(|kind| kind.key == key)
    }

    pub fn gate(&self, setting: Setting) -> Box<dyn Gate> {
        Box::new(Configured { setting, next: self.next })
    }

    /// Whether it has to be told this, may be, or may not.
    pub fn demand(&self, key: Key) -> Option<Demand> {
        self.takes.iter().find(|(taken, _)| *taken == key).map(|(_, demand)| *demand)
    }
}

// Two kinds are the same if they go by the same key; how they make gates cannot be compared.
impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Kind {}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kind").field(&self.key).finish()
    }
}

/// Every kind, in the order in which people read of them.
pub const ALL: &[Kind] = &[
    command::KIND,
    cargo_build::KIND,
    cargo_test::KIND,
    nextest::KIND,
    pytest::KIND,
    junit::KIND,
    lint::KIND,
    audit::KIND,
    secrets::KIND,
    lockfile::KIND,
    clean_tree::KIND,
    docs::KIND,
    size::KIND,
];

#[cfg(test)]
pub(crate) mod story;
#[cfg(test)]
mod tests;
