//! The write lease: of one work tree there is one writer at a time.
//!
//! The lease is a lock of the system, so it ends with the process that holds it, however that ends. It is known by
//! the tree itself and not by its path; two paths to one tree are one lease. The file stands where no role can reach
//! it, and says who holds it.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;

use rustix::fs::{FlockOperation, Mode, OFlags, flock, openat};
use rustix::io::Errno;

use super::beneath::{Folder, Identity, obstacle};
use super::error::ViewError;
use sealwright_kernel::shown;

/// The right to write one work tree. It ends when this is dropped.
#[derive(Debug)]
pub struct WriteLease {
    tree: Identity,
    // Held, never read: the lock lives as long as the file is open.
    _lock: File,
}

impl WriteLease {
    /// Takes the lease of the tree at `tree`, as `holder`. `leases` is a folder of the harness.
    pub fn take(tree: &Path, leases: &Path, holder: &str) -> Result<Self, ViewError> {
        let open =
            |path: &Path| Folder::open(path).map_err(ViewError::unfit(path.display().to_string()));
        let tree = open(tree)?.identity().map_err(ViewError::unfit("the work tree"))?;
        let name = format!("{}.lease", tree.name());
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = openat(open(leases)?.handle(), &name, flags, Mode::RUSR | Mode::WUSR);
        let mut lock = File::from(opened.map_err(obstacle).map_err(ViewError::unfit(&*name))?);
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                return Err(ViewError::Leased { holder: holder_of(&mut lock) });
            }
            Err(error) => return Err(ViewError::io("lock the work tree", error.into())),
        }
        let failed = |source| ViewError::io("write the lease", source);
        lock.set_len(0).map_err(failed)?;
        lock.rewind().map_err(failed)?;
        let holder: String = holder.chars().take(HOLDER_MAX).collect();
        lock.write_all(holder.as_bytes()).map_err(failed)?;
        Ok(Self { tree, _lock: lock })
    }

    pub(super) fn is_for(&self, tree: Identity) -> bool {
        self.tree == tree
    }
}

fn holder_of(lock: &mut File) -> String {
    let mut bytes = Vec::new();
    // The name is only for messages.
    let _ = lock.take(HOLDER_MAX as u64 * 4).read_to_end(&mut bytes);
    let text = shown(&String::from_utf8_lossy(&bytes));
    if text.is_empty() { "somebody".to_owned() } else { text }
}

const HOLDER_MAX: usize = 200;

#[cfg(test)]
mod tests;
