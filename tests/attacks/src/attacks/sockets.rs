//! Services of the host, by every address they have.

use std::fs::File;
use std::io::{self, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, UdpSocket};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

use super::waiting;
use crate::attack::Attack;
use crate::confinement::Ran;
use crate::ended::{Step, Tried, any_of, holds, stopped, void};
use crate::scene::Scene;
use crate::setting::{Reach, Setting};
use crate::stage_set::StageSet;
use crate::victim::DATAGRAMS;
use crate::wall::Barrier;

pub(super) const ALL: &[Attack] = &[
    Attack::new(
        "tcp-loopback",
        "3.1/33",
        Barrier::NetNamespace,
        "Connects to a service on the host's loopback.",
        |scene| tcp((Ipv4Addr::LOCALHOST, scene.victim.tcp).into(), scene),
    ),
    Attack::new(
        "tcp-loopback-6",
        "more",
        Barrier::NetNamespace,
        "Connects to a service on the host's loopback of the newer kind.",
        |scene| match scene.victim.tcp6 {
            Some(port) => tcp((Ipv6Addr::LOCALHOST, port).into(), scene),
            None => void("the host has no such loopback"),
        },
    ),
    Attack::new(
        "tcp-network",
        "more",
        Barrier::NetNamespace,
        "Connects to a service by the host's address on its network.",
        |scene| match scene.victim.network {
            Some(address) => tcp(address, scene),
            None => void("the host has no network"),
        },
    ),
    Attack::new(
        "udp-loopback",
        "3.1/34",
        Barrier::NetNamespace,
        "Asks a service on the host's loopback by datagram.",
        udp,
    ),
    Attack::new(
        "name-query",
        "3.1/34",
        Barrier::NetNamespace,
        "Carries a secret out in the name it asks a name server for.",
        name_query,
    )
    .judged(is_carried_out),
    Attack::new(
        "beside-the-proxy",
        "3.1/40",
        Barrier::NetNamespace,
        "Goes past the proxy it was given, straight to the host.",
        |scene| any_of([tcp((Ipv4Addr::LOCALHOST, scene.victim.tcp).into(), scene), udp(scene)]),
    )
    .setting(Setting { reach: Reach::Proxy, ..Setting::PLAIN }),
    Attack::new(
        "unix-path",
        "3.1/35",
        Barrier::MountNamespace,
        "Connects to a socket of the host by its path.",
        |scene| answer(connect(&scene.victim.unix), scene),
    ),
    Attack::new(
        "unix-abstract",
        "3.1/36",
        Barrier::NetNamespace,
        "Connects to a socket of the host that has no path.",
        |scene| answer(by_name(&scene.victim.abstract_name), scene),
    ),
    Attack::new(
        "file-by-path-socket",
        "3.3/live",
        Barrier::MountNamespace,
        "Is handed an open file through a socket in another role's work tree.",
        |scene| receive_file(connect(&scene.victim.unix_other), scene),
    ),
    Attack::new(
        "file-by-abstract-socket",
        "more",
        Barrier::NetNamespace,
        "Is handed an open file through a socket that has no path.",
        |scene| receive_file(by_name(&scene.victim.abstract_name), scene),
    ),
];

fn tcp(address: SocketAddr, scene: &Scene) -> Tried {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).step("connect")?;
    stream.set_read_timeout(Some(PATIENCE)).step("setsockopt")?;
    stream.write_all(b"hello\n").step("send")?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).step("receive")?;
    holds(&bytes, &scene.markers.service)
}

fn udp(scene: &Scene) -> Tried {
    holds(&ask_by_datagram(scene, b"hello")?, &scene.markers.service)
}

fn ask_by_datagram(scene: &Scene, question: &[u8]) -> Result<Vec<u8>, crate::ended::Hindrance> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).step("bind")?;
    socket.set_read_timeout(Some(PATIENCE)).step("setsockopt")?;
    socket.send_to(question, (Ipv4Addr::LOCALHOST, scene.victim.udp)).step("sendto")?;
    let mut bytes = vec![0; 2048];
    let length = socket.recv(&mut bytes).step("recv")?;
    bytes.truncate(length);
    Ok(bytes)
}

/// One question in the form name servers expect, with the secret as a label.
fn name_query(scene: &Scene) -> Tried {
    let mut query = vec![0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    let label = scene.token.as_bytes();
    query.push(u8::try_from(label.len()).expect("a token is a short label"));
    query.extend(label);
    query.extend([0, 0, 1, 0, 1]);
    ask_by_datagram(scene, &query)?;
    waiting::stay(Duration::from_millis(20));
    Ok("a query was sent".to_string())
}

fn is_carried_out(set: &StageSet, _: &Ran) -> Option<String> {
    let came = set.recorded(DATAGRAMS)?;
    holds(&came, &set.scene().token).ok().map(|_| "the secret arrived in a query".to_string())
}

fn connect(path: &Path) -> io::Result<UnixStream> {
    UnixStream::connect(path)
}

fn by_name(name: &str) -> io::Result<UnixStream> {
    let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
    UnixStream::connect_addr(&address)
}

fn answer(stream: io::Result<UnixStream>, scene: &Scene) -> Tried {
    let mut stream = stream.step("connect")?;
    stream.set_read_timeout(Some(PATIENCE)).step("setsockopt")?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).step("receive")?;
    holds(&bytes, &scene.markers.service)
}

fn receive_file(stream: io::Result<UnixStream>, scene: &Scene) -> Tried {
    let stream = stream.step("connect")?;
    stream.set_read_timeout(Some(PATIENCE)).step("setsockopt")?;
    let mut words = [0; 1024];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut places = [IoSliceMut::new(&mut words)];
    recvmsg(&stream, &mut places, &mut control, RecvFlags::CMSG_CLOEXEC).step("recvmsg")?;
    let handed: Vec<OwnedFd> = control
        .drain()
        .filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
            _ => None,
        })
        .flatten()
        .collect();
    let Some(file) = handed.first() else { return stopped("no file came") };
    let mut bytes = Vec::new();
    let again = File::open(format!("/proc/self/fd/{}", file.as_raw_fd())).step("open")?;
    again.take(1 << 16).read_to_end(&mut bytes).step("read")?;
    holds(&bytes, &scene.markers.victim_memory)
}

const PATIENCE: Duration = Duration::from_secs(2);
