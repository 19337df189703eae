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

use std::collections::BTreeMap;
use std::path::PathBuf;

use sealwright_kernel::pack::{
    Audience, Input, Occasion, RefKind, SEALED_FOLDERS, Surface, Visibility, Writes, writes,
};
use sealwright_kernel::{ContextPack, Digest, Permission, Ref};

use super::error::ViewError;
use super::listing::{self, Held, ListedArtifact, ListedFile, ListedModule, Listing};
use super::names::{TreePath, folded, shown};
use super::{BRIEF, Bounds, MODULES, synthesis};
use crate::plan::{Access, Network};

/// What a view is asked to be.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// What the role may know.
    pub pack: &'a ContextPack,
    /// Why it is called.
    pub occasion: Occasion,
    /// What the store has.
    pub listing: &'a Listing,
    /// Texts that were composed for this run.
    pub brief: &'a [Brief],
    /// The tree of the module being built, if the pack opens one.
    pub work: Option<&'a WorkTree>,
    /// What it can reach.
    pub network: Network,
}

/// A text that was composed for one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brief {
    /// What kind of input it is.
    pub input: Input,
    /// Its path in `/brief`.
    pub name: String,
    /// What it says.
    pub bytes: Vec<u8>,
}

/// A work tree on the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkTree {
    /// The module it is of.
    pub module: Ref,
    /// Where it is.
    pub root: PathBuf,
    /// What the role does with it.
    pub hand: Hand,
    /// How far the role looks around.
    pub cap: Cap,
    /// What neither goes in nor comes out: a name at any depth, or a path from the top.
    pub leave_out: Vec<String>,
}

/// What a role does with a work tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hand {
    /// Changes it, and the change comes out.
    Builds,
    /// Builds and runs it; what that changes is thrown away.
    Tries,
    /// Reads it.
    Reads,
}

/// How far a role looks around in a work tree: its scope cap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cap {
    /// Everywhere.
    WholeTree,
    /// At these files, and whatever lies in these folders.
    Only(Vec<TreePath>),
}

/// What a role can see. Made by [`lay_out`] alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    title: String,
    entries: Vec<Entry>,
    work: Option<Work>,
    withheld: Vec<(Ref, String)>,
    network: Network,
}

/// One file of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    at: String,
    content: Content,
    permission: Permission,
}

/// Where a file of a view comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// From the store.
    Copied {
        /// Where it is there.
        from: TreePath,
        /// How long it is said to be.
        bytes: u64,
        /// What it is said to hold.
        digest: Option<Digest>,
    },
    /// From here.
    Synthesized {
        /// What it says.
        bytes: Vec<u8>,
    },
}

/// The work tree of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// The module it is of.
    pub module: Ref,
    /// Where it is on the host.
    pub root: PathBuf,
    /// What may be done with it.
    pub access: Access,
    /// How far the role looks around.
    pub cap: Cap,
    /// What neither goes in nor comes out.
    pub leave_out: Vec<TreePath>,
}

/// Says which file stands where, or why there can be no such view.
pub fn lay_out(request: &Request<'_>) -> Result<Layout, ViewError> {
    let pack = request.pack;
    if pack.audience() == Audience::Orchestrator {
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
        entries.put_text(text, pack.audience(), request.occasion)?;
    }
    let created_for = pack.created_for();
    Ok(Layout {
        title: format!("{} for {}, {}", pack.id(), pack.audience(), created_for.task_ref),
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
    pub fn work(&self) -> Option<&Work> {
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

    /// What can be reached.
    pub fn network(&self) -> Network {
        self.network
    }
}

impl Entry {
    /// Where it stands, absolute.
    pub fn at(&self) -> &str {
        &self.at
    }

    /// Where it comes from.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// How much is shown of the thing it belongs to.
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
    /// What that means for a mount.
    pub fn access(self) -> Access {
        match self {
            Self::Builds => Access::ReadWrite,
            Self::Tries => Access::CopyOnWrite,
            Self::Reads => Access::ReadOnly,
        }
    }
}

/// What was put so far, by its place where case does not count: a later move to such a disk must not merge two.
#[derive(Default)]
struct Entries {
    by_place: BTreeMap<String, Entry>,
    bytes: u64,
}

impl Entries {
    fn put_module(
        &mut self,
        module: &ListedModule,
        permission: Permission,
    ) -> Result<(), ViewError> {
        if module.reference.kind() != RefKind::Module {
            return Err(ViewError::Room { path: module.reference.to_string() });
        }
        for surface in permission.surfaces() {
            let at = format!("{MODULES}/{}/{}", module.reference, surface.file_name());
            let content = match surface {
                Surface::Metadata => Content::Synthesized { bytes: synthesis::metadata(module)? },
                Surface::Summary => Content::Synthesized { bytes: synthesis::summary(module)? },
                Surface::Contract | Surface::Examples | Surface::ShipEvidence => {
                    copied_surface(module, *surface)?
                }
            };
            self.put(at, content, permission)?;
        }
        Ok(())
    }

    fn put_included(
        &mut self,
        reference: &Ref,
        permission: Permission,
        request: &Request<'_>,
    ) -> Result<(), ViewError> {
        let not_in_store = || ViewError::NotInStore { reference: reference.clone() };
        match (reference.kind(), permission) {
            // What is open comes as a work tree. Source has no other way in.
            (RefKind::Module, Permission::Full) | (RefKind::Implementation, _) => Ok(()),
            // Put already, with all other modules, if it is there.
            (RefKind::Module, _) => {
                let is_listed = |module: &ListedModule| module.reference == *reference;
                request.listing.modules.iter().any(is_listed).then_some(()).ok_or_else(not_in_store)
            }
            (_, permission) => {
                let found = request.listing.artifacts.iter().find(|it| it.reference == *reference);
                self.put_artifact(found.ok_or_else(not_in_store)?, permission)
            }
        }
    }

    /// A file that is named for what it is, whatever it is called in the store.
    fn put_artifact(
        &mut self,
        artifact: &ListedArtifact,
        permission: Permission,
    ) -> Result<(), ViewError> {
        let reference = &artifact.reference;
        if permission < Permission::Full {
            // An artifact has no contract and no summary, so less than all of it is that it exists.
            let bytes = synthesis::artifact_metadata(artifact);
            let at = format!("{BRIEF}/{reference}.{}", Surface::Metadata.file_name());
            return self.put(at, Content::Synthesized { bytes }, permission);
        }
        let (extension, content) = match &artifact.content {
            Held::InStore(file) => {
                let from = in_a_room(&file.path)?;
                let extension = extension_of(&from).to_owned();
                (extension, Content::Copied { from, bytes: file.bytes, digest: file.digest })
            }
            Held::Here { extension, bytes } => {
                (extension.clone(), Content::Synthesized { bytes: bytes.clone() })
            }
        };
        let name = TreePath::new(&format!("{reference}.{extension}"))?;
        let is_one_part = name.parts().count() == 1;
        if !is_one_part || extension.is_empty() || extension.len() > EXTENSION_BYTES_MAX {
            return Err(ViewError::Room { path: shown(name.as_str()) });
        }
        self.put(format!("{BRIEF}/{name}"), content, permission)
    }

    fn put_text(
        &mut self,
        text: &Brief,
        audience: Audience,
        occasion: Occasion,
    ) -> Result<(), ViewError> {
        audience.may_have(text.input, occasion)?;
        if matches!(text.input, Input::Workspace | Input::ImplementationSource) {
            return Err(ViewError::AsText { input: text.input });
        }
        let name = unsealed(&text.name)?;
        let content = Content::Synthesized { bytes: text.bytes.clone() };
        self.put(format!("{BRIEF}/{name}"), content, Permission::Full)
    }

    fn put(
        &mut self,
        at: String,
        content: Content,
        permission: Permission,
    ) -> Result<(), ViewError> {
        let entry = Entry { at, content, permission };
        let bounds = surfaces_bounds();
        self.bytes = self.bytes.saturating_add(entry.bytes());
        let too_much = |most, what| Err(ViewError::TooMuch { most, what });
        if entry.bytes() > bounds.file_bytes_max {
            return too_much(bounds.file_bytes_max, "bytes in a file to read");
        }
        if self.bytes > bounds.bytes_max {
            return too_much(bounds.bytes_max, "bytes to read");
        }
        if self.by_place.len() >= bounds.files_max {
            return too_much(bounds.files_max as u64, "files to read");
        }
        let place = folded(&entry.at);
        if self.is_taken(&place) {
            return Err(ViewError::Crowded { at: shown(&entry.at) });
        }
        self.by_place.insert(place, entry);
        Ok(())
    }

    /// Whether something stands there, or on the way there, or would have it for its folder.
    fn is_taken(&self, place: &str) -> bool {
        let inside = format!("{place}/");
        let next = self.by_place.range(inside.clone()..).next();
        let mut folders = place.match_indices('/').map(|(end, _)| &place[..end]);
        self.by_place.contains_key(place)
            || next.is_some_and(|(other, _)| other.starts_with(&inside))
            || folders.any(|folder| self.by_place.contains_key(folder))
    }

    fn in_order(self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.by_place.into_values().collect();
        entries.sort_by(|one, other| one.at.cmp(&other.at));
        entries
    }
}

fn copied_surface(module: &ListedModule, surface: Surface) -> Result<Content, ViewError> {
    let reference = &module.reference;
    let name = surface.file_name();
    let incomplete = || ViewError::Incomplete { reference: reference.clone(), file: name };
    // The listing says whether it is there, and how long; the path is ours.
    let listed: &ListedFile =
        module.files.iter().find(|file| file.path == name).ok_or_else(incomplete)?;
    let room = listing::MODULES;
    let from = TreePath::new(&format!("{room}/{}/{}/{name}", reference.id(), reference.version()))?;
    Ok(Content::Copied { from, bytes: listed.bytes, digest: listed.digest })
}

fn work(request: &Request<'_>) -> Result<Option<Work>, ViewError> {
    let pack = request.pack;
    let Some(tree) = request.work else {
        let missing = |module: &Ref| ViewError::NoWorkTree { module: module.clone() };
        return pack.open_module().map_or(Ok(None), |module| Err(missing(module)));
    };
    if pack.open_module() != Some(&tree.module) {
        return Err(ViewError::NotGranted { module: tree.module.clone() });
    }
    let may_write = match pack.audience() {
        Audience::Orchestrator => Writes::Nothing,
        Audience::Role(role) => writes(role),
    };
    match (tree.hand, may_write) {
        (Hand::Builds, Writes::Nothing) => {
            return Err(ViewError::NotAWriter { audience: pack.audience() });
        }
        (Hand::Builds, Writes::WorkTree) | (Hand::Tries | Hand::Reads, _) => {}
    }
    let leave_out: Result<Vec<TreePath>, _> =
        tree.leave_out.iter().map(|it| TreePath::new(it)).collect();
    Ok(Some(Work {
        module: tree.module.clone(),
        root: tree.root.clone(),
        access: tree.hand.access(),
        cap: tree.cap.clone(),
        leave_out: leave_out?,
    }))
}

/// A path in the store from which roles are given something.
fn in_a_room(path: &str) -> Result<TreePath, ViewError> {
    let path = unsealed(path)?;
    let is_room = path.parts().next().is_some_and(|room| ROOMS.contains(&room));
    if is_room && path.parts().count() > 1 {
        Ok(path)
    } else {
        Err(ViewError::Room { path: path.to_string() })
    }
}

/// A path without a part that is called like a sealed folder, in any case.
fn unsealed(path: &str) -> Result<TreePath, ViewError> {
    let path = TreePath::new(path)?;
    let is_sealed = |part: &str| {
        let name = folded(part);
        SEALED_FOLDERS.contains(&name.trim_end_matches(['.', ' ']))
    };
    if path.parts().any(is_sealed) {
        return Err(ViewError::Sealed { path: path.to_string() });
    }
    Ok(path)
}

fn extension_of(path: &TreePath) -> &str {
    let name = path.parts().last().unwrap_or_default();
    name.rsplit_once('.').map_or("txt", |(_, extension)| extension)
}

/// Contracts and briefs are texts; who needs more than this needs something else.
fn surfaces_bounds() -> Bounds {
    Bounds { files_max: 16_384, file_bytes_max: 8 << 20, bytes_max: 256 << 20 }
}

/// The rooms of the store that hold what a pack may name. Modules have their own way in.
const ROOMS: [&str; 4] = ["artifacts", "debates", "product", "project"];
const EXTENSION_BYTES_MAX: usize = 8;

#[cfg(test)]
mod tests;
