//! `CONNECT`: a tunnel to a target that is listed, byte for byte as it was asked for.
//!
//! What goes through a tunnel is not seen, so a key has to be inside for it; that is why it is the fallback. It
//! leads to the listed host and port, and to nothing else that a shared address may also be serving.

use std::io;
use std::time::Duration;

use hyper::body::{Body as _, Incoming};
use hyper::header::TRANSFER_ENCODING;
use hyper::upgrade::OnUpgrade;
use hyper::{Request, Response, Uri, Version};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::answer::{self, Body};
use super::connection::Line;
use super::dial::Dialler;
use super::ledger::{Asked, Mark, Ticket};
use super::log::{Failure, Mode, Refusal, RequestOutcome};
use super::policy::Bounds;
use super::rules::Rules;
use super::target::Target;

/// A tunnel that was granted, and begins when the role has read so.
pub(super) struct Passage {
    role: OnUpgrade,
    upstream: TcpStream,
    ticket: Ticket,
}

pub(super) async fn open(mut request: Request<Incoming>, line: &Line) -> Response<Body> {
    let asked = Asked {
        connection: line.connection,
        mode: Mode::Connect,
        target: request.uri().to_string(),
        method: request.method().as_str().to_owned(),
        path: String::new(),
    };
    let dialler = match check(&request, line.rules()) {
        Ok(dialler) => dialler,
        Err(why) => return line.refuse(asked, why, request).await,
    };
    let ticket = match line.ledger().admit(asked, None) {
        Ok(ticket) => ticket,
        Err(asked) => return line.refuse(asked, Refusal::RequestsSpent, request).await,
    };
    line.pulse.hold(line.rules().bounds.connect_ms);
    match dialler.dial().await {
        Ok(upstream) => {
            line.grant(Passage { role: hyper::upgrade::on(&mut request), upstream, ticket });
            answer::established()
        }
        Err(error) => answer::say(ticket.mark().end(error.outcome())),
    }
}

impl Passage {
    /// Carries bytes both ways until both sides are done. One side may be done before the other.
    pub(super) async fn carry(self, bounds: &Bounds) {
        let Self { role, upstream, ticket } = self;
        let mark = ticket.mark();
        let there = Way {
            bytes_max: bounds.request_bytes_max,
            too_much: RequestOutcome::Refused { why: Refusal::BodyTooLarge },
            count: Mark::came_in,
            source_lost: Failure::RoleLeft,
            sink_lost: Failure::UpstreamBroke,
        };
        let back = Way {
            bytes_max: bounds.response_bytes_max,
            too_much: RequestOutcome::Failed { why: Failure::ResponseTooLarge },
            count: Mark::went_out,
            source_lost: Failure::UpstreamBroke,
            sink_lost: Failure::RoleLeft,
        };
        let both_ways = async {
            let role = role.await.map_err(|_| RequestOutcome::Failed { why: Failure::RoleLeft })?;
            let (from_role, to_role) = tokio::io::split(TokioIo::new(role));
            let (from_upstream, to_upstream) = upstream.into_split();
            tokio::try_join!(
                pump(from_role, to_upstream, there, mark),
                pump(from_upstream, to_role, back, mark),
            )
        };
        let outcome = match timeout(Duration::from_millis(bounds.exchange_ms), both_ways).await {
            Ok(Ok(((), ()))) => RequestOutcome::Tunnelled,
            Ok(Err(outcome)) => outcome,
            Err(_) => RequestOutcome::Failed { why: Failure::TimedOut },
        };
        mark.end(outcome);
    }
}

/// One direction of a tunnel, and what it means when it breaks.
struct Way {
    bytes_max: u64,
    too_much: RequestOutcome,
    count: fn(&Mark, u64),
    source_lost: Failure,
    sink_lost: Failure,
}

/// Whether a tunnel is granted, and where to.
fn check<'a>(request: &Request<Incoming>, rules: &'a Rules) -> Result<&'a Dialler, Refusal> {
    if request.version() != Version::HTTP_11 {
        return Err(Refusal::Version);
    }
    let has_body = !request.body().is_end_stream();
    if has_body || request.headers().contains_key(TRANSFER_ENCODING) {
        return Err(Refusal::TunnelBody);
    }
    let target = target(request.uri()).ok_or(Refusal::TargetMalformed)?;
    match (rules.tunnel(target), Target::parse(target)) {
        (Some(dialler), _) => Ok(dialler),
        (None, Ok(_)) => Err(Refusal::TargetNotListed),
        (None, Err(_)) => Err(Refusal::TargetMalformed),
    }
}

/// The target as it was spelt, if there is nothing but a target.
fn target(uri: &Uri) -> Option<&str> {
    let bare = uri.scheme().is_none() && uri.path_and_query().is_none();
    uri.authority().filter(|_| bare).map(|authority| authority.as_str())
}

/// Carries bytes one way until its source is done, and then says so to its sink.
async fn pump(
    mut source: impl AsyncRead + Unpin,
    mut sink: impl AsyncWrite + Unpin,
    way: Way,
    mark: &Mark,
) -> Result<(), RequestOutcome> {
    let source_lost = |_: io::Error| RequestOutcome::Failed { why: way.source_lost };
    let sink_lost = |_: io::Error| RequestOutcome::Failed { why: way.sink_lost };
    let mut left = way.bytes_max;
    let mut buffer = vec![0; PIECE_BYTES];
    loop {
        let read = source.read(&mut buffer).await.map_err(source_lost)?;
        if read == 0 {
            return sink.shutdown().await.map_err(sink_lost);
        }
        left = left.checked_sub(read as u64).ok_or(way.too_much)?;
        sink.write_all(&buffer[..read]).await.map_err(sink_lost)?;
        (way.count)(mark, read as u64);
    }
}

const PIECE_BYTES: usize = 16 << 10;
