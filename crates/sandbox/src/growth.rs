//! Growth: how much the trees that a run may write to have grown, looked at while it runs.
//!
//! A file system has no bound for a folder that an ordinary user could set, so the host looks. Between two
//! looks a run can write more than its bound; it is ended at the next.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::plan::{Access, Limits, Plan};

pub(crate) struct Growth {
    trees: Vec<PathBuf>,
    before: Size,
    next: Instant,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Size {
    bytes: u64,
    files: u64,
}

impl Growth {
    pub(crate) fn begin(plan: &Plan, now: Instant) -> Self {
        let writable = plan.mounts.iter().filter(|mount| mount.access == Access::ReadWrite);
        let trees: Vec<_> = writable.map(|mount| mount.source.clone()).collect();
        let before = size_of(&trees, u64::MAX);
        Self { trees, before, next: now + PAUSE }
    }

    /// When to look again; never for a run that may write nowhere.
    pub(crate) fn next(&self) -> Option<Instant> {
        (!self.trees.is_empty()).then_some(self.next)
    }

    pub(crate) fn is_too_much(&mut self, limits: &Limits, now: impl Fn() -> Instant) -> bool {
        let began = now();
        let most = self.before.files.saturating_add(limits.tree_files_max);
        let size = size_of(&self.trees, most);
        let ended = now();
        // A large tree takes long to walk, and looking must not cost more than a twentieth of the time.
        self.next = ended + PAUSE.max((ended - began) * 20);
        size.files > most || size.bytes > self.before.bytes.saturating_add(limits.tree_bytes)
    }
}

fn size_of(trees: &[PathBuf], files_max: u64) -> Size {
    let mut size = Size::default();
    for tree in trees {
        add(tree, files_max, &mut size);
    }
    size
}

/// Links are counted and not followed. What cannot be looked into counts by itself.
fn add(path: &Path, files_max: u64, size: &mut Size) {
    let Ok(metadata) = fs::symlink_metadata(path) else { return };
    size.files += 1;
    size.bytes += metadata.blocks() * BLOCK_BYTES;
    if size.files > files_max || !metadata.is_dir() {
        return;
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        add(&entry.path(), files_max, size);
    }
}

const PAUSE: Duration = Duration::from_millis(100);
/// What the system counts blocks in, whatever the disk does.
const BLOCK_BYTES: u64 = 512;
