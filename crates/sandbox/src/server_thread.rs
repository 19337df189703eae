//! A server on a thread of its own, with a runtime for its connections. Stopping it takes a bounded time.

use std::io;
use std::net::TcpListener;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// What a server does with its connections.
pub trait Service: Send + 'static {
    /// Connections at one time. The others wait in the listener's queue.
    fn connections_max(&self) -> usize;

    /// Serves one connection to its end.
    fn serve(&mut self, stream: TcpStream) -> impl Future<Output = ()> + Send + 'static;

    fn accept_failed(&self) {}

    /// The server stops. Open connections are cut after this call.
    fn stopping(&self) {}
}

/// A running server. Dropping it stops it.
pub struct ServerThread(Option<Running>);

struct Running {
    stop: oneshot::Sender<()>,
    ended: mpsc::Receiver<()>,
    thread: JoinHandle<()>,
}

/// Why a server could not begin.
#[derive(Debug)]
pub enum StartError {
    Listener(io::Error),
    /// The host gave no thread, or no way to wait for sockets.
    Host(io::Error),
}

impl ServerThread {
    /// Serves `listener` on a new thread called `name`.
    pub fn start(
        name: &str,
        listener: TcpListener,
        service: impl Service,
    ) -> Result<Self, StartError> {
        listener.set_nonblocking(true).map_err(StartError::Listener)?;
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(StartError::Host)?;
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener).map_err(StartError::Listener)?
        };
        let (stop, stopped) = oneshot::channel();
        let (end, ended) = mpsc::channel();
        let work = move || {
            runtime.block_on(accept(listener, service, stopped));
            // Blocking work, such as a name that is still being looked up, is not waited for.
            runtime.shutdown_background();
            // Not before everything else is gone.
            drop(end);
        };
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work);
        let thread = thread.map_err(StartError::Host)?;
        Ok(Self(Some(Running { stop, ended, thread })))
    }

    /// Stops it. After [`STOP_LIMIT`] the thread is no longer waited for.
    pub fn stop(&mut self) {
        let Some(Running { stop, ended, thread }) = self.0.take() else { return };
        // If the other end is gone, the server has ended already.
        let _ = stop.send(());
        match ended.recv_timeout(STOP_LIMIT) {
            // A thread that panicked has ended as well.
            Ok(()) | Err(mpsc::RecvTimeoutError::Disconnected) => drop(thread.join()),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
    }
}

impl Drop for ServerThread {
    fn drop(&mut self) {
        self.stop();
    }
}

impl From<StartError> for io::Error {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Listener(error) | StartError::Host(error) => error,
        }
    }
}

async fn accept(
    listener: tokio::net::TcpListener,
    mut service: impl Service,
    mut stopped: oneshot::Receiver<()>,
) {
    let mut connections = JoinSet::new();
    loop {
        let has_room = connections.len() < service.connections_max();
        tokio::select! {
            biased;
            _ = &mut stopped => break,
            Some(_) = connections.join_next() => {}
            stream = listener.accept(), if has_room => match stream {
                Ok((stream, _)) => drop(connections.spawn(service.serve(stream))),
                Err(_) => {
                    service.accept_failed();
                    sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
    service.stopping();
}

pub const STOP_LIMIT: Duration = Duration::from_secs(5);
/// The host is short of something; asking again at once would only make it shorter.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
