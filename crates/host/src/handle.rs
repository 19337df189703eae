//! The way in: how people and performers talk to a running host.

use sealwright_kernel::{Actor, Machine};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::{Answer, Replayed, ReportError, ReportSink, Reported};

/// A way to talk to a running [`Host`](crate::Host). Clones talk to the same one.
#[derive(Debug)]
pub struct Handle<M: Machine> {
    messages: mpsc::Sender<Message<M>>,
    stop: CancellationToken,
}

pub(crate) enum Message<M: Machine> {
    /// Somebody outside says something.
    Report {
        answer: Answer<M>,
        reply: oneshot::Sender<Reply<M>>,
    },
    /// A performer does, while it works.
    OnTheWay {
        answer: Answer<M>,
        reply: oneshot::Sender<Reply<M>>,
    },
    Look {
        reply: oneshot::Sender<Replayed<M>>,
    },
}

type Reply<M> = Result<Vec<<M as Machine>::Event>, ReportError<<M as Machine>::Rejected>>;

impl<M: Machine> Handle<M> {
    pub(crate) fn new() -> (Self, mpsc::Receiver<Message<M>>) {
        let (messages, inbox) = mpsc::channel(MESSAGES_MAX);
        (Self { messages, stop: CancellationToken::new() }, inbox)
    }

    /// Tells the machine something. When this returns, it is durable and true.
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

    /// The state and the record it stands for, unless the host has stopped.
    pub async fn look(&self) -> Option<Replayed<M>> {
        let (reply, answered) = oneshot::channel();
        self.messages.send(Message::Look { reply }).await.ok()?;
        answered.await.ok()
    }

    /// Asks the host to stop in good order: performances are cancelled and stay owed.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.stop
    }
}

impl<M: Machine> ReportSink<M> for Handle<M> {
    fn report(&self, answer: Answer<M>) -> Reported<'_, M> {
        Box::pin(
            async move { self.send(|reply| Message::OnTheWay { answer, reply }).await.map(|_| ()) },
        )
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
            Self::OnTheWay { answer, .. } => write!(f, "OnTheWay({:?})", answer.input),
            Self::Look { .. } => f.write_str("Look"),
        }
    }
}

/// Reports that may wait; a sender beyond them waits too.
const MESSAGES_MAX: usize = 64;
