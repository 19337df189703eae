//! Toolchains: everything that is known of a language, one folder each, behind one trait.
//!
//! `LANGUAGES` is the table. A new language is a folder beside `rust` and `python` that implements [`Language`], and
//! one line here; `README.md` lists what it has to write. `cargo xtask tidy` refuses a `match` on a language elsewhere.
//!
//! ```text
//! tripwire, red, strength, overfit, kinds, engine ──▶ Toolchain ──▶ dyn Language ◀── rust, python
//!                                                └──▶ Ecosystem ◀── rust, python, node, go
//! ```
//!
//! A language knows its files from names and text alone, and errs on one side: a file that might decide how tests end
//! is guarded, and a file that might be a test is not source.

mod ecosystem;
mod go;
mod language;
mod manifests;
mod missing;
mod node;
mod outline;
mod paths;
mod python;
mod rust;
pub mod surface;

/// What a library of Rust offers to those who call it.
pub mod rust_api {
    pub use super::rust::{Api, Callable, Constant, OwnType, Receiver, Shape, Type, Variant};
}

use std::collections::BTreeSet;
use std::fmt;

pub use ecosystem::{Ecosystem, Folder, Found, Installed, Signs, SuggestedCheck};
pub use language::{
    Facts, InnerTests, Language, Module, Mutator, NO_ROOM_BELOW, Needed, Outliner, Part, Places,
    Reach, SurfaceBy, SurfaceReader, Unread,
};
pub use manifests::{Manifest, Requests};
pub use missing::{Missing, TestRun, UnderTest};
pub(crate) use outline::number;
pub use outline::{
    Body, Function, Import, Kind, Literal, Outline, Pair, Role, Use, Value, whole_name,
};
pub(crate) use paths::{TEXT_MAX, folder_of, name_of, resolve};

/// Every language whose tests run in a clean room, in the order in which people read of them.
const LANGUAGES: &[&dyn Language] = &[&rust::Rust, &python::Python];

/// Ecosystems that are known by their files, but have no clean room.
const OTHERS: &[&Ecosystem] = &[&node::ECOSYSTEM, &go::ECOSYSTEM];

/// A row of `LANGUAGES`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Toolchain(usize);

impl Toolchain {
    pub const ALL: [Self; LANGUAGES.len()] = {
        let mut all = [Self(0); LANGUAGES.len()];
        let mut row = 0;
        while row < all.len() {
            all[row] = Self(row);
            row += 1;
        }
        all
    };

    pub fn language(self) -> &'static dyn Language {
        LANGUAGES[self.0]
    }

    /// The languages of a project with these files.
    pub fn found<'p>(paths: impl IntoIterator<Item = &'p str>) -> Vec<Self> {
        let paths: BTreeSet<_> = paths.into_iter().collect();
        Self::ALL.into_iter().filter(|one| one.language().is_found(&paths)).collect()
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.language().name() == name)
    }

    /// The language a file is written in.
    pub fn of_file(path: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.language().is_written(path))
    }

    /// The language whose tests a check of this kind runs, in a clean room or outside.
    pub fn of_tests(kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.language().facts().test_kinds.contains(&kind))
    }

    /// The language whose clean room a check of this kind visits.
    pub fn of_room(kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.language().room_kind() == kind)
    }
}

impl fmt::Debug for Toolchain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.language().name())
    }
}

/// Every ecosystem: those of the languages, then the others.
pub fn ecosystems() -> impl Iterator<Item = &'static Ecosystem> {
    LANGUAGES.iter().map(|language| language.ecosystem()).chain(OTHERS.iter().copied())
}

/// The languages that `init` finds in a folder, each with its toolchain if it has one.
pub fn detect(folder: &dyn Folder) -> Vec<(Option<Toolchain>, Found)> {
    let own = Toolchain::ALL.into_iter().map(|it| (Some(it), it.language().ecosystem()));
    let all = own.chain(OTHERS.iter().map(|other| (None, *other)));
    all.filter_map(|(toolchain, it)| Some((toolchain, (it.detect)(folder)?))).collect()
}

/// Whether tools write a file of this name to pin packages.
pub fn is_lock(path: &str) -> bool {
    ecosystems().any(|ecosystem| ecosystem.locks.contains(&name_of(path)))
}

/// How a file of this path asks for packages, if it does.
pub fn manifest(path: &str) -> Option<Manifest> {
    ecosystems().find_map(|ecosystem| (ecosystem.manifest)(name_of(path)))
}

#[cfg(test)]
pub(crate) mod tests;
