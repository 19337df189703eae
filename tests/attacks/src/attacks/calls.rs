//! System calls that an agent does not need, and other ways to make forbidden calls.

use crate::attack::{Attack, Control};
use crate::barrier::Barrier;
use crate::ended::{Step, Tried, stopped};
use crate::fixture::Fixture;
use crate::sys::{Word, call, call_numbers};

pub(super) const ALL: &[Attack] = &[
    Attack::new("io-uring", "3.1/17", Barrier::Seccomp, io_uring)
        .about("Sets up a ring, through which calls are made that no filter sees."),
    Attack::new("calls-of-i386", "3.1/18", Barrier::Seccomp, calls_of_i386)
        .about("Makes a forbidden call by its number on another processor."),
    Attack::new("calls-of-x32", "3.1/18", Barrier::Seccomp, calls_of_x32)
        .about("Makes a forbidden call with the bit of the x32 interface set.")
        .control(Control::NoControlHere("this kernel was built without the x32 interface")),
    Attack::new("bpf", "3.1/26", Barrier::NoCapabilities, bpf)
        .about("Makes a map for programs that run in the kernel.")
        .control_as_root(),
    Attack::new("perf-events", "more", Barrier::Seccomp, perf_events)
        .about("Opens a counter of the processor, a rich source of timing."),
    Attack::new("page-faults", "more", Barrier::Seccomp, page_faults)
        .about("Asks to handle page faults itself, which makes races in the kernel easy to win."),
    Attack::new("raise-priority", "more", Barrier::NoCapabilities, raise_priority)
        .about("Puts itself before every other process of the machine.")
        .control_as_root(),
    Attack::new("kernel-log", "more", Barrier::NoCapabilities, kernel_log)
        .about("Reads what the kernel says, by a call.")
        .control_as_root(),
];

fn io_uring(_: &Fixture) -> Tried {
    let mut parameters = [0_u8; 120];
    call(libc::SYS_io_uring_setup, [Word::Number(4), Word::Buffer(&mut parameters)])
        .step("io_uring_setup")?;
    Ok("a ring is set up".to_string())
}

#[cfg(target_arch = "x86_64")]
fn calls_of_i386(_: &Fixture) -> Tried {
    super::mounts::apart(|| {
        let answer = crate::sys::unshare_by_i386(libc::CLONE_NEWUSER);
        if answer < 0 {
            return Err(std::io::Error::from_raw_os_error(-answer)).step("unshare by int 0x80");
        }
        Ok("a user namespace, by the gate of i386".to_string())
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn calls_of_i386(_: &Fixture) -> Tried {
    crate::ended::void("this processor has no such gate")
}

fn calls_of_x32(_: &Fixture) -> Tried {
    call_numbers(X32_BIT | libc::SYS_unshare, [libc::CLONE_NEWUSER.into()])
        .step("unshare of x32")?;
    Ok("a user namespace, by the x32 interface".to_string())
}

fn bpf(_: &Fixture) -> Tried {
    // The simplest map: an array with one entry, four bytes each for key and value.
    let mut attributes = [0_u8; 128];
    for (place, value) in [BPF_MAP_TYPE_ARRAY, 4, 4, 1].into_iter().enumerate() {
        attributes[place * 4..place * 4 + 4].copy_from_slice(&u32::to_ne_bytes(value));
    }
    let length = Word::Number(attributes.len() as i64);
    let made =
        call(libc::SYS_bpf, [Word::Number(0), Word::Bytes(&attributes), length]).step("bpf")?;
    drop(crate::sys::own(made));
    Ok("a map in the kernel".to_string())
}

fn perf_events(_: &Fixture) -> Tried {
    // Type 1 is the kernel's software clock, without the kernel's share, which any user may request.
    let mut attributes = [0_u8; 128];
    attributes[0..4].copy_from_slice(&1_u32.to_ne_bytes());
    attributes[4..8].copy_from_slice(&128_u32.to_ne_bytes());
    attributes[40..48].copy_from_slice(&PERF_EXCLUDE_KERNEL_AND_HYPERVISOR.to_ne_bytes());
    let (own, any, none) = (Word::Number(0), Word::Number(-1), Word::Number(-1));
    let words = [Word::Bytes(&attributes), own, any, none, Word::Number(0)];
    drop(crate::sys::own(call(libc::SYS_perf_event_open, words).step("perf_event_open")?));
    Ok("a counter is open".to_string())
}

fn page_faults(_: &Fixture) -> Tried {
    let made = call_numbers(libc::SYS_userfaultfd, [USER_MODE_ONLY]).step("userfaultfd")?;
    drop(crate::sys::own(made));
    Ok("page faults can be handled".to_string())
}

fn raise_priority(_: &Fixture) -> Tried {
    rustix::process::setpriority_process(None, -10).step("setpriority")?;
    Ok("it comes before the others".to_string())
}

fn kernel_log(_: &Fixture) -> Tried {
    let mut bytes = [0_u8; 4096];
    let length = Word::Number(bytes.len() as i64);
    let read = call(libc::SYS_syslog, [Word::Number(READ_ALL), Word::Buffer(&mut bytes), length])
        .step("syslog")?;
    if read > 0 {
        Ok(format!("{read} bytes of the kernel's messages"))
    } else {
        stopped("it says nothing")
    }
}

const X32_BIT: i64 = 0x4000_0000;
const BPF_MAP_TYPE_ARRAY: u32 = 2;
const PERF_EXCLUDE_KERNEL_AND_HYPERVISOR: u64 = (1 << 5) | (1 << 6);
const USER_MODE_ONLY: i64 = 1;
const READ_ALL: i64 = 3;
