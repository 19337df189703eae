//! The listing: what the store has, as far as a view could be given from it.
//!
//! A listing is hearsay. The layout takes no path from it that it has not checked, and materialising believes
//! neither its sizes nor its digests.

use std::path::Path;

use sealwright_kernel::pack::Surface;
use sealwright_kernel::{Digest, Ref};

use super::Bounds;
use super::beneath::{Folder, Look, Obstacle};
use super::error::ViewError;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Shipped modules. An unlisted one is shown by its contract, so list what the task is about.
    pub modules: Vec<ListedModule>,
    /// Everything else a pack may name.
    pub artifacts: Vec<ListedArtifact>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedModule {
    pub reference: Ref,
    /// What the code index says of it, such as `SHIPPED`.
    pub status: String,
    /// Its files, from its own folder.
    pub files: Vec<ListedFile>,
    /// What its contract says, where it was read.
    pub contract: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFile {
    /// Its path in the module's folder.
    pub path: String,
    pub bytes: u64,
    /// Its content, where that is known.
    pub digest: Option<Digest>,
}

/// Something other than a module: a proposal, a task file, a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedArtifact {
    pub reference: Ref,
    pub name: String,
    pub status: String,
    pub tags: Vec<String>,
    pub content: Held,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// In the store.
    InStore(ListedFile),
    /// Here.
    Here {
        /// The end of its name, such as `json`.
        extension: String,
        bytes: Vec<u8>,
    },
}

impl Listing {
    /// Lists the shipped modules of a store, by the files that can be shown of them.
    ///
    /// Everything in `modules` was shipped; whether it was deprecated later is for the code index to say.
    pub fn read(store: &Path, bounds: Bounds) -> Result<Self, ViewError> {
        let store = Folder::open(store).map_err(ViewError::unfit(store.display().to_string()))?;
        let modules = match store.folder(MODULES) {
            Ok(modules) => modules,
            Err(Obstacle::Gone) => return Ok(Self::default()),
            Err(obstacle) => return Err(ViewError::unfit(MODULES)(obstacle)),
        };
        let mut listed = Vec::new();
        for (id, of_module) in folders(&modules, MODULES, bounds)? {
            for (version, folder) in folders(&of_module, &id, bounds)? {
                // What no pack can name, no view can hold.
                let Ok(reference) = Ref::new(&format!("{id}@{version}")) else { continue };
                listed.push(ListedModule::read(reference, &folder, bounds)?);
                if listed.len() > bounds.files_max {
                    return Err(ViewError::TooMuch {
                        most: bounds.files_max as u64,
                        what: "modules",
                    });
                }
            }
        }
        listed.sort_by(|one, other| one.reference.cmp(&other.reference));
        Ok(Self { modules: listed, artifacts: Vec::new() })
    }
}

impl ListedModule {
    fn read(reference: Ref, folder: &Folder, bounds: Bounds) -> Result<Self, ViewError> {
        let mut module = Self {
            reference,
            status: "SHIPPED".to_owned(),
            files: Vec::new(),
            contract: Vec::new(),
        };
        for surface in [Surface::Contract, Surface::Examples, Surface::ShipEvidence] {
            let path = surface.file_name();
            let plain = match folder.read(path, bounds.file_bytes_max) {
                Ok(plain) => plain,
                Err(Obstacle::Gone) => continue,
                Err(obstacle) => {
                    return Err(ViewError::unfit(format!("{}/{path}", module.reference))(obstacle));
                }
            };
            let digest = Some(Digest::of(&plain.bytes));
            let bytes = plain.bytes.len() as u64;
            module.files.push(ListedFile { path: path.to_owned(), bytes, digest });
            if surface == Surface::Contract {
                module.contract = plain.bytes;
            }
        }
        Ok(module)
    }
}

fn folders(
    parent: &Folder,
    path: &str,
    bounds: Bounds,
) -> Result<Vec<(String, Folder)>, ViewError> {
    let names = parent.names(bounds.files_max).map_err(ViewError::unfit(path))?;
    let mut folders = Vec::new();
    for name in names.into_iter().filter_map(|name| name.into_string().ok()) {
        let unfit = || ViewError::unfit(format!("{path}/{name}"));
        if let Look::Folder(_) = parent.look(&name).map_err(unfit())? {
            let folder = parent.folder(&name).map_err(unfit())?;
            folders.push((name, folder));
        }
    }
    Ok(folders)
}

pub(super) const MODULES: &str = "modules";
