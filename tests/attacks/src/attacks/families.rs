//! Socket families that bypass a network namespace, or that see everything in one.

use std::os::fd::{AsRawFd, OwnedFd};

use crate::attack::Attack;
use crate::barrier::Barrier;
use crate::ended::{Hindrance, Step, Tried, any_of, stopped};
use crate::fixture::Fixture;
use crate::sys::{self, Word, call, call_numbers};

pub(super) const ALL: &[Attack] = &[
    Attack::new("socket-vsock", "3.1/37", Barrier::Seccomp, |_| {
        made(libc::AF_VSOCK, libc::SOCK_STREAM, 0, "to the hypervisor")
    })
    .about("Makes a socket to the machine below this one."),
    Attack::new("socket-packet", "3.1/37", Barrier::NoCapabilities, |_| {
        made(libc::AF_PACKET, libc::SOCK_RAW, EVERY_PROTOCOL, "for every packet")
    })
    .about("Makes a socket that hears every packet.")
    .control_as_root(),
    Attack::new("socket-audit", "3.1/37", Barrier::Seccomp, |_| {
        made(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_AUDIT, "to the audit")
    })
    .about("Makes a socket to the kernel's audit."),
    Attack::new("socket-device-events", "more", Barrier::Seccomp, |_| {
        made(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_KOBJECT_UEVENT, "for device events")
    })
    .about("Makes a socket to the kernel's events about devices."),
    Attack::new("socket-rare", "3.1/37", Barrier::NoCapabilities, socket_rare)
        .about("Makes a socket of a rare kind, each with its own history of holes.")
        .control_as_root(),
    Attack::new("socket-icmp", "more", Barrier::NoCapabilities, socket_icmp)
        .about("Sends a packet of its own making and gets an answer.")
        .control_as_root(),
];

fn socket(family: i32, kind: i32, protocol: i32) -> Result<OwnedFd, Hindrance> {
    let words = [family, kind | libc::SOCK_CLOEXEC, protocol].map(i64::from);
    Ok(sys::own(call_numbers(libc::SYS_socket, words).step("socket")?))
}

fn made(family: i32, kind: i32, protocol: i32, what: &str) -> Tried {
    socket(family, kind, protocol).map(|_| format!("a socket {what}"))
}

fn socket_rare(_: &Fixture) -> Tried {
    let rare = [
        (libc::AF_XDP, libc::SOCK_RAW, "past the network stack"),
        (libc::AF_ALG, libc::SOCK_SEQPACKET, "to the kernel's ciphers"),
        (libc::AF_KEY, libc::SOCK_RAW, "to the kernel's keys"),
        (libc::AF_TIPC, libc::SOCK_STREAM, "to a cluster"),
        (libc::AF_BLUETOOTH, libc::SOCK_RAW, "to radio devices"),
        (libc::AF_CAN, libc::SOCK_RAW, "to a field bus"),
    ];
    any_of(rare.map(|(family, kind, what)| made(family, kind, 0, what)))
}

fn socket_icmp(_: &Fixture) -> Tried {
    let socket = socket(libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_ICMP)?;
    // An echo request with its checksum, to loopback.
    let request = [8_u8, 0, 0xf7, 0xff, 0, 0, 0, 0];
    let mut to = [0_u8; 16];
    to[..2].copy_from_slice(&(libc::AF_INET as u16).to_ne_bytes());
    to[4..8].copy_from_slice(&[127, 0, 0, 1]);
    let number = || Word::Number(socket.as_raw_fd().into());
    let (length, none) = (Word::Number(8), Word::Number(0));
    let words = [number(), Word::Bytes(&request), length, none, Word::Bytes(&to), Word::Number(16)];
    call(libc::SYS_sendto, words).step("sendto")?;
    let mut bytes = [0_u8; 128];
    for _ in 0..PACKETS_MAX {
        let flags = Word::Number(libc::MSG_DONTWAIT.into());
        let none = || Word::Number(0);
        let words = [number(), Word::Buffer(&mut bytes), Word::Number(128), flags, none(), none()];
        call(libc::SYS_recvfrom, words).step("recvfrom")?;
        // The packet has a header of twenty bytes; an answer has type zero.
        if bytes[20] == 0 {
            return Ok("an answer to a packet of its own making".to_string());
        }
    }
    stopped("no answer came")
}

/// All protocols, in network byte order.
const EVERY_PROTOCOL: i32 = 0x0300;
const PACKETS_MAX: usize = 8;
