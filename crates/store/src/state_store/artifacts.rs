//! Artifacts: the one service that creates them and takes them from one status to the next.
//!
//! ```text
//! artifact_ids/IMPL-….json                       who has the id, and the digest of its envelope
//! artifacts/{pillar}/{id}/{version}/body/…       the body
//! lineages/{first id}/000001.json                the versions of one thing, strictly increasing
//! artifacts/{pillar}/{id}/{version}/envelope.json   written last: with it the artifact exists
//! artifacts/{pillar}/{id}/{version}/status/000001.json   the log of its status
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use sealwright_kernel::pack::{PackId, Version};
use sealwright_kernel::{Digest, Ref, Timestamp, canonical_json};
use serde::{Deserialize, Serialize};

use super::envelope::{
    ArtifactId, ArtifactType, CreatedBy, Envelope, Fields, InvalidEnvelope, Link,
};
use super::error::StateStoreError;
use super::module_versions::within;
use super::objects::{Created, ENTRY_BYTES_MAX, Objects, damaged};
use super::status::{Entitlement, IllegalTransition, Status, StatusChange, allowed};

mod paths;

/// The artifacts of a project.
#[derive(Clone, Debug)]
pub struct Artifacts {
    objects: Objects,
    rules: Arc<dyn BodyRules>,
}

/// The schemas of bodies, which the store does not know. Asked before anything is written.
pub trait BodyRules: Send + Sync + std::fmt::Debug {
    fn check(
        &self,
        artifact_type: ArtifactType,
        body: &BTreeMap<String, Bytes>,
    ) -> Result<(), String>;
}

/// An artifact to be created. It has no id of its own: ids are minted from `randomness`.
#[derive(Clone, Debug)]
pub struct NewArtifact {
    pub artifact_type: ArtifactType,
    pub randomness: [u8; 4],
    /// The slug of a pillar, or `_project`.
    pub pillar: String,
    /// The version it follows on, and its own; a first version is 1.0.0.
    pub supersedes: Option<(Ref, Version)>,
    pub created_at: Timestamp,
    pub created_by: CreatedBy,
    pub context_pack_ref: PackId,
    pub inputs: Vec<Link>,
    pub outputs: Vec<Link>,
    pub notes: String,
    pub body: BTreeMap<String, Bytes>,
}

/// A change of status to be made.
#[derive(Clone, Debug)]
pub struct Transition {
    pub artifact: Ref,
    pub to: Status,
    pub because: Ref,
    pub by: CreatedBy,
    pub at: Timestamp,
}

/// Why an artifact was not created or changed.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    #[error(transparent)]
    Envelope(#[from] InvalidEnvelope),
    #[error("`{pillar}` is not the slug of a pillar")]
    Pillar { pillar: String },
    #[error("the body of {id} is not valid: {why}")]
    Body { id: ArtifactId, why: String },
    /// Mint another one.
    #[error("{id} belongs to another artifact")]
    IdTaken { id: ArtifactId },
    #[error("{reference} does not exist")]
    Unknown { reference: Ref },
    #[error("version {version} does not follow {last}")]
    NotIncreasing { version: Version, last: Version },
    #[error(transparent)]
    Illegal(#[from] IllegalTransition),
    #[error("{because} does not entitle {artifact} to become {to}")]
    NotEntitled { artifact: Ref, because: Ref, to: Status },
    #[error(transparent)]
    Store(#[from] StateStoreError),
}

/// Who has an id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claim {
    pillar: String,
    version: Version,
    envelope: Digest,
}

impl Artifacts {
    pub fn new(objects: Objects, rules: Arc<dyn BodyRules>) -> Self {
        Self { objects, rules }
    }

    /// Creates an artifact. Creating the same one again changes nothing.
    pub async fn create(&self, new: NewArtifact) -> Result<Envelope, ArtifactError> {
        let id = ArtifactId::mint(new.artifact_type, new.randomness);
        check_pillar(&new.pillar)?;
        for content in new.body.values() {
            within("a file of a body", content.len(), BODY_BYTES_MAX)?;
        }
        let why = |why| ArtifactError::Body { id: id.clone(), why };
        self.rules.check(new.artifact_type, &new.body).map_err(why)?;
        let (envelope, pillar, body) = self.enveloped(id.clone(), new).await?;
        let text = canonical(&envelope)?;
        let version = envelope.fields().version;
        let claim = Claim { pillar, version, envelope: Digest::of(&text) };
        let taken = self.objects.create(&claim_key(&id), canonical(&claim)?).await?;
        if !is_mine(&taken, &canonical(&claim)?) {
            return Err(ArtifactError::IdTaken { id });
        }
        let folder = claim.folder(&id);
        for (name, content) in body {
            let key = format!("{folder}/body/{name}");
            if !is_mine(&self.objects.create(&key, content.clone()).await?, &content) {
                return Err(damaged(&key, "another content is in its place").into());
            }
        }
        self.join(&envelope).await?;
        let key = format!("{folder}/envelope.json");
        if is_mine(&self.objects.create(&key, text.clone()).await?, &text) {
            Ok(envelope)
        } else {
            Err(damaged(&key, "another envelope is in its place").into())
        }
    }

    /// The envelope of an artifact and its current status.
    pub async fn find(&self, reference: &Ref) -> Result<Option<(Envelope, Status)>, ArtifactError> {
        let Ok(id) = ArtifactId::new(reference.id()) else { return Ok(None) };
        let Some((claim, envelope)) = self.claimed(&id).await? else { return Ok(None) };
        if claim.version != reference.version() {
            return Ok(None);
        }
        let changes = self.changes(&claim, &id).await?;
        Ok(Some((envelope, current(&changes))))
    }

    /// Takes an artifact to another status, if the table and what it names allow it.
    pub async fn transition(&self, transition: &Transition) -> Result<Status, ArtifactError> {
        let Transition { artifact, to, because, .. } = transition;
        let unknown = |it: &Ref| ArtifactError::Unknown { reference: it.clone() };
        let id = ArtifactId::new(artifact.id()).map_err(|_| unknown(artifact))?;
        let claimed = self.claimed(&id).await?.filter(|(it, _)| it.version == artifact.version());
        let (claim, envelope) = claimed.ok_or_else(|| unknown(artifact))?;
        loop {
            let changes = self.changes(&claim, &id).await?;
            let from = current(&changes);
            if changes.last().is_some_and(|it| it.is(transition)) {
                return Ok(from);
            }
            let illegal = IllegalTransition { artifact: artifact.clone(), from, to: *to };
            let entitlement = allowed(id.artifact_type(), from, *to).ok_or(illegal)?;
            let (entitling, status) = self.find(because).await?.ok_or_else(|| unknown(because))?;
            if !entitles(entitlement, &envelope, &entitling, status) {
                let (artifact, because) = (artifact.clone(), because.clone());
                return Err(ArtifactError::NotEntitled { artifact, because, to: *to });
            }
            let (because, by) = (because.clone(), transition.by.clone());
            let change = StatusChange { from, to: *to, because, by, at: transition.at };
            let log = format!("{}/status", claim.folder(&id));
            match self.objects.append(&log, changes.len(), canonical(&change)?).await? {
                Created::New => return Ok(*to),
                // Another process was first; what is there now decides.
                Created::There(_) => {}
            }
        }
    }

    /// The changes of status of an artifact, from the first.
    pub async fn history(&self, reference: &Ref) -> Result<Vec<StatusChange>, ArtifactError> {
        let unknown = || ArtifactError::Unknown { reference: reference.clone() };
        let id = ArtifactId::new(reference.id()).map_err(|_| unknown())?;
        let (claim, _) = self.claimed(&id).await?.ok_or_else(unknown)?;
        Ok(self.changes(&claim, &id).await?)
    }

    async fn enveloped(
        &self,
        id: ArtifactId,
        new: NewArtifact,
    ) -> Result<(Envelope, String, BTreeMap<String, Bytes>), ArtifactError> {
        let mut inputs = new.inputs;
        let (version, lineage_id) = match new.supersedes {
            None => (FIRST, id.clone()),
            Some((before, version)) => {
                let found = self.find(&before).await?;
                let found = found.filter(|(it, _)| it.id().artifact_type() == new.artifact_type);
                let unknown = || ArtifactError::Unknown { reference: before.clone() };
                let (predecessor, _) = found.ok_or_else(unknown)?;
                let lineage = predecessor.lineage().clone();
                inputs.push(Link { reference: before, purpose: "supersedes".to_owned() });
                (version, lineage)
            }
        };
        let body = new.body.iter().map(|(name, it)| (name.clone(), Digest::of(it))).collect();
        let envelope = Envelope::new(Fields {
            artifact_id: id,
            artifact_type: new.artifact_type,
            version,
            status: Status::Draft,
            created_at: new.created_at,
            created_by: new.created_by,
            context_pack_ref: new.context_pack_ref,
            inputs,
            outputs: new.outputs,
            notes: new.notes,
            lineage_id: Some(lineage_id),
            body,
        })?;
        Ok((envelope, new.pillar, new.body))
    }

    /// Takes the next place in the lineage, or finds that it has one.
    async fn join(&self, envelope: &Envelope) -> Result<(), ArtifactError> {
        let folder = format!("lineages/{}", envelope.lineage());
        let (own, version) = (envelope.reference(), envelope.fields().version);
        loop {
            let mut members: Vec<Ref> = Vec::new();
            for entry in self.objects.log(&folder, 0).await? {
                let member = serde_json::from_slice(&entry);
                members.push(member.map_err(|_| damaged(&folder, "an entry cannot be read"))?);
            }
            if members.contains(&own) {
                return Ok(());
            }
            if let Some(last) = members.iter().map(Ref::version).max()
                && last >= version
            {
                return Err(ArtifactError::NotIncreasing { version, last });
            }
            match self.objects.append(&folder, members.len(), canonical(&own)?).await? {
                Created::New => return Ok(()),
                Created::There(_) => {}
            }
        }
    }

    /// Who has the id, and the envelope, if the artifact exists.
    async fn claimed(&self, id: &ArtifactId) -> Result<Option<(Claim, Envelope)>, StateStoreError> {
        let key = claim_key(id);
        let Some(claim) = self.objects.read(&key, ENTRY_BYTES_MAX).await? else { return Ok(None) };
        let claim: Claim =
            serde_json::from_slice(&claim).map_err(|_| damaged(&key, "it cannot be read"))?;
        if check_pillar(&claim.pillar).is_err() {
            return Err(damaged(&key, "it names no pillar"));
        }
        let key = format!("{}/envelope.json", claim.folder(id));
        let Some(text) = self.objects.read(&key, ENTRY_BYTES_MAX).await? else { return Ok(None) };
        if Digest::of(&text) != claim.envelope {
            return Err(damaged(&key, "it does not match its digest"));
        }
        let envelope: Envelope =
            serde_json::from_slice(&text).map_err(|_| damaged(&key, "it cannot be read"))?;
        Ok(Some((claim, envelope)))
    }

    async fn changes(
        &self,
        claim: &Claim,
        id: &ArtifactId,
    ) -> Result<Vec<StatusChange>, StateStoreError> {
        let folder = format!("{}/status", claim.folder(id));
        let mut changes = Vec::new();
        let mut status = Status::Draft;
        for entry in self.objects.log(&folder, 0).await? {
            let change: StatusChange = serde_json::from_slice(&entry)
                .map_err(|_| damaged(&folder, "a change of status cannot be read"))?;
            let is_legal = allowed(id.artifact_type(), change.from, change.to).is_some();
            if change.from != status || !is_legal {
                return Err(damaged(&folder, "a change of status is not legal"));
            }
            status = change.to;
            changes.push(change);
        }
        Ok(changes)
    }

    /// A file of an artifact's body, checked. For the engine: roles read through the guards.
    pub async fn body(&self, reference: &Ref, name: &str) -> Result<Bytes, ArtifactError> {
        let unknown = || ArtifactError::Unknown { reference: reference.clone() };
        let id = ArtifactId::new(reference.id()).map_err(|_| unknown())?;
        let claimed = self.claimed(&id).await?.filter(|(it, _)| it.version == reference.version());
        let (claim, envelope) = claimed.ok_or_else(unknown)?;
        let digest = envelope.fields().body.get(name).ok_or_else(unknown)?;
        Ok(self.content(&format!("{}/body/{name}", claim.folder(&id)), digest).await?)
    }

    async fn content(&self, key: &str, digest: &Digest) -> Result<Bytes, StateStoreError> {
        let content = self.objects.read(key, BODY_BYTES_MAX.max(ENTRY_BYTES_MAX)).await?;
        let content = content.ok_or_else(|| damaged(key, "it is missing"))?;
        if Digest::of(&content) != *digest {
            return Err(damaged(key, "it does not match its digest"));
        }
        Ok(content)
    }

    /// Whether its body is the source of something shipped.
    async fn is_sealed(&self, id: &ArtifactId, claim: &Claim) -> Result<bool, StateStoreError> {
        if id.artifact_type() != ArtifactType::Implementation {
            return Ok(false);
        }
        let changes = self.changes(claim, id).await?;
        Ok(changes.iter().any(|it| it.to == Status::Shipped))
    }

    /// The artifact at `artifacts/{pillar}/{id}/{version}/…`.
    async fn at(
        &self,
        [pillar, id, version]: [&str; 3],
    ) -> Result<Option<(ArtifactId, Claim, Envelope)>, StateStoreError> {
        let Ok(id) = ArtifactId::new(id) else { return Ok(None) };
        let Some((claim, envelope)) = self.claimed(&id).await? else { return Ok(None) };
        let is_there = claim.pillar == pillar && claim.version.to_string() == version;
        Ok(is_there.then_some((id, claim, envelope)))
    }
}

impl Claim {
    fn folder(&self, id: &ArtifactId) -> String {
        format!("artifacts/{}/{id}/{}", self.pillar, self.version)
    }
}

impl StatusChange {
    /// Whether it is the recorded form of `transition`.
    fn is(&self, transition: &Transition) -> bool {
        let Transition { artifact: _, to, because, by, at } = transition;
        (self.to, &self.because, &self.by, self.at) == (*to, because, by, *at)
    }
}

fn entitles(entitlement: Entitlement, artifact: &Envelope, by: &Envelope, status: Status) -> bool {
    match entitlement {
        Entitlement::Made(artifact_type) => {
            by.id().artifact_type() == artifact_type && by.has_input(&artifact.reference())
        }
        Entitlement::Successor => {
            by.lineage() == artifact.lineage()
                && by.fields().version > artifact.fields().version
                && status == Status::Shipped
        }
    }
}

fn current(changes: &[StatusChange]) -> Status {
    changes.last().map_or(Status::Draft, |it| it.to)
}

fn check_pillar(pillar: &str) -> Result<(), ArtifactError> {
    let slug = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-';
    let is_slug = !pillar.is_empty() && pillar.len() <= PILLAR_MAX && pillar.bytes().all(slug);
    if is_slug || pillar == "_project" {
        return Ok(());
    }
    Err(ArtifactError::Pillar { pillar: sealwright_kernel::shown(pillar) })
}

fn canonical<T: Serialize>(value: &T) -> Result<Bytes, StateStoreError> {
    let invalid = |why: sealwright_kernel::CanonicalError| StateStoreError::Invalid {
        path: "the record".to_owned(),
        why: why.to_string(),
    };
    canonical_json(value).map(Bytes::from).map_err(invalid)
}

fn is_mine(created: &Created, own: &Bytes) -> bool {
    match created {
        Created::New => true,
        Created::There(there) => there == own,
    }
}

fn claim_key(id: &ArtifactId) -> String {
    format!("artifact_ids/{id}.json")
}

const FIRST: Version = Version { major: 1, minor: 0, patch: 0 };
const PILLAR_MAX: usize = 64;
const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;

#[cfg(test)]
mod tests;
