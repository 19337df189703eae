//! The agenda: everything a host knows to be owed, and what it is doing about it.
//!
//! ```text
//!  add ──▶ ready ──take──▶ in flight ──settled──▶ forgotten
//!            ▲                 │
//!            └──── delayed ◀───┤ failed, or somebody asks for patience
//!                              ├──── too often, or refused ──▶ stalled
//!                              ├──── for too long ──▶ parked
//!                              └──── a person was asked ──▶ asked
//! ```

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use sealwright_kernel::{Effect as _, EffectId, Machine};
use tokio::time::Instant;

use crate::error::Stalled;
use crate::performer::{CallOff, CalledOff};
use crate::{Answer, Limits};

/// What is owed and not done.
pub(crate) struct Agenda<M: Machine> {
    limits: Limits,
    /// Everything that waits to be begun, now or later.
    waiting: BTreeSet<EffectId>,
    ready: VecDeque<PendingEffect<M>>,
    delayed: BTreeMap<(Instant, u64), PendingEffect<M>>,
    delays: u64,
    in_flight: BTreeMap<EffectId, CallOff>,
    stalled: BTreeMap<EffectId, String>,
    parked: BTreeMap<EffectId, (Instant, String)>,
    asked: BTreeSet<EffectId>,
}

/// One owed effect.
pub(crate) struct PendingEffect<M: Machine> {
    id: EffectId,
    pub(crate) effect: M::Effect,
    /// What came of performing it, while it could not be made durable.
    pub(crate) answer: Option<Answer<M>>,
    tries: u32,
    /// How long it was waited for because somebody asked for patience.
    waited: Duration,
}

impl<M: Machine> Agenda<M> {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            waiting: BTreeSet::new(),
            ready: VecDeque::new(),
            delayed: BTreeMap::new(),
            delays: 0,
            in_flight: BTreeMap::new(),
            stalled: BTreeMap::new(),
            parked: BTreeMap::new(),
            asked: BTreeSet::new(),
        }
    }

    /// Puts down what is owed. What is on the agenda already stays where it is.
    pub(crate) fn add(&mut self, owed: Vec<M::Effect>) {
        for effect in owed {
            let id = effect.id();
            let is_known = self.in_flight.contains_key(&id)
                || self.stalled.contains_key(&id)
                || self.parked.contains_key(&id)
                || self.asked.contains(&id);
            if !is_known && self.waiting.insert(id.clone()) {
                self.ready.push_back(PendingEffect {
                    id,
                    effect,
                    answer: None,
                    tries: 0,
                    waited: Duration::ZERO,
                });
            }
        }
    }

    /// The next thing that may be begun: what was delayed and is due, then what became owed
    /// first. Whoever takes it begins it or forgets it.
    pub(crate) fn take_ready(&mut self) -> Option<PendingEffect<M>> {
        let due = self.next_retry().is_some_and(|due| due <= Instant::now());
        let work = match due {
            true => self.delayed.pop_first().map(|(_, work)| work),
            false => self.ready.pop_front(),
        };
        if let Some(work) = &work {
            self.waiting.remove(work.id());
        }
        work
    }

    /// Notes that `id` is being performed, and gives what calls it off.
    pub(crate) fn begun(&mut self, id: &EffectId) -> CallOff {
        let call = CallOff::default();
        self.in_flight.insert(id.clone(), call.clone());
        call
    }

    /// When the next delayed work is due.
    pub(crate) fn next_retry(&self) -> Option<Instant> {
        self.delayed.first_key_value().map(|((due, _), _)| *due)
    }

    /// Notes that the performance of `id` has ended, however it did.
    pub(crate) fn ended(&mut self, id: &EffectId) {
        self.in_flight.remove(id);
    }

    /// Puts failed work back, a little later each time. After too many tries it stalls, but
    /// never while it holds an answer: that is work done, and waits until it is durable.
    pub(crate) fn try_again(&mut self, mut work: PendingEffect<M>, why: String, now: Instant) {
        work.tries = work.tries.saturating_add(1);
        if work.tries >= self.limits.tries_max && work.answer.is_none() {
            self.stalled.insert(work.id().clone(), why);
            return;
        }
        let doubled = 2_u32.saturating_pow(work.tries - 1);
        let wait = self.limits.backoff.saturating_mul(doubled).min(self.limits.backoff_max);
        self.delay(work, now + wait);
    }

    /// Puts work back for as long as somebody asks, which counts as no try. What would be waited
    /// for longer than is allowed, all waits together, is parked.
    pub(crate) fn try_later(
        &mut self,
        mut work: PendingEffect<M>,
        wait: Duration,
        why: String,
        now: Instant,
    ) {
        let wait = wait.clamp(WAIT_MIN, WAIT_MAX);
        work.waited = work.waited.saturating_add(wait);
        match work.waited <= self.limits.wait_max {
            true => self.delay(work, now + wait),
            false => {
                self.parked.insert(work.id().clone(), (now + wait, why));
            }
        }
    }

    /// Notes that work is refused as things stand; it is not tried again in this run.
    pub(crate) fn stall(&mut self, work: &PendingEffect<M>, why: String) {
        self.stalled.insert(work.id().clone(), why);
    }

    /// Drops what waits for a later moment and holds no answer, where it may not be begun. What
    /// allows it again also names it again.
    pub(crate) fn forget_delayed_unless(&mut self, may_begin: impl Fn(&EffectId) -> bool) {
        let is_kept = |work: &PendingEffect<M>| work.answer.is_some() || may_begin(work.id());
        let waiting = &mut self.waiting;
        self.delayed.retain(|_, work| {
            let is_kept = is_kept(work);
            if !is_kept {
                waiting.remove(work.id());
            }
            is_kept
        });
    }

    fn delay(&mut self, work: PendingEffect<M>, until: Instant) {
        self.delays += 1;
        self.waiting.insert(work.id().clone());
        self.delayed.insert((until, self.delays), work);
    }

    /// Calls off what is in flight, and drops what has stalled, where it is not owed.
    pub(crate) fn call_off_unless(&mut self, is_owed: impl Fn(&EffectId) -> bool) {
        for (id, call) in &self.in_flight {
            if !is_owed(id) {
                call.call_off(CalledOff::NotOwed);
            }
        }
        self.stalled.retain(|id, _| is_owed(id));
        self.parked.retain(|id, _| is_owed(id));
        self.asked.retain(|id| is_owed(id));
    }

    /// Puts a question aside until a person answers it.
    pub(crate) fn put_aside(&mut self, work: &PendingEffect<M>) {
        self.asked.insert(work.id().clone());
    }

    /// The questions people have been asked, if nothing else is left.
    pub(crate) fn only_asked(&self) -> Option<Vec<EffectId>> {
        let nothing_else = self.waiting.is_empty()
            && self.in_flight.is_empty()
            && self.stalled.is_empty()
            && self.parked.is_empty();
        (nothing_else && !self.asked.is_empty()).then(|| self.asked.iter().cloned().collect())
    }

    /// Calls off everything in flight.
    pub(crate) fn call_all_off(&self) {
        self.in_flight.values().for_each(|call| call.call_off(CalledOff::Stopping));
    }

    /// Whether something in flight was called off and has not ended yet.
    pub(crate) fn is_calling_off(&self) -> bool {
        self.in_flight.values().any(CallOff::is_called_off)
    }

    /// When the first of what is parked may go on, and why it cannot now, if nothing else is left
    /// that could be begun.
    pub(crate) fn only_parked(&self) -> Option<(Instant, String)> {
        let nothing_else = self.waiting.is_empty() && self.in_flight.is_empty();
        let first = self.parked.values().min_by_key(|(until, _)| *until);
        first.filter(|_| nothing_else).cloned()
    }

    /// What has stalled, if nothing else is left.
    pub(crate) fn only_stalled(&self) -> Option<Vec<Stalled>> {
        let nothing_else = self.waiting.is_empty() && self.in_flight.is_empty();
        let stalled = |(effect, why): (&EffectId, &String)| Stalled {
            effect: effect.clone(),
            why: why.clone(),
        };
        (nothing_else && !self.stalled.is_empty())
            .then(|| self.stalled.iter().map(stalled).collect())
    }
}

impl<M: Machine> PendingEffect<M> {
    pub(crate) fn id(&self) -> &EffectId {
        &self.id
    }
}

/// Nobody who asks for patience is asked again at once.
const WAIT_MIN: Duration = Duration::from_secs(1);
/// A year: longer than anybody means, and short enough to be added to any moment.
const WAIT_MAX: Duration = Duration::from_secs(365 * 24 * 60 * 60);
