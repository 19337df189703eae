//! Raw system calls that no safe crate offers, each in a function that exposes no raw memory.
//!
//! An attacker may call anything, so `call` takes any number. The callers interpret the results.
#![expect(unsafe_code, reason = "raw system calls are what this file is for")]

use std::ffi::CStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

pub(crate) enum Word<'a> {
    /// A number: a flag, a length, a descriptor.
    Number(i64),
    /// A zero-terminated text.
    Text(&'a CStr),
    /// Bytes the kernel reads.
    Bytes(&'a [u8]),
    /// Bytes the kernel fills; the caller provides enough for the call.
    Buffer(&'a mut [u8]),
}

pub(crate) fn call<const N: usize>(number: libc::c_long, words: [Word<'_>; N]) -> io::Result<i64> {
    let mut raw = [0_i64; 6];
    for (place, word) in raw.iter_mut().zip(words) {
        *place = match word {
            Word::Number(number) => number,
            Word::Text(text) => text.as_ptr() as i64,
            Word::Bytes(bytes) => bytes.as_ptr() as i64,
            Word::Buffer(bytes) => bytes.as_mut_ptr() as i64,
        };
    }
    let [a, b, c, d, e, f] = raw;
    // SAFETY: every pointer comes from a borrow that outlives the call, and buffers are large enough by contract.
    checked(unsafe { libc::syscall(number, a, b, c, d, e, f) })
}

/// A call whose arguments are all numbers.
pub(crate) fn call_numbers<const N: usize>(
    number: libc::c_long,
    words: [i64; N],
) -> io::Result<i64> {
    call(number, words.map(Word::Number))
}

pub(crate) enum Forked {
    Child,
    Parent(i32),
}

/// Forks. Only for single-threaded programs, which every attack is.
pub(crate) fn fork() -> io::Result<Forked> {
    // SAFETY: there is no second thread whose locks the child could inherit.
    match checked(i64::from(unsafe { libc::fork() }))? {
        0 => Ok(Forked::Child),
        pid => Ok(Forked::Parent(i32::try_from(pid).expect("a pid fits"))),
    }
}

/// Ends this process at once, without exit handlers.
pub(crate) fn exit_now(code: i32) -> ! {
    // SAFETY: `_exit` only ends the process.
    unsafe { libc::_exit(code) }
}

pub(crate) fn wait_for(pid: i32) -> io::Result<i32> {
    let mut status = 0;
    // SAFETY: the status is a local that outlives the call.
    checked(i64::from(unsafe { libc::waitpid(pid, &raw mut status, 0) }))?;
    Ok(status)
}

pub(crate) fn ignore(signal: i32) {
    // SAFETY: ignoring a signal installs no code.
    unsafe { libc::signal(signal, libc::SIG_IGN) };
}

/// Blocks a signal in this thread and its descendants, so that it can be waited for.
pub(crate) fn block(signal: i32) -> io::Result<()> {
    let set = signal_set(signal);
    // SAFETY: the set is initialised, and no old set is asked for.
    let code =
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) };
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}

pub(crate) fn wait_for_signal(signal: i32) -> io::Result<()> {
    let (set, mut caught) = (signal_set(signal), 0);
    // SAFETY: both are locals that outlive the call.
    let code = unsafe { libc::sigwait(&raw const set, &raw mut caught) };
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}

/// Duplicates a descriptor to a number, open for exec.
pub(crate) fn place(descriptor: RawFd, number: RawFd) -> io::Result<()> {
    // SAFETY: both are numbers; nothing in this process owns `number`.
    checked(i64::from(unsafe { libc::dup2(descriptor, number) })).map(|_| ())
}

/// A descriptor that a call just returned.
pub(crate) fn own(descriptor: i64) -> OwnedFd {
    let raw = RawFd::try_from(descriptor).expect("a descriptor fits");
    // SAFETY: the kernel has just made it for this caller alone.
    unsafe { OwnedFd::from_raw_fd(raw) }
}

/// The start of a System V shared memory segment.
pub(crate) fn shared_memory(id: i64) -> io::Result<Vec<u8>> {
    let id = i32::try_from(id).expect("an id fits");
    // SAFETY: the kernel chooses where, and what it chose is read only where the segment has bytes: one page.
    unsafe {
        let start = libc::shmat(id, std::ptr::null(), libc::SHM_RDONLY);
        if start as isize == -1 {
            return Err(io::Error::last_os_error());
        }
        let bytes = std::slice::from_raw_parts(start.cast::<u8>(), SHARED_BYTES).to_vec();
        libc::shmdt(start);
        Ok(bytes)
    }
}

/// Writes to the start of a System V shared memory segment.
pub(crate) fn write_shared_memory(id: i64, bytes: &[u8]) -> io::Result<()> {
    let id = i32::try_from(id).expect("an id fits");
    assert!(bytes.len() <= SHARED_BYTES, "a segment is one page");
    // SAFETY: as above; the segment is at least as long as what is written.
    unsafe {
        let start = libc::shmat(id, std::ptr::null(), 0);
        if start as isize == -1 {
            return Err(io::Error::last_os_error());
        }
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), start.cast::<u8>(), bytes.len());
        libc::shmdt(start);
        Ok(())
    }
}

/// `unshare` by the 32-bit entry of an x86 kernel, which has other call numbers. Negative is an errno.
#[cfg(target_arch = "x86_64")]
pub(crate) fn unshare_by_i386(flags: i32) -> i32 {
    let mut answer: i64 = I386_UNSHARE;
    // SAFETY: `unshare` touches no memory of the caller; `rbx` is put back, the rest is declared lost.
    unsafe {
        std::arch::asm!(
            "xchg rbx, {flags:r}",
            "int 0x80",
            "xchg rbx, {flags:r}",
            flags = inout(reg) i64::from(flags) => _,
            inout("rax") answer,
            out("rcx") _, out("rdx") _, out("r8") _, out("r9") _, out("r10") _, out("r11") _,
        );
    }
    answer as i32
}

fn signal_set(signal: i32) -> libc::sigset_t {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigemptyset` fills the set in before anything reads it.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), signal);
        set.assume_init()
    }
}

fn checked(answer: i64) -> io::Result<i64> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

pub(crate) const SHARED_BYTES: usize = 4096;

#[cfg(target_arch = "x86_64")]
const I386_UNSHARE: i64 = 310;
