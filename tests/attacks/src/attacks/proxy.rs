//! Tricks on the egress proxy: the same request in another spelling, or another request in the same words.
//!
//! Each begins by asking for what is allowed. A proxy that does not even serve that has proven nothing.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::attack::Attack;
use crate::ended::{Hindrance, Step, Tried, any_of, holds, void};
use crate::scene::Scene;
use crate::setting::{Reach, Setting};
use crate::wall::Barrier;

pub(super) const ALL: &[Attack] = &[
    trick("proxy-other-host", "Asks for an address that is not listed.", |scene| {
        forbidden(
            scene,
            [format!("{}:{}", scene.egress.forbidden_host, scene.egress.forbidden_port)],
        )
    }),
    trick("proxy-local-name", "Asks for the host by its own name.", |scene| {
        forbidden(scene, [format!("localhost:{}", scene.egress.forbidden_port)])
    }),
    trick("proxy-other-port", "Asks for the listed name at another port.", |scene| {
        forbidden(scene, [format!("{}:{}", scene.egress.allowed_host, scene.egress.forbidden_port)])
    }),
    trick("proxy-odd-number", "Asks for the host by spellings of its number.", |scene| {
        let port = scene.egress.forbidden_port;
        let spellings =
            ["2130706433", "0x7f000001", "127.1", "0177.0.0.1", "[::ffff:127.0.0.1]", "[::1]"];
        forbidden(scene, spellings.map(|host| format!("{host}:{port}")))
    }),
    trick("proxy-user-part", "Puts the listed name where a user would be.", |scene| {
        let Scene { egress, .. } = scene;
        let listed = format!("{}:{}", egress.allowed_host, egress.allowed_port);
        forbidden(scene, [format!("{listed}@{}:{}", egress.forbidden_host, egress.forbidden_port)])
    }),
    trick(
        "proxy-nought",
        "Ends the real name with a nought and the listed one after it.",
        |scene| {
            let Scene { egress, .. } = scene;
            let listed = format!("{}:{}", egress.allowed_host, egress.allowed_port);
            forbidden(
                scene,
                [format!("{}:{}\0.{listed}", egress.forbidden_host, egress.forbidden_port)],
            )
        },
    ),
    trick("proxy-whole-address", "Asks for a whole address instead of a tunnel.", |scene| {
        let Scene { egress, .. } = scene;
        let target = format!("http://{}:{}/", egress.forbidden_host, egress.forbidden_port);
        let request = format!("GET {target} HTTP/1.1\r\nHost: {}\r\n\r\n", egress.allowed_host);
        forbidden_by(scene, &request)
    }),
    trick(
        "proxy-host-line",
        "Names the service in the line that says which host is meant.",
        |scene| {
            let Scene { egress, .. } = scene;
            let host = format!("{}:{}", egress.forbidden_host, egress.forbidden_port);
            forbidden_by(scene, &format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"))
        },
    ),
    trick("proxy-second-request", "Sends a second request behind one that is allowed.", |scene| {
        let Scene { egress, .. } = scene;
        let allowed = format!("http://{}:{}/", egress.allowed_host, egress.allowed_port);
        let target = format!("{}:{}", egress.forbidden_host, egress.forbidden_port);
        let request =
            format!("GET {allowed} HTTP/1.1\r\n\r\nCONNECT {target} HTTP/1.1\r\n\r\nhello\n");
        forbidden_by(scene, &request)
    }),
    trick(
        "proxy-trailing-dot",
        "Asks for the listed name in a spelling that is not listed.",
        |scene| {
            let name = format!("{}.:{}", scene.egress.allowed_host, scene.egress.allowed_port);
            is_served(scene)?;
            holds(&tunnel(scene, &name)?, &scene.markers.upstream)
        },
    ),
];

/// A trick on the proxy. Its control is a proxy that believes everything.
const fn trick(key: &'static str, about: &'static str, attempt: fn(&Scene) -> Tried) -> Attack {
    let setting = Setting { reach: Reach::Proxy, ..Setting::PLAIN };
    Attack::new(key, "3.1/38", Barrier::Egress, about, attempt).setting(setting)
}

/// Asks for a tunnel to each of these, and for what the service behind it says.
fn forbidden<const N: usize>(scene: &Scene, targets: [String; N]) -> Tried {
    is_served(scene)?;
    any_of(targets.map(|target| holds(&tunnel(scene, &target)?, &scene.markers.service)))
}

/// Asks in other words than for a tunnel, and for what the service says.
fn forbidden_by(scene: &Scene, request: &str) -> Tried {
    is_served(scene)?;
    holds(&ask(scene, request.as_bytes())?, &scene.markers.service)
}

fn is_served(scene: &Scene) -> Result<(), Hindrance> {
    let listed = format!("{}:{}", scene.egress.allowed_host, scene.egress.allowed_port);
    match tunnel(scene, &listed).and_then(|answer| holds(&answer, &scene.markers.upstream)) {
        Ok(_) => Ok(()),
        Err(Hindrance::Stopped(by) | Hindrance::Void(by)) => {
            void(format!("the proxy does not serve what is listed: {by}"))
        }
    }
}

fn tunnel(scene: &Scene, target: &str) -> Result<Vec<u8>, Hindrance> {
    ask(scene, format!("CONNECT {target} HTTP/1.1\r\n\r\nhello\n").as_bytes())
}

fn ask(scene: &Scene, request: &[u8]) -> Result<Vec<u8>, Hindrance> {
    let mut stream = TcpStream::connect_timeout(&scene.egress.proxy, PATIENCE).step("connect")?;
    stream.set_read_timeout(Some(PATIENCE)).step("setsockopt")?;
    stream.write_all(request).step("send")?;
    let mut answer = Vec::new();
    // A proxy that keeps the line open has said all it has to say.
    let _ = stream.take(ANSWER_BYTES_MAX).read_to_end(&mut answer);
    Ok(answer)
}

const PATIENCE: Duration = Duration::from_secs(3);
const ANSWER_BYTES_MAX: u64 = 1 << 16;
