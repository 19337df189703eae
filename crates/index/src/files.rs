//! Files of one folder: opened without following links, and only if they are regular files.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags};

/// An index's folder, held open. Names below it are single components.
pub(crate) struct Folder {
    fd: OwnedFd,
}

impl Folder {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { fd: rustix::fs::openat(CWD, path, FOLDER, Mode::empty())? })
    }

    /// Opens the folder, which is made with those above it if it is not there.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(path)?;
        let folder = Self::open(path)?;
        if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
            File::open(above)?.sync_all()?;
        }
        Ok(folder)
    }

    /// A folder in this one.
    pub(crate) fn folder(&self, name: &str) -> io::Result<Self> {
        Ok(Self { fd: rustix::fs::openat(&self.fd, name, FOLDER, Mode::empty())? })
    }

    pub(crate) fn create_folder(&self, name: &str) -> io::Result<Self> {
        match rustix::fs::mkdirat(&self.fd, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        self.sync()?;
        self.folder(name)
    }

    /// `None` if there is no such file.
    pub(crate) fn read(&self, name: &str) -> io::Result<Option<File>> {
        match rustix::fs::openat(&self.fd, name, OFlags::RDONLY | PLAIN, Mode::empty()) {
            Ok(fd) => regular(fd.into(), name).map(Some),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens a file to be read and written; it is made if it is not there.
    pub(crate) fn write(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | PLAIN;
        let fd = rustix::fs::openat(&self.fd, name, flags, Mode::from_raw_mode(0o666))?;
        let file = regular(fd.into(), name)?;
        self.sync()?;
        Ok(file)
    }

    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.fd)?.take(NAMES_MAX) {
            if let Ok(name) = entry?.file_name().to_str() {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// Gives a folder in this one its final name, which must be free.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        rustix::fs::renameat(&self.fd, from, &self.fd, to)?;
        self.sync()
    }

    fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.fd)?)
    }
}

fn regular(file: File, name: &str) -> io::Result<File> {
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("`{name}` is not a regular file")))
}

/// A link is not followed, and a pipe not waited for.
const PLAIN: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);
const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const NAMES_MAX: usize = 10_000;
