//! Leaving namespaces, or creating new ones with more rights.

use std::fs::{self, File};
use std::os::fd::AsRawFd;

use rustix::process::{chdir, chroot, fchdir};
use rustix::thread::set_thread_res_uid;

use super::files::read;
use super::mounts::apart;
use crate::attack::Attack;
use crate::barrier::Barrier;
use crate::ended::{Step, Tried, stopped};
use crate::fixture::Fixture;
use crate::setting::{Jail, Setting};
use crate::sys::{self, Word, call, call_numbers};

pub(super) const ALL: &[Attack] = &[
    Attack::new("userns-unshare", "3.1/12", Barrier::Seccomp, |_| {
        apart(|| {
            call_numbers(libc::SYS_unshare, [libc::CLONE_NEWUSER.into()]).step("unshare")?;
            Ok("it is root of a user namespace".to_string())
        })
    })
    .about("Becomes root of a new user namespace."),
    Attack::new("userns-clone", "3.1/12", Barrier::Seccomp, userns_clone)
        .about("Starts a process as root of a new user namespace."),
    Attack::new("userns-clone3", "3.1/12", Barrier::Seccomp, userns_clone3)
        .about("Does the same with a call whose flags no filter can see."),
    Attack::new("enter-namespace", "3.1/14", Barrier::PidNamespace, enter_namespace)
        .about("Enters the mount namespace of a process of the host.")
        .control_as_root(),
    Attack::new("chroot-escape", "3.1/13", Barrier::NoCapabilities, chroot_escape)
        .about("Leaves its root folder by making a second one below it.")
        .setting(Setting { jail: Jail::Chroot, ..Setting::PLAIN })
        .control_as_root(),
    Attack::new("other-uid", "more", Barrier::NoCapabilities, other_uid)
        .about("Takes on the identity of another user.")
        .control_as_root(),
    Attack::new("rename-host", "more", Barrier::NoCapabilities, rename_host)
        .about("Changes the name of the machine.")
        .control_as_root(),
];

fn userns_clone(_: &Fixture) -> Tried {
    let flags = (libc::CLONE_NEWUSER | libc::SIGCHLD).into();
    started(call_numbers(libc::SYS_clone, [flags, 0, 0, 0, 0]).step("clone")?)
}

fn userns_clone3(_: &Fixture) -> Tried {
    // Flags come first, the signal fifth; the rest is zero.
    let mut wanted = [0_u64; 11];
    wanted[0] = u64::try_from(libc::CLONE_NEWUSER).expect("a flag is not negative");
    wanted[4] = u64::try_from(libc::SIGCHLD).expect("a signal is not negative");
    let bytes: Vec<u8> = wanted.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let length = Word::Number(bytes.len() as i64);
    started(call(libc::SYS_clone3, [Word::Bytes(&bytes), length]).step("clone3")?)
}

/// The child has nothing to do.
fn started(pid: i64) -> Tried {
    if pid == 0 {
        sys::exit_now(0);
    }
    let _ = sys::wait_for(i32::try_from(pid).expect("a pid fits"));
    Ok("a process is root of a user namespace".to_string())
}

fn enter_namespace(fixture: &Fixture) -> Tried {
    let here = fs::read_link("/proc/self/ns/mnt").step("readlink")?;
    let there = File::open(format!("/proc/{}/ns/mnt", fixture.victim.pid)).step("open")?;
    let words = [there.as_raw_fd().into(), libc::CLONE_NEWNS.into()];
    call_numbers(libc::SYS_setns, words).step("setns")?;
    let now = fs::read_link("/proc/self/ns/mnt").step("readlink")?;
    if now == here {
        stopped("it is where it was")
    } else {
        Ok(format!("it is in {}", now.display()))
    }
}

fn chroot_escape(fixture: &Fixture) -> Tried {
    // In a chroot, all paths except the escape are relative to the work tree.
    let below = "below";
    let root = File::open("/").step("open")?;
    let _ = chdir(&fixture.inside.work);
    fs::create_dir(below).step("mkdir")?;
    chroot(below).step("chroot")?;
    fchdir(&root).step("fchdir")?;
    for _ in 0..CLIMB_MAX {
        chdir("..").step("chdir")?;
    }
    chroot(".").step("chroot")?;
    read(&fixture.host.sealed, &fixture.markers.sealed)
}

fn other_uid(_: &Fixture) -> Tried {
    let wanted = rustix::fs::Uid::from_raw(ANOTHER_UID);
    set_thread_res_uid(wanted, wanted, wanted).step("setresuid")?;
    Ok(format!("it is uid {}", rustix::process::getuid().as_raw()))
}

fn rename_host(_: &Fixture) -> Tried {
    // Setting the same name: only the permission matters.
    let name = rustix::system::uname().nodename().to_owned();
    rustix::system::sethostname(name.to_bytes()).step("sethostname")?;
    Ok("the name was set".to_string())
}

const CLIMB_MAX: usize = 32;
const ANOTHER_UID: u32 = 61_235;
