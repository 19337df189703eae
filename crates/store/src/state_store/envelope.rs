//! The envelope of an artifact: identity, type, version, origin, links. Written once, checked whenever it is read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use sealwright_kernel::pack::{PackId, PackReader, RefKind, Version, timestamp};
use sealwright_kernel::{Digest, IdError, Ref, StreamId, TaskId, Timestamp};
use serde::{Deserialize, Serialize};

use super::status::Status;

/// A type of artifact. The set is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ArtifactType {
    MicroPlan,
    Contract,
    Implementation,
    Proposal,
    Challenge,
    Adjudication,
    ShipEvidence,
    Escalation,
    ContextPack,
    InterfaceChangeException,
    ReuseSearchReport,
    ProductSpec,
    Examples,
}

/// An artifact: the prefix of its type and eight hex digits. Each version of a thing has its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ArtifactId {
    artifact_type: ArtifactType,
    text: String,
}

/// An envelope that holds to its rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Fields", into = "Fields")]
pub struct Envelope(Fields);

/// What an envelope says, before it is checked. This is also how it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fields {
    pub artifact_id: ArtifactId,
    pub artifact_type: ArtifactType,
    pub version: Version,
    /// The status it was created with; the current one is the last in the artifact's log.
    pub status: Status,
    #[serde(with = "timestamp")]
    pub created_at: Timestamp,
    pub created_by: CreatedBy,
    pub context_pack_ref: PackId,
    pub inputs: Vec<Link>,
    pub outputs: Vec<Link>,
    #[serde(default)]
    pub notes: String,
    /// The id of the first version; of a first version, its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lineage_id: Option<ArtifactId>,
    /// The files of the body by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub body: BTreeMap<String, Digest>,
}

/// The run that made something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreatedBy {
    pub role: PackReader,
    pub run_id: StreamId,
}

/// What an artifact was made from or led to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    #[serde(rename = "ref")]
    pub reference: Ref,
    pub purpose: String,
}

/// What one call of a role contributed. Written once, one for each call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contribution {
    pub contribution_id: String,
    #[serde(rename = "type")]
    pub contribution_type: ContributionType,
    pub produced_by: CreatedBy,
    pub artifact_ref: Ref,
    pub task_ref: TaskId,
    #[serde(with = "timestamp")]
    pub created_at: Timestamp,
    pub context_pack_ref: PackId,
    /// Its place among the contributions of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ContributionType {
    Contract,
    MicroPlan,
    Implementation,
    Challenge,
    Adjudication,
    ShipEvidence,
}

/// Why something is not an envelope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEnvelope {
    #[error("{id} is not the id of a {expected}")]
    OtherType { id: ArtifactId, expected: &'static str },
    #[error("{id} is in the lineage of {lineage}, which has another type")]
    OtherLineage { id: ArtifactId, lineage: ArtifactId },
    #[error("{id} was created as {status}, not as DRAFT")]
    NotADraft { id: ArtifactId, status: Status },
    #[error("{reference} is linked without a purpose")]
    NoPurpose { reference: Ref },
    #[error("{reference} is linked twice for one purpose")]
    Twice { reference: Ref },
    #[error("`{name}` is not a name for a file of a body")]
    BodyName { name: String },
    #[error("{what} exceeds the limit of {limit}")]
    TooMuch { what: &'static str, limit: usize },
}

impl ArtifactType {
    pub const ALL: [Self; 13] = [
        Self::MicroPlan,
        Self::Contract,
        Self::Implementation,
        Self::Proposal,
        Self::Challenge,
        Self::Adjudication,
        Self::ShipEvidence,
        Self::Escalation,
        Self::ContextPack,
        Self::InterfaceChangeException,
        Self::ReuseSearchReport,
        Self::ProductSpec,
        Self::Examples,
    ];

    pub fn name(self) -> &'static str {
        self.names().0
    }

    pub fn prefix(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::MicroPlan => ("MICRO_PLAN", "MP"),
            Self::Contract => ("CONTRACT", "CTR"),
            Self::Implementation => ("IMPLEMENTATION", "IMPL"),
            Self::Proposal => ("PROPOSAL", "PROP"),
            Self::Challenge => ("CHALLENGE", "CHAL"),
            Self::Adjudication => ("ADJUDICATION", "ADJ"),
            Self::ShipEvidence => ("SHIP_EVIDENCE", "SHIP"),
            Self::Escalation => ("ESCALATION", "ESC"),
            Self::ContextPack => ("CONTEXT_PACK", "CP"),
            Self::InterfaceChangeException => ("INTERFACE_CHANGE_EXCEPTION", "ICE"),
            Self::ReuseSearchReport => ("REUSE_SEARCH_REPORT", "RSR"),
            Self::ProductSpec => ("PRODUCT_SPEC", "SPEC"),
            Self::Examples => ("EXAMPLES", "EX"),
        }
    }

    fn of(kind: RefKind) -> Option<Self> {
        match kind {
            RefKind::Module | RefKind::Task | RefKind::Schema | RefKind::Rubric => None,
            RefKind::MicroPlan => Some(Self::MicroPlan),
            RefKind::Contract => Some(Self::Contract),
            RefKind::Implementation => Some(Self::Implementation),
            RefKind::Proposal => Some(Self::Proposal),
            RefKind::Challenge => Some(Self::Challenge),
            RefKind::Adjudication => Some(Self::Adjudication),
            RefKind::ShipEvidence => Some(Self::ShipEvidence),
            RefKind::Escalation => Some(Self::Escalation),
            RefKind::ContextPack => Some(Self::ContextPack),
            RefKind::InterfaceChangeException => Some(Self::InterfaceChangeException),
            RefKind::ReuseSearchReport => Some(Self::ReuseSearchReport),
            RefKind::ProductSpec => Some(Self::ProductSpec),
            RefKind::Examples => Some(Self::Examples),
        }
    }
}

impl ArtifactId {
    /// The id that these four bytes of randomness give. The engine mints; roles get ids back.
    pub fn mint(artifact_type: ArtifactType, randomness: [u8; 4]) -> Self {
        let number = u32::from_be_bytes(randomness);
        Self { artifact_type, text: format!("{}-{number:08x}", artifact_type.prefix()) }
    }

    pub fn new(text: &str) -> Result<Self, IdError> {
        let reference = Ref::new(&format!("{text}@1.0.0"))?;
        match ArtifactType::of(reference.kind()) {
            Some(artifact_type) => Ok(Self { artifact_type, text: text.to_owned() }),
            None => Err(IdError {
                text: reference.id().to_owned(),
                kind: "an artifact such as IMPL-1a2b3c4d",
            }),
        }
    }

    pub fn artifact_type(&self) -> ArtifactType {
        self.artifact_type
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The reference to this artifact in that version.
    pub fn at(&self, version: Version) -> Ref {
        Ref::new(&format!("{}@{version}", self.text)).expect("an id and a version are a reference")
    }
}

impl Envelope {
    pub fn new(fields: Fields) -> Result<Self, InvalidEnvelope> {
        check(&fields)?;
        Ok(Self(fields))
    }

    pub fn fields(&self) -> &Fields {
        &self.0
    }

    pub fn id(&self) -> &ArtifactId {
        &self.0.artifact_id
    }

    pub fn lineage(&self) -> &ArtifactId {
        self.0.lineage_id.as_ref().unwrap_or(&self.0.artifact_id)
    }

    pub fn reference(&self) -> Ref {
        self.0.artifact_id.at(self.0.version)
    }

    /// Whether it was made from `reference`.
    pub fn has_input(&self, reference: &Ref) -> bool {
        self.0.inputs.iter().any(|it| it.reference == *reference)
    }
}

fn check(fields: &Fields) -> Result<(), InvalidEnvelope> {
    let id = &fields.artifact_id;
    if id.artifact_type != fields.artifact_type {
        let expected = fields.artifact_type.name();
        return Err(InvalidEnvelope::OtherType { id: id.clone(), expected });
    }
    if let Some(lineage) = fields.lineage_id.as_ref()
        && lineage.artifact_type != id.artifact_type
    {
        return Err(InvalidEnvelope::OtherLineage { id: id.clone(), lineage: lineage.clone() });
    }
    if fields.status != Status::Draft {
        return Err(InvalidEnvelope::NotADraft { id: id.clone(), status: fields.status });
    }
    within("the length of the notes", fields.notes.len(), NOTES_BYTES_MAX)?;
    within("the files of the body", fields.body.len(), BODY_FILES_MAX)?;
    for name in fields.body.keys() {
        // A name of a stream is a plain name of a file on every system; case could still make two one.
        if StreamId::new(name.as_str()).is_err() || name.bytes().any(|it| it.is_ascii_uppercase()) {
            return Err(InvalidEnvelope::BodyName { name: sealwright_kernel::shown(name) });
        }
    }
    for links in [&fields.inputs, &fields.outputs] {
        within("the links", links.len(), LINKS_MAX)?;
        let mut seen = BTreeSet::new();
        for link in links {
            within("the length of a purpose", link.purpose.len(), PURPOSE_BYTES_MAX)?;
            if !link.purpose.chars().any(char::is_alphanumeric) {
                return Err(InvalidEnvelope::NoPurpose { reference: link.reference.clone() });
            }
            if !seen.insert(link) {
                return Err(InvalidEnvelope::Twice { reference: link.reference.clone() });
            }
        }
    }
    Ok(())
}

fn within(what: &'static str, count: usize, limit: usize) -> Result<(), InvalidEnvelope> {
    if count <= limit { Ok(()) } else { Err(InvalidEnvelope::TooMuch { what, limit }) }
}

impl TryFrom<Fields> for Envelope {
    type Error = InvalidEnvelope;

    fn try_from(fields: Fields) -> Result<Self, InvalidEnvelope> {
        Self::new(fields)
    }
}

impl From<Envelope> for Fields {
    fn from(envelope: Envelope) -> Self {
        envelope.0
    }
}

impl TryFrom<String> for ArtifactId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        Self::new(&text)
    }
}

impl From<ArtifactId> for String {
    fn from(id: ArtifactId) -> Self {
        id.text
    }
}

impl fmt::Display for ArtifactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

pub(super) const NOTES_BYTES_MAX: usize = 4_000;
pub(super) const LINKS_MAX: usize = 256;
pub(super) const PURPOSE_BYTES_MAX: usize = 500;
pub(super) const BODY_FILES_MAX: usize = 64;

#[cfg(test)]
mod tests;
