//! An invalid request gets an error, and the next request is served.

use sealwright_scripted_model::{Model, Protocol, Script, Step};
use serde_json::json;

use crate::client::{begin, hear, post, send};
use crate::{Wanted, path, request};

fn model() -> Model {
    Model::start(Script::new([Step::text("Still here.")])).unwrap()
}

fn is_still_here(model: &Model) {
    let protocol = Protocol::OpenaiChat;
    let body = request(protocol, Wanted::Whole);
    let heard = post(model.address(), path(protocol, Wanted::Whole), &body);
    assert_eq!(heard.json()["choices"][0]["message"]["content"], "Still here.");
}

#[test]
fn a_request_that_is_announced_as_too_large_is_refused_unread() {
    let model = model();
    let length = (32 << 20) + 1;
    let head = format!(
        "POST /v1/messages HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
    );
    let heard = hear(send(model.address(), &head, b""));
    assert_eq!(heard.status, 413);
    assert_eq!(heard.json()["error"]["type"], "request_too_large");
    is_still_here(&model);
}

#[test]
fn a_request_that_grows_too_large_is_refused() {
    let model = model();
    let piece = format!("100000\r\n{}\r\n", " ".repeat(1 << 20));
    // One byte above the bound, and no end: the refusal must not wait for one.
    let body = piece.repeat(32) + "1\r\n ";
    let head = "POST /v1/messages HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
                transfer-encoding: chunked\r\n\r\n";
    assert_eq!(hear(send(model.address(), head, body.as_bytes())).status, 413);
    is_still_here(&model);
}

#[test]
fn the_largest_request_is_read() {
    let model = model();
    let mut body = request(Protocol::OpenaiChat, Wanted::Whole).to_string().into_bytes();
    body.resize(32 << 20, b' ');
    let heard = hear(begin(model.address(), "/v1/chat/completions", &[], &body));
    assert_eq!(heard.status, 200);
}

#[test]
fn junk_is_refused() {
    let model = model();
    let deep = "[".repeat(100_000);
    for junk in [&b""[..], b"{", b"\xff\xfe", b"{} {}", deep.as_bytes()] {
        let heard = hear(begin(model.address(), "/v1/responses", &[], junk));
        assert_eq!(heard.status, 400);
        assert_eq!(heard.json()["error"]["type"], "invalid_request_error");
    }
    let zstd = ["content-encoding: zstd"];
    assert_eq!(hear(begin(model.address(), "/v1/responses", &zstd, b"{}")).status, 415);
    let gzip = ["content-encoding: gzip"];
    assert_eq!(hear(begin(model.address(), "/v1/responses", &gzip, b"{}")).status, 400);
    is_still_here(&model);
}

#[test]
fn json_that_is_no_request_is_answered_all_the_same() {
    let model = model();
    for body in [json!(null), json!([]), json!("x"), json!({"messages": 7, "tools": {"a": [null]}})]
    {
        for protocol in crate::ALL {
            let heard = post(model.address(), path(protocol, Wanted::Whole), &body);
            assert_eq!(heard.status, 200, "{protocol:?} {body}");
        }
    }
}

#[test]
fn an_unknown_path_is_not_found() {
    let model = model();
    for path in ["/", "/v1/completions", "/v1/messages/../../etc/passwd"] {
        assert_eq!(post(model.address(), path, &json!({})).status, 404, "{path}");
    }
    let head = "DELETE /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    assert_eq!(hear(send(model.address(), head, b"")).status, 404);
    assert!(model.requests().iter().all(|seen| seen.status == 404 && seen.protocol.is_none()));
    is_still_here(&model);
}

#[test]
fn a_visitor_who_speaks_no_http_or_leaves_is_no_trouble() {
    let model = model();
    drop(send(model.address(), "\0\0\0\0 what?\r\n\r\n", b""));
    let half = "POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n";
    drop(send(model.address(), half, b"{"));
    is_still_here(&model);
}
