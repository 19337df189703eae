//! Harvesting: what a role changed comes out as a patch, or not at all.
//!
//! The tree is hostile now. It is walked from folder to folder without following anything, every file is read once,
//! and what was read is what is kept and hashed. A reason against it does not end the walk: a role is told
//! everything that is wrong, once.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;

use rustix::fs::Mode;

use super::beneath::{Folder, Look, Obstacle, Owner};
use super::error::ViewError;
use super::manifest::Held;
use super::materialise::{KEPT_FOLDER, View};
use super::patch::{Change, Kept, Patch, Refusal};
use super::stillness::Stillness;
use super::worktree::{child, is_left_out, stays_inside};
use crate::plan::Access;
use sealwright_kernel::{BadName, Fault, TreePath, folded, shown};
use unicode_normalization::UnicodeNormalization as _;

/// Where a role may change files: its scope cap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowance {
    Anywhere,
    /// These files, and whatever lies in these folders.
    Below(Vec<TreePath>),
    Nowhere,
}

#[derive(Clone, Debug)]
pub enum Harvest {
    /// This is what changed.
    Taken { patch: Patch, kept: Kept },
    /// Nothing is taken, and this is why. There is at least one reason.
    Refused(Vec<Refusal>),
}

impl View {
    /// Takes out what was changed in the work tree since the view was made, if all of it may be taken.
    ///
    /// A role whose work tree is not read-write changes nothing, whatever it is allowed.
    pub fn harvest(&self, allowance: &Allowance) -> Result<Harvest, ViewError> {
        let folder = self.root.join(KEPT_FOLDER);
        let kept = Kept { folder, bytes_max: self.bounds.file_bytes_max };
        let Some(work) = &self.work else {
            return Ok(Harvest::Taken { patch: Patch::default(), kept });
        };
        let unfit = || ViewError::unfit("the work tree");
        let allowance = match work.access {
            Access::ReadWrite => allowance,
            Access::CopyOnWrite | Access::ReadOnly | Access::ReadWriteNoLinks => {
                &Allowance::Nowhere
            }
        };
        let mut walk = Walk {
            view: self,
            leave_out: &work.leave_out,
            allowance,
            still: Stillness::begin(&self.root)?,
            kept: Folder::open(&kept.folder).map_err(unfit())?,
            found: BTreeSet::new(),
            folders: BTreeSet::new(),
            changes: Vec::new(),
            refusals: Vec::new(),
            counted: 0,
            bytes: 0,
        };
        let root = Folder::open(&self.work_folder()).map_err(unfit())?;
        walk.folder(&root, None)?;
        let (patch, refusals) = walk.end();
        if refusals.is_empty() {
            Ok(Harvest::Taken { patch, kept })
        } else {
            Ok(Harvest::Refused(refusals))
        }
    }
}

impl Allowance {
    fn allows(&self, path: &TreePath) -> Result<(), Refusal> {
        let outside = || Refusal::OutsideAllowance { path: path.to_string() };
        match self {
            Self::Anywhere => Ok(()),
            Self::Below(folders) => {
                let is_inside = folders.iter().any(|folder| path.is_in(folder));
                is_inside.then_some(()).ok_or_else(outside)
            }
            Self::Nowhere => Err(Refusal::ReadOnly { path: path.to_string() }),
        }
    }
}

struct Walk<'a> {
    view: &'a View,
    leave_out: &'a [TreePath],
    allowance: &'a Allowance,
    still: Stillness,
    kept: Folder,
    found: BTreeSet<TreePath>,
    folders: BTreeSet<TreePath>,
    changes: Vec<Change>,
    refusals: Vec<Refusal>,
    counted: usize,
    bytes: u64,
}

/// What file systems take for the same name: case is folded, and accents are composed.
fn spelling(name: &str) -> String {
    folded(&name.nfc().collect::<String>())
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Folder, path: Option<&TreePath>) -> Result<(), ViewError> {
        let at = path.map_or_else(|| ".".to_owned(), ToString::to_string);
        // What does not count, the role's own repository and what is left out, needs room in the list as well.
        let files_max = self.view.bounds.files_max;
        let most = files_max.saturating_sub(self.counted) + 1 + self.leave_out.len();
        let mut names = match folder.names(most) {
            Ok(names) => names,
            Err(obstacle) => return self.refuse_obstacle(&at, obstacle),
        };
        let is_cut_short = names.len() > most;
        names.sort_unstable();
        let mut spellings: BTreeMap<String, TreePath> = BTreeMap::new();
        for name in names {
            let Some((name, inside)) = self.named(folder, path, &name) else { continue };
            self.counted += 1;
            if is_cut_short || self.counted > files_max {
                let most = files_max as u64;
                self.refuse(Refusal::TooMuch { most, what: "files in a tree" });
                return Ok(());
            }
            if let Some(other) = spellings.insert(spelling(&name), inside.clone()) {
                self.collide(&inside, &other);
            }
            self.entry(folder, &name, &inside)?;
        }
        match folder.is_plain().and_then(|()| folder.changed()) {
            Ok(changed) if self.still.holds(changed) => Ok(()),
            Ok(_) => self.refuse_obstacle(&at, Obstacle::Changed),
            Err(obstacle) => self.refuse_obstacle(&at, obstacle),
        }
    }

    /// The name and path of an entry that counts.
    fn named(
        &mut self,
        folder: &Folder,
        path: Option<&TreePath>,
        name: &OsStr,
    ) -> Option<(String, TreePath)> {
        let Some(text) = name.to_str() else {
            let within = path.map_or_else(String::new, |path| format!("{path}/"));
            let path = shown(&format!("{within}{}", name.to_string_lossy()));
            self.refuse(Refusal::Name { path, fault: Fault::NotUtf8 });
            return None;
        };
        // The repository that was made for the role. The host never reads it.
        let is_synthetic = path.is_none() && text == ".git";
        if is_synthetic && matches!(folder.look(text), Ok(Look::Folder(_))) {
            return None;
        }
        match child(path, text) {
            Ok(inside) if is_left_out(&inside, self.leave_out) => None,
            Ok(inside) => Some((text.to_owned(), inside)),
            Err(BadName { shown, fault }) => {
                self.refuse(Refusal::Name { path: shown, fault });
                None
            }
        }
    }

    fn entry(&mut self, folder: &Folder, name: &str, path: &TreePath) -> Result<(), ViewError> {
        let look = match folder.look(name) {
            Ok(look) => look,
            Err(obstacle) => return self.refuse_obstacle(path.as_str(), obstacle),
        };
        match look {
            Look::File => self.file(folder, name, path),
            Look::Folder(_) => {
                self.folders.insert(path.clone());
                match folder.folder(name) {
                    Ok(inside) => self.folder(&inside, Some(path)),
                    Err(obstacle) => self.refuse_obstacle(path.as_str(), obstacle),
                }
            }
            Look::Link(target) => {
                self.link(path, &target);
                Ok(())
            }
            Look::Other(obstacle) => self.refuse_obstacle(path.as_str(), obstacle),
        }
    }

    fn file(&mut self, folder: &Folder, name: &str, path: &TreePath) -> Result<(), ViewError> {
        self.found.insert(path.clone());
        let plain = match folder.read(name, self.view.bounds.file_bytes_max) {
            Ok(plain) => plain,
            Err(obstacle) => return self.refuse_obstacle(path.as_str(), obstacle),
        };
        if !self.still.holds(plain.changed) {
            self.refuse(Refusal::Changing { path: path.to_string() });
            return Ok(());
        }
        let after = Held::file(&plain.bytes, plain.is_executable);
        let before = self.view.manifest.work.get(path).copied();
        if before == Some(after) {
            return Ok(());
        }
        self.bytes = self.bytes.saturating_add(plain.bytes.len() as u64);
        if self.bytes > self.view.bounds.bytes_max {
            let most = self.view.bounds.bytes_max;
            self.refuse(Refusal::TooMuch { most, what: "bytes of changes" });
            return Ok(());
        }
        self.keep(&after, &plain.bytes)?;
        self.change(Change { path: path.clone(), before, after: Some(after) });
        Ok(())
    }

    fn link(&mut self, path: &TreePath, target: &[u8]) {
        self.found.insert(path.clone());
        if self.view.manifest.work.get(path) == Some(&Held::link(target)) {
            return;
        }
        let path_text = path.to_string();
        self.refuse(match stays_inside(path, target) {
            Some(_) => Refusal::LinkMade { path: path_text },
            None => {
                Refusal::LinkOut { path: path_text, to: shown(&String::from_utf8_lossy(target)) }
            }
        });
    }

    /// Two spellings of one name are refused, unless the tree came with both.
    fn collide(&mut self, path: &TreePath, other: &TreePath) {
        let manifest = &self.view.manifest;
        let is_old =
            |it: &TreePath| manifest.work.contains_key(it) || manifest.folders.contains(it);
        if !(is_old(path) && is_old(other)) {
            self.refuse(Refusal::CaseCollision {
                path: path.to_string(),
                other: other.to_string(),
            });
        }
    }

    fn change(&mut self, change: Change) {
        match self.allowance.allows(&change.path) {
            Ok(()) => self.changes.push(change),
            Err(refusal) => self.refuse(refusal),
        }
    }

    fn keep(&mut self, held: &Held, bytes: &[u8]) -> Result<(), ViewError> {
        let name = held.content.to_string();
        match self.kept.look(&name) {
            Ok(_) => Ok(()),
            Err(_) => {
                let mode = Mode::RUSR | Mode::WUSR;
                let made = self.kept.make_file(&name, bytes, mode, Owner::Harness);
                made.map_err(ViewError::unfit(name))
            }
        }
    }

    fn refuse_obstacle(&mut self, path: &str, obstacle: Obstacle) -> Result<(), ViewError> {
        let path = path.to_owned();
        self.refuse(match obstacle {
            Obstacle::Device => Refusal::Device { path },
            Obstacle::Fifo => Refusal::Fifo { path },
            Obstacle::Socket => Refusal::Socket { path },
            Obstacle::SpecialBits => Refusal::SpecialBits { path },
            Obstacle::HardLinked { links } => Refusal::HardLinked { path, links },
            Obstacle::TooLarge { bytes_max } => Refusal::TooLarge { path, bytes_max },
            Obstacle::Unreadable => Refusal::Unreadable { path },
            // It was something else a moment ago.
            Obstacle::Link
            | Obstacle::Folder
            | Obstacle::NotAFolder
            | Obstacle::Outside
            | Obstacle::Changed
            | Obstacle::Gone => Refusal::Changing { path },
            Obstacle::Io(source) => return Err(ViewError::io(format!("read `{path}`"), source)),
        });
        Ok(())
    }

    fn refuse(&mut self, refusal: Refusal) {
        if self.refusals.len() < REFUSALS_MAX {
            self.refusals.push(refusal);
        }
    }

    fn end(mut self) -> (Patch, Vec<Refusal>) {
        let manifest = &self.view.manifest;
        let gone: Vec<Change> = manifest
            .work
            .iter()
            .filter(|(path, _)| !self.found.contains(*path))
            .map(|(path, held)| Change { path: path.clone(), before: Some(*held), after: None })
            .collect();
        // Folders are no part of a patch. For a role that changes nothing, they count too.
        if *self.allowance == Allowance::Nowhere {
            let moved: Vec<&TreePath> =
                manifest.folders.symmetric_difference(&self.folders).collect();
            let refusals =
                moved.into_iter().map(|path| Refusal::ReadOnly { path: path.to_string() });
            let refusals: Vec<Refusal> = refusals.collect();
            refusals.into_iter().for_each(|refusal| self.refuse(refusal));
        }
        gone.into_iter().for_each(|change| self.change(change));
        self.changes.sort_by(|one, other| one.path.cmp(&other.path));
        (Patch { changes: self.changes }, self.refusals)
    }
}

const REFUSALS_MAX: usize = 1000;

#[cfg(test)]
mod tests;
