//! The host and budgets: waits a provider asks for, budgets that withhold effects, receipts that are not lost.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sealwright_host::{
    Answer, Clock, Ended, Handle, Host, Limits, NotPerformed, Performer, ReportError, ReportHandle,
};
use sealwright_kernel::owner::{Autonomy, Header, Risk};
use sealwright_kernel::task::{Budget, Charter, Effect, QuestionSubject, Task, Want};
use sealwright_kernel::{
    Actor, Cost, Effect as _, InvocationId, Lane, Machine as _, Role, StreamId, Timestamp, scripted,
};
use sealwright_store::disk::SimulatedDisk;
use sealwright_store::{FileJournal, Layout};

type Disk = FileJournal<SimulatedDisk>;

#[derive(Clone, Copy)]
struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(NOON)
    }
}

/// Time is paused, so the clock shows exactly how long the host waited.
#[tokio::test(start_paused = true)]
async fn patience_lasts_as_long_as_it_was_asked_for_and_is_no_failed_try() {
    let journal = journal();
    let minutes = |count: u64| Duration::from_secs(60 * count);
    let limits = Limits { tries_max: 1, wait_max: minutes(60), ..Limits::default() };
    let world = World::new(|_, nth| match nth {
        0..4 => Manner::Later(Duration::from_secs(60 * 10)),
        _ => Manner::Honest,
    });
    let began = tokio::time::Instant::now();
    let ended = run(&journal, &world, limits).await;
    assert!(matches!(ended, Ended::Waiting(_)), "{ended:?}");
    // The lease, the frame and the shape each waited four times.
    assert_eq!(began.elapsed(), minutes(3 * 40));
}

#[tokio::test(start_paused = true)]
async fn who_asks_for_more_than_is_allowed_parks_the_run_until_then() {
    let journal = journal();
    let hours = |count: u64| Duration::from_secs(3_600 * count);
    let limits = Limits { wait_max: hours(1), ..Limits::default() };
    let window = World::new(move |_, _| Manner::Later(hours(5)));
    let until = Timestamp::from_millis(NOON + 5 * 3_600_000);
    let parked = Ended::Parked { until, why: "the window is used up".to_owned() };
    assert_eq!(run(&journal, &window, limits).await, parked);
    // All waits of one effect are summed, and so are the tries of a provider that always asks to wait.
    let again = World::new(|_, _| Manner::Later(Duration::from_secs(60 * 25)));
    let ended = run(&journal, &again, limits).await;
    assert!(matches!(ended, Ended::Parked { .. }), "{ended:?}");
    assert_eq!(again.performed().values().sum::<u32>(), 3);
    // A host that parks at once does not wait.
    let at_once = Limits { wait_max: Duration::ZERO, ..limits };
    let began = tokio::time::Instant::now();
    let brief = World::new(|_, _| Manner::Later(Duration::from_secs(5)));
    assert!(matches!(run(&journal, &brief, at_once).await, Ended::Parked { .. }));
    assert_eq!(began.elapsed(), Duration::ZERO);
    // Parking loses nothing.
    let honest = World::new(|_, _| Manner::Honest);
    assert!(matches!(run(&journal, &honest, limits).await, Ended::Waiting(_)));
}

#[tokio::test(start_paused = true)]
async fn what_is_refused_is_not_tried_again() {
    let journal = journal();
    let world = World::new(|_, _| Manner::Refused);
    let Ended::Stalled(stalled) = run(&journal, &world, Limits::default()).await else {
        panic!("it did not stall")
    };
    assert_eq!(stalled[0].why, "the project has no money left");
    assert_eq!(world.performed().values().sum::<u32>(), 1);
}

/// The budget is raised while the host runs; the question is asked once.
#[tokio::test(start_paused = true)]
async fn a_raise_brings_back_what_was_withheld_once() {
    for in_flight_max in [1, 2, 8] {
        for lane in [Lane::Quick, Lane::Strict] {
            let journal = journal();
            let world = World::paying(Answering::People);
            let limits = Limits { in_flight_max, ..Limits::default() };
            create(&journal, &world, charter(lane, dollars(2))).await;
            let ended = run(&journal, &world, limits).await;
            assert!(matches!(ended, Ended::Over(_)), "{ended:?}");
            let performed = world.performed();
            let twice = performed.iter().find(|(id, times)| **times > 1 && !id.contains("/ask/"));
            assert_eq!(twice, None, "{performed:?}");
            let questions = performed.keys().filter(|id| id.contains("/budget/")).count();
            assert!(questions >= 2, "{performed:?}");
        }
    }
}

/// The same with a restart at every question, for the freeze and the budget.
#[tokio::test(start_paused = true)]
async fn a_budget_holds_over_restarts() {
    let journal = journal();
    let world = World::paying(Answering::Nobody);
    create(&journal, &world, charter(Lane::Strict, dollars(2))).await;
    let mut asked_for_money = 0;
    loop {
        match run(&journal, &world, Limits::default()).await {
            Ended::Over(_) => break,
            Ended::Waiting(_) => {}
            other => panic!("{other:?}"),
        }
        let performed = world.performed();
        // Another run without an answer asks nothing new.
        assert!(matches!(run(&journal, &world, Limits::default()).await, Ended::Waiting(_)));
        let is_role = |id: &&String| !id.contains("/ask/") && !id.contains("/budget/");
        let roles = |performed: &BTreeMap<String, u32>| {
            performed.iter().filter(|(id, _)| is_role(id)).map(|(_, times)| times).sum::<u32>()
        };
        assert_eq!(roles(&world.performed()), roles(&performed));
        let host = open(&journal, &world, Limits::default()).await;
        let (_, question) = host.machine().question().unwrap();
        asked_for_money += u32::from(matches!(question.about, QuestionSubject::Budget { .. }));
        let effect = question_of(host.machine());
        let mut host = host;
        host.tell(scripted::ada(), scripted::honest(&effect).unwrap(), vec![]).await.unwrap();
        host.close().await.unwrap();
    }
    assert!(asked_for_money >= 2, "{asked_for_money}");
    let performed = world.performed();
    let twice = performed
        .iter()
        .find(|(id, times)| **times > 1 && !id.contains("/ask/") && !id.contains("/budget/"));
    assert_eq!(twice, None);
}

/// A call that is cancelled still reports its cost while the host stops.
#[tokio::test(start_paused = true)]
async fn what_a_call_cost_is_recorded_while_the_host_stops() {
    let journal = journal();
    let manner = |effect: &Effect, _: u32| {
        if effect.asks_a_role() { Manner::PaidWhenCalledOff } else { Manner::Honest }
    };
    let world = World::new(manner);
    create(&journal, &world, charter(Lane::Quick, dollars(100))).await;
    let host = open(&journal, &world, Limits::default()).await;
    let handle = host.handle();
    let running = tokio::spawn(host.run());
    while world.performed().keys().all(|id| !id.contains("/frame/")) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    handle.stop();
    assert_eq!(running.await.unwrap().unwrap(), Ended::Stopped);
    let host = open(&journal, &world, Limits::default()).await;
    let spent = host.machine().data().unwrap().spending.all();
    assert_eq!((spent.calls, spent.cost.micro_dollars), (1, 1_000_000));
}

#[tokio::test(start_paused = true)]
async fn no_role_writes_its_own_bill() {
    let journal = journal();
    let world = World::new(|_, _| Manner::Honest);
    create(&journal, &world, charter(Lane::Quick, dollars(1))).await;
    let mut host = open(&journal, &world, Limits::default()).await;
    let effect = host.machine().owed().remove(0);
    let role = Actor::Role(Role::Builder, InvocationId::new(1));
    let forged = host.tell(role, scripted::spend(&effect, 1, cost(0)), vec![]).await;
    assert_eq!(forged, Err(ReportError::Forged));
}

enum Manner {
    Honest,
    Later(Duration),
    Refused,
    /// A role costs a dollar, reported before its answer.
    Paid,
    PaidWhenCalledOff,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Answering {
    /// Questions wait for an answer from outside.
    Nobody,
    /// Every question is answered at once.
    People,
}

/// How an effect is performed.
type Choosing = dyn Fn(&Effect, u32) -> Manner + Send + Sync;

/// Performs a task; `manner` gets each effect and how often it was tried before.
struct World {
    manner: Box<Choosing>,
    answering: Answering,
    handle: Mutex<Option<Handle<Task>>>,
    performed: Mutex<BTreeMap<String, u32>>,
    calls: AtomicU32,
}

impl World {
    fn new(manner: impl Fn(&Effect, u32) -> Manner + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self::answered(Answering::Nobody, manner))
    }

    fn paying(answering: Answering) -> Arc<Self> {
        Arc::new(Self::answered(answering, |effect, _| {
            if effect.asks_a_role() { Manner::Paid } else { Manner::Honest }
        }))
    }

    fn answered(
        answering: Answering,
        manner: impl Fn(&Effect, u32) -> Manner + Send + Sync + 'static,
    ) -> Self {
        Self {
            manner: Box::new(manner),
            answering,
            handle: Mutex::default(),
            performed: Mutex::default(),
            calls: AtomicU32::new(0),
        }
    }

    fn performed(&self) -> BTreeMap<String, u32> {
        self.performed.lock().unwrap().clone()
    }

    /// Notes a performance and returns the number of earlier ones.
    fn note(&self, effect: &Effect) -> u32 {
        let mut performed = self.performed.lock().unwrap();
        let times = performed.entry(effect.id().to_string()).or_default();
        *times += 1;
        *times - 1
    }

    async fn pay(&self, effect: &Effect, reports: &ReportHandle<Task>) {
        let nth = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let input = scripted::spend(effect, nth, cost(1));
        reports.report(Answer { input, actor: Actor::Machine, blobs: vec![] }).await.unwrap();
    }
}

impl Performer<Task> for World {
    async fn perform(
        &self,
        effect: Effect,
        reports: ReportHandle<Task>,
    ) -> Result<Answer<Task>, NotPerformed> {
        let nth = self.note(&effect);
        if let Effect::Task { want: Want::Ask { .. }, .. } = &effect {
            let handle = self.handle.lock().unwrap().clone();
            if let (Answering::People, Some(handle)) = (self.answering, handle) {
                tokio::time::sleep(Duration::from_secs(1)).await;
                let said = scripted::honest(&effect).unwrap();
                // Another receipt may have raised the question again.
                let _ = handle.report(scripted::ada(), said).await;
            }
            return Err(NotPerformed::Asked);
        }
        match (self.manner)(&effect, nth) {
            Manner::Honest => {}
            Manner::Later(wait) => {
                return Err(NotPerformed::Later { wait, why: "the window is used up".to_owned() });
            }
            Manner::Refused => {
                let why = "the project has no money left".to_owned();
                return Err(NotPerformed::Refused { why });
            }
            Manner::Paid => self.pay(&effect, &reports).await,
            Manner::PaidWhenCalledOff => {
                reports.called_off().await;
                self.pay(&effect, &reports).await;
                return Err(NotPerformed::Cancelled);
            }
        }
        let input = scripted::honest(&effect).unwrap();
        Ok(Answer { input, actor: Actor::Environment, blobs: vec![] })
    }

    fn limit(&self, _effect: &Effect) -> Duration {
        Duration::from_secs(3_600)
    }
}

async fn open(journal: &Disk, world: &Arc<World>, limits: Limits) -> Host<Task, Disk, World, Noon> {
    Host::open(journal.clone(), &stream(), world.clone(), Noon, limits).await.unwrap()
}

/// Creates the task if it does not exist, and runs it.
async fn run(journal: &Disk, world: &Arc<World>, limits: Limits) -> Ended {
    create(journal, world, charter(Lane::Quick, Budget::default())).await;
    let host = open(journal, world, limits).await;
    *world.handle.lock().unwrap() = Some(host.handle());
    host.run().await.unwrap()
}

async fn create(journal: &Disk, world: &Arc<World>, charter: Charter) {
    let mut host = open(journal, world, Limits::default()).await;
    if host.machine().data().is_none() {
        host.tell(scripted::ada(), scripted::create(charter), vec![]).await.unwrap();
    }
    host.close().await.unwrap();
}

fn question_of(task: &Task) -> Effect {
    let is_asked = |it: &Effect| matches!(it, Effect::Task { want: Want::Ask { .. }, .. });
    task.owed().into_iter().find(is_asked).unwrap()
}

fn charter(lane: Lane, budget: Budget) -> Charter {
    let header = Header { autonomy: Autonomy::Conservative, risk: Risk::Normal };
    let budget = (!budget.is_boundless()).then_some(budget);
    Charter { budget, ..scripted::charter("T-x", lane, header) }
}

fn dollars(dollars: u64) -> Budget {
    Budget { micro_dollars: Some(dollars * 1_000_000), ..Budget::default() }
}

fn cost(dollars: u64) -> Cost {
    Cost { micro_dollars: dollars * 1_000_000, tokens: 10, millis: 1_000 }
}

fn stream() -> StreamId {
    "T-x".parse().unwrap()
}

fn journal() -> Disk {
    FileJournal::on(SimulatedDisk::new(1), Layout::new(".sealwright"))
}

const NOON: u64 = 43_200_000;
