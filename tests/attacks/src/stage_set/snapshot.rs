//! A tree as it was at one moment: names, contents, and what the file system says about them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// A tree as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Snapshot(BTreeMap<PathBuf, Entry>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    mode: u32,
    owner: (u32, u32),
    links: u64,
    changed: (i64, i64),
    attributes: Vec<u8>,
    content: Vec<u8>,
}

impl Snapshot {
    /// The tree below a path, or the one file at it.
    pub(super) fn of(path: &Path) -> Self {
        let mut entries = BTreeMap::new();
        look(path, &mut entries);
        Self(entries)
    }

    /// The first thing in which a later snapshot differs.
    pub(super) fn difference(&self, later: &Self) -> Option<String> {
        for (path, before) in &self.0 {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let Some(after) = later.0.get(path) else { return Some(format!("{name} is gone")) };
            let kinds = [
                ("content", before.content != after.content),
                ("mode", before.mode != after.mode),
                ("owner", before.owner != after.owner),
                ("attributes", before.attributes != after.attributes),
                ("time", before.changed != after.changed),
                ("links", before.links != after.links),
            ];
            let changed: Vec<&str> =
                kinds.iter().filter(|(_, is)| *is).map(|(kind, _)| *kind).collect();
            if !changed.is_empty() {
                return Some(format!("{name}: {} changed", changed.join(", ")));
            }
        }
        let new = later.0.keys().find(|path| !self.0.contains_key(*path))?;
        Some(format!("{} is new", new.file_name().unwrap_or_default().to_string_lossy()))
    }
}

fn look(path: &Path, entries: &mut BTreeMap<PathBuf, Entry>) {
    let Ok(metadata) = path.symlink_metadata() else { return };
    let kind = metadata.file_type();
    let content = if kind.is_symlink() {
        fs::read_link(path).map(|to| to.into_os_string().into_encoded_bytes()).unwrap_or_default()
    } else if kind.is_file() && metadata.len() <= CONTENT_BYTES_MAX {
        fs::read(path).unwrap_or_default()
    } else {
        metadata.len().to_ne_bytes().to_vec()
    };
    let mut attributes = vec![0; 4096];
    let length = rustix::fs::llistxattr(path, &mut attributes).unwrap_or(0);
    attributes.truncate(length);
    let entry = Entry {
        mode: metadata.mode(),
        owner: (metadata.uid(), metadata.gid()),
        links: metadata.nlink(),
        changed: (metadata.mtime(), metadata.mtime_nsec()),
        attributes,
        content: if kind.is_dir() || kind.is_socket() { Vec::new() } else { content },
    };
    entries.insert(path.to_path_buf(), entry);
    if kind.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            look(&entry.path(), entries);
        }
    }
}

const CONTENT_BYTES_MAX: u64 = 64 << 20;
