//! Beneath: everything is opened relative to a folder that is open already, and no link is ever followed.
//!
//! The kernel does the checking (`openat2`), on the same walk that opens the file, so nothing can be swapped in
//! between. Text is never compared with text to find out where a path leads.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;

use rustix::fs::{
    AtFlags, Dir, FileType, Gid, Mode, OFlags, ResolveFlags, Stat, Uid, fchmod, fchown, fstat,
    mkdirat, openat2, readlinkat, symlinkat, unlinkat,
};
use rustix::io::Errno;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// To the user of the harness, as whom the role runs too.
    Harness,
    /// To the user a role runs as.
    Role { uid: u32, gid: u32 },
}

#[derive(Debug)]
pub(super) struct Folder(OwnedFd);

/// What stands at a place, found without opening it.
#[derive(Debug)]
pub(super) enum Look {
    File,
    Folder(Identity),
    /// A link, and what it says.
    Link(Vec<u8>),
    /// Something else.
    Other(Obstacle),
}

#[derive(Debug)]
pub(super) struct Plain {
    pub(super) bytes: Vec<u8>,
    pub(super) is_executable: bool,
    /// When it was last changed in any way, as the file system tells it.
    pub(super) changed: Moment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment {
    seconds: i64,
    nanos: i64,
}

/// Why something cannot be taken as a plain file or folder.
#[derive(Debug, thiserror::Error)]
pub enum Obstacle {
    /// It, or a folder on the way, is a link.
    #[error("is a link")]
    Link,
    /// It has other names, and a holder of one of them can change it.
    #[error("has {links} hard links")]
    HardLinked { links: u64 },
    /// Reading it would wait for a writer.
    #[error("is a pipe")]
    Fifo,
    /// It is a driver.
    #[error("is a device")]
    Device,
    /// It leads to a process.
    #[error("is a socket")]
    Socket,
    /// A file was expected.
    #[error("is a folder")]
    Folder,
    /// A folder was expected.
    #[error("is not a folder")]
    NotAFolder,
    /// It lies outside the folder it was looked for in.
    #[error("leads outside")]
    Outside,
    /// It is larger than is taken.
    #[error("has more than {bytes_max} bytes")]
    TooLarge {
        /// The most that is taken.
        bytes_max: u64,
    },
    /// It changed while it was looked at.
    #[error("changed while it was read")]
    Changed,
    /// It is not there.
    #[error("is not there")]
    Gone,
    /// Its owner took away the right to read it.
    #[error("cannot be read by its owner")]
    Unreadable,
    /// It would run as another user.
    #[error("has set-uid, set-gid or sticky bits")]
    SpecialBits,
    /// The system could not look.
    #[error("cannot be opened")]
    Io(#[source] io::Error),
}

impl Folder {
    /// Opens a folder by the path the harness chose. Links above it are the harness's own affair.
    pub(super) fn open(path: &Path) -> Result<Self, Obstacle> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened =
            openat2(rustix::fs::CWD, path, flags, Mode::empty(), ResolveFlags::NO_MAGICLINKS);
        opened.map(Self).map_err(obstacle)
    }

    pub(super) fn folder(&self, path: impl AsRef<OsStr>) -> Result<Self, Obstacle> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        self.opened(path.as_ref(), flags).map(Self)
    }

    pub(super) fn parent(&self) -> Result<Self, Obstacle> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = openat2(&self.0, "..", flags, Mode::empty(), ResolveFlags::NO_MAGICLINKS);
        opened.map(Self).map_err(obstacle)
    }

    /// What stands at `path`.
    pub(super) fn look(&self, path: &str) -> Result<Look, Obstacle> {
        let handle =
            self.opened(path.as_ref(), OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC)?;
        let stat = stat(&handle)?;
        Ok(match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Look::File,
            FileType::Directory => Look::Folder(Identity::of(&stat)),
            // The empty path is the handle itself, so this is the link that was looked at.
            FileType::Symlink => {
                Look::Link(readlinkat(&handle, "", Vec::new()).map_err(obstacle)?.into_bytes())
            }
            FileType::Fifo => Look::Other(Obstacle::Fifo),
            FileType::Socket => Look::Other(Obstacle::Socket),
            FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => {
                Look::Other(Obstacle::Device)
            }
        })
    }

    /// Reads a plain file once, whole. What came and what was counted are of the same moment, or it is refused.
    pub(super) fn read(&self, path: &str, bytes_max: u64) -> Result<Plain, Obstacle> {
        // Looked at first without opening: to open a device or a pipe is to do something to it.
        let handle =
            self.opened(path.as_ref(), OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC)?;
        let looked = stat(&handle)?;
        is_plain(&looked, bytes_max)?;
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let mut file = File::from(self.opened(path.as_ref(), flags)?);
        let before = stat(&file)?;
        if Identity::of(&before) != Identity::of(&looked) {
            return Err(Obstacle::Changed);
        }
        is_plain(&before, bytes_max)?;
        let mut bytes = Vec::with_capacity(usize::try_from(before.st_size).unwrap_or_default());
        (&mut file)
            .take(bytes_max.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(Obstacle::Io)?;
        let after = stat(&file)?;
        if Moments::of(&before) != Moments::of(&after) || after.st_size != bytes.len() as i64 {
            return Err(Obstacle::Changed);
        }
        let is_executable = after.st_mode & 0o111 != 0;
        Ok(Plain { bytes, is_executable, changed: Moments::of(&after).changed })
    }

    /// The names in this folder, in no order. Reading ends behind `most`, so one more says there are too many.
    pub(super) fn names(&self, most: usize) -> Result<Vec<OsString>, Obstacle> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0).map_err(obstacle)? {
            let entry = entry.map_err(obstacle)?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(OsString::from_vec(name.to_vec()));
            }
            if names.len() > most {
                break;
            }
        }
        Ok(names)
    }

    pub(super) fn identity(&self) -> Result<Identity, Obstacle> {
        Ok(Identity::of(&stat(&self.0)?))
    }

    /// When an entry was last added, taken away or renamed here, and its own bits last changed.
    pub(super) fn changed(&self) -> Result<Moment, Obstacle> {
        Ok(Moments::of(&stat(&self.0)?).changed)
    }

    /// Whether it has the bits of a plain folder that its owner can look into.
    pub(super) fn is_plain(&self) -> Result<(), Obstacle> {
        let mode = stat(&self.0)?.st_mode;
        if mode & SPECIAL_BITS != 0 {
            return Err(Obstacle::SpecialBits);
        }
        if mode & 0o500 == 0o500 { Ok(()) } else { Err(Obstacle::Unreadable) }
    }

    /// Makes a folder in this one, for its owner alone until [`Self::settle`] says otherwise.
    pub(super) fn make_folder(&self, name: &str) -> Result<Self, Obstacle> {
        mkdirat(&self.0, name, Mode::RWXU).map_err(obstacle)?;
        self.folder(name)
    }

    /// Makes a file in this folder that was not there.
    pub(super) fn make_file(
        &self,
        name: &str,
        bytes: &[u8],
        mode: Mode,
        owner: Owner,
    ) -> Result<(), Obstacle> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let made =
            openat2(&self.0, name, flags, Mode::RUSR | Mode::WUSR, RESOLVE).map_err(obstacle)?;
        let mut file = File::from(made);
        file.write_all(bytes).map_err(Obstacle::Io)?;
        give(&file, mode, owner)
    }

    /// Makes a link in this folder. What it says has been checked.
    pub(super) fn make_link(&self, name: &str, to: &str, owner: Owner) -> Result<(), Obstacle> {
        symlinkat(to, &self.0, name).map_err(obstacle)?;
        match owner.ids() {
            None => Ok(()),
            Some((uid, gid)) => {
                let flags = AtFlags::SYMLINK_NOFOLLOW;
                rustix::fs::chownat(&self.0, name, Some(uid), Some(gid), flags).map_err(obstacle)
            }
        }
    }

    /// Says who may do what with this folder itself.
    pub(super) fn settle(&self, mode: Mode, owner: Owner) -> Result<(), Obstacle> {
        give(&self.0, mode, owner)
    }

    /// Takes a file, link or empty folder away. What is gone already is not missed.
    pub(super) fn remove(&self, name: &OsStr, flags: AtFlags) -> Result<(), Obstacle> {
        match unlinkat(&self.0, name, flags) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(obstacle(error)),
        }
    }

    /// The descriptor, for calls that only one caller needs.
    pub(super) fn handle(&self) -> &OwnedFd {
        &self.0
    }

    fn opened(&self, path: &OsStr, flags: OFlags) -> Result<OwnedFd, Obstacle> {
        let mut tries_left = TRIES_MAX;
        loop {
            tries_left -= 1;
            match openat2(&self.0, path, flags, Mode::empty(), RESOLVE) {
                // The tree moved while the kernel walked it; it says so and asks for another try.
                Err(Errno::AGAIN | Errno::INTR) if tries_left > 0 => {}
                Ok(opened) => return Ok(opened),
                Err(error) => return Err(obstacle(error)),
            }
        }
    }
}

impl Moment {
    pub(super) const LAST: Self = Self { seconds: i64::MAX, nanos: i64::MAX };

    #[cfg(test)]
    pub(super) fn at(seconds: i64) -> Self {
        Self { seconds, nanos: 0 }
    }

    /// When a file was last changed in any way.
    pub(super) fn changed(stat: &Stat) -> Self {
        Self { seconds: stat.st_ctime, nanos: stat.st_ctime_nsec as i64 }
    }
}

impl Identity {
    fn of(stat: &Stat) -> Self {
        Self { device: stat.st_dev, inode: stat.st_ino }
    }

    /// A name for a file about it.
    pub(super) fn name(self) -> String {
        format!("{:x}-{:x}", self.device, self.inode)
    }
}

/// Everything that tells whether a file is still as it was.
#[derive(PartialEq, Eq)]
struct Moments {
    identity: Identity,
    links: u64,
    size: i64,
    mode: u32,
    written: Moment,
    changed: Moment,
}

impl Moments {
    fn of(stat: &Stat) -> Self {
        Self {
            identity: Identity::of(stat),
            links: links(stat),
            size: stat.st_size,
            mode: stat.st_mode,
            written: Moment { seconds: stat.st_mtime, nanos: stat.st_mtime_nsec as i64 },
            changed: Moment::changed(stat),
        }
    }
}

fn is_plain(stat: &Stat, bytes_max: u64) -> Result<(), Obstacle> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {}
        FileType::Directory => return Err(Obstacle::Folder),
        FileType::Symlink => return Err(Obstacle::Link),
        FileType::Fifo => return Err(Obstacle::Fifo),
        FileType::Socket => return Err(Obstacle::Socket),
        FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => {
            return Err(Obstacle::Device);
        }
    }
    if links(stat) != 1 {
        return Err(Obstacle::HardLinked { links: links(stat) });
    }
    if stat.st_mode & SPECIAL_BITS != 0 {
        return Err(Obstacle::SpecialBits);
    }
    // Said by us, because a harness that is root would read it and one that is not would fail.
    if stat.st_mode & 0o400 == 0 {
        return Err(Obstacle::Unreadable);
    }
    if u64::try_from(stat.st_size).unwrap_or(u64::MAX) > bytes_max {
        return Err(Obstacle::TooLarge { bytes_max });
    }
    Ok(())
}

fn give<Fd: std::os::fd::AsFd>(file: Fd, mode: Mode, owner: Owner) -> Result<(), Obstacle> {
    if let Some((uid, gid)) = owner.ids() {
        fchown(&file, Some(uid), Some(gid)).map_err(obstacle)?;
    }
    // After the owner, because a change of owner takes bits away.
    fchmod(&file, mode).map_err(obstacle)
}

impl Owner {
    fn ids(self) -> Option<(Uid, Gid)> {
        match self {
            Self::Harness => None,
            Self::Role { uid, gid } => Some((Uid::from_raw(uid), Gid::from_raw(gid))),
        }
    }
}

#[allow(clippy::useless_conversion, reason = "on other processors it is narrower")]
fn links(stat: &Stat) -> u64 {
    stat.st_nlink.into()
}

fn stat<Fd: std::os::fd::AsFd>(file: Fd) -> Result<Stat, Obstacle> {
    fstat(file).map_err(obstacle)
}

pub(super) fn obstacle(error: Errno) -> Obstacle {
    match error {
        Errno::LOOP => Obstacle::Link,
        Errno::XDEV => Obstacle::Outside,
        Errno::NOTDIR => Obstacle::NotAFolder,
        Errno::NOENT => Obstacle::Gone,
        Errno::NXIO => Obstacle::Socket,
        Errno::ACCESS => Obstacle::Unreadable,
        other => Obstacle::Io(other.into()),
    }
}

const RESOLVE: ResolveFlags =
    ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS).union(ResolveFlags::NO_MAGICLINKS);
const SPECIAL_BITS: u32 = 0o7000;
const TRIES_MAX: u32 = 8;
