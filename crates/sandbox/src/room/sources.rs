//! Sources: which files of a work tree are plain source, and which have no business there.
//!
//! An allow list decides what comes along. A second list names what could change how others build or run; such a
//! file never comes along, and that it was there is told. By-products of tools (`target`, `__pycache__`) are
//! neither: every honest role leaves them behind.

use std::collections::BTreeSet;

use crate::room::tree::Look;

/// The part of a work tree that goes into a room.
#[derive(Clone, Debug)]
pub struct Sources {
    folders: Vec<String>,
    extensions: Vec<String>,
    files: Vec<String>,
    forbidden: fn(&Self, path: &str) -> Option<&'static str>,
    protected: BTreeSet<String>,
    own: BTreeSet<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judged {
    Taken,
    LeftOut,
    /// It stays behind, and that it was there is told.
    Forbidden(&'static str),
}

impl Sources {
    /// Files with this ending below these folders. `forbidden` says what has no business in the work tree, and why.
    pub(crate) fn new(
        folders: &[&str],
        extension: &str,
        forbidden: fn(&Self, path: &str) -> Option<&'static str>,
    ) -> Self {
        let folders = folders.iter().map(|folder| folder.trim_matches('/').to_owned()).collect();
        let extensions = vec![extension.to_owned()];
        let (files, protected, own) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        Self { folders, extensions, files, forbidden, protected, own }
    }

    /// Also files that end like this, below the same folders.
    pub fn with_extensions(mut self, extensions: &[&str]) -> Self {
        self.extensions.extend(extensions.iter().map(|extension| (*extension).to_owned()));
        self
    }

    /// Also these files, wherever they are.
    pub fn with_files(mut self, paths: &[&str]) -> Self {
        self.files.extend(paths.iter().map(|path| (*path).to_owned()));
        self
    }

    /// Packages that the project had before any role worked on it. They may have the name of an installed one.
    pub fn with_own(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.own.extend(names);
        self
    }

    pub(crate) fn own(&self) -> &BTreeSet<String> {
        &self.own
    }

    pub(crate) fn folders(&self) -> &[String] {
        &self.folders
    }

    /// Modules that no file may be imported instead of.
    pub(crate) fn protected(&self) -> &BTreeSet<String> {
        &self.protected
    }

    pub(crate) fn protect(&mut self, modules: BTreeSet<String>) {
        self.protected = modules;
    }

    pub(crate) fn judge(&self, path: &str) -> Judged {
        if let Some(why) = (self.forbidden)(self, path) {
            return Judged::Forbidden(why);
        }
        let is_hidden = path.split('/').any(|name| name.starts_with('.') || name == "__pycache__");
        let extension = name_of(path).rsplit_once('.').map(|(_, extension)| extension);
        let is_source = self.is_inside(path)
            && extension
                .is_some_and(|extension| self.extensions.iter().any(|one| one == extension));
        if !is_hidden && (is_source || self.files.iter().any(|file| file == path)) {
            Judged::Taken
        } else {
            Judged::LeftOut
        }
    }

    /// Whether a path lies where source comes from.
    pub(crate) fn is_inside(&self, path: &str) -> bool {
        self.folders.iter().any(|folder| is_below(path, folder))
    }

    /// Whether it matters what a path is: it lies where source comes from, or on the way there.
    pub(crate) fn concerns(&self, path: &str) -> bool {
        let is_on_the_way = |folder: &String| folder == path || is_below(folder, path);
        self.is_inside(path)
            || self.folders.iter().any(is_on_the_way)
            || self.files.iter().any(is_on_the_way)
    }

    /// Which folders are looked into: where source comes from, all of it; elsewhere not what tools leave behind.
    pub(crate) fn look(&self, folder: &str) -> Look {
        let name = name_of(folder);
        let is_by_product = match name {
            ".cargo" => false,
            "__pycache__" => true,
            "target" | "node_modules" | "venv" | "site-packages" => !self.is_inside(folder),
            _ => name.starts_with('.'),
        };
        if is_by_product { Look::Past } else { Look::Into }
    }
}

pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

pub(crate) fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}
