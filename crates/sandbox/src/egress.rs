//! The egress proxy: the one way out of a sandbox.
//!
//! A sandbox has no network. It has one listener, made inside its network namespace and handed out; the host
//! accepts on it here, and dials upstream from outside. A policy says what is let through, in two ways:
//!
//! ```text
//! role ── http://127.0.0.1:3128/<name>/… ──▶ checked, signed by the host ──▶ one fixed upstream
//! role ── CONNECT host:port ───────────────▶ listed, byte for byte ────────▶ that host and port
//! ```
//!
//! The first is preferred, because the key never enters the sandbox. Every decision is written into a [`Log`].
//! What this leaves to others: making the listener, and deciding on a policy. What it cannot do: see into a
//! tunnel, or keep a role from telling a listed upstream what it knows.

mod address;
mod answer;
mod body;
mod connect;
mod connection;
mod dial;
pub mod fresh;
mod ledger;
pub mod log;
pub mod policy;
mod pulse;
mod reverse;
mod rules;
mod secret;
mod target;

use std::fmt;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio::time::Instant;

use self::connection::{House, attend};
use self::ledger::Ledger;
pub use self::log::Log;
pub use self::policy::Policy;
pub use self::rules::PolicyError;
use self::rules::Rules;
pub use self::secret::Secret;
pub use self::target::TargetError;
use crate::server_thread::{ServerThread, Service, StartError};

/// A proxy at work, on a thread of its own. Dropping it stops it.
pub struct Egress {
    ledger: Ledger,
    server: ServerThread,
}

/// Why a proxy could not begin.
#[derive(Debug, thiserror::Error)]
pub enum EgressError {
    /// The policy makes no sense.
    #[error("invalid egress policy")]
    Policy(#[from] PolicyError),
    /// The listener cannot be used.
    #[error("cannot use the listener of the egress proxy")]
    Listener(#[source] io::Error),
    /// The host gave no thread, or no way to wait for sockets.
    #[error("cannot start the egress proxy")]
    Start(#[source] io::Error),
}

/// The service behind the listener of a sandbox.
struct Proxy {
    house: Arc<House>,
    accepted: u64,
}

impl Egress {
    /// Serves `listener` by `policy`, from now on.
    pub fn start(listener: TcpListener, policy: &Policy) -> Result<Self, EgressError> {
        let rules = Rules::of(policy)?;
        let ledger = Ledger::open(&policy.bounds, Instant::now());
        let house = Arc::new(House { rules, ledger: ledger.clone() });
        let server = ServerThread::start("egress", listener, Proxy { house, accepted: 0 });
        let server = server.map_err(|error| match error {
            StartError::Listener(error) => EgressError::Listener(error),
            StartError::Host(error) => EgressError::Start(error),
        })?;
        Ok(Self { ledger, server })
    }

    /// What its decisions so far come to, one after the other.
    pub fn fold<T>(&self, begin: T, step: impl FnMut(T, &log::Entry) -> T) -> T {
        self.ledger.fold(begin, step)
    }

    /// The last of its decisions so far that is like this, with what is known of it by now.
    pub fn last(&self, which: impl Fn(&log::Entry) -> bool) -> Option<log::Entry> {
        self.ledger.last(which)
    }

    /// Ends it, cuts what is still open, and hands out the log.
    pub fn stop(mut self) -> Log {
        // A thread that does not end in time has no connection in the log any more, and lets none through.
        self.server.stop();
        self.ledger.close()
    }
}

impl Service for Proxy {
    fn connections_max(&self) -> usize {
        self.house.rules.bounds.connections_max
    }

    fn serve(&mut self, stream: TcpStream) -> impl Future<Output = ()> + Send + 'static {
        self.accepted += 1;
        attend(stream, Arc::clone(&self.house), self.accepted)
    }

    fn accept_failed(&self) {
        self.house.ledger.accept_failed();
    }

    fn stopping(&self) {
        // Before anything is cut, so that nothing is taken for a role that left.
        self.house.ledger.stop();
    }
}

impl fmt::Debug for Egress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Egress")
    }
}

impl EgressError {
    pub fn hint(&self) -> String {
        match self {
            Self::Policy(error) => error.hint(),
            Self::Listener(_) => "hand in a listening TCP socket".to_owned(),
            Self::Start(_) => "look at the host's limits on threads and open files".to_owned(),
        }
    }
}
