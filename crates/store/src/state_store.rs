//! The state store: artifacts, shipped modules and records, and the guards that roles meet.
//!
//! ```text
//! StateTools ─▶ PackGuard ─▶ Composite ─┬─ modules/    Opaque ─▶ Immutable ─▶ ModuleVersions ─┐
//!  what a role    its context            ├─ artifacts/  Immutable ─▶ Artifacts ───────────────┤─▶ Objects
//!  calls          pack                   └─ records     Immutable ─▶ Records ─────────────────┘   write-once
//! ```
//!
//! Roles only ever get the outermost guard. The engine writes through [`ModuleVersions::promote`], [`Artifacts::create`]
//! and [`Artifacts::transition`]. Nothing here deletes or overwrites; what a file means is decided by markers that were
//! written once, and content is checked against the digest in its marker, so a planted file, link or folder
//! is never shown.

use std::future::Future;

use bytes::Bytes;

mod artifacts;
mod envelope;
mod error;
mod guards;
#[cfg(feature = "testing")]
pub mod hostile_callers;
mod module_versions;
mod objects;
mod path;
mod promotion;
mod records;
mod status;
mod tools;

pub use artifacts::{ArtifactError, Artifacts, BodyRules, NewArtifact, Transition};
pub use envelope::{
    ArtifactId, ArtifactType, Contribution, ContributionType, CreatedBy, Envelope, Fields,
    InvalidEnvelope, Link,
};
pub use error::{PromotionError, StateStoreError};
pub use guards::{Composite, Immutable, Opaque, PackGuard};
pub use module_versions::{ModuleTree, ModuleVersion, ModuleVersions};
pub use objects::Objects;
pub use path::{BadStorePath, StorePath};
pub use promotion::{Promotion, Step};
pub use records::Records;
pub use status::{Entitlement, IllegalTransition, Status, StatusChange, allowed};
pub use tools::{Found, Line, StateTools};

/// The operations on the state store. Each guard is one around another.
///
/// `ls`, `glob` and `grep` are made of `names` and `read` in [`StateTools`], so no guard can forget one of them.
pub trait StateStore: Send + Sync {
    fn read(
        &self,
        path: &StorePath,
    ) -> impl Future<Output = Result<Reading, StateStoreError>> + Send;

    /// What is in a folder, in order; `None` is the root. A folder that does not exist is empty.
    fn names(
        &self,
        folder: Option<&StorePath>,
    ) -> impl Future<Output = Result<Vec<Name>, StateStoreError>> + Send;

    fn write(
        &self,
        path: &StorePath,
        content: Bytes,
    ) -> impl Future<Output = Result<(), StateStoreError>> + Send;

    /// Replaces `old`, which stands there once, by `new`.
    fn edit(
        &self,
        path: &StorePath,
        old: &str,
        new: &str,
    ) -> impl Future<Output = Result<EditResult, StateStoreError>> + Send;

    fn delete(&self, path: &StorePath) -> impl Future<Output = Result<(), StateStoreError>> + Send;

    fn rename(
        &self,
        from: &StorePath,
        to: &StorePath,
    ) -> impl Future<Output = Result<(), StateStoreError>> + Send;
}

/// What a caller reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    Content(Bytes),
    /// The message in place of sealed content.
    Sealed(String),
}

/// What became of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditResult {
    Edited,
    /// Nothing was changed: the message in place of sealed content.
    Sealed(String),
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    pub name: String,
    pub kind: NameKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameKind {
    File,
    Folder,
}

impl Reading {
    /// What a role is given: the content as text, or the message.
    pub fn into_text(self) -> String {
        match self {
            Self::Content(content) => String::from_utf8_lossy(&content).into_owned(),
            Self::Sealed(message) => message,
        }
    }
}

impl Name {
    pub fn file(name: &str) -> Self {
        Self { name: name.to_owned(), kind: NameKind::File }
    }

    pub fn folder(name: &str) -> Self {
        Self { name: name.to_owned(), kind: NameKind::Folder }
    }
}
