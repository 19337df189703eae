//! The tool_server: where a role asks for its tools while it works. MCP over HTTP, without sessions, on the host's loopback.
//!
//! A role reaches it only by its egress proxy, which shows a ticket that the role never sees; a client
//! without it is turned away. Every call that a tool heard is written down as evidence, in the order they were
//! answered, and there is an end to calls: of every tool, of those that wait, and of those that are turned away.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::{Bytes, Incoming};
use hyper::header::AUTHORIZATION;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler};
use sealwright_sandbox::egress::Secret;
use sealwright_sandbox::server_thread::{ServerThread, Service};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use crate::random_word;
use crate::tools::{Call, Effect, Heard, Reply, Tool};

/// A tool_server that is open, on a thread of its own. Dropping it closes it.
pub struct ToolServer {
    address: SocketAddr,
    ticket: Secret,
    counter: Counter,
    server: ServerThread,
}

impl ToolServer {
    /// Opens a tool server with these tools. No two may have one name.
    pub fn open(tools: Vec<Arc<dyn Tool>>) -> io::Result<Self> {
        Self::open_for(tools, format!("Bearer {}", random_word::word()?))
    }

    /// Opens a tool server for clients that show this ticket.
    fn open_for(tools: Vec<Arc<dyn Tool>>, ticket: String) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let counter = Counter {
            tools: tools.into(),
            book: Arc::default(),
            turn: Arc::default(),
            chairs: Arc::new(Semaphore::new(WAITING_MAX)),
        };
        let server = ServerThread::start("desk", listener, Door::new(&counter, &ticket))?;
        Ok(Self { address, ticket: Secret::new(ticket), counter, server })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What has to be shown there as `authorization`.
    pub fn ticket(&self) -> &Secret {
        &self.ticket
    }

    /// Closes it, and hands out every call that was answered.
    pub fn close(mut self) -> Vec<Call> {
        // What a tool still does after this is not written down any more.
        self.server.stop();
        std::mem::take(&mut self.counter.book().calls)
    }
}

#[derive(Clone)]
struct Counter {
    tools: Arc<[Arc<dyn Tool>]>,
    book: Arc<Mutex<Book>>,
    /// One call at a time, in the order they come.
    turn: Arc<tokio::sync::Mutex<()>>,
    /// Where calls wait for their turn.
    chairs: Arc<Semaphore>,
}

#[derive(Default)]
struct Book {
    calls: Vec<Call>,
    turned_away: usize,
}

impl Counter {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has one call answered, whether or not the client stays to hear it: what a tool has begun is written down.
    async fn attend_to(&self, name: String, input: Value) -> Reply {
        let Ok(chair) = Arc::clone(&self.chairs).try_acquire_owned() else {
            return self.turn_away(
                &name,
                input,
                "too many calls at once; wait for an answer first",
            );
        };
        let counter = self.clone();
        let answered = tokio::spawn(async move {
            let _chair = chair;
            counter.answer(&name, input).await
        });
        // It does not panic, and it is called off only together with the tool server.
        answered.await.unwrap_or_else(|_| Reply::Refused("the desk is closed".to_owned()))
    }

    async fn answer(&self, name: &str, input: Value) -> Reply {
        let _turn = self.turn.lock().await;
        let Some(tool) = self.tools.iter().find(|tool| tool.name() == name) else {
            let why = format!("there is no tool `{}` here", crate::outcome::shortened(name));
            return self.turn_away(name, input, &why);
        };
        let most = tool.calls_max();
        if self.book().heard(tool.name()) >= usize::try_from(most).unwrap_or(usize::MAX) {
            let why = format!("`{name}` was asked {most} times, which is all there is");
            return self.turn_away(name, input, &why);
        }
        let (worker, asked) = (Arc::clone(tool), input.clone());
        let reply = tokio::task::spawn_blocking(move || worker.call(&asked)).await;
        let reply =
            reply.unwrap_or_else(|_| Reply::Refused("the tool broke; go on without it".to_owned()));
        // There is always room: no tool is heard more often than it says.
        self.book().calls.push(Call {
            tool: tool.name().to_owned(),
            heard: Heard::ByTheTool,
            input,
            reply: reply.clone(),
        });
        reply
    }

    /// Refuses a call that no tool hears, and writes it down while there is room for such calls.
    fn turn_away(&self, name: &str, input: Value, why: &str) -> Reply {
        let reply = Reply::Refused(why.to_owned());
        let mut book = self.book();
        book.turned_away += 1;
        if book.turned_away <= TURNED_AWAY_MAX {
            let is_short = input.to_string().len() <= TURNED_AWAY_BYTES_MAX;
            book.calls.push(Call {
                tool: crate::outcome::shortened(name),
                heard: Heard::ByNobody,
                input: if is_short { input } else { Value::Null },
                reply: reply.clone(),
            });
        }
        reply
    }
}

impl Book {
    fn heard(&self, tool: &str) -> usize {
        let of_it = |call: &&Call| call.tool == tool && call.heard == Heard::ByTheTool;
        self.calls.iter().filter(of_it).count()
    }
}

impl ServerHandler for Counter {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("sealwright", env!("CARGO_PKG_VERSION"));
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(
            self.tools.iter().map(|tool| shown(tool.as_ref())).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let input = Value::Object(request.arguments.unwrap_or_default());
        Ok(match self.attend_to(request.name.into_owned(), input).await {
            Reply::Done(value) => CallToolResult::structured(value),
            Reply::Refused(why) => CallToolResult::error(vec![ContentBlock::text(why)]),
        }
        .into())
    }
}

fn shown(tool: &dyn Tool) -> rmcp::model::Tool {
    let input = match tool.input() {
        Value::Object(input) => input,
        _ => serde_json::Map::new(),
    };
    let hints = match tool.effect() {
        Effect::None => ToolAnnotations::new().read_only(true).open_world(false),
        Effect::Recorded => {
            ToolAnnotations::new().read_only(false).destructive(false).open_world(false)
        }
    };
    rmcp::model::Tool::new(tool.name(), tool.about(), input).with_annotations(hints)
}

/// Lets visitors with the ticket in.
struct Door {
    service: HttpService,
    ticket: Arc<str>,
}

type HttpService = StreamableHttpService<Counter, NeverSessionManager>;

impl Door {
    fn new(counter: &Counter, ticket: &str) -> Self {
        let settings = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(INPUT_BYTES_MAX);
        let counter = counter.clone();
        let sessions = Arc::new(NeverSessionManager::default());
        let service = HttpService::new(move || Ok(counter.clone()), sessions, settings);
        Self { service, ticket: ticket.into() }
    }
}

impl Service for Door {
    fn connections_max(&self) -> usize {
        VISITORS_MAX
    }

    fn serve(&mut self, stream: TcpStream) -> impl Future<Output = ()> + Send + 'static {
        let (service, ticket) = (self.service.clone(), Arc::clone(&self.ticket));
        let answer = service_fn(move |request: Request<Incoming>| {
            let (service, ticket) = (service.clone(), Arc::clone(&ticket));
            async move { Ok::<_, Infallible>(let_in(&service, &ticket, request).await) }
        });
        async move {
            // A visitor who leaves in the middle is no news.
            let _ = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(SILENCE_LIMIT)
                .serve_connection(TokioIo::new(stream), answer)
                .await;
        }
    }
}

type Body = http_body_util::combinators::BoxBody<Bytes, Infallible>;

async fn let_in(service: &HttpService, ticket: &str, request: Request<Incoming>) -> Response<Body> {
    let has_ticket = request
        .headers()
        .get(AUTHORIZATION)
        .is_some_and(|shown| shown.as_bytes() == ticket.as_bytes());
    if has_ticket {
        return service.handle(request).await;
    }
    let mut refusal = Response::new(http_body_util::Empty::new().boxed());
    *refusal.status_mut() = StatusCode::UNAUTHORIZED;
    refusal
}

/// Calls that wait for an answer at one time.
const WAITING_MAX: usize = 64;
/// Calls that no tool heard and that are written down all the same.
const TURNED_AWAY_MAX: usize = 100;
/// What is kept of what such a call was asked with.
const TURNED_AWAY_BYTES_MAX: usize = 4 << 10;
const INPUT_BYTES_MAX: usize = 1 << 20;
const VISITORS_MAX: usize = 32;
/// How long a visitor may say nothing. Longer than a way out keeps a connection that is not used.
const SILENCE_LIMIT: Duration = Duration::from_secs(120);

#[cfg(test)]
mod tests;
