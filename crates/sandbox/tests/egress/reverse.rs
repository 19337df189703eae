//! Reverse mode: who gets the key, and what comes back.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use sealwright_sandbox::egress::fresh::{CredentialSource, Fresh, NoCredential, SignedBy};
use sealwright_sandbox::egress::log::{Failure, Refusal, RequestOutcome};
use sealwright_sandbox::egress::policy::{Address, Call, Credential, UpstreamPath};
use sealwright_sandbox::egress::{Policy, Secret};
use tokio::sync::mpsc::unbounded_channel;

use crate::world::{
    KEY, Proxy, Reply, ReplyBody, Server, Wire, get, header, last, nobody, only, outcomes, status,
};

#[test]
fn the_key_is_added_by_the_host_and_never_seen_by_the_role() {
    let server = Server::start(Wire::Tls, |_| Reply {
        headers: vec![("x-api-key", KEY.to_owned()), ("x-request-id", "7".to_owned())],
        ..Reply::text("hello")
    });
    let policy = over_tls(&server);
    let proxy = Proxy::start(&policy);
    let own = "Authorization: Bearer stolen\r\nX-API-Key: stolen\r\nx_api_key: stolen\r\nCookie: a=stolen\r\n\
               Connection: x-api-key\r\nProxy-Authorization: stolen\r\nX-Forwarded-Host: stolen\r\n\
               anthropic-version: 2023-06-01\r\n";
    let heard = proxy.ask(last("POST", "/v1/messages?beta=true", own, "{\"model\":1}"));
    assert_eq!((status(&heard), heard.ends_with("hello")), (200, true), "{heard}");
    assert_eq!((header(&heard, "x-api-key"), header(&heard, "x-request-id")), (None, Some("7")));

    let seen = server.seen();
    let [seen] = seen.as_slice() else { panic!("{seen:?}") };
    assert_eq!((seen.method.as_str(), seen.uri.as_str()), ("POST", "/v1/messages?beta=true"));
    assert_eq!(seen.body, b"{\"model\":1}");
    let keys: Vec<_> = seen.headers.get_all("x-api-key").iter().collect();
    assert_eq!(keys, [KEY]);
    assert_eq!(
        (&seen.headers["host"], &seen.headers["anthropic-version"]),
        (&"api.test".parse().unwrap(), &"2023-06-01".parse().unwrap())
    );
    assert!(!format!("{seen:?}").contains("stolen"), "{seen:?}");

    let log = proxy.stop();
    let stored = String::from_utf8(log.canonical().unwrap()).unwrap();
    for shown in [heard, stored, format!("{log:?} {policy:?}")] {
        assert!(!shown.contains(KEY), "{shown}");
    }
}

#[test]
fn each_named_upstream_gets_its_own_key_and_no_other() {
    let (model, mirror) = (Server::friendly(Wire::Plain), Server::friendly(Wire::Plain));
    let mut first = model.upstream();
    first.at = UpstreamPath::Named("model".to_owned());
    let mut second = mirror.upstream();
    second.at = UpstreamPath::Named("mirror".to_owned());
    second.base += "/pypi/simple";
    second.calls = vec![Call::below("GET", "/")];
    second.credential =
        Credential::Header { name: "Authorization".to_owned(), value: Secret::new("Bearer other") };
    let proxy = Proxy::start(&Policy { upstreams: vec![first, second], ..Policy::default() });
    assert_eq!(status(&proxy.ask(get("/model/v1/models"))), 200);
    assert_eq!(status(&proxy.ask(get("/mirror/requests/"))), 200);
    assert_eq!(status(&proxy.ask(get("/v1/models"))), 404);
    let (model, mirror) = (model.seen(), mirror.seen());
    assert_eq!((model.len(), mirror.len()), (1, 1));
    assert_eq!(
        (model[0].uri.as_str(), mirror[0].uri.as_str()),
        ("/v1/models", "/pypi/simple/requests/")
    );
    let keys = |headers: &hyper::HeaderMap| {
        ["x-api-key", "authorization"]
            .map(|name| headers.get(name).map(|value| value.to_str().unwrap().to_owned()))
    };
    assert_eq!(keys(&model[0].headers), [Some(KEY.to_owned()), None]);
    assert_eq!(keys(&mirror[0].headers), [None, Some("Bearer other".to_owned())]);
    let targets: Vec<_> = proxy.stop().entries.into_iter().map(|entry| entry.target).collect();
    assert_eq!(targets, ["model", "mirror", ""]);
}

#[test]
fn a_role_speaks_for_itself_only_where_the_policy_says_so() {
    let server = Server::friendly(Wire::Plain);
    let mut upstream = server.upstream();
    upstream.credential = Credential::None;
    let nobody = Proxy::start(&only(upstream.clone()));
    let own = "Authorization: Bearer own\r\n";
    assert_eq!(status(&nobody.ask(last("POST", "/v1/x", own, ""))), 200);
    assert_eq!(status(&nobody.ask(get("/v1/x?key=own"))), 403);
    upstream.credential = Credential::Own;
    let role = Proxy::start(&only(upstream));
    assert_eq!(status(&role.ask(last("POST", "/v1/x", own, ""))), 200);
    assert_eq!(status(&role.ask(get("/v1/x?key=own"))), 200);
    let sent: Vec<_> =
        server.seen().iter().map(|seen| seen.headers.contains_key("authorization")).collect();
    assert_eq!(sent, [false, true, false]);
}

#[test]
fn a_redirect_is_passed_back_and_not_followed() {
    let elsewhere = Server::friendly(Wire::Plain);
    let location = format!("http://{}/v1/stolen", elsewhere.address);
    let to = location.clone();
    let server = Server::start(Wire::Plain, move |_| Reply {
        status: 307,
        headers: vec![("location", to.clone()), ("set-cookie", "a=b".to_owned())],
        ..Reply::text("")
    });
    let proxy = Proxy::start(&only(server.upstream()));
    let heard = proxy.ask(last("POST", "/v1/messages", "", "x"));
    assert_eq!((status(&heard), header(&heard, "location")), (307, Some(location.as_str())));
    assert_eq!(header(&heard, "set-cookie"), None);
    assert_eq!((server.seen().len(), elsewhere.seen().len()), (1, 0));
    assert_eq!(outcomes(&proxy.stop()), [RequestOutcome::Answered { status: 307 }]);
}

#[test]
fn an_event_arrives_before_the_next_one_is_sent() {
    let (send, pieces) = unbounded_channel();
    let pieces = std::sync::Mutex::new(Some(pieces));
    let server = Server::start(Wire::Tls, move |_| Reply {
        headers: vec![("content-type", "text/event-stream".to_owned())],
        ..Reply::body(ReplyBody::Pieces(pieces.lock().unwrap().take().unwrap()))
    });
    let proxy = Proxy::start(&over_tls(&server));
    let mut role = proxy.role();
    role.say(last("POST", "/v1/messages", "Accept: text/event-stream\r\n", "{}"));
    for event in ["one", "two", "three"] {
        // The next one is not even made before this one was read.
        send.send(Ok(Bytes::from(format!("data: {event}\n\n")))).unwrap();
        let heard = role.hear_until(&format!("data: {event}\n\n"));
        assert!(event != "one" || heard.contains("text/event-stream"), "{heard}");
    }
    drop(send);
    assert!(role.hear_all().ends_with("0\r\n\r\n"));
    let log = proxy.stop();
    assert_eq!(outcomes(&log), [RequestOutcome::Answered { status: 200 }]);
    assert_eq!((log.entries[0].bytes_in, log.entries[0].bytes_out), (2, 11 + 11 + 13));
}

#[test]
fn a_large_body_comes_through_whole_in_both_directions() {
    let server = Server::start(Wire::Tls, |seen| Reply {
        headers: vec![("content-type", "application/octet-stream".to_owned())],
        ..Reply::body(ReplyBody::Whole(seen.body.iter().rev().copied().collect()))
    });
    let proxy = Proxy::start(&over_tls(&server));
    let sent: String = (0..3_000_000u32).map(|nth| char::from(b'a' + (nth % 23) as u8)).collect();
    let mut role = proxy.role();
    role.say(
        last("POST", "/v1/x", "Expect: 100-continue\r\n", "")
            .replace("Length: 0", "Length: 3000000"),
    );
    assert_eq!(role.hear_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    role.say(&sent);
    let heard = role.hear_answer();
    assert_eq!(heard.status, 200);
    assert!(heard.body.bytes().eq(sent.bytes().rev()), "{} bytes came back", heard.body.len());
    assert_eq!(server.seen()[0].headers.get("expect"), None);
    let log = proxy.stop();
    assert_eq!((log.entries[0].bytes_in, log.entries[0].bytes_out), (3_000_000, 3_000_000));
}

#[test]
fn the_headers_of_an_answer_without_a_body_come_through() {
    let server = Server::start(Wire::Plain, |seen| match seen.method.as_str() {
        "HEAD" => Reply { headers: vec![("etag", "e".to_owned())], ..Reply::text("unseen") },
        _ => Reply { status: 204, ..Reply::text("") },
    });
    let proxy = Proxy::start(&only(server.upstream()));
    let heard = proxy.ask(last("HEAD", "/v1/x", "", ""));
    assert_eq!((status(&heard), header(&heard, "etag")), (200, Some("e")));
    assert!(heard.ends_with("\r\n\r\n"), "{heard}");
    assert_eq!(status(&proxy.ask(get("/v1/x"))), 204);
    let expected = [200, 204].map(|status| RequestOutcome::Answered { status });
    assert_eq!(outcomes(&proxy.stop()), expected);
}

#[test]
fn an_upstream_that_is_down_is_said_so_with_a_hint() {
    let server = Server::friendly(Wire::Plain);
    let mut upstream = server.upstream();
    upstream.base = format!("http://{}", nobody());
    let proxy = Proxy::start(&only(upstream));
    let heard = proxy.ask(get("/v1/models"));
    assert_eq!(status(&heard), 502);
    let words = "egress: the upstream cannot be reached\nhint: try again later; it may be down, or the host offline\n";
    assert!(heard.ends_with(words), "{heard}");
    assert_eq!(outcomes(&proxy.stop()), [RequestOutcome::Failed { why: Failure::Unreachable }]);
}

#[test]
fn an_upstream_that_cannot_prove_who_it_is_never_gets_the_key() {
    let server = Server::friendly(Wire::Tls);
    let untrusted = Policy { roots: vec![], ..over_tls(&server) };
    let mut misnamed = over_tls(&server);
    misnamed.upstreams[0].base = "https://other.test".to_owned();
    for policy in [untrusted, misnamed] {
        let proxy = Proxy::start(&policy);
        let heard = proxy.ask(get("/v1/models"));
        assert_eq!(status(&heard), 502);
        assert!(heard.contains("could not prove who it is"), "{heard}");
        assert_eq!(outcomes(&proxy.stop()), [RequestOutcome::Failed { why: Failure::Untrusted }]);
    }
    assert_eq!(server.seen().len(), 0);
}

#[test]
fn an_upstream_without_tls_never_gets_a_key_that_was_meant_for_one_with_it() {
    let server = Server::friendly(Wire::Plain);
    let mut upstream = server.upstream();
    upstream.base = "https://api.test".to_owned();
    upstream.address = Address::Pinned(server.address);
    let proxy = Proxy::start(&only(upstream));
    assert_eq!(status(&proxy.ask(get("/v1/models"))), 502);
    assert_eq!(server.seen().len(), 0);
}

#[test]
fn a_name_that_leads_to_the_host_itself_is_refused_if_it_should_be_public() {
    let server = Server::friendly(Wire::Plain);
    let mut upstream = server.upstream();
    upstream.base = format!("http://localhost:{}", server.address.port());
    upstream.address = Address::Public;
    let proxy = Proxy::start(&only(upstream));
    assert_eq!(status(&proxy.ask(get("/v1/models"))), 403);
    assert_eq!(server.seen().len(), 0);
    assert_eq!(
        outcomes(&proxy.stop()),
        [RequestOutcome::Refused { why: Refusal::AddressNotPublic }]
    );
}

#[test]
fn an_answer_that_breaks_off_is_not_made_to_look_whole() {
    let server = Server::start(Wire::Plain, |_| {
        let (send, pieces) = unbounded_channel();
        send.send(Ok(Bytes::from_static(b"half"))).unwrap();
        send.send(Err(std::io::Error::other("broken on purpose"))).unwrap();
        Reply::body(ReplyBody::Pieces(pieces))
    });
    let proxy = Proxy::start(&only(server.upstream()));
    let heard = proxy.ask(get("/v1/models"));
    assert!(!heard.ends_with("0\r\n\r\n"), "{heard}");
    let expected = RequestOutcome::Failed { why: Failure::UpstreamBroke };
    assert_eq!(outcomes(&proxy.stop()), [expected]);
}

/// The server behind a name, with its own certificate as the only further authority.
fn over_tls(server: &Server) -> Policy {
    let mut upstream = server.upstream();
    upstream.base = "https://api.test".to_owned();
    upstream.address = Address::Pinned(server.address);
    Policy { roots: vec![server.certificate.clone()], ..only(upstream) }
}

#[test]
fn a_role_that_was_given_a_credential_signs_with_no_other_one() {
    let server = Server::start(Wire::Plain, |_| Reply::text("hello"));
    let mut upstream = server.upstream();
    let source = Arc::new(Changing(Mutex::new(vec!["first"; 6])));
    let headers = vec!["authorization", "x-account"];
    upstream.credential = Credential::Fresh(Fresh { headers, signed_by: SignedBy::Role, source });
    let proxy = Proxy::start(&only(upstream));
    let given = "Authorization: Bearer first\r\nX-Account: ann\r\n";
    let ask = |own: &str| status(&proxy.ask(last("POST", "/v1/messages", own, "{}")));
    assert_eq!(ask(given), 200);
    for other in [
        "",
        "Authorization: Bearer first\r\n",
        "Authorization: Bearer mallory\r\nX-Account: ann\r\n",
        "Authorization: Bearer first\r\nX-Account: mallory\r\n",
        &format!("{given}Authorization: Bearer mallory\r\n"),
    ] {
        assert_eq!(ask(other), 403, "{other}");
    }
    assert_eq!(server.seen().len(), 1);
    let refused = RequestOutcome::Refused { why: Refusal::OtherCredential };
    assert_eq!(outcomes(&proxy.stop()).iter().filter(|it| **it == refused).count(), 5);
}

/// A login that another program renews: a word for each request, and at the end none.
struct Changing(Mutex<Vec<&'static str>>);

impl CredentialSource for Changing {
    fn sign(&self) -> Result<Vec<(&'static str, Secret)>, NoCredential> {
        let token = self.0.lock().unwrap().pop().ok_or(NoCredential)?;
        let bearer = Secret::new(format!("Bearer {token}"));
        Ok(vec![
            ("authorization", bearer),
            ("x-account", Secret::new("ann")),
            ("x-other", Secret::new("no")),
        ])
    }

    fn answered(&self, status: u16, header: &dyn Fn(&str) -> Option<String>) -> Option<u64> {
        (status == 200).then(|| header("x-reset")?.parse().ok())?
    }
}

#[test]
fn a_credential_that_changes_is_asked_for_with_each_request() {
    let server = Server::start(Wire::Plain, |seen| Reply {
        headers: vec![
            ("x-reset", "90".to_owned()),
            ("x-echo", format!("{:?}", seen.headers["authorization"])),
            ("x-account", "ann".to_owned()),
        ],
        ..Reply::text("hello")
    });
    let mut upstream = server.upstream();
    let source = Arc::new(Changing(Mutex::new(vec!["second", "first"])));
    let headers = vec!["authorization", "x-account"];
    upstream.credential = Credential::Fresh(Fresh { headers, signed_by: SignedBy::Host, source });
    let policy = only(upstream);
    let proxy = Proxy::start(&policy);
    let own = "Authorization: Bearer stolen\r\nX-Account: mallory\r\nx_account: mallory\r\n";
    let heard = [1, 2, 3].map(|_| proxy.ask(last("POST", "/v1/messages", own, "{}")));
    assert_eq!(heard.each_ref().map(|heard| status(heard)), [200, 200, 403]);
    assert_eq!(header(&heard[0], "x-reset"), Some("90"));
    assert_eq!((header(&heard[0], "x-echo"), header(&heard[0], "x-account")), (None, None));

    let seen = server.seen();
    let sent = |name: &str| -> Vec<String> {
        seen.iter().map(|seen| seen.headers[name].to_str().unwrap().to_owned()).collect()
    };
    assert_eq!(sent("authorization"), ["Bearer first", "Bearer second"]);
    assert_eq!(sent("x-account"), ["ann", "ann"]);
    assert!(!format!("{seen:?}").contains("mallory") && !format!("{seen:?}").contains("x-other"));

    let log = proxy.stop();
    let ends = [
        RequestOutcome::Answered { status: 200 },
        RequestOutcome::Answered { status: 200 },
        RequestOutcome::Refused { why: Refusal::NoCredential },
    ];
    assert_eq!(outcomes(&log), ends);
    assert_eq!(log.entries[0].retry_after_s, Some(90));
    let stored = String::from_utf8(log.canonical().unwrap()).unwrap();
    for shown in [stored, format!("{log:?} {policy:?}"), policy.digest().unwrap().to_string()] {
        assert!(!shown.contains("first") && !shown.contains("ann"), "{shown}");
    }
}
