//! Both ends of a proxy under test: upstreams that remember what they were asked, and a role with a bare socket.

use std::convert::Infallible;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::pin::Pin;
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::TokioIo;
use sealwright_sandbox::egress::log::{Entry, RequestOutcome};
use sealwright_sandbox::egress::policy::{
    Address, Bounds, Call, Chunked, Credential, Tunnel, Upstream, UpstreamPath,
};
use sealwright_sandbox::egress::{Egress, Log, Policy, Secret};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_rustls::TlsAcceptor;

/// What the host adds, and nobody inside may ever see.
pub(crate) const KEY: &str = "sk-house-0123456789";

/// More than any answer takes here, on a machine that is busy with other things.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// More than any bound that is tested here.
const HEARD_MAX: u64 = 1 << 30;

/// A proxy under test.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    egress: Egress,
}

/// A role: somebody with a socket and bad intentions.
pub(crate) struct Role(pub(crate) TcpStream);

/// What a role reads as one answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

/// An upstream that remembers what it was asked.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) certificate: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

/// A request as an upstream got it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) uri: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// What an upstream answers.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: ReplyBody,
}

/// The body of it.
pub(crate) enum ReplyBody {
    Whole(Vec<u8>),
    /// As the pieces come; an error breaks it off.
    Pieces(UnboundedReceiver<Result<Bytes, io::Error>>),
    /// The same piece for ever.
    Endless,
    /// No answer at all, ever.
    Silence,
}

/// How an upstream is spoken to.
#[derive(Clone, Copy)]
pub(crate) enum Wire {
    Plain,
    Tls,
}

impl Proxy {
    pub(crate) fn start(policy: &Policy) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        Self { address, egress: Egress::start(listener, policy).unwrap() }
    }

    pub(crate) fn role(&self) -> Role {
        Role::at(self.address)
    }

    /// What somebody hears who says `text` on a connection of its own, until it ends.
    pub(crate) fn ask(&self, text: impl AsRef<[u8]>) -> String {
        let mut role = self.role();
        // It may be refused before it was heard out.
        let _ = role.0.write_all(text.as_ref());
        role.hear_all()
    }

    pub(crate) fn stop(self) -> Log {
        self.egress.stop()
    }
}

impl Role {
    pub(crate) fn at(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self(stream)
    }

    pub(crate) fn say(&mut self, text: impl AsRef<[u8]>) {
        self.0.write_all(text.as_ref()).unwrap();
    }

    /// Everything until the connection ends, in order or not.
    pub(crate) fn hear_all(&mut self) -> String {
        let mut heard = Vec::new();
        let ended = (&self.0).take(HEARD_MAX).read_to_end(&mut heard);
        assert!((heard.len() as u64) < HEARD_MAX, "an answer without end");
        if let Err(error) = ended {
            assert_eq!(error.kind(), io::ErrorKind::ConnectionReset, "{error}");
        }
        String::from_utf8_lossy(&heard).into_owned()
    }

    /// Everything up to and with `end`.
    pub(crate) fn hear_until(&mut self, end: &str) -> String {
        let mut heard = Vec::new();
        while !heard.ends_with(end.as_bytes()) {
            let mut byte = [0];
            self.0.read_exact(&mut byte).unwrap_or_else(|error| {
                panic!("{error} after {:?}", String::from_utf8_lossy(&heard));
            });
            heard.push(byte[0]);
        }
        String::from_utf8(heard).unwrap()
    }

    /// One answer that says how long it is.
    pub(crate) fn hear_answer(&mut self) -> Answer {
        let head = self.hear_until("\r\n\r\n");
        let length = header(&head, "content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).unwrap();
        Answer { status: status(&head), head, body: String::from_utf8(body).unwrap() }
    }

    pub(crate) fn done_speaking(&self) {
        self.0.shutdown(Shutdown::Write).unwrap();
    }
}

impl Server {
    /// Serves for as long as the test runs.
    pub(crate) fn start(
        wire: Wire,
        reply: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        listener.set_nonblocking(true).unwrap();
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (acceptor, certificate) = tls();
        let acceptor = match wire {
            Wire::Plain => None,
            Wire::Tls => Some(acceptor),
        };
        let (remembered, reply) = (Arc::clone(&seen), Arc::new(reply));
        std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                loop {
                    let (stream, _) = listener.accept().await.unwrap();
                    let (acceptor, remembered, reply) =
                        (acceptor.clone(), Arc::clone(&remembered), Arc::clone(&reply));
                    tokio::spawn(async move {
                        // A role or a proxy that breaks off is what these tests are about.
                        match acceptor {
                            None => serve(stream, remembered, reply).await,
                            Some(acceptor) => {
                                if let Ok(stream) = acceptor.accept(stream).await {
                                    serve(stream, remembered, reply).await;
                                }
                            }
                        }
                    });
                }
            });
        });
        Self { address, certificate, seen }
    }

    /// One that says hello to everybody.
    pub(crate) fn friendly(wire: Wire) -> Self {
        Self::start(wire, |_| Reply::text("hello"))
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// As a policy lists it, with the key of the house.
    pub(crate) fn upstream(&self) -> Upstream {
        Upstream {
            at: UpstreamPath::Root,
            base: format!("http://{}", self.address),
            credential: house_key(),
            calls: ["GET", "HEAD", "POST"].map(|method| Call::below(method, "/v1")).to_vec(),
            chunked: Chunked::Refused,
            address: Address::Any,
            quota: None,
        }
    }
}

impl Reply {
    pub(crate) fn text(text: &str) -> Self {
        Self { status: 200, headers: vec![], body: ReplyBody::Whole(text.as_bytes().to_vec()) }
    }

    pub(crate) fn body(body: ReplyBody) -> Self {
        Self { status: 200, headers: vec![], body }
    }
}

/// A policy of one upstream.
pub(crate) fn only(upstream: Upstream) -> Policy {
    Policy { upstreams: vec![upstream], ..Policy::default() }
}

pub(crate) fn bounded(upstream: Upstream, change: impl FnOnce(&mut Bounds)) -> Policy {
    let mut policy = only(upstream);
    change(&mut policy.bounds);
    policy
}

/// A policy of one tunnel.
pub(crate) fn tunnel(target: &str, address: Address) -> Policy {
    let tunnels = vec![Tunnel { target: target.to_owned(), address }];
    Policy { tunnels, ..Policy::default() }
}

pub(crate) fn house_key() -> Credential {
    Credential::Header { name: "x-api-key".to_owned(), value: Secret::new(KEY) }
}

/// A request after which the connection ends.
pub(crate) fn last(method: &str, path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nHost: inside\r\nConnection: close\r\nContent-Length: {length}\r\n\
         {headers}\r\n{body}"
    )
}

pub(crate) fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: inside\r\nConnection: close\r\n\r\n")
}

pub(crate) fn status(heard: &str) -> u16 {
    heard.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

pub(crate) fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (found, value) = line.split_once(": ")?;
        found.eq_ignore_ascii_case(name).then_some(value)
    })
}

pub(crate) fn outcomes(log: &Log) -> Vec<RequestOutcome> {
    log.entries.iter().map(|entry: &Entry| entry.outcome).collect()
}

/// A peer that takes connections and hands them over, for tunnels.
pub(crate) fn listening() -> (SocketAddr, mpsc::Receiver<TcpStream>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (give, take) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            if give.send(stream).is_err() {
                return;
            }
        }
    });
    (address, take)
}

/// An address nobody listens on: nothing is given out below 1024.
pub(crate) fn nobody() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 1))
}

async fn serve(
    stream: impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
    remembered: Arc<Mutex<Vec<Seen>>>,
    reply: Arc<impl Fn(&Seen) -> Reply + Send + Sync + 'static>,
) {
    let service = service_fn(|request: Request<Incoming>| {
        let (remembered, reply) = (Arc::clone(&remembered), Arc::clone(&reply));
        async move {
            let (parts, mut body) = request.into_parts();
            let mut seen = Seen {
                method: parts.method.to_string(),
                uri: parts.uri.to_string(),
                headers: parts.headers,
                body: vec![],
            };
            while let Some(Ok(frame)) = body.frame().await {
                seen.body.extend(frame.data_ref().unwrap());
            }
            remembered.lock().unwrap().push(seen.clone());
            let reply = reply(&seen);
            if matches!(reply.body, ReplyBody::Silence) {
                std::future::pending::<()>().await;
            }
            let mut response = Response::builder().status(reply.status);
            for (name, value) in reply.headers {
                response = response.header(name, value);
            }
            Ok::<_, Infallible>(response.body(reply.body).unwrap())
        }
    });
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match &mut *self {
            Self::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Self::Whole(bytes) => {
                Poll::Ready(Some(Ok(Frame::data(Bytes::from(std::mem::take(bytes))))))
            }
            Self::Pieces(pieces) => {
                pieces.poll_recv(cx).map(|piece| piece.map(|piece| piece.map(Frame::data)))
            }
            Self::Endless => Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[b'x'; 4096]))))),
            Self::Silence => Poll::Pending,
        }
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        match self {
            Self::Whole(bytes) => hyper::body::SizeHint::with_exact(bytes.len() as u64),
            Self::Pieces(_) | Self::Endless | Self::Silence => hyper::body::SizeHint::default(),
        }
    }
}

fn tls() -> (TlsAcceptor, String) {
    let made = rcgen::generate_simple_self_signed(["api.test".to_owned()]).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    (TlsAcceptor::from(Arc::new(config)), made.cert.pem())
}
