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
    type Input: Input;
    type Event: Plain;
    type Effect: Effect;
    type Rejected: core::error::Error + Clone + Eq + Send + Sync + 'static;

    /// The events that follow from `input`, or why it is rejected. A rejection changes nothing.
    fn decide(&self, input: &Self::Input) -> Result<Vec<Self::Event>, Self::Rejected>;

    /// Applies an event to the state. It cannot fail: `decide` has checked the input.
    fn evolve(&mut self, event: &Self::Event);

    /// All effects that may be started now, in order.
    fn owed(&self) -> Vec<Self::Effect>;

    /// Whether nothing more can happen. An ended machine owes nothing.
    fn is_over(&self) -> bool;

    /// The effects that `events`, all just applied, may have made owed.
    ///
    /// It must name every effect they added and may name others that are owed. A machine
    /// that holds many parts looks only at the parts the events are about, so that a step
    /// costs the same however many parts there are.
    fn owed_after(&self, _events: &[Self::Event]) -> Vec<Self::Effect> {
        self.owed()
    }

    /// Whether a report of the effect `id` would be accepted now.
    fn owes(&self, id: &EffectId) -> bool {
        self.owed().iter().any(|effect| effect.id() == *id)
    }

    /// Whether the owed effect `id` may be started now.
    ///
    /// A machine may withhold an owed effect. One that was started before goes on, is not started
    /// again, and `owed_after` names it once it may start.
    fn may_begin(&self, id: &EffectId) -> bool {
        self.owes(id)
    }
}

pub trait Input: Plain {
    /// The effect this reports on, if it is a report. Commands of people answer none.
    fn answers(&self) -> Option<&EffectId>;

    /// The actor it names, if any. Hosts reject it from another actor.
    fn signed_by(&self) -> Option<&Actor> {
        None
    }
}

pub trait Effect: Plain {
    /// Its id: stable, and unique among all effects.
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
