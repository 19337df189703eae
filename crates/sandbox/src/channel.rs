//! The channel between the host and the launcher: small messages, some with descriptors.
//!
//! The launcher's standard input is one end. What it says there is the only thing the host believes about how a run
//! ended; the command that is run never holds it.

use std::collections::BTreeMap;
use std::io::{self, IoSlice, IoSliceMut, Read, Seek, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
};
use sealwright_kernel::{ConfinementFact, Level};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Mechanism;
use crate::isolation::Isolation;
use crate::plan::Plan;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) plan: Plan,
    pub(crate) mechanism: Mechanism,
    pub(crate) walls: Isolation,
    /// A folder that only this run uses.
    pub(crate) folder: PathBuf,
    /// A file that must not be readable inside.
    pub(crate) canary: PathBuf,
    /// Whom the command runs as, where the launcher can choose.
    pub(crate) run_as: Option<u32>,
    /// Where to enter the bounds that hold for all processes together.
    pub(crate) cgroups: Vec<PathBuf>,
    /// The port of the host's loopback that is the way out, where the run has no network of its own.
    pub(crate) way_out: Option<u16>,
    /// How strong the walls must be found before the command is started.
    pub(crate) least: Level,
    /// The namespaces of the host, by the names the kernel gives them.
    pub(crate) namespaces: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// The first process inside, by a descriptor that outlives it.
    First,
    /// The egress listener, by its descriptor.
    Listener,
    /// What was found out about the walls, from inside them.
    Found(Vec<ConfinementFact>),
    /// It could not be done.
    Failed { step: String, why: String },
    /// The command ended, and everything it had started is dead.
    Ended { status: i32, leftovers: u32 },
}

pub(crate) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let ends = rustix::net::socketpair(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC,
        None,
    )?;
    Ok(ends)
}

/// Hands an order over, and what the command is to read. The order travels as a file in memory, because it may be
/// larger than a message.
pub(crate) fn send_order(
    channel: BorrowedFd<'_>,
    order: &Order,
    input: Option<BorrowedFd<'_>>,
) -> io::Result<()> {
    let mut file = memory_file(&serde_json::to_vec(order)?)?;
    file.rewind()?;
    let with: Vec<BorrowedFd<'_>> = std::iter::once(file.as_fd()).chain(input).collect();
    send(channel, b"order", &with)
}

/// Takes the order that comes first, and what the command is to read.
pub(crate) fn receive_order(channel: BorrowedFd<'_>) -> io::Result<(Order, Option<OwnedFd>)> {
    let (_, with) = receive(channel)?;
    let mut with = with.into_iter();
    let file = with.next().ok_or_else(|| io::Error::other("no order came"))?;
    Ok((read_order(std::fs::File::from(file))?, with.next()))
}

pub(crate) fn read_order(mut file: std::fs::File) -> io::Result<Order> {
    let mut text = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

pub(crate) fn memory_file(content: &[u8]) -> io::Result<std::fs::File> {
    let file = rustix::fs::memfd_create("sealwright", rustix::fs::MemfdFlags::CLOEXEC)?;
    let mut file = std::fs::File::from(file);
    file.write_all(content)?;
    Ok(file)
}

/// Says something to the host. A host that is gone does not listen, and then nothing matters any more.
pub(crate) fn tell(channel: BorrowedFd<'_>, message: &Message, with: Option<BorrowedFd<'_>>) {
    if let Ok(text) = serde_json::to_vec(message) {
        let with: Vec<BorrowedFd<'_>> = with.into_iter().collect();
        let _ = send(channel, &text, &with);
    }
}

/// Hears the next message; nothing when the other end is closed.
pub(crate) fn hear<M: DeserializeOwned>(
    channel: BorrowedFd<'_>,
) -> io::Result<Option<(M, Option<OwnedFd>)>> {
    let (text, with) = receive(channel)?;
    if text.is_empty() {
        return Ok(None);
    }
    Ok(Some((serde_json::from_slice(&text)?, with.into_iter().next())))
}

fn send(channel: BorrowedFd<'_>, text: &[u8], with: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !with.is_empty() {
        ancillary.push(SendAncillaryMessage::ScmRights(with));
    }
    rustix::net::sendmsg(channel, &[IoSlice::new(text)], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

fn receive(channel: BorrowedFd<'_>) -> io::Result<(Vec<u8>, Vec<OwnedFd>)> {
    let mut text = vec![0; MESSAGE_BYTES_MAX];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let read = loop {
        let mut parts = [IoSliceMut::new(&mut text)];
        match rustix::net::recvmsg(channel, &mut parts, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Ok(read) => break read,
            Err(rustix::io::Errno::INTR) => {}
            // The other end was closed before it had read everything.
            Err(rustix::io::Errno::CONNRESET) => return Ok((Vec::new(), Vec::new())),
            Err(error) => return Err(error.into()),
        }
    };
    text.truncate(read.bytes);
    let mut with = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            with.extend(descriptors);
        }
    }
    Ok((text, with))
}

const MESSAGE_BYTES_MAX: usize = 64 << 10;
