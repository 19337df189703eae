//! The content that records name by digest. The store check has hashed all blobs; this only checks that they exist.

use std::collections::BTreeMap;
use std::sync::Mutex;

use sealwright_kernel::{Digest, Seq, TaskId};
use sealwright_store::disk::{Disk as _, RealDisk};
use sealwright_store::{Layout, Record};
use serde::{Deserialize, Serialize};

use super::Found;

/// A frozen file. A blob that holds a JSON list of these is a frozen set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrozenFile {
    pub path: String,
    /// The digest of its content in the store.
    pub sha256: Digest,
}

/// Which blobs the store holds.
pub(super) struct Content<'a> {
    layout: &'a Layout,
    disk: RealDisk,
    checked: Mutex<BTreeMap<Digest, Kept>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    Here,
    Gone,
}

/// The content that the records of one task name.
#[derive(Debug, Default)]
pub(super) struct Named {
    wanted: BTreeMap<Digest, (Seq, String)>,
    sets: BTreeMap<Digest, Seq>,
    sizes: BTreeMap<Digest, u64>,
}

impl Named {
    /// Notes the sizes of a record's blobs.
    pub(super) fn note_sizes(&mut self, record: &Record) {
        self.sizes.extend(record.blobs.iter().map(|blob| (blob.sha256, blob.size)));
    }

    /// `content` must be in the store. A finding names the first record that names it.
    pub(super) fn want(&mut self, content: Digest, seq: Seq, what: &str) {
        self.wanted.entry(content).or_insert_with(|| (seq, what.to_owned()));
    }

    /// A frozen set must be in the store, with every file in it.
    pub(super) fn want_set(&mut self, content: Digest, seq: Seq, what: &str) {
        self.want(content, seq, what);
        self.sets.entry(content).or_insert(seq);
    }

    /// The named content that is not in the store.
    pub(super) fn missing(mut self, content: &Content<'_>, task: &TaskId) -> Vec<Found> {
        for (set, seq) in std::mem::take(&mut self.sets) {
            for FrozenFile { path, sha256 } in content.files_of(&set) {
                self.want(sha256, seq, &format!("the frozen file {path}"));
            }
        }
        let is_elsewhere = |digest: &Digest| {
            self.sizes.get(digest).is_some_and(|size| *size > sealwright_store::COMMITTED_BYTES_MAX)
        };
        let gone = self.wanted.iter().filter(|(digest, _)| !content.holds(digest));
        gone.filter(|(digest, _)| !is_elsewhere(digest))
            .map(|(digest, (seq, what))| Found {
                object: format!("blob {digest}"),
                stream: Some(task.stream().clone()),
                seq: Some(*seq),
                finding: format!("{task}, record {seq}: {what} ({digest}) is not in the store"),
                hint: format!(
                    "restore {digest} below `.sealwright/store/blobs` from git or a backup"
                ),
            })
            .collect()
    }
}

impl<'a> Content<'a> {
    pub(super) fn of(layout: &'a Layout) -> Self {
        Self { layout, disk: RealDisk::new(layout.root()), checked: Mutex::default() }
    }

    fn holds(&self, digest: &Digest) -> bool {
        let mut checked = self.checked.lock().expect("no panic while the lock is held");
        let kept = checked.entry(*digest).or_insert_with(|| {
            let places = SIZES.map(|size| self.layout.blob(digest, size));
            if places.iter().any(|path| self.disk.stat(path).is_ok()) {
                Kept::Here
            } else {
                Kept::Gone
            }
        });
        *kept == Kept::Here
    }

    /// The files of a frozen set. Empty if it is missing or is not such a list.
    fn files_of(&self, set: &Digest) -> Vec<FrozenFile> {
        let places = SIZES.map(|size| self.layout.blob(set, size));
        let found = places.iter().find_map(|path| self.disk.read(path, SET_BYTES_MAX).ok());
        found.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }
}

/// Small and large blobs have different paths.
const SIZES: [u64; 2] = [0, u64::MAX];
const SET_BYTES_MAX: u64 = 4 * 1024 * 1024;
