//! Scratch folders of one process, gone with it: whoever comes next removes what a killed one left.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A folder for temporary copies. A lock beside it says that its process lives.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: PathBuf,
    lock: PathBuf,
    _held: File,
}

impl Scratch {
    /// A new folder below `parent`, after folders of processes that are gone were removed.
    pub(crate) fn open(parent: &Path) -> io::Result<Self> {
        fs::create_dir_all(parent)?;
        sweep(parent)?;
        let (held, lock) =
            tempfile::Builder::new().prefix("run-").suffix(LOCK).tempfile_in(parent)?.keep()?;
        held.lock()?;
        let folder = folder_of(&lock);
        fs::create_dir(&folder)?;
        Ok(Self { folder, lock, _held: held })
    }

    pub(crate) fn new_folder(&self) -> io::Result<tempfile::TempDir> {
        tempfile::tempdir_in(&self.folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is swept by the next one.
        let _ = fs::remove_dir_all(&self.folder);
        let _ = fs::remove_file(&self.lock);
    }
}

/// Removes every folder whose lock nobody holds.
fn sweep(parent: &Path) -> io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let lock = entry?.path();
        if !lock.to_str().is_some_and(|name| name.ends_with(LOCK)) {
            continue;
        }
        let Ok(held) = File::open(&lock) else { continue };
        if held.try_lock().is_ok() {
            let _ = fs::remove_dir_all(folder_of(&lock));
            let _ = fs::remove_file(&lock);
        }
    }
    Ok(())
}

fn folder_of(lock: &Path) -> PathBuf {
    lock.with_extension("")
}

const LOCK: &str = ".lock";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dead_process_left_is_removed_and_what_a_living_one_uses_is_not() {
        let parent = tempfile::tempdir().unwrap();
        let living = Scratch::open(parent.path()).unwrap();
        let copy = living.new_folder().unwrap();
        fs::write(copy.path().join("file"), "text").unwrap();
        let dead = parent.path().join("run-dead");
        fs::create_dir_all(dead.join("copy")).unwrap();
        fs::write(parent.path().join("run-dead.lock"), "").unwrap();
        let other = Scratch::open(parent.path()).unwrap();
        assert!(!dead.exists() && !parent.path().join("run-dead.lock").exists());
        assert!(copy.path().join("file").is_file());
        drop(copy);
        drop((living, other));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
