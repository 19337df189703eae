//! The handle through which people and performers report to a running host.

use sealwright_kernel::{Actor, Machine};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::{Answer, Replayed, ReportError, ReportSink, Reported};

/// Sends reports to a running [`Host`](crate::Host). Clones address the same host.
#[derive(Debug)]
pub struct Handle<M: Machine> {
    messages: mpsc::Sender<Message<M>>,
    stop: CancellationToken,
}

pub(crate) enum Message<M: Machine> {
    /// From a person, or from outside.
    Report { answer: Answer<M>, reply: oneshot::Sender<Reply<M>> },
    /// From a performer, before its performance ends.
    InterimReport { answer: Answer<M>, reply: oneshot::Sender<Reply<M>> },
    /// For the state now.
    Look { reply: oneshot::Sender<Replayed<M>> },
}

/// The events that a report caused, or why it does not count.
pub(crate) type Reply<M> =
    Result<Vec<<M as Machine>::Event>, ReportError<<M as Machine>::Rejected>>;

impl<M: Machine> Handle<M> {
    pub(crate) fn new() -> (Self, mpsc::Receiver<Message<M>>) {
        let (messages, inbox) = mpsc::channel(MESSAGES_MAX);
        (Self { messages, stop: CancellationToken::new() }, inbox)
    }

    /// Reports `input` to the machine. When this returns `Ok`, the events are durable.
    pub async fn report(&self, actor: Actor, input: M::Input) -> Reply<M> {
        let answer = Answer { input, actor, blobs: Vec::new() };
        self.send(|reply| Message::Report { answer, reply }).await
    }

    async fn send(
        &self,
        message: impl FnOnce(oneshot::Sender<Reply<M>>) -> Message<M>,
    ) -> Reply<M> {
        let (reply, answered) = oneshot::channel();
        let sent = self.messages.send(message(reply)).await;
        sent.map_err(|_| ReportError::Stopped)?;
        answered.await.unwrap_or(Err(ReportError::Stopped))
    }

    /// The state and the last record folded into it. `None` if the host has stopped.
    pub async fn look(&self) -> Option<Replayed<M>> {
        let (reply, answered) = oneshot::channel();
        self.messages.send(Message::Look { reply }).await.ok()?;
        answered.await.ok()
    }

    /// Asks the host to stop. It cancels running performances; their effects stay owed.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.stop
    }
}

impl<M: Machine> ReportSink<M> for Handle<M> {
    fn report(&self, answer: Answer<M>) -> Reported<'_, M> {
        Box::pin(async move {
            self.send(|reply| Message::InterimReport { answer, reply }).await.map(|_| ())
        })
    }
}

impl<M: Machine> Clone for Handle<M> {
    fn clone(&self) -> Self {
        Self { messages: self.messages.clone(), stop: self.stop.clone() }
    }
}

impl<M: Machine> std::fmt::Debug for Message<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Report { answer, .. } => write!(f, "Report({:?})", answer.input),
            Self::InterimReport { answer, .. } => write!(f, "InterimReport({:?})", answer.input),
            Self::Look { .. } => f.write_str("Look"),
        }
    }
}

/// A sender waits while this many reports are queued.
const MESSAGES_MAX: usize = 64;
