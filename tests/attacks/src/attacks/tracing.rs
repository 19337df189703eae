//! Reading another process like a debugger.

use std::fs::File;
use std::io::Read;

use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};

use crate::attack::Attack;
use crate::barrier::Barrier;
use crate::ended::{Step, Tried, holds};
use crate::fixture::Fixture;
use crate::sys::{Word, call, call_numbers};

pub(super) const ALL: &[Attack] = &[
    Attack::new("trace-victim", "3.1/19", Barrier::PidNamespace, trace_victim)
        .about("Attaches to a process of the host as a debugger would."),
    Attack::new("read-victim", "3.1/19", Barrier::PidNamespace, read_victim)
        .about("Copies a secret out of the memory of a process of the host."),
    Attack::new("write-victim", "3.1/19", Barrier::PidNamespace, write_victim)
        .about("Writes into the memory of a process of the host."),
    Attack::new("take-descriptor", "more", Barrier::PidNamespace, take_descriptor)
        .about("Takes an open file from a process of the host."),
];

fn trace_victim(fixture: &Fixture) -> Tried {
    let words = [libc::PTRACE_SEIZE.into(), fixture.victim.pid.into(), 0, 0];
    call_numbers(libc::SYS_ptrace, words).step("ptrace")?;
    Ok("the process is traced".to_string())
}

fn read_victim(fixture: &Fixture) -> Tried {
    let mut bytes = vec![0; fixture.markers.victim_memory.len()];
    transfer(libc::SYS_process_vm_readv, fixture, &mut bytes).step("process_vm_readv")?;
    holds(&bytes, &fixture.markers.victim_memory)
}

fn write_victim(fixture: &Fixture) -> Tried {
    let mut bytes = fixture.markers.victim_memory.clone().into_bytes();
    transfer(libc::SYS_process_vm_writev, fixture, &mut bytes).step("process_vm_writev")?;
    Ok(format!("{} bytes were written", bytes.len()))
}

/// Both calls take two lists of one entry each, local and remote.
fn transfer(number: libc::c_long, fixture: &Fixture, bytes: &mut [u8]) -> std::io::Result<i64> {
    let place = |address: u64, length: usize| {
        [address.to_ne_bytes(), (length as u64).to_ne_bytes()].concat()
    };
    let here = place(bytes.as_mut_ptr() as u64, bytes.len());
    let there = place(fixture.victim.address, bytes.len());
    let (pid, one) = (Word::Number(fixture.victim.pid.into()), || Word::Number(1));
    call(number, [pid, Word::Bytes(&here), one(), Word::Bytes(&there), one(), Word::Number(0)])
}

fn take_descriptor(fixture: &Fixture) -> Tried {
    let pid = Pid::from_raw(fixture.victim.pid).expect("a victim has a number");
    let handle = pidfd_open(pid, PidfdFlags::empty()).step("pidfd_open")?;
    let taken = pidfd_getfd(handle, fixture.victim.descriptor, PidfdGetfdFlags::empty())
        .step("pidfd_getfd")?;
    // It shares the file position with its owner, so it is reopened.
    let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&taken));
    let mut bytes = Vec::new();
    File::open(path).step("open")?.read_to_end(&mut bytes).step("read")?;
    holds(&bytes, &fixture.markers.victim_memory)
}
