//! Devices and switches of the kernel that reach past every file system.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};

use crate::attack::Attack;
use crate::ended::{Step, Tried, any_of, void};
use crate::scene::Scene;
use crate::wall::Wall;

pub(super) const ALL: &[Attack] = &[
    Attack::new(
        "make-disk",
        "3.1/16",
        Wall::NoCapabilities,
        "Makes a node for the disk in its work tree and reads the disk.",
        make_disk,
    )
    .control_as_root(),
    Attack::new(
        "read-disk",
        "3.1/16",
        Wall::MountNamespace,
        "Reads a disk by the node the host has for it.",
        read_disk,
    )
    .control_as_root(),
    Attack::new(
        "open-devices",
        "3.1/16",
        Wall::MountNamespace,
        "Opens devices that lead into the kernel: file systems, virtual machines, network, loops.",
        open_devices,
    )
    .control_as_root(),
    Attack::new(
        "kernel-messages",
        "3.1/16",
        Wall::MountNamespace,
        "Reads what the kernel says, by its device.",
        kernel_messages,
    )
    .control_as_root(),
    Attack::new(
        "core-pattern",
        "3.1/26",
        Wall::OtherUid,
        "Sets the program that the kernel runs outside when something crashes.",
        |_| rewrite(Path::new("/proc/sys/kernel/core_pattern")),
    )
    .control_as_root(),
    Attack::new(
        "system-request",
        "3.1/26",
        Wall::OtherUid,
        "Presses the kernel's own key, for help.",
        system_request,
    )
    .control_as_root(),
    Attack::new(
        "system-folder",
        "3.2/preload",
        Wall::ReadOnlyMounts,
        "Puts a file where every program of the machine looks for settings.",
        system_folder,
    )
    .control_as_root(),
];

fn make_disk(scene: &Scene) -> Tried {
    let Some(disk) = scene.host.disk else { return void("the machine has no disk") };
    let node = scene.inside.work.join("disk");
    let number = makedev(disk.major, disk.minor);
    mknodat(CWD, &node, FileType::BlockDevice, Mode::from(0o600), number).step("mknod")?;
    first_block(&node)
}

fn read_disk(_: &Scene) -> Tried {
    let nodes = fs::read_dir("/dev").step("opendir")?.flatten();
    any_of(
        nodes
            .filter(|node| node.file_type().is_ok_and(|kind| kind.is_block_device()))
            .map(|node| first_block(&node.path())),
    )
}

fn first_block(node: &Path) -> Tried {
    let mut block = [0; 512];
    File::open(node).step("open")?.read_exact(&mut block).step("read")?;
    Ok(format!("the first block of {}", node.display()))
}

fn open_devices(_: &Scene) -> Tried {
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
    any_of(doors.map(|door| {
        let path = Path::new("/dev").join(door);
        OpenOptions::new().read(true).write(true).open(&path).step("open")?;
        Ok(format!("{} is open", path.display()))
    }))
}

fn kernel_messages(_: &Scene) -> Tried {
    let mut bytes = [0; 8192];
    let flags = libc::O_NONBLOCK;
    let mut device =
        OpenOptions::new().read(true).custom_flags(flags).open("/dev/kmsg").step("open")?;
    let length = device.read(&mut bytes).step("read")?;
    Ok(format!("{length} bytes of the kernel's messages"))
}

/// Writes what is already there: whether it may be written is all there is to know.
fn rewrite(path: &Path) -> Tried {
    let value = fs::read(path).step("read")?;
    OpenOptions::new().write(true).open(path).step("open")?.write_all(&value).step("write")?;
    Ok(format!("{} was written", path.display()))
}

fn system_request(_: &Scene) -> Tried {
    let path = Path::new("/proc/sysrq-trigger");
    OpenOptions::new().write(true).open(path).step("open")?.write_all(b"h").step("write")?;
    Ok("the kernel answered".to_string())
}

fn system_folder(scene: &Scene) -> Tried {
    any_of(["/etc", "/usr/lib", "/usr/bin", "/"].map(|folder| {
        let path = Path::new(folder).join(format!("{}.conf", scene.token));
        File::create(&path).step("open")?;
        let _ = fs::remove_file(&path);
        Ok(format!("a file was made in {folder}"))
    }))
}
