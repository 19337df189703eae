//! The guards before the backends, each a [`StateStore`] around another:
//! `PackGuard(Composite(Opaque(Immutable(backend))))`.

use bytes::Bytes;
use sealwright_kernel::pack::{SEALED_FOLDERS, sealed_message};

use super::error::StateStoreError;
use super::module_versions::MODULES;
use super::path::{StorePath, skeleton};
use super::{EditResult, Name, Reading, StateStore};

mod composite;
mod pack_guard;
mod synthesis;

pub use composite::Composite;
pub use pack_guard::PackGuard;

/// Lets nothing change that is there. New paths may be written once.
#[derive(Clone, Debug)]
pub struct Immutable<S>(pub S);

/// Seals `implementation/` and `tests/` of every module version.
///
/// The path alone decides, so an answer does not tell which sealed files exist.
#[derive(Clone, Debug)]
pub struct Opaque<S>(pub S);

impl<S: StateStore> StateStore for Immutable<S> {
    async fn read(&self, path: &StorePath) -> Result<Reading, StateStoreError> {
        self.0.read(path).await
    }

    async fn names(&self, folder: Option<&StorePath>) -> Result<Vec<Name>, StateStoreError> {
        self.0.names(folder).await
    }

    async fn write(&self, path: &StorePath, content: Bytes) -> Result<(), StateStoreError> {
        match self.0.read(path).await {
            Err(StateStoreError::NotFound { .. }) => self.0.write(path, content).await,
            Ok(Reading::Content(_) | Reading::Sealed(_)) => Err(immutable(path)),
            Err(error) => Err(error),
        }
    }

    async fn edit(
        &self,
        path: &StorePath,
        _: &str,
        _: &str,
    ) -> Result<EditResult, StateStoreError> {
        Err(immutable(path))
    }

    async fn delete(&self, path: &StorePath) -> Result<(), StateStoreError> {
        Err(immutable(path))
    }

    async fn rename(&self, from: &StorePath, _to: &StorePath) -> Result<(), StateStoreError> {
        Err(immutable(from))
    }
}

impl<S: StateStore> StateStore for Opaque<S> {
    async fn read(&self, path: &StorePath) -> Result<Reading, StateStoreError> {
        match sealed(path) {
            Some(message) => Ok(Reading::Sealed(message)),
            None => self.0.read(path).await,
        }
    }

    async fn names(&self, folder: Option<&StorePath>) -> Result<Vec<Name>, StateStoreError> {
        if folder.is_some_and(|folder| sealed(folder).is_some()) {
            return Ok(vec![]);
        }
        let mut names = self.0.names(folder).await?;
        if let Some(folder) = folder {
            names.retain(|it| folder.join(&it.name).is_ok_and(|path| sealed(&path).is_none()));
        }
        Ok(names)
    }

    async fn write(&self, path: &StorePath, content: Bytes) -> Result<(), StateStoreError> {
        refuse_sealed(path)?;
        self.0.write(path, content).await
    }

    async fn edit(
        &self,
        path: &StorePath,
        old: &str,
        new: &str,
    ) -> Result<EditResult, StateStoreError> {
        match sealed(path) {
            Some(message) => Ok(EditResult::Sealed(message)),
            None => self.0.edit(path, old, new).await,
        }
    }

    async fn delete(&self, path: &StorePath) -> Result<(), StateStoreError> {
        refuse_sealed(path)?;
        self.0.delete(path).await
    }

    async fn rename(&self, from: &StorePath, to: &StorePath) -> Result<(), StateStoreError> {
        refuse_sealed(from)?;
        refuse_sealed(to)?;
        self.0.rename(from, to).await
    }
}

/// The message for a path that is sealed however its system spells it.
pub(super) fn sealed(path: &StorePath) -> Option<String> {
    let parts = path.parts();
    let is_module = parts.first().is_some_and(|it| skeleton(it) == MODULES);
    let folder = parts.get(3).map(|it| skeleton(it))?;
    (is_module && SEALED_FOLDERS.contains(&folder.as_str())).then(|| sealed_message(path.as_str()))
}

fn refuse_sealed(path: &StorePath) -> Result<(), StateStoreError> {
    match sealed(path) {
        Some(message) => Err(StateStoreError::Sealed { message }),
        None => Ok(()),
    }
}

fn immutable(path: &StorePath) -> StateStoreError {
    StateStoreError::Immutable { path: path.to_string() }
}

#[cfg(test)]
mod tests;
