//! The files of a layout, put in one by one: each is checked, and no two stand at one place.

use std::collections::BTreeMap;

use sealwright_kernel::pack::{InputKind, Occasion, PackReader, RefKind, SEALED_FOLDERS, Surface};
use sealwright_kernel::{Permission, Ref};

use super::{Brief, Content, Entry, Request};
use crate::view::error::ViewError;
use crate::view::listing::{self, Held, ListedArtifact, ListedFile, ListedModule};
use crate::view::{BRIEF, Bounds, MODULES, synthesis};
use sealwright_kernel::{TreePath, folded, shown};

/// What was put so far, by its place where case does not count: a later move to such a disk must not merge two.
#[derive(Default)]
pub(super) struct Entries {
    by_place: BTreeMap<String, Entry>,
    bytes: u64,
}

impl Entries {
    pub(super) fn put_module(
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

    pub(super) fn put_included(
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

    pub(super) fn put_text(
        &mut self,
        text: &Brief,
        reader: PackReader,
        occasion: Occasion,
    ) -> Result<(), ViewError> {
        reader.may_have(text.input, occasion)?;
        if matches!(text.input, InputKind::Workspace | InputKind::ImplementationSource) {
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

    pub(super) fn in_order(self) -> Vec<Entry> {
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
