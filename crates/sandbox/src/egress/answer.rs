//! What the proxy says in its own words: why something was refused or failed, and what to do about it.
//!
//! The words are fixed. Nothing of a request, of an upstream's error or of the policy is quoted in them, so no
//! secret can be.

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};

use super::body::Passing;
use super::log::{Failure, Refusal, RequestOutcome};

/// The body of an answer: our own words, or an upstream's.
pub(super) type Body = Either<Full<Bytes>, Passing>;

/// An answer in our own words, after which the connection ends.
pub(super) fn say(outcome: RequestOutcome) -> Response<Body> {
    let (status, why, hint) = match outcome {
        RequestOutcome::Refused { why } => refusal(why),
        RequestOutcome::Failed { why } => failure(why),
        // The words for what went well are the upstream's own.
        RequestOutcome::Open | RequestOutcome::Answered { .. } | RequestOutcome::Tunnelled => {
            failure(Failure::UpstreamBroke)
        }
    };
    let text = format!("egress: {why}\nhint: {hint}\n");
    let mut response = Response::new(Either::Left(Full::new(Bytes::from(text))));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    // Whatever was refused may have left something unread behind it.
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

pub(super) fn established() -> Response<Body> {
    Response::new(Either::Left(Full::default()))
}

type Words = (StatusCode, &'static str, &'static str);

fn refusal(why: Refusal) -> Words {
    match why {
        Refusal::Malformed => {
            (StatusCode::BAD_REQUEST, "the request is not HTTP/1.1", "send a well-formed request")
        }
        Refusal::HeadTooLarge => (
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            "the headers are too long or too many",
            "send fewer and shorter headers",
        ),
        Refusal::HeadTooSlow => (
            StatusCode::REQUEST_TIMEOUT,
            "the headers did not come in time",
            "send them at once, on a new connection",
        ),
        Refusal::Version => (
            StatusCode::HTTP_VERSION_NOT_SUPPORTED,
            "only HTTP/1.1 is spoken here",
            "let the client use HTTP/1.1",
        ),
        Refusal::NotAPath => (
            StatusCode::FORBIDDEN,
            "a whole address stands where a path belongs",
            "use this proxy as the base URL of the client, not as its HTTP proxy",
        ),
        Refusal::Chunked => (
            StatusCode::LENGTH_REQUIRED,
            "the request does not say how long it is",
            "send it with a Content-Length and without a Transfer-Encoding",
        ),
        Refusal::Upgrade => (
            StatusCode::NOT_IMPLEMENTED,
            "other protocols, such as WebSocket, are not let through",
            "let the client use plain requests or server-sent events",
        ),
        Refusal::NoUpstream => (
            StatusCode::NOT_FOUND,
            "nothing is known under this path",
            "begin the path with the name of an upstream of this sandbox",
        ),
        Refusal::Method => (
            StatusCode::METHOD_NOT_ALLOWED,
            "this method is not let through",
            "ask the owner of the sandbox to list it for this upstream",
        ),
        Refusal::PathUnclear => (
            StatusCode::BAD_REQUEST,
            "the path could be read in two ways",
            "send it without dots, doubled slashes and escaped separators",
        ),
        Refusal::PathNotListed => (
            StatusCode::FORBIDDEN,
            "this path is not let through",
            "ask the owner of the sandbox to list it for this upstream",
        ),
        Refusal::CredentialInQuery => (
            StatusCode::FORBIDDEN,
            "the query carries a credential",
            "leave it out; the proxy adds the right one",
        ),
        Refusal::BodyTooLarge => (
            StatusCode::PAYLOAD_TOO_LARGE,
            "the request is too long",
            "send less at a time, or ask the owner of the sandbox for more",
        ),
        Refusal::TargetMalformed => (
            StatusCode::BAD_REQUEST,
            "the target is not `host:port` in lower case",
            "spell it as it is listed",
        ),
        Refusal::TargetNotListed => (
            StatusCode::FORBIDDEN,
            "this target is not listed",
            "this sandbox reaches nothing else; ask its owner to list it if the work needs it",
        ),
        Refusal::TunnelBody => {
            (StatusCode::BAD_REQUEST, "a request for a tunnel has a body", "send it without one")
        }
        Refusal::AddressNotPublic => (
            StatusCode::FORBIDDEN,
            "the name leads to an address that is not public",
            "its owner can pin the address in the policy, if it is meant",
        ),
        Refusal::RequestsSpent => (
            StatusCode::TOO_MANY_REQUESTS,
            "this run has made all the requests it may",
            "finish with what there is; more will not be let through",
        ),
        Refusal::OtherCredential => (
            StatusCode::FORBIDDEN,
            "the request is signed with another credential than the one that was given",
            "sign it with the token of this call",
        ),
        Refusal::NoCredential => (
            StatusCode::FORBIDDEN,
            "the host has no credential for this upstream",
            "its owner has to sign in again; asking again does not help",
        ),
    }
}

fn failure(why: Failure) -> Words {
    match why {
        Failure::Unresolved => (
            StatusCode::BAD_GATEWAY,
            "the host finds no address under the upstream's name",
            "the owner of the sandbox can check the name and the host's network",
        ),
        Failure::Unreachable => (
            StatusCode::BAD_GATEWAY,
            "the upstream cannot be reached",
            "try again later; it may be down, or the host offline",
        ),
        Failure::Untrusted => (
            StatusCode::BAD_GATEWAY,
            "the upstream could not prove who it is",
            "its owner can add a certificate authority to the policy, if it is meant",
        ),
        Failure::TimedOut => (
            StatusCode::GATEWAY_TIMEOUT,
            "the upstream did not answer in time",
            "try again, with a smaller request or with a streamed answer",
        ),
        Failure::UpstreamBroke
        | Failure::ResponseTooLarge
        | Failure::RoleLeft
        | Failure::Stopped => (
            StatusCode::BAD_GATEWAY,
            "the upstream's answer could not be passed on",
            "try again; ask for less if it was long",
        ),
    }
}
