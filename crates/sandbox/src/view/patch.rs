//! A patch: what a role changed, file by file, with digests on both sides; or every reason why nothing is taken.

use std::path::PathBuf;

use sealwright_kernel::{Digest, canonical_json};
use serde::Serialize;

use super::beneath::Folder;
use super::error::ViewError;
use super::manifest::Held;
use sealwright_kernel::{Fault, TreePath};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Patch {
    /// The changes. No path occurs twice.
    pub changes: Vec<Change>,
}

/// One file that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    pub path: TreePath,
    pub before: Option<Held>,
    pub after: Option<Held>,
}

/// Why a tree is not taken back. There may be many reasons, and all of them are told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// A link was made or bent, and it leads out of the tree.
    #[error("`{path}` is a link out of the tree, to `{to}`")]
    LinkOut { path: String, to: String },
    /// A link was made or bent. Where it leads can change after it was looked at.
    #[error("`{path}` was made a link")]
    LinkMade { path: String },
    /// A driver.
    #[error("`{path}` is a device")]
    Device { path: String },
    /// A pipe.
    #[error("`{path}` is a pipe")]
    Fifo { path: String },
    /// A way to a process.
    #[error("`{path}` is a socket")]
    Socket { path: String },
    /// It would run as another user.
    #[error("`{path}` has set-uid, set-gid or sticky bits")]
    SpecialBits { path: String },
    /// Another name for the same file.
    #[error("`{path}` has {links} hard links")]
    HardLinked { path: String, links: u64 },
    /// One file is too large.
    #[error("`{path}` has more than {bytes_max} bytes")]
    TooLarge {
        path: String,
        /// The most that is taken.
        bytes_max: u64,
    },
    /// There is too much of everything.
    #[error("too many {what}: at most {most}")]
    TooMuch { most: u64, what: &'static str },
    /// It was changed where the role had no business.
    #[error("`{path}` is outside the paths the role may change")]
    OutsideAllowance { path: String },
    /// It was changed by a role that changes nothing.
    #[error("`{path}` was changed by a read-only role")]
    ReadOnly { path: String },
    /// It has a name that no file of a tree may have.
    #[error("`{path}` {fault}")]
    Name {
        /// Where, with everything escaped that steers a terminal.
        path: String,
        fault: Fault,
    },
    /// It is another's name where case does not count.
    #[error("`{path}` and `{other}` differ only in case")]
    CaseCollision { path: String, other: String },
    /// It changed while it was read; a process still writes there.
    #[error("`{path}` changed while it was read")]
    Changing { path: String },
    /// Its owner took away the right to read it.
    #[error("cannot read `{path}`")]
    Unreadable { path: String },
}

/// What was taken out of a tree, kept where no role can reach it.
#[derive(Clone, Debug)]
pub struct Kept {
    pub(super) folder: PathBuf,
    pub(super) bytes_max: u64,
}

impl Patch {
    pub fn digest(&self) -> Digest {
        let text = canonical_json(self).expect("a patch holds only text and digests");
        Digest::of(&text)
    }

    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}

impl Kept {
    pub fn content(&self, digest: Digest) -> Result<Vec<u8>, ViewError> {
        let name = digest.to_string();
        let unfit = || ViewError::unfit(name.clone());
        let folder = Folder::open(&self.folder).map_err(unfit())?;
        let plain = folder.read(&name, self.bytes_max).map_err(unfit())?;
        if Digest::of(&plain.bytes) != digest {
            return Err(ViewError::Differs { path: name });
        }
        Ok(plain.bytes)
    }
}
