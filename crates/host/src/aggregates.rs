//! Replay of a stream whose machine is known only by its name.

use std::future::Future;
use std::pin::Pin;

use sealwright_kernel::{Machine, MachineVisitor, Seq, StreamId, visit_machine_of};
use sealwright_store::{Head, Journal};
use serde_json::Value;

use crate::{HostError, replay, state_of};

#[derive(Clone, Debug, PartialEq)]
pub struct StreamState {
    /// `task` or `project`.
    pub aggregate: &'static str,
    /// The last record folded.
    pub head: Head,
    pub state: Value,
}

/// Folds `stream` with its machine, up to and including record `until` if one is given.
pub async fn replay_stream<J: Journal>(
    journal: &J,
    stream: &StreamId,
    until: Option<Seq>,
) -> Result<StreamState, HostError> {
    let unknown = || HostError::UnknownAggregate { stream: stream.to_string() };
    visit_machine_of(stream, Replay { journal, stream, until }).ok_or_else(unknown)?.await
}

struct Replay<'a, J> {
    journal: &'a J,
    stream: &'a StreamId,
    until: Option<Seq>,
}

impl<'a, J: Journal> MachineVisitor for Replay<'a, J> {
    type Output = Pin<Box<dyn Future<Output = Result<StreamState, HostError>> + 'a>>;

    fn visit<M: Machine>(self, aggregate: &'static str) -> Self::Output {
        Box::pin(async move {
            let replayed = replay::<M, _>(self.journal, self.stream, self.until).await?;
            let state = state_of(&replayed.machine)?;
            Ok(StreamState { aggregate, head: replayed.head, state })
        })
    }
}
