//! The local host: drives one machine on its stream until the machine is over or the host is stopped.
//!
//! ```text
//!          ┌──────────── inbox: people, interim reports of performers ────────────┐
//!          ▼                                                                      │
//!  report: decide ─▶ append ─▶ evolve ─▶ owed_after ─▶ agenda ─▶ perform ─▶ answer
//!                                                        ▲                        │
//!                                                        └── failed, still owed ──┘
//! ```
//!
//! A report counts once it is durable. If the journal cannot store an answer, the host keeps it and tries again, so
//! that a full disk does not cost an hour of work. The host calls off effects that are no longer owed, and never drops
//! one that is.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use sealwright_kernel::{Actor, EffectId, Input, Machine, Seq, StreamId, Timestamp};
use sealwright_store::{
    Anchor, BlobRef, Draft, Head, Journal, JournalError, Snapshot, Writer as _,
};
use tokio::task::JoinSet;

use crate::agenda::{Agenda, PendingEffect};
use crate::error::Stalled;
use crate::handle::{Message, Reply};
use crate::performer::CalledOff;
use crate::replay::Replayed;
use crate::{
    Answer, Clock, Handle, HostError, NotPerformed, Performer, ReportError, ReportHandle, state_of,
};

pub struct Host<M: Machine, J: Journal, P, C> {
    journal: J,
    writer: J::Writer,
    machine: M,
    performer: Arc<P>,
    clock: C,
    limits: Limits,
    handle: Handle<M>,
    inbox: tokio::sync::mpsc::Receiver<Message<M>>,
    agenda: Agenda<M>,
    performances: JoinSet<Finished<M>>,
    observer: Option<Arc<dyn Observer<M>>>,
    snapshot_at: Seq,
    snapshot_due: u64,
}

/// Is called after every durable record. It cannot change anything.
pub trait Observer<M: Machine>: Send + Sync + 'static {
    /// `head` is the last record of the stream, `machine` the state after it.
    fn recorded(&self, machine: &M, head: Head);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub in_flight_max: usize,
    /// After this many failed tries an effect stalls.
    pub tries_max: u32,
    /// The wait before the first retry; it doubles with each further one.
    pub backoff: Duration,
    pub backoff_max: Duration,
    /// How long a cancelled performance may take to clean up.
    pub grace: Duration,
    /// The sum of all waits a provider may ask for, per effect. If it asks for more, the run is parked.
    pub wait_max: Duration,
    /// Whether a run ends where nothing is owed; otherwise it waits for what it is told.
    pub ends_idle: bool,
    /// Records between two snapshots. `None`: no snapshots; the stream is folded from its first record.
    pub snapshot_every: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The machine is over; the anchor names the last record of its stream.
    Over(Anchor),
    /// The host was asked to stop. Owed effects stay owed.
    Stopped,
    /// Only open questions are left, or nothing at all; people have to answer them.
    Waiting(Vec<EffectId>),
    /// Every owed effect has failed too often or was refused. Another run tries again.
    Stalled(Vec<Stalled>),
    /// A provider asks to wait longer than `wait_max`. A run before `until` would be parked again.
    Parked { until: Timestamp, why: String },
}

struct Finished<M: Machine> {
    work: PendingEffect<M>,
    result: Result<Answer<M>, NotPerformed>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            in_flight_max: 8,
            tries_max: 5,
            backoff: Duration::from_millis(200),
            backoff_max: Duration::from_secs(30),
            grace: Duration::from_secs(10),
            wait_max: Duration::from_secs(60 * 60),
            ends_idle: false,
            snapshot_every: Some(4096),
        }
    }
}

impl Limits {
    fn snapshot_due(&self, last: Seq) -> u64 {
        // A longer stream may have a larger state. Its snapshots lie further apart, so that their total cost stays
        // proportional to the number of records.
        let apart = |every: u64| every.max(last.get() / 8);
        self.snapshot_every.map_or(u64::MAX, |every| last.get().saturating_add(apart(every)))
    }
}

impl<M, J, P, C> Host<M, J, P, C>
where
    M: Machine,
    J: Journal,
    P: Performer<M>,
    C: Clock,
{
    /// Opens `stream` and rebuilds the state and the agenda from it.
    pub async fn open(
        journal: J,
        stream: &StreamId,
        performer: Arc<P>,
        clock: C,
        limits: Limits,
    ) -> Result<Self, HostError> {
        let kept = match limits.snapshot_every {
            Some(_) => journal.snapshot(stream).await?.and_then(Replayed::<M>::from_snapshot),
            None => None,
        };
        let opened = match kept {
            Some(kept) => match open_since(&journal, stream, kept).await {
                // A snapshot is a cache. If it does not fit, fold the whole stream.
                Err(JournalError::NotOnChain { .. } | JournalError::UnknownEvents { .. }) => {
                    open_since(&journal, stream, Replayed::start()).await
                }
                opened => opened,
            },
            None => open_since(&journal, stream, Replayed::start()).await,
        };
        let (writer, machine, snapshot_at) = opened?;
        let (handle, inbox) = Handle::new();
        let mut agenda = Agenda::new(limits);
        agenda.add(machine.owed());
        let performances = JoinSet::new();
        Ok(Self {
            journal,
            writer,
            machine,
            performer,
            clock,
            limits,
            handle,
            inbox,
            agenda,
            performances,
            observer: None,
            snapshot_at,
            snapshot_due: limits.snapshot_due(snapshot_at),
        })
    }

    #[must_use]
    pub fn watched_by(mut self, observer: Arc<dyn Observer<M>>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Reports `input` without running the host. Its evidence, `blobs`, is in the store already.
    pub async fn tell(&mut self, actor: Actor, input: M::Input, blobs: Vec<BlobRef>) -> Reply<M> {
        self.report(&Answer { input, actor, blobs }).await
    }

    pub fn handle(&self) -> Handle<M> {
        self.handle.clone()
    }

    pub fn machine(&self) -> &M {
        &self.machine
    }

    /// The last record of the stream.
    pub fn head(&self) -> Head {
        self.writer.head()
    }

    /// Runs until the machine is over, every owed effect has stalled, or the host is stopped.
    ///
    /// Dropping the future is safe at any point: nothing durable is lost.
    pub async fn run(mut self) -> Result<Ended, HostError> {
        let stopping = self.handle.stopping().clone();
        loop {
            // Performances that end quickly must not starve the inbox.
            if let Ok(message) = self.inbox.try_recv() {
                self.handle_message(message).await;
            }
            self.start_ready();
            if self.performances.is_empty() {
                if self.machine.is_over() {
                    return Ok(Ended::Over(self.end().await?));
                }
                let machine = &self.machine;
                self.agenda.forget_delayed_unless(|id| machine.may_begin(id));
                if let Some(ended) = self.at_rest() {
                    self.keep_snapshot().await;
                    return Ok(ended);
                }
            }
            let retry = self.agenda.next_retry();
            let may_begin = self.may_begin();
            tokio::select! {
                biased;
                () = stopping.cancelled() => return self.stop().await,
                Some(finished) = self.performances.join_next() => self.finished(finished).await,
                Some(message) = self.inbox.recv() => self.handle_message(message).await,
                () = sleep_until(retry), if retry.is_some() && may_begin => {}
            }
        }
    }

    /// How the run ends if nothing on the agenda can start.
    fn at_rest(&self) -> Option<Ended> {
        if let Some((until, why)) = self.agenda.only_parked() {
            return Some(Ended::Parked { until: self.timestamp_of(until), why });
        }
        if self.limits.ends_idle && self.agenda.is_empty() {
            return Some(Ended::Waiting(Vec::new()));
        }
        let stalled = self.agenda.only_stalled().map(Ended::Stalled);
        stalled.or_else(|| self.agenda.only_asked().map(Ended::Waiting))
    }

    /// Closes the host without running it. If the machine is over, this ends its stream.
    pub async fn close(mut self) -> Result<Option<Anchor>, HostError> {
        if self.machine.is_over() {
            return Ok(Some(self.end().await?));
        }
        self.keep_snapshot().await;
        Ok(None)
    }

    async fn handle_message(&mut self, message: Message<M>) {
        // The sender may have dropped its receiver; the decision stands.
        match message {
            Message::Report { answer, reply } | Message::InterimReport { answer, reply } => {
                let _ = reply.send(self.report(&answer).await);
            }
            Message::Look { reply } => {
                let (machine, head) = (self.machine.clone(), self.head());
                let _ = reply.send(Replayed { machine, head });
            }
        }
    }

    async fn report(&mut self, answer: &Answer<M>) -> Reply<M> {
        if !is_signed_by(&answer.actor, &answer.input) {
            return Err(ReportError::Forged);
        }
        let events = self.machine.decide(&answer.input).map_err(ReportError::Rejected)?;
        let draft = Draft {
            at: self.clock.now(),
            actor: answer.actor.clone(),
            cause: &answer.input,
            events: events.iter().collect(),
            blobs: answer.blobs.clone(),
        };
        self.writer.append(draft).await.map_err(|error| not_durable(error.into()))?;
        events.iter().for_each(|event| self.machine.evolve(event));
        self.agenda.add(self.machine.owed_after(&events));
        let machine = &self.machine;
        self.agenda.call_off_unless(|id| machine.owes(id));
        if let Some(observer) = &self.observer {
            observer.recorded(machine, self.writer.head());
        }
        if self.head().seq.get() >= self.snapshot_due {
            self.keep_snapshot().await;
        }
        Ok(events)
    }

    /// No effect starts while a performance that was called off still runs: the next effect may be there to undo it.
    fn may_begin(&self) -> bool {
        let is_free = self.performances.len() < self.limits.in_flight_max.max(1);
        is_free && !self.agenda.is_calling_off()
    }

    fn start_ready(&mut self) {
        while self.may_begin() {
            let Some(work) = self.agenda.take_ready() else { break };
            if self.is_due(&work) {
                self.start(work);
            }
        }
    }

    /// An effect that holds an answer only has to be owed still. Without an answer it must also be allowed to begin; if
    /// it is not, it is dropped, and the machine names it again later.
    fn is_due(&self, work: &PendingEffect<M>) -> bool {
        match work.answer {
            Some(_) => self.machine.owes(&work.id),
            None => self.machine.may_begin(&work.id),
        }
    }

    fn start(&mut self, mut work: PendingEffect<M>) {
        let call = self.agenda.started(&work.id);
        if let Some(answer) = work.answer.take() {
            // The effect was performed before; only the report is missing.
            self.performances.spawn(async { Finished { work, result: Ok(answer) } });
            return;
        }
        let reports = ReportHandle::new(Arc::new(self.handle.clone()), call.clone());
        let (limit, grace) = (self.performer.limit(&work.effect), self.limits.grace);
        let (performer, effect) = (self.performer.clone(), work.effect.clone());
        self.performances.spawn(async move {
            let mut performance = pin!(catch_panic(performer.perform(effect, reports)));
            let done = tokio::select! {
                biased;
                done = &mut performance => Some(done),
                _ = call.called_off() => None,
                () = tokio::time::sleep(limit) => None,
            };
            let done = match done {
                Some(done) => Some(done),
                None => {
                    call.call_off(CalledOff::OutOfTime);
                    tokio::time::timeout(grace, performance).await.ok()
                }
            };
            let result = done.unwrap_or(Err(NotPerformed::Cancelled));
            Finished { work, result }
        });
    }

    async fn finished(&mut self, finished: Result<Finished<M>, tokio::task::JoinError>) {
        let finished = finished.expect("`catch_panic` catches every panic of a performer");
        let Finished { mut work, result } = finished;
        self.agenda.ended(&work.id);
        let why = match result {
            Ok(answer) => match self.report_as_performer(&answer).await {
                Ok(_) => "the effect is still owed after its answer".to_owned(),
                Err(error @ (ReportError::Rejected(_) | ReportError::Forged)) => error.to_string(),
                Err(error @ (ReportError::NotDurable { .. } | ReportError::Stopped)) => {
                    work.answer = Some(answer);
                    let why = error.to_string();
                    self.performer.not_durable(&work.effect, &why);
                    why
                }
            },
            Err(NotPerformed::Asked) => {
                if self.machine.owes(&work.id) {
                    self.agenda.put_aside(&work);
                }
                return;
            }
            Err(NotPerformed::Later { wait, why }) => {
                if self.machine.may_begin(&work.id) {
                    self.agenda.try_later(work, wait, why, tokio::time::Instant::now());
                }
                return;
            }
            Err(NotPerformed::Refused { why }) => {
                if self.machine.may_begin(&work.id) {
                    self.agenda.stall(&work, why);
                }
                return;
            }
            Err(error @ (NotPerformed::Cancelled | NotPerformed::Failed { .. })) => {
                error.to_string()
            }
        };
        if self.is_due(&work) {
            self.agenda.try_again(work, why, tokio::time::Instant::now());
        }
    }

    async fn report_as_performer(&mut self, answer: &Answer<M>) -> Reply<M> {
        answer.is_not_signed_by_a_person()?;
        self.report(answer).await
    }

    fn timestamp_of(&self, until: tokio::time::Instant) -> Timestamp {
        let left = until.saturating_duration_since(tokio::time::Instant::now());
        let left = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
        Timestamp::from_millis(self.clock.now().as_millis().saturating_add(left))
    }

    async fn stop(mut self) -> Result<Ended, HostError> {
        self.agenda.call_all_off();
        // Bounded by the grace: answers and interim reports that arrive in time are still recorded. Other messages are
        // dropped, so their senders get `ReportError::Stopped`.
        while !self.performances.is_empty() {
            tokio::select! {
                biased;
                Some(finished) = self.performances.join_next() => self.finished(finished).await,
                Some(message) = self.inbox.recv() => match message {
                    message @ Message::InterimReport { .. } => self.handle_message(message).await,
                    Message::Report { .. } | Message::Look { .. } => {}
                },
            }
        }
        self.inbox.close();
        while self.inbox.try_recv().is_ok() {}
        self.keep_snapshot().await;
        Ok(Ended::Stopped)
    }

    async fn end(mut self) -> Result<Anchor, HostError> {
        let anchor = self.writer.end(self.clock.now()).await?;
        self.keep_snapshot().await;
        Ok(anchor)
    }

    /// Writes a snapshot if records were added since the last one. A failure only makes the next opening slower.
    async fn keep_snapshot(&mut self) {
        let head = self.head();
        if head.seq == self.snapshot_at || self.limits.snapshot_every.is_none() {
            return;
        }
        // Set before writing: a snapshot that fails is not tried again at every step.
        self.snapshot_due = self.limits.snapshot_due(head.seq);
        let Ok(state) = state_of(&self.machine) else { return };
        let snapshot = Snapshot { stream: self.writer.stream().clone(), head, state };
        if self.journal.keep_snapshot(&snapshot).await.is_ok() {
            self.snapshot_at = head.seq;
        }
    }
}

impl<M: Machine, J: Journal, P, C> std::fmt::Debug for Host<M, J, P, C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Host({:?}, {:?})", self.writer, self.machine)
    }
}

async fn open_since<M: Machine, J: Journal>(
    journal: &J,
    stream: &StreamId,
    mut replayed: Replayed<M>,
) -> Result<(J::Writer, M, Seq), JournalError> {
    let since = replayed.head;
    let writer = journal.open(stream, since, &mut |entry| replayed.fold(entry)).await?;
    Ok((writer, replayed.machine, since.seq))
}

/// Turns a panic of the performer into a failed performance.
async fn catch_panic<A>(
    performance: impl Future<Output = Result<A, NotPerformed>>,
) -> Result<A, NotPerformed> {
    let mut performance = pin!(performance);
    std::future::poll_fn(|context| {
        let polled = AssertUnwindSafe(|| performance.as_mut().poll(context));
        catch_unwind(polled).unwrap_or_else(|_| {
            let why = "the performer panicked".to_owned();
            Poll::Ready(Err(NotPerformed::Failed { why }))
        })
    })
    .await
}

async fn sleep_until(moment: Option<tokio::time::Instant>) {
    if let Some(moment) = moment {
        tokio::time::sleep_until(moment).await;
    }
}

/// An input that names its signer must be reported by that signer.
fn is_signed_by(actor: &Actor, input: &impl Input) -> bool {
    input.signed_by().is_none_or(|signed_by| signed_by == actor)
}

fn not_durable<Rejected>(error: HostError) -> ReportError<Rejected> {
    let why = match std::error::Error::source(&error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    };
    ReportError::NotDurable { why, hint: error.hint() }
}
