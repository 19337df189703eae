//! The careless world: it performs effects, badly.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use sealwright_engine::{
    Answer, CalledOff, Clock, Desk, Handle, PerformError, Performer, ReportError,
};
use sealwright_kernel::invocation::{
    Access, Brief, Capture, Effect, Event, Fault, Finding, Input, Invocation, Rejected,
};
use sealwright_kernel::{Actor, Digest, Effect as _, EffectId, InvocationId, Role, Timestamp};

use crate::life::Kindness;

/// Everything outside the process. It remembers what the process forgets in a crash.
pub(crate) struct World {
    memory: Mutex<Memory>,
    kind: AtomicBool,
}

struct Memory {
    dice: fastrand::Rng,
    /// Reports whose acceptance was confirmed, in order.
    confirmed: Vec<(Input, Vec<Event>)>,
    /// Effects that were asked for.
    asked: Vec<Effect>,
    /// How often each was performed badly in a kind life.
    patience: Vec<(EffectId, u32)>,
    performances: u64,
    refusals: u64,
    not_durable: u64,
}

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

impl World {
    pub(crate) fn new(dice: fastrand::Rng) -> Self {
        let memory = Memory {
            dice,
            confirmed: Vec::new(),
            asked: Vec::new(),
            patience: Vec::new(),
            performances: 0,
            refusals: 0,
            not_durable: 0,
        };
        Self { memory: Mutex::new(memory), kind: AtomicBool::new(false) }
    }

    pub(crate) fn begin_life(&self, kindness: Kindness) {
        self.kind.store(kindness == Kindness::Kind, Ordering::Relaxed);
        self.memory(|memory| memory.patience.clear());
    }

    /// Reports something and remembers what came of it.
    pub(crate) async fn tell(&self, handle: &Handle<Invocation>, actor: Actor, input: Input) {
        let reply = handle.report(actor, input.clone()).await;
        self.remember(input, reply);
    }

    /// A person with something to say, sensible or not.
    pub(crate) fn whim(&self) -> (Actor, Input) {
        let ada = Actor::Human("ada".to_owned());
        self.memory(|memory| {
            let heard = memory.confirmed.len();
            match memory.dice.u8(0..12) {
                0 => {
                    let (invocation, reason) = (InvocationId::new(1), "enough".to_owned());
                    (ada.clone(), Input::Cancel { invocation, by: ada, reason })
                }
                1..=4 if heard > 0 => {
                    let nth = memory.dice.usize(0..heard);
                    (Actor::Environment, memory.confirmed[nth].0.clone())
                }
                5..=8 if !memory.asked.is_empty() => (Actor::Environment, memory.stale_answer()),
                _ => (ada, self::request(memory.dice.bool())),
            }
        })
    }

    pub(crate) fn request(&self) -> Input {
        self.memory(|memory| request(memory.dice.bool()))
    }

    pub(crate) fn confirmed(&self) -> Vec<(Input, Vec<Event>)> {
        self.memory(|memory| memory.confirmed.clone())
    }

    pub(crate) fn asked(&self) -> Vec<EffectId> {
        self.memory(|memory| memory.asked.iter().map(|effect| effect.id()).collect())
    }

    pub(crate) fn counts(&self) -> (u64, u64, u64) {
        self.memory(|memory| (memory.performances, memory.refusals, memory.not_durable))
    }

    fn remember(&self, input: Input, reply: Result<Vec<Event>, ReportError<Rejected>>) {
        self.memory(|memory| match reply {
            Ok(events) => memory.confirmed.push((input, events)),
            Err(ReportError::Rejected(_)) => memory.refusals += 1,
            Err(ReportError::NotDurable { .. }) => memory.not_durable += 1,
            Err(ReportError::Stopped | ReportError::Forged) => {}
        });
    }

    fn memory<T>(&self, look: impl FnOnce(&mut Memory) -> T) -> T {
        look(&mut self.memory.lock().expect("the world does not panic"))
    }

    fn plan(&self, effect: &Effect) -> (Manner, Input) {
        let is_kind = self.kind.load(Ordering::Relaxed);
        self.memory(|memory| {
            memory.performances += 1;
            memory.asked.push(effect.clone());
            let answer = memory.answer(effect);
            if is_kind && memory.patience_is_out(&effect.id()) {
                return (Manner::Prompt, memory.final_answer(effect));
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

    async fn tell_on_the_way(&self, desk: &Desk<Invocation>, input: Input) {
        // The desk does not say which events were accepted, only whether; that is enough
        // for a report to count as confirmed, without its events.
        let reply = desk.report(answer(input.clone())).await.map(|()| Vec::new());
        self.remember(input, reply);
    }
}

impl Performer<Invocation> for World {
    async fn perform(
        &self,
        effect: Effect,
        desk: Desk<Invocation>,
    ) -> Result<Answer<Invocation>, PerformError> {
        let (manner, input) = self.plan(&effect);
        match manner {
            Manner::Prompt => {}
            Manner::Late(wait) => tokio::time::sleep(wait).await,
            Manner::Twice => self.tell_on_the_way(&desk, input.clone()).await,
            Manner::Never => match (desk.called_off().await, &effect) {
                (CalledOff::OutOfTime, Effect::Invoke { .. }) => {
                    let why = Fault::TimedOut;
                    return Ok(answer(Input::Aborted { effect: effect.id(), why }));
                }
                (CalledOff::NotOwed | CalledOff::Stopping | CalledOff::OutOfTime, _) => {
                    return Err(PerformError::Cancelled);
                }
            },
            Manner::NeverAndDeaf => std::future::pending().await,
            Manner::Failing => return Err(PerformError::Failed { why: "bad luck".to_owned() }),
            Manner::StaleFirst => {
                let stale = self.memory(Memory::stale_answer);
                self.tell_on_the_way(&desk, stale).await;
            }
            Manner::StartedFirst(wait) => {
                self.tell_on_the_way(&desk, Input::Started { effect: effect.id() }).await;
                tokio::time::sleep(wait).await;
            }
        }
        Ok(answer(input))
    }

    fn limit(&self, _effect: &Effect) -> Duration {
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

impl Memory {
    /// In a kind life every effect is performed badly twice at most.
    fn patience_is_out(&mut self, id: &EffectId) -> bool {
        match self.patience.iter_mut().find(|(known, _)| known == id) {
            Some((_, times)) => {
                *times += 1;
                *times > 2
            }
            None => {
                self.patience.push((id.clone(), 1));
                false
            }
        }
    }

    fn stale_answer(&mut self) -> Input {
        let nth = self.dice.usize(0..self.asked.len());
        let effect = self.asked[nth].clone();
        self.answer(&effect)
    }

    /// An answer that settles the effect.
    fn final_answer(&mut self, effect: &Effect) -> Input {
        loop {
            let answer = self.answer(effect);
            if !matches!(answer, Input::Started { .. }) {
                return answer;
            }
        }
    }

    fn answer(&mut self, effect: &Effect) -> Input {
        let id = effect.id();
        // Honest answers to one effect differ from try to try, as a model's do.
        let digest = Digest::of(format!("{id} {}", self.dice.u8(0..3)).as_bytes());
        let die = self.dice.u8(0..8);
        match effect {
            Effect::BuildContext { .. } | Effect::Invoke { .. } if die == 0 => {
                Input::Aborted { effect: id, why: Fault::Dropped }
            }
            Effect::BuildContext { .. } => Input::ContextBuilt { effect: id, context: digest },
            Effect::Invoke { .. } if die == 1 => Input::Started { effect: id },
            Effect::Invoke { .. } => {
                let capture = Capture { output: digest, changes: digest };
                Input::Answered { effect: id, capture }
            }
            Effect::Inspect { .. } => {
                let findings = match die {
                    0..=2 => vec![Finding::SchemaInvalid { why: "no verdict".to_owned() }],
                    3 => vec![Finding::NoProgress],
                    _ => vec![],
                };
                Input::Inspected { effect: id, findings }
            }
            Effect::Checkpoint { .. } | Effect::Restore { .. } => {
                Input::TreeSettled { effect: id, at: digest }
            }
        }
    }
}

fn answer(input: Input) -> Answer<Invocation> {
    Answer { input, actor: Actor::Environment, blobs: Vec::new() }
}

fn request(writes: bool) -> Input {
    let (id, task) = (InvocationId::new(1), Digest::of(b"task"));
    let access = if writes { Access::Write } else { Access::ReadOnly };
    Input::Request { brief: Brief { id, role: Role::Builder, access, task } }
}
