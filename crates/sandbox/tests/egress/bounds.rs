//! Roles and upstreams that want too much: too long, too many, too slow, without end.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use bytes::Bytes;
use sealwright_sandbox::egress::Policy;
use sealwright_sandbox::egress::log::{Failure, Refusal, RequestOutcome};
use sealwright_sandbox::egress::policy::{Address, Bounds, Chunked};
use tokio::sync::mpsc::unbounded_channel;

use crate::world::{
    PATIENCE, Proxy, Reply, ReplyBody, Role, Server, Wire, bounded, get, last, listening, only,
    outcomes, status, tunnel,
};

#[test]
fn a_head_that_is_too_long_or_has_too_many_headers_is_refused() {
    let server = Server::friendly(Wire::Plain);
    let proxy =
        Proxy::start(&bounded(server.upstream(), |bounds| bounds.head_bytes_max = 16 << 10));
    let fits = format!("X: {}\r\n", "x".repeat(15 << 10));
    assert_eq!(status(&proxy.ask(last("GET", "/v1/x", &fits, ""))), 200);
    let bombs = [
        format!("X: {}\r\n", "x".repeat(17 << 10)),
        format!("X: {}\r\n", "x".repeat(8 << 20)),
        "X: y\r\n".repeat(101),
        (0..100_000).map(|nth| format!("X-{nth}: y\r\n")).collect(),
    ];
    for bomb in bombs {
        // A role that is still talking may find the line cut before it hears why.
        let heard = proxy.ask(last("GET", "/v1/x", &bomb, ""));
        assert!(heard.is_empty() || status(&heard) == 431, "{heard}");
    }
    let long = proxy.ask(get(&format!("/v1/{}", "x".repeat(100 << 10))));
    assert!(long.is_empty() || [414, 431].contains(&status(&long)), "{long}");
    assert_eq!(server.seen().len(), 1);
    let mut expected = vec![RequestOutcome::Answered { status: 200 }];
    expected.extend([RequestOutcome::Refused { why: Refusal::HeadTooLarge }; 5]);
    assert_eq!(outcomes(&proxy.stop()), expected);
}

#[test]
fn a_role_that_dribbles_its_headers_is_cut_off() {
    let server = Server::friendly(Wire::Plain);
    let proxy = Proxy::start(&bounded(server.upstream(), |bounds| bounds.head_ms = 100));
    let mut silent = proxy.role();
    let mut slow = proxy.role();
    slow.say("GET /v1/x HTTP/1.1\r\nHost: inside\r\nX-");
    assert_eq!((silent.hear_all(), slow.hear_all()), (String::new(), String::new()));
    assert_eq!(server.seen().len(), 0);
    let refused = RequestOutcome::Refused { why: Refusal::HeadTooSlow };
    assert_eq!(outcomes(&proxy.stop()), [refused, refused]);
}

#[test]
fn a_connection_that_was_used_and_lies_still_is_closed_without_a_word() {
    let server = Server::friendly(Wire::Plain);
    let proxy = Proxy::start(&bounded(server.upstream(), |bounds| bounds.head_ms = 2_000));
    let mut role = proxy.role();
    role.say("GET /v1/x HTTP/1.1\r\nHost: inside\r\n\r\n");
    assert_eq!(role.hear_answer().status, 200);
    assert_eq!(role.hear_all(), "");
    assert_eq!(outcomes(&proxy.stop()), [RequestOutcome::Answered { status: 200 }]);
}

#[test]
fn a_request_without_end_is_cut_at_the_bound() {
    let server = Server::friendly(Wire::Plain);
    let mut upstream = server.upstream();
    upstream.chunked = Chunked::Reframed;
    let proxy = Proxy::start(&bounded(upstream, |bounds| bounds.request_bytes_max = 100_000));
    let announced = last("POST", "/v1/x", "Expect: 100-continue\r\n", "")
        .replace("Length: 0", "Length: 100001");
    assert_eq!(status(&proxy.ask(announced)), 413);
    assert_eq!(status(&proxy.ask(last("POST", "/v1/x", "", &"x".repeat(100_000)))), 200);

    let mut role = proxy.role();
    role.say("POST /v1/x HTTP/1.1\r\nHost: i\r\nTransfer-Encoding: chunked\r\n\r\n");
    let piece = format!("400\r\n{}\r\n", "x".repeat(0x400));
    talk_on(&mut role.0, piece.as_bytes());
    let heard = role.hear_all();
    assert!(heard.is_empty() || status(&heard) == 413, "{heard}");

    assert_eq!(server.seen().iter().filter(|seen| seen.body.len() > 100_000).count(), 0);
    let log = proxy.stop();
    let refused = RequestOutcome::Refused { why: Refusal::BodyTooLarge };
    assert_eq!(outcomes(&log), [refused, RequestOutcome::Answered { status: 200 }, refused]);
    assert!(log.entries[2].bytes_in <= 100_000, "{log:?}");
}

#[test]
fn an_answer_without_end_is_cut_at_the_bound() {
    let server = Server::start(Wire::Plain, |seen| match seen.uri.as_str() {
        "/v1/endless" => Reply::body(ReplyBody::Endless),
        "/v1/announced" => Reply::text(&"x".repeat(100_001)),
        _ => Reply::text(&"x".repeat(100_000)),
    });
    let proxy =
        Proxy::start(&bounded(server.upstream(), |bounds| bounds.response_bytes_max = 100_000));
    let endless = proxy.ask(get("/v1/endless"));
    assert!(endless.len() < 110_000 && !endless.ends_with("0\r\n\r\n"), "{} bytes", endless.len());
    assert_eq!(status(&proxy.ask(get("/v1/announced"))), 502);
    let fits = proxy.ask(get("/v1/fits"));
    assert_eq!((status(&fits), fits.matches('x').count()), (200, 100_000));
    let cut = RequestOutcome::Failed { why: Failure::ResponseTooLarge };
    let log = proxy.stop();
    assert_eq!(outcomes(&log), [cut, cut, RequestOutcome::Answered { status: 200 }]);
    assert!(log.entries[0].bytes_out <= 100_000);
}

#[test]
fn a_tunnel_without_end_is_cut_at_the_bound() {
    let (address, taken) = listening();
    let bounds =
        Bounds { request_bytes_max: 10_000, response_bytes_max: 10_000, ..Bounds::default() };
    let proxy =
        Proxy::start(&Policy { bounds, ..tunnel("api.test:443", Address::Pinned(address)) });
    let connect = "CONNECT api.test:443 HTTP/1.1\r\nHost: i\r\n\r\n";

    let mut role = proxy.role();
    role.say(connect);
    role.hear_until("\r\n\r\n");
    let mut upstream = taken.recv_timeout(PATIENCE).unwrap();
    let reader = std::thread::spawn(move || {
        let mut heard = Vec::new();
        // It may end in a reset; what came before counts.
        let _ = upstream.read_to_end(&mut heard);
        heard.len()
    });
    talk_on(&mut role.0, &[b'x'; 1000]);
    assert!(reader.join().unwrap() <= 10_000);

    let mut role = proxy.role();
    role.say(connect);
    role.hear_until("\r\n\r\n");
    let mut upstream = taken.recv_timeout(PATIENCE).unwrap();
    let writer = std::thread::spawn(move || talk_on(&mut upstream, &[b'x'; 1000]));
    assert!(role.hear_all().len() <= 10_000);
    writer.join().unwrap();

    let sent = RequestOutcome::Refused { why: Refusal::BodyTooLarge };
    let returned = RequestOutcome::Failed { why: Failure::ResponseTooLarge };
    assert_eq!(outcomes(&proxy.stop()), [sent, returned]);
}

#[test]
fn a_run_makes_no_more_requests_than_it_may() {
    let server = Server::friendly(Wire::Plain);
    let proxy = Proxy::start(&bounded(server.upstream(), |bounds| bounds.requests_max = 2));
    let statuses = [(); 4].map(|()| status(&proxy.ask(get("/v1/x"))));
    assert_eq!(statuses, [200, 200, 429, 429]);
    assert_eq!(server.seen().len(), 2);
    assert_eq!(proxy.stop().entries.len(), 4);
}

#[test]
fn two_hundred_connections_are_served_sixty_four_at_a_time() {
    let (arrived, arrivals) = mpsc::channel();
    let arrived = Mutex::new(arrived);
    let open = Arc::new(AtomicUsize::new(0));
    let now_open = Arc::clone(&open);
    let server = Server::start(Wire::Plain, move |_| {
        let (send, pieces) = unbounded_channel::<Result<Bytes, std::io::Error>>();
        let at_once = now_open.fetch_add(1, Ordering::SeqCst) + 1;
        arrived.lock().unwrap().send((at_once, send)).unwrap();
        Reply::body(ReplyBody::Pieces(pieces))
    });
    let proxy = Proxy::start(&only(server.upstream()));
    let at = proxy.address;
    let one = move || {
        // The queue of the listener is shorter than they are many; some wait to be let into it.
        let mut role = Role::at(at);
        role.say(get("/v1/x"));
        let heard = role.hear_all();
        (status(&heard), heard.ends_with("2\r\nok\r\n0\r\n\r\n"))
    };
    let roles: Vec<_> = (0..200).map(|_| std::thread::spawn(one)).collect();
    // Each batch is held until it is full, so fewer at a time would never get through.
    for (nth, batch) in [64, 64, 64, 8].into_iter().enumerate() {
        let held: Vec<_> = (0..batch).map(|_| arrivals.recv_timeout(PATIENCE).unwrap()).collect();
        if nth == 0 {
            // Nobody else comes while they are held, however long one waits.
            assert!(arrivals.recv_timeout(Duration::from_millis(200)).is_err());
        }
        for (at_once, send) in held {
            assert!(at_once <= 64, "{at_once} at once");
            open.fetch_sub(1, Ordering::SeqCst);
            send.send(Ok(Bytes::from_static(b"ok"))).unwrap();
        }
    }
    for role in roles {
        assert_eq!(role.join().unwrap(), (200, true));
    }
    assert_eq!(outcomes(&proxy.stop()), vec![RequestOutcome::Answered { status: 200 }; 200]);
}

#[test]
fn an_upstream_that_never_answers_is_given_up() {
    let server = Server::start(Wire::Plain, |_| Reply::body(ReplyBody::Silence));
    let proxy = Proxy::start(&bounded(server.upstream(), |bounds| bounds.answer_ms = 100));
    let heard = proxy.ask(get("/v1/x"));
    assert_eq!(status(&heard), 504);
    assert!(heard.contains("did not answer in time"), "{heard}");
    assert_eq!(outcomes(&proxy.stop()), [RequestOutcome::Failed { why: Failure::TimedOut }]);
}

#[test]
fn an_answer_that_goes_on_for_too_long_is_cut() {
    let server = Server::start(Wire::Plain, |_| Reply::body(ReplyBody::Endless));
    let policy = bounded(server.upstream(), |bounds| {
        bounds.exchange_ms = 100;
        bounds.response_bytes_max = 1 << 40;
    });
    let proxy = Proxy::start(&policy);
    assert!(!proxy.ask(get("/v1/x")).ends_with("0\r\n\r\n"));
    assert_eq!(outcomes(&proxy.stop()), [RequestOutcome::Failed { why: Failure::TimedOut }]);
}

#[test]
fn whoever_lies_still_is_cut_off_in_a_body_in_a_tunnel_and_when_it_does_not_read() {
    let server = Server::start(Wire::Plain, |_| Reply::body(ReplyBody::Endless));
    let (address, taken) = listening();
    let mut policy = bounded(server.upstream(), |bounds| {
        (bounds.idle_ms, bounds.answer_ms, bounds.connect_ms) = (1_000, 1_000, 1_000);
        bounds.response_bytes_max = 1 << 40;
    });
    policy.tunnels = tunnel("api.test:443", Address::Pinned(address)).tunnels;
    let proxy = Proxy::start(&policy);

    let mut in_a_body = proxy.role();
    in_a_body.say(last("POST", "/v1/x", "", "").replace("Length: 0", "Length: 5") + "xx");
    assert_eq!(status(&in_a_body.hear_all()), 504);

    let mut in_a_tunnel = proxy.role();
    in_a_tunnel.say("CONNECT api.test:443 HTTP/1.1\r\nHost: i\r\n\r\n");
    let mut upstream = taken.recv_timeout(PATIENCE).unwrap();
    assert_eq!(status(&in_a_tunnel.hear_all()), 200);
    assert_eq!(upstream.read(&mut [0]).unwrap_or(0), 0);

    // It asks for an endless answer and reads none of it: the next one is served when it is gone.
    let bounds = Bounds { connections_max: 1, ..policy.bounds };
    let narrow = Proxy::start(&Policy { bounds, ..policy.clone() });
    let mut deaf = narrow.role();
    deaf.say(get("/v1/x"));
    let mut next = narrow.role();
    next.say(get("/elsewhere"));
    assert_eq!(status(&next.hear_all()), 403);
    drop(deaf);

    let timed_out = RequestOutcome::Failed { why: Failure::TimedOut };
    assert_eq!(outcomes(&proxy.stop()), [timed_out, timed_out]);
    let expected = [timed_out, RequestOutcome::Refused { why: Refusal::PathNotListed }];
    assert_eq!(outcomes(&narrow.stop()), expected);
}

/// Says the same thing until nobody listens any more.
fn talk_on(stream: &mut TcpStream, piece: &[u8]) {
    let heard = (0..100_000).all(|_| stream.write_all(piece).is_ok());
    assert!(!heard, "somebody listened to {} bytes", piece.len() * 100_000);
}
