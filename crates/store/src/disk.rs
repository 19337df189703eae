//! The few things a journal needs of a disk, so that the same code runs on a real one and
//! on one that crashes on purpose.

use std::io;
use std::path::Path;

mod real;
#[cfg(feature = "testing")]
mod simulated;

pub use real::{RealDisk, RealLock};
#[cfg(feature = "testing")]
pub use simulated::{Faults, SimulatedDisk};

/// The longest note that is read back from a lock.
pub const NOTE_BYTES_MAX: usize = 256;

pub trait Disk: Clone + Send + Sync + 'static {
    type File: DiskFile;
    /// A held lock. Dropping it releases it.
    type Lock: Send + Sync + 'static;

    /// The names in a folder, sorted. A folder that is not there is empty.
    fn names(&self, folder: &Path) -> io::Result<Vec<String>>;

    /// The length of a file and a stamp that differs when it was written again.
    fn stat(&self, path: &Path) -> io::Result<(u64, u128)>;

    /// The same for many files, one after the other.
    fn looker(&self) -> Look<'_> {
        Box::new(|path| self.stat(path))
    }

    /// When a file was made, as its file system says; a copy of it was made later. `None` where that is not known.
    fn birth(&self, path: &Path) -> Option<u128>;

    /// A file of a cache, whole; one that is longer than `bytes_max` is an error.
    fn read(&self, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>>;

    /// The same, or `None` if there is no such file.
    fn read_if_there(&self, path: &Path, bytes_max: u64) -> io::Result<Option<Vec<u8>>> {
        match self.read(path, bytes_max) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens a file that is there, for reading.
    fn open(&self, path: &Path) -> io::Result<Self::File>;

    /// Opens a file that is there, for reading and writing.
    fn open_for_writing(&self, path: &Path) -> io::Result<Self::File>;

    /// Makes a new file and the folders above it. Its name survives a crash only after
    /// [`sync_folders`](Self::sync_folders).
    fn create(&self, path: &Path) -> io::Result<Self::File>;

    /// Returns when the names in `folder`, and the folders above it, are durable.
    fn sync_folders(&self, folder: &Path) -> io::Result<()>;

    /// Puts a file of a cache in place of the old one, in one step. It may be lost in a
    /// crash.
    fn replace(&self, path: &Path, content: &[u8]) -> io::Result<()>;

    /// Takes the lock at `path`, or gives back what its holder noted there.
    fn lock(&self, path: &Path) -> io::Result<Result<Self::Lock, Vec<u8>>>;

    /// Notes something short at the lock, for others to read. It may be lost in a crash, but
    /// it is never there before what was made durable earlier.
    fn note(&self, lock: &Self::Lock, content: &[u8]) -> io::Result<()>;

    /// Whether the lock still keeps others out: its file may have been deleted.
    fn holds(&self, lock: &Self::Lock) -> io::Result<bool>;

    /// What was last noted at the lock at `path`.
    fn noted(&self, path: &Path) -> io::Result<Vec<u8>>;
}

/// Tells the length and the stamp of a file.
pub type Look<'a> = Box<dyn Fn(&Path) -> io::Result<(u64, u128)> + 'a>;

pub trait DiskFile: Send + Sync + 'static {
    /// Its length. A file that has no name any more is not found.
    fn size(&self) -> io::Result<u64>;

    /// Reads into `buffer` and says how much there was.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Writes all of `content`; on an error, any part of it may have been written.
    fn write_at(&mut self, offset: u64, content: &[u8]) -> io::Result<()>;

    /// Cuts the file to `len`.
    fn cut(&mut self, len: u64) -> io::Result<()>;

    /// Returns when all that was written is durable. After an error it may not be, and may
    /// never become so, unless it is written again.
    fn sync(&mut self) -> io::Result<()>;
}
