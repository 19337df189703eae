//! The performer of effects, and the handle it reports through.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use sealwright_kernel::{Actor, Machine};
use sealwright_store::BlobRef;
use tokio::sync::Notify;

use crate::ReportError;

/// Performs the effects of one kind of machine.
///
/// After a crash the host performs an effect again under the same id. A performer is idempotent, or uses the id to find
/// out what it did before.
pub trait Performer<M: Machine>: Send + Sync + 'static {
    /// Performs `effect` and returns the answer to report. Evidence is in the store before this returns.
    fn perform(
        &self,
        effect: M::Effect,
        reports: ReportHandle<M>,
    ) -> impl Future<Output = Result<Answer<M>, NotPerformed>> + Send;

    /// How long `effect` may take before the host calls the performance off.
    fn limit(&self, effect: &M::Effect) -> Duration;

    /// The journal could not store the answer to `effect`. The host keeps the answer and tries again later.
    fn not_durable(&self, _effect: &M::Effect, _why: &str) {}
}

/// Performs nothing: every effect waits for a report from outside.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPerformer;

impl<M: Machine> Performer<M> for NoPerformer {
    async fn perform(
        &self,
        _effect: M::Effect,
        _reports: ReportHandle<M>,
    ) -> Result<Answer<M>, NotPerformed> {
        Err(NotPerformed::Asked)
    }

    fn limit(&self, _effect: &M::Effect) -> Duration {
        Duration::from_secs(1)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer<M: Machine> {
    pub input: M::Input,
    pub actor: Actor,
    /// The evidence for `input`, already in the store.
    pub blobs: Vec<BlobRef>,
}

/// Why an effect was not performed. It stays owed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPerformed {
    /// The host called the performance off.
    #[error("cancelled")]
    Cancelled,
    /// A person was asked. The host does not retry; the answer arrives as a report.
    #[error("a person has to answer")]
    Asked,
    /// A dependency failed; trying again may help.
    #[error("{why}")]
    Failed { why: String },
    /// A provider asks to wait. Nothing failed, and this does not count as a try.
    #[error("{why}")]
    Later { wait: Duration, why: String },
    /// Not allowed in the current state; trying again does not help. `why` also says what to do.
    #[error("{why}")]
    Refused { why: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalledOff {
    /// The effect is no longer owed; its answer is not used.
    NotOwed,
    /// The host stops. The effect stays owed and the next run performs it again.
    Stopping,
    /// The time limit is reached. The machine decides what that means: the performer answers, within the grace, that it
    /// ran out of time.
    OutOfTime,
}

/// Takes the interim reports of a performer. The local [`crate::Handle`] is one; another host brings its own.
pub trait ReportSink<M: Machine>: Send + Sync + 'static {
    /// Records `answer`. When the future is ready, the report is durable or refused.
    fn report(&self, answer: Answer<M>) -> Reported<'_, M>;
}

/// The future of a report that is being recorded.
pub type Reported<'r, M> =
    Pin<Box<dyn Future<Output = Result<(), ReportError<<M as Machine>::Rejected>>> + Send + 'r>>;

/// A performer's connection to its host: it sends interim reports and receives the signal that calls it off.
#[derive(Clone)]
pub struct ReportHandle<M: Machine> {
    sink: Arc<dyn ReportSink<M>>,
    call_off: CallOff,
}

impl<M: Machine> ReportHandle<M> {
    /// A handle for one performance. The host keeps a clone of `call_off` and can end the performance with it.
    pub fn new(sink: Arc<dyn ReportSink<M>>, call_off: CallOff) -> Self {
        Self { sink, call_off }
    }

    /// Reports before the performance ends, for example that the work has started or what it cost. A host that is
    /// stopping still records the report.
    pub async fn report(&self, answer: Answer<M>) -> Result<(), ReportError<M::Rejected>> {
        answer.is_not_signed_by_a_person()?;
        self.sink.report(answer).await
    }

    /// Returns when the host calls the performance off: clean up, then answer or return [`NotPerformed::Cancelled`].
    pub async fn called_off(&self) -> CalledOff {
        self.call_off.called_off().await
    }
}

impl<M: Machine> std::fmt::Debug for ReportHandle<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ReportHandle({:?})", self.call_off)
    }
}

impl<M: Machine> Answer<M> {
    /// People report through a [`crate::Handle`]; a performer must not sign for a person.
    pub(crate) fn is_not_signed_by_a_person(&self) -> Result<(), ReportError<M::Rejected>> {
        match &self.actor {
            Actor::Human(_) => Err(ReportError::Forged),
            Actor::Role(..) | Actor::Machine | Actor::Environment => Ok(()),
        }
    }
}

/// The signal that ends one performance, shared by the host and the performer.
#[derive(Clone, Debug, Default)]
pub struct CallOff(Arc<State>);

#[derive(Debug, Default)]
struct State {
    reason: OnceLock<CalledOff>,
    called_off: Notify,
}

impl CallOff {
    /// Calls the performance off. The first reason stands.
    pub fn call_off(&self, reason: CalledOff) {
        let _ = self.0.reason.set(reason);
        self.0.called_off.notify_waiters();
    }

    pub(crate) fn is_called_off(&self) -> bool {
        self.0.reason.get().is_some()
    }

    pub(crate) async fn called_off(&self) -> CalledOff {
        loop {
            // Subscribe before checking, so that a signal between the two is not missed.
            let called_off = self.0.called_off.notified();
            if let Some(reason) = self.0.reason.get() {
                return *reason;
            }
            called_off.await;
        }
    }
}
