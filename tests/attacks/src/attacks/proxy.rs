//! Tricks on the egress proxy: other spellings and smuggled requests.
//!
//! Each starts with an allowed request. If the proxy refuses even that, the attack proves nothing.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::attack::Attack;
use crate::barrier::Barrier;
use crate::ended::{Hindrance, Step, Tried, any_of, holds, void};
use crate::fixture::{Egress, Fixture};
use crate::setting::{Reach, Setting};

pub(super) const ALL: &[Attack] = &[
    trick("proxy-other-host", |fixture| forbidden(fixture, [fixture.egress.forbidden()]))
        .about("Asks for an address that is not listed."),
    trick("proxy-local-name", |fixture| {
        forbidden(fixture, [format!("localhost:{}", fixture.egress.forbidden_port)])
    })
    .about("Asks for the host by its own name."),
    trick("proxy-other-port", |fixture| {
        let Egress { allowed_host, forbidden_port, .. } = &fixture.egress;
        forbidden(fixture, [format!("{allowed_host}:{forbidden_port}")])
    })
    .about("Asks for the listed name at another port."),
    trick("proxy-odd-number", |fixture| {
        let port = fixture.egress.forbidden_port;
        let spellings =
            ["2130706433", "0x7f000001", "127.1", "0177.0.0.1", "[::ffff:127.0.0.1]", "[::1]"];
        forbidden(fixture, spellings.map(|host| format!("{host}:{port}")))
    })
    .about("Asks for the host by spellings of its number."),
    trick("proxy-user-part", |fixture| {
        let (listed, target) = (fixture.egress.listed(), fixture.egress.forbidden());
        forbidden(fixture, [format!("{listed}@{target}")])
    })
    .about("Puts the listed name where a user would be."),
    trick("proxy-nought", |fixture| {
        let (listed, target) = (fixture.egress.listed(), fixture.egress.forbidden());
        forbidden(fixture, [format!("{target}\0.{listed}")])
    })
    .about("Ends the real name with a nought and the listed one after it."),
    trick("proxy-whole-address", |fixture| {
        let (target, host) = (fixture.egress.forbidden(), &fixture.egress.allowed_host);
        forbidden_by(fixture, &format!("GET http://{target}/ HTTP/1.1\r\nHost: {host}\r\n\r\n"))
    })
    .about("Asks for a whole address instead of a tunnel."),
    trick("proxy-host-line", |fixture| {
        let host = fixture.egress.forbidden();
        forbidden_by(fixture, &format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"))
    })
    .about("Names the service in the line that says which host is meant."),
    trick("proxy-second-request", |fixture| {
        let (listed, target) = (fixture.egress.listed(), fixture.egress.forbidden());
        let first = format!("GET http://{listed}/ HTTP/1.1\r\n\r\n");
        forbidden_by(fixture, &format!("{first}CONNECT {target} HTTP/1.1\r\n\r\nhello\n"))
    })
    .about("Sends a second request behind one that is allowed."),
    trick("proxy-trailing-dot", |fixture| {
        let name = format!("{}.:{}", fixture.egress.allowed_host, fixture.egress.allowed_port);
        is_served(fixture)?;
        holds(&tunnel(fixture, &name)?, &fixture.markers.upstream)
    })
    .about("Asks for the listed name in a spelling that is not listed."),
];

/// A trick on the proxy. Its control is an open proxy.
const fn trick(key: &'static str, attempt: fn(&Fixture) -> Tried) -> Attack {
    let setting = Setting { reach: Reach::Proxy, ..Setting::PLAIN };
    Attack::new(key, "3.1/38", Barrier::Egress, attempt).setting(setting)
}

/// Requests a tunnel to each target and reads the answer of the service.
fn forbidden<const N: usize>(fixture: &Fixture, targets: [String; N]) -> Tried {
    is_served(fixture)?;
    any_of(targets.map(|target| holds(&tunnel(fixture, &target)?, &fixture.markers.service)))
}

/// Sends other requests than for a tunnel and reads the answer of the service.
fn forbidden_by(fixture: &Fixture, request: &str) -> Tried {
    is_served(fixture)?;
    holds(&ask(fixture, request.as_bytes())?, &fixture.markers.service)
}

fn is_served(fixture: &Fixture) -> Result<(), Hindrance> {
    let answer = tunnel(fixture, &fixture.egress.listed());
    match answer.and_then(|answer| holds(&answer, &fixture.markers.upstream)) {
        Ok(_) => Ok(()),
        Err(Hindrance::Stopped(by) | Hindrance::Void(by)) => {
            void(format!("the proxy does not serve what is listed: {by}"))
        }
    }
}

fn tunnel(fixture: &Fixture, target: &str) -> Result<Vec<u8>, Hindrance> {
    ask(fixture, format!("CONNECT {target} HTTP/1.1\r\n\r\nhello\n").as_bytes())
}

fn ask(fixture: &Fixture, request: &[u8]) -> Result<Vec<u8>, Hindrance> {
    let mut stream = TcpStream::connect_timeout(&fixture.egress.proxy, PATIENCE).step("connect")?;
    stream.set_read_timeout(Some(PATIENCE)).step("setsockopt")?;
    stream.write_all(request).step("send")?;
    let mut answer = Vec::new();
    // A proxy that keeps the connection open has sent its answer.
    let _ = stream.take(ANSWER_BYTES_MAX).read_to_end(&mut answer);
    Ok(answer)
}

const PATIENCE: Duration = Duration::from_secs(3);
const ANSWER_BYTES_MAX: u64 = 1 << 16;
