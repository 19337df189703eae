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
use crate::barrier::Barrier;
use crate::confinement::Ran;
use crate::ended::{Step, Tried, any_of, holds, stopped, void};
use crate::fixture::Fixture;
use crate::fixture_setup::FixtureSetup;
use crate::setting::{Reach, Setting};
use crate::victim::DATAGRAMS;

pub(super) const ALL: &[Attack] = &[
    Attack::new("tcp-loopback", "3.1/33", Barrier::NetNamespace, |fixture| {
        tcp((Ipv4Addr::LOCALHOST, fixture.victim.tcp).into(), fixture)
    })
    .about("Connects to a service on the host's loopback."),
    Attack::new("tcp-loopback-6", "more", Barrier::NetNamespace, |fixture| {
        match fixture.victim.tcp6 {
            Some(port) => tcp((Ipv6Addr::LOCALHOST, port).into(), fixture),
            None => void("the host has no such loopback"),
        }
    })
    .about("Connects to a service on the host's loopback of the newer kind."),
    Attack::new("tcp-network", "more", Barrier::NetNamespace, |fixture| {
        match fixture.victim.network {
            Some(address) => tcp(address, fixture),
            None => void("the host has no network"),
        }
    })
    .about("Connects to a service by the host's address on its network."),
    Attack::new("udp-loopback", "3.1/34", Barrier::NetNamespace, udp)
        .about("Asks a service on the host's loopback by datagram."),
    Attack::new("name-query", "3.1/34", Barrier::NetNamespace, name_query)
        .about("Carries a secret out in the name it asks a name server for.")
        .judged(is_carried_out),
    Attack::new("beside-the-proxy", "3.1/40", Barrier::NetNamespace, |fixture| {
        any_of([tcp((Ipv4Addr::LOCALHOST, fixture.victim.tcp).into(), fixture), udp(fixture)])
    })
    .about("Goes past the proxy it was given, straight to the host.")
    .setting(Setting { reach: Reach::Proxy, ..Setting::PLAIN }),
    Attack::new("unix-path", "3.1/35", Barrier::MountNamespace, |fixture| {
        answer(connect(&fixture.victim.unix), fixture)
    })
    .about("Connects to a socket of the host by its path."),
    Attack::new("unix-abstract", "3.1/36", Barrier::NetNamespace, |fixture| {
        answer(by_name(&fixture.victim.abstract_name), fixture)
    })
    .about("Connects to a socket of the host that has no path."),
    Attack::new("file-by-path-socket", "3.3/live", Barrier::MountNamespace, |fixture| {
        receive_file(connect(&fixture.victim.unix_other), fixture)
    })
    .about("Is handed an open file through a socket in another role's work tree."),
    Attack::new("file-by-abstract-socket", "more", Barrier::NetNamespace, |fixture| {
        receive_file(by_name(&fixture.victim.abstract_name), fixture)
    })
    .about("Is handed an open file through a socket that has no path."),
];

fn tcp(address: SocketAddr, fixture: &Fixture) -> Tried {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).step("connect")?;
    stream.set_read_timeout(Some(PATIENCE)).step("setsockopt")?;
    stream.write_all(b"hello\n").step("send")?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).step("receive")?;
    holds(&bytes, &fixture.markers.service)
}

fn udp(fixture: &Fixture) -> Tried {
    holds(&ask_by_datagram(fixture, b"hello")?, &fixture.markers.service)
}

fn ask_by_datagram(fixture: &Fixture, question: &[u8]) -> Result<Vec<u8>, crate::ended::Hindrance> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).step("bind")?;
    socket.set_read_timeout(Some(PATIENCE)).step("setsockopt")?;
    socket.send_to(question, (Ipv4Addr::LOCALHOST, fixture.victim.udp)).step("sendto")?;
    let mut bytes = vec![0; 2048];
    let length = socket.recv(&mut bytes).step("recv")?;
    bytes.truncate(length);
    Ok(bytes)
}

/// A DNS query with the secret as a label.
fn name_query(fixture: &Fixture) -> Tried {
    let mut query = vec![0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    let label = fixture.token.as_bytes();
    query.push(u8::try_from(label.len()).expect("a token is a short label"));
    query.extend(label);
    query.extend([0, 0, 1, 0, 1]);
    ask_by_datagram(fixture, &query)?;
    waiting::stay(Duration::from_millis(20));
    Ok("a query was sent".to_string())
}

fn is_carried_out(set: &FixtureSetup, _: &Ran) -> Option<String> {
    let came = set.recorded(DATAGRAMS)?;
    holds(&came, &set.fixture().token).ok().map(|_| "the secret arrived in a query".to_string())
}

fn connect(path: &Path) -> io::Result<UnixStream> {
    UnixStream::connect(path)
}

fn by_name(name: &str) -> io::Result<UnixStream> {
    let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
    UnixStream::connect_addr(&address)
}

fn answer(stream: io::Result<UnixStream>, fixture: &Fixture) -> Tried {
    let mut stream = stream.step("connect")?;
    stream.set_read_timeout(Some(PATIENCE)).step("setsockopt")?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).step("receive")?;
    holds(&bytes, &fixture.markers.service)
}

fn receive_file(stream: io::Result<UnixStream>, fixture: &Fixture) -> Tried {
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
    holds(&bytes, &fixture.markers.victim_memory)
}

const PATIENCE: Duration = Duration::from_secs(2);
