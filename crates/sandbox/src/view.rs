//! Views: from a context pack to the folders one role stands in, and back to what it changed.
//!
//! ```text
//! pack ─┐
//! store ┼─▶ layout ──▶ materialise ──▶ mounts ──▶ (a run) ──▶ harvest ──▶ patch, or every reason against it
//! tree ─┘    pure       copies only                            reads once
//! ```
//!
//! What the pack does not grant is not copied, so there is nothing to hide: a view is an allow list of files. Text
//! from packs, stores and trees never becomes a path without being checked first (`sealwright_kernel::TreePath`), and nothing is
//! opened but beneath a folder that is already open, following no link.
//!
//! How a view is mounted and how strongly it is confined is for the mechanism; what is in a pack, for the kernel.

mod beneath;
mod discard;
mod error;
mod find;
#[cfg(test)]
mod fixture;
mod harvest;
mod layout;
mod lease;
mod listing;
mod manifest;
mod materialise;
mod patch;
mod repository;
mod stillness;
mod synthesis;
mod tree;
mod worktree;

pub use beneath::{Obstacle, Owner};
pub use discard::discard;
pub use error::ViewError;
pub use find::find_file;
pub use harvest::{Allowance, Harvest};
pub use layout::{Brief, Cap, Content, Entry, Hand, Layout, Request, WorkMount, WorkTree, lay_out};
pub use lease::WriteLease;
pub use listing::{Held as Stored, ListedArtifact, ListedFile, ListedModule, Listing};
pub use manifest::{Held, Kind, Manifest};
pub use materialise::{View, ViewTarget, Writer, materialise};
pub use patch::{Change, Kept, Patch, Refusal};
pub use repository::fresh_repository;
pub use tree::tree;
pub use worktree::LeftOut;

/// How much a view may hold, and a harvest may bring back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Files, links and folders of a tree.
    pub files_max: usize,
    pub file_bytes_max: u64,
    pub bytes_max: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { files_max: 200_000, file_bytes_max: 64 << 20, bytes_max: 4 << 30 }
    }
}

/// The work tree of the module being built, inside.
pub const WORK: &str = "/work";
pub const MODULES: &str = "/modules";
/// The task and whatever else a role was given to read, inside.
pub const BRIEF: &str = "/brief";
pub const HOME: &str = "/home/role";
pub const TMP: &str = "/tmp";
