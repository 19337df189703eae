//! Git objects and references, read from files.
//!
//! No program is run, and no configuration, filter, hook or replacement of the repository counts. Every object is hashed
//! when it is read, so a changed file below `.git` cannot pass for the object it is named after.

mod plain;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gix_hash::{Kind as HashKind, ObjectId, Prefix};
use gix_object::tree::EntryKind;
use gix_object::{CommitRef, Find as _, Kind, TreeRefIter};
use gix_odb::Header as _;
use gix_ref::file::ReferenceExt as _;

/// The name of an object.
pub type Oid = ObjectId;

/// Why git objects cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum GitReadError {
    #[error("no commit `{revision}`")]
    NoCommit { revision: String },
    #[error("cannot read {what} of the git repository: {why}")]
    Broken { what: String, why: String },
    #[error("the git object {id} is missing")]
    Missing { id: String },
    #[error("the git repository has more {what} than are read ({most})")]
    TooMuch { what: &'static str, most: u64 },
}

impl GitReadError {
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoCommit { .. } => {
                "name a branch, a tag or a commit; `git rev-parse REVISION` prints the commit of anything else"
            }
            Self::Missing { .. } => {
                "a shallow or partial clone lacks objects: `git fetch --unshallow`"
            }
            Self::Broken { .. } => "`git fsck` says what is wrong with the repository",
            Self::TooMuch { .. } => return None,
        };
        Some(hint.to_owned())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    pub id: Oid,
    pub tree: Oid,
    pub parents: Vec<Oid>,
    pub message: String,
    /// Seconds, as the committer has them. Only the order in which commits are shown rests on it.
    pub at_s: i64,
}

/// An entry of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File {
    pub kind: EntryKind,
    pub id: Oid,
}

/// Files that differ by path: how each is before and now.
pub type Changes = BTreeMap<String, (Option<File>, Option<File>)>;

/// Files by path.
pub type Files = BTreeMap<String, File>;

pub struct GitObjects {
    objects: gix_odb::Handle,
    references: gix_ref::file::Store,
    common: PathBuf,
    /// The folder that holds `.sealwright`, relative to the top of the work tree: empty, or with a slash at its end.
    below: String,
}

impl GitObjects {
    /// The repository around `folder`. `None` if there is none.
    pub fn open(folder: &Path) -> Result<Option<Self>, GitReadError> {
        let folder = std::path::absolute(folder).map_err(|error| broken("the folder", &error))?;
        // Only a `.git` makes a repository: a folder of a clone that looks like a bare one is not taken for it.
        let Some(top) = folder.ancestors().find(|it| it.join(".git").symlink_metadata().is_ok())
        else {
            return Ok(None);
        };
        let git = git_folder(&top.join(".git"))?;
        let common = match plain::text(&git.join("commondir"))? {
            Some(text) => git.join(text.trim_end()),
            None => git.clone(),
        };
        plain::check(&git, &common)?;
        let objects = gix_odb::at(common.join("objects"), HASH)
            .map_err(|error| broken("the objects", &error))?;
        let references = if common == git {
            gix_ref::file::Store::at(git, HASH)
        } else {
            gix_ref::file::Store::for_linked_worktree(git, common.clone(), HASH)
        };
        let below = folder.strip_prefix(top).unwrap_or(Path::new("")).to_string_lossy();
        let below = if below.is_empty() { String::new() } else { format!("{below}/") };
        Ok(Some(Self { objects, references, common, below }))
    }

    pub fn below(&self) -> &str {
        &self.below
    }

    /// Whether older commits are missing.
    pub fn is_shallow(&self) -> bool {
        std::fs::metadata(self.common.join("shallow")).is_ok_and(|it| it.len() > 0)
    }

    /// The commit that a branch, a tag, `HEAD`, or at least four digits of a commit name. `None` if `HEAD` has none yet.
    pub fn resolve(&self, revision: &str) -> Result<Option<Oid>, GitReadError> {
        let unknown = || GitReadError::NoCommit { revision: revision.to_owned() };
        if let Ok(id) = ObjectId::from_hex(revision.as_bytes()) {
            return self.commit(id).map(|_| Some(id)).map_err(|_| unknown());
        }
        let found = self.references.try_find(revision);
        if let Ok(Some(mut reference)) = found {
            return match reference.peel_to_id(&self.references, &self.objects) {
                Ok(id) => Ok(Some(self.commit(id)?.id)),
                // A branch without a commit.
                Err(_) if revision == HEAD => Ok(None),
                Err(error) => Err(broken(&format!("`{revision}`"), &error)),
            };
        }
        let prefix = Prefix::from_hex(revision).map_err(|_| unknown())?;
        match self.objects.lookup_prefix(prefix, None) {
            Ok(Some(Ok(id))) => self.commit(id).map(|_| Some(id)).map_err(|_| unknown()),
            Ok(_) | Err(_) => Err(unknown()),
        }
    }

    /// The commit at the end of a branch, if there is such a branch.
    pub fn branch(&self, name: &str) -> Option<Oid> {
        let full = format!("refs/heads/{name}");
        let mut found = self.references.try_find(full.as_str()).ok().flatten()?;
        found.peel_to_id(&self.references, &self.objects).ok()
    }

    pub fn commit(&self, id: Oid) -> Result<Commit, GitReadError> {
        let mut buffer = Vec::new();
        let data = self.object(id, Kind::Commit, COMMIT_BYTES_MAX, &mut buffer)?;
        let odd = |what: &str| GitReadError::Broken {
            what: format!("commit {id}"),
            why: what.to_owned(),
        };
        let read = CommitRef::from_bytes(data, HASH).map_err(|error| odd(&error.to_string()))?;
        let hex = |text: &[u8]| ObjectId::from_hex(text).map_err(|_| odd("no object name"));
        let parents: Result<Vec<Oid>, _> = read.parents.iter().map(|it| hex(it)).collect();
        let at_s = read
            .committer
            .rsplit(|it| *it == b' ')
            .nth(1)
            .and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
        Ok(Commit {
            id,
            tree: hex(read.tree)?,
            parents: parents?,
            message: String::from_utf8_lossy(read.message).into_owned(),
            at_s: at_s.unwrap_or(0),
        })
    }

    /// The content of a file.
    pub fn content(&self, id: Oid) -> Result<Vec<u8>, GitReadError> {
        let mut buffer = Vec::new();
        self.object(id, Kind::Blob, FILE_BYTES_MAX, &mut buffer)?;
        Ok(buffer)
    }

    /// The entry at `path` below the folder `tree`.
    pub fn entry(&self, tree: Oid, path: &str) -> Result<Option<File>, GitReadError> {
        let mut at = File { kind: EntryKind::Tree, id: tree };
        for part in path.split('/').filter(|part| !part.is_empty()) {
            if at.kind != EntryKind::Tree {
                return Ok(None);
            }
            match self.folder(at.id)?.remove(part) {
                Some(next) => at = next,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    /// What is in a folder, by name.
    pub fn folder(&self, id: Oid) -> Result<Files, GitReadError> {
        let mut buffer = Vec::new();
        let data = self.object(id, Kind::Tree, FOLDER_BYTES_MAX, &mut buffer)?;
        let mut files = Files::new();
        for entry in TreeRefIter::from_bytes(data, HASH) {
            let entry = entry.map_err(|error| broken(&format!("folder {id}"), &error))?;
            let file = File { kind: entry.mode.kind(), id: entry.oid.to_owned() };
            if files.insert(shown(entry.filename), file).is_some() {
                return Err(GitReadError::Broken {
                    what: format!("folder {id}"),
                    why: "a name is in it twice".to_owned(),
                });
            }
        }
        Ok(files)
    }

    /// All files below a folder. Submodules are in it, folders are not.
    pub fn files(&self, tree: Oid) -> Result<Files, GitReadError> {
        let mut files = Files::new();
        self.add_files(tree, "", &mut files)?;
        Ok(files)
    }

    fn add_files(&self, tree: Oid, at: &str, files: &mut Files) -> Result<(), GitReadError> {
        if at.len() > PATH_BYTES_MAX {
            return Err(GitReadError::TooMuch { what: "folders", most: PATH_BYTES_MAX as u64 });
        }
        for (name, file) in self.folder(tree)? {
            let path = format!("{at}{name}");
            if file.kind == EntryKind::Tree {
                self.add_files(file.id, &format!("{path}/"), files)?;
            } else {
                files.insert(path, file);
            }
            if files.len() > FILES_MAX {
                return Err(GitReadError::TooMuch { what: "files", most: FILES_MAX as u64 });
            }
        }
        Ok(())
    }

    /// The files that differ between two folders, with how they are in each. Equal folders are not read.
    pub fn changed(&self, before: Option<Oid>, now: Option<Oid>) -> Result<Changes, GitReadError> {
        let mut changed = BTreeMap::new();
        self.add_changed(before, now, "", &mut changed)?;
        Ok(changed)
    }

    fn add_changed(
        &self,
        before: Option<Oid>,
        now: Option<Oid>,
        at: &str,
        changed: &mut Changes,
    ) -> Result<(), GitReadError> {
        if before == now {
            return Ok(());
        }
        if at.len() > PATH_BYTES_MAX {
            return Err(GitReadError::TooMuch { what: "folders", most: PATH_BYTES_MAX as u64 });
        }
        let all = |id: Option<Oid>| id.map(|id| self.folder(id)).transpose();
        let (before, now) = (all(before)?.unwrap_or_default(), all(now)?.unwrap_or_default());
        let names: std::collections::BTreeSet<&String> = before.keys().chain(now.keys()).collect();
        for name in names {
            let (old, new) = (before.get(name).copied(), now.get(name).copied());
            if old == new {
                continue;
            }
            let is_folder = |it: &File| it.kind == EntryKind::Tree;
            let folders = (old.filter(is_folder), new.filter(is_folder));
            let path = format!("{at}{name}");
            if folders != (None, None) {
                let ids = (folders.0.map(|it| it.id), folders.1.map(|it| it.id));
                self.add_changed(ids.0, ids.1, &format!("{path}/"), changed)?;
            }
            let is_file = |it: &File| it.kind != EntryKind::Tree;
            let files = (old.filter(is_file), new.filter(is_file));
            if files != (None, None) {
                changed.insert(path, files);
            }
            if changed.len() > FILES_MAX {
                return Err(GitReadError::TooMuch { what: "files", most: FILES_MAX as u64 });
            }
        }
        Ok(())
    }

    /// Reads an object that must be of this kind and have the content its name is the hash of.
    fn object<'b>(
        &self,
        id: Oid,
        kind: Kind,
        bytes_max: u64,
        buffer: &'b mut Vec<u8>,
    ) -> Result<&'b [u8], GitReadError> {
        let wrong = |why: String| GitReadError::Broken { what: format!("object {id}"), why };
        let missing = || GitReadError::Missing { id: id.to_string() };
        let header = self.objects.try_header(&id).map_err(|error| wrong(error.to_string()))?;
        if header.ok_or_else(missing)?.size() > bytes_max {
            return Err(wrong(format!("it is larger than {bytes_max} bytes")));
        }
        let found = self.objects.try_find(&id, buffer).map_err(|error| wrong(error.to_string()))?;
        let found = found.ok_or_else(missing)?;
        if found.kind != kind {
            return Err(wrong(format!("it is a {}, not a {kind}", found.kind)));
        }
        found.verify_checksum(&id).map_err(|_| wrong("its content was changed".to_owned()))?;
        Ok(buffer)
    }
}

/// The folder that a `.git` stands for.
fn git_folder(dot_git: &Path) -> Result<PathBuf, GitReadError> {
    if dot_git.is_dir() {
        return Ok(dot_git.to_owned());
    }
    let text = plain::text(dot_git)?.unwrap_or_default();
    let named = text.strip_prefix("gitdir:").map(str::trim);
    let odd =
        || GitReadError::Broken { what: "`.git`".to_owned(), why: "it names no folder".to_owned() };
    let folder = dot_git.parent().unwrap_or(Path::new("/")).join(named.ok_or_else(odd)?);
    if folder.is_dir() { Ok(folder) } else { Err(odd()) }
}

/// A name as text. Names that are not UTF-8 stay different from each other.
fn shown(name: &[u8]) -> String {
    match std::str::from_utf8(name) {
        Ok(name) => name.to_owned(),
        Err(_) => {
            let bytes: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{} (bytes {bytes})", String::from_utf8_lossy(name))
        }
    }
}

fn broken(what: &str, error: &dyn std::fmt::Display) -> GitReadError {
    GitReadError::Broken { what: what.to_owned(), why: error.to_string() }
}

/// What a commit is read from if nothing is named.
pub const HEAD: &str = "HEAD";
const HASH: HashKind = HashKind::Sha1;
const COMMIT_BYTES_MAX: u64 = 1 << 20;
const FOLDER_BYTES_MAX: u64 = 64 << 20;
const FILE_BYTES_MAX: u64 = 256 << 20;
const FILES_MAX: usize = 500_000;
const PATH_BYTES_MAX: usize = 4_096;
