//! Shared memory, queues and keys without a path.

use std::ffi::CString;

use super::files::read;
use crate::attack::Attack;
use crate::barrier::Barrier;
use crate::ended::{Hindrance, Step, Tried, any_of, holds};
use crate::fixture::Fixture;
use crate::sys::{self, Word, call, call_numbers};
use crate::victim::USER_KEYRING;

pub(super) const ALL: &[Attack] = &[
    Attack::new("sysv-memory", "3.1/25", Barrier::IpcNamespace, sysv_memory)
        .about("Reads a shared memory segment of the host."),
    Attack::new("sysv-queue", "3.1/25", Barrier::IpcNamespace, sysv_queue)
        .about("Takes a message out of a queue of the host."),
    Attack::new("posix-memory", "3.1/25", Barrier::MountNamespace, |fixture| {
        read(&fixture.inside.shm.join(&fixture.victim.posix_name), &fixture.markers.service)
    })
    .about("Reads a shared memory object of the host."),
    Attack::new("posix-queue", "3.1/25", Barrier::IpcNamespace, posix_queue)
        .about("Takes a message out of a POSIX queue of the host."),
    Attack::new("keyring-read", "3.1/24", Barrier::Seccomp, keyring_read)
        .about("Reads a key in the kernel's keyring of its user."),
];

fn sysv_memory(fixture: &Fixture) -> Tried {
    let key = fixture.victim.sysv_key.into();
    let id = call_numbers(libc::SYS_shmget, [key, 0, 0]).step("shmget")?;
    holds(&sys::shared_memory(id).step("shmat")?, &fixture.markers.service)
}

fn sysv_queue(fixture: &Fixture) -> Tried {
    let key = fixture.victim.sysv_key.into();
    let queue = call_numbers(libc::SYS_msgget, [key, 0]).step("msgget")?;
    let mut bytes = [0_u8; 8 + 512];
    let (length, any) = (Word::Number(512), Word::Number(0));
    let now = Word::Number((libc::IPC_NOWAIT | libc::MSG_NOERROR).into());
    let words = [Word::Number(queue), Word::Buffer(&mut bytes), length, any, now];
    call(libc::SYS_msgrcv, words).step("msgrcv")?;
    holds(&bytes, &fixture.markers.service)
}

fn posix_queue(fixture: &Fixture) -> Tried {
    let name = CString::new(fixture.victim.posix_name.clone()).expect("a name is text");
    let flags = Word::Number((libc::O_RDONLY | libc::O_NONBLOCK).into());
    let opened =
        call(libc::SYS_mq_open, [Word::Text(&name), flags, Word::Number(0), Word::Number(0)]);
    let queue = sys::own(opened.step("mq_open")?);
    // The kernel requires room for the longest message of the queue.
    let mut bytes = vec![0_u8; 1 << 16];
    let (length, none) = (Word::Number(bytes.len() as i64), || Word::Number(0));
    let number = Word::Number(std::os::fd::AsRawFd::as_raw_fd(&queue).into());
    let words = [number, Word::Buffer(&mut bytes), length, none(), none()];
    call(libc::SYS_mq_timedreceive, words).step("mq_receive")?;
    holds(&bytes, &fixture.markers.service)
}

fn keyring_read(fixture: &Fixture) -> Tried {
    read_key(&fixture.victim.key_name, &fixture.markers.service)
}

pub(super) fn read_key(description: &str, marker: &str) -> Tried {
    any_of([USER_KEYRING, SESSION_KEYRING].map(|ring| {
        let key = find_key(description, ring)?;
        let mut bytes = [0_u8; 512];
        let length = Word::Number(bytes.len() as i64);
        let words =
            [Word::Number(KEYCTL_READ), Word::Number(key), Word::Buffer(&mut bytes), length];
        call(libc::SYS_keyctl, words).step("keyctl read")?;
        holds(&bytes, marker)
    }))
}

pub(super) fn find_key(description: &str, ring: i64) -> Result<i64, Hindrance> {
    let description = CString::new(description).expect("a description is text");
    let (search, ring) = (Word::Number(KEYCTL_SEARCH), Word::Number(ring));
    let words = [search, ring, Word::Text(c"user"), Word::Text(&description), Word::Number(0)];
    call(libc::SYS_keyctl, words).step("keyctl search")
}

const SESSION_KEYRING: i64 = -3;
const KEYCTL_SEARCH: i64 = 10;
const KEYCTL_READ: i64 = 11;
