//! Bodies on their way through: passed piece by piece as they come, counted and bounded.
//!
//! Trailers are not passed on; they could say what a header may not.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::{Sleep, sleep, timeout};

use super::ledger::{Mark, Ticket};
use super::log::{Failure, Refusal, RequestOutcome};

/// What a role sends, on its way to the upstream.
pub(super) struct Sending {
    inner: Incoming,
    mark: Mark,
    left: u64,
}

/// What an upstream answers, on its way to the role. The entry in the log ends with it.
pub(super) struct Passing {
    inner: Incoming,
    ticket: Ticket,
    status: u16,
    left: u64,
    limit: Pin<Box<Sleep>>,
}

/// Why a body broke off. The reason itself is in the log.
#[derive(Debug, thiserror::Error)]
#[error("the body ended early")]
pub(super) struct BrokeOff;

impl Sending {
    pub(super) fn new(inner: Incoming, mark: Mark, bytes_max: u64) -> Self {
        Self { inner, mark, left: bytes_max }
    }
}

impl Passing {
    pub(super) fn new(
        inner: Incoming,
        ticket: Ticket,
        status: u16,
        bytes_max: u64,
        limit: Duration,
    ) -> Self {
        if inner.is_end_stream() {
            ticket.mark().end(RequestOutcome::Answered { status });
        }
        Self { inner, ticket, status, left: bytes_max, limit: Box::pin(sleep(limit)) }
    }

    fn break_off(&self, why: Failure) -> Poll<Option<Result<Frame<Bytes>, BrokeOff>>> {
        self.ticket.mark().end(RequestOutcome::Failed { why });
        Poll::Ready(Some(Err(BrokeOff)))
    }

    fn complete(&self) {
        self.ticket.mark().end(RequestOutcome::Answered { status: self.status });
    }
}

/// Reads what is left of a refused body, within reason, so that the role is heard out and reads our answer
/// instead of a broken connection.
pub(super) async fn drain(mut body: Incoming) {
    let hear_out = async {
        let mut left = DRAIN_BYTES_MAX;
        while let Some(Ok(frame)) = body.frame().await {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            match left.checked_sub(bytes) {
                Some(rest) => left = rest,
                None => return,
            }
        }
    };
    // Whether it was all or not: the answer is the same.
    let _ = timeout(DRAIN_LIMIT, hear_out).await;
}

impl Body for Sending {
    type Data = Bytes;
    type Error = BrokeOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokeOff>>> {
        let data = match ready!(Pin::new(&mut self.inner).poll_frame(cx)) {
            None => return Poll::Ready(None),
            Some(Err(_)) => {
                self.mark.end(RequestOutcome::Failed { why: Failure::RoleLeft });
                return Poll::Ready(Some(Err(BrokeOff)));
            }
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => data,
                Err(_trailers) => return Poll::Ready(None),
            },
        };
        match self.left.checked_sub(data.len() as u64) {
            Some(left) => self.left = left,
            None => {
                self.mark.end(RequestOutcome::Refused { why: Refusal::BodyTooLarge });
                return Poll::Ready(Some(Err(BrokeOff)));
            }
        }
        self.mark.came_in(data.len() as u64);
        Poll::Ready(Some(Ok(Frame::data(data))))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Body for Passing {
    type Data = Bytes;
    type Error = BrokeOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokeOff>>> {
        if self.limit.as_mut().poll(cx).is_ready() {
            return self.break_off(Failure::TimedOut);
        }
        let data = match ready!(Pin::new(&mut self.inner).poll_frame(cx)) {
            None => {
                self.complete();
                return Poll::Ready(None);
            }
            Some(Err(_)) => return self.break_off(Failure::UpstreamBroke),
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => data,
                Err(_trailers) => {
                    self.complete();
                    return Poll::Ready(None);
                }
            },
        };
        match self.left.checked_sub(data.len() as u64) {
            Some(left) => self.left = left,
            None => return self.break_off(Failure::ResponseTooLarge),
        }
        self.ticket.mark().went_out(data.len() as u64);
        // A body of known length is not asked again after its last piece.
        if self.inner.is_end_stream() {
            self.complete();
        }
        Poll::Ready(Some(Ok(Frame::data(data))))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

const DRAIN_BYTES_MAX: usize = 4 << 20;
const DRAIN_LIMIT: Duration = Duration::from_secs(2);
