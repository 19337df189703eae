//! The careless world: it performs effects unreliably.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use sealwright_host::{
    Answer, CalledOff, Clock, Handle, NotPerformed, Performer, ReportError, ReportHandle,
};
use sealwright_kernel::{Actor, Effect as _, EffectId, Timestamp};

use crate::life::Kindness;
use crate::part::{Part, Patience};

/// Everything outside the process. It survives crashes of the process.
pub(crate) struct World<P: Part> {
    memory: Mutex<Memory<P>>,
    kind: AtomicBool,
}

struct Memory<P: Part> {
    dice: fastrand::Rng,
    /// Reports whose acceptance was confirmed, in order.
    confirmed: Vec<(P::Input, Vec<P::Event>)>,
    asked: Vec<P::Effect>,
    /// How often each effect was performed badly in a kind life.
    patience: BTreeMap<EffectId, u32>,
    /// How often people answered in a kind life.
    answered: u32,
    /// The handle that people use to reach the process.
    handle: Option<Handle<P>>,
    performances: u64,
    refusals: u64,
    not_durable: u64,
}

type Reply<P> = Result<
    Vec<<P as sealwright_kernel::Machine>::Event>,
    ReportError<<P as sealwright_kernel::Machine>::Rejected>,
>;

/// How one performance goes.
enum Manner {
    Prompt,
    Late(Duration),
    Twice,
    Never,
    NeverAndDeaf,
    Failing,
    StaleFirst,
    StartedFirst(Duration),
}

impl<P: Part> World<P> {
    pub(crate) fn new(dice: fastrand::Rng) -> Self {
        let memory = Memory {
            dice,
            confirmed: Vec::new(),
            asked: Vec::new(),
            patience: BTreeMap::new(),
            answered: 0,
            handle: None,
            performances: 0,
            refusals: 0,
            not_durable: 0,
        };
        Self { memory: Mutex::new(memory), kind: AtomicBool::new(false) }
    }

    pub(crate) fn begin_life(&self, kindness: Kindness) {
        self.kind.store(kindness == Kindness::Kind, Ordering::Relaxed);
        self.memory(|memory| {
            memory.patience.clear();
            (memory.answered, memory.handle) = (0, None);
        });
    }

    /// Sets the handle of this life.
    pub(crate) fn reach(&self, handle: Handle<P>) {
        self.memory(|memory| memory.handle = Some(handle));
    }

    /// Reports an input and remembers the reply.
    pub(crate) async fn tell(&self, handle: &Handle<P>, actor: Actor, input: P::Input) {
        let reply = handle.report(actor, input.clone()).await;
        self.remember(input, reply);
    }

    /// An unsolicited input of a person.
    pub(crate) fn whim(&self) -> (Actor, P::Input) {
        self.memory(|memory| {
            let heard = memory.confirmed.len();
            match memory.dice.u8(0..12) {
                1..=4 if heard > 0 => {
                    let nth = memory.dice.usize(0..heard);
                    (Actor::Environment, memory.confirmed[nth].0.clone())
                }
                5..=8 if !memory.asked.is_empty() => (Actor::Environment, memory.stale_answer()),
                _ => P::whim(&mut memory.dice),
            }
        })
    }

    pub(crate) fn begin(&self) -> (Actor, P::Input) {
        self.memory(|memory| P::begin(&mut memory.dice))
    }

    pub(crate) fn confirmed(&self) -> Vec<(P::Input, Vec<P::Event>)> {
        self.memory(|memory| memory.confirmed.clone())
    }

    pub(crate) fn asked(&self) -> Vec<EffectId> {
        self.memory(|memory| memory.asked.iter().map(|effect| effect.id()).collect())
    }

    pub(crate) fn counts(&self) -> (u64, u64, u64) {
        self.memory(|memory| (memory.performances, memory.refusals, memory.not_durable))
    }

    fn remember(&self, input: P::Input, reply: Reply<P>) {
        self.memory(|memory| match reply {
            Ok(events) => memory.confirmed.push((input, events)),
            Err(ReportError::Rejected(_)) => memory.refusals += 1,
            Err(ReportError::NotDurable { .. }) => memory.not_durable += 1,
            Err(ReportError::Stopped | ReportError::Forged) => {}
        });
    }

    fn memory<T>(&self, look: impl FnOnce(&mut Memory<P>) -> T) -> T {
        look(&mut self.memory.lock().expect("the world does not panic"))
    }

    fn plan(&self, effect: &P::Effect) -> (Manner, P::Input) {
        let is_kind = self.kind.load(Ordering::Relaxed);
        self.memory(|memory| {
            memory.performances += 1;
            memory.asked.push(effect.clone());
            let answer = P::answer(effect, &mut memory.dice);
            // In a kind life every effect is performed badly at most twice.
            if is_kind && memory.times_asked(&effect.id()) > 2 {
                return (Manner::Prompt, P::final_answer(effect, &mut memory.dice));
            }
            let wait = Duration::from_millis(memory.dice.u64(0..5_000));
            let manner = match memory.dice.u8(0..16) {
                0..=4 => Manner::Prompt,
                5..=6 => Manner::Late(wait),
                7..=8 => Manner::Twice,
                9 => Manner::Never,
                10 => Manner::NeverAndDeaf,
                11..=12 => Manner::Failing,
                13 => Manner::StaleFirst,
                _ => Manner::StartedFirst(wait),
            };
            (manner, answer)
        })
    }

    async fn tell_on_the_way(&self, reports: &ReportHandle<P>, input: P::Input) {
        // The reply says only that the report was accepted, not with which events; it counts as confirmed without
        // events.
        let reply = reports.report(answer(input.clone())).await.map(|()| Vec::new());
        self.remember(input, reply);
    }

    /// Asks a person, who answers at once, later, twice or not in this life.
    async fn ask(&self, effect: &P::Effect) -> Option<NotPerformed> {
        let is_kind = self.kind.load(Ordering::Relaxed);
        let (handle, said, wait, times) = self.memory(|memory| {
            memory.performances += 1;
            memory.asked.push(effect.clone());
            memory.answered += 1;
            let times = memory.times_asked(&effect.id());
            let is_out = times > 2 || memory.answered > ANSWERS_TRIED_MAX;
            let patience = if is_kind && is_out { Patience::Out(times) } else { Patience::Left };
            let said = P::person(effect, patience, &mut memory.dice);
            let wait = Duration::from_millis(memory.dice.u64(0..1_500));
            let times = if is_kind { 1 } else { memory.dice.u8(0..3) };
            (memory.handle.clone(), said, wait, times)
        });
        let (actor, input) = said?;
        let Some(handle) = handle else { return Some(NotPerformed::Asked) };
        tokio::time::sleep(wait).await;
        for _ in 0..times {
            self.tell(&handle, actor.clone(), input.clone()).await;
        }
        // A kind person is asked again until the answer counts.
        let why = "it was no answer".to_owned();
        Some(if is_kind { NotPerformed::Failed { why } } else { NotPerformed::Asked })
    }
}

impl<P: Part> Performer<P> for World<P> {
    async fn perform(
        &self,
        effect: P::Effect,
        reports: ReportHandle<P>,
    ) -> Result<Answer<P>, NotPerformed> {
        if P::person(&effect, Patience::Left, &mut fastrand::Rng::with_seed(0)).is_some()
            && let Some(asked) = self.ask(&effect).await
        {
            return Err(asked);
        }
        let (manner, input) = self.plan(&effect);
        match manner {
            Manner::Prompt => {}
            Manner::Late(wait) => tokio::time::sleep(wait).await,
            Manner::Twice => self.tell_on_the_way(&reports, input.clone()).await,
            Manner::Never => match (reports.called_off().await, P::out_of_time(&effect)) {
                (CalledOff::OutOfTime, Some(late)) => return Ok(answer(late)),
                (CalledOff::NotOwed | CalledOff::Stopping | CalledOff::OutOfTime, _) => {
                    return Err(NotPerformed::Cancelled);
                }
            },
            Manner::NeverAndDeaf => std::future::pending().await,
            Manner::Failing => return Err(NotPerformed::Failed { why: "bad luck".to_owned() }),
            Manner::StaleFirst => {
                let stale = self.memory(Memory::stale_answer);
                self.tell_on_the_way(&reports, stale).await;
            }
            Manner::StartedFirst(wait) => {
                if let Some(begun) = P::on_the_way(&effect) {
                    self.tell_on_the_way(&reports, begun).await;
                }
                tokio::time::sleep(wait).await;
            }
        }
        Ok(answer(input))
    }

    fn limit(&self, _effect: &P::Effect) -> Duration {
        Duration::from_millis(2_000)
    }
}

/// A clock that only counts.
#[derive(Debug, Default)]
pub(crate) struct Ticks(AtomicU64);

impl Clock for Ticks {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

impl<P: Part> Memory<P> {
    /// How often the effect was requested in this life, including now.
    fn times_asked(&mut self, id: &EffectId) -> u32 {
        let times = self.patience.entry(id.clone()).or_default();
        *times += 1;
        *times
    }

    fn stale_answer(&mut self) -> P::Input {
        let nth = self.dice.usize(0..self.asked.len());
        P::answer(&self.asked[nth], &mut self.dice)
    }
}

fn answer<P: Part>(input: P::Input) -> Answer<P> {
    Answer { input, actor: Actor::Environment, blobs: Vec::new() }
}

/// How often people try things in a kind life before they end it.
const ANSWERS_TRIED_MAX: u32 = 6;
