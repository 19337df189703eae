//! One connection of a role: requests one after the other, and perhaps a tunnel at the end.
//!
//! HTTP itself is read and written by hyper. Each request is answered by itself, so the second on a connection is
//! checked like the first.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::EXPECT;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::time::sleep;

use super::answer::{self, Body};
use super::body::drain;
use super::connect::{self, Passage};
use super::ledger::{Asked, Ledger, Room};
use super::log::{Mode, Refusal, RequestOutcome};
use super::pulse::{Pulse, Watched};
use super::reverse;
use super::rules::Rules;

/// What all connections of a proxy share.
pub(super) struct House {
    pub(super) rules: Rules,
    pub(super) ledger: Ledger,
}

/// What all requests of a connection share.
pub(super) struct Line {
    house: Arc<House>,
    pub(super) connection: u64,
    pub(super) pulse: Arc<Pulse>,
    asked: AtomicBool,
    granted: Mutex<Option<Passage>>,
}

pub(super) async fn attend(stream: TcpStream, house: Arc<House>, connection: u64) {
    let pulse = Arc::new(Pulse::new(house.rules.bounds.idle_ms));
    let (asked, granted) = (AtomicBool::new(false), Mutex::new(None));
    let line = Arc::new(Line { house, connection, pulse, asked, granted });
    let work = async {
        serve(stream, &line).await;
        if let Some(passage) = line.take_granted() {
            passage.carry(&line.rules().bounds).await;
        }
    };
    let watch = async {
        line.pulse.lost().await;
        // Before the work is dropped, so that it is not taken for a role that left.
        line.ledger().time_out(connection);
    };
    tokio::select! {
        () = work => {}
        () = watch => {}
    }
}

impl Line {
    pub(super) fn rules(&self) -> &Rules {
        &self.house.rules
    }

    pub(super) fn ledger(&self) -> &Ledger {
        &self.house.ledger
    }

    /// Says no, and writes it down.
    pub(super) async fn refuse(
        &self,
        asked: Asked,
        why: Refusal,
        request: Request<Incoming>,
    ) -> Response<Body> {
        self.write_down(asked, why).await;
        // A client that asked whether to send its body has not sent it, and need not.
        if !request.headers().contains_key(EXPECT) {
            drain(request.into_body()).await;
        }
        answer::say(RequestOutcome::Refused { why })
    }

    /// Leaves a tunnel to be carried once the last answer is written.
    pub(super) fn grant(&self, passage: Passage) {
        *self.granted.lock().unwrap_or_else(PoisonError::into_inner) = Some(passage);
    }

    fn take_granted(&self) -> Option<Passage> {
        self.granted.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    async fn refuse_unread(&self, why: Refusal) {
        let (target, method, path) = (String::new(), String::new(), String::new());
        let asked = Asked { connection: self.connection, mode: Mode::Unread, target, method, path };
        self.write_down(asked, why).await;
    }

    /// A role that was refused so often that the log is full is made to wait: what it keeps busy is the host.
    async fn write_down(&self, asked: Asked, why: Refusal) {
        match self.ledger().refuse(asked, why) {
            Room::Enough => {}
            Room::None => sleep(FLOOD_PAUSE).await,
        }
    }
}

/// Reads requests and writes answers, until the role or a rule ends it, or a tunnel begins.
async fn serve(stream: TcpStream, line: &Arc<Line>) {
    // Without it, small pieces of a stream wait for each other. It works without, too.
    let _ = stream.set_nodelay(true);
    let bounds = &line.rules().bounds;
    let service = service_fn(|request| {
        let line = Arc::clone(line);
        async move { Ok::<_, Infallible>(answer_one(request, &line).await) }
    });
    let io = TokioIo::new(Watched { stream, pulse: Arc::clone(&line.pulse) });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_millis(bounds.head_ms))
        .max_header_size(bounds.head_bytes_max)
        .max_buf_size(bounds.head_bytes_max)
        .max_headers(bounds.headers_max)
        .serve_connection(io, service)
        .with_upgrades()
        .await;
    match served {
        Err(error) if error.is_parse_too_large() => line.refuse_unread(Refusal::HeadTooLarge).await,
        Err(error) if error.is_parse() => line.refuse_unread(Refusal::Malformed).await,
        // A connection that was used and is kept for later use may lie still; there is nothing to refuse.
        Err(error) if error.is_timeout() && !line.asked.load(Ordering::Relaxed) => {
            line.refuse_unread(Refusal::HeadTooSlow).await;
        }
        // What was under way has written its own end.
        Ok(()) | Err(_) => {}
    }
}

async fn answer_one(request: Request<Incoming>, line: &Line) -> Response<Body> {
    line.asked.store(true, Ordering::Relaxed);
    if request.method() == Method::CONNECT {
        connect::open(request, line).await
    } else {
        reverse::forward(request, line).await
    }
}

const FLOOD_PAUSE: Duration = Duration::from_millis(100);
