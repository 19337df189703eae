//! Artifacts as paths of the state store. Read-only; the source of what was shipped is sealed.

use std::collections::BTreeMap;

use bytes::Bytes;
use sealwright_kernel::pack::sealed_message;

use super::{ArtifactId, Artifacts, check_pillar};
use crate::state_store::error::StateStoreError;
use crate::state_store::path::StorePath;
use crate::state_store::{EditResult, Name, Reading, StateStore};

impl StateStore for Artifacts {
    async fn read(&self, path: &StorePath) -> Result<Reading, StateStoreError> {
        let missing = || StateStoreError::NotFound { path: path.to_string() };
        let parts = path.parts();
        let [_, pillar, id, version, rest @ ..] = parts.as_slice() else { return Err(missing()) };
        let found = self.at([pillar, id, version]).await?;
        let (id, claim, envelope) = found.ok_or_else(missing)?;
        match rest {
            ["envelope.json"] => {
                let key = format!("{}/envelope.json", claim.folder(&id));
                self.content(&key, &claim.envelope).await.map(Reading::Content)
            }
            ["body", ..] if self.is_sealed(&id, &claim).await? => {
                Ok(Reading::Sealed(sealed_message(path.as_str())))
            }
            ["body", name] => {
                let digest = envelope.fields().body.get(*name).ok_or_else(missing)?;
                let key = format!("{}/body/{name}", claim.folder(&id));
                self.content(&key, digest).await.map(Reading::Content)
            }
            _ => Err(missing()),
        }
    }

    async fn names(&self, folder: Option<&StorePath>) -> Result<Vec<Name>, StateStoreError> {
        let parts = folder.map(StorePath::parts).unwrap_or_default();
        match parts.as_slice() {
            [] => Ok(vec![Name::folder("artifacts")]),
            [_] => {
                let names = self.objects.names("artifacts").await?;
                let pillars = names.iter().filter(|it| check_pillar(it).is_ok());
                Ok(pillars.map(|it| Name::folder(it)).collect())
            }
            [_, pillar] if check_pillar(pillar).is_ok() => {
                let names = self.objects.names(&format!("artifacts/{pillar}")).await?;
                let ids = names.iter().filter(|it| ArtifactId::new(it).is_ok());
                Ok(ids.map(|it| Name::folder(it)).collect())
            }
            [_, pillar, id] => {
                let Ok(id) = ArtifactId::new(id) else { return Ok(vec![]) };
                let found = self.claimed(&id).await?.filter(|(claim, _)| claim.pillar == *pillar);
                Ok(found.iter().map(|(it, _)| Name::folder(&it.version.to_string())).collect())
            }
            [_, pillar, id, version, rest @ ..] => {
                let Some((id, claim, envelope)) = self.at([pillar, id, version]).await? else {
                    return Ok(vec![]);
                };
                let body = &envelope.fields().body;
                let body = if self.is_sealed(&id, &claim).await? { &BTreeMap::new() } else { body };
                Ok(match rest {
                    [] if body.is_empty() => vec![Name::file("envelope.json")],
                    [] => vec![Name::folder("body"), Name::file("envelope.json")],
                    ["body"] => body.keys().map(|it| Name::file(it)).collect(),
                    _ => vec![],
                })
            }
            [_, _] => Ok(vec![]),
        }
    }

    async fn write(&self, path: &StorePath, _content: Bytes) -> Result<(), StateStoreError> {
        Err(only_by_service(path))
    }

    async fn edit(
        &self,
        path: &StorePath,
        _: &str,
        _: &str,
    ) -> Result<EditResult, StateStoreError> {
        Err(only_by_service(path))
    }

    async fn delete(&self, path: &StorePath) -> Result<(), StateStoreError> {
        Err(only_by_service(path))
    }

    async fn rename(&self, from: &StorePath, _to: &StorePath) -> Result<(), StateStoreError> {
        Err(only_by_service(from))
    }
}

fn only_by_service(path: &StorePath) -> StateStoreError {
    StateStoreError::ServiceOnly { path: path.to_string(), by: "the artifact service" }
}
