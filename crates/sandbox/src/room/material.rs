//! Material: what goes into a room, read once and kept in memory, so that two rooms are built from the same bytes.
//!
//! The harness's files lie over what was taken of the work tree. Where a role wrote to one of their paths, its
//! bytes are left out, and told if they differ.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use sealwright_kernel::{Digest, Hasher};

use crate::SandboxSlot;
use crate::readable::{self, make_folder};
use crate::room::error::RoomError;
use crate::room::outcome::Tampering;
use crate::room::sources::{Judged, Sources, is_below};
use crate::room::tree::{Entry, EntryKind, Look, Tree};

#[derive(Clone, Debug)]
pub(crate) struct Material {
    pub(crate) sources: Files,
    pub(crate) frozen: Files,
    /// Those of both that can be run.
    executable: BTreeSet<String>,
}

/// What no role could write to.
#[derive(Debug, Default)]
pub(crate) struct Frozen {
    pub(crate) files: Files,
    executable: BTreeSet<String>,
}

pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// All files of a folder that no role could write to.
pub(crate) fn frozen(folder: &Path) -> Result<Frozen, RoomError> {
    let mut tree = Tree::open(folder)?;
    let mut frozen = Frozen::default();
    for entry in tree.entries(|_| Look::Into)? {
        match entry.kind {
            EntryKind::Folder => {}
            EntryKind::File => {
                let content = tree.read(&entry.path)?;
                if entry.is_executable {
                    frozen.executable.insert(entry.path.clone());
                }
                frozen.files.insert(entry.path, content);
            }
            EntryKind::HardLink | EntryKind::Link | EntryKind::Special | EntryKind::Nameless => {
                let source = io::Error::other("a frozen file is a plain file");
                return Err(RoomError::Read { path: entry.path, source });
            }
        }
    }
    Ok(frozen)
}

impl Material {
    /// Takes what may be taken of a work tree, and tells what should not have been there.
    pub(crate) fn gather(
        work_tree: &Path,
        frozen: Frozen,
        sources: &Sources,
    ) -> Result<(Self, Vec<Tampering>), RoomError> {
        let Frozen { files: frozen, mut executable } = frozen;
        let mut tree = Tree::open(work_tree)?;
        let mut taken = Files::new();
        let mut tampering = Vec::new();
        for entry in tree.entries(|folder| sources.look(folder))? {
            match take(&mut tree, &entry, &frozen, sources)? {
                Taken::Content(content) => {
                    if entry.is_executable {
                        executable.insert(entry.path.clone());
                    }
                    taken.insert(entry.path, content);
                }
                Taken::Nothing => {}
                Taken::Told(why) => tampering.push(Tampering::new(&entry.path, why)),
            }
        }
        tampering.truncate(TOLD_MAX);
        Ok((Self { sources: taken, frozen, executable }, tampering))
    }

    /// Writes it below `folder`, which does not exist yet. Every file is new, and so is its time.
    pub(crate) fn put(&self, folder: &Path, wanted: impl Fn(&str) -> bool) -> io::Result<()> {
        make_folder(folder)?;
        for (path, content) in self.sources.iter().chain(&self.frozen) {
            if wanted(path) {
                put(folder, path, content)?;
                if self.executable.contains(path) {
                    let mode = fs::Permissions::from_mode(0o755);
                    fs::set_permissions(folder.join(path), mode)?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn holds(&self, text: &str) -> bool {
        let text = text.as_bytes();
        self.sources
            .values()
            .chain(self.frozen.values())
            .any(|content| content.windows(text.len()).any(|window| window == text))
    }
}

/// Writes one file below `folder`, with the folders on the way.
pub(crate) fn put(folder: &Path, path: &str, content: &[u8]) -> io::Result<()> {
    if let Some((above, _)) = path.rsplit_once('/') {
        readable::make_folders(folder, Path::new(above))?;
    }
    readable::make_file(&folder.join(path), content)
}

/// A new folder that the user of `slot` may write to.
pub(crate) fn own_folder(slot: &SandboxSlot, folder: &Path) -> io::Result<()> {
    make_folder(folder)?;
    slot.give(folder)
}

/// Paths and contents in one number.
pub(crate) fn digest(files: &Files) -> Digest {
    let mut hasher = Hasher::default();
    for (path, content) in files {
        hasher.update(path.as_bytes());
        hasher.update(b"\0");
        hasher.update(&Digest::of(content).hex());
    }
    hasher.finish()
}

enum Taken {
    Content(Vec<u8>),
    Nothing,
    Told(&'static str),
}

fn take(
    tree: &mut Tree,
    entry: &Entry,
    frozen: &Files,
    sources: &Sources,
) -> Result<Taken, RoomError> {
    let path = entry.path.as_str();
    if let Some(content) = frozen.get(path) {
        // A faithful copy of what is frozen is what a role was given.
        let is_copy = entry.kind == EntryKind::File && tree.read(path)? == *content;
        return Ok(if is_copy { Taken::Nothing } else { Taken::Told("not what was frozen") });
    }
    let is_in_the_way =
        entry.kind != EntryKind::Folder && frozen.keys().any(|frozen| is_below(frozen, path));
    let is_below_a_file = path.match_indices('/').any(|(at, _)| frozen.contains_key(&path[..at]));
    if is_in_the_way || is_below_a_file {
        return Ok(Taken::Told("in the way of what was frozen"));
    }
    let judged = sources.judge(path);
    Ok(match (entry.kind, judged) {
        (EntryKind::Folder, Judged::Taken | Judged::LeftOut | Judged::Forbidden(_)) => {
            Taken::Nothing
        }
        (_, Judged::Forbidden(why)) => Taken::Told(why),
        (EntryKind::File, Judged::Taken) => Taken::Content(tree.read(path)?),
        (EntryKind::File, Judged::LeftOut) => Taken::Nothing,
        (
            EntryKind::Link | EntryKind::HardLink | EntryKind::Special | EntryKind::Nameless,
            Judged::Taken | Judged::LeftOut,
        ) if !sources.concerns(path) => Taken::Nothing,
        (EntryKind::Link, Judged::Taken | Judged::LeftOut) => Taken::Told("a link"),
        (EntryKind::HardLink, Judged::Taken | Judged::LeftOut) => {
            Taken::Told("a file with another name elsewhere")
        }
        (EntryKind::Special, Judged::Taken | Judged::LeftOut) => {
            Taken::Told("neither a file nor a folder")
        }
        (EntryKind::Nameless, Judged::Taken | Judged::LeftOut) => {
            Taken::Told("its name is not text")
        }
    })
}

/// The most traces that are reported of one work tree.
const TOLD_MAX: usize = 1000;

#[cfg(test)]
mod tests;
