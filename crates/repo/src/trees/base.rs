//! A base: all files of one commit, in a folder that every task beginning there shares.
//!
//! ```text
//! base-<commit>/       the files; made once, never written again
//! base-<commit>.json   which object and content each file has; written last
//! base-<commit>.lock   held shared by users, exclusively while the folder is made or reclaimed
//! ```
//!
//! A folder found on disk is used only if its list matches the commit and every file matches the list. Locks end with
//! their process, so a crash leaves nothing behind that another process would wait for.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::ops::Deref;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sealwright_kernel::{Digest, TreePath};
use sealwright_store::{Leaves, digest_of_leaves};
use serde::{Deserialize, Serialize};

use super::{BYTES_MAX, FILE_BYTES_MAX, FILES_MAX, Leaf, TreeError, folder};
use crate::git::objects::{self, Contents, Entry};

#[derive(Debug)]
pub struct Base {
    commit: String,
    digest: Digest,
    leaves: Leaves,
    folder: PathBuf,
    /// While this shared lock is held, the folder is not reclaimed.
    _in_use: File,
}

impl Base {
    /// Opens the base of `commit` below `place`, and reclaims other bases there that are not in use.
    pub(super) fn open(repository: &Path, place: &Path, commit: String) -> Result<Self, TreeError> {
        let entries = objects::entries(repository, &commit)?;
        if entries.len() > FILES_MAX {
            return Err(TreeError::TooMuch { what: "files", most: FILES_MAX as u64 });
        }
        fs::create_dir_all(place)?;
        let files = Files::of(place, &commit);
        for _ in 0..TRIES_MAX {
            let lock = files.lock()?;
            lock.lock_shared()?;
            if let Some(leaves) = files.read_back(&entries, &lock)? {
                files.reclaim_others()?;
                let digest = digest_of_leaves(&leaves);
                return Ok(Self { commit, digest, leaves, folder: files.folder, _in_use: lock });
            }
            lock.unlock()?;
            // One at a time makes it, and the others wait for that one.
            let making = open_lock(&files.making)?;
            making.lock()?;
            match lock.try_lock() {
                Ok(()) if files.read_back(&entries, &lock)?.is_none() => {
                    files.make(repository, &entries)?;
                }
                // Somebody only looks whether it is there.
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
        }
        Err(TreeError::Changed { path: files.folder.display().to_string() })
    }

    pub fn commit(&self) -> &str {
        &self.commit
    }

    /// The digest of all files.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    pub fn leaves(&self) -> &Leaves {
        &self.leaves
    }

    pub(super) fn content(&self, path: &str, leaf: Leaf) -> Result<Vec<u8>, TreeError> {
        let content = folder::read(&self.folder, path, leaf.kind)?;
        if Digest::of(&content) == leaf.content {
            Ok(content)
        } else {
            Err(TreeError::Changed { path: path.to_owned() })
        }
    }

    #[cfg(test)]
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

/// A base is its files; a tree on top of it is asked with them.
impl Deref for Base {
    type Target = Leaves;

    fn deref(&self) -> &Leaves {
        &self.leaves
    }
}

struct Files {
    place: PathBuf,
    name: String,
    folder: PathBuf,
    list: PathBuf,
    lock: PathBuf,
    making: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Listed {
    object: String,
    leaf: Leaf,
}

impl Files {
    fn of(place: &Path, commit: &str) -> Self {
        Self::named(place, format!("{PREFIX}{commit}"))
    }

    fn named(place: &Path, name: String) -> Self {
        let beside = |ending: &str| place.join(format!("{name}.{ending}"));
        let (list, lock, making) = (beside("json"), beside("lock"), beside("making"));
        Self { place: place.to_owned(), folder: place.join(&name), name, list, lock, making }
    }

    fn lock(&self) -> io::Result<File> {
        open_lock(&self.lock)
    }

    /// The files on disk, if they are exactly those of the commit. `lock` is held.
    fn read_back(
        &self,
        entries: &[Entry],
        lock: &File,
    ) -> Result<Option<BTreeMap<String, Leaf>>, TreeError> {
        // A lock file that was reclaimed in the meantime locks nothing.
        let is_current = fs::metadata(&self.lock)
            .is_ok_and(|now| lock.metadata().is_ok_and(|held| held.ino() == now.ino()));
        let list = fs::read(&self.list).ok();
        let list = list.and_then(|text| serde_json::from_slice(&text).ok());
        let Some(list) = list.filter(|_| is_current) else { return Ok(None) };
        let list: BTreeMap<String, Listed> = list;
        if list.len() != entries.len() {
            return Ok(None);
        }
        let mut leaves = BTreeMap::new();
        for entry in entries {
            let Some(listed) = list.get(&entry.path) else { return Ok(None) };
            if listed.object != entry.object || listed.leaf.kind != entry.kind {
                return Ok(None);
            }
            let found = folder::read(&self.folder, &entry.path, entry.kind);
            if found.is_err() || found.is_ok_and(|found| Digest::of(&found) != listed.leaf.content)
            {
                return Ok(None);
            }
            leaves.insert(entry.path.clone(), listed.leaf);
        }
        Ok(Some(leaves))
    }

    /// Reads everything from the repository. The lock is held exclusively.
    fn make(&self, repository: &Path, entries: &[Entry]) -> Result<(), TreeError> {
        let mut contents = Contents::open(repository)?;
        let mut list = BTreeMap::new();
        let mut total = 0_u64;
        remove(&self.list)?;
        folder::fill(&self.folder, |making| {
            for entry in entries {
                let path = TreePath::new(&entry.path)?;
                let content = contents.read(entry, FILE_BYTES_MAX)?;
                total = total.saturating_add(content.len() as u64);
                if total > BYTES_MAX {
                    return Err(TreeError::TooMuch { what: "bytes", most: BYTES_MAX });
                }
                let leaf = Leaf::of(&content, entry.kind);
                folder::put(making, path.as_str(), leaf.kind, &content)?;
                list.insert(entry.path.clone(), Listed { object: entry.object.clone(), leaf });
            }
            Ok(())
        })?;
        let text = serde_json::to_vec(&list).map_err(io::Error::other)?;
        let new = tempfile::NamedTempFile::new_in(&self.place)?;
        fs::write(new.path(), text)?;
        new.persist(&self.list).map_err(|error| error.error)?;
        Ok(())
    }

    /// Removes bases that are not in use, except this one and the newest few.
    fn reclaim_others(&self) -> io::Result<()> {
        let mut others: Vec<(SystemTime, String)> = Vec::new();
        for entry in fs::read_dir(&self.place)?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(name) = name.strip_suffix(".lock").filter(|it| it.starts_with(PREFIX)) else {
                continue;
            };
            let made = fs::metadata(self.place.join(format!("{name}.json")));
            let made = made.and_then(|it| it.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
            if name != self.name {
                others.push((made, name.to_owned()));
            }
        }
        others.sort();
        others.truncate(others.len().saturating_sub(UNUSED_MAX));
        for (_, name) in others {
            let files = Self::named(&self.place, name);
            let lock = files.lock()?;
            if lock.try_lock().is_ok() {
                remove(&files.list)?;
                if files.folder.exists() {
                    fs::remove_dir_all(&files.folder)?;
                }
                remove(&files.making)?;
                remove(&files.lock)?;
            }
        }
        Ok(())
    }
}

fn open_lock(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).create(true).open(path)
}

fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

const PREFIX: &str = "base-";
/// A base is made at most once a try; another try follows if it was reclaimed or made elsewhere meanwhile.
const TRIES_MAX: u32 = 32;
/// How many bases are kept although no task uses them.
const UNUSED_MAX: usize = 3;
