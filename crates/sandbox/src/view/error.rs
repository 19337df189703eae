//! What can stand between a pack and a view, or between a view and a patch.

use std::io;

use sealwright_kernel::Ref;
use sealwright_kernel::pack::{InputKind, PackReader, Refused, sealed_message};

use super::beneath::Obstacle;
use sealwright_kernel::{BadName, Fault};

/// A view that could not be made, or not be read back.
///
/// Messages are lower-case fragments that read well after "cannot build the view:".
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// Something has a name that no file of a view may have.
    #[error(transparent)]
    Name(#[from] BadName),
    /// The pack does not allow it.
    #[error(transparent)]
    Pack(#[from] Refused),
    /// Only roles stand in views.
    #[error("the context pack names no role")]
    NoRole,
    /// The pack grants something the store does not have.
    #[error("{reference} is not in the store")]
    NotInStore { reference: Ref },
    /// A shipped module lacks a file every shipped module has.
    #[error("{reference} has no {file}")]
    Incomplete { reference: Ref, file: &'static str },
    /// A contract cannot be read, so nothing can be told from it.
    #[error("cannot read the contract of {reference}")]
    Contract { reference: Ref, source: serde_json::Error },
    /// It lies in a sealed folder.
    #[error("`{path}` is sealed")]
    Sealed { path: String },
    /// It lies where nothing is for roles.
    #[error("`{path}` is not in a part of the store that roles may see")]
    Room { path: String },
    /// Two things would stand at one place.
    #[error("two entries have the path `{at}`")]
    Crowded { at: String },
    /// There is more than a view holds.
    #[error("too many {what}: at most {most}")]
    TooMuch { most: u64, what: &'static str },
    /// The role may not write.
    #[error("{reader} may not write")]
    NotAWriter { reader: PackReader },
    /// A work tree was offered that the pack does not open.
    #[error("the pack does not open {module}")]
    NotGranted { module: Ref },
    /// The pack opens a module, and its work tree was not offered.
    #[error("{module} is open, but has no work tree")]
    NoWorkTree { module: Ref },
    /// Source was offered as a text to read.
    #[error("{input} can be shown only as a work tree")]
    AsText { input: InputKind },
    /// A file or folder is not what can be copied.
    #[error("`{path}` {source}")]
    Unfit { path: String, source: Obstacle },
    /// A file is not the one that was listed.
    #[error("`{path}` does not match its listed digest")]
    Differs { path: String },
    /// A link of a work tree leads out of it, or could.
    #[error("the link `{path}` leads out of the tree, to `{to}`")]
    LinkLeaves { path: String, to: String },
    /// The work tree is a part of the store.
    #[error("the work tree is inside the store")]
    TreeInStore,
    /// No write lease is held for this tree.
    #[error("no write lease is held for this work tree")]
    NoLease,
    /// Another process holds the write lease.
    #[error("the work tree is being written by {holder}")]
    Leased { holder: String },
    /// A view is made once, where nothing was.
    #[error("the folder for the view already exists")]
    Exists,
    /// The system failed.
    #[error("cannot {what}")]
    Io { what: String, source: io::Error },
}

impl ViewError {
    /// What a person can do about it, in one sentence, if anything.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Name(BadName { fault, .. }) => match fault {
                Fault::Repository => {
                    Some("leave repositories inside the tree out of it".to_owned())
                }
                Fault::Harness => {
                    Some("work trees do not hold the harness's own folder".to_owned())
                }
                Fault::Empty
                | Fault::Absolute
                | Fault::Climbs
                | Fault::Control
                | Fault::NotUtf8
                | Fault::TooLong
                | Fault::TooDeep => Some("rename it, or leave it out of the tree".to_owned()),
            },
            Self::Sealed { path } => Some(sealed_message(path)),
            Self::Incomplete { .. } => {
                Some("the store was changed by hand; `sealwright verify` says where".to_owned())
            }
            Self::Differs { .. } => Some("list the store again; somebody changed it".to_owned()),
            Self::Unfit { source, .. } => match source {
                Obstacle::HardLinked { .. } => {
                    Some("leave the folder out of the tree, or copy the file".to_owned())
                }
                Obstacle::Changed => {
                    Some("wait for whoever writes there, and try again".to_owned())
                }
                Obstacle::TooLarge { .. } => Some("leave it out of the tree".to_owned()),
                Obstacle::Io(error) if error.raw_os_error() == Some(libc::ENOSYS) => Some(
                    "views need openat2: Linux 5.6, and a container that lets it through"
                        .to_owned(),
                ),
                Obstacle::Link
                | Obstacle::Fifo
                | Obstacle::Device
                | Obstacle::Socket
                | Obstacle::Folder
                | Obstacle::NotAFolder
                | Obstacle::Outside
                | Obstacle::Gone
                | Obstacle::Unreadable
                | Obstacle::SpecialBits
                | Obstacle::Io(_) => None,
            },
            Self::LinkLeaves { .. } => Some(
                "make it relative, with `..` only in front, or leave it out of the tree".to_owned(),
            ),
            Self::NoLease => Some("take the lease of the work tree first".to_owned()),
            Self::Leased { .. } => Some("wait until it is released".to_owned()),
            Self::TooMuch { .. } => Some("leave out what the role does not need".to_owned()),
            Self::Pack(_)
            | Self::NoRole
            | Self::NotInStore { .. }
            | Self::Contract { .. }
            | Self::Room { .. }
            | Self::Crowded { .. }
            | Self::NotAWriter { .. }
            | Self::NotGranted { .. }
            | Self::NoWorkTree { .. }
            | Self::AsText { .. }
            | Self::TreeInStore
            | Self::Exists
            | Self::Io { .. } => None,
        }
    }

    pub(super) fn unfit(path: impl Into<String>) -> impl FnOnce(Obstacle) -> Self {
        let path = path.into();
        move |source| Self::Unfit { path, source }
    }

    pub(super) fn io(what: impl Into<String>, source: io::Error) -> Self {
        Self::Io { what: what.into(), source }
    }
}
