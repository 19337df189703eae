//! Candidate trees: a commit and the files that differ from it.
//!
//! ```text
//! commit ──▶ base ──▶ folder ──▶ (a role works in a copy) ──▶ patch ──▶ tree ──▶ digest
//!            read from objects                               contents go to the store
//! ```
//!
//! A tree is named by its content: the same commit with the same differences has the same digest everywhere. Contents
//! that differ are in the store before the tree's digest is reported.

mod base;
mod diff;
mod error;
mod folder;
mod links;
mod patched;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sealwright_kernel::{Digest, TreePath, canonical_json};
use sealwright_store::{BlobRef, Blobs};
use serde::{Deserialize, Serialize};

use crate::git::commits::{self, Changed, NewCommit};
use crate::git::objects;

pub use crate::git::objects::LeafKind;
pub use base::Base;
pub use diff::diff;
pub use error::TreeError;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    pub commit: String,
    /// The digest of that commit's files.
    pub base: Digest,
    /// The files that differ, by path. `None` is a deleted file.
    pub changes: BTreeMap<String, Option<Leaf>>,
}

/// A file of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaf {
    /// The content; for a link, its target.
    pub content: Digest,
    pub bytes: u64,
    pub kind: LeafKind,
}

/// Changed files by path. `None` is a deleted file.
pub type Changes = BTreeMap<String, Option<(LeafKind, Vec<u8>)>>;

#[derive(Clone, Debug)]
pub struct Trees {
    repository: PathBuf,
    place: PathBuf,
    blobs: Blobs,
}

impl Trees {
    /// Trees that start from commits of `repository`. Their folders are below `place`.
    pub fn new(repository: &Path, place: &Path, blobs: Blobs) -> Self {
        Self { repository: repository.to_owned(), place: place.to_owned(), blobs }
    }

    /// Opens the base of the commit that `revision` names. Tasks that start from the same commit share one folder.
    pub fn base(&self, revision: &str) -> Result<Arc<Base>, TreeError> {
        let commit = objects::commit(&self.repository, revision)?;
        Ok(Arc::new(Base::open(&self.repository, &self.place, commit)?))
    }

    /// The tree without any change to `base`.
    pub fn start(&self, base: &Base) -> Tree {
        Tree { commit: base.commit().to_owned(), base: base.digest(), changes: BTreeMap::new() }
    }

    /// The tree after `changes`. New contents are in the store when this returns.
    pub async fn after(
        &self,
        base: &Base,
        tree: &Tree,
        changes: &Changes,
    ) -> Result<(Tree, Vec<BlobRef>), TreeError> {
        let mut next = tree.clone();
        let mut blobs = Vec::new();
        for (path, now) in changes {
            TreePath::new(path)?;
            let leaf = match now {
                None => None,
                Some((kind, content)) => {
                    blobs.push(self.blobs.put(content.clone()).await?);
                    Some(Leaf::of(content, *kind))
                }
            };
            next.set(base, path, leaf);
        }
        Ok((next, blobs))
    }

    /// Stores a tree under its own digest.
    pub async fn keep(&self, tree: &Tree) -> Result<BlobRef, TreeError> {
        Ok(self.blobs.put(tree.text()).await?)
    }

    pub async fn get(&self, digest: Digest) -> Result<Tree, TreeError> {
        let text = self.blobs.find(&digest).await?;
        serde_json::from_slice(&text).map_err(|source| TreeError::Unreadable { digest, source })
    }

    /// Writes a commit of `tree` whose parent is the commit the tree starts from, and returns its hash. No branch
    /// points to it yet. `scratch` is a folder that no other process uses.
    pub async fn commit(
        &self,
        tree: &Tree,
        scratch: &Path,
        message: &str,
        at_s: u64,
    ) -> Result<String, TreeError> {
        let mut contents = Vec::new();
        for (path, leaf) in &tree.changes {
            let content = match leaf {
                Some(leaf) => Some((*leaf, self.blobs.find(&leaf.content).await?)),
                None => None,
            };
            contents.push((path.as_str(), content));
        }
        let changes: Vec<Changed<'_>> = contents
            .iter()
            .map(|(path, content)| Changed {
                path,
                now: content.as_ref().map(|(leaf, bytes)| (leaf.kind, &**bytes)),
            })
            .collect();
        std::fs::create_dir_all(scratch)?;
        let new = NewCommit { parent: &tree.commit, changes: &changes, message, at_s };
        Ok(commits::write(&self.repository, scratch, &new)?)
    }

    /// Writes a tree into a folder that does not exist yet. Every file is new and has a new modification time.
    pub async fn write(&self, base: &Base, tree: &Tree, into: &Path) -> Result<(), TreeError> {
        let all: Vec<(String, Leaf)> =
            tree.leaves(base).map(|(path, leaf)| (path.to_owned(), leaf)).collect();
        folder::make(into)?;
        for (path, leaf) in all {
            let content = self.content(base, tree, &path, leaf).await?;
            folder::put(into, &path, leaf.kind, &content)?;
        }
        Ok(())
    }

    /// The same, with what links lead to in place of every link that is as in `base`. A link that a task made stays one.
    pub async fn write_without_old_links(
        &self,
        base: &Base,
        tree: &Tree,
        into: &Path,
    ) -> Result<(), TreeError> {
        let behind = self.behind_old_links(base, tree).await?;
        folder::make(into)?;
        for (path, leaf) in tree.leaves(base) {
            if !behind.contains_key(path) {
                let content = self.content(base, tree, path, leaf).await?;
                folder::put(into, path, leaf.kind, &content)?;
            }
        }
        for (path, from) in behind {
            let Some((from, leaf)) = from else { continue };
            let content = self.content(base, tree, &from, leaf).await?;
            folder::put(into, &path, leaf.kind, &content)?;
        }
        Ok(())
    }

    pub async fn read(
        &self,
        base: &Base,
        tree: &Tree,
        path: &str,
    ) -> Result<Option<Vec<u8>>, TreeError> {
        match tree.leaf(base, path) {
            Some(leaf) => self.content(base, tree, path, leaf).await.map(Some),
            None => Ok(None),
        }
    }

    async fn content(
        &self,
        base: &Base,
        tree: &Tree,
        path: &str,
        leaf: Leaf,
    ) -> Result<Vec<u8>, TreeError> {
        if tree.changes.contains_key(path) {
            Ok(self.blobs.find(&leaf.content).await?.to_vec())
        } else {
            base.content(path, leaf)
        }
    }
}

/// Writes plain files into a folder that does not exist yet.
pub fn write_files(into: &Path, files: &BTreeMap<String, Vec<u8>>) -> std::io::Result<()> {
    folder::make(into)?;
    for (path, content) in files {
        folder::put(into, path, LeafKind::Plain, content)?;
    }
    Ok(())
}

impl Tree {
    pub fn digest(&self) -> Digest {
        Digest::of(&self.text())
    }

    /// All files, ordered by path.
    pub fn leaves<'t>(&'t self, base: &'t Base) -> impl Iterator<Item = (&'t str, Leaf)> {
        let kept = base.leaves().iter().filter(|(path, _)| !self.changes.contains_key(*path));
        let changed = self.changes.iter().filter_map(|(path, leaf)| Some((path, leaf.as_ref()?)));
        let all: BTreeMap<&String, &Leaf> = kept.chain(changed).collect();
        all.into_iter().map(|(path, leaf)| (path.as_str(), *leaf))
    }

    pub fn leaf(&self, base: &Base, path: &str) -> Option<Leaf> {
        match self.changes.get(path) {
            Some(changed) => *changed,
            None => base.leaves().get(path).copied(),
        }
    }

    /// The paths of all files of this tree or of `before`, in order.
    pub fn paths<'t>(&'t self, base: &'t Base, before: &'t Self) -> BTreeSet<&'t str> {
        let all = base.leaves().keys().chain(self.changes.keys()).chain(before.changes.keys());
        all.map(String::as_str).collect()
    }

    pub fn without(&mut self, base: &Base, path: &str) {
        self.set(base, path, None);
    }

    fn set(&mut self, base: &Base, path: &str, now: Option<Leaf>) {
        // A file that equals the base is no change, so that one content has one digest.
        if base.leaves().get(path).copied() == now {
            self.changes.remove(path);
        } else {
            self.changes.insert(path.to_owned(), now);
        }
    }

    fn text(&self) -> Vec<u8> {
        // Plain data of a bounded depth always has a canonical form.
        canonical_json(self).unwrap_or_default()
    }
}

impl Leaf {
    pub fn of(content: &[u8], kind: LeafKind) -> Self {
        Self { content: Digest::of(content), bytes: content.len() as u64, kind }
    }
}

const FILES_MAX: usize = 250_000;
const FILE_BYTES_MAX: u64 = 64 << 20;
const BYTES_MAX: u64 = 4 << 30;

#[cfg(test)]
mod tests;
