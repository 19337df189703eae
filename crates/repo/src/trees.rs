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

use sealwright_kernel::{Digest, TreePath};
use sealwright_store::{BlobRef, Blobs};

use crate::git::commits::{self, Changed, NewCommit};
use crate::git::objects::{self, Contents, Entry};

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
    /// uses. The commit is read back: what git wrote differently is an error.
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
        let others = beside
            .iter()
            .map(|(path, bytes)| Changed { path, now: Some((LeafKind::Plain, bytes)) });
        let changes: Vec<Changed<'_>> = changes.chain(others).collect();
        std::fs::create_dir_all(scratch)?;
        let new = NewCommit { parent: &tree.commit, changes: &changes, message, at_s };
        let commit = commits::write(&self.repository, scratch, &new)?;
        let leaf = |bytes: &Vec<u8>| Some(Leaf::of(bytes, LeafKind::Plain));
        let beside = beside.iter().map(|(path, bytes)| (path.clone(), leaf(bytes)));
        match self.difference(tree, &beside.collect(), &commit)? {
            Some(path) => Err(TreeError::Differs { commit, path }),
            None => Ok(commit),
        }
    }

    /// Whether the files of `commit` are exactly those of `tree`. The file `beside` may be there, and is not looked at.
    pub fn is_at(&self, tree: &Tree, beside: &str, commit: &str) -> Result<bool, TreeError> {
        let now = objects::entry(&self.repository, commit, beside)?;
        let leaf = match now {
            Some(entry) => {
                let content = Contents::open(&self.repository)?.read(&entry, FILE_BYTES_MAX)?;
                Some(Leaf::of(&content, entry.kind))
            }
            None => None,
        };
        let beside = BTreeMap::from([(beside.to_owned(), leaf)]);
        Ok(self.difference(tree, &beside, commit)?.is_none())
    }

    /// The first file of `commit` that is neither as in `tree` nor one of `beside`. Modes and objects of everything that
    /// did not change are those of the commit below, and every changed file is read.
    fn difference(
        &self,
        tree: &Tree,
        beside: &BTreeMap<String, Option<Leaf>>,
        commit: &str,
    ) -> Result<Option<String>, TreeError> {
        let start = objects::whole(&self.repository, &tree.commit)?;
        let now = objects::whole(&self.repository, commit)?;
        let mut changed: BTreeMap<&String, &Option<Leaf>> = tree.changes.iter().collect();
        changed.extend(beside);
        let mut contents = Contents::open(&self.repository)?;
        let paths: BTreeSet<&String> =
            start.keys().chain(now.keys()).chain(changed.keys().copied()).collect();
        for path in paths {
            let is_same = match (changed.get(path), now.get(path)) {
                (None, found) => start.get(path) == found,
                (Some(None), found) => found.is_none(),
                (Some(Some(_)), None) => false,
                (Some(Some(leaf)), Some((mode, object))) => {
                    let entry =
                        Entry { path: path.clone(), kind: leaf.kind, object: object.clone() };
                    *mode == commits::mode_of(leaf.kind)
                        && Leaf::of(&contents.read(&entry, FILE_BYTES_MAX)?, leaf.kind) == *leaf
                }
            };
            if !is_same {
                return Ok(Some(path.clone()));
            }
        }
        Ok(None)
    }

    /// The first link of `commit` that leads into records: no gate sees what is behind it.
    pub fn link_into_records(&self, commit: &str) -> Result<Option<String>, TreeError> {
        let mut contents = Contents::open(&self.repository)?;
        let entries = objects::entries(&self.repository, commit)?;
        for link in entries.into_iter().filter(|entry| entry.kind == LeafKind::Link) {
            let target = contents.read(&link, FILE_BYTES_MAX)?;
            let is_records = |part: &[u8]| part.eq_ignore_ascii_case(objects::RECORDS.as_bytes());
            if target.split(|byte| *byte == b'/').any(is_records) {
                return Ok(Some(link.path));
            }
        }
        Ok(None)
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
