//! Who carries effects out, and what it may say while it does.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use sealwright_kernel::{Actor, Machine};
use sealwright_store::BlobRef;
use tokio::sync::Notify;

use crate::ReportError;

/// Carries out the effects of one kind of machine.
///
/// An effect may be performed more than once under the same id: after a crash nobody knows
/// how far it came. A performer makes its work idempotent, or finds out under the id.
pub trait Performer<M: Machine>: Send + Sync + 'static {
    /// Performs `effect` and says what came of it. Evidence is stored before this returns.
    fn perform(
        &self,
        effect: M::Effect,
        reports: ReportHandle<M>,
    ) -> impl Future<Output = Result<Answer<M>, NotPerformed>> + Send;

    /// How long `effect` may take before its performance is called off.
    fn limit(&self, effect: &M::Effect) -> Duration;

    /// Hears that `effect` was performed and its answer could not be made durable. The answer is kept, and it is tried
    /// again a little later.
    fn not_durable(&self, _effect: &M::Effect, _why: &str) {}
}

/// Performs nothing: everything owed is left to whoever runs the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPerformer;

impl<M: Machine> Performer<M> for NoPerformer {
    async fn perform(
        &self,
        _effect: M::Effect,
        _desk: ReportHandle<M>,
    ) -> Result<Answer<M>, NotPerformed> {
        Err(NotPerformed::Asked)
    }

    fn limit(&self, _effect: &M::Effect) -> Duration {
        Duration::from_secs(1)
    }
}

/// What came of an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer<M: Machine> {
    /// The report.
    pub input: M::Input,
    /// Who stands behind it.
    pub actor: Actor,
    /// The evidence it rests on, already in the store.
    pub blobs: Vec<BlobRef>,
}

/// An effect that was not performed. It stays owed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPerformed {
    /// It was called off before it was done.
    #[error("it was cancelled")]
    Cancelled,
    /// A person was asked. Nothing is tried again; their answer comes as a report.
    #[error("a person has to answer")]
    Asked,
    /// Something outside failed; trying again may help.
    #[error("{why}")]
    Failed {
        /// What failed.
        why: String,
    },
    /// Somebody outside asks for patience. Nothing failed, and it is not counted as a try.
    #[error("{why}")]
    Later {
        /// For how long.
        wait: Duration,
        /// Who asks, and why.
        why: String,
    },
    /// It may not be done as things stand, and trying again would not help.
    #[error("{why}")]
    Refused {
        /// What forbids it, and what can be done about it.
        why: String,
    },
}

/// Why a performance is no longer wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalledOff {
    /// The effect is not owed any more; nobody waits for the answer.
    NotOwed,
    /// The host stops. The effect stays owed and is performed again in the next run.
    Stopping,
    /// The limit was reached. Only the machine can say what that means: answer, within the
    /// grace, that it took too long.
    OutOfTime,
}

/// Takes the reports that a performer makes while it works. The local [`crate::Handle`] is one; another host brings its
/// own.
pub trait ReportSink<M: Machine>: Send + Sync + 'static {
    /// Records `answer`. When the future is ready, it is durable or refused.
    fn report(&self, answer: Answer<M>) -> Reported<'_, M>;
}

/// A report on its way to the journal.
pub type Reported<'r, M> =
    Pin<Box<dyn Future<Output = Result<(), ReportError<<M as Machine>::Rejected>>> + Send + 'r>>;

/// What a performer holds while it works: where it reports to, and whether its work is still wanted.
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

    /// Reports something before the performance is over, such as that the work has begun or what it cost. A host that
    /// stops still records it.
    pub async fn report(&self, answer: Answer<M>) -> Result<(), ReportError<M::Rejected>> {
        answer.is_not_signed_by_a_person()?;
        self.sink.report(answer).await
    }

    /// Returns when the performance is no longer wanted: tidy up and answer, or return [`NotPerformed::Cancelled`].
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
    /// People report through a [`crate::Handle`]; a performer cannot sign for them.
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
            // Listening before looking: a signal between the two is not missed.
            let called_off = self.0.called_off.notified();
            if let Some(reason) = self.0.reason.get() {
                return *reason;
            }
            called_off.await;
        }
    }
}
