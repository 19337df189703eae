//! Tests whether a model's address accepts connections, without sending anything.

use std::io;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::mpsc;
use std::time::{Duration, Instant};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    Reached,
    Unreached { why: String },
}

/// Connects to all addresses in parallel, three seconds in total. The results are in the order of the addresses.
pub fn reach(bases: &[String]) -> Vec<Reach> {
    // Name resolution has no timeout of its own, so this does not join the threads.
    let asked: Vec<mpsc::Receiver<io::Result<()>>> = bases.iter().map(|base| ask(base)).collect();
    let until = now() + TIME_MAX;
    let late = || io::Error::new(io::ErrorKind::TimedOut, "no answer within 3 s");
    let answer = |asked: mpsc::Receiver<io::Result<()>>| match asked
        .recv_timeout(until.saturating_duration_since(now()))
        .unwrap_or_else(|_| Err(late()))
    {
        Ok(()) => Reach::Reached,
        Err(error) => Reach::Unreached { why: error.to_string() },
    };
    asked.into_iter().map(answer).collect()
}

fn ask(base: &str) -> mpsc::Receiver<io::Result<()>> {
    let (say, asked) = mpsc::channel();
    let place = place(base);
    std::thread::spawn(move || {
        // After the timeout the receiver is gone.
        let _ = say.send(place.and_then(|(host, port)| connect(&host, port)));
    });
    asked
}

fn connect(host: &str, port: u16) -> io::Result<()> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host name has no address");
    for address in (host, port).to_socket_addrs()?.take(ADDRESSES_MAX) {
        match TcpStream::connect_timeout(&address, TIME_MAX) {
            Ok(_) => return Ok(()),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn place(base: &str) -> io::Result<(String, u16)> {
    let wrong = || io::Error::new(io::ErrorKind::InvalidInput, "not an address");
    let (rest, usual) = match (base.strip_prefix("https://"), base.strip_prefix("http://")) {
        (Some(rest), _) => (rest, 443),
        (None, Some(rest)) => (rest, 80),
        (None, None) => return Err(wrong()),
    };
    let authority = rest.split('/').next().unwrap_or_default();
    // The colons inside brackets belong to the host.
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port.parse().map_err(|_| wrong())?),
        Some(_) | None => (authority, usual),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    if host.is_empty() { Err(wrong()) } else { Ok((host.to_owned(), port)) }
}

#[expect(clippy::disallowed_methods, reason = "a network timeout needs a clock")]
fn now() -> Instant {
    Instant::now()
}

const TIME_MAX: Duration = Duration::from_secs(3);
/// Only the first few addresses of a name are tried.
const ADDRESSES_MAX: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_host_and_a_port() {
        for (base, host, port) in [
            ("https://api.example", "api.example", 443),
            ("http://127.0.0.1:11434/v1", "127.0.0.1", 11434),
            ("http://[::1]:8080", "::1", 8080),
            ("https://[::1]", "::1", 443),
        ] {
            assert_eq!(place(base).unwrap(), (host.to_owned(), port), "{base}");
        }
        for wrong in ["", "ftp://x", "https://", "http://x:port"] {
            assert!(place(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_address_with_a_listener_is_reached_and_one_without_is_not() {
        let stays = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let leaves = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let bases = [&stays, &leaves].map(|it| format!("http://{}", it.local_addr().unwrap()));
        drop(leaves);
        let reached = reach(&bases);
        assert_eq!(reached[0], Reach::Reached);
        assert!(matches!(reached[1], Reach::Unreached { .. }), "{reached:?}");
    }
}
