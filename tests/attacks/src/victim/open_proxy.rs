//! A proxy without restrictions: the control for every trick on the real one.
//!
//! It parses a target carelessly: up to a zero byte, after the last `@`, without a trailing dot.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// The one name that it resolves.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) host: String,
    /// The loopback port of its allowed port.
    pub(super) upstream: u16,
}

pub(super) fn serve(listener: &TcpListener, names: &Names) {
    for stream in listener.incoming() {
        let Ok(stream) = stream else { continue };
        let names = names.clone();
        thread::spawn(move || converse(stream, &names));
    }
}

/// Serves requests until one of them is a tunnel.
fn converse(stream: TcpStream, names: &Names) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream.try_clone()?.take(HEAD_BYTES_MAX));
    let mut writer = stream;
    loop {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            if reader.read_until(b'\n', &mut head)? == 0 {
                return Ok(());
            }
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        let mut words = head.lines().next().unwrap_or("").split(' ');
        let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        if method == "CONNECT" {
            let upstream = dial(target, names)?;
            writer.write_all(b"HTTP/1.1 200 Connection Established\r\n\r\n")?;
            let already = reader.buffer().to_vec();
            return tunnel(writer, upstream, &already);
        }
        let host = head.lines().find_map(|line| line.strip_prefix("Host: "));
        let target =
            target.strip_prefix("http://").map(|rest| rest.split('/').next().unwrap_or(rest));
        let Some(target) = target.or(host) else { return Ok(()) };
        let mut upstream = dial(target, names)?;
        upstream.write_all(b"GET / HTTP/1.0\r\n\r\n")?;
        io::copy(&mut upstream, &mut writer)?;
    }
}

fn dial(target: &str, names: &Names) -> io::Result<TcpStream> {
    let target = target.split('\0').next().unwrap_or(target);
    let target = target.rsplit('@').next().unwrap_or(target);
    let (host, port) = target.rsplit_once(':').unwrap_or((target, "80"));
    let port: u16 = port.parse().map_err(io::Error::other)?;
    let host = host.trim_end_matches('.').trim_matches(['[', ']']);
    if host.eq_ignore_ascii_case(&names.host) {
        let port = if port == crate::fixture_setup::ALLOWED_PORT { names.upstream } else { port };
        return TcpStream::connect((Ipv4Addr::LOCALHOST, port));
    }
    TcpStream::connect((host, port))
}

fn tunnel(client: TcpStream, mut upstream: TcpStream, already: &[u8]) -> io::Result<()> {
    upstream.write_all(already)?;
    upstream.set_read_timeout(Some(PATIENCE))?;
    let (mut from, mut to) = (client.try_clone()?, upstream.try_clone()?);
    let sender = thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    });
    let mut client = client;
    let _ = io::copy(&mut upstream, &mut client);
    let _ = client.shutdown(Shutdown::Both);
    let _ = sender.join();
    Ok(())
}

const HEAD_BYTES_MAX: u64 = 1 << 16;
const PATIENCE: Duration = Duration::from_secs(2);
