//! Module versions: write-once trees of files, one log of versions per module.
//!
//! ```text
//! module_names/mm-limiter.json    the one spelling of the module's name
//! modules/MM-limiter/000001.json  the marker of its first version: every file with its digest
//! blobs/…                         the files by digest
//! ```
//!
//! A version exists if its marker does, and the marker is created in one write, last. Files are named by their digests, so
//! what a crash or a refused promotion leaves behind is never in the way. As a [`StateStore`] this shows every file;
//! [`Opaque`](super::Opaque) stands in front of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use sealwright_kernel::pack::{RefKind, SEALED_FOLDERS, Surface, Version};
use sealwright_kernel::{Digest, Ref, canonical_json};
use serde::{Deserialize, Serialize};

use super::error::{PromotionError, StateStoreError};
use super::objects::{Objects, damaged};
use super::path::{StorePath, collision};
use super::{EditResult, Name, Reading, StateStore};
use crate::{Leaf, LeafKind, Leaves, digest_of_leaves};

/// All shipped modules.
#[derive(Clone, Debug)]
pub struct ModuleVersions {
    pub(super) objects: Objects,
    /// Markers that were read: they never change, and most calls need all of a module's.
    known: Arc<Mutex<BTreeMap<String, Arc<Vec<ModuleVersion>>>>>,
}

/// A shipped version, as its marker says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModuleVersion {
    pub module: Ref,
    /// The digest of all of its files.
    pub tree: Digest,
    pub files: Leaves,
}

/// The files of a module version, checked: the three public ones, `implementation/` and `tests/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleTree {
    pub(super) leaves: Leaves,
    pub(super) contents: BTreeMap<Digest, Bytes>,
}

impl ModuleTree {
    pub fn new(files: BTreeMap<String, (Bytes, LeafKind)>) -> Result<Self, PromotionError> {
        let mut tree = Self { leaves: Leaves::new(), contents: BTreeMap::new() };
        let mut bytes = 0;
        for (path, (content, kind)) in files {
            bytes += content.len();
            within("a file of a module", content.len(), FILE_BYTES_MAX)?;
            within("a module version", bytes, TREE_BYTES_MAX)?;
            let leaf = Leaf::of(&content, kind);
            tree.contents.insert(leaf.content, content);
            tree.leaves.insert(path, leaf);
        }
        within("the files of a module version", tree.leaves.len(), FILES_MAX)?;
        check(&tree.leaves)?;
        Ok(tree)
    }

    pub fn digest(&self) -> Digest {
        digest_of_leaves(&self.leaves)
    }
}

impl ModuleVersions {
    pub fn new(objects: Objects) -> Self {
        Self { objects, known: Arc::default() }
    }

    /// The versions of a module, from the first. They strictly increase.
    pub async fn versions(&self, id: &str) -> Result<Arc<Vec<ModuleVersion>>, StateStoreError> {
        let folder = folder(id);
        if !is_module_id(id) {
            return Err(StateStoreError::NotFound { path: folder });
        }
        let known = self.known().get(id).cloned().unwrap_or_default();
        let new = self.objects.log(&folder, known.len()).await?;
        if new.is_empty() {
            return Ok(known);
        }
        let mut versions = known.to_vec();
        for entry in new {
            let version: ModuleVersion = serde_json::from_slice(&entry)
                .map_err(|_| damaged(&folder, "the marker of a version cannot be read"))?;
            // On a disk without case, another spelling leads to the same folder.
            if version.module.id() != id {
                return Err(StateStoreError::NotFound { path: folder });
            }
            let follows = versions.last().is_none_or(|it| it.version() < version.version());
            let is_whole = digest_of_leaves(&version.files) == version.tree;
            if !follows || !is_whole || check(&version.files).is_err() {
                return Err(damaged(&folder, "the marker of a version contradicts itself"));
            }
            versions.push(version);
        }
        let versions = Arc::new(versions);
        let mut known = self.known();
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        known.insert(id.to_owned(), versions.clone());
        Ok(versions)
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Vec<ModuleVersion>>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One version of a module, if it was shipped.
    pub async fn version(&self, module: &Ref) -> Result<Option<ModuleVersion>, StateStoreError> {
        let versions = self.versions(module.id()).await?;
        Ok(versions.iter().find(|it| it.module == *module).cloned())
    }

    /// A file of a version, checked. For the engine: roles read through the guards.
    pub async fn file(
        &self,
        version: &ModuleVersion,
        path: &str,
    ) -> Result<Bytes, StateStoreError> {
        let leaf = version.files.get(path).ok_or_else(|| StateStoreError::NotFound {
            path: format!("{}/{}/{path}", folder(version.module.id()), version.version()),
        })?;
        self.objects.blob(&leaf.content, leaf.bytes).await
    }

    async fn at(&self, path: &StorePath) -> Result<(ModuleVersion, String), StateStoreError> {
        let missing = || StateStoreError::NotFound { path: path.to_string() };
        let parts = path.parts();
        let (Some(id), Some(version), Some(file)) = (parts.get(1), parts.get(2), path.below(3))
        else {
            return Err(missing());
        };
        let module = Ref::new(&format!("{id}@{version}")).map_err(|_| missing())?;
        let version = match self.version(&module).await {
            Ok(found) => found.ok_or_else(missing)?,
            Err(StateStoreError::NotFound { .. }) => return Err(missing()),
            Err(error) => return Err(error),
        };
        Ok((version, file.to_owned()))
    }
}

impl ModuleVersion {
    pub fn version(&self) -> Version {
        self.module.version()
    }

    pub(super) fn marker(&self) -> Bytes {
        // Plain data of a bounded depth always has a canonical form.
        canonical_json(self).unwrap_or_default().into()
    }

    fn names(&self, below: Option<&str>) -> Vec<Name> {
        let prefix = below.map(|below| format!("{below}/")).unwrap_or_default();
        let rest = self.files.keys().filter_map(|path| path.strip_prefix(&prefix));
        let names: BTreeSet<Name> = rest
            .map(|rest| match rest.split_once('/') {
                Some((folder, _)) => Name::folder(folder),
                None => Name::file(rest),
            })
            .collect();
        names.into_iter().collect()
    }
}

impl StateStore for ModuleVersions {
    async fn read(&self, path: &StorePath) -> Result<Reading, StateStoreError> {
        let (version, file) = self.at(path).await?;
        if !version.files.contains_key(&file) {
            return Err(StateStoreError::NotFound { path: path.to_string() });
        }
        let content = self.file(&version, &file).await;
        // Which digest is sealed content is not for readers.
        content.map(Reading::Content).map_err(|error| match error {
            StateStoreError::Damaged { why, .. } => damaged(path.as_str(), why),
            other => other,
        })
    }

    async fn names(&self, folder: Option<&StorePath>) -> Result<Vec<Name>, StateStoreError> {
        let parts = folder.map(StorePath::parts).unwrap_or_default();
        match (folder, parts.as_slice()) {
            (None, _) => Ok(vec![Name::folder(MODULES)]),
            (Some(_), [MODULES]) => {
                let names = self.objects.names(MODULES).await?;
                Ok(names.iter().filter(|it| is_module_id(it)).map(|it| Name::folder(it)).collect())
            }
            (Some(_), [MODULES, id]) => match self.versions(id).await {
                Ok(versions) => {
                    Ok(versions.iter().map(|it| Name::folder(&it.version().to_string())).collect())
                }
                Err(StateStoreError::NotFound { .. }) => Ok(vec![]),
                Err(error) => Err(error),
            },
            (Some(_), [MODULES, id, version, ..]) => {
                let Ok(module) = Ref::new(&format!("{id}@{version}")) else { return Ok(vec![]) };
                match self.version(&module).await {
                    Ok(Some(version)) => Ok(version.names(folder.and_then(|it| it.below(3)))),
                    Ok(None) | Err(StateStoreError::NotFound { .. }) => Ok(vec![]),
                    Err(error) => Err(error),
                }
            }
            (Some(_), _) => Ok(vec![]),
        }
    }

    async fn write(&self, path: &StorePath, _content: Bytes) -> Result<(), StateStoreError> {
        Err(only_by_promotion(path))
    }

    async fn edit(
        &self,
        path: &StorePath,
        _: &str,
        _: &str,
    ) -> Result<EditResult, StateStoreError> {
        Err(only_by_promotion(path))
    }

    async fn delete(&self, path: &StorePath) -> Result<(), StateStoreError> {
        Err(only_by_promotion(path))
    }

    async fn rename(&self, from: &StorePath, _to: &StorePath) -> Result<(), StateStoreError> {
        Err(only_by_promotion(from))
    }
}

/// Whether the files are those of a module version: all members, nothing else, and no name that means another.
fn check(files: &Leaves) -> Result<(), PromotionError> {
    let public = [Surface::Contract, Surface::Examples, Surface::ShipEvidence];
    for path in files.keys() {
        let is_public = public.iter().any(|it| it.file_name() == path);
        let (top, rest) = path.split_once('/').unwrap_or((path, ""));
        let is_in_folder = SEALED_FOLDERS.contains(&top) && !rest.is_empty();
        if !(is_public || is_in_folder) {
            return Err(PromotionError::Stranger { path: path.clone() });
        }
        StorePath::new(path).map_err(StateStoreError::from)?;
        // Room for `modules/`, the module and its version in front.
        within("a path in a module version", path.len(), PATH_BYTES_MAX)?;
    }
    if let Some((path, _)) = files.iter().find(|(_, leaf)| leaf.kind == LeafKind::Link) {
        return Err(PromotionError::Stranger { path: path.clone() });
    }
    for member in public.map(Surface::file_name) {
        if !files.contains_key(member) {
            return Err(PromotionError::Incomplete { missing: member });
        }
    }
    for member in SEALED_FOLDERS {
        if !files.keys().any(|path| path.split('/').next() == Some(member)) {
            return Err(PromotionError::Incomplete { missing: member });
        }
    }
    match collision(files.keys().map(String::as_str)) {
        Some((first, second)) => Err(PromotionError::Collision { first, second }),
        None => Ok(()),
    }
}

pub(super) fn within(
    what: &'static str,
    count: usize,
    limit: usize,
) -> Result<(), StateStoreError> {
    if count <= limit { Ok(()) } else { Err(StateStoreError::TooLarge { what, limit }) }
}

pub(super) fn is_module_id(id: &str) -> bool {
    Ref::new(&format!("{id}@1.0.0")).is_ok_and(|it| it.kind() == RefKind::Module)
}

pub(super) fn folder(id: &str) -> String {
    format!("{MODULES}/{id}")
}

fn only_by_promotion(path: &StorePath) -> StateStoreError {
    StateStoreError::ServiceOnly { path: path.to_string(), by: "promotion" }
}

pub(super) const MODULES: &str = "modules";
/// Blobs of this size are committed with the repository, so a clone has every file.
const FILE_BYTES_MAX: usize = crate::COMMITTED_BYTES_MAX as usize;
const TREE_BYTES_MAX: usize = 32 * 1024 * 1024;
const FILES_MAX: usize = 5_000;
const PATH_BYTES_MAX: usize = 600;
const KNOWN_MAX: usize = 1_000;

#[cfg(test)]
mod tests;
