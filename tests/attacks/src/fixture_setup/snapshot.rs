//! A snapshot of a tree: names, contents and metadata.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

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
    /// The tree below a path, or one file.
    pub(super) fn of(path: &Path) -> Self {
        let mut entries = BTreeMap::new();
        look(path, &mut entries);
        Self(entries)
    }

    /// The most relevant difference of a later snapshot: a file before the time of its folder.
    pub(super) fn difference(&self, later: &Self) -> Option<String> {
        let name =
            |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let gone = self.0.keys().find(|path| !later.0.contains_key(*path));
        let new = later.0.keys().find(|path| !self.0.contains_key(*path));
        let mut changed: Vec<(usize, String)> = Vec::new();
        for (path, before) in &self.0 {
            let kinds =
                later.0.get(path).map(|after| before.changed_kinds(after)).unwrap_or_default();
            if let Some(first) = kinds.first() {
                let rank = KINDS.iter().position(|kind| kind == first).unwrap_or(KINDS.len());
                changed.push((rank, format!("{}: {} changed", name(path), kinds.join(", "))));
            }
        }
        changed.sort();
        let first_changed = changed.into_iter().next().map(|(_, what)| what);
        gone.map(|path| format!("{} is gone", name(path)))
            .or(new.map(|path| format!("{} is new", name(path))))
            .or(first_changed)
    }
}

impl Entry {
    fn changed_kinds(&self, after: &Self) -> Vec<&'static str> {
        let is_changed = [
            self.content != after.content,
            self.mode != after.mode,
            self.owner != after.owner,
            self.attributes != after.attributes,
            self.links != after.links,
            self.changed != after.changed,
        ];
        KINDS.iter().zip(is_changed).filter(|(_, is)| *is).map(|(kind, _)| *kind).collect()
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

/// In order of relevance.
const KINDS: [&str; 6] = ["content", "mode", "owner", "attributes", "links", "time"];
