//! The log: what a proxy decided, complete where it counts and bounded everywhere.

use std::time::Duration;

use sealwright_kernel::Digest;
use sealwright_sandbox::egress::log::{Entry, Failure, Log, Mode, Refusal, RequestOutcome};
use tokio::time::{Instant, timeout};

use crate::world::{
    PATIENCE, Proxy, Reply, ReplyBody, Server, Wire, bounded, get, last, only, outcomes, status,
};

#[test]
fn every_decision_is_in_the_log_with_what_came_of_it() {
    let server = Server::friendly(Wire::Plain);
    let proxy = Proxy::start(&only(server.upstream()));
    assert_eq!(status(&proxy.ask(last("POST", "/v1/messages?secret=in-a-query", "", "four"))), 200);
    assert_eq!(status(&proxy.ask(get("/admin?secret=in-a-query"))), 403);
    assert_eq!(status(&proxy.ask("CONNECT evil.test:443 HTTP/1.1\r\n\r\n")), 403);
    assert_eq!(status(&proxy.ask("nonsense\r\n\r\n")), 400);
    assert_eq!(status(&proxy.ask(get("http://evil.test/v1/x"))), 403);
    let log = proxy.stop();
    let mut at_ms = 0;
    for entry in &log.entries {
        assert!(entry.at_ms >= at_ms, "{log:?}");
        at_ms = entry.at_ms;
    }
    let timeless: Vec<Entry> =
        log.entries.iter().cloned().map(|entry| Entry { at_ms: 0, took_ms: 0, ..entry }).collect();
    let entry = |connection, mode, target: &str, method: &str, path: &str, outcome| Entry {
        at_ms: 0,
        took_ms: 0,
        connection,
        mode,
        target: target.to_owned(),
        method: method.to_owned(),
        path: path.to_owned(),
        outcome,
        retry_after_s: None,
        bytes_in: 0,
        bytes_out: 0,
    };
    let refused = |why| RequestOutcome::Refused { why };
    let expected = [
        Entry {
            bytes_in: 4,
            bytes_out: 5,
            ..entry(
                1,
                Mode::Reverse,
                "",
                "POST",
                "/v1/messages",
                RequestOutcome::Answered { status: 200 },
            )
        },
        entry(2, Mode::Reverse, "", "GET", "/admin", refused(Refusal::PathNotListed)),
        entry(3, Mode::Connect, "evil.test:443", "CONNECT", "", refused(Refusal::TargetNotListed)),
        entry(4, Mode::Unread, "", "", "", refused(Refusal::Malformed)),
        entry(5, Mode::Reverse, "evil.test", "GET", "/v1/x", refused(Refusal::NotAPath)),
    ];
    assert_eq!(timeless, expected);
    let stored = log.canonical().unwrap();
    assert!(!String::from_utf8_lossy(&stored).contains("in-a-query"));
    assert_eq!(serde_json::from_slice::<Log>(&stored).unwrap(), log);
    assert_eq!(log.digest().unwrap(), Digest::of(&stored));
}

#[test]
fn a_flood_of_refusals_neither_fills_the_log_nor_hides_a_request() {
    let server = Server::friendly(Wire::Plain);
    let proxy = Proxy::start(&bounded(server.upstream(), |bounds| bounds.refusals_max = 3));
    let began = Instant::now();
    for _ in 0..10 {
        assert_eq!(status(&proxy.ask(get("/admin"))), 403);
    }
    // Those that found no room were made to wait, or a flood would keep the host busy.
    assert!(began.elapsed() >= Duration::from_millis(700));
    assert_eq!(status(&proxy.ask(get("/v1/x"))), 200);
    assert_eq!(status(&proxy.ask(get("/admin"))), 403);
    let log = proxy.stop();
    let refused = RequestOutcome::Refused { why: Refusal::PathNotListed };
    let expected = [refused, refused, refused, RequestOutcome::Answered { status: 200 }];
    assert_eq!((outcomes(&log), log.refusals_dropped), (expected.to_vec(), 8));
}

#[test]
fn a_request_that_is_under_way_when_the_proxy_stops_is_in_the_log() {
    let server = Server::start(Wire::Plain, |_| {
        let (send, pieces) = tokio::sync::mpsc::unbounded_channel();
        send.send(Ok(bytes::Bytes::from_static(b"begun"))).unwrap();
        // Kept open for as long as the test runs.
        std::mem::forget(send);
        Reply::body(ReplyBody::Pieces(pieces))
    });
    let proxy = Proxy::start(&only(server.upstream()));
    let mut role = proxy.role();
    role.say(get("/v1/x"));
    role.hear_until("begun");
    let log = proxy.stop();
    assert!(!role.hear_all().ends_with("0\r\n\r\n"));
    assert_eq!(outcomes(&log), [RequestOutcome::Failed { why: Failure::Stopped }]);
    assert_eq!(log.entries[0].bytes_out, 5);
}

#[test]
fn a_role_that_leaves_in_the_middle_of_an_answer_is_in_the_log() {
    let (gone, leaves) = std::sync::mpsc::channel();
    let gone = std::sync::Mutex::new(gone);
    let server = Server::start(Wire::Plain, move |_| {
        let (send, pieces) = tokio::sync::mpsc::unbounded_channel();
        send.send(Ok(bytes::Bytes::from_static(b"begun"))).unwrap();
        gone.lock().unwrap().send(send).unwrap();
        Reply::body(ReplyBody::Pieces(pieces))
    });
    let proxy = Proxy::start(&only(server.upstream()));
    let mut role = proxy.role();
    role.say(get("/v1/x"));
    role.hear_until("begun");
    let send = leaves.recv().unwrap();
    drop(role);
    // The upstream's line is cut when the proxy has noticed.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { timeout(PATIENCE, send.closed()).await }).unwrap();
    assert_eq!(outcomes(&proxy.stop()), [RequestOutcome::Failed { why: Failure::RoleLeft }]);
}
