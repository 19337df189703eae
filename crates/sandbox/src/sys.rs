//! The few system calls that no safe library offers, each behind a safe function.
//!
//! All `unsafe` of this crate is here. Every call is made either with plain numbers or with buffers that live
//! longer than the call.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};

use rustix::process::Pid;
use rustix::thread::UnshareFlags;

pub(crate) enum Forked {
    Parent(Pid),
    Child,
}

/// What a detached mount may do, and everything below it.
#[derive(Clone, Copy)]
pub(crate) enum MountRights {
    /// Read and execute; no devices, no setuid.
    ReadOnly,
    /// Write as well; no devices, no setuid.
    ReadWrite,
    /// Write as well, and follow no links; no devices, no setuid.
    ReadWriteNoLinks,
    /// A device node of the host: no setuid.
    Device,
}

/// Splits this process in two.
///
/// Only the launcher calls it: a process of one thread that has just been started for nothing else. In a process
/// with several threads the child would inherit their locks and none of their work.
#[expect(unsafe_code, reason = "fork has no safe form")]
pub(crate) fn fork() -> io::Result<Forked> {
    // SAFETY: the launcher has one thread, so the child is a whole copy and may do anything the parent may.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Forked::Child),
        pid => Ok(Forked::Parent(Pid::from_raw(pid).expect("fork returns a positive number"))),
    }
}

/// Leaves the namespaces that `flags` name for new ones.
#[expect(unsafe_code, reason = "sharing descriptors or memory no longer could break other threads")]
pub(crate) fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: only namespaces are asked for, never the descriptor table, and the launcher has one thread.
    unsafe { rustix::thread::unshare_unsafe(flags) }.map_err(io::Error::from)
}

/// Sets what a detached mount and everything below it may do.
#[expect(unsafe_code, reason = "mount_setattr has no wrapper")]
pub(crate) fn set_rights(mount: BorrowedFd<'_>, rights: MountRights) -> io::Result<()> {
    let set = match rights {
        MountRights::ReadOnly => {
            libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV
        }
        MountRights::ReadWrite => libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV,
        MountRights::ReadWriteNoLinks => {
            libc::MOUNT_ATTR_NOSYMFOLLOW | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV
        }
        MountRights::Device => libc::MOUNT_ATTR_NOSUID,
    };
    let attributes = libc::mount_attr { attr_set: set, attr_clr: 0, propagation: 0, userns_fd: 0 };
    // SAFETY: the path is empty and ends in a zero byte, and the kernel is told the true size of what it reads.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH | libc::AT_RECURSIVE,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Closes every descriptor from 3 on but one.
///
/// Only the launcher calls it, before it has opened anything.
#[expect(unsafe_code, reason = "closing by number could close what somebody owns")]
pub(crate) fn close_all_but(kept: BorrowedFd<'_>) -> io::Result<()> {
    let kept = kept.as_raw_fd();
    let close = |first: RawFd, last: libc::c_uint| {
        if first.cast_unsigned() > last {
            return Ok(());
        }
        // By its number, because not every C library has a name for it.
        // SAFETY: the launcher has just been started and owns no descriptor but the one that is left out.
        let answer =
            unsafe { libc::syscall(libc::SYS_close_range, first.cast_unsigned(), last, 0_u32) };
        if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    };
    close(3, kept.cast_unsigned() - 1)?;
    close(kept + 1, libc::c_uint::MAX)
}

/// Makes an inherited descriptor the standard input.
#[expect(unsafe_code, reason = "what was inherited is known only by its number")]
pub(crate) fn become_stdin(number: RawFd) -> io::Result<()> {
    // SAFETY: two numbers; a wrong one is refused by the kernel.
    let answer = unsafe { libc::dup2(number, libc::STDIN_FILENO) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Switches the loopback of this network namespace on.
#[expect(unsafe_code, reason = "interface flags are set by ioctl")]
pub(crate) fn loopback_up() -> io::Result<()> {
    let socket = rustix::net::socket(
        rustix::net::AddressFamily::INET,
        rustix::net::SocketType::DGRAM,
        None,
    )?;
    // SAFETY: all zeroes is a valid `ifreq`.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    request.ifr_name[0] = b'l'.cast_signed();
    request.ifr_name[1] = b'o'.cast_signed();
    request.ifr_ifru.ifru_flags =
        libc::c_short::try_from(libc::IFF_UP | libc::IFF_RUNNING).expect("two small flags");
    // The same number is of another type in another C library.
    let set_flags = libc::SIOCSIFFLAGS as libc::Ioctl;
    // SAFETY: the request lives through the call, and SIOCSIFFLAGS reads nothing else.
    let answer = unsafe { libc::ioctl(socket.as_fd().as_raw_fd(), set_flags, &raw const request) };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Sends SIGKILL to everything this process may signal, but itself.
///
/// The kernel looks at all processes under one lock, so nothing escapes by forking meanwhile.
#[expect(unsafe_code, reason = "kill(-1) has no wrapper")]
pub(crate) fn kill_all_of_this_user() {
    // SAFETY: two numbers.
    unsafe { libc::kill(-1, libc::SIGKILL) };
}
