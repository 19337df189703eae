//! Bare writes: the same lines appended to one file, each synced.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// An append-only file.
pub(crate) struct Bare {
    file: File,
    len: u64,
}

impl Bare {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { file: File::create(path)?, len: 0 })
    }

    pub(crate) fn append(&mut self, line: &[u8]) -> io::Result<()> {
        self.file.write_all_at(line, self.len)?;
        self.len += line.len() as u64;
        self.file.sync_data()
    }
}
