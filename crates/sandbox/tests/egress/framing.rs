//! Requests that try to be read in two ways, to get past a check, or to be something else than a request.

use sealwright_sandbox::egress::log::{Mode, Refusal, RequestOutcome};
use sealwright_sandbox::egress::policy::Chunked;

use crate::world::{Proxy, Reply, Server, Wire, get, last, only, outcomes, status};

#[test]
fn whatever_is_not_a_plain_listed_request_is_refused_and_goes_nowhere() {
    let server = Server::friendly(Wire::Plain);
    let proxy = Proxy::start(&only(server.upstream()));
    let websocket = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
                     Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let h2c = "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n";
    let with = |headers: &str, body: &str| {
        format!("POST /v1/x HTTP/1.1\r\nHost: i\r\n{headers}\r\n{body}")
    };
    let smuggled = "0\r\n\r\nGET /admin HTTP/1.1\r\nHost: i\r\n\r\n";
    let table = [
        // Not listed.
        (last("DELETE", "/v1/x", "", ""), 405, Refusal::Method),
        (last("TRACE", "/v1/x", "", ""), 405, Refusal::Method),
        (last("post", "/v1/x", "", ""), 405, Refusal::Method),
        (get("/"), 403, Refusal::PathNotListed),
        (get("/admin"), 403, Refusal::PathNotListed),
        (get("/v1x"), 403, Refusal::PathNotListed),
        (get("/V1/x"), 403, Refusal::PathNotListed),
        (get("/v1/x?api_key=own"), 403, Refusal::CredentialInQuery),
        (get("/v1/x?a=b&k%65y=own"), 403, Refusal::CredentialInQuery),
        // Readable in two ways.
        (get("/v1/../admin"), 400, Refusal::PathUnclear),
        (get("/v1/%2e%2e/admin"), 400, Refusal::PathUnclear),
        (get("/v1/..%2fadmin"), 400, Refusal::PathUnclear),
        (get("/v1/..;/admin"), 400, Refusal::PathUnclear),
        (get("/v1//admin"), 400, Refusal::PathUnclear),
        (get("//admin/v1"), 400, Refusal::PathUnclear),
        (get("/v1/%00"), 400, Refusal::PathUnclear),
        (get("/v1/%252e%252e/admin"), 400, Refusal::PathUnclear),
        // Whole addresses, where a path belongs.
        (get("http://api.test/v1/x"), 403, Refusal::NotAPath),
        (get("https://169.254.169.254/v1/x"), 403, Refusal::NotAPath),
        (get("http://127.0.0.1:3128/v1/x"), 403, Refusal::NotAPath),
        (get("api.test:443"), 403, Refusal::NotAPath),
        (last("OPTIONS", "*", "", ""), 400, Refusal::PathUnclear),
        // Something else than a request.
        (last("GET", "/v1/x", websocket, ""), 501, Refusal::Upgrade),
        (last("GET", "/v1/x", h2c, ""), 501, Refusal::Upgrade),
        (get("/v1/x").replace("HTTP/1.1", "HTTP/1.0"), 505, Refusal::Version),
        ("GET /v1/x\r\n\r\n".to_owned(), 400, Refusal::Malformed),
        (get("/v1/x").replace("HTTP/1.1", "HTTP/2.0"), 400, Refusal::Malformed),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(), 0, Refusal::Malformed),
        ("\x16\x03\x01\x02\x00\x01\x00\x01\u{fc}\x03\x03".to_owned(), 400, Refusal::Malformed),
        ("SSH-2.0-OpenSSH_9.9\r\n".to_owned(), 400, Refusal::Malformed),
        // A body whose end is in doubt.
        (with("Transfer-Encoding: chunked\r\n", "0\r\n\r\n"), 411, Refusal::Chunked),
        (
            with("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", smuggled),
            411,
            Refusal::Chunked,
        ),
        (
            with("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", smuggled),
            411,
            Refusal::Chunked,
        ),
        (with("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), 411, Refusal::Chunked),
        (with("transfer-encoding: identity\r\n", "x"), 400, Refusal::Malformed),
        (with("Transfer-Encoding: xchunked\r\n", "x"), 400, Refusal::Malformed),
        (with("Transfer-Encoding : chunked\r\n", "x"), 400, Refusal::Malformed),
        (with("Transfer-Encoding: chunked, identity\r\n", "x"), 400, Refusal::Malformed),
        (with("Content-Length: 1\r\nContent-Length: 2\r\n", "xx"), 400, Refusal::Malformed),
        (with("Content-Length: -1\r\n", "x"), 400, Refusal::Malformed),
        (with("Content-Length: +1\r\n", "x"), 400, Refusal::Malformed),
        (with("Content-Length: 0x1\r\n", "x"), 400, Refusal::Malformed),
        (with("Content-Length: 18446744073709551616\r\n", "x"), 400, Refusal::Malformed),
        (with(" Folded: x\r\n", ""), 400, Refusal::Malformed),
        (with("X: a\0b\r\n", ""), 400, Refusal::Malformed),
        (with("X: a\rGET /admin\r\n", ""), 400, Refusal::Malformed),
    ];
    for (text, expected, _) in &table {
        let heard = proxy.ask(text);
        assert_eq!(status(&heard), *expected, "{text:?} was answered {heard:?}");
        assert_eq!(
            heard.matches("HTTP/1.1 ").count(),
            usize::from(*expected > 0),
            "{text:?}: {heard:?}"
        );
    }
    assert_eq!(server.seen().len(), 0, "{:?}", server.seen());
    let log = proxy.stop();
    let expected: Vec<_> =
        table.iter().map(|(_, _, why)| RequestOutcome::Refused { why: *why }).collect();
    assert_eq!(outcomes(&log), expected);
    assert!(log.entries.iter().all(|entry| !entry.path.contains(['?'])), "{log:?}");
}

#[test]
fn a_request_in_pieces_is_framed_anew_where_the_policy_says_so() {
    let server =
        Server::start(Wire::Plain, |seen| Reply::text(&format!("{} bytes", seen.body.len())));
    let mut upstream = server.upstream();
    upstream.chunked = Chunked::Reframed;
    let proxy = Proxy::start(&only(upstream));
    let head = "POST /v1/x HTTP/1.1\r\nHost: i\r\n";
    let pieces = "3\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: x\r\n\r\n";
    let mut role = proxy.role();
    role.say(format!("{head}Transfer-Encoding: chunked\r\n\r\n{pieces}"));
    assert_eq!(role.hear_answer().body, "5 bytes");

    // Whoever reads the length sees another request behind the pieces. Here it is never read.
    let hidden = "GET /v1/hidden HTTP/1.1\r\nHost: i\r\n\r\n";
    for lengths in [
        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
    ] {
        let heard = proxy.ask(format!("{head}{lengths}\r\n{pieces}{hidden}"));
        assert_eq!((status(&heard), heard.matches("HTTP/1.1 ").count()), (200, 1), "{heard}");
    }
    let seen = server.seen();
    assert_eq!(seen.len(), 3, "{seen:?}");
    for seen in seen {
        assert_eq!((seen.uri.as_str(), seen.body.as_slice()), ("/v1/x", b"abcde".as_slice()));
        assert!(
            !seen.headers.contains_key("content-length") && !seen.headers.contains_key("x-trailer")
        );
    }
}

#[test]
fn every_request_of_a_connection_is_checked() {
    let server = Server::friendly(Wire::Plain);
    let proxy = Proxy::start(&only(server.upstream()));
    let kept = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: inside\r\n\r\n");
    let mut role = proxy.role();
    role.say(kept("/v1/a"));
    assert_eq!(role.hear_answer().status, 200);
    role.say(kept("/v1/b"));
    assert_eq!(role.hear_answer().status, 200);
    role.say(kept("/admin"));
    assert_eq!(role.hear_answer().status, 403);
    let paths: Vec<_> = server.seen().into_iter().map(|seen| seen.uri).collect();
    assert_eq!(paths, ["/v1/a", "/v1/b"]);
    let log = proxy.stop();
    assert!(log.entries.iter().all(|entry| entry.connection == 1 && entry.mode == Mode::Reverse));
    let passed = RequestOutcome::Answered { status: 200 };
    assert_eq!(
        outcomes(&log),
        [passed, passed, RequestOutcome::Refused { why: Refusal::PathNotListed }]
    );
}

#[test]
fn requests_sent_ahead_are_checked_one_by_one() {
    let server = Server::start(Wire::Plain, |seen| Reply::text(&seen.uri));
    let proxy = Proxy::start(&only(server.upstream()));
    let ahead = ["/v1/a", "/v1/b", "/admin", "/v1/c"]
        .map(|path| format!("POST {path} HTTP/1.1\r\nHost: inside\r\nContent-Length: 1\r\n\r\nx"))
        .concat();
    let heard = proxy.ask(ahead);
    let statuses: Vec<_> = heard.split("HTTP/1.1 ").skip(1).map(|answer| &answer[..3]).collect();
    // A refusal ends the connection; what was sent behind it is not even read.
    assert_eq!(statuses, ["200", "200", "403"], "{heard}");
    let paths: Vec<_> = server.seen().into_iter().map(|seen| seen.uri).collect();
    assert_eq!(paths, ["/v1/a", "/v1/b"]);
    assert_eq!(proxy.stop().entries.len(), 3);
}
