//! A tree that a role wrote, read without trusting it.
//!
//! Every file is reached from one descriptor of the tree's root, and no link is followed on the way. What is read
//! is bounded in number and size. What to take is for the caller to say.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags, fstat, openat2, statat};

use crate::room::error::RoomError;

pub(crate) struct Tree {
    root: OwnedFd,
    name: String,
    bytes_left: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Where, from the root, with `/` between.
    pub(crate) path: String,
    pub(crate) kind: EntryKind,
    /// Whether its owner may run it.
    pub(crate) is_executable: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    Folder,
    File,
    /// A file with more than one name.
    HardLink,
    Link,
    /// A pipe, socket or device.
    Special,
    /// An entry whose name is not text; the path is an approximation.
    Nameless,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Into,
    Past,
}

impl Tree {
    pub(crate) fn open(root: &Path) -> Result<Self, RoomError> {
        let name = root.display().to_string();
        let open = || {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            openat2(CWD, root.canonicalize()?, flags, Mode::empty(), resolve).map_err(Into::into)
        };
        let root = open().map_err(|source| RoomError::Read { path: name.clone(), source })?;
        Ok(Self { root, name, bytes_left: BYTES_MAX })
    }

    /// Everything in the tree, in order of path; `look` says which folders are of interest.
    pub(crate) fn entries(&self, look: impl Fn(&str) -> Look) -> Result<Vec<Entry>, RoomError> {
        let mut entries = Vec::new();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            for entry in self.folder(&folder)? {
                if entries.len() >= ENTRIES_MAX || entry.path.len() > PATH_MAX {
                    let most = ENTRIES_MAX as u64;
                    return Err(RoomError::TooMuch {
                        path: self.name.clone(),
                        most,
                        unit: "entries",
                    });
                }
                if entry.kind == EntryKind::Folder && look(&entry.path) == Look::Into {
                    folders.push(entry.path.clone());
                }
                entries.push(entry);
            }
        }
        entries.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(entries)
    }

    /// The content of a file that has one name and is not too large.
    pub(crate) fn read(&mut self, path: &str) -> Result<Vec<u8>, RoomError> {
        let most = FILE_BYTES_MAX.min(self.bytes_left);
        let mut content = Vec::new();
        self.file(path)?
            .take(most + 1)
            .read_to_end(&mut content)
            .map_err(|source| RoomError::Read { path: path.to_owned(), source })?;
        let length = content.len() as u64;
        if length > most {
            let path = format!("{}/{path}", self.name);
            return Err(RoomError::TooMuch { path, most, unit: "bytes" });
        }
        self.bytes_left -= length;
        Ok(content)
    }

    pub(crate) fn file(&self, path: &str) -> Result<File, RoomError> {
        let open = || {
            let file = File::from(self.beneath(path, OFlags::RDONLY | OFlags::NONBLOCK)?);
            let found = fstat(&file)?;
            if !FileType::from_raw_mode(found.st_mode).is_file() || found.st_nlink != 1 {
                return Err(std::io::Error::other("not a file of its own"));
            }
            Ok(file)
        };
        open().map_err(|source| RoomError::Read { path: path.to_owned(), source })
    }

    fn folder(&self, folder: &str) -> Result<Vec<Entry>, RoomError> {
        let list = || {
            let at = match folder {
                "" => self.beneath(".", OFlags::RDONLY | OFlags::DIRECTORY)?,
                _ => self.beneath(folder, OFlags::RDONLY | OFlags::DIRECTORY)?,
            };
            let mut entries = Vec::new();
            for item in Dir::read_from(&at)? {
                let item = item?;
                let Ok(name) = item.file_name().to_str() else {
                    let path = join(folder, &item.file_name().to_string_lossy());
                    entries.push(Entry { path, kind: EntryKind::Nameless, is_executable: false });
                    continue;
                };
                if matches!(name, "." | "..") {
                    continue;
                }
                let found = statat(&at, name, AtFlags::SYMLINK_NOFOLLOW)?;
                let kind = match FileType::from_raw_mode(found.st_mode) {
                    _ if name.chars().any(char::is_control) => EntryKind::Nameless,
                    FileType::Directory => EntryKind::Folder,
                    FileType::RegularFile if found.st_nlink == 1 => EntryKind::File,
                    FileType::RegularFile => EntryKind::HardLink,
                    FileType::Symlink => EntryKind::Link,
                    FileType::Fifo
                    | FileType::Socket
                    | FileType::CharacterDevice
                    | FileType::BlockDevice
                    | FileType::Unknown => EntryKind::Special,
                };
                let is_executable = Mode::from_raw_mode(found.st_mode).contains(Mode::XUSR);
                entries.push(Entry { path: join(folder, name), kind, is_executable });
                if entries.len() > ENTRIES_MAX {
                    break;
                }
            }
            Ok(entries)
        };
        list().map_err(|source: std::io::Error| RoomError::Read {
            path: format!("{}/{folder}", self.name),
            source,
        })
    }

    fn beneath(&self, path: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        let resolve = ResolveFlags::BENEATH
            | ResolveFlags::NO_SYMLINKS
            | ResolveFlags::NO_MAGICLINKS
            | ResolveFlags::NO_XDEV;
        openat2(&self.root, path, flags | OFlags::CLOEXEC, Mode::empty(), resolve)
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The most entries that are read of a tree.
const ENTRIES_MAX: usize = 500_000;
const PATH_MAX: usize = 1024;
const FILE_BYTES_MAX: u64 = 64 << 20;
const BYTES_MAX: u64 = 1 << 30;
