//! The disk of the machine.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{AtFlags, Mode, OFlags};

use super::{Disk, DiskFile, Look, NOTE_BYTES_MAX};

/// The file system, below one folder.
///
/// A repository is hostile input and may hold links. Nothing is ever written through a
/// link below the folder, wherever it leads.
#[derive(Clone, Debug)]
pub struct RealDisk {
    root: PathBuf,
    /// The folder, held open by readers: paths below it are short to walk.
    opened: Arc<Mutex<Option<Arc<OwnedFd>>>>,
    /// Folders that hold other folders, by device and number, whose own names were durable when they were last synced.
    named: Arc<Mutex<BTreeMap<PathBuf, (u64, u64)>>>,
}

impl RealDisk {
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), opened: Arc::default(), named: Arc::default() }
    }

    /// Opens something to be read. A link is not followed, and a pipe not waited for.
    fn open_at(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        match path.strip_prefix(&self.root) {
            Ok(below) => Ok(rustix::fs::openat(self.root()?, below, flags, Mode::empty())?),
            Err(_) => Ok(rustix::fs::open(path, flags, Mode::empty())?),
        }
    }

    fn root(&self) -> io::Result<Arc<OwnedFd>> {
        let mut opened = self.opened.lock().expect("nobody panics while opening");
        if let Some(root) = &*opened {
            return Ok(root.clone());
        }
        // On Linux the folder is only walked through, which needs no right to read it.
        #[cfg(target_os = "linux")]
        let folder = OFlags::DIRECTORY | OFlags::PATH | OFlags::CLOEXEC;
        #[cfg(not(target_os = "linux"))]
        let folder = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        let root = Arc::new(rustix::fs::open(&self.root, folder, Mode::empty())?);
        Ok(opened.insert(root).clone())
    }

    /// Takes a lock that is held for a moment, as soon as no other process holds it.
    pub fn wait_for_lock(&self, path: &Path) -> io::Result<RealLock> {
        let waits = |file: &File| file.lock().map_err(TryLockError::Error);
        self.locked(path, waits).map_err(io::Error::from)
    }

    fn locked(
        &self,
        path: &Path,
        take: impl Fn(&File) -> Result<(), TryLockError>,
    ) -> Result<RealLock, TryLockError> {
        self.refuse_links(path).map_err(TryLockError::Error)?;
        std::fs::create_dir_all(above(path)).map_err(TryLockError::Error)?;
        // A writer needs the folder as it is now, so the handle that readers keep is dropped.
        *self.opened.lock().expect("nobody panics while opening") = None;
        loop {
            let mut open = OpenOptions::new();
            let open = open.read(true).write(true).create(true).truncate(false).open(path);
            let file = open.map_err(TryLockError::Error)?;
            take(&file)?;
            // Another process may have deleted the file between opening and locking it; a lock on
            // a file without a name excludes no other process.
            let is_named = match std::fs::metadata(path) {
                Ok(named) => file.metadata().map(|it| it.ino() == named.ino()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
                Err(error) => Err(error),
            };
            if is_named.map_err(TryLockError::Error)? {
                return Ok(RealLock(file));
            }
        }
    }

    pub(crate) fn refuse_links(&self, path: &Path) -> io::Result<()> {
        let below = path.strip_prefix(&self.root).map_err(io::Error::other)?;
        let mut place = self.root.clone();
        let mut parts = below.components();
        loop {
            match std::fs::symlink_metadata(&place) {
                Ok(meta) if meta.is_symlink() => {
                    let why =
                        format!("`{}` is a link; nothing is written through it", place.display());
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(error) => return Err(error),
            }
            match parts.next() {
                Some(part) => place.push(part),
                None => return Ok(()),
            }
        }
    }
}

impl Disk for RealDisk {
    type File = File;
    type Lock = RealLock;

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let folder = match self.open_at(folder, OFlags::DIRECTORY) {
            Ok(folder) => folder,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut names = entries(folder)?;
        names.retain(|name| name != "." && name != "..");
        names.sort_unstable();
        Ok(names)
    }

    fn stat(&self, path: &Path) -> io::Result<(u64, u128)> {
        match path.strip_prefix(&self.root) {
            Ok(below) => stat_at(&*self.root()?, below),
            Err(_) => Ok(seen(&rustix::fs::lstat(path)?)),
        }
    }

    fn birth(&self, path: &Path) -> Option<u128> {
        let made = std::fs::symlink_metadata(path).and_then(|about| about.created()).ok()?;
        Some(made.duration_since(std::time::UNIX_EPOCH).ok()?.as_nanos())
    }

    fn looker(&self) -> Look<'_> {
        // The root is asked for once, and its name cut off without looking at its parts.
        let Ok(root) = self.root() else { return Box::new(|path| self.stat(path)) };
        let skipped = self.root.as_os_str().len() + 1;
        Box::new(move |path| match path.as_os_str().as_bytes().get(skipped..) {
            Some(below) if path.as_os_str().as_bytes()[skipped - 1] == b'/' => {
                stat_at(&root, Path::new(OsStr::from_bytes(below)))
            }
            Some(_) | None => self.stat(path),
        })
    }

    fn read(&self, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        self.open(path)?.take(bytes_max + 1).read_to_end(&mut content)?;
        if content.len() as u64 > bytes_max {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(content)
    }

    fn open(&self, path: &Path) -> io::Result<File> {
        self.open_at(path, OFlags::RDONLY).map(File::from)
    }

    fn open_for_writing(&self, path: &Path) -> io::Result<File> {
        self.refuse_links(path)?;
        OpenOptions::new().read(true).write(true).open(path)
    }

    fn create(&self, path: &Path) -> io::Result<File> {
        self.refuse_links(path)?;
        std::fs::create_dir_all(above(path))?;
        OpenOptions::new().read(true).write(true).create_new(true).open(path)
    }

    fn sync_folders(&self, folder: &Path) -> io::Result<()> {
        // Up to the folder that holds the root, whose name is new in a new repository.
        let outermost = above(&self.root);
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        let mut synced = Vec::new();
        for place in folder.ancestors().take_while(|place| place.starts_with(outermost)) {
            let file =
                File::open(if place.as_os_str().is_empty() { Path::new(".") } else { place })?;
            file.sync_all()?;
            let meta = file.metadata()?;
            let number = (meta.dev(), meta.ino());
            if named.get(place) == Some(&number) {
                break;
            }
            synced.push((place.to_owned(), number));
        }
        // The first is one of many, and new names come into the others.
        named.extend(synced.into_iter().skip(1));
        Ok(())
    }

    fn replace(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        self.refuse_links(path)?;
        std::fs::create_dir_all(above(path))?;
        // Two processes may refresh one cache; each writes a file of its own first. One that
        // is there was left by a process that died, or planted; it is not written to.
        let mut draft = path.as_os_str().to_owned();
        draft.push(format!(".{}.new", std::process::id()));
        let draft = Path::new(&draft);
        let create = || OpenOptions::new().write(true).create_new(true).open(draft);
        let mut file = match create() {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                std::fs::remove_file(draft)?;
                create()?
            }
            created => created?,
        };
        let put = file.write_all(content).and_then(|()| std::fs::rename(draft, path));
        if put.is_err() {
            // On a full disk the draft would only be in the way.
            let _ = std::fs::remove_file(draft);
        }
        put
    }

    fn lock(&self, path: &Path) -> io::Result<Result<RealLock, Vec<u8>>> {
        match self.locked(path, File::try_lock) {
            Ok(lock) => Ok(Ok(lock)),
            Err(TryLockError::WouldBlock) => Ok(Err(self.noted(path)?)),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn note(&self, lock: &RealLock, content: &[u8]) -> io::Result<()> {
        lock.0.write_all_at(content, 0)
    }

    fn holds(&self, lock: &RealLock) -> io::Result<bool> {
        Ok(lock.0.metadata()?.nlink() > 0)
    }

    fn noted(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut note = vec![0; NOTE_BYTES_MAX];
        let count = self.open(path)?.read(&mut note)?;
        note.truncate(count);
        Ok(note)
    }
}

/// Streams are many and their folders small: a buffer on the stack saves half the time.
#[cfg(target_os = "linux")]
fn entries(folder: OwnedFd) -> io::Result<Vec<String>> {
    let mut buffer = [std::mem::MaybeUninit::uninit(); 16 * 1024];
    let mut entries = rustix::fs::RawDir::new(folder, &mut buffer);
    let mut names = Vec::new();
    while let Some(entry) = entries.next() {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}

#[cfg(not(target_os = "linux"))]
fn entries(folder: OwnedFd) -> io::Result<Vec<String>> {
    let entries = rustix::fs::Dir::new(folder)?;
    let name = |entry: rustix::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    entries.map(|entry| Ok(name(entry?))).collect()
}

fn stat_at(root: &OwnedFd, below: &Path) -> io::Result<(u64, u128)> {
    Ok(seen(&rustix::fs::statat(root, below, AtFlags::SYMLINK_NOFOLLOW)?))
}

fn seen(stat: &rustix::fs::Stat) -> (u64, u128) {
    // When it was last changed in any way. The time of its last writing can be set, and an archive brings its own.
    // The fields have other types on other systems.
    let stamp = (u128::from(stat.st_ctime as u64) << 64) | stat.st_ctime_nsec as u128;
    (stat.st_size as u64, stamp)
}

#[derive(Debug)]
pub struct RealLock(File);

impl Drop for RealLock {
    /// Closing is not enough: a process that is just being started holds the file too, until it
    /// becomes another program.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

impl DiskFile for File {
    fn size(&self) -> io::Result<u64> {
        let meta = self.metadata()?;
        match meta.nlink() {
            0 => Err(io::ErrorKind::NotFound.into()),
            _ => Ok(meta.len()),
        }
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match std::os::unix::fs::FileExt::read_at(
                self,
                &mut buffer[filled..],
                offset + filled as u64,
            ) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    fn write_at(&mut self, offset: u64, content: &[u8]) -> io::Result<()> {
        self.write_all_at(content, offset)
    }

    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.set_len(len)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

fn above(path: &Path) -> &Path {
    path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
