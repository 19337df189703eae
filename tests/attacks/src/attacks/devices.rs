//! Devices and kernel switches that bypass every file system.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};

use crate::attack::Attack;
use crate::barrier::Barrier;
use crate::ended::{Step, Tried, any_of, stopped};
use crate::fixture::Fixture;

pub(super) const ALL: &[Attack] = &[
    Attack::new("make-device", "3.1/16", Barrier::NoCapabilities, make_device)
        .about(
            "Makes nodes for the disk and for the kernel's messages in its work tree, \
             and reads them.",
        )
        .control_as_root(),
    Attack::new("open-devices", "3.1/16", Barrier::MountNamespace, open_devices)
        .about(
            "Opens devices that bypass the sandbox: \
             disks, file systems, virtual machines, network.",
        )
        .control_as_root(),
    Attack::new("kernel-messages", "3.1/16", Barrier::MountNamespace, |_| {
        beginning(Path::new("/dev/kmsg"))
    })
    .about("Reads what the kernel says, by its device.")
    .control_as_root(),
    Attack::new("core-pattern", "3.1/26", Barrier::OtherUid, |_| {
        rewrite(Path::new("/proc/sys/kernel/core_pattern"))
    })
    .about("Sets the program that the kernel runs outside when something crashes.")
    .control_as_root(),
    Attack::new("kernel-switches", "3.1/26", Barrier::OtherUid, kernel_switches)
        .about("Turns a switch of the kernel.")
        .control_as_root(),
    Attack::new("system-folder", "3.2/preload", Barrier::ReadOnlyMounts, system_folder)
        .about("Puts a file where every program of the machine looks for settings.")
        .control_as_root(),
];

fn make_device(fixture: &Fixture) -> Tried {
    let disk =
        fixture.host.disk.map(|disk| (FileType::BlockDevice, makedev(disk.major, disk.minor)));
    let messages = (FileType::CharacterDevice, makedev(MESSAGES.0, MESSAGES.1));
    any_of(disk.into_iter().chain([messages]).enumerate().map(|(place, (kind, number))| {
        let node = fixture.inside.work.join(format!("device-{place}"));
        mknodat(CWD, &node, kind, Mode::from(0o600), number).step("mknod")?;
        beginning(&node)
    }))
}

fn beginning(node: &Path) -> Tried {
    let mut bytes = [0; 8192];
    let mut device =
        OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(node).step("open")?;
    let length = device.read(&mut bytes).step("read")?;
    if length > 0 {
        Ok(format!("{length} bytes of {}", node.display()))
    } else {
        stopped("it is empty")
    }
}

fn open_devices(_: &Fixture) -> Tried {
    let nodes = fs::read_dir("/dev").step("opendir")?.flatten();
    let disks = nodes.filter(|node| node.file_type().is_ok_and(|kind| kind.is_block_device()));
    let doors = [
        "fuse",
        "kvm",
        "net/tun",
        "vhost-net",
        "vhost-vsock",
        "loop-control",
        "mem",
        "port",
        "uinput",
    ];
    any_of(disks.map(|disk| beginning(&disk.path())).chain(doors.map(|door| {
        let path = Path::new("/dev").join(door);
        OpenOptions::new().read(true).write(true).open(&path).step("open")?;
        Ok(format!("{} is open", path.display()))
    })))
}

/// Writes the existing value: only the permission matters.
fn rewrite(path: &Path) -> Tried {
    let value = fs::read(path).step("read")?;
    OpenOptions::new().write(true).open(path).step("open")?.write_all(&value).step("write")?;
    Ok(format!("{} was written", path.display()))
}

fn kernel_switches(_: &Fixture) -> Tried {
    let switches = ["kernel/sysrq", "kernel/panic", "vm/overcommit_memory", "net/ipv4/ip_forward"];
    any_of(switches.map(|switch| rewrite(&Path::new("/proc/sys").join(switch))))
}

fn system_folder(fixture: &Fixture) -> Tried {
    any_of(["/etc", "/usr/lib", "/usr/bin", "/"].map(|folder| {
        let path = Path::new(folder).join(format!("{}.conf", fixture.token));
        File::create(&path).step("open")?;
        let _ = fs::remove_file(&path);
        Ok(format!("a file was made in {folder}"))
    }))
}

/// The kernel log is a device on every machine.
const MESSAGES: (u32, u32) = (1, 11);
