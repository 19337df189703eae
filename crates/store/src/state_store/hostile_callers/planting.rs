//! What a program with access to the store's folder plants there: links, hard links, folders and pipes.

use fastrand::Rng;

use crate::state_store::ModuleVersion;

/// A way to disturb the place where a store is kept, for the time of one sequence.
pub trait Planted {
    /// Whether something was planted.
    fn plant(&mut self, shipped: &[ModuleVersion], rng: &mut Rng) -> bool;

    /// Puts everything back.
    fn take_back(&mut self);
}

/// Nothing can be planted there.
impl Planted for () {
    fn plant(&mut self, _: &[ModuleVersion], _: &mut Rng) -> bool {
        false
    }

    fn take_back(&mut self) {}
}
