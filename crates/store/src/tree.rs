//! A candidate tree as it is stored: a commit, and the files that differ from it.
//!
//! A tree is named by its content: the same commit with the same differences has the same digest everywhere. The blob
//! with that digest is its canonical JSON.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::{Digest, canonical_json};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    pub commit: String,
    /// The digest of that commit's files.
    pub base: Digest,
    /// The files that differ, by path. `None` is a deleted file.
    pub changes: BTreeMap<String, Option<Leaf>>,
}

/// The files of a commit by path.
pub type Leaves = BTreeMap<String, Leaf>;

/// A file of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaf {
    /// The content; for a link, its target.
    pub content: Digest,
    pub bytes: u64,
    pub kind: LeafKind,
}

/// The kind of a file in a commit or a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeafKind {
    Plain,
    Executable,
    Link,
}

impl Tree {
    pub fn digest(&self) -> Digest {
        Digest::of(&self.text())
    }

    /// What is stored under the digest.
    pub fn text(&self) -> Vec<u8> {
        // Plain data of a bounded depth always has a canonical form.
        canonical_json(self).unwrap_or_default()
    }

    /// The commit that this tree starts from, without its changes.
    #[must_use]
    pub fn unchanged(&self) -> Self {
        Self { commit: self.commit.clone(), base: self.base, changes: BTreeMap::new() }
    }

    /// All files, ordered by path.
    pub fn leaves<'t>(&'t self, base: &'t Leaves) -> impl Iterator<Item = (&'t str, Leaf)> {
        let kept = base.iter().filter(|(path, _)| !self.changes.contains_key(*path));
        let changed = self.changes.iter().filter_map(|(path, leaf)| Some((path, leaf.as_ref()?)));
        let all: BTreeMap<&String, &Leaf> = kept.chain(changed).collect();
        all.into_iter().map(|(path, leaf)| (path.as_str(), *leaf))
    }

    pub fn leaf(&self, base: &Leaves, path: &str) -> Option<Leaf> {
        match self.changes.get(path) {
            Some(changed) => *changed,
            None => base.get(path).copied(),
        }
    }

    /// The paths of all files of this tree or of `before`, in order.
    pub fn paths<'t>(&'t self, base: &'t Leaves, before: &'t Self) -> BTreeSet<&'t str> {
        let all = base.keys().chain(self.changes.keys()).chain(before.changes.keys());
        all.map(String::as_str).collect()
    }

    pub fn without(&mut self, base: &Leaves, path: &str) {
        self.set(base, path, None);
    }

    pub fn set(&mut self, base: &Leaves, path: &str, now: Option<Leaf>) {
        // A file that equals the base is no change, so that one content has one digest.
        if base.get(path).copied() == now {
            self.changes.remove(path);
        } else {
            self.changes.insert(path.to_owned(), now);
        }
    }
}

impl Leaf {
    pub fn of(content: &[u8], kind: LeafKind) -> Self {
        Self { content: Digest::of(content), bytes: content.len() as u64, kind }
    }
}

/// The digest of all files of a commit.
pub fn digest_of_leaves(leaves: &Leaves) -> Digest {
    Digest::of(&canonical_json(leaves).unwrap_or_default())
}
