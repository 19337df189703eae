//! A policy that was found to make sense, in the form it is applied in.
//!
//! Every mistake of a policy is found here, before anything listens. No error quotes a base or a value: a key
//! may have slipped into either.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hyper::header::{HeaderName, HeaderValue};
use hyper::http::uri::{Authority, PathAndQuery, Scheme};
use hyper::{HeaderMap, Method, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use super::body::Sending;
use super::dial::Dialler;
use super::fresh::{CredentialSource, Fresh, SignedBy};
use super::log::Refusal;
use super::policy::{
    Bounds, Call, Chunked, Credential, Paths, Policy, Quota, Tunnel, Upstream, UpstreamPath,
};
use super::reverse::path;
use super::target::{Host, Target, TargetError};

pub(super) struct Rules {
    named: BTreeMap<String, Arc<Route>>,
    root: Option<Arc<Route>>,
    tunnels: BTreeMap<String, Dialler>,
    pub(super) bounds: Bounds,
}

pub(super) struct Route {
    pub(super) name: String,
    pub(super) signing: Signing,
    pub(super) calls: Vec<(Method, Paths)>,
    pub(super) chunked: Chunked,
    pub(super) quota: Option<Quota>,
    pub(super) client: Client<HttpsConnector<Dialler>, Sending>,
    base: Base,
}

pub(super) enum Signing {
    Nobody,
    Role,
    Host { name: HeaderName, value: HeaderValue },
    Fresh { names: Vec<HeaderName>, source: Arc<dyn CredentialSource>, signed_by: SignedBy },
}

/// The headers that the host signs one request with.
#[derive(Default)]
pub(super) struct Signature(pub(super) Vec<(HeaderName, HeaderValue)>);

/// What is wrong with a policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// A name has to be one part of a path.
    #[error("`{name}` cannot be the name of an upstream")]
    Name { name: String },
    /// Two upstreams appear at the same place.
    #[error("two upstreams are at `/{name}`")]
    SamePlace { name: String },
    /// The base is not a plain URL.
    #[error("the base of upstream `/{name}` is not a plain http or https URL")]
    Base { name: String },
    /// The credential cannot be a header.
    #[error("the credential of upstream `/{name}` is not a header that can be added")]
    Credential { name: String },
    /// A method is none, or one that must not be forwarded.
    #[error("`{method}` cannot be forwarded to upstream `/{name}`")]
    Method { name: String, method: String },
    /// A listed path could be read in two ways.
    #[error("`{path}` cannot be listed for upstream `/{name}`")]
    Path { name: String, path: String },
    /// A target is not spelt right.
    #[error("`{target}` cannot be the target of a tunnel")]
    Target { target: String, source: TargetError },
    /// A target is listed twice, and the two may not agree.
    #[error("the target `{target}` is listed twice")]
    TargetTwice { target: String },
    /// A certificate authority cannot be used.
    #[error("a certificate authority of the policy is not a certificate in PEM")]
    Roots,
    /// A bound is zero or beyond reason.
    #[error("the bound `{bound}` cannot be {value}")]
    Bound { bound: &'static str, value: u64 },
}

struct Base {
    scheme: Scheme,
    authority: Authority,
    folder: String,
}

impl Rules {
    pub(super) fn of(policy: &Policy) -> Result<Self, PolicyError> {
        check_bounds(&policy.bounds)?;
        let tls = tls(&policy.roots)?;
        let mut rules = Self {
            named: BTreeMap::new(),
            root: None,
            tunnels: BTreeMap::new(),
            bounds: policy.bounds,
        };
        for upstream in &policy.upstreams {
            let route = Arc::new(Route::of(upstream, &tls, &policy.bounds)?);
            let before = match &upstream.at {
                UpstreamPath::Root => rules.root.replace(route),
                UpstreamPath::Named(name) => rules.named.insert(name.clone(), route),
            };
            if let Some(before) = before {
                return Err(PolicyError::SamePlace { name: before.name.clone() });
            }
        }
        for tunnel in &policy.tunnels {
            let dialler = dialler(tunnel, &policy.bounds)?;
            if rules.tunnels.insert(tunnel.target.clone(), dialler).is_some() {
                return Err(PolicyError::TargetTwice { target: tunnel.target.clone() });
            }
        }
        Ok(rules)
    }

    /// Which upstream a path belongs to, and the path it has there.
    pub(super) fn route<'a>(&'a self, path: &'a str) -> Option<(&'a Arc<Route>, &'a str)> {
        let (first, below) = path::split(path);
        match self.named.get(first) {
            Some(route) => Some((route, below)),
            None => self.root.as_ref().map(|route| (route, path)),
        }
    }

    /// The way to a target, if it is listed in just this spelling.
    pub(super) fn tunnel(&self, target: &str) -> Option<&Dialler> {
        self.tunnels.get(target)
    }
}

impl Route {
    fn of(upstream: &Upstream, tls: &ClientConfig, bounds: &Bounds) -> Result<Self, PolicyError> {
        let name = match &upstream.at {
            UpstreamPath::Root => String::new(),
            UpstreamPath::Named(name) if is_name(name) => name.clone(),
            UpstreamPath::Named(name) => return Err(PolicyError::Name { name: name.clone() }),
        };
        let (base, target) =
            Base::parse(&upstream.base).ok_or_else(|| PolicyError::Base { name: name.clone() })?;
        let signing = signing(&upstream.credential)
            .ok_or_else(|| PolicyError::Credential { name: name.clone() })?;
        let mut calls = Vec::new();
        for Call { method: text, path } in &upstream.calls {
            let unfit = || PolicyError::Method { name: name.clone(), method: text.clone() };
            let method = method(text).ok_or_else(unfit)?;
            if !path::is_clear(path.text()) {
                return Err(PolicyError::Path { name, path: path.text().to_owned() });
            }
            calls.push((method, path.clone()));
        }
        let limit = Duration::from_millis(bounds.connect_ms);
        let client = client(
            tls.clone(),
            &base,
            Dialler { target, address: upstream.address, limit },
            bounds,
        );
        let (chunked, quota) = (upstream.chunked, upstream.quota.clone());
        Ok(Self { name, signing, calls, chunked, quota, client, base })
    }

    /// Whether a request is one of those that may be made, and what stands against it if not.
    pub(super) fn allows(&self, method: &Method, path: &str) -> Result<(), Refusal> {
        let mut paths = self.calls.iter().filter(|call| call.0 == method).peekable();
        paths.peek().ok_or(Refusal::Method)?;
        let is_meant = |call: &(Method, Paths)| match &call.1 {
            Paths::Below(prefix) => path::is_below(path, prefix),
            Paths::Like(pattern) => path::is_like(path, pattern),
        };
        if paths.any(is_meant) { Ok(()) } else { Err(Refusal::PathNotListed) }
    }

    pub(super) fn uri(&self, path: &str, query: Option<&str>) -> Option<Uri> {
        let folder = &self.base.folder;
        let text = match query {
            Some(query) => format!("{folder}{path}?{query}"),
            None => format!("{folder}{path}"),
        };
        let mut parts = hyper::http::uri::Parts::default();
        parts.scheme = Some(self.base.scheme.clone());
        parts.authority = Some(self.base.authority.clone());
        parts.path_and_query = Some(PathAndQuery::try_from(text).ok()?);
        Uri::from_parts(parts).ok()
    }
}

impl PolicyError {
    pub fn hint(&self) -> String {
        match self {
            Self::Name { .. } => "use a-z, 0-9 and `-`, at most 64 of them".to_owned(),
            Self::SamePlace { .. } => "give one of them another name".to_owned(),
            Self::Base { .. } => {
                "write it as https://host or http://host:port/folder, in lower case, without user, query or \
                 final slash"
                    .to_owned()
            }
            Self::Credential { .. } => {
                "name a header such as authorization, and check the value for line ends".to_owned()
            }
            Self::Method { .. } => "list methods such as GET and POST".to_owned(),
            Self::Path { .. } => "begin it with `/`, without dots and escapes".to_owned(),
            Self::Target { .. } => "write it as host:port, in lower case".to_owned(),
            Self::TargetTwice { .. } => "list it once".to_owned(),
            Self::Roots => "give the certificate itself, from BEGIN CERTIFICATE to END CERTIFICATE".to_owned(),
            Self::Bound { .. } => {
                format!("choose one from 1 to {NUMBER_MAX}; headers need at least {HEAD_BYTES_MIN} bytes")
            }
        }
    }
}

impl Base {
    fn parse(text: &str) -> Option<(Self, Target)> {
        let uri: Uri = text.parse().ok()?;
        let scheme = uri.scheme()?.clone();
        let port = match scheme.as_str() {
            "https" => 443,
            "http" => 80,
            _ => return None,
        };
        let authority = uri.authority()?.clone();
        let target = match authority.port() {
            None => Target { host: Host::parse(authority.as_str()).ok()?, port },
            Some(_) => Target::parse(authority.as_str()).ok()?,
        };
        let folder = match uri.path() {
            "/" => "",
            folder => folder,
        };
        let plain = uri.query().is_none() && !text.contains('#');
        let clear = folder.is_empty() || (path::is_clear(folder) && !folder.ends_with('/'));
        (plain && clear).then(|| (Self { scheme, authority, folder: folder.to_owned() }, target))
    }
}

fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=64).contains(&name.len()) && name.bytes().all(plain)
}

fn signing(credential: &Credential) -> Option<Signing> {
    match credential {
        Credential::None => Some(Signing::Nobody),
        Credential::Own => Some(Signing::Role),
        Credential::Header { name, value } => {
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            Some(Signing::Host { name, value: value.header_value().ok()? })
        }
        Credential::Fresh(Fresh { headers, source, signed_by }) => {
            let names = headers.iter().map(|name| HeaderName::from_bytes(name.as_bytes()).ok());
            let names: Vec<HeaderName> = names.collect::<Option<_>>()?;
            let (source, signed_by) = (Arc::clone(source), *signed_by);
            (!names.is_empty()).then_some(Signing::Fresh { names, source, signed_by })
        }
    }
}

impl Signing {
    /// The headers that only the host sets.
    pub(super) fn names(&self) -> &[HeaderName] {
        match self {
            Self::Nobody | Self::Role => &[],
            Self::Host { name, .. } => std::slice::from_ref(name),
            Self::Fresh { names, .. } => names,
        }
    }

    /// The signature of a request that is sent now, with these headers of the role.
    pub(super) async fn sign(&self, own: &HeaderMap) -> Result<Signature, Refusal> {
        match self {
            Self::Nobody | Self::Role => Ok(Signature::default()),
            Self::Host { name, value } => Ok(Signature(vec![(name.clone(), value.clone())])),
            Self::Fresh { names, source, signed_by } => {
                let source = Arc::clone(source);
                // A file may be on a disk that is slow; other connections go on meanwhile.
                let asked = tokio::task::spawn_blocking(move || source.sign()).await;
                let given = asked.ok().and_then(Result::ok).ok_or(Refusal::NoCredential)?;
                let mut headers = Vec::new();
                for name in names {
                    let Some((_, value)) = given.iter().find(|(it, _)| name == it) else {
                        continue;
                    };
                    let value = value.header_value().map_err(|_| Refusal::NoCredential)?;
                    headers.push((name.clone(), value));
                }
                if headers.is_empty() {
                    return Err(Refusal::NoCredential);
                }
                let is_given = |(name, value): &(HeaderName, HeaderValue)| {
                    let mut sent = own.get_all(name).iter();
                    sent.next() == Some(value) && sent.next().is_none()
                };
                match signed_by {
                    SignedBy::Role if !headers.iter().all(is_given) => {
                        Err(Refusal::OtherCredential)
                    }
                    SignedBy::Role | SignedBy::Host => Ok(Signature(headers)),
                }
            }
        }
    }
}

/// A method that may be forwarded. `TRACE` would send the injected key back.
fn method(text: &str) -> Option<Method> {
    let method = Method::from_bytes(text.as_bytes()).ok()?;
    (method != Method::CONNECT && method != Method::TRACE).then_some(method)
}

fn dialler(tunnel: &Tunnel, bounds: &Bounds) -> Result<Dialler, PolicyError> {
    let target = Target::parse(&tunnel.target)
        .map_err(|source| PolicyError::Target { target: tunnel.target.clone(), source })?;
    Ok(Dialler { target, address: tunnel.address, limit: Duration::from_millis(bounds.connect_ms) })
}

/// The public authorities as the web knows them, and those of the policy. They are compiled in: what is trusted
/// does not depend on what is installed on a host, and what is added stands in the policy and its digest.
fn tls(roots: &[String]) -> Result<ClientConfig, PolicyError> {
    let mut store = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    for text in roots {
        let before = store.len();
        for certificate in CertificateDer::pem_slice_iter(text.as_bytes()) {
            store
                .add(certificate.map_err(|_| PolicyError::Roots)?)
                .map_err(|_| PolicyError::Roots)?;
        }
        if store.len() == before {
            return Err(PolicyError::Roots);
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider knows the versions it is built with");
    Ok(config.with_root_certificates(store).with_no_client_auth())
}

fn client(
    tls: ClientConfig,
    base: &Base,
    dialler: Dialler,
    bounds: &Bounds,
) -> Client<HttpsConnector<Dialler>, Sending> {
    let connector = HttpsConnectorBuilder::new().with_tls_config(tls);
    let connector = if base.scheme == Scheme::HTTPS {
        connector.https_only()
    } else {
        connector.https_or_http()
    };
    Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(POOL_IDLE)
        .pool_max_idle_per_host(bounds.connections_max.min(POOL_MAX))
        .http1_max_buf_size(ANSWER_BUFFER_BYTES)
        .http1_max_headers(bounds.headers_max)
        .build(connector.enable_http1().wrap_connector(dialler))
}

fn check_bounds(bounds: &Bounds) -> Result<(), PolicyError> {
    let size = |value: usize| u64::try_from(value).unwrap_or(u64::MAX);
    let all = [
        ("connections_max", size(bounds.connections_max), 1),
        ("requests_max", size(bounds.requests_max), 1),
        ("refusals_max", size(bounds.refusals_max), 1),
        ("head_bytes_max", size(bounds.head_bytes_max), HEAD_BYTES_MIN),
        ("headers_max", size(bounds.headers_max), 1),
        ("request_bytes_max", bounds.request_bytes_max, 1),
        ("response_bytes_max", bounds.response_bytes_max, 1),
        ("head_ms", bounds.head_ms, 1),
        ("connect_ms", bounds.connect_ms, 1),
        ("answer_ms", bounds.answer_ms, 1),
        ("idle_ms", bounds.idle_ms, 1),
        ("exchange_ms", bounds.exchange_ms, 1),
    ];
    match all.into_iter().find(|(_, value, least)| !(*least..=NUMBER_MAX).contains(value)) {
        Some((bound, value, _)) => Err(PolicyError::Bound { bound, value }),
        None => Ok(()),
    }
}

/// Connections to an upstream that are kept for the next request.
const POOL_MAX: usize = 8;
const POOL_IDLE: Duration = Duration::from_secs(30);
const ANSWER_BUFFER_BYTES: usize = 256 << 10;

/// The least buffer the server works with.
const HEAD_BYTES_MIN: u64 = 8 << 10;
/// More than any run, and still exact in JSON, and small enough to be added to an instant.
const NUMBER_MAX: u64 = 1 << 40;

#[cfg(test)]
mod tests;
