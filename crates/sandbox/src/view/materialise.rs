//! Materialising: a layout becomes folders on disk, and those become mounts.
//!
//! ```text
//! <view>/read/modules    ──▶ /modules     read-only
//!        read/brief      ──▶ /brief       read-only
//!        work            ──▶ /work        as the role's hand allows
//!        kept                             what a harvest took out; never mounted
//! ```
//!
//! Every file is copied: a mount or a second name of a file in the store would be the store's own file. Copies have
//! today's times, so no build tool takes an old object for a new one.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::Mode;
use sealwright_kernel::Digest;

use super::beneath::{Folder, Identity, Look, Obstacle, Owner};
use super::discard::discard;
use super::error::ViewError;
use super::layout::{Content, Entry, Layout, WorkMount};
use super::lease::WriteLease;
use super::manifest::Manifest;
use super::worktree::{Copying, LeftOut};
use super::{BRIEF, Bounds, MODULES, WORK};
use crate::plan::{Access, Mount};
use sealwright_kernel::TreePath;

#[derive(Clone, Copy, Debug)]
pub struct ViewTarget<'a> {
    pub store: &'a Path,
    /// Where the view shall stand. Nothing may be there yet; the folder above it is the harness's own.
    pub into: &'a Path,
    /// Whom the files belong to that may be changed.
    pub owner: Owner,
    pub writer: Writer<'a>,
    pub bounds: Bounds,
}

#[derive(Clone, Copy, Debug)]
pub enum Writer<'a> {
    Holds(&'a WriteLease),
    /// No writer: the tree is only read.
    Nobody,
}

#[derive(Debug)]
pub struct View {
    pub(super) root: PathBuf,
    pub(super) work: Option<WorkMount>,
    pub(super) manifest: Manifest,
    pub(super) bounds: Bounds,
    left_out: Vec<LeftOut>,
    mounts: Vec<Mount>,
}

/// Copies everything a layout names, and nothing else. After a failure nothing is left behind.
pub fn materialise(layout: &Layout, place: &ViewTarget<'_>) -> Result<View, ViewError> {
    match std::fs::create_dir(place.into) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(ViewError::Exists);
        }
        Err(error) => return Err(ViewError::io("make the view's folder", error)),
    }
    let made = fill(layout, place);
    if made.is_err() {
        // Half a view is none. What was wrong with it is worth more than what is wrong with taking it away.
        let _ = discard(place.into);
    }
    made
}

impl View {
    /// What is put into the empty root.
    pub fn mounts(&self) -> &[Mount] {
        &self.mounts
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What of the work tree stayed behind.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where the work tree stands on the host. Nothing is there if the pack opens no module.
    pub fn work_folder(&self) -> PathBuf {
        self.root.join(WORK_FOLDER)
    }

    pub fn discard(self) -> Result<(), ViewError> {
        discard(&self.root)
    }
}

fn fill(layout: &Layout, place: &ViewTarget<'_>) -> Result<View, ViewError> {
    let unfit = |name: &str| ViewError::unfit(name.to_owned());
    // Mounts take no path with a link in it; whatever the harness gave us, this is where it is.
    let root = place.into.canonicalize().map_err(|error| ViewError::io("find the view", error))?;
    let view = Folder::open(&root).map_err(unfit("the view"))?;
    view.settle(Mode::RWXU, Owner::Harness).map_err(unfit("the view"))?;
    let store = Folder::open(place.store).map_err(unfit("the store"))?;
    let mut manifest = Manifest::default();
    let mut mounts = Vec::new();

    let read = view.make_folder(READ_FOLDER).map_err(unfit(READ_FOLDER))?;
    for (room, at) in [("modules", MODULES), ("brief", BRIEF)] {
        let folder = read.make_folder(room).map_err(unfit(room))?;
        if copy_room(layout, at, &store, &folder, place.bounds, &mut manifest)? {
            let source = root.join(READ_FOLDER).join(room);
            mounts.push(Mount::required(source, at, Access::ReadOnly));
        }
    }
    read.settle(READ_ONLY_FOLDER, Owner::Harness).map_err(unfit(READ_FOLDER))?;

    let mut left_out = Vec::new();
    if let Some(work) = layout.work() {
        left_out = copy_work(work, &store, &view, place, &mut manifest)?;
        mounts.push(Mount::required(root.join(WORK_FOLDER), WORK, work.access));
    }
    let kept = view.make_folder(KEPT_FOLDER).map_err(unfit(KEPT_FOLDER))?;
    kept.settle(Mode::RWXU, Owner::Harness).map_err(unfit(KEPT_FOLDER))?;
    if let Owner::Role { .. } = place.owner {
        // The role passes through, and sees nothing of what stands beside its own folders.
        open_to_group(&view, place.owner).map_err(unfit("the view"))?;
    }
    Ok(View {
        root,
        work: layout.work().cloned(),
        manifest,
        bounds: place.bounds,
        left_out,
        mounts,
    })
}

/// Copies the files that stand in one folder of the view. Says whether there were any.
fn copy_room(
    layout: &Layout,
    at: &str,
    store: &Folder,
    room: &Folder,
    bounds: Bounds,
    manifest: &mut Manifest,
) -> Result<bool, ViewError> {
    let mut folders: BTreeMap<String, Folder> = BTreeMap::new();
    let mut count = 0;
    for entry in layout.entries() {
        let Some(path) = entry.at().strip_prefix(at).and_then(|path| path.strip_prefix('/')) else {
            continue;
        };
        let path = TreePath::new(path)?;
        let bytes = content(entry, store, bounds)?;
        let unfit = || ViewError::unfit(entry.at());
        let (folder, name) = match path.as_str().rsplit_once('/') {
            None => (room, path.as_str()),
            Some((folder, name)) => {
                make_folders(room, folder, &mut folders).map_err(unfit())?;
                (&folders[folder], name)
            }
        };
        folder.make_file(name, &bytes, READ_ONLY_FILE, Owner::Harness).map_err(unfit())?;
        manifest.surfaces.insert(entry.at().to_owned(), Digest::of(&bytes));
        count += 1;
    }
    for folder in folders.values().chain([room]) {
        folder.settle(READ_ONLY_FOLDER, Owner::Harness).map_err(ViewError::unfit(at))?;
    }
    Ok(count > 0)
}

fn make_folders(
    room: &Folder,
    path: &str,
    made: &mut BTreeMap<String, Folder>,
) -> Result<(), Obstacle> {
    let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
    for end in ends {
        let folder = &path[..end];
        if !made.contains_key(folder) {
            let new = match folder.rsplit_once('/') {
                None => room.make_folder(folder)?,
                Some((parent, name)) => made[parent].make_folder(name)?,
            };
            made.insert(folder.to_owned(), new);
        }
    }
    Ok(())
}

fn content(entry: &Entry, store: &Folder, bounds: Bounds) -> Result<Vec<u8>, ViewError> {
    match entry.content() {
        Content::Synthesized { bytes } => Ok(bytes.clone()),
        Content::Copied { from, bytes, digest } => {
            let bytes_max = bounds.file_bytes_max.min(*bytes);
            let plain =
                store.read(from.as_str(), bytes_max).map_err(ViewError::unfit(from.as_str()))?;
            let is_listed = plain.bytes.len() as u64 == *bytes
                && digest.is_none_or(|digest| digest == Digest::of(&plain.bytes));
            if !is_listed {
                return Err(ViewError::Differs { path: from.to_string() });
            }
            Ok(plain.bytes)
        }
    }
}

fn copy_work(
    work: &WorkMount,
    store: &Folder,
    view: &Folder,
    place: &ViewTarget<'_>,
    manifest: &mut Manifest,
) -> Result<Vec<LeftOut>, ViewError> {
    let unfit = || ViewError::unfit("the work tree");
    let tree = Folder::open(&work.root).map_err(unfit())?;
    let identity = tree.identity().map_err(unfit())?;
    match (work.access, place.writer) {
        (Access::ReadWrite, Writer::Holds(lease)) if lease.is_for(identity) => {}
        (Access::ReadWrite, Writer::Holds(_) | Writer::Nobody) => return Err(ViewError::NoLease),
        (Access::CopyOnWrite | Access::ReadOnly, Writer::Holds(_) | Writer::Nobody) => {}
        // Nobody but a judge exchanges files.
        (Access::ReadWriteNoLinks, _) => return Err(ViewError::NoLease),
    }
    outside_store(&tree, store)?;
    let copy = view.make_folder(WORK_FOLDER).map_err(unfit())?;
    let mut copying = Copying {
        leave_out: &work.leave_out,
        cap: &work.cap,
        access: work.access,
        owner: place.owner,
        bounds: place.bounds,
        store: store.identity().map_err(ViewError::unfit("the store"))?,
        manifest,
        left_out: Vec::new(),
        bytes: 0,
    };
    copying.folder(&tree, None, &copy)?;
    Ok(copying.left_out)
}

/// A sealed module's folder must not be passed off as a work tree: of the store, only workspaces are.
fn outside_store(tree: &Folder, store: &Folder) -> Result<(), ViewError> {
    let unfit = || ViewError::unfit("the work tree");
    let the_store = store.identity().map_err(unfit())?;
    let workspaces = match store.look(WORKSPACES) {
        Ok(Look::Folder(identity)) => Some(identity),
        Ok(Look::File | Look::Link(_) | Look::Other(_)) | Err(_) => None,
    };
    let mut here: Identity = tree.identity().map_err(unfit())?;
    let mut below: Option<Identity> = None;
    let mut folder = tree.parent().map_err(unfit())?;
    for _ in 0..CLIMB_MAX {
        if here == the_store {
            let is_workspace = below.is_some() && below == workspaces;
            return if is_workspace { Ok(()) } else { Err(ViewError::TreeInStore) };
        }
        let above = folder.identity().map_err(unfit())?;
        if above == here {
            return Ok(());
        }
        (below, here) = (Some(here), above);
        folder = folder.parent().map_err(unfit())?;
    }
    Err(ViewError::TreeInStore)
}

fn open_to_group(view: &Folder, owner: Owner) -> Result<(), Obstacle> {
    let Owner::Role { gid, .. } = owner else { return Ok(()) };
    let uid = rustix::process::geteuid().as_raw();
    view.settle(Mode::RWXU | Mode::XGRP, Owner::Role { uid, gid })
}

pub(super) const WORK_FOLDER: &str = "work";
pub(super) const KEPT_FOLDER: &str = "kept";
const READ_FOLDER: &str = "read";
const WORKSPACES: &str = "workspaces";
const READ_ONLY_FILE: Mode = Mode::from_raw_mode(0o444);
const READ_ONLY_FOLDER: Mode = Mode::from_raw_mode(0o555);
/// More folders above each other than any path can name.
const CLIMB_MAX: usize = 4096;

#[cfg(test)]
mod tests;
