//! What a sandbox may reach, as plain data.
//!
//! A policy is an allow list: what it does not name is refused. It is written by the host and never by a role.
//! Whether it makes sense is found out in `rules.rs`, before anything listens.

use std::net::SocketAddr;

use sealwright_kernel::{CanonicalError, Digest, canonical_json};
use serde::Serialize;

use super::fresh::Fresh;
use super::secret::Secret;

#[derive(Clone, Debug, Default, Serialize)]
pub struct Policy {
    pub upstreams: Vec<Upstream>,
    /// Where `CONNECT` may lead.
    pub tunnels: Vec<Tunnel>,
    /// Certificate authorities beside the public ones, in PEM.
    pub roots: Vec<String>,
    pub bounds: Bounds,
}

/// One place requests are forwarded to, with a credential the role never sees.
#[derive(Clone, Debug, Serialize)]
pub struct Upstream {
    pub at: UpstreamPath,
    /// What every path is put behind: `https://host`, `http://host:port/folder`.
    pub base: String,
    pub credential: Credential,
    /// What may be asked of it. Nothing else is.
    pub calls: Vec<Call>,
    /// What becomes of requests that do not say how long they are.
    pub chunked: Chunked,
    pub address: Address,
    /// How many answers it may give, if that is bounded.
    pub quota: Option<Quota>,
}

/// A request that may be made: a method, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Call {
    pub method: String,
    pub path: Paths,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Paths {
    /// This one, and all that lies below it; `/` is every path.
    Below(String),
    /// This one. A `*` stands for any text that stays within one part of the path.
    Like(String),
}

impl Call {
    pub fn below(method: &str, path: &str) -> Self {
        Self { method: method.to_owned(), path: Paths::Below(path.to_owned()) }
    }

    pub fn like(method: &str, path: &str) -> Self {
        Self { method: method.to_owned(), path: Paths::Like(path.to_owned()) }
    }
}

impl Paths {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Below(path) | Self::Like(path) => path,
        }
    }
}

/// How many answers an upstream may give in one run. What is refused or fails is not counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Quota {
    pub answers_max: usize,
    /// Only requests that post to a path which ends like one of these are counted, and refused beyond it.
    pub endings: Vec<String>,
}

impl Quota {
    /// Whether a request is one of those that are counted.
    pub(super) fn counts(&self, method: &str, path: &str) -> bool {
        method == "POST" && self.endings.iter().any(|ending| path.ends_with(ending.as_str()))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UpstreamPath {
    /// At `/`, for every path that no name claims.
    Root,
    /// Below `/<name>/`.
    Named(String),
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Credential {
    /// Not at all: what the role sends as a credential is taken out.
    None,
    /// By the role: what it sends goes through. It can then speak as anyone it has a key of.
    Own,
    /// By the host, with this header; what the role sends as a credential is taken out.
    Header {
        name: String,
        /// Its whole value, such as `Bearer …`.
        value: Secret,
    },
    /// By the host, with headers that it asks for anew for each request; what the role sends as a credential is taken
    /// out. A request for which there are none is refused.
    Fresh(Fresh),
}

/// What becomes of requests that come in pieces without a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Chunked {
    /// Refused. A request with both a length and pieces is then refused as well, whatever its order.
    Refused,
    /// Read whole and sent in pieces of our own. A length beside them is dropped and the connection ended, so
    /// that nothing hides behind it.
    Reframed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Address {
    /// Whatever the host finds under the name.
    Any,
    /// What the host finds, refused unless all of it is public. An address listed in place of a name is meant.
    Public,
    /// This one; the name is not looked up.
    Pinned(SocketAddr),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tunnel {
    /// `host:port`, as the role has to spell it.
    pub target: String,
    pub address: Address,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bounds {
    /// Connections at one time; more wait until one ends.
    pub connections_max: usize,
    /// Requests and tunnels let through, over the whole run. All of them are in the log.
    pub requests_max: usize,
    /// Refusals kept in the log; more are counted.
    pub refusals_max: usize,
    /// The first line and all headers of a request.
    pub head_bytes_max: usize,
    /// Headers of a request, or of an answer.
    pub headers_max: usize,
    /// What a role may send in one request, or into one tunnel.
    pub request_bytes_max: u64,
    /// What may come back for one request, or out of one tunnel.
    pub response_bytes_max: u64,
    /// Until a request's headers are there, and between two requests of one connection.
    pub head_ms: u64,
    /// Until a target is resolved and dialled.
    pub connect_ms: u64,
    /// Until an upstream begins to answer.
    pub answer_ms: u64,
    /// Without a byte in either direction.
    pub idle_ms: u64,
    /// One answer, or one tunnel, from its beginning to its end.
    pub exchange_ms: u64,
}

impl Policy {
    /// The policy in one number. Its secrets are no part of it.
    pub fn digest(&self) -> Result<Digest, CanonicalError> {
        Ok(Digest::of(&canonical_json(self)?))
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            connections_max: 64,
            requests_max: 10_000,
            refusals_max: 1_000,
            head_bytes_max: 64 << 10,
            headers_max: 100,
            request_bytes_max: 64 << 20,
            response_bytes_max: 256 << 20,
            head_ms: 30_000,
            connect_ms: 10_000,
            answer_ms: 10 * 60_000,
            idle_ms: 10 * 60_000,
            exchange_ms: 60 * 60_000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_has_the_same_digest_under_another_key() {
        let with = |key: &str| Policy {
            upstreams: vec![Upstream {
                at: UpstreamPath::Root,
                base: "https://api.example.com".to_owned(),
                credential: Credential::Header {
                    name: "x-api-key".to_owned(),
                    value: Secret::new(key),
                },
                calls: vec![Call::below("POST", "/v1")],
                chunked: Chunked::Refused,
                address: Address::Any,
                quota: None,
            }],
            ..Policy::default()
        };
        let (first, second) = (with("sk-one"), with("sk-two"));
        assert_eq!(first.digest().unwrap(), second.digest().unwrap());
        assert_ne!(first.digest().unwrap(), Policy::default().digest().unwrap());
        assert!(!format!("{first:?}").contains("sk-one"));
    }
}
