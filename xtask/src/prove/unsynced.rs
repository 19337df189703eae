//! A disk that never syncs, for generating large journals quickly.

use std::fs::File;
use std::io;
use std::path::Path;

use sealwright_store::disk::{Disk, DiskFile, RealDisk};
use sealwright_store::{FileJournal, Layout};

#[derive(Clone)]
pub(crate) struct UnsyncedDisk(RealDisk);

pub(crate) struct UnsyncedFile(File);

/// A journal whose records are not synced.
pub(crate) fn unsynced(layout: &Layout) -> FileJournal<UnsyncedDisk> {
    FileJournal::on(UnsyncedDisk(RealDisk::new(layout.root())), layout.clone())
}

impl Disk for UnsyncedDisk {
    type File = UnsyncedFile;
    type Lock = <RealDisk as Disk>::Lock;

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.0.names(folder)
    }

    fn stat(&self, path: &Path) -> io::Result<(u64, u128)> {
        self.0.stat(path)
    }

    fn birth(&self, path: &Path) -> Option<u128> {
        self.0.birth(path)
    }

    fn read(&self, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
        self.0.read(path, bytes_max)
    }

    fn open(&self, path: &Path) -> io::Result<UnsyncedFile> {
        self.0.open(path).map(UnsyncedFile)
    }

    fn open_for_writing(&self, path: &Path) -> io::Result<UnsyncedFile> {
        self.0.open_for_writing(path).map(UnsyncedFile)
    }

    fn create(&self, path: &Path) -> io::Result<UnsyncedFile> {
        self.0.create(path).map(UnsyncedFile)
    }

    fn sync_folders(&self, _folder: &Path) -> io::Result<()> {
        Ok(())
    }

    fn replace(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        self.0.replace(path, content)
    }

    fn lock(&self, path: &Path) -> io::Result<Result<Self::Lock, Vec<u8>>> {
        self.0.lock(path)
    }

    fn note(&self, lock: &Self::Lock, content: &[u8]) -> io::Result<()> {
        self.0.note(lock, content)
    }

    fn holds(&self, lock: &Self::Lock) -> io::Result<bool> {
        self.0.holds(lock)
    }

    fn noted(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.noted(path)
    }
}

impl DiskFile for UnsyncedFile {
    fn size(&self) -> io::Result<u64> {
        self.0.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        DiskFile::read_at(&self.0, offset, buffer)
    }

    fn write_at(&mut self, offset: u64, content: &[u8]) -> io::Result<()> {
        DiskFile::write_at(&mut self.0, offset, content)
    }

    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.0.cut(len)
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
