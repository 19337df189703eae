//! The layout of a view: which file stands where, and where it comes from. Pure; nothing is opened.
//!
//! ```text
//! /work                                   the tree of the module being built
//! /modules/MM-a@1.0.0/contract.json …     what may be seen of other modules
//! /brief/T-x@1.0.0.md …                   the task, and what else the role was given to read
//! /home/role, /tmp                        private and empty
//! ```
//!
//! Of a shipped module only five file names can ever occur, and they are written here, not read from a listing. So
//! no listing and no pack can bring anything of `implementation/` or `tests/` into a layout.

use std::path::PathBuf;

use sealwright_kernel::pack::{InputKind, Occasion, PackReader, Visibility, Writes, writes};
use sealwright_kernel::{ContextPack, Digest, Permission, Ref};

use super::error::ViewError;
use super::listing::Listing;
use crate::plan::{Access, Network};
use sealwright_kernel::TreePath;

mod entries;

use entries::Entries;

#[derive(Clone, Debug)]
pub struct Request<'a> {
    pub pack: &'a ContextPack,
    pub occasion: Occasion,
    pub listing: &'a Listing,
    pub brief: &'a [Brief],
    /// The tree of the module being built, if the pack opens one.
    pub work: Option<&'a WorkTree>,
    pub network: Network,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brief {
    pub input: InputKind,
    /// Its path in `/brief`.
    pub name: String,
    pub bytes: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkTree {
    pub module: Ref,
    pub root: PathBuf,
    pub hand: Hand,
    pub cap: Cap,
    /// What neither goes in nor comes out: a name at any depth, or a path from the top.
    pub leave_out: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hand {
    /// Changes it, and the change comes out.
    Builds,
    /// Builds and runs it; what that changes is thrown away.
    Tries,
    Reads,
}

/// How far a role looks around in a work tree: its scope cap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cap {
    WholeTree,
    /// At these files, and whatever lies in these folders.
    Only(Vec<TreePath>),
}

/// What a role can see. Made by [`lay_out`] alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    title: String,
    entries: Vec<Entry>,
    work: Option<WorkMount>,
    withheld: Vec<(Ref, String)>,
    network: Network,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    at: String,
    content: Content,
    permission: Permission,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// From the store.
    Copied {
        from: TreePath,
        /// How long it is said to be.
        bytes: u64,
        /// What it is said to hold.
        digest: Option<Digest>,
    },
    /// From here.
    Synthesized { bytes: Vec<u8> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkMount {
    pub module: Ref,
    pub root: PathBuf,
    pub access: Access,
    pub cap: Cap,
    pub leave_out: Vec<TreePath>,
}

/// Says which file stands where, or why there can be no such view.
pub fn lay_out(request: &Request<'_>) -> Result<Layout, ViewError> {
    let pack = request.pack;
    if pack.reader() == PackReader::Orchestrator {
        return Err(ViewError::NoRole);
    }
    pack.fits(request.occasion)?;
    let mut entries = Entries::default();
    for module in &request.listing.modules {
        if let Visibility::Visible(permission) = pack.permission_of(&module.reference) {
            entries.put_module(module, permission)?;
        }
    }
    for included in pack.included() {
        entries.put_included(&included.reference, included.permission, request)?;
    }
    for text in request.brief {
        entries.put_text(text, pack.reader(), request.occasion)?;
    }
    let created_for = pack.created_for();
    Ok(Layout {
        title: format!("{} for {}, {}", pack.id(), pack.reader(), created_for.task_ref),
        entries: entries.in_order(),
        work: work(request)?,
        withheld: pack
            .excluded()
            .iter()
            .map(|it| (it.reference.clone(), it.reason.clone()))
            .collect(),
        network: request.network,
    })
}

impl Layout {
    /// Its files, by where they stand.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The tree of the module being built, if there is one.
    pub fn work(&self) -> Option<&WorkMount> {
        self.work.as_ref()
    }

    /// For whom it is, in a line.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What is withheld by name, and why.
    pub fn withheld(&self) -> &[(Ref, String)] {
        &self.withheld
    }

    pub fn network(&self) -> Network {
        self.network
    }
}

impl Entry {
    /// Where it stands, absolute.
    pub fn at(&self) -> &str {
        &self.at
    }

    pub fn content(&self) -> &Content {
        &self.content
    }

    pub fn permission(&self) -> Permission {
        self.permission
    }

    /// How long it is, or is said to be.
    pub fn bytes(&self) -> u64 {
        match &self.content {
            Content::Copied { bytes, .. } => *bytes,
            Content::Synthesized { bytes } => bytes.len() as u64,
        }
    }
}

impl Cap {
    /// Whether something at `path` is looked at, or passed through on the way to what is.
    pub(super) fn reaches(&self, path: &TreePath) -> bool {
        match self {
            Self::WholeTree => true,
            Self::Only(caps) => caps.iter().any(|cap| path.is_in(cap) || cap.is_in(path)),
        }
    }
}

impl Hand {
    pub fn access(self) -> Access {
        match self {
            Self::Builds => Access::ReadWrite,
            Self::Tries => Access::CopyOnWrite,
            Self::Reads => Access::ReadOnly,
        }
    }
}

fn work(request: &Request<'_>) -> Result<Option<WorkMount>, ViewError> {
    let pack = request.pack;
    let Some(tree) = request.work else {
        let missing = |module: &Ref| ViewError::NoWorkTree { module: module.clone() };
        return pack.open_module().map_or(Ok(None), |module| Err(missing(module)));
    };
    if pack.open_module() != Some(&tree.module) {
        return Err(ViewError::NotGranted { module: tree.module.clone() });
    }
    let may_write = match pack.reader() {
        PackReader::Orchestrator => Writes::Nothing,
        PackReader::Role(role) => writes(role),
    };
    match (tree.hand, may_write) {
        (Hand::Builds, Writes::Nothing) => {
            return Err(ViewError::NotAWriter { reader: pack.reader() });
        }
        (Hand::Builds, Writes::WorkTree | Writes::Tests) | (Hand::Tries | Hand::Reads, _) => {}
    }
    let leave_out: Result<Vec<TreePath>, _> =
        tree.leave_out.iter().map(|it| TreePath::new(it)).collect();
    Ok(Some(WorkMount {
        module: tree.module.clone(),
        root: tree.root.clone(),
        access: tree.hand.access(),
        cap: tree.cap.clone(),
        leave_out: leave_out?,
    }))
}

#[cfg(test)]
mod tests;
