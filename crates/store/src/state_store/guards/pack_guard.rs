//! The outermost guard: what one context pack shows of the store. Read-only.
//!
//! An allow list: a path that the pack does not open does not exist, with the exception of sealed folders, which
//! answer every role with the same message.

use bytes::Bytes;
use sealwright_kernel::pack::{Permission, RefKind, Surface, Visibility};
use sealwright_kernel::{ContextPack, Ref};

use super::synthesis::synthesized;
use super::{refuse_sealed, sealed};
use crate::state_store::error::StateStoreError;
use crate::state_store::module_versions::MODULES;
use crate::state_store::objects::damaged;
use crate::state_store::path::StorePath;
use crate::state_store::{EditResult, Name, NameKind, Reading, StateStore};

/// The store as one role sees it in one run.
#[derive(Clone, Debug)]
pub struct PackGuard<S> {
    pack: ContextPack,
    inner: S,
}

impl<S: StateStore> PackGuard<S> {
    pub fn new(pack: ContextPack, inner: S) -> Self {
        Self { pack, inner }
    }

    fn permission(&self, reference: &str) -> Option<Permission> {
        match self.pack.permission_of(&Ref::new(reference).ok()?) {
            Visibility::Visible(permission) => Some(permission),
            Visibility::Withheld => None,
        }
    }

    /// What may be seen of a version of a module.
    fn of_module(&self, id: &str, version: &str) -> Option<Permission> {
        let reference = format!("{id}@{version}");
        let is_module = Ref::new(&reference).is_ok_and(|it| it.kind() == RefKind::Module);
        if is_module { self.permission(&reference) } else { None }
    }

    /// Whether some path of an artifact is shown: its body under FULL, else its envelope.
    fn shows_artifact(&self, id: &str, version: &str, rest: &[&str]) -> bool {
        let Some(permission) = self.permission(&format!("{id}@{version}")) else { return false };
        match rest {
            [] | ["envelope.json"] => true,
            ["body", ..] => permission == Permission::Full,
            _ => false,
        }
    }

    /// Whether the pack names an artifact called `id`.
    fn includes(&self, id: &str) -> bool {
        self.pack.included().iter().any(|it| it.reference.id() == id)
    }

    /// Whether any version of the module is shown.
    async fn names_module(&self, id: &str) -> Result<bool, StateStoreError> {
        let mut listed = self.pack.excluded().iter().map(|it| &it.reference);
        let by_default = self.of_module(id, "0.0.0").is_some();
        if by_default && !listed.any(|it| it.id() == id) {
            return Ok(true);
        }
        Ok(!self.versions(id).await?.is_empty())
    }

    async fn versions(&self, id: &str) -> Result<Vec<Name>, StateStoreError> {
        let Ok(folder) = StorePath::new(&format!("{MODULES}/{id}")) else { return Ok(vec![]) };
        let mut names = self.inner.names(Some(&folder)).await?;
        names.retain(|it| self.of_module(id, &it.name).is_some());
        Ok(names)
    }

    /// What a version's folder shows: the files of its permission, real or synthesized.
    async fn surfaces(&self, folder: &StorePath) -> Result<Vec<Name>, StateStoreError> {
        let parts = folder.parts();
        let [_, id, version] = parts.as_slice() else { return Ok(vec![]) };
        let Some(permission) = self.of_module(id, version) else { return Ok(vec![]) };
        if self.inner.names(Some(folder)).await?.is_empty() {
            return Ok(vec![]);
        }
        let mut names: Vec<Name> =
            permission.surfaces().iter().map(|it| Name::file(it.file_name())).collect();
        names.sort();
        Ok(names)
    }

    async fn read_surface(&self, path: &StorePath) -> Result<Reading, StateStoreError> {
        let missing = || StateStoreError::NotFound { path: path.to_string() };
        let parts = path.parts();
        let [_, id, version, file] = parts.as_slice() else { return Err(missing()) };
        let permission = self.of_module(id, version).ok_or_else(missing)?;
        let opened = permission.surfaces().iter().find(|it| it.file_name() == *file);
        match opened.copied().ok_or_else(missing)? {
            Surface::Contract | Surface::Examples | Surface::ShipEvidence => {
                self.inner.read(path).await
            }
            surface @ (Surface::Metadata | Surface::Summary) => {
                let contract = Surface::Contract.file_name();
                let contract = StorePath::new(&format!("{MODULES}/{id}/{version}/{contract}"))?;
                let Reading::Content(contract) = self.inner.read(&contract).await? else {
                    return Err(missing());
                };
                let file = synthesized(surface, &contract);
                let file = file.ok_or_else(|| damaged(path.as_str(), "its contract is no JSON"))?;
                Ok(Reading::Content(file))
            }
        }
    }

    /// The entries of a folder of artifacts that lead to something the pack shows.
    async fn artifacts(&self, folder: &StorePath) -> Result<Vec<Name>, StateStoreError> {
        let parts = folder.parts();
        if let [_, _, id, version, rest @ ..] = parts.as_slice()
            && !self.shows_artifact(id, version, rest)
        {
            return Ok(vec![]);
        }
        let mut shown = Vec::new();
        for name in self.inner.names(Some(folder)).await? {
            let is_shown = match parts.as_slice() {
                [_] => {
                    let pillar = self.inner.names(Some(&folder.join(&name.name)?)).await?;
                    pillar.iter().any(|it| self.includes(&it.name))
                }
                [_, _] => self.includes(&name.name),
                [_, _, id] => self.shows_artifact(id, &name.name, &[]),
                [_, _, id, version, rest @ ..] => {
                    let rest = [rest, &[name.name.as_str()]].concat();
                    self.shows_artifact(id, version, &rest)
                }
                [] => false,
            };
            if is_shown {
                shown.push(name);
            }
        }
        Ok(shown)
    }
}

impl<S: StateStore> StateStore for PackGuard<S> {
    async fn read(&self, path: &StorePath) -> Result<Reading, StateStoreError> {
        let missing = || StateStoreError::NotFound { path: path.to_string() };
        if let Some(message) = sealed(path) {
            return Ok(Reading::Sealed(message));
        }
        match path.parts().as_slice() {
            [MODULES, ..] => self.read_surface(path).await,
            [ARTIFACTS, _, id, version, rest @ ..] if !rest.is_empty() => {
                if !self.shows_artifact(id, version, rest) {
                    return Err(missing());
                }
                self.inner.read(path).await
            }
            _ => Err(missing()),
        }
    }

    async fn names(&self, folder: Option<&StorePath>) -> Result<Vec<Name>, StateStoreError> {
        let Some(folder) = folder else {
            let mut names = self.inner.names(None).await?;
            names.retain(|it| [MODULES, ARTIFACTS].contains(&it.name.as_str()));
            return Ok(names);
        };
        match folder.parts().as_slice() {
            [MODULES] => {
                let mut shown = Vec::new();
                for name in self.inner.names(Some(folder)).await? {
                    if name.kind == NameKind::Folder && self.names_module(&name.name).await? {
                        shown.push(name);
                    }
                }
                Ok(shown)
            }
            [MODULES, id] => self.versions(id).await,
            [MODULES, _, _] => self.surfaces(folder).await,
            [ARTIFACTS, ..] => self.artifacts(folder).await,
            _ => Ok(vec![]),
        }
    }

    async fn write(&self, path: &StorePath, _content: Bytes) -> Result<(), StateStoreError> {
        Err(read_only(path))
    }

    async fn edit(
        &self,
        path: &StorePath,
        _old: &str,
        _new: &str,
    ) -> Result<EditResult, StateStoreError> {
        match sealed(path) {
            Some(message) => Ok(EditResult::Sealed(message)),
            None => Err(read_only(path)),
        }
    }

    async fn delete(&self, path: &StorePath) -> Result<(), StateStoreError> {
        Err(read_only(path))
    }

    async fn rename(&self, from: &StorePath, to: &StorePath) -> Result<(), StateStoreError> {
        refuse_sealed(to)?;
        Err(read_only(from))
    }
}

fn read_only(path: &StorePath) -> StateStoreError {
    match sealed(path) {
        Some(message) => StateStoreError::Sealed { message },
        None => StateStoreError::ReadOnly { path: path.to_string() },
    }
}

const ARTIFACTS: &str = "artifacts";
