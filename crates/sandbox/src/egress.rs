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
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use self::connection::{House, attend};
use self::ledger::Ledger;
pub use self::log::Log;
pub use self::policy::Policy;
pub use self::rules::PolicyError;
use self::rules::Rules;
pub use self::secret::Secret;
pub use self::target::TargetError;

/// A proxy at work, on a thread of its own. Dropping it stops it.
pub struct Egress {
    ledger: Ledger,
    work: Option<ServerThread>,
}

/// Why a proxy could not begin.
#[derive(Debug, thiserror::Error)]
pub enum EgressError {
    /// The policy makes no sense.
    #[error("invalid egress policy")]
    Policy(#[from] PolicyError),
    #[error("cannot use the listener of the egress proxy")]
    Listener(#[source] io::Error),
    /// The host gave no thread, or no way to wait for sockets.
    #[error("cannot start the egress proxy")]
    Start(#[source] io::Error),
}

struct ServerThread {
    stop: oneshot::Sender<()>,
    ended: mpsc::Receiver<()>,
    thread: JoinHandle<()>,
}

impl Egress {
    /// Serves `listener` by `policy`, from now on.
    pub fn start(listener: TcpListener, policy: &Policy) -> Result<Self, EgressError> {
        let rules = Rules::of(policy)?;
        listener.set_nonblocking(true).map_err(EgressError::Listener)?;
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(EgressError::Start)?;
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener).map_err(EgressError::Listener)?
        };
        let ledger = Ledger::open(&policy.bounds, Instant::now());
        let house = Arc::new(House { rules, ledger: ledger.clone() });
        let (stop, stopped) = oneshot::channel();
        let (end, ended) = mpsc::channel();
        let work = move || {
            run(runtime, listener, house, stopped);
            // Not before everything else is gone.
            drop(end);
        };
        let thread = std::thread::Builder::new().name("egress".to_owned()).spawn(work);
        let thread = thread.map_err(EgressError::Start)?;
        Ok(Self { ledger, work: Some(ServerThread { stop, ended, thread }) })
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
        self.end();
        self.ledger.close()
    }

    fn end(&mut self) {
        let Some(ServerThread { stop, ended, thread }) = self.work.take() else { return };
        // If nobody listens, it has ended already.
        let _ = stop.send(());
        match ended.recv_timeout(STOP_LIMIT) {
            Ok(()) | Err(mpsc::RecvTimeoutError::Disconnected) => {
                // A thread that panicked has ended as well.
                let _ = thread.join();
            }
            // It is left to itself: no connection of it is in the log any more, and none is let through.
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
    }
}

impl Drop for Egress {
    fn drop(&mut self) {
        self.end();
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

fn run(
    runtime: Runtime,
    listener: tokio::net::TcpListener,
    house: Arc<House>,
    stopped: oneshot::Receiver<()>,
) {
    runtime.block_on(accept(listener, house, stopped));
    // Drops every connection. A name that is still being looked up is not waited for.
    runtime.shutdown_background();
}

/// Accepts as many connections as there is room for. The others wait in the listener's queue.
async fn accept(
    listener: tokio::net::TcpListener,
    house: Arc<House>,
    mut stopped: oneshot::Receiver<()>,
) {
    let mut connections = JoinSet::new();
    let mut accepted: u64 = 0;
    loop {
        let has_room = connections.len() < house.rules.bounds.connections_max;
        tokio::select! {
            biased;
            _ = &mut stopped => break,
            Some(_) = connections.join_next() => {}
            stream = listener.accept(), if has_room => match stream {
                Ok((stream, _)) => {
                    accepted += 1;
                    connections.spawn(attend(stream, Arc::clone(&house), accepted));
                }
                Err(_) => {
                    house.ledger.accept_failed();
                    sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
    // Before anything is cut, so that nothing is taken for a role that left.
    house.ledger.stop();
}

const STOP_LIMIT: Duration = Duration::from_secs(5);
/// The host is short of something; asking again at once would only make it shorter.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
