//! Mounting over, under and around what is read-only.

use std::fs;
use std::path::Path;

use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountFlags, MoveMountFlags, UnmountFlags,
    fsconfig_create, fsmount, fsopen, mount_bind, mount_remount, move_mount, unmount,
};

use crate::attack::Attack;
use crate::barrier::Barrier;
use crate::ended::{Ended, Hindrance, Step, Tried, stopped};
use crate::fixture::Fixture;
use crate::sys::{self, Forked, call_numbers};

pub(super) const ALL: &[Attack] = &[
    Attack::new("mount-over-tests", "3.1/31", Barrier::NoCapabilities, mount_over_tests)
        .about("Mounts tests of its own over the frozen ones.")
        .control_as_root(),
    Attack::new(
        "mount-over-tests-as-nobody",
        "3.1/12",
        Barrier::Seccomp,
        mount_over_tests_as_nobody,
    )
    .about("Does the same as root of a user namespace of its own."),
    Attack::new("remount-writable", "3.1/11", Barrier::NoCapabilities, remount_writable)
        .about("Makes the mount of the frozen tests writable.")
        .control_as_root(),
    Attack::new("unmount-tests", "3.1/11", Barrier::NoCapabilities, unmount_tests)
        .about("Takes the mount of the frozen tests away.")
        .control_as_root(),
    Attack::new("mount-by-descriptor", "3.1/11", Barrier::NoCapabilities, mount_by_descriptor)
        .about("Mounts with the newer calls, which older filters do not know.")
        .control_as_root(),
];

fn mount_over_tests(fixture: &Fixture) -> Tried {
    let own = own_tests(fixture)?;
    mount_bind(&own, &fixture.inside.frozen).step("mount")?;
    are_own(&fixture.inside.frozen)
}

fn mount_over_tests_as_nobody(fixture: &Fixture) -> Tried {
    let own = own_tests(fixture)?;
    let (uid, gid) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    apart(|| {
        let flags = libc::CLONE_NEWUSER | libc::CLONE_NEWNS;
        call_numbers(libc::SYS_unshare, [flags.into()]).step("unshare")?;
        fs::write("/proc/self/setgroups", "deny").step("setgroups")?;
        fs::write("/proc/self/uid_map", format!("0 {uid} 1")).step("uid_map")?;
        fs::write("/proc/self/gid_map", format!("0 {gid} 1")).step("gid_map")?;
        mount_bind(&own, &fixture.inside.frozen).step("mount")?;
        are_own(&fixture.inside.frozen)
    })
}

fn remount_writable(fixture: &Fixture) -> Tried {
    mount_remount(&fixture.inside.frozen, MountFlags::BIND, c"").step("remount")?;
    fs::write(fixture.inside.frozen.join("acceptance.rs"), "// Nothing is asserted.\n")
        .step("write")?;
    Ok("frozen tests were written".to_string())
}

fn unmount_tests(fixture: &Fixture) -> Tried {
    unmount(&fixture.inside.frozen, UnmountFlags::DETACH).step("umount")?;
    Ok("the mount is gone".to_string())
}

fn mount_by_descriptor(fixture: &Fixture) -> Tried {
    let point = fixture.inside.work.join("mounted");
    fs::create_dir(&point).step("mkdir")?;
    let context = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC).step("fsopen")?;
    fsconfig_create(&context).step("fsconfig")?;
    let mount = fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty())
        .step("fsmount")?;
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
    move_mount(&mount, c"", rustix::fs::CWD, &point, flags).step("move_mount")?;
    Ok("a file system of its own is mounted".to_string())
}

/// Tests without assertions.
fn own_tests(fixture: &Fixture) -> Result<std::path::PathBuf, Hindrance> {
    let own = fixture.inside.work.join("own-tests");
    fs::create_dir(&own).step("mkdir")?;
    fs::write(own.join("acceptance.rs"), OWN).step("write")?;
    Ok(own)
}

fn are_own(frozen: &Path) -> Tried {
    match fs::read_to_string(frozen.join("acceptance.rs")).step("read")?.as_str() {
        OWN => Ok("other tests appear in place of the frozen ones".to_string()),
        _ => stopped("the frozen tests are still there"),
    }
}

/// Runs in a child process, because it changes the process.
pub(super) fn apart(attempt: impl FnOnce() -> Tried) -> Tried {
    let (mut reader, writer) = std::io::pipe().step("pipe")?;
    match sys::fork().step("fork")? {
        Forked::Child => {
            drop(reader);
            let line = Ended::from(attempt()).line();
            let _ = std::io::Write::write_all(&mut &writer, line.as_bytes());
            sys::exit_now(0)
        }
        Forked::Parent(pid) => {
            drop(writer);
            let mut line = Vec::new();
            std::io::Read::read_to_end(&mut reader, &mut line).step("read")?;
            let status = sys::wait_for(pid).step("wait")?;
            match Ended::find(&line) {
                Some(Ended::Succeeded { what }) => Ok(what),
                Some(Ended::Stopped { by }) => stopped(by),
                Some(Ended::Void { why }) => Err(Hindrance::Void(why)),
                None => stopped(format!("killed by signal {}", libc::WTERMSIG(status))),
            }
        }
    }
}

const OWN: &str = "// Nothing is asserted.\n";
