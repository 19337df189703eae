//! A disk in memory, to measure everything but the disk.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use sealwright_store::disk::{Disk, DiskFile};

/// Files by path. Clones share the disk.
#[derive(Clone, Default)]
pub(crate) struct MemoryDisk {
    files: Arc<Mutex<BTreeMap<PathBuf, MemoryFile>>>,
}

/// One file. Clones share the file.
#[derive(Clone, Default)]
pub(crate) struct MemoryFile(Arc<Mutex<Vec<u8>>>);

impl MemoryDisk {
    fn files(&self) -> MutexGuard<'_, BTreeMap<PathBuf, MemoryFile>> {
        self.files.lock().expect("no panic while the lock is held")
    }

    fn file(&self, path: &Path) -> io::Result<MemoryFile> {
        self.files().get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl MemoryFile {
    fn content(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().expect("no panic while the lock is held")
    }
}

impl Disk for MemoryDisk {
    type File = MemoryFile;
    type Lock = MemoryFile;

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let files = self.files();
        let below = files.range(folder.to_owned()..).map_while(|(path, _)| {
            path.strip_prefix(folder).ok().and_then(|below| below.components().next())
        });
        let mut names: Vec<String> =
            below.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        names.dedup();
        Ok(names)
    }

    fn stat(&self, path: &Path) -> io::Result<(u64, u128)> {
        Ok((self.file(path)?.size()?, 0))
    }

    fn birth(&self, path: &Path) -> Option<u128> {
        self.file(path).ok().map(|_| 0)
    }

    fn read(&self, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
        let content = self.file(path)?.content().clone();
        if content.len() as u64 > bytes_max {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(content)
    }

    fn open(&self, path: &Path) -> io::Result<MemoryFile> {
        self.file(path)
    }

    fn open_for_writing(&self, path: &Path) -> io::Result<MemoryFile> {
        self.file(path)
    }

    fn create(&self, path: &Path) -> io::Result<MemoryFile> {
        let mut files = self.files();
        if files.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        Ok(files.entry(path.to_owned()).or_default().clone())
    }

    fn sync_folders(&self, _folder: &Path) -> io::Result<()> {
        Ok(())
    }

    fn replace(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let file = MemoryFile(Arc::new(Mutex::new(content.to_vec())));
        self.files().insert(path.to_owned(), file);
        Ok(())
    }

    fn lock(&self, path: &Path) -> io::Result<Result<MemoryFile, Vec<u8>>> {
        // This disk has one user, so the lock is always free.
        Ok(Ok(self.files().entry(path.to_owned()).or_default().clone()))
    }

    fn note(&self, lock: &MemoryFile, content: &[u8]) -> io::Result<()> {
        let mut note = lock.content();
        note.clear();
        note.extend_from_slice(content);
        Ok(())
    }

    fn holds(&self, _lock: &MemoryFile) -> io::Result<bool> {
        Ok(true)
    }

    fn noted(&self, path: &Path) -> io::Result<Vec<u8>> {
        Ok(self.file(path)?.content().clone())
    }
}

impl DiskFile for MemoryFile {
    fn size(&self) -> io::Result<u64> {
        Ok(self.content().len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let content = self.content();
        let rest = usize::try_from(offset).ok().and_then(|from| content.get(from..));
        let rest = rest.unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn write_at(&mut self, offset: u64, content: &[u8]) -> io::Result<()> {
        let from = usize::try_from(offset).map_err(io::Error::other)?;
        let mut file = self.content();
        if from == file.len() {
            file.extend_from_slice(content);
            return Ok(());
        }
        let upto = from + content.len();
        if file.len() < upto {
            file.resize(upto, 0);
        }
        file[from..upto].copy_from_slice(content);
        Ok(())
    }

    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.content().truncate(usize::try_from(len).map_err(io::Error::other)?);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
