//! Who carries effects out, and what it may say while it does.

use std::future::Future;
use std::time::Duration;

use sealwright_kernel::{Actor, Machine};
use sealwright_store::BlobRef;
use tokio_util::sync::CancellationToken;

use crate::{Handle, ReportError};

/// Carries out the effects of one kind of machine.
///
/// An effect may be performed more than once under the same id: after a crash nobody knows
/// how far it came. A performer makes its work idempotent, or finds out under the id.
pub trait Performer<M: Machine>: Send + Sync + 'static {
    /// Performs `effect` and says what came of it. Evidence is stored before this returns.
    fn perform(
        &self,
        effect: M::Effect,
        desk: Desk<M>,
    ) -> impl Future<Output = Result<Answer<M>, PerformError>> + Send;

    /// How long `effect` may take before its performance is cancelled.
    fn limit(&self, effect: &M::Effect) -> Duration;
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
pub enum PerformError {
    /// It was called off before it was done.
    #[error("it was cancelled")]
    Cancelled,
    /// Something outside failed; trying again may help.
    #[error("{why}")]
    Failed {
        /// What failed.
        why: String,
    },
}

/// What a performer holds while it works.
#[derive(Clone, Debug)]
pub struct Desk<M: Machine> {
    handle: Handle<M>,
    cancelled: CancellationToken,
}

impl<M: Machine> Desk<M> {
    pub(crate) fn new(handle: Handle<M>, cancelled: CancellationToken) -> Self {
        Self { handle, cancelled }
    }

    /// Reports something on the way, such as that the work has begun.
    pub async fn report(&self, answer: Answer<M>) -> Result<(), ReportError<M::Rejected>> {
        self.handle.report_answer(answer).await.map(|_| ())
    }

    /// Returns when the performance is no longer wanted: tidy up and return
    /// [`PerformError::Cancelled`].
    pub async fn cancelled(&self) {
        self.cancelled.cancelled().await;
    }
}
