//! The agenda: everything a host knows to be owed, and what it is doing about it.
//!
//! ```text
//!  add ──▶ ready ──take──▶ in flight ──settled──▶ forgotten
//!            ▲                 │
//!            └──── delayed ◀───┤ failed
//!                              └──── too often ──▶ stalled
//! ```

use std::collections::{BTreeMap, VecDeque};

use sealwright_kernel::{Effect as _, EffectId, Machine};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::error::Stalled;
use crate::{Answer, Limits};

/// What is owed and not done.
pub(crate) struct Agenda<M: Machine> {
    limits: Limits,
    places: BTreeMap<EffectId, Place>,
    in_flight: BTreeMap<EffectId, CancellationToken>,
    ready: VecDeque<Work<M>>,
    delayed: BTreeMap<(Instant, u64), Work<M>>,
    delays: u64,
}

/// One owed effect.
pub(crate) struct Work<M: Machine> {
    pub(crate) effect: M::Effect,
    /// What came of performing it, while it could not be made durable.
    pub(crate) answer: Option<Answer<M>>,
    tries: u32,
}

enum Place {
    Waiting,
    InFlight,
    Stalled { why: String },
}

impl<M: Machine> Agenda<M> {
    pub(crate) fn new(limits: Limits) -> Self {
        let (places, ready, delayed) = Default::default();
        let in_flight = BTreeMap::new();
        Self { limits, places, in_flight, ready, delayed, delays: 0 }
    }

    /// Puts down what is owed. What is on the agenda already stays where it is.
    pub(crate) fn add(&mut self, owed: Vec<M::Effect>) {
        for effect in owed {
            if let std::collections::btree_map::Entry::Vacant(place) =
                self.places.entry(effect.id())
            {
                place.insert(Place::Waiting);
                self.ready.push_back(Work { effect, answer: None, tries: 0 });
            }
        }
    }

    /// The next thing that may be begun, in the order it became owed.
    pub(crate) fn take_ready(&mut self, now: Instant) -> Option<Work<M>> {
        if self.next_retry().is_some_and(|due| due <= now) {
            return self.delayed.pop_first().map(|(_, work)| work);
        }
        self.ready.pop_front()
    }

    /// Notes that `id` is being performed, and gives the token that calls it off.
    pub(crate) fn begun(&mut self, id: &EffectId) -> CancellationToken {
        let cancelled = CancellationToken::new();
        self.places.insert(id.clone(), Place::InFlight);
        self.in_flight.insert(id.clone(), cancelled.clone());
        cancelled
    }

    /// When the next delayed work is due.
    pub(crate) fn next_retry(&self) -> Option<Instant> {
        self.delayed.first_key_value().map(|((due, _), _)| *due)
    }

    /// Puts failed work back, a little later each time; after too many tries it stalls.
    pub(crate) fn try_again(&mut self, mut work: Work<M>, why: String, now: Instant) {
        work.tries += 1;
        self.in_flight.remove(&work.id());
        if work.tries >= self.limits.tries_max {
            self.places.insert(work.id(), Place::Stalled { why });
            return;
        }
        let doubled = 2_u32.saturating_pow(work.tries - 1);
        let wait = self.limits.backoff.saturating_mul(doubled).min(self.limits.backoff_max);
        self.places.insert(work.id(), Place::Waiting);
        self.delays += 1;
        self.delayed.insert((now + wait, self.delays), work);
    }

    /// Takes settled work off the agenda.
    pub(crate) fn forget(&mut self, id: &EffectId) {
        self.places.remove(id);
        self.in_flight.remove(id);
    }

    /// Calls off what is in flight and unwanted.
    pub(crate) fn call_off(&self, is_unwanted: impl Fn(&EffectId) -> bool) {
        for (id, cancelled) in &self.in_flight {
            if is_unwanted(id) {
                cancelled.cancel();
            }
        }
    }

    /// Whether all that is owed has stalled, and something has.
    pub(crate) fn has_only_stalled(&self) -> bool {
        let is_stalled = |place: &Place| matches!(place, Place::Stalled { .. });
        !self.places.is_empty() && self.places.values().all(is_stalled)
    }

    /// What has stalled, and why.
    pub(crate) fn stalled(&self) -> Vec<Stalled> {
        let stalled = |(id, place): (&EffectId, &Place)| match place {
            Place::Stalled { why } => Some(Stalled { effect: id.clone(), why: why.clone() }),
            Place::Waiting | Place::InFlight => None,
        };
        self.places.iter().filter_map(stalled).collect()
    }
}

impl<M: Machine> Work<M> {
    pub(crate) fn id(&self) -> EffectId {
        self.effect.id()
    }
}
