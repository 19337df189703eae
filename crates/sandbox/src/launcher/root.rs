//! The root: an empty one in memory, into which only what the plan lists is put.
//!
//! Nothing is looked up by a path that could have changed meanwhile. A source is opened once, without following a
//! link, and mounted by its descriptor; the place it is mounted on is reached component by component from the new
//! root, again without following one. So a link planted in a work tree leads nowhere.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, mkdirat, openat, openat2, symlinkat};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount,
    mount_change, mount_move, mount_remount, move_mount, open_tree, unmount,
};

use crate::channel::Order;
use crate::isolation::Barrier;
use crate::launcher::ownership::{Wish, hand_over, is_closed};
use crate::launcher::{Failure, Kind, Step as _};
use crate::plan::{Access, Mount, Need};
use crate::sys::{self, MountRights};

/// Builds the root of this order and makes it the root of this process.
pub(crate) fn build(order: &Order, kind: Kind) -> Result<(), Failure> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .step("keep mounts to ourselves")?;
    let root = Root::make(order, kind)?;
    for link in &order.plan.links {
        root.link(&link.at, &link.to).step(&format!("link {}", link.at))?;
    }
    for (number, mount) in order.plan.mounts.iter().enumerate() {
        root.put(order, kind, number, mount).step(&format!("mount {}", mount.at))?;
    }
    for scratch in &order.plan.scratch {
        root.memory(&scratch.at, scratch.bytes_max, MountFlags::empty())
            .step(&format!("make {}", scratch.at))?;
    }
    root.processes(order)?;
    root.devices()?;
    root.become_root()
}

struct Root {
    folder: OwnedFd,
}

impl Root {
    fn make(order: &Order, kind: Kind) -> Result<Self, Failure> {
        let place = order.folder.join("root");
        tmpfs(&place, "size=16m,mode=755").step("make an empty root")?;
        let has_copies = order.plan.mounts.iter().any(|it| it.access == Access::CopyOnWrite);
        if has_copies || kind == Kind::Rootful {
            let size = format!("size={},mode=755", order.plan.limits.changes_bytes);
            tmpfs(&order.folder.join("changes"), &size).step("make room for changes")?;
        }
        let folder =
            openat(CWD, &place, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
                .step("open the empty root")?;
        Ok(Self { folder })
    }

    fn link(&self, at: &str, to: &str) -> io::Result<()> {
        let (parent, name) = split(at)?;
        Ok(symlinkat(to, self.folder_at(parent)?, name)?)
    }

    fn put(&self, order: &Order, kind: Kind, number: usize, mount: &Mount) -> io::Result<()> {
        let source = match source(&mount.source) {
            Ok(source) => source,
            Err(Errno::NOENT) if mount.need == Need::Optional => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let file_type = rustix::fs::FileType::from_raw_mode(rustix::fs::fstat(&source)?.st_mode);
        let target = if file_type.is_dir() {
            self.folder_at(&mount.at)?
        } else if file_type.is_file() {
            self.file_at(&mount.at)?
        } else {
            return Err(io::Error::other("neither a file nor a folder"));
        };
        let read_only = order.walls.has(Barrier::ReadOnlyMounts);
        let run_as = order.run_as.filter(|_| kind == Kind::Rootful);
        // What stands where it stands on the host is the system's own.
        let is_of_a_user = mount.source != Path::new(&mount.at);
        if let Some(user) = run_as
            && (mount.access, read_only, is_of_a_user) == (Access::ReadOnly, true, true)
            && is_closed(&source)?
        {
            if file_type.is_file() {
                let copy = open_copy(order, number, &source)?;
                return attach(&copy_of(&copy)?, &target, MountRights::ReadOnly);
            }
            overlay(order, kind, number, &source, &target)?;
            let copy = self.folder_at(&mount.at)?;
            hand_over(&copy, user, Wish::Read)?;
            return sys::set_rights(copy.as_fd(), MountRights::ReadOnly);
        }
        match mount.access {
            Access::ReadOnly if read_only => {
                attach(&copy_of(&source)?, &target, MountRights::ReadOnly)
            }
            Access::ReadOnly | Access::ReadWrite => {
                attach(&copy_of(&source)?, &target, MountRights::ReadWrite)
            }
            Access::ReadWriteNoLinks => {
                attach(&copy_of(&source)?, &target, MountRights::ReadWriteNoLinks)
            }
            Access::CopyOnWrite => {
                overlay(order, kind, number, &source, &target)?;
                match run_as {
                    // The descriptor of the target leads below the mount; its path leads into it.
                    Some(user) => hand_over(&self.folder_at(&mount.at)?, user, Wish::Change),
                    None => Ok(()),
                }
            }
        }
    }

    fn memory(&self, at: &str, bytes_max: u64, flags: MountFlags) -> io::Result<()> {
        let target = self.folder_at(at)?;
        let options = format!("size={bytes_max},mode=1777");
        mount_on(&target, "tmpfs", flags | MountFlags::NOSUID | MountFlags::NODEV, &options)
    }

    /// Its own `/proc`, with what speaks to the kernel closed.
    fn processes(&self, order: &Order) -> Result<(), Failure> {
        if !order.walls.has(Barrier::Processes) {
            let host = source(Path::new("/proc")).step("find /proc")?;
            let target = self.folder_at("/proc").step("make /proc")?;
            return attach(&copy_of(&host).step("copy /proc")?, &target, MountRights::ReadWrite)
                .step("mount /proc");
        }
        let target = self.folder_at("/proc").step("make /proc")?;
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        if mount_on(&target, "proc", flags, "").is_err() {
            // Containers that mask their own /proc do not allow another; the findings say that it is missing.
            return Ok(());
        }
        let inside = self.inside("proc").step("open /proc")?;
        for name in ["sys", "bus", "irq", "fs"] {
            let Ok(part) = beneath(&inside, name, OFlags::PATH) else { continue };
            let copy = copy_of(&part).step("copy a part of /proc")?;
            attach(&copy, &part, MountRights::ReadOnly).step("close a part of /proc")?;
        }
        let nothing = source(Path::new("/dev/null")).step("find /dev/null")?;
        for name in ["sysrq-trigger", "kcore", "keys"] {
            let Ok(part) = beneath(&inside, name, OFlags::PATH) else { continue };
            let copy = copy_of(&nothing).step("copy /dev/null")?;
            attach(&copy, &part, MountRights::Device).step("hide a part of /proc")?;
        }
        Ok(())
    }

    fn devices(&self) -> Result<(), Failure> {
        for name in ["null", "zero", "full", "random", "urandom"] {
            let path = format!("/dev/{name}");
            let device = source(Path::new(&path)).step(&path)?;
            let target = self.file_at(&path).step(&path)?;
            let copy = copy_of(&device).step(&path)?;
            attach(&copy, &target, MountRights::Device).step(&path)?;
        }
        self.memory("/dev/shm", SHARED_BYTES_MAX, MountFlags::NOEXEC).step("make /dev/shm")?;
        let terminals = self.folder_at("/dev/pts").step("make /dev/pts")?;
        let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
        if mount_on(&terminals, "devpts", flags, "newinstance,ptmxmode=0666,mode=0620").is_ok() {
            self.link("/dev/ptmx", "pts/ptmx").step("link /dev/ptmx")?;
        }
        for (at, to) in [
            ("/dev/fd", "/proc/self/fd"),
            ("/dev/stdin", "/proc/self/fd/0"),
            ("/dev/stdout", "/proc/self/fd/1"),
            ("/dev/stderr", "/proc/self/fd/2"),
        ] {
            self.link(at, to).step(at)?;
        }
        Ok(())
    }

    fn become_root(self) -> Result<(), Failure> {
        rustix::process::fchdir(&self.folder).step("enter the new root")?;
        match rustix::process::pivot_root(".", ".") {
            Ok(()) => unmount(".", UnmountFlags::DETACH).step("let go of the old root")?,
            // Some containers refuse it to every process. Moving the mount over the old root does the same.
            Err(_) => {
                mount_move(".", "/").step("move the new root into place")?;
                rustix::process::chroot(".").step("enter the new root")?;
            }
        }
        rustix::process::chdir("/").step("stand at the new root")?;
        // The root itself takes nothing any more; what is mounted on it keeps its rights.
        let flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
        mount_remount("/", flags, c"").step("close the new root")
    }

    /// A folder below the root, made where it is missing.
    fn folder_at(&self, at: &str) -> io::Result<OwnedFd> {
        let mut here = rustix::io::fcntl_dupfd_cloexec(&self.folder, 3)?;
        for name in names(at)? {
            match mkdirat(&here, name, Mode::from_raw_mode(0o755)) {
                Ok(()) | Err(Errno::EXIST) => {}
                // A read-only mount that already has the folder will do.
                Err(Errno::ROFS) => {}
                Err(error) => return Err(error.into()),
            }
            here = beneath(&here, name, OFlags::PATH | OFlags::DIRECTORY)?;
        }
        Ok(here)
    }

    /// A file below the root, made where it is missing.
    fn file_at(&self, at: &str) -> io::Result<OwnedFd> {
        let (parent, name) = split(at)?;
        let parent = self.folder_at(parent)?;
        let flags =
            OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match openat(&parent, name, flags, Mode::from_raw_mode(0o644)) {
            Ok(_) | Err(Errno::EXIST | Errno::ROFS) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(beneath(&parent, name, OFlags::PATH)?)
    }

    fn inside(&self, name: &str) -> io::Result<OwnedFd> {
        Ok(beneath(&self.folder, name, OFlags::PATH | OFlags::DIRECTORY)?)
    }
}

fn overlay(
    order: &Order,
    kind: Kind,
    number: usize,
    source: &OwnedFd,
    target: &OwnedFd,
) -> io::Result<()> {
    let changes = order.folder.join("changes");
    let (upper, work) =
        (changes.join(format!("upper-{number}")), changes.join(format!("work-{number}")));
    std::fs::create_dir(&upper)?;
    std::fs::create_dir(&work)?;
    if let (Kind::Rootful, Some(user)) = (kind, order.run_as) {
        std::os::unix::fs::chown(&upper, Some(user), Some(user))?;
    }
    let upper = File::open(&upper)?;
    let work = File::open(&work)?;
    let by = |file: &dyn std::os::fd::AsRawFd| format!("/proc/self/fd/{}", file.as_raw_fd());
    // Without the right to trusted attributes an overlay keeps its notes in those of the user.
    // With it, a change of owner copies no content.
    let more = match kind {
        Kind::Rootful => "metacopy=on",
        Kind::UserNamespace => "userxattr",
    };
    let options =
        format!("lowerdir={},upperdir={},workdir={},{more}", by(source), by(&upper), by(&work));
    mount_on(target, "overlay", MountFlags::NOSUID | MountFlags::NODEV, &options)
}

/// A copy in memory of a file that only its owner can read.
fn open_copy(order: &Order, number: usize, file: &OwnedFd) -> io::Result<OwnedFd> {
    let place = order.folder.join("changes").join(format!("file-{number}"));
    std::fs::copy(format!("/proc/self/fd/{}", file.as_raw_fd()), &place)?;
    std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o555))?;
    Ok(source(&place)?)
}

fn tmpfs(place: &Path, options: &str) -> io::Result<()> {
    match std::fs::create_dir(place) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    let options = CString::new(options)?;
    Ok(mount("tmpfs", place, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, options.as_c_str())?)
}

fn mount_on(target: &OwnedFd, kind: &str, flags: MountFlags, options: &str) -> io::Result<()> {
    let place = format!("/proc/self/fd/{}", target.as_raw_fd());
    let options = CString::new(options)?;
    Ok(mount(kind, place, kind, flags, options.as_c_str())?)
}

/// Opens something of the host without following a link anywhere in its path.
fn source(path: &Path) -> rustix::io::Result<OwnedFd> {
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    openat2(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), resolve)
}

/// Opens one name in a folder without following it.
pub(super) fn beneath(
    folder: &OwnedFd,
    name: impl rustix::path::Arg,
    flags: OFlags,
) -> rustix::io::Result<OwnedFd> {
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::BENEATH;
    openat2(folder, name, flags | OFlags::CLOEXEC, Mode::empty(), resolve)
}

/// A detached copy of the mounts at and below `source`.
fn copy_of(source: &OwnedFd) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_EMPTY_PATH;
    Ok(open_tree(source, "", flags)?)
}

fn attach(copy: &OwnedFd, target: &OwnedFd, rights: MountRights) -> io::Result<()> {
    sys::set_rights(copy.as_fd(), rights)?;
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    Ok(move_mount(copy, "", target, "", flags)?)
}

fn names(at: &str) -> io::Result<impl Iterator<Item = &str>> {
    let odd = |name: &&str| matches!(*name, "." | "..");
    let Some(path) = at.strip_prefix('/') else {
        return Err(io::Error::other("not an absolute path"));
    };
    if path.split('/').any(|name| odd(&name)) {
        return Err(io::Error::other("a path must say where it leads"));
    }
    Ok(path.split('/').filter(|name| !name.is_empty()))
}

fn split(at: &str) -> io::Result<(&str, &str)> {
    let (parent, name) =
        at.rsplit_once('/').ok_or_else(|| io::Error::other("not an absolute path"))?;
    Ok((if parent.is_empty() { "/" } else { parent }, name))
}

/// What fits into `/dev/shm`.
const SHARED_BYTES_MAX: u64 = 64 << 20;
