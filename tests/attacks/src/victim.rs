//! A process of the host with secrets, which serves every client.
//!
//! It runs as the agent's user, which is the worst case. It reads its order from standard input and ends when that is
//! closed, so that it never outlives the harness.

use std::ffi::CString;
use std::fs::{self, File};
use std::io::{self, BufRead, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::fixture::{Markers, Victim};
use crate::sys::{self, SHARED_BYTES, Word, call, call_numbers};

mod open_proxy;
mod services;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    pub markers: Markers,
    /// The sockets and names; ports and ids are filled in.
    pub victim: Victim,
    pub record: PathBuf,
    /// The one name that the open proxy resolves.
    pub allowed_host: String,
}

/// Runs as a victim: prints its addresses in one line, then waits for the end of its input.
pub fn live() -> Result<()> {
    sys::block(libc::SIGWINCH)?;
    let mut lines = io::stdin().lock().lines();
    let order = lines.next().context("no order came")??;
    let order: Arc<Order> = Arc::new(serde_json::from_str(&order)?);
    let secret = order.markers.victim_memory.clone().into_bytes();
    let unnamed = Arc::new(file_without_name(&secret)?);
    let mut victim = order.victim.clone();
    victim.pid = rustix::process::getpid().as_raw_nonzero().get();
    victim.address = secret.as_ptr() as u64;
    victim.descriptor = unnamed.as_raw_fd();
    let key = share(&order)?;
    serve_networks(&order, &mut victim)?;
    serve_sockets(&order, &unnamed)?;
    note_signals(order.record.join(SIGNALLED));
    let mut out = io::stdout().lock();
    writeln!(out, "{}", serde_json::to_string(&victim)?)?;
    out.flush()?;
    // The secret must stay in memory until the end.
    let ended = lines.count();
    anyhow::ensure!(std::hint::black_box(&secret).len() > ended, "a victim got unexpected input");
    call_numbers(libc::SYS_keyctl, [KEYCTL_INVALIDATE, key])?;
    Ok(())
}

/// Removes the kernel objects of a victim. It removes its key itself; otherwise the key expires.
pub fn sweep(victim: &Victim) {
    let key = i64::from(victim.sysv_key);
    let remove = libc::IPC_RMID.into();
    // An attack leaves its message in the queue with the next key.
    for key in [key, key + 1] {
        if let Ok(id) = call_numbers(libc::SYS_shmget, [key, 0, 0]) {
            let _ = call_numbers(libc::SYS_shmctl, [id, remove, 0]);
        }
    }
    if let Ok(id) = call_numbers(libc::SYS_msgget, [key, 0]) {
        let _ = call_numbers(libc::SYS_msgctl, [id, remove, 0]);
    }
    if let Ok(name) = CString::new(victim.posix_name.clone()) {
        let _ = call(libc::SYS_mq_unlink, [Word::Text(&name)]);
    }
    let _ = fs::remove_file(Path::new(SHM_FOLDER).join(&victim.posix_name));
}

/// An unnamed file, reachable only by its descriptor.
fn file_without_name(content: &[u8]) -> Result<OwnedFd> {
    let unnamed = rustix::fs::memfd_create("unnamed", rustix::fs::MemfdFlags::CLOEXEC)?;
    File::from(unnamed.try_clone()?).write_all(content)?;
    Ok(unnamed)
}

/// Creates shared memory, queues and the key. Returns the id of the key.
fn share(order: &Order) -> Result<i64> {
    let (victim, service) = (&order.victim, order.markers.service.as_bytes());
    let key = i64::from(victim.sysv_key);
    let mine = i64::from(libc::IPC_CREAT | libc::IPC_EXCL | 0o600);
    let size = SHARED_BYTES as i64;
    let id = call_numbers(libc::SYS_shmget, [key, size, mine]).context("shmget")?;
    sys::write_shared_memory(id, service)?;
    let queue = call_numbers(libc::SYS_msgget, [key, mine]).context("msgget")?;
    let mut message = 1_i64.to_ne_bytes().to_vec();
    message.extend(service);
    let (length, now) = (Word::Number(service.len() as i64), Word::Number(0));
    call(libc::SYS_msgsnd, [Word::Number(queue), Word::Bytes(&message), length, now])
        .context("msgsnd")?;
    fs::write(Path::new(SHM_FOLDER).join(&victim.posix_name), service)?;
    let name = CString::new(victim.posix_name.clone())?;
    let flags = Word::Number((libc::O_CREAT | libc::O_EXCL | libc::O_RDWR).into());
    // A user has a limit for bytes in queues: one short message is enough.
    let shape: Vec<u8> =
        [0_i64, 1, 512, 0, 0, 0, 0, 0].iter().flat_map(|word| word.to_ne_bytes()).collect();
    let open = [Word::Text(&name), flags, Word::Number(0o600), Word::Bytes(&shape)];
    let posix = sys::own(call(libc::SYS_mq_open, open).context("mq_open")?);
    let length = Word::Number(service.len() as i64);
    let number = Word::Number(posix.as_raw_fd().into());
    let send = [number, Word::Bytes(service), length, Word::Number(0), Word::Number(0)];
    call(libc::SYS_mq_timedsend, send).context("mq_send")?;
    let description = CString::new(victim.key_name.clone())?;
    let add = || {
        let length = Word::Number(service.len() as i64);
        let ring = Word::Number(USER_KEYRING);
        let words =
            [Word::Text(c"user"), Word::Text(&description), Word::Bytes(service), length, ring];
        call(libc::SYS_add_key, words)
    };
    let id = match add() {
        // The kernel delays the removal of keys of earlier victims.
        Err(error) if error.raw_os_error() == Some(libc::EDQUOT) => {
            call_numbers(libc::SYS_keyctl, [KEYCTL_CLEAR, USER_KEYRING]).context("keyctl")?;
            add()
        }
        other => other,
    }
    .context("add_key")?;
    call_numbers(libc::SYS_keyctl, [KEYCTL_SET_TIMEOUT, id, KEY_SECONDS]).context("keyctl")?;
    Ok(id)
}

fn serve_networks(order: &Arc<Order>, victim: &mut Victim) -> Result<()> {
    let loopback = IpAddr::from(Ipv4Addr::LOCALHOST);
    let service = &order.markers.service;
    victim.tcp = serve_tcp(loopback, service)?.port();
    victim.tcp6 = serve_tcp(Ipv6Addr::LOCALHOST.into(), service).ok().map(|address| address.port());
    victim.network = own_address().and_then(|address| serve_tcp(address, service).ok());
    victim.upstream = serve_tcp(loopback, &order.markers.upstream)?.port();
    let socket = UdpSocket::bind((loopback, 0))?;
    victim.udp = socket.local_addr()?.port();
    let (udp_order, udp_socket) = (Arc::clone(order), socket);
    thread::spawn(move || services::answer_datagrams(&udp_socket, &udp_order));
    let listener = TcpListener::bind((loopback, 0))?;
    victim.open_proxy = listener.local_addr()?.port();
    let names = open_proxy::Names { host: order.allowed_host.clone(), upstream: victim.upstream };
    thread::spawn(move || open_proxy::serve(&listener, &names));
    Ok(())
}

fn serve_tcp(address: IpAddr, marker: &str) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((address, 0))?;
    let bound = listener.local_addr()?;
    let marker = marker.to_string();
    thread::spawn(move || services::answer_streams(&listener, &marker));
    Ok(bound)
}

/// The network address of this host. Nothing is sent.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(198, 51, 100, 1), 9)).ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}

fn serve_sockets(order: &Arc<Order>, unnamed: &Arc<OwnedFd>) -> Result<()> {
    let victim = &order.victim;
    let address = std::os::unix::net::SocketAddr::from_abstract_name(&victim.abstract_name)?;
    let listeners = [
        UnixListener::bind(&victim.unix)?,
        UnixListener::bind(&victim.unix_other)?,
        UnixListener::bind_addr(&address)?,
    ];
    for listener in listeners {
        let (marker, unnamed) = (order.markers.service.clone(), Arc::clone(unnamed));
        thread::spawn(move || services::hand_out(&listener, &marker, &unnamed));
    }
    Ok(())
}

fn note_signals(record: PathBuf) {
    thread::spawn(move || {
        while sys::wait_for_signal(libc::SIGWINCH).is_ok() {
            let _ = fs::write(&record, "signalled");
        }
    });
}

/// The report of a received signal.
pub const SIGNALLED: &str = "signalled";
/// The report of received datagrams.
pub const DATAGRAMS: &str = "datagrams";
/// The user's keyring, in place of a key id.
pub(crate) const USER_KEYRING: i64 = -4;
pub(crate) const KEYCTL_SET_TIMEOUT: i64 = 15;
pub(crate) const KEYCTL_INVALIDATE: i64 = 21;

const KEYCTL_CLEAR: i64 = 7;
const KEY_SECONDS: i64 = 120;
const SHM_FOLDER: &str = "/dev/shm";
