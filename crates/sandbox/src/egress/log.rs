//! The log: every decision of one proxy, as evidence.
//!
//! What is let through is always in it, because a request that finds no room is refused. Refusals beyond the
//! bound are counted. A query is never kept, for roles put into queries what should not be stored.

use sealwright_kernel::{CanonicalError, Digest, canonical_json};
use serde::{Deserialize, Serialize};

/// Everything one proxy decided, in the order it was decided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    pub entries: Vec<Entry>,
    /// Refusals there was no room for.
    pub refusals_dropped: u64,
    /// Connections that could not be accepted, because the host was short of something.
    pub accepts_failed: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// When it was made, counted from the beginning of the proxy.
    pub at_ms: u64,
    /// How long what followed took.
    pub took_ms: u64,
    /// The connection it was made on, counted from 1.
    pub connection: u64,
    pub mode: Mode,
    /// The name of the upstream, or the `host:port` that was asked for.
    pub target: String,
    pub method: String,
    /// The path, without the query.
    pub path: String,
    pub outcome: RequestOutcome,
    /// How long the upstream asked to be left alone, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u64>,
    /// What the role sent: a request's body, or bytes into a tunnel.
    pub bytes_in: u64,
    /// What the role was sent: an answer's body, or bytes out of a tunnel.
    pub bytes_out: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    Reverse,
    Connect,
    /// It was never understood.
    Unread,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestOutcome {
    /// It goes on. In a log that was handed out, nothing does.
    Open,
    /// The upstream's answer was passed on whole.
    Answered { status: u16 },
    /// The tunnel carried what both sides had to say.
    Tunnelled,
    /// It was not let through.
    Refused { why: Refusal },
    /// It was let through, and did not come to its end.
    Failed { why: Failure },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// It is not HTTP/1.1, or breaks its grammar.
    Malformed,
    /// The first line and the headers are too long or too many.
    HeadTooLarge,
    /// The headers did not come in time, or no further request did.
    HeadTooSlow,
    Version,
    /// It names a whole address where a path belongs.
    NotAPath,
    /// It comes in pieces, without a length of its own.
    Chunked,
    Upgrade,
    NoUpstream,
    /// The method is not listed.
    Method,
    PathUnclear,
    PathNotListed,
    CredentialInQuery,
    BodyTooLarge,
    /// The target is not spelt `host:port` in lower case.
    TargetMalformed,
    TargetNotListed,
    TunnelBody,
    /// The name leads to an address that is not public.
    AddressNotPublic,
    /// As many requests as the run may make were made.
    RequestsSpent,
    /// The host has no credential to sign it with.
    NoCredential,
    /// The role signed it with another credential than the one it was given.
    OtherCredential,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// The host finds no address under the name.
    Unresolved,
    Unreachable,
    /// The upstream could not prove who it is.
    Untrusted,
    TimedOut,
    ResponseTooLarge,
    /// The upstream broke off, or did not speak HTTP/1.1.
    UpstreamBroke,
    RoleLeft,
    Stopped,
}

impl Log {
    /// The one form it is stored and hashed in.
    pub fn canonical(&self) -> Result<Vec<u8>, CanonicalError> {
        canonical_json(self)
    }

    pub fn digest(&self) -> Result<Digest, CanonicalError> {
        Ok(Digest::of(&self.canonical()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_stored_in_one_form() {
        let log = Log {
            entries: vec![Entry {
                at_ms: 7,
                took_ms: 3,
                connection: 1,
                mode: Mode::Connect,
                target: "evil.example:443".to_owned(),
                method: "CONNECT".to_owned(),
                path: String::new(),
                outcome: RequestOutcome::Refused { why: Refusal::TargetNotListed },
                retry_after_s: None,
                bytes_in: 0,
                bytes_out: 0,
            }],
            refusals_dropped: 2,
            accepts_failed: 0,
        };
        let text = String::from_utf8(log.canonical().unwrap()).unwrap();
        insta::assert_snapshot!(text, @r#"{"accepts_failed":0,"entries":[{"at_ms":7,"bytes_in":0,"bytes_out":0,"connection":1,"method":"CONNECT","mode":"connect","outcome":{"refused":{"why":"target_not_listed"}},"path":"","target":"evil.example:443","took_ms":3}],"refusals_dropped":2}"#);
        assert_eq!(serde_json::from_str::<Log>(&text).unwrap(), log);
        assert_eq!(log.digest().unwrap(), Digest::of(text.as_bytes()));
        assert_ne!(log.digest().unwrap(), Log::default().digest().unwrap());
    }
}
