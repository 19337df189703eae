//! The context pack: what one role may know in one run, item by item, with the reason for each.
//!
//! A pack is an allow list that was checked when it was made, and again whenever it is read: there is no value
//! of this type that breaks its rules. The names are those of the Factory's schema, because packs are stored and
//! audited. The sandbox turns a pack into folders and isolation.
//!
//! ```text
//! FULL            the work tree of the one module being built; never what is sealed
//! CONTRACT_ONLY   contract.json, examples.md, ship.json; what an unlisted module gets
//! SUMMARY_ONLY    the metadata, the purpose, what goes in and out, and the titles of error cases
//! METADATA_ONLY   id, version, name, status, tags
//! ```
//!
//! Each level shows all that the one below it shows, and more.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use crate::{StreamId, TaskId, Timestamp};

mod reader;
mod reference;
mod rules;
mod sealed;
mod sight;
pub mod timestamp;

pub use reader::{PackReader, UnknownPackReader};
pub use reference::{PackId, Ref, RefKind, Version};
pub use rules::Refused;
pub use sealed::{SEALED_FOLDERS, Surface, sealed_message};
pub use sight::{InputKind, Occasion, Sight, Writes, sight, writes};

/// How much of something is shown. A greater one shows everything a lesser one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Permission {
    /// That it exists, and what it is called.
    MetadataOnly,
    /// Also what it is for, and what goes in and out.
    SummaryOnly,
    /// Also the three files by which others integrate with it.
    ContractOnly,
    /// Everything that is not sealed.
    Full,
}

/// A pack that holds to its rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Draft", into = "Draft")]
pub struct ContextPack(Draft);

/// What a pack says, before it is checked. This is also how it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draft {
    pub context_pack_id: PackId,
    pub created_for: CreatedFor,
    /// What is shown.
    pub included_refs: Vec<Inclusion>,
    /// What is withheld, whatever the default says.
    pub excluded_refs: Vec<Exclusion>,
    /// What a module gets that is in neither list.
    pub default_permission: Permission,
    #[serde(with = "timestamp")]
    pub created_at: Timestamp,
}

/// Whom a pack was made for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreatedFor {
    pub role: PackReader,
    /// The run: an invocation, or the stream of a step that no role takes.
    pub run_id: StreamId,
    pub task_ref: TaskId,
}

/// Something that is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inclusion {
    #[serde(rename = "ref")]
    pub reference: Ref,
    pub permission: Permission,
    /// Why the role needs it.
    pub reason: String,
}

/// Something that is withheld.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exclusion {
    #[serde(rename = "ref")]
    pub reference: Ref,
    /// Why the role must not have it.
    pub reason: String,
}

/// What a pack says of one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Visibility {
    /// It does not exist for this role.
    Withheld,
    /// It is shown, this much.
    Visible(Permission),
}

impl ContextPack {
    pub fn new(draft: Draft) -> Result<Self, Refused> {
        rules::check(&draft)?;
        Ok(Self(draft))
    }

    /// How much of `reference` is shown: what is listed, and otherwise the default for modules. An exclusion wins.
    pub fn permission_of(&self, reference: &Ref) -> Visibility {
        if self.exclusion(reference).is_some() {
            return Visibility::Withheld;
        }
        match self.inclusion(reference) {
            Some(included) => Visibility::Visible(included.permission),
            None => self.by_default(reference),
        }
    }

    /// Whether everything in it may be given on this occasion.
    pub fn fits(&self, occasion: Occasion) -> Result<(), Refused> {
        let reader = self.0.created_for.role;
        let inputs = self
            .0
            .included_refs
            .iter()
            .map(|included| InputKind::of(&included.reference, included.permission));
        for input in inputs {
            reader.may_have(input, occasion)?;
        }
        Ok(())
    }

    pub fn id(&self) -> &PackId {
        &self.0.context_pack_id
    }

    pub fn created_for(&self) -> &CreatedFor {
        &self.0.created_for
    }

    pub fn reader(&self) -> PackReader {
        self.0.created_for.role
    }

    pub fn included(&self) -> &[Inclusion] {
        &self.0.included_refs
    }

    pub fn excluded(&self) -> &[Exclusion] {
        &self.0.excluded_refs
    }

    pub fn created_at(&self) -> Timestamp {
        self.0.created_at
    }

    /// The module being built, if the role may see one from inside.
    pub fn open_module(&self) -> Option<&Ref> {
        rules::open_modules(&self.0.included_refs).next()
    }

    fn inclusion(&self, reference: &Ref) -> Option<&Inclusion> {
        self.0.included_refs.iter().find(|included| included.reference == *reference)
    }

    fn exclusion(&self, reference: &Ref) -> Option<&Exclusion> {
        self.0.excluded_refs.iter().find(|excluded| excluded.reference == *reference)
    }

    fn by_default(&self, reference: &Ref) -> Visibility {
        let of_others = match self.reader() {
            // It takes part in nothing, and the default is all that is said about it.
            PackReader::Orchestrator => Sight::UpTo(self.0.default_permission),
            PackReader::Role(role) => sight(role, InputKind::DependencyContracts),
        };
        match of_others.most() {
            Some(most) if reference.kind() == RefKind::Module => {
                Visibility::Visible(most.min(self.0.default_permission))
            }
            // Only modules have a default, and an arbiter is shown no other module, listed or not.
            Some(_) | None => Visibility::Withheld,
        }
    }
}

named! { Permission {
    MetadataOnly = "METADATA_ONLY", SummaryOnly = "SUMMARY_ONLY", ContractOnly = "CONTRACT_ONLY",
    Full = "FULL",
} }

impl TryFrom<Draft> for ContextPack {
    type Error = Refused;

    fn try_from(draft: Draft) -> Result<Self, Refused> {
        Self::new(draft)
    }
}

impl From<ContextPack> for Draft {
    fn from(pack: ContextPack) -> Self {
        pack.0
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests;
