//! What a machine is: `decide`, `evolve`, `owed`.
//!
//! ```text
//!            input                    events                    effects
//!  world ───────────▶ decide(&self) ───────────▶ evolve(&mut self)   owed(&self) ──────▶ world
//!    ▲                     │ refusal: nothing changed                                      │
//!    └─────────────────────┴───────────────────────────────────────────────────────────────┘
//! ```
//!
//! Events are the truth: a host appends them to the journal before it lets `evolve` see
//! them. Effects are not sent but *owed*: they are read off the state, so a host that lost
//! its memory asks again and nothing is forgotten.

use alloc::vec::Vec;
use core::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Actor, EffectId};

/// A decider: rules as three pure functions on plain data.
///
/// `Default` is the machine before its first event, so an empty stream is a machine too.
pub trait Machine:
    Clone + Default + fmt::Debug + Eq + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// What the world may tell it.
    type Input: Input;
    /// What can become true of it.
    type Event: Plain;
    /// What it can ask of the world.
    type Effect: Effect;
    /// Why an input was turned away.
    type Rejected: core::error::Error + Clone + Eq + Send + Sync + 'static;

    /// Whether `input` is allowed here and what is then true. A refusal changes nothing.
    fn decide(&self, input: &Self::Input) -> Result<Vec<Self::Event>, Self::Rejected>;

    /// Lets a fact become state. It cannot fail: what `decide` let through is true.
    fn evolve(&mut self, event: &Self::Event);

    /// Everything that may be begun in the world now, in the order it should be.
    fn owed(&self) -> Vec<Self::Effect>;

    /// Whether nothing more can happen. An ended machine owes nothing.
    fn is_over(&self) -> bool;

    /// What `events`, all of them just evolved, may have made owed.
    ///
    /// It must name every effect they added and may name others that are owed. A machine
    /// that holds many parts looks only at the parts the events are about, so that a step
    /// costs the same however many parts there are.
    fn owed_after(&self, _events: &[Self::Event]) -> Vec<Self::Effect> {
        self.owed()
    }

    /// Whether the effect called `id` is waited for now: a report of it would be heard.
    fn owes(&self, id: &EffectId) -> bool {
        self.owed().iter().any(|effect| effect.id() == *id)
    }

    /// Whether the effect called `id`, which is waited for, may be begun now.
    ///
    /// A machine may withhold what it waits for. It goes on if it was begun before, is not begun
    /// again, and `owed_after` names it once it may be.
    fn may_begin(&self, id: &EffectId) -> bool {
        self.owes(id)
    }
}

/// Something the world tells a machine.
pub trait Input: Plain {
    /// The effect this reports on, if it is a report. Commands of people answer none.
    fn answers(&self) -> Option<&EffectId>;

    /// Who it says it comes from, if it says so. Hosts refuse it from anybody else.
    fn signed_by(&self) -> Option<&Actor> {
        None
    }
}

/// Something a machine asks of the world.
pub trait Effect: Plain {
    /// Its name, the same every time it is asked for and never that of another effect.
    fn id(&self) -> EffectId;
}

/// Plain data: it can be compared, printed, journaled and read back.
pub trait Plain:
    Clone + fmt::Debug + Eq + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

impl<T> Plain for T where
    T: Clone + fmt::Debug + Eq + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

/// Rebuilds a machine from its events.
pub fn fold<'a, M: Machine>(events: impl IntoIterator<Item = &'a M::Event>) -> M {
    let mut machine = M::default();
    for event in events {
        machine.evolve(event);
    }
    machine
}
