//! Seccomp: the system calls that no honest tool needs in here.
//!
//! Three filters, and the strictest answer of them counts:
//!
//! 1. The x32 calls share their architecture with the common ones, so a list of numbers would miss them.
//! 2. Calls that have an older form are answered as unknown, and programs fall back: `clone3` hides its flags
//!    behind a pointer, `io_uring` does other calls' work out of sight.
//! 3. Everything that could reach other processes, mounts, namespaces, keys, or the kernel itself is refused,
//!    and so are the address families and terminal controls that lead out.

use std::collections::BTreeMap;
use std::io;

use libc::{
    SYS_acct, SYS_add_key, SYS_adjtimex, SYS_bpf, SYS_chroot, SYS_clock_adjtime, SYS_clock_settime,
    SYS_clone, SYS_clone3, SYS_delete_module, SYS_fanotify_init, SYS_finit_module, SYS_fsconfig,
    SYS_fsmount, SYS_fsopen, SYS_fspick, SYS_init_module, SYS_io_uring_enter,
    SYS_io_uring_register, SYS_io_uring_setup, SYS_ioctl, SYS_kcmp, SYS_kexec_file_load,
    SYS_kexec_load, SYS_keyctl, SYS_lookup_dcookie, SYS_mbind, SYS_memfd_secret, SYS_migrate_pages,
    SYS_mount, SYS_mount_setattr, SYS_move_mount, SYS_move_pages, SYS_mq_open, SYS_msgget,
    SYS_name_to_handle_at, SYS_nfsservctl, SYS_open_by_handle_at, SYS_open_tree,
    SYS_perf_event_open, SYS_personality, SYS_pidfd_getfd, SYS_pivot_root, SYS_process_madvise,
    SYS_process_vm_readv, SYS_process_vm_writev, SYS_ptrace, SYS_quotactl, SYS_quotactl_fd,
    SYS_reboot, SYS_request_key, SYS_semget, SYS_setdomainname, SYS_sethostname, SYS_setns,
    SYS_settimeofday, SYS_shmat, SYS_shmget, SYS_socket, SYS_socketpair, SYS_swapoff, SYS_swapon,
    SYS_syslog, SYS_umount2, SYS_unshare, SYS_userfaultfd, SYS_vhangup,
};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, sock_filter,
};

use crate::channel::Order;
use crate::isolation::Barrier;
use crate::plan::Network;

pub(crate) fn apply(order: &Order) -> io::Result<()> {
    for program in programs(order).map_err(io::Error::other)? {
        seccompiler::apply_filter(&program).map_err(io::Error::other)?;
    }
    Ok(())
}

/// How much of the network a run has to itself, which decides what sockets are for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// A network namespace: what can be made leads nowhere.
    Own,
    /// The host's network, of which one TCP port is allowed.
    Port,
    /// The host's network, of which nothing is allowed.
    None,
}

fn programs(order: &Order) -> Result<Vec<BpfProgram>, BackendError> {
    let architecture: TargetArch = std::env::consts::ARCH.try_into()?;
    let own_network = order.mechanism.has_root() && order.walls.has(Barrier::Network);
    let reach = match order.plan.network {
        _ if own_network => Reach::Own,
        Network::Egress => Reach::Port,
        Network::Off => Reach::None,
    };
    let own_ipc = order.mechanism.has_root();
    let build = |calls: Calls, answer: i32| -> Result<BpfProgram, BackendError> {
        let answer = SeccompAction::Errno(answer.cast_unsigned());
        SeccompFilter::new(calls, SeccompAction::Allow, answer, architecture)?.try_into()
    };
    let mut programs = vec![
        build(ANSWERED_AS_UNKNOWN.iter().map(|call| (*call, Vec::new())).collect(), libc::ENOSYS)?,
        build(refused(reach, own_ipc)?, libc::EPERM)?,
    ];
    if architecture == TargetArch::x86_64 {
        programs.push(no_x32());
    }
    Ok(programs)
}

type Calls = BTreeMap<i64, Vec<SeccompRule>>;

fn refused(reach: Reach, own_ipc: bool) -> Result<Calls, BackendError> {
    let mut calls: Calls = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    #[cfg(target_arch = "x86_64")]
    calls.extend(REFUSED_ON_X86.iter().map(|call| (*call, Vec::new())));
    if !own_ipc {
        // Without an IPC namespace these reach other programs of the same user.
        calls.extend(IPC.iter().map(|call| (*call, Vec::new())));
    }
    // Runtimes ask for their personality; none needs another one.
    calls.insert(SYS_personality, vec![rule(&[differs(0, 0xffff_ffff)?])?]);
    let mut namespaces = Vec::new();
    for flag in NAMESPACE_FLAGS {
        let flag = u64::from(flag.cast_unsigned());
        namespaces.push(rule(&[masked(0, flag, flag)?])?);
    }
    calls.insert(SYS_clone, namespaces);
    // The kernel looks at 32 bits of the request, so only those are compared.
    calls.insert(SYS_ioctl, vec![rule(&[is(1, TIOCSTI)?])?, rule(&[is(1, TIOCLINUX)?])?]);
    calls.insert(SYS_socket, sockets(reach)?);
    calls.insert(SYS_socketpair, vec![rule(&[differs(0, family(libc::AF_UNIX))?])?]);
    Ok(calls)
}

fn sockets(reach: Reach) -> Result<Vec<SeccompRule>, BackendError> {
    let families: &[i32] = match reach {
        Reach::Own => &[libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK],
        Reach::Port => &[libc::AF_INET, libc::AF_INET6],
        // No rule at all: every socket is refused.
        Reach::None => return Ok(Vec::new()),
    };
    let others: Result<Vec<_>, _> =
        families.iter().map(|allowed| differs(0, family(*allowed))).collect();
    let mut rules = vec![rule(&others?)?];
    match reach {
        Reach::Own => {
            // Of the kernel's own sockets only the list of interfaces, which libraries ask for.
            let netlink = is(0, family(libc::AF_NETLINK))?;
            rules.push(rule(&[netlink, differs(2, 0)?])?);
            for allowed in [libc::AF_INET, libc::AF_INET6] {
                for kind in OTHER_KINDS {
                    rules.push(rule(&[is(0, family(allowed))?, masked(1, KIND_MASK, *kind)?])?);
                }
            }
        }
        Reach::Port | Reach::None => {
            // Landlock knows the ports of TCP and nothing of the rest.
            for kind in std::iter::once(&DATAGRAM).chain(OTHER_KINDS) {
                rules.push(rule(&[masked(1, KIND_MASK, *kind)?])?);
            }
        }
    }
    Ok(rules)
}

fn no_x32() -> BpfProgram {
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    vec![
        step(BPF_LOAD_WORD, 0, 0, 0),
        step(BPF_JUMP_AT_LEAST, 0, 1, X32_BIT),
        step(BPF_RETURN, 0, 0, SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned()),
        step(BPF_RETURN, 0, 0, SECCOMP_RET_ALLOW),
    ]
}

fn rule(conditions: &[SeccompCondition]) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(conditions.to_vec())
}

fn is(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn differs(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
}

fn masked(argument: u8, mask: u64, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(mask), value)
}

fn family(family: i32) -> u64 {
    u64::from(family.cast_unsigned())
}

const ANSWERED_AS_UNKNOWN: &[i64] =
    &[SYS_clone3, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register];

const REFUSED: &[i64] = &[
    // Mounts and roots.
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    // Namespaces, and files by other ways than their names.
    SYS_setns,
    SYS_unshare,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    // Other processes.
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_process_madvise,
    SYS_kcmp,
    SYS_pidfd_getfd,
    // The kernel.
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_reboot,
    SYS_syslog,
    SYS_lookup_dcookie,
    SYS_nfsservctl,
    SYS_memfd_secret,
    // Keys of the user.
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    // The machine.
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_quotactl_fd,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_vhangup,
    SYS_fanotify_init,
    SYS_mbind,
    SYS_move_pages,
    SYS_migrate_pages,
];

#[cfg(target_arch = "x86_64")]
const REFUSED_ON_X86: &[i64] = &[
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
    libc::SYS_ustat,
    libc::SYS_sysfs,
    libc::SYS__sysctl,
];

const IPC: &[i64] = &[SYS_shmget, SYS_shmat, SYS_msgget, SYS_semget, SYS_mq_open];

const NAMESPACE_FLAGS: &[i32] = &[
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// Put a character into the terminal's input, as if it had been typed.
const TIOCSTI: u64 = 0x5412;
/// The same by way of the console's selection.
const TIOCLINUX: u64 = 0x541c;

const KIND_MASK: u64 = 0xf;
const DATAGRAM: u64 = 2;
/// Raw, reliable datagram, sequenced, congestion-controlled and packet sockets.
const OTHER_KINDS: &[u64] = &[3, 4, 5, 6, 10];

const X32_BIT: u32 = 0x4000_0000;
const BPF_LOAD_WORD: u16 = 0x20;
const BPF_JUMP_AT_LEAST: u16 = 0x35;
const BPF_RETURN: u16 = 0x06;
const SECCOMP_RET_ERRNO: u32 = 0x0005_0000;
const SECCOMP_RET_ALLOW: u32 = 0x7fff_0000;
