//! Records outside the envelopes: context packs, debates, exceptions, escalations, releases, contributions. Write-once.

use bytes::Bytes;
use sealwright_kernel::{ContextPack, shown};
use serde_json::{Map, Value};

use super::envelope::{ArtifactId, ArtifactType, Contribution};
use super::error::StateStoreError;
use super::module_versions::within;
use super::objects::{Created, Objects};
use super::path::StorePath;
use super::{EditResult, Name, Reading, StateStore};

/// The records of a project, each at its path.
#[derive(Clone, Debug)]
pub struct Records {
    objects: Objects,
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind<'p> {
    ContextPack {
        id: &'p str,
    },
    Contribution {
        id: &'p str,
    },
    /// An object whose own id stands in a field of it.
    Named {
        id: &'p str,
        field: &'static str,
    },
    /// A part of a round of a debate.
    Debate {
        debate: &'p str,
        part: DebatePart,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum DebatePart {
    Proposal,
    Challenge,
    Adjudication,
}

impl Records {
    pub fn new(objects: Objects) -> Self {
        Self { objects }
    }

    /// Whether a debate has ended with an adjudication.
    async fn is_adjudicated(&self, debate: &str) -> Result<bool, StateStoreError> {
        for round in self.objects.names(&format!("debates/{debate}")).await? {
            let names = self.objects.names(&format!("debates/{debate}/{round}")).await?;
            if names.iter().any(|it| it == "adjudication.json") {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the round has a later part already: it is sealed for earlier ones.
    async fn is_past(&self, path: &StorePath, part: DebatePart) -> Result<bool, StateStoreError> {
        let round = path.as_str().rsplit_once('/').map_or("", |(round, _)| round);
        let names = self.objects.names(round).await?;
        Ok(names.iter().filter_map(|it| DebatePart::named(it)).any(|it| it > part))
    }
}

impl StateStore for Records {
    async fn read(&self, path: &StorePath) -> Result<Reading, StateStoreError> {
        let missing = || StateStoreError::NotFound { path: path.to_string() };
        kind_of(path).ok_or_else(missing)?;
        let content = self.objects.read(path.as_str(), RECORD_BYTES_MAX).await?;
        content.map(Reading::Content).ok_or_else(missing)
    }

    async fn names(&self, folder: Option<&StorePath>) -> Result<Vec<Name>, StateStoreError> {
        let Some(folder) = folder else {
            return Ok(FOLDERS.iter().map(|it| Name::folder(it)).collect());
        };
        let parts = folder.parts();
        let is_plain = parts.iter().all(|it| is_word(it));
        if !is_plain || parts.len() > 3 || !FOLDERS.contains(&parts[0]) {
            return Ok(vec![]);
        }
        let mut names = Vec::new();
        for name in self.objects.names(folder.as_str()).await? {
            let Ok(path) = folder.join(&name) else { continue };
            if kind_of(&path).is_some() {
                names.push(Name::file(&name));
            } else if is_word(&name) {
                names.push(Name::folder(&name));
            }
        }
        Ok(names)
    }

    async fn write(&self, path: &StorePath, content: Bytes) -> Result<(), StateStoreError> {
        let invalid =
            |why: String| StateStoreError::Invalid { path: path.to_string(), why: shown(&why) };
        let unrouted = || StateStoreError::Unrouted { path: path.to_string() };
        let kind = kind_of(path).ok_or_else(unrouted)?;
        within("a record", content.len(), RECORD_BYTES_MAX)?;
        check(kind, &content).map_err(invalid)?;
        if let Kind::Debate { debate, part } = kind
            && (self.is_adjudicated(debate).await? || self.is_past(path, part).await?)
        {
            return Err(StateStoreError::Immutable { path: path.to_string() });
        }
        match self.objects.create(path.as_str(), content).await? {
            Created::New => Ok(()),
            Created::There(_) => Err(StateStoreError::Immutable { path: path.to_string() }),
        }
    }

    async fn edit(
        &self,
        path: &StorePath,
        _: &str,
        _: &str,
    ) -> Result<EditResult, StateStoreError> {
        Err(StateStoreError::Immutable { path: path.to_string() })
    }

    async fn delete(&self, path: &StorePath) -> Result<(), StateStoreError> {
        Err(StateStoreError::Immutable { path: path.to_string() })
    }

    async fn rename(&self, from: &StorePath, _to: &StorePath) -> Result<(), StateStoreError> {
        Err(StateStoreError::Immutable { path: from.to_string() })
    }
}

impl DebatePart {
    fn named(file: &str) -> Option<Self> {
        match file {
            "proposal.json" => Some(Self::Proposal),
            "challenge.json" => Some(Self::Challenge),
            "adjudication.json" => Some(Self::Adjudication),
            _ => None,
        }
    }
}

fn kind_of(path: &StorePath) -> Option<Kind<'_>> {
    let minted = |id: &str, kind| ArtifactId::new(id).is_ok_and(|it| it.artifact_type() == kind);
    match path.parts().as_slice() {
        ["context_packs", file] => {
            let id = file.strip_suffix(".json")?;
            minted(id, ArtifactType::ContextPack).then_some(Kind::ContextPack { id })
        }
        ["contributions", file] => {
            let id = file.strip_suffix(".json")?;
            let is_id = id.strip_prefix("CONTRIB-").is_some_and(is_lower_word);
            is_id.then_some(Kind::Contribution { id })
        }
        ["exceptions", file] => {
            let id = file.strip_suffix(".json")?;
            let named = Kind::Named { id, field: "exception_id" };
            minted(id, ArtifactType::InterfaceChangeException).then_some(named)
        }
        ["escalations", file] => {
            let id = file.strip_suffix(".json")?;
            let named = Kind::Named { id, field: "escalation_id" };
            minted(id, ArtifactType::Escalation).then_some(named)
        }
        ["releases", id, "manifest.json" | "failure_report.json"] => {
            let hex = |it: u8| it.is_ascii_digit() || matches!(it, b'a'..=b'f');
            let digits = id.strip_prefix("REL-")?;
            let is_id = digits.len() == 8 && digits.bytes().all(hex);
            is_id.then_some(Kind::Named { id, field: "release_id" })
        }
        ["debates", debate, round, file] => {
            let part = DebatePart::named(file)?;
            let nth: u32 = round.strip_prefix("round-")?.parse().ok()?;
            let has_one_spelling = format!("round-{nth}") == *round;
            let is_round = has_one_spelling && (1..=ROUNDS_MAX).contains(&nth);
            (is_round && ArtifactId::new(debate).is_ok()).then_some(Kind::Debate { debate, part })
        }
        _ => None,
    }
}

/// Whether the content is what belongs there.
fn check(kind: Kind<'_>, content: &[u8]) -> Result<(), String> {
    let say = |error: serde_json::Error| error.to_string();
    let same = |own: &str, id: &str| {
        if own == id { Ok(()) } else { Err("it has another id than its path".to_owned()) }
    };
    match kind {
        Kind::ContextPack { id } => {
            let pack: ContextPack = serde_json::from_slice(content).map_err(say)?;
            same(pack.id().as_str(), id)
        }
        Kind::Contribution { id } => {
            let contribution: Contribution = serde_json::from_slice(content).map_err(say)?;
            same(&contribution.contribution_id, id)
        }
        Kind::Named { id, field } => {
            let object: Map<String, Value> = serde_json::from_slice(content).map_err(say)?;
            same(object.get(field).and_then(Value::as_str).unwrap_or_default(), id)
        }
        Kind::Debate { .. } => {
            serde_json::from_slice::<Map<String, Value>>(content).map(|_| ()).map_err(say)
        }
    }
}

fn is_word(name: &str) -> bool {
    let word = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_');
    !name.is_empty() && name.len() <= WORD_MAX && name.bytes().all(word)
}

fn is_lower_word(name: &str) -> bool {
    is_word(name) && !name.bytes().any(|it| it.is_ascii_uppercase())
}

const FOLDERS: [&str; 6] =
    ["context_packs", "contributions", "debates", "escalations", "exceptions", "releases"];
/// Two revisions make three rounds; what follows an amendment or a person's fix has room, too.
const ROUNDS_MAX: u32 = 99;
const WORD_MAX: usize = 128;
const RECORD_BYTES_MAX: usize = 8 * 1024 * 1024;

#[cfg(test)]
mod tests;
