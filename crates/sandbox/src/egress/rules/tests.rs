use super::*;
use crate::egress::policy::{Address, Call};
use crate::egress::secret::Secret;

#[test]
fn a_policy_that_makes_no_sense_is_refused_before_anything_listens() {
    let name = || String::new();
    let base = || PolicyError::Base { name: name() };
    type Change = fn(&mut Upstream);
    let table: [(Change, PolicyError); 24] = [
        (|u| u.base = "api.example.com".to_owned(), base()),
        (|u| u.base = "ftp://api.example.com".to_owned(), base()),
        (|u| u.base = "https://API.example.com".to_owned(), base()),
        (|u| u.base = "https://api.example.com.".to_owned(), base()),
        (|u| u.base = "https://user:sk-pass@api.example.com".to_owned(), base()),
        (|u| u.base = "https://api.example.com/?x=1".to_owned(), base()),
        (|u| u.base = "https://api.example.com/#x".to_owned(), base()),
        (|u| u.base = "https://api.example.com/v1/".to_owned(), base()),
        (|u| u.base = "https://api.example.com/v1/../x".to_owned(), base()),
        (|u| u.base = "https://api.example.com:0".to_owned(), base()),
        (|u| u.base = "https://".to_owned(), base()),
        (|u| u.base = String::new(), base()),
        (|u| u.credential = header("bad name", "x"), PolicyError::Credential { name: name() }),
        (
            |u| u.credential = header("x-api-key", "sk\r\nx: y"),
            PolicyError::Credential { name: name() },
        ),
        (|u| u.calls = vec![Call::below("TRACE", "/v1")], unfit("TRACE")),
        (|u| u.calls = vec![Call::below("CONNECT", "/v1")], unfit("CONNECT")),
        (|u| u.calls = vec![Call::below("GE T", "/v1")], unfit("GE T")),
        (|u| u.calls = vec![Call::below("POST", "v1")], unclear("v1")),
        (|u| u.calls = vec![Call::like("POST", "/v1/../x")], unclear("/v1/../x")),
        (|u| u.calls = vec![Call::below("POST", "/v1/%2e%2e")], unclear("/v1/%2e%2e")),
        (|u| u.at = named(""), PolicyError::Name { name: String::new() }),
        (|u| u.at = named("a/b"), PolicyError::Name { name: "a/b".to_owned() }),
        (|u| u.at = named("Model"), PolicyError::Name { name: "Model".to_owned() }),
        (|u| u.at = named(".."), PolicyError::Name { name: "..".to_owned() }),
    ];
    for (change, expected) in table {
        let mut upstream = upstream();
        change(&mut upstream);
        let found = Rules::of(&with(vec![upstream])).err();
        assert_eq!(found.as_ref(), Some(&expected));
        let shown = format!("{expected} {expected:?} {}", expected.hint());
        assert!(!shown.contains("sk"), "{shown}");
    }
}

#[test]
fn two_upstreams_or_tunnels_in_one_place_are_refused() {
    let found = Rules::of(&with(vec![upstream(), upstream()])).err();
    assert_eq!(found, Some(PolicyError::SamePlace { name: String::new() }));
    let tunnel = |target: &str| Tunnel { target: target.to_owned(), address: Address::Public };
    let tunnels = vec![tunnel("a.example:443"), tunnel("a.example:443")];
    let found = Rules::of(&Policy { tunnels, ..Policy::default() }).err();
    assert_eq!(found, Some(PolicyError::TargetTwice { target: "a.example:443".to_owned() }));
    let tunnels = vec![tunnel("*.example:443")];
    let found = Rules::of(&Policy { tunnels, ..Policy::default() }).err();
    let (target, source) = ("*.example:443".to_owned(), TargetError::Character);
    assert_eq!(found, Some(PolicyError::Target { target, source }));
}

#[test]
fn every_bound_is_held_to_reason() {
    let zero = |change: fn(&mut Bounds)| {
        let mut bounds = Bounds::default();
        change(&mut bounds);
        match Rules::of(&Policy { bounds, ..Policy::default() }).err() {
            Some(PolicyError::Bound { bound, .. }) => bound,
            other => panic!("{other:?}"),
        }
    };
    let seen = [
        zero(|b| b.connections_max = 0),
        zero(|b| b.requests_max = 0),
        zero(|b| b.refusals_max = 0),
        zero(|b| b.head_bytes_max = 8191),
        zero(|b| b.headers_max = 0),
        zero(|b| b.request_bytes_max = u64::MAX),
        zero(|b| b.response_bytes_max = 0),
        zero(|b| b.head_ms = 0),
        zero(|b| b.connect_ms = 0),
        zero(|b| b.answer_ms = u64::MAX),
        zero(|b| b.idle_ms = 0),
        zero(|b| b.exchange_ms = 0),
    ];
    let expected = [
        "connections_max",
        "requests_max",
        "refusals_max",
        "head_bytes_max",
        "headers_max",
        "request_bytes_max",
        "response_bytes_max",
        "head_ms",
        "connect_ms",
        "answer_ms",
        "idle_ms",
        "exchange_ms",
    ];
    assert_eq!(seen, expected);
}

#[test]
fn a_root_that_is_no_certificate_is_refused() {
    for text in ["", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        let policy = Policy { roots: vec![text.to_owned()], ..Policy::default() };
        assert_eq!(Rules::of(&policy).err(), Some(PolicyError::Roots), "{text:?}");
    }
}

#[test]
fn a_path_belongs_to_a_named_upstream_first_and_to_the_root_otherwise() {
    let mut model = upstream();
    model.at = named("model");
    model.base = "https://gateway.example/anthropic".to_owned();
    let rules = Rules::of(&with(vec![model, upstream()])).unwrap();
    let whole = |path: &str, query: Option<&str>| {
        let (route, below) = rules.route(path).unwrap();
        format!("{} {}", route.name, route.uri(below, query).unwrap())
    };
    assert_eq!(
        whole("/model/v1/messages", None),
        "model https://gateway.example/anthropic/v1/messages"
    );
    assert_eq!(whole("/model", Some("a=b")), "model https://gateway.example/anthropic/?a=b");
    assert_eq!(whole("/models/v1", None), " https://api.example.com/models/v1");
    let only_named = Rules::of(&Policy::default()).unwrap();
    assert!(only_named.route("/model/v1").is_none());
}

fn with(upstreams: Vec<Upstream>) -> Policy {
    Policy { upstreams, ..Policy::default() }
}

fn upstream() -> Upstream {
    Upstream {
        at: UpstreamPath::Root,
        base: "https://api.example.com".to_owned(),
        credential: header("x-api-key", "sk-secret"),
        calls: vec![Call::below("POST", "/v1")],
        chunked: Chunked::Refused,
        address: Address::Any,
        quota: None,
    }
}

fn header(name: &str, value: &str) -> Credential {
    Credential::Header { name: name.to_owned(), value: Secret::new(value) }
}

fn named(name: &str) -> UpstreamPath {
    UpstreamPath::Named(name.to_owned())
}

fn unfit(method: &str) -> PolicyError {
    PolicyError::Method { name: String::new(), method: method.to_owned() }
}

fn unclear(path: &str) -> PolicyError {
    PolicyError::Path { name: String::new(), path: path.to_owned() }
}
