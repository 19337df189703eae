//! Copying a work tree: everything a role may build on, and nothing by which the rest could be reached.
//!
//! No repository is copied, at any depth: its objects hold what is sealed. Nor is the harness's own folder, nor the
//! store under whatever name. Pipes, sockets and devices stay behind. A link is kept when it cannot lead out.

use std::ffi::OsStr;

use rustix::fs::Mode;

use super::Bounds;
use super::beneath::{Folder, Identity, Look, Owner};
use super::error::ViewError;
use super::layout::Cap;
use super::manifest::{Held, Manifest};
use crate::plan::Access;
use sealwright_kernel::{BadName, Fault, TreePath, shown};

/// Something of the tree that was not copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub path: String,
    pub why: &'static str,
}

pub(super) struct Copying<'a> {
    pub(super) leave_out: &'a [TreePath],
    pub(super) cap: &'a Cap,
    pub(super) access: Access,
    pub(super) owner: Owner,
    pub(super) bounds: Bounds,
    /// The store, which is left out wherever it lies.
    pub(super) store: Identity,
    pub(super) manifest: &'a mut Manifest,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) bytes: u64,
}

impl Copying<'_> {
    /// Copies what is in `from`, which is at `path` of the tree, into `to`.
    pub(super) fn folder(
        &mut self,
        from: &Folder,
        path: Option<&TreePath>,
        to: &Folder,
    ) -> Result<(), ViewError> {
        let shown_path = || path.map_or_else(|| ".".to_owned(), ToString::to_string);
        let mut names =
            from.names(self.bounds.files_max).map_err(ViewError::unfit(shown_path()))?;
        names.sort_unstable();
        for name in names {
            if let Some(name) = self.taken(path, &name)? {
                let inside = child(path, &name)?;
                self.entry(from, &name, &inside, to)?;
            }
        }
        let mode = match self.access {
            Access::ReadWrite | Access::ReadWriteNoLinks | Access::CopyOnWrite => {
                Mode::from_raw_mode(0o755)
            }
            Access::ReadOnly => Mode::from_raw_mode(0o555),
        };
        to.settle(mode, self.tree_owner()).map_err(ViewError::unfit(shown_path()))
    }

    fn entry(
        &mut self,
        from: &Folder,
        name: &str,
        path: &TreePath,
        to: &Folder,
    ) -> Result<(), ViewError> {
        let unfit = || ViewError::unfit(path.as_str());
        match from.look(name).map_err(unfit())? {
            Look::File => {
                let plain = from.read(name, self.bounds.file_bytes_max).map_err(unfit())?;
                self.count(plain.bytes.len() as u64)?;
                let mode = self.file_mode(plain.is_executable);
                to.make_file(name, &plain.bytes, mode, self.tree_owner()).map_err(unfit())?;
                let held = Held::file(&plain.bytes, plain.is_executable);
                self.manifest.work.insert(path.clone(), held);
            }
            Look::Folder(identity) if identity == self.store => {
                self.leave(path.as_str(), "it is the store")
            }
            Look::Folder(_) => {
                self.count(0)?;
                let folder = from.folder(name).map_err(unfit())?;
                let copy = to.make_folder(name).map_err(unfit())?;
                self.manifest.folders.insert(path.clone());
                self.folder(&folder, Some(path), &copy)?;
            }
            Look::Link(target) => {
                self.count(0)?;
                let Some(target) = stays_inside(path, &target) else {
                    let to = shown(&String::from_utf8_lossy(&target));
                    return Err(ViewError::LinkLeaves { path: path.to_string(), to });
                };
                to.make_link(name, target, self.tree_owner()).map_err(unfit())?;
                self.manifest.work.insert(path.clone(), Held::link(target.as_bytes()));
            }
            Look::Other(_) => self.leave(path.as_str(), "it is no file, folder or link"),
        }
        Ok(())
    }

    /// The name of an entry that is to be copied; nothing if it stays behind.
    fn taken(
        &mut self,
        path: Option<&TreePath>,
        name: &OsStr,
    ) -> Result<Option<String>, ViewError> {
        let Some(name) = name.to_str() else {
            let shown = shown(&name.to_string_lossy());
            return Err(BadName { shown, fault: Fault::NotUtf8 }.into());
        };
        let inside = match child(path, name) {
            Ok(inside) => inside,
            Err(BadName { shown, fault: Fault::Repository }) => {
                self.leave(&shown, "it is a repository");
                return Ok(None);
            }
            Err(BadName { shown, fault: Fault::Harness }) => {
                self.leave(&shown, "it belongs to the harness");
                return Ok(None);
            }
            Err(bad) => return Err(bad.into()),
        };
        if is_left_out(&inside, self.leave_out) {
            self.leave(inside.as_str(), "it was to be left out");
            return Ok(None);
        }
        if !self.cap.reaches(&inside) {
            self.leave(inside.as_str(), "it lies outside the cap");
            return Ok(None);
        }
        Ok(Some(name.to_owned()))
    }

    fn leave(&mut self, path: &str, why: &'static str) {
        if self.left_out.len() < LEFT_OUT_MAX {
            self.left_out.push(LeftOut { path: path.to_owned(), why });
        }
    }

    fn count(&mut self, bytes: u64) -> Result<(), ViewError> {
        self.bytes = self.bytes.saturating_add(bytes);
        let files = self.manifest.work.len() + self.manifest.folders.len();
        if files >= self.bounds.files_max {
            return Err(ViewError::TooMuch {
                most: self.bounds.files_max as u64,
                what: "files in a tree",
            });
        }
        if self.bytes > self.bounds.bytes_max {
            return Err(ViewError::TooMuch {
                most: self.bounds.bytes_max,
                what: "bytes in a tree",
            });
        }
        Ok(())
    }

    fn file_mode(&self, is_executable: bool) -> Mode {
        let can_run = if is_executable { 0o111 } else { 0 };
        let can_write = match self.access {
            Access::ReadWrite | Access::ReadWriteNoLinks | Access::CopyOnWrite => 0o200,
            Access::ReadOnly => 0,
        };
        Mode::from_raw_mode(0o444 | can_write | can_run)
    }

    /// A read-only tree does not belong to the role, which could change its modes.
    fn tree_owner(&self) -> Owner {
        match self.access {
            Access::ReadWrite | Access::ReadWriteNoLinks | Access::CopyOnWrite => self.owner,
            Access::ReadOnly => Owner::Harness,
        }
    }
}

/// The path of `name` in the folder at `path`; nothing is the top.
pub(super) fn child(path: Option<&TreePath>, name: &str) -> Result<TreePath, BadName> {
    match path {
        None => TreePath::new(name),
        Some(folder) => folder.join(name),
    }
}

/// Whether a path is one that neither goes in nor comes out.
pub(super) fn is_left_out(path: &TreePath, leave_out: &[TreePath]) -> bool {
    leave_out.iter().any(|out| match out.parts().count() {
        1 => path.parts().last() == Some(out.as_str()),
        _ => path.is_in(out),
    })
}

/// What a link at `path` says, if it cannot lead out of the tree, whatever other links there are.
///
/// It is relative, and climbs only at its beginning: from a folder that is no link, not further than the top. From
/// there it goes down, and where it meets another link, the same holds for that one. A `..` behind a name would
/// start from wherever that name leads.
pub(super) fn stays_inside<'a>(path: &TreePath, target: &'a [u8]) -> Option<&'a str> {
    let target = std::str::from_utf8(target).ok()?;
    if target.is_empty() || target.starts_with('/') || target.len() > LINK_BYTES_MAX {
        return None;
    }
    let depth = path.parts().count() - 1;
    let climbs = target.split('/').take_while(|part| *part == "..").count();
    let mut rest = target.split('/').skip(climbs);
    let goes_down = rest.all(|part| part != ".." && !part.contains(char::is_control));
    (climbs <= depth && goes_down).then_some(target)
}

const LEFT_OUT_MAX: usize = 1000;
const LINK_BYTES_MAX: usize = 1024;
