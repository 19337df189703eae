//! The agenda: all owed effects of one machine, and the state of each.
//!
//! ```text
//!  add ──▶ ready ──take──▶ in flight ──settled──▶ removed
//!            ▲                 │
//!            └──── delayed ◀───┤ failed, or a provider asks to wait
//!                              ├──── failed too often, or refused ──▶ stalled
//!                              ├──── waited too long ──▶ parked
//!                              └──── a person was asked ──▶ asked
//! ```

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use sealwright_kernel::{Effect as _, EffectId, Machine};
use tokio::time::Instant;

use crate::error::Stalled;
use crate::performer::{CallOff, CalledOff};
use crate::{Answer, Limits};

pub(crate) struct Agenda<M: Machine> {
    limits: Limits,
    /// The ids of all ready and delayed effects.
    waiting: BTreeSet<EffectId>,
    ready: VecDeque<PendingEffect<M>>,
    delayed: BTreeMap<(Instant, u64), PendingEffect<M>>,
    delays: u64,
    in_flight: BTreeMap<EffectId, CallOff>,
    stalled: BTreeMap<EffectId, String>,
    parked: BTreeMap<EffectId, (Instant, String)>,
    asked: BTreeSet<EffectId>,
}

pub(crate) struct PendingEffect<M: Machine> {
    pub(crate) id: EffectId,
    pub(crate) effect: M::Effect,
    /// The performer's answer, while the journal has not accepted it.
    pub(crate) answer: Option<Answer<M>>,
    tries: u32,
    /// The sum of all waits that a provider asked for.
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

    /// Adds owed effects. An effect that is on the agenda already keeps its state.
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

    /// Takes the next effect to start: a delayed one that is due, else the one owed longest. The caller starts or drops
    /// it.
    pub(crate) fn take_ready(&mut self) -> Option<PendingEffect<M>> {
        let due = self.next_retry().is_some_and(|due| due <= Instant::now());
        let work = if due {
            self.delayed.pop_first().map(|(_, work)| work)
        } else {
            self.ready.pop_front()
        };
        if let Some(work) = &work {
            self.waiting.remove(&work.id);
        }
        work
    }

    /// Marks `id` as in flight and returns the signal that calls it off.
    pub(crate) fn started(&mut self, id: &EffectId) -> CallOff {
        let call = CallOff::default();
        self.in_flight.insert(id.clone(), call.clone());
        call
    }

    pub(crate) fn next_retry(&self) -> Option<Instant> {
        self.delayed.first_key_value().map(|((due, _), _)| *due)
    }

    pub(crate) fn ended(&mut self, id: &EffectId) {
        self.in_flight.remove(id);
    }

    /// Retries a failed effect with exponential backoff. After `tries_max` tries it stalls, unless it holds an answer:
    /// finished work waits until it is durable.
    pub(crate) fn try_again(&mut self, mut work: PendingEffect<M>, why: String, now: Instant) {
        work.tries = work.tries.saturating_add(1);
        if work.tries >= self.limits.tries_max && work.answer.is_none() {
            self.stalled.insert(work.id.clone(), why);
            return;
        }
        let doubled = 2_u32.saturating_pow(work.tries - 1);
        let wait = self.limits.backoff.saturating_mul(doubled).min(self.limits.backoff_max);
        self.delay(work, now + wait);
    }

    /// Delays an effect for as long as a provider asks. This does not count as a try. If all waits together exceed
    /// `wait_max`, the effect is parked.
    pub(crate) fn try_later(
        &mut self,
        mut work: PendingEffect<M>,
        wait: Duration,
        why: String,
        now: Instant,
    ) {
        let wait = wait.clamp(WAIT_MIN, WAIT_MAX);
        work.waited = work.waited.saturating_add(wait);
        if work.waited <= self.limits.wait_max {
            self.delay(work, now + wait);
        } else {
            self.parked.insert(work.id.clone(), (now + wait, why));
        }
    }

    /// Gives a refused effect up for this run.
    pub(crate) fn stall(&mut self, work: &PendingEffect<M>, why: String) {
        self.stalled.insert(work.id.clone(), why);
    }

    /// Drops delayed effects that hold no answer and may not start now. The event that allows one of them again also
    /// adds it again.
    pub(crate) fn forget_delayed_unless(&mut self, may_begin: impl Fn(&EffectId) -> bool) {
        let is_kept = |work: &PendingEffect<M>| work.answer.is_some() || may_begin(&work.id);
        let waiting = &mut self.waiting;
        self.delayed.retain(|_, work| {
            let is_kept = is_kept(work);
            if !is_kept {
                waiting.remove(&work.id);
            }
            is_kept
        });
    }

    fn delay(&mut self, work: PendingEffect<M>, until: Instant) {
        self.delays += 1;
        self.waiting.insert(work.id.clone());
        self.delayed.insert((until, self.delays), work);
    }

    /// Calls off effects in flight, and drops stalled, parked and asked ones, that are no longer owed.
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

    /// Marks an effect as waiting for a person's answer.
    pub(crate) fn put_aside(&mut self, work: &PendingEffect<M>) {
        self.asked.insert(work.id.clone());
    }

    /// The open questions, if nothing else is left.
    pub(crate) fn only_asked(&self) -> Option<Vec<EffectId>> {
        let nothing_else = self.waiting.is_empty()
            && self.in_flight.is_empty()
            && self.stalled.is_empty()
            && self.parked.is_empty();
        (nothing_else && !self.asked.is_empty()).then(|| self.asked.iter().cloned().collect())
    }

    /// Whether nothing is owed.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
            && self.in_flight.is_empty()
            && self.stalled.is_empty()
            && self.parked.is_empty()
            && self.asked.is_empty()
    }

    pub(crate) fn call_all_off(&self) {
        self.in_flight.values().for_each(|call| call.call_off(CalledOff::Stopping));
    }

    /// Whether a performance that was called off is still running.
    pub(crate) fn is_calling_off(&self) -> bool {
        self.in_flight.values().any(CallOff::is_called_off)
    }

    /// When the first parked effect may continue, and why it is parked, if nothing else can start.
    pub(crate) fn only_parked(&self) -> Option<(Instant, String)> {
        let nothing_else = self.waiting.is_empty() && self.in_flight.is_empty();
        let first = self.parked.values().min_by_key(|(until, _)| *until);
        first.filter(|_| nothing_else).cloned()
    }

    /// The stalled effects, if nothing else can start.
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

/// A provider that asks for no wait at all is not retried in a busy loop.
const WAIT_MIN: Duration = Duration::from_secs(1);
/// A year, so that adding a wait to an `Instant` cannot overflow.
const WAIT_MAX: Duration = Duration::from_secs(365 * 24 * 60 * 60);
