//! Where things stand on disk, and what of it goes into git.

use std::path::{Path, PathBuf};

use sealwright_kernel::{Digest, Seq, StreamId, TaskId};

/// The paths below `.sealwright/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    root: PathBuf,
}

impl Layout {
    /// The layout below `root`, which is a repository's `.sealwright`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What a new `.sealwright` begins with: each file and what it says.
    pub fn first_files(&self) -> [(PathBuf, &'static str); 2] {
        [
            (self.root.join(".gitignore"), GITIGNORE),
            (self.root.join(".gitattributes"), GITATTRIBUTES),
        ]
    }

    pub fn journal(&self) -> PathBuf {
        self.root.join("journal")
    }

    pub fn stream(&self, stream: &StreamId) -> PathBuf {
        self.root.join("journal").join(stream.as_str())
    }

    /// Who writes a stream, and how far it is safe on disk. Not in git.
    pub fn lock(&self, stream: &StreamId) -> PathBuf {
        self.work().join("locks").join(format!("{stream}.lock"))
    }

    /// Held while the views of a project are written. Not in git.
    pub fn views_lock(&self) -> PathBuf {
        self.work().join("locks").join("project.views.lock")
    }

    /// What only this machine keeps: locks, and what was said while work was done. Not in git.
    pub fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// A project's own templates of what roles are told, where it has any.
    pub fn briefs(&self) -> PathBuf {
        self.root.join("briefs")
    }

    /// All snapshots. Not in git, and may be deleted.
    pub fn snapshots(&self) -> PathBuf {
        self.root.join("cache").join("snapshots")
    }

    pub fn snapshot(&self, stream: &StreamId) -> PathBuf {
        self.snapshots().join(format!("{stream}.json"))
    }

    /// What is known of all streams, for one purpose. Not in git, and may be deleted.
    pub fn catalog(&self, name: &str) -> PathBuf {
        self.root.join("cache").join(format!("{name}.jsonl"))
    }

    /// A task's folder: its text and its views.
    pub fn task(&self, task: &TaskId) -> PathBuf {
        self.root.join("tasks").join(task.as_str())
    }

    /// What people need to decide about halts, and what they decided.
    pub fn escalations(&self) -> PathBuf {
        self.root.join("escalations")
    }

    /// What people had written into views when record `seq` was the last.
    pub fn hand_edits(&self, seq: Seq) -> PathBuf {
        self.root.join("handedits").join(seq.to_string())
    }

    /// Public keys, and who vouches for them.
    pub fn keys(&self) -> PathBuf {
        self.root.join("keys")
    }

    /// The state store: artifacts, modules, records, blobs.
    pub fn store(&self) -> PathBuf {
        self.root.join("store")
    }

    pub fn attestations(&self) -> PathBuf {
        self.root.join("store").join("attestations")
    }

    pub fn statement(&self, task: &TaskId, name: &str) -> PathBuf {
        self.attestations().join(task.as_str()).join(format!("{name}.json"))
    }

    /// Signatures of people over records that are theirs.
    pub fn decisions(&self, stream: &StreamId) -> PathBuf {
        self.all_decisions().join(stream.as_str())
    }

    pub fn all_decisions(&self) -> PathBuf {
        self.root.join("store").join("decisions")
    }

    /// Content by its digest.
    pub fn blobs(&self) -> PathBuf {
        self.root.join("store").join("blobs")
    }

    /// Where the content called `digest` of `size` bytes stands.
    pub fn blob(&self, digest: &Digest, size: u64) -> PathBuf {
        self.blobs().join(blob_key(digest, size))
    }
}

/// The key of a blob. Large ones live apart, so that one line keeps them out of git.
pub(crate) fn blob_key(digest: &Digest, size: u64) -> String {
    let hex = digest.to_string();
    let room = if size > COMMITTED_BYTES_MAX { "large/sha256" } else { "sha256" };
    format!("{room}/{}/{}", &hex[..2], &hex[2..])
}

const GITIGNORE: &str = "\
# Sealwright writes this folder; commit the rest of it.
cache/
work/
store/blobs/large/
";

/// What `.sealwright/.gitattributes` says: a changed line end is a changed record.
const GITATTRIBUTES: &str = "* -text\n";

/// Blobs above this stay out of git; their digests stay in.
pub const COMMITTED_BYTES_MAX: u64 = 1024 * 1024;
