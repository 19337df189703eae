//! The services of a victim: each answers with its marker, Unix sockets also with an open file.

use std::fs::OpenOptions;
use std::io::{IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::thread;
use std::time::Duration;

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use super::{DATAGRAMS, Order};

/// Answers every stream with the marker, also readable for a web client.
pub(super) fn answer_streams(listener: &TcpListener, marker: &str) {
    for stream in listener.incoming() {
        let Ok(mut stream) = stream else { continue };
        let answer = format!("HTTP/1.0 200 OK\r\n\r\n{marker}\n");
        thread::spawn(move || {
            let _ = stream.set_read_timeout(Some(PATIENCE));
            let mut asked = [0; 1024];
            let _ = stream.read(&mut asked);
            let _ = stream.write_all(answer.as_bytes());
        });
    }
}

/// Answers every datagram with the marker, and records it.
pub(super) fn answer_datagrams(socket: &UdpSocket, order: &Order) {
    let mut bytes = [0; 2048];
    while let Ok((length, from)) = socket.recv_from(&mut bytes) {
        let kept = OpenOptions::new().create(true).append(true).open(order.record.join(DATAGRAMS));
        let _ = kept.and_then(|mut file| file.write_all(&bytes[..length]));
        let _ = socket.send_to(order.markers.service.as_bytes(), from);
    }
}

/// Sends the marker and an open unnamed file to every client.
pub(super) fn hand_out(listener: &UnixListener, marker: &str, unnamed: &OwnedFd) {
    for stream in listener.incoming() {
        let Ok(stream) = stream else { continue };
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let descriptors = [unnamed.as_fd()];
        control.push(SendAncillaryMessage::ScmRights(&descriptors));
        let words = [IoSlice::new(marker.as_bytes())];
        let _ = sendmsg(&stream, &words, &mut control, SendFlags::NOSIGNAL);
    }
}

const PATIENCE: Duration = Duration::from_secs(2);
