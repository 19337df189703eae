//! Dialling: from a listed target to an open connection, outside of the sandbox.
//!
//! A name is looked up once, what was found is checked, and exactly that is dialled. There is no second look-up
//! that could find something else.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tower_service::Service;

use super::address::is_public;
use super::log::{Failure, Refusal, RequestOutcome};
use super::policy::Address;
use super::target::{Host, Target};

/// The way to one target. It knows no other.
#[derive(Clone, Debug)]
pub(super) struct Dialler {
    pub(super) target: Target,
    pub(super) address: Address,
    pub(super) limit: Duration,
}

/// Why there is no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum DialError {
    #[error("the name resolves to an address that is not public")]
    NotPublic,
    #[error("the name does not resolve")]
    Unresolved,
    #[error("no address accepts the connection")]
    Unreachable,
    #[error("the connection timed out")]
    TimedOut,
}

impl Dialler {
    pub(super) async fn dial(&self) -> Result<TcpStream, DialError> {
        let until = Instant::now() + self.limit;
        let found = timeout(self.limit, self.addresses()).await;
        let addresses = found.map_err(|_| DialError::TimedOut)??;
        let mut last = DialError::Unreachable;
        for (nth, address) in addresses.iter().enumerate() {
            // One address that swallows everything may not use up the time of the others.
            let left = u32::try_from(addresses.len() - nth).unwrap_or(u32::MAX);
            let share = until.saturating_duration_since(Instant::now()) / left;
            last = match timeout(share, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    // Without it, small pieces of a stream wait for each other. It works without, too.
                    let _ = stream.set_nodelay(true);
                    return Ok(stream);
                }
                Ok(Err(_)) => DialError::Unreachable,
                Err(_) => DialError::TimedOut,
            };
        }
        Err(last)
    }

    async fn addresses(&self) -> Result<Vec<SocketAddr>, DialError> {
        let name = match (&self.address, &self.target.host) {
            (Address::Pinned(address), _) => return Ok(vec![*address]),
            // An address that was listed as such was meant.
            (Address::Any | Address::Public, Host::Literal(address)) => {
                return Ok(vec![SocketAddr::new(*address, self.target.port)]);
            }
            (Address::Any | Address::Public, Host::Name(name)) => name.as_str(),
        };
        let found = tokio::net::lookup_host((name, self.target.port)).await;
        let found: Vec<SocketAddr> =
            found.map_err(|_| DialError::Unresolved)?.take(ADDRESSES_MAX).collect();
        allowed(self.address, found)
    }
}

impl DialError {
    pub(super) fn outcome(self) -> RequestOutcome {
        match self {
            Self::NotPublic => RequestOutcome::Refused { why: Refusal::AddressNotPublic },
            Self::Unresolved => RequestOutcome::Failed { why: Failure::Unresolved },
            Self::Unreachable => RequestOutcome::Failed { why: Failure::Unreachable },
            Self::TimedOut => RequestOutcome::Failed { why: Failure::TimedOut },
        }
    }
}

/// As the connector of an HTTP client. The address in the request is not looked at.
impl Service<Uri> for Dialler {
    type Response = TokioIo<TcpStream>;
    type Error = DialError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, DialError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), DialError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let dialler = self.clone();
        Box::pin(async move { dialler.dial().await.map(TokioIo::new) })
    }
}

/// One address that is not public is enough to refuse them all: which of them is dialled is chance.
fn allowed(rule: Address, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, DialError> {
    let public = || found.iter().all(|address| is_public(address.ip()));
    match rule {
        Address::Any | Address::Pinned(_) => {}
        Address::Public if public() => {}
        Address::Public => return Err(DialError::NotPublic),
    }
    if found.is_empty() { Err(DialError::Unresolved) } else { Ok(found) }
}

const ADDRESSES_MAX: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_private_address_among_public_ones_refuses_them_all() {
        let found = |text: &[&str]| text.iter().map(|text| text.parse().unwrap()).collect();
        let rebound = || found(&["1.1.1.1:443", "127.0.0.1:443"]);
        assert_eq!(allowed(Address::Public, rebound()), Err(DialError::NotPublic));
        assert_eq!(allowed(Address::Any, rebound()), Ok(rebound()));
        let public: Vec<SocketAddr> = found(&["1.1.1.1:443"]);
        assert_eq!(allowed(Address::Public, public.clone()), Ok(public));
        assert_eq!(allowed(Address::Public, vec![]), Err(DialError::Unresolved));
    }
}
