//! Reaching a model's address: whether somebody listens there, found by a connection that says nothing.

use std::io;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Whether somebody listens at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Somebody does.
    Reached,
    /// Nobody does, or none could be asked.
    Unreached {
        /// Why.
        why: String,
    },
}

/// Asks each of these addresses at one time; three seconds in all. The answers stand in the order of the addresses.
pub fn reach(bases: &[String]) -> Vec<Reach> {
    // Looking up a name has no bound of its own, so whoever waits does not wait for the thread.
    let asked: Vec<mpsc::Receiver<io::Result<()>>> = bases.iter().map(|base| ask(base)).collect();
    let until = now() + TIME_MAX;
    let late = || io::Error::new(io::ErrorKind::TimedOut, "nobody answered in time");
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
        // Nobody listens any more once the time is over.
        let _ = say.send(place.and_then(|(host, port)| connect(&host, port)));
    });
    asked
}

fn connect(host: &str, port: u16) -> io::Result<()> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name leads nowhere");
    for address in (host, port).to_socket_addrs()?.take(ADDRESSES_MAX) {
        match TcpStream::connect_timeout(&address, TIME_MAX) {
            Ok(_) => return Ok(()),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// The host and the port of an address.
fn place(base: &str) -> io::Result<(String, u16)> {
    let wrong = || io::Error::new(io::ErrorKind::InvalidInput, "that is no address");
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

#[expect(clippy::disallowed_methods, reason = "patience with a network needs a clock")]
fn now() -> Instant {
    Instant::now()
}

const TIME_MAX: Duration = Duration::from_secs(3);
/// A name may lead to many places; the first few are tried.
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
    fn who_listens_is_reached_and_who_left_is_not() {
        let stays = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let leaves = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let bases = [&stays, &leaves].map(|it| format!("http://{}", it.local_addr().unwrap()));
        drop(leaves);
        let reached = reach(&bases);
        assert_eq!(reached[0], Reach::Reached);
        assert!(matches!(reached[1], Reach::Unreached { .. }), "{reached:?}");
    }
}
