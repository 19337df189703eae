//! The pulse of a connection: when something last moved on it.
//!
//! A role can stall a connection in many places: in a body, in a tunnel, by not reading an answer. One watch on
//! the bytes themselves covers them all.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};

/// Until when a connection may live without another sign of life.
pub(super) struct Pulse {
    began: Instant,
    idle_ms: u64,
    until_ms: AtomicU64,
}

pub(super) struct Watched {
    pub(super) stream: TcpStream,
    pub(super) pulse: Arc<Pulse>,
}

impl Pulse {
    pub(super) fn new(idle_ms: u64) -> Self {
        Self { began: Instant::now(), idle_ms, until_ms: AtomicU64::new(idle_ms) }
    }

    /// Waits until the connection has been still for too long.
    pub(super) async fn lost(&self) {
        loop {
            let until_ms = self.until_ms.load(Ordering::Relaxed);
            if self.now_ms() >= until_ms {
                return;
            }
            sleep_until(self.began + Duration::from_millis(until_ms)).await;
        }
    }

    /// Grants some time in which nothing needs to move, because something else keeps the time.
    pub(super) fn hold(&self, limit_ms: u64) {
        let until_ms = self.now_ms().saturating_add(limit_ms).saturating_add(HOLD_SLACK_MS);
        self.until_ms.fetch_max(until_ms, Ordering::Relaxed);
    }

    fn moved(&self) {
        self.until_ms.fetch_max(self.now_ms().saturating_add(self.idle_ms), Ordering::Relaxed);
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        if buffer.filled().len() > before {
            self.pulse.moved();
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes))?;
        self.pulse.moved();
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write_vectored(cx, slices))?;
        self.pulse.moved();
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// So that what keeps the time comes first, and can say so to the role.
const HOLD_SLACK_MS: u64 = 1_000;
