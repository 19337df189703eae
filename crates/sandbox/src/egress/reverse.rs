//! Reverse mode: a plain request of the role is checked, signed by the host and forwarded to one fixed upstream.
//!
//! The role sees a server on its own loopback. Where that leads, and with which key, is not for it to say. An
//! answer is passed on as it comes; a redirect is passed back like any other answer and never followed.

pub(super) mod headers;
pub(super) mod path;

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Either;
use hyper::body::Incoming;
use hyper::header::{CONTENT_LENGTH, HeaderName, RETRY_AFTER, TRANSFER_ENCODING, UPGRADE};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Request, Response, StatusCode, Uri, Version};
use tokio::time::timeout;

use self::headers::Signer;
use super::answer::{self, Body};
use super::body::{Passing, Sending};
use super::connection::Line;
use super::dial::DialError;
use super::ledger::{Asked, Ticket};
use super::log::{Failure, Mode, Refusal, RequestOutcome};
use super::policy::{Bounds, Chunked};
use super::rules::{Route, Rules, Signature, Signing};

/// Answers one request that is not for a tunnel.
pub(super) async fn forward(request: Request<Incoming>, line: &Line) -> Response<Body> {
    let rules = line.rules();
    let asked = asked(&request, line);
    let (route, uri) = match check(&request, rules) {
        Ok(found) => found,
        Err(why) => return line.refuse(asked, why, request).await,
    };
    let signature = match route.signing.sign(request.headers()).await {
        Ok(signature) => signature,
        Err(why) => return line.refuse(asked, why, request).await,
    };
    let ticket = match line.ledger().admit(asked, route.quota.as_ref()) {
        Ok(ticket) => ticket,
        Err(asked) => return line.refuse(asked, Refusal::RequestsSpent, request).await,
    };
    let (parts, body) = request.into_parts();
    let sending = Sending::new(body, ticket.mark().clone(), rules.bounds.request_bytes_max);
    let request = signed(parts, uri, (&route.signing, &signature), sending);
    line.pulse.hold(rules.bounds.answer_ms);
    let limit = Duration::from_millis(rules.bounds.answer_ms);
    let outcome = match timeout(limit, route.client.request(request)).await {
        Ok(Ok(response)) => {
            match pass(response, ticket, (&route.signing, &signature), &rules.bounds) {
                Ok(response) => return response,
                Err(outcome) => outcome,
            }
        }
        Ok(Err(error)) => ticket.mark().end(cause(&error)),
        Err(_) => ticket.mark().end(RequestOutcome::Failed { why: Failure::TimedOut }),
    };
    answer::say(outcome)
}

fn asked(request: &Request<Incoming>, line: &Line) -> Asked {
    let uri = request.uri();
    let target = match (uri.authority(), line.rules().route(uri.path())) {
        (Some(authority), _) => authority.as_str(),
        (None, Some((route, _))) => &route.name,
        (None, None) => "",
    };
    Asked {
        connection: line.connection,
        mode: Mode::Reverse,
        target: target.to_owned(),
        method: request.method().as_str().to_owned(),
        path: uri.path().to_owned(),
    }
}

/// Whether a request may go on, and where to.
fn check(request: &Request<Incoming>, rules: &Rules) -> Result<(Arc<Route>, Uri), Refusal> {
    if request.version() != Version::HTTP_11 {
        return Err(Refusal::Version);
    }
    let (uri, headers) = (request.uri(), request.headers());
    if uri.scheme().is_some() || uri.authority().is_some() {
        return Err(Refusal::NotAPath);
    }
    if headers.contains_key(UPGRADE) {
        return Err(Refusal::Upgrade);
    }
    let path = uri.path();
    if !path::is_clear(path) {
        return Err(Refusal::PathUnclear);
    }
    let (route, below) = rules.route(path).ok_or(Refusal::NoUpstream)?;
    check_length(headers, route.chunked, &rules.bounds)?;
    route.allows(request.method(), below)?;
    let query = uri.query();
    let signed_by_role = matches!(route.signing, Signing::Role);
    if !signed_by_role && query.is_some_and(path::has_credential) {
        return Err(Refusal::CredentialInQuery);
    }
    let uri = route.uri(below, query).ok_or(Refusal::PathUnclear)?;
    Ok((Arc::clone(route), uri))
}

/// A length that is said beside pieces never gets here: the parser drops it and ends the connection. So a policy
/// that wants to refuse both together has to refuse pieces.
fn check_length(headers: &HeaderMap, chunked: Chunked, bounds: &Bounds) -> Result<(), Refusal> {
    if headers.contains_key(TRANSFER_ENCODING) {
        match chunked {
            Chunked::Refused => return Err(Refusal::Chunked),
            Chunked::Reframed => {}
        }
    }
    if length(headers).is_some_and(|bytes| bytes > bounds.request_bytes_max) {
        return Err(Refusal::BodyTooLarge);
    }
    Ok(())
}

fn length(headers: &HeaderMap) -> Option<u64> {
    number(headers, &CONTENT_LENGTH)
}

fn number(headers: &HeaderMap, name: &HeaderName) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.parse().ok()
}

/// The request as the upstream gets it. The host's headers come last, so nothing of the role can replace them.
fn signed(
    parts: Parts,
    uri: Uri,
    (signing, signature): (&Signing, &Signature),
    body: Sending,
) -> Request<Sending> {
    let mut request = Request::new(body);
    *request.method_mut() = parts.method;
    *request.uri_mut() = uri;
    *request.headers_mut() = parts.headers;
    let headers = request.headers_mut();
    let signer = match signing {
        Signing::Role => Signer::Role,
        Signing::Nobody | Signing::Host { .. } | Signing::Fresh { .. } => {
            Signer::Host(signing.names())
        }
    };
    headers::clean_request(headers, &signer);
    for (name, value) in &signature.0 {
        headers.insert(name, value.clone());
    }
    request
}

/// The answer as the role gets it.
fn pass(
    response: Response<Incoming>,
    ticket: Ticket,
    (signing, signature): (&Signing, &Signature),
    bounds: &Bounds,
) -> Result<Response<Body>, RequestOutcome> {
    let (parts, body) = response.into_parts();
    if parts.status == StatusCode::SWITCHING_PROTOCOLS {
        return Err(ticket.mark().end(RequestOutcome::Failed { why: Failure::UpstreamBroke }));
    }
    if length(&parts.headers).is_some_and(|bytes| bytes > bounds.response_bytes_max) {
        return Err(ticket.mark().end(RequestOutcome::Failed { why: Failure::ResponseTooLarge }));
    }
    let told = match signing {
        Signing::Fresh { source, .. } => source.answered(parts.status.as_u16(), &|name| {
            parts.headers.get(name)?.to_str().ok().map(str::to_owned)
        }),
        Signing::Nobody | Signing::Role | Signing::Host { .. } => None,
    };
    if let Some(seconds) = told.max(number(&parts.headers, &RETRY_AFTER)) {
        ticket.mark().put_off(seconds);
    }
    let limit = Duration::from_millis(bounds.exchange_ms);
    let passing =
        Passing::new(body, ticket, parts.status.as_u16(), bounds.response_bytes_max, limit);
    let mut response = Response::new(Either::Right(passing));
    *response.status_mut() = parts.status;
    *response.headers_mut() = parts.headers;
    headers::clean_response(response.headers_mut(), signing.names(), signature);
    Ok(response)
}

/// What an error of the client comes down to. Its words are never passed on.
fn cause(error: &(dyn Error + 'static)) -> RequestOutcome {
    let why = match (find::<DialError>(error), find::<rustls::Error>(error)) {
        (Some(error), _) => return error.outcome(),
        (None, Some(_)) => Failure::Untrusted,
        (None, None) => Failure::UpstreamBroke,
    };
    RequestOutcome::Failed { why }
}

/// Looks for an error behind another. What is inside an `io::Error` is not its source, so it is looked into.
fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    if let Some(found) = error.downcast_ref::<E>() {
        return Some(found);
    }
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inside) => find(inside),
        None => find(error.source()?),
    }
}
