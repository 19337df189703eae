//! The host with very many owed effects: a machine of many parts, like a project with many tasks.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sealwright_host::{
    Answer, Ended, Handle, Host, Limits, NotPerformed, Performer, ReportHandle, SystemClock,
};
use sealwright_kernel::{Actor, Effect as _, EffectId, Machine, StreamId};
use sealwright_store::disk::SimulatedDisk;
use sealwright_store::{FileJournal, Layout};
use serde::{Deserialize, Serialize};

/// Owes one effect per part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Crowd {
    waiting: BTreeSet<u32>,
    done: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Input {
    Gather { count: u32 },
    Done { effect: EffectId },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Event {
    Gathered { count: u32 },
    Done { part: u32 },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Visit {
    part: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum Rejected {
    #[error("the crowd has gathered")]
    Gathered,
    #[error("{0} is not owed")]
    NotOwed(EffectId),
}

/// Counts the calls of `owed`, which scans all parts.
static SCANS: AtomicU64 = AtomicU64::new(0);

impl Machine for Crowd {
    type Input = Input;
    type Event = Event;
    type Effect = Visit;
    type Rejected = Rejected;

    fn decide(&self, input: &Input) -> Result<Vec<Event>, Rejected> {
        match input {
            Input::Gather { .. } if self.done > 0 || !self.waiting.is_empty() => {
                Err(Rejected::Gathered)
            }
            Input::Gather { count } => Ok(vec![Event::Gathered { count: *count }]),
            Input::Done { effect } => match part_of(effect) {
                Some(part) if self.waiting.contains(&part) => Ok(vec![Event::Done { part }]),
                Some(_) | None => Err(Rejected::NotOwed(effect.clone())),
            },
        }
    }

    fn evolve(&mut self, event: &Event) {
        match event {
            Event::Gathered { count } => self.waiting = (0..*count).collect(),
            Event::Done { part } => {
                self.waiting.remove(part);
                self.done += 1;
            }
        }
    }

    fn owed(&self) -> Vec<Visit> {
        SCANS.fetch_add(1, Ordering::Relaxed);
        self.waiting.iter().map(|part| Visit { part: *part }).collect()
    }

    fn owed_after(&self, events: &[Event]) -> Vec<Visit> {
        let gathered = |event: &Event| match event {
            Event::Gathered { count } => *count,
            Event::Done { .. } => 0,
        };
        events.iter().flat_map(|event| 0..gathered(event)).map(|part| Visit { part }).collect()
    }

    fn owes(&self, id: &EffectId) -> bool {
        part_of(id).is_some_and(|part| self.waiting.contains(&part))
    }

    fn is_over(&self) -> bool {
        self.done > 0 && self.waiting.is_empty()
    }
}

impl sealwright_kernel::Input for Input {
    fn answers(&self) -> Option<&EffectId> {
        match self {
            Self::Gather { .. } => None,
            Self::Done { effect } => Some(effect),
        }
    }
}

impl sealwright_kernel::Effect for Visit {
    fn id(&self) -> EffectId {
        EffectId::of(self.part, "visit", 1)
    }
}

fn part_of(id: &EffectId) -> Option<u32> {
    id.as_str().split('/').next()?.parse().ok()
}

/// Visits each part as `manner` says, and records how many visits run at once.
struct Visitor<F> {
    manner: F,
    now: Mutex<(usize, usize)>,
}

enum Manner {
    AtOnce,
    After(Duration),
    FailOnce,
}

impl<F: Fn(u32) -> Manner + Send + Sync + 'static> Performer<Crowd> for Visitor<F> {
    async fn perform(
        &self,
        visit: Visit,
        _: ReportHandle<Crowd>,
    ) -> Result<Answer<Crowd>, NotPerformed> {
        {
            let mut now = self.now.lock().unwrap();
            now.0 += 1;
            now.1 = now.1.max(now.0);
        }
        let manner = (self.manner)(visit.part);
        match manner {
            Manner::AtOnce | Manner::FailOnce => tokio::task::yield_now().await,
            Manner::After(wait) => tokio::time::sleep(wait).await,
        }
        self.now.lock().unwrap().0 -= 1;
        if let Manner::FailOnce = manner {
            return Err(NotPerformed::Failed { why: "not now".to_owned() });
        }
        let input = Input::Done { effect: visit.id() };
        Ok(Answer { input, actor: Actor::Environment, blobs: vec![] })
    }

    fn limit(&self, _: &Visit) -> Duration {
        Duration::from_secs(3600)
    }
}

fn stream() -> StreamId {
    "C-1".parse().unwrap()
}

async fn host<F: Fn(u32) -> Manner + Send + Sync + 'static>(
    journal: &FileJournal<SimulatedDisk>,
    limits: Limits,
    manner: F,
) -> (Handle<Crowd>, Arc<Visitor<F>>, tokio::task::JoinHandle<Ended>) {
    let visitor = Arc::new(Visitor { manner, now: Mutex::default() });
    let stream = stream();
    let opening = Host::open(journal.clone(), &stream, visitor.clone(), SystemClock, limits);
    let host: Host<Crowd, _, _, _> = opening.await.unwrap();
    let handle = host.handle();
    (handle, visitor, tokio::spawn(async move { host.run().await.unwrap() }))
}

fn journal() -> FileJournal<SimulatedDisk> {
    FileJournal::on(SimulatedDisk::new(1), Layout::new(".sealwright"))
}

async fn gather(handle: &Handle<Crowd>, count: u32) {
    handle.report(Actor::Machine, Input::Gather { count }).await.unwrap();
}

/// A step in a project of a hundred thousand tasks must not scan all of them.
#[tokio::test]
async fn a_step_does_not_look_at_every_part() {
    let journal = journal();
    let limits = Limits { snapshot_every: None, ..Limits::default() };
    let before = SCANS.load(Ordering::Relaxed);
    let (handle, visitor, running) = host(&journal, limits, |_| Manner::AtOnce).await;
    gather(&handle, 100_000).await;
    assert!(matches!(running.await.unwrap(), Ended::Over(_)));
    // One scan when the host is opened; other tests of this process add a few.
    let scans = SCANS.load(Ordering::Relaxed) - before;
    assert!(scans < 20, "{scans} scans in a hundred thousand steps");
    assert_eq!(visitor.now.lock().unwrap().1, limits.in_flight_max);
}

#[tokio::test]
async fn people_are_heard_while_much_is_done() {
    let journal = journal();
    let (handle, _, running) = host(&journal, Limits::default(), |_| Manner::AtOnce).await;
    gather(&handle, 5_000).await;
    let seen = handle.look().await.unwrap();
    assert!(seen.machine.done < 100, "heard only after {} steps", seen.machine.done);
    assert!(matches!(running.await.unwrap(), Ended::Over(_)));
}

/// Time is paused: a host that spins instead of waiting never ends.
#[tokio::test(start_paused = true)]
async fn a_retry_that_is_due_waits_for_a_free_place() {
    let journal = journal();
    let failed = Mutex::new(false);
    let limits = Limits { in_flight_max: 1, ..Limits::default() };
    let (handle, visitor, running) = host(&journal, limits, move |part| match part {
        0 if !std::mem::replace(&mut *failed.lock().unwrap(), true) => Manner::FailOnce,
        0 => Manner::AtOnce,
        _ => Manner::After(Duration::from_secs(60)),
    })
    .await;
    gather(&handle, 3).await;
    assert!(matches!(running.await.unwrap(), Ended::Over(_)));
    assert_eq!(visitor.now.lock().unwrap().1, 1);
}

/// After a stop, the next run performs only the effects that were not done.
#[tokio::test]
async fn a_crowd_that_was_stopped_goes_on() {
    let journal = journal();
    let limits = Limits { grace: Duration::from_millis(10), ..Limits::default() };
    let (handle, _, running) = host(&journal, limits, |part| match part {
        0..50 => Manner::AtOnce,
        _ => Manner::After(Duration::from_secs(3600)),
    })
    .await;
    gather(&handle, 60).await;
    while handle.look().await.unwrap().machine.done < 50 {}
    handle.stop();
    // Ten visits ignore the signal; the host drops them when the short grace is over.
    assert_eq!(running.await.unwrap(), Ended::Stopped);
    let visited = Arc::new(Mutex::new(Vec::new()));
    let log = visited.clone();
    let (_, _, running) = host(&journal, Limits::default(), move |part| {
        log.lock().unwrap().push(part);
        Manner::AtOnce
    })
    .await;
    assert!(matches!(running.await.unwrap(), Ended::Over(_)));
    let mut visited = visited.lock().unwrap().clone();
    visited.sort_unstable();
    assert_eq!(visited, (50..60).collect::<Vec<_>>());
}
