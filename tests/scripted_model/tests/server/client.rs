//! A plain client: bytes out, bytes in, and how the connection ended.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
    pub(crate) end: End,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Complete.
    Whole,
    /// Cut off.
    Cut,
}

impl Heard {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The JSON of each event, or null.
    pub(crate) fn events(&self) -> Vec<Value> {
        let lines = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        lines
            .filter(|line| *line != "[DONE]")
            .map(|line| serde_json::from_str(line).unwrap_or(Value::Null))
            .collect()
    }
}

/// Posts JSON and reads the whole answer.
pub(crate) fn post(address: SocketAddr, path: &str, body: &Value) -> Heard {
    hear(begin(address, path, &[], body.to_string().as_bytes()))
}

/// Posts a body without waiting for the answer.
pub(crate) fn begin(address: SocketAddr, path: &str, headers: &[&str], body: &[u8]) -> TcpStream {
    let length = format!("content-length: {}", body.len());
    let lines: String = headers
        .iter()
        .copied()
        .chain([length.as_str()])
        .map(|line| format!("{line}\r\n"))
        .collect();
    send(
        address,
        &format!("POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{lines}\r\n"),
        body,
    )
}

pub(crate) fn send(address: SocketAddr, head: &str, body: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    stream
}

/// Reads an answer to its end.
pub(crate) fn hear(mut stream: TcpStream) -> Heard {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let head = head.to_lowercase();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let (body, end) = match head.lines().find_map(|line| line.strip_prefix("content-length: ")) {
        Some(length) if body.len() == length.parse::<usize>().unwrap() => {
            (body.to_owned(), End::Whole)
        }
        Some(_) => (body.to_owned(), End::Cut),
        None => unchunked(body),
    };
    Heard { status, head, body, end }
}

fn unchunked(mut rest: &str) -> (String, End) {
    let mut body = String::new();
    while let Some((length, after)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap();
        if length == 0 {
            return (body, End::Whole);
        }
        body += &after[..length.min(after.len())];
        rest = after.get(length + 2..).unwrap_or_default();
    }
    (body, End::Cut)
}

const PATIENCE: Duration = Duration::from_secs(20);
