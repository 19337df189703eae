//! Promotion: a verified tree becomes a module version, whole or not at all.
//!
//! ```text
//! Named ──▶ Staged (each file, by digest) ──▶ Checked (read back) ──▶ Committed (one create-only write)
//! ```
//!
//! Every step can be done again. A process that dies at any of them leaves no version or a whole one, and the next attempt
//! ends it. Of several processes, the one whose marker is created first decides; the others find it.

use std::collections::VecDeque;

use bytes::Bytes;
use sealwright_kernel::pack::RefKind;
use sealwright_kernel::{Digest, Ref, canonical_json};

use super::error::PromotionError;
use super::module_versions::{ModuleTree, ModuleVersion, ModuleVersions, folder};
use super::objects::{Created, damaged};
use crate::Leaves;

/// A promotion on its way.
#[derive(Debug)]
pub struct Promotion<'s> {
    versions: &'s ModuleVersions,
    version: ModuleVersion,
    unstaged: VecDeque<Bytes>,
    done: Option<Step>,
}

/// What a promotion has done last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The module's name has its one spelling.
    Named,
    /// A file is stored.
    Staged,
    /// All files were read back, and make up the tree.
    Checked,
    /// The version exists.
    Committed,
}

impl ModuleVersions {
    /// Makes `tree` the version `module`, if it is the tree that was verified.
    ///
    /// Promoting the same content again gives the same version; other content is refused.
    pub async fn promote(
        &self,
        module: &Ref,
        tree: ModuleTree,
        verified: &Digest,
    ) -> Result<ModuleVersion, PromotionError> {
        let mut promotion = self.begin(module, tree, verified)?;
        while promotion.step().await? != Step::Committed {}
        Ok(promotion.version)
    }

    /// A promotion that takes one step at a time.
    pub fn begin(
        &self,
        module: &Ref,
        tree: ModuleTree,
        verified: &Digest,
    ) -> Result<Promotion<'_>, PromotionError> {
        if module.kind() != RefKind::Module {
            return Err(PromotionError::NotAModule { text: module.to_string() });
        }
        let found = tree.digest();
        if found != *verified {
            return Err(PromotionError::OtherTree { expected: *verified, found });
        }
        let unstaged = tree.contents.into_values().collect();
        let version = ModuleVersion { module: module.clone(), tree: found, files: tree.leaves };
        Ok(Promotion { versions: self, version, unstaged, done: None })
    }
}

impl Promotion<'_> {
    /// Takes the next step, and says which it was.
    pub async fn step(&mut self) -> Result<Step, PromotionError> {
        let step = match self.done {
            None => {
                self.name().await?;
                self.place().await?;
                Step::Named
            }
            Some(Step::Named | Step::Staged) => match self.unstaged.pop_front() {
                Some(content) => {
                    self.versions.objects.put_blob(content).await?;
                    Step::Staged
                }
                None => {
                    self.check().await?;
                    Step::Checked
                }
            },
            Some(Step::Checked | Step::Committed) => {
                self.commit().await?;
                Step::Committed
            }
        };
        self.done = Some(step);
        Ok(step)
    }

    /// Claims the one spelling of the module's name.
    async fn name(&self) -> Result<(), PromotionError> {
        let id = self.version.module.id();
        let key = format!("module_names/{}.json", id.to_ascii_lowercase());
        let own = canonical_json(id).unwrap_or_default();
        match self.versions.objects.create(&key, own.into()).await? {
            Created::New => Ok(()),
            Created::There(there) => match serde_json::from_slice::<String>(&there) {
                Ok(existing) if existing == id => Ok(()),
                Ok(existing) if existing.eq_ignore_ascii_case(id) => {
                    Err(PromotionError::OtherSpelling { existing })
                }
                Ok(_) | Err(_) => Err(damaged(&key, "it does not hold the module's name").into()),
            },
        }
    }

    /// How many versions come before this one; `None` if it is there.
    async fn place(&self) -> Result<Option<usize>, PromotionError> {
        let versions = self.versions.versions(self.version.module.id()).await?;
        let version = self.version.version();
        if let Some(there) = versions.iter().find(|it| it.version() == version) {
            if there.tree != self.version.tree {
                return Err(PromotionError::OtherContent { version, existing: there.tree });
            }
            return Ok(None);
        }
        match versions.last().map(ModuleVersion::version) {
            Some(last) if last > version => Err(PromotionError::NotIncreasing { version, last }),
            Some(_) | None => Ok(Some(versions.len())),
        }
    }

    /// Reads every file back as it is stored.
    async fn check(&self) -> Result<(), PromotionError> {
        let mut stored = Leaves::new();
        for (path, leaf) in &self.version.files {
            let content = self.versions.objects.blob(&leaf.content, leaf.bytes).await?;
            stored.insert(path.clone(), crate::Leaf::of(&content, leaf.kind));
        }
        let found = crate::digest_of_leaves(&stored);
        let expected = self.version.tree;
        if found == expected { Ok(()) } else { Err(PromotionError::OtherTree { expected, found }) }
    }

    async fn commit(&self) -> Result<(), PromotionError> {
        let folder = folder(self.version.module.id());
        // Each turn that is lost is a version more, and a log of them is bounded.
        while let Some(before) = self.place().await? {
            let marker = self.version.marker();
            match self.versions.objects.append(&folder, before, marker).await? {
                Created::New => return Ok(()),
                Created::There(_) => {}
            }
        }
        Ok(())
    }
}
