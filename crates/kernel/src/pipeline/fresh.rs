//! Fresh gates: those whose evidence matches the files as they are now.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::vocabulary::{Change, Phase, State};

/// The gates that are fresh. Written as a list of phases.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(from = "Vec<Phase>", into = "Vec<Phase>")]
pub struct Fresh(u8);

impl Fresh {
    pub const NONE: Self = Self(0);
    /// Every gate but the last: its pass is the delivery itself.
    pub const ALL: Self = Self(0b111_1111);

    pub fn has(self, phase: Phase) -> bool {
        self.0 & bit(phase) != 0
    }

    pub fn add(&mut self, phase: Phase) {
        self.0 |= bit(phase);
    }

    /// Those of them that come before a phase.
    pub fn before(self, phase: Phase) -> Self {
        Self(self.0 & (bit(phase) - 1))
    }

    /// Those of them that a change leaves fresh.
    pub fn without(self, change: Change) -> Self {
        change.stale_from().map_or(self, |it| self.before(it))
    }

    /// Whether every gate before a phase is fresh.
    pub fn reaches(self, phase: Phase) -> bool {
        self.before(phase).0 == bit(phase) - 1
    }

    /// The resume rule: work goes on at the earliest phase whose gate is not fresh.
    pub fn resume(self) -> State {
        let stale = Phase::ALL.into_iter().find(|it| !self.has(*it));
        stale.unwrap_or(Phase::Deploy).working()
    }

    pub fn phases(self) -> impl Iterator<Item = Phase> {
        Phase::ALL.into_iter().filter(move |it| self.has(*it))
    }
}

impl From<Vec<Phase>> for Fresh {
    fn from(phases: Vec<Phase>) -> Self {
        let mut fresh = Self::NONE;
        phases.into_iter().for_each(|it| fresh.add(it));
        fresh
    }
}

impl From<Fresh> for Vec<Phase> {
    fn from(fresh: Fresh) -> Self {
        fresh.phases().collect()
    }
}

fn bit(phase: Phase) -> u8 {
    1 << phase as u8
}
