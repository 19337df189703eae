//! The server: serves scripts on a local port in its own thread.

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER,
};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::pieces::Pieces;
use crate::plan::aside;
use crate::protocol::{Route, account, models};
use crate::{
    Content, Fault, Plan, Protocol, Reply, ScriptSet, Seen, Served, Stamp, Times, Written, plan,
    request,
};

/// A running model, stopped on drop.
pub struct Model {
    address: SocketAddr,
    state: Arc<ServerState>,
    work: Option<Work>,
}

#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The port; zero selects a free one.
    pub port: u16,
    /// A file for all requests, one line of JSON each.
    pub log: Option<PathBuf>,
}

struct Work {
    stop: oneshot::Sender<()>,
    ended: mpsc::Receiver<()>,
    thread: JoinHandle<()>,
}

impl Model {
    /// Starts a model on a free port.
    pub fn start(scripts: impl Into<ScriptSet>) -> io::Result<Self> {
        Self::start_with(scripts, &Settings::default())
    }

    pub fn start_with(scripts: impl Into<ScriptSet>, settings: &Settings) -> io::Result<Self> {
        let scripts = scripts.into();
        let log = match &settings.log {
            Some(path) => Some(File::options().create(true).append(true).open(path)?),
            None => None,
        };
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, settings.port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let strikes =
            scripts.pieces().iter().map(|piece| vec![0; piece.script.steps().len()]).collect();
        let book = Book { strikes, log, ..Book::default() };
        let state = Arc::new(ServerState { scripts, book: Mutex::new(book) });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener)?
        };
        let (stop, stopped) = oneshot::channel();
        let (end, ended) = mpsc::channel();
        let served = Arc::clone(&state);
        let thread = std::thread::Builder::new().name("model".to_owned()).spawn(move || {
            runtime.block_on(serve(listener, served, stopped));
            drop(end);
        })?;
        Ok(Self { address, state, work: Some(Work { stop, ended, thread }) })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every request so far, in the order of the answers.
    pub fn requests(&self) -> Vec<Seen> {
        self.state.book().seen.clone()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let Some(Work { stop, ended, thread }) = self.work.take() else { return };
        let _ = stop.send(());
        // It stops between two awaits; otherwise it is abandoned.
        if let Err(mpsc::RecvTimeoutError::Disconnected) = ended.recv_timeout(STOP_LIMIT) {
            let _ = thread.join();
        }
    }
}

struct ServerState {
    scripts: ScriptSet,
    book: Mutex<Book>,
}

/// Memory of the server: requests and struck faults, never the position in a script.
#[derive(Default)]
struct Book {
    seen: Vec<Seen>,
    kept_bytes: usize,
    /// How often each step's fault has struck, by script.
    strikes: Vec<Vec<u32>>,
    replies: u64,
    log: Option<File>,
}

impl Book {
    /// The fault that strikes a step now.
    fn strike(&mut self, scripts: &ScriptSet, piece: usize, served: Served) -> Option<Fault> {
        let Served::Step(nth) = served else { return None };
        let strike = scripts.pieces().get(piece)?.script.steps().get(nth)?.strike?;
        let before = self.strikes.get_mut(piece)?.get_mut(nth)?;
        let strikes = match strike.times {
            Times::Always => true,
            Times::First(times) => *before < times,
        };
        *before = before.saturating_add(1);
        strikes.then_some(strike.fault)
    }

    fn write_down(&mut self, mut seen: Seen, bytes: usize) {
        if let Some(log) = &mut self.log
            && let Ok(line) = serde_json::to_string(&seen)
        {
            // A log that cannot be written is no error here.
            let _ = writeln!(log, "{line}");
        }
        if self.kept_bytes.saturating_add(bytes) > KEPT_BYTES_MAX {
            seen.body = Value::Null;
        } else {
            self.kept_bytes += bytes;
        }
        if self.seen.len() < SEEN_MAX {
            self.seen.push(seen);
        }
    }
}

impl ServerState {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Pieces> {
        let (head, body) = request.into_parts();
        let path = head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let mut seen = Seen::head(head.method.as_str(), &path, &head.headers);
        let Some(route) = Route::of(head.method.as_str(), &path) else {
            return self.refuse(seen, 0, Protocol::OpenaiChat, 404, "there is nothing here");
        };
        seen.protocol = route.protocol();
        let protocol = match route {
            Route::Models => {
                self.book().write_down(seen, 0);
                return json(200, &models());
            }
            Route::Account => {
                self.book().write_down(seen, 0);
                return json(200, &account());
            }
            Route::Turn(protocol) | Route::Count(protocol) => protocol,
        };
        let packing = seen.headers.get("content-encoding").map(String::as_str);
        let (body, bytes) = match request::read(packing, body).await {
            Ok(read) => read,
            Err(unreadable) => {
                let (status, words) = unreadable.status();
                return self.refuse(seen, 0, protocol, status, words);
            }
        };
        match route {
            Route::Turn(_) => self.turn(protocol, seen, body, bytes).await,
            Route::Count(_) | Route::Models | Route::Account => {
                seen.body = body;
                self.book().write_down(seen, bytes);
                json(200, &protocol.count())
            }
        }
    }

    /// Writes a refused request down and answers it.
    fn refuse(
        &self,
        seen: Seen,
        bytes: usize,
        protocol: Protocol,
        status: u16,
        words: &str,
    ) -> Response<Pieces> {
        self.book().write_down(Seen { status, ..seen }, bytes);
        refused(protocol, status, words)
    }

    async fn turn(
        &self,
        protocol: Protocol,
        seen: Seen,
        body: Value,
        bytes: usize,
    ) -> Response<Pieces> {
        let mut conversation = protocol.read(&body);
        let delivery = protocol.delivery(&seen.path, &body);
        let mut seen = seen.with(&conversation);
        seen.body = body;
        let meant = self.scripts.meant(&conversation);
        let before = conversation.turns();
        conversation.items.drain(..meant.map_or(0, |it| it.from));
        let meant = meant.map(|it| it.piece);
        let piece = meant.and_then(|nth| self.scripts.pieces().get(nth));
        let planned: Plan = match piece {
            Some(piece) => plan(&piece.script, &conversation),
            // A request without tools asks for a title or the like.
            None if conversation.tools.is_empty() => aside(&conversation),
            None => {
                seen.served = Some(Served::Unknown);
                let why = "no script matches this request";
                return self.refuse(seen, bytes, protocol, UNKNOWN, why);
            }
        };
        seen.piece = piece.map(|piece| piece.name.clone());
        seen.called = match &planned.reply {
            Reply::Whole(Content::Call(call)) => Some(call.tool.clone()),
            Reply::Whole(Content::Text(_)) | Reply::CutShort(_) | Reply::Refused(_) => None,
        };
        seen.served = Some(planned.served);
        let (fault, number) = {
            let mut book = self.book();
            seen.fault = meant.and_then(|nth| book.strike(&self.scripts, nth, planned.served));
            seen.status = seen.fault.and_then(failure).map_or(200, |failure| failure.status);
            let fault = seen.fault;
            // No reply has the number of another one of its conversation, also where that began with another server.
            book.replies = book.replies.max(before) + 1;
            let number = book.replies;
            book.write_down(seen, bytes);
            (fault, number)
        };
        if let Some(Fault::Slow { before_ms, .. }) = fault {
            tokio::time::sleep(Duration::from_millis(before_ms.into())).await;
        }
        if let Some(failure) = fault.and_then(failure) {
            let mut response = refused(protocol, failure.status, failure.words);
            if let Some(wait_s) = failure.retry_after_s {
                response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait_s));
            }
            if let Some(resets_in_s) = failure.full_for_s {
                let resets_s = now_s().saturating_add(resets_in_s.into());
                for (name, value) in full_window(resets_s) {
                    let value = HeaderValue::try_from(value).expect("digits are a header");
                    response.headers_mut().insert(HeaderName::from_static(name), value);
                }
            }
            return response;
        }
        let reply: Reply = match fault {
            Some(fault) => fault.bend(planned.reply),
            None => planned.reply,
        };
        let stamp = Stamp { number, model: conversation.model };
        delivered(protocol.write(&reply, &stamp, delivery), fault)
    }
}

/// A fault that replaces the answer.
struct Failure {
    status: u16,
    words: &'static str,
    retry_after_s: Option<u32>,
    full_for_s: Option<u32>,
}

fn failure(fault: Fault) -> Option<Failure> {
    let failure =
        |status, words| Some(Failure { status, words, retry_after_s: None, full_for_s: None });
    match fault {
        Fault::RateLimited { retry_after_s } => Some(Failure {
            status: 429,
            words: "too many requests, by script",
            retry_after_s: Some(retry_after_s),
            full_for_s: None,
        }),
        Fault::WindowFull { resets_in_s } => Some(Failure {
            status: 429,
            words: "the window is used up, by script",
            retry_after_s: None,
            full_for_s: Some(resets_in_s),
        }),
        Fault::Unauthorised => failure(401, "unknown key, by script"),
        Fault::ServerError => failure(500, "something broke, by script"),
        Fault::CutStream
        | Fault::Slow { .. }
        | Fault::Malformed
        | Fault::WrongSchema
        | Fault::Refusal
        | Fault::Truncated => None,
    }
}

/// How Anthropic and OpenAI tell of a window of five hours that is full and one of seven days that is not.
fn full_window(resets_s: u64) -> [(&'static str, String); 10] {
    let later_s = resets_s.saturating_add(500_000);
    let text = str::to_owned;
    [
        ("anthropic-ratelimit-unified-status", text("rejected")),
        ("anthropic-ratelimit-unified-5h-utilization", text("1.0")),
        ("anthropic-ratelimit-unified-5h-reset", resets_s.to_string()),
        ("anthropic-ratelimit-unified-7d-utilization", text("0.61")),
        ("anthropic-ratelimit-unified-7d-reset", later_s.to_string()),
        ("x-codex-primary-used-percent", text("100.0")),
        ("x-codex-primary-window-minutes", text("300")),
        ("x-codex-primary-reset-at", resets_s.to_string()),
        ("x-codex-secondary-used-percent", text("61.0")),
        ("x-codex-secondary-window-minutes", text("10080")),
    ]
}

#[expect(clippy::disallowed_methods, reason = "a window begins anew at a time of the day")]
fn now_s() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}

fn delivered(written: Written, fault: Option<Fault>) -> Response<Pieces> {
    let kind = match &written {
        Written::Body(_) => "application/json",
        Written::Events(_) => "text/event-stream",
    };
    let (pieces, length) = Pieces::of(written, fault);
    let mut response = response(pieces, kind, length);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn refused(protocol: Protocol, status: u16, words: &str) -> Response<Pieces> {
    json(status, &protocol.error(status, words))
}

fn json(status: u16, value: &Value) -> Response<Pieces> {
    let text = value.to_string();
    let length = text.len();
    let mut response = response(Pieces::one(text), "application/json", Some(length));
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response
}

fn response(pieces: Pieces, kind: &'static str, length: Option<usize>) -> Response<Pieces> {
    let mut response = Response::new(pieces);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    if let Some(length) = length {
        response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    response
}

/// Serves all connections, up to a limit at once.
async fn serve(
    listener: tokio::net::TcpListener,
    state: Arc<ServerState>,
    mut stopped: oneshot::Receiver<()>,
) {
    let mut visitors = JoinSet::new();
    loop {
        let has_room = visitors.len() < VISITORS_MAX;
        tokio::select! {
            biased;
            _ = &mut stopped => break,
            Some(_) = visitors.join_next() => {}
            visitor = listener.accept(), if has_room => {
                let Ok((stream, _)) = visitor else { tokio::time::sleep(ACCEPT_PAUSE).await; continue };
                let state = Arc::clone(&state);
                visitors.spawn(async move {
                    let serve = service_fn(move |request: Request<Incoming>| {
                        let state = Arc::clone(&state);
                        async move { Ok::<_, Infallible>(state.answer(request).await) }
                    });
                    // A broken connection is no error.
                    let _ = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), serve)
                        .await;
                });
            }
        }
    }
}

/// The status if no script matches: one that agents do not retry.
const UNKNOWN: u16 = 400;
const VISITORS_MAX: usize = 64;
/// The most requests kept in memory. The log has all of them.
const SEEN_MAX: usize = 10_000;
/// The most bytes of request bodies kept in memory.
const KEPT_BYTES_MAX: usize = 256 << 20;
const STOP_LIMIT: Duration = Duration::from_secs(5);
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
