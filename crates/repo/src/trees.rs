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

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sealwright_kernel::{Digest, TreePath};
use sealwright_store::{BlobRef, Blobs};

use crate::git::commits::{self, Changed, NewCommit};
use crate::git::objects::{self, Contents};

pub use base::Base;
pub use diff::diff;
pub use error::TreeError;
pub use sealwright_store::{Leaf, LeafKind, Tree};

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
    /// points to it yet. `beside` are files that are no part of the tree. `scratch` is a folder that no other process
    /// uses.
    pub async fn commit(
        &self,
        tree: &Tree,
        beside: &[(String, Vec<u8>)],
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
        let changes = contents.iter().map(|(path, content)| Changed {
            path,
            now: content.as_ref().map(|(leaf, bytes)| (leaf.kind, &**bytes)),
        });
        let beside = beside
            .iter()
            .map(|(path, bytes)| Changed { path, now: Some((LeafKind::Plain, bytes)) });
        let changes: Vec<Changed<'_>> = changes.chain(beside).collect();
        std::fs::create_dir_all(scratch)?;
        let new = NewCommit { parent: &tree.commit, changes: &changes, message, at_s };
        Ok(commits::write(&self.repository, scratch, &new)?)
    }

    /// Whether the files of `commit` are exactly those of `tree`.
    pub fn is_at(&self, tree: &Tree, commit: &str) -> Result<bool, TreeError> {
        let start = objects::entries(&self.repository, &tree.commit)?;
        let start = start.iter().filter(|it| !tree.changes.contains_key(&it.path));
        let now = objects::entries(&self.repository, commit)?;
        let kept = now.iter().filter(|it| !tree.changes.contains_key(&it.path));
        if !start.eq(kept) {
            return Ok(false);
        }
        let mut contents = Contents::open(&self.repository)?;
        let mut changed = 0;
        for entry in now.iter().filter(|it| tree.changes.contains_key(&it.path)) {
            let content = contents.read(entry, FILE_BYTES_MAX)?;
            let leaf = tree.changes.get(&entry.path).copied().flatten();
            if leaf != Some(Leaf::of(&content, entry.kind)) {
                return Ok(false);
            }
            changed += 1;
        }
        Ok(changed == tree.changes.values().flatten().count())
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

const FILES_MAX: usize = 250_000;
const FILE_BYTES_MAX: u64 = 64 << 20;
const BYTES_MAX: u64 = 4 << 30;

#[cfg(test)]
mod tests;
