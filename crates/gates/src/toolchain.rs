//! Toolchains: what is known of a language, one file each behind one trait.
//!
//! A new language is a file beside `rust.rs` and `python.rs` that implements [`Language`], one more variant of
//! [`Toolchain`] and one more row in [`Toolchain::language`]. Nothing else asks which language it is.
//!
//! Everything in here is a guess from names and text, made to err on one side: what might decide how tests end is
//! guarded, and what might be a test is not taken for source.

mod outline;
mod python;
mod rust;

use std::collections::BTreeSet;
use std::fmt;

use crate::TestId;
use crate::strength::{Aim, Listing, Sample};
use crate::tripwire::Guard;

pub(crate) use outline::number;
pub use outline::{Body, Function, Import, Kind, Literal, Outline, Pair, Role, Use, Value};

/// A language, as far as building and testing go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Toolchain {
    /// Rust with cargo.
    Rust,
    /// Python with pytest.
    Python,
}

/// What a language knows about the files of a project and about its own tools.
pub trait Language: fmt::Debug + Sync {
    /// What people call it.
    fn name(&self) -> &'static str;

    /// Whether a project with these files is written in it.
    fn is_found(&self, paths: &BTreeSet<&str>) -> bool;

    /// Whether a file is written in it.
    fn is_written(&self, path: &str) -> bool;

    /// What a file is, by its path.
    fn part(&self, path: &str) -> Part;

    /// Where plain source comes from, in a project with these files.
    fn sources(&self, paths: &BTreeSet<&str>) -> Places;

    /// Why a file of this name is guarded, if it is: it can decide how anything is built, started or judged.
    fn guard(&self, path: &str) -> Option<Guard>;

    /// The files that say exactly which packages of others are used.
    fn locks(&self) -> &'static [&'static str];

    /// What a test file reaches: modules it is made of, and whatever its text names.
    fn reach(&self, path: &str, text: &str) -> Reach;

    /// The command that lists tests without running them.
    fn list_tests(&self) -> Vec<String>;

    /// The tests that command named. An answer that is not whole is none.
    fn listed(&self, stdout: &str, stderr: &str) -> Result<Vec<TestId>, Unlisted>;

    /// Whether a runner that says `id` speaks of a test in this file.
    fn is_in(&self, id: &TestId, path: &str) -> bool;

    /// How its files are outlined.
    fn outliner(&self) -> Outliner;

    /// How mutants of its files are listed.
    fn mutator(&self) -> Mutator;

    /// What may stand where a test was taken out, in one line.
    fn hole(&self, indent: &str) -> String;
}

/// What a file is to a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A test, or something only tests use.
    Test,
    /// The product itself.
    Source,
    /// Anything else.
    Other,
}

/// Where plain source comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Folders, all of whose source files belong to it.
    pub folders: Vec<String>,
    /// Single files outside of them.
    pub files: Vec<String>,
}

/// What a test file reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Modules: for each the paths it may have. A path that is free now and is taken later stands in for another.
    pub modules: Vec<Module>,
    /// Texts that may name a file or a folder, as they stand there.
    pub texts: Vec<String>,
}

/// A module that a test file is made of or imports.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Module {
    /// Its name, up to the first dot.
    pub root: String,
    /// Where it may be, relative to the project.
    pub paths: Vec<String>,
}

/// How files of a language are outlined.
#[derive(Clone, Copy)]
pub enum Outliner {
    /// From their text.
    Text(fn(path: &str, text: &str) -> Result<Outline, Unread>),
    /// By a command that reads them and runs nothing of them, and a reader of what it said.
    Command {
        /// The command; the paths are added to it.
        argv: fn() -> Vec<String>,
        /// What its standard output means.
        read: fn(stdout: &[u8]) -> Result<Vec<Outline>, Unread>,
    },
}

/// How mutants of a language's files are listed, by a tool that reads them and runs nothing of them.
#[derive(Clone, Copy)]
pub struct Mutator {
    /// The command.
    pub argv: fn(aim: &Aim, sample: &Sample) -> Vec<String>,
    /// What its standard output means.
    pub read: fn(stdout: &[u8], aim: &Aim) -> Result<Listing, Unread>,
}

/// Why a file cannot be outlined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` cannot be read as source: {why}")]
pub struct Unread {
    /// Which.
    pub path: String,
    /// Why.
    pub why: String,
}

/// Why the tests could not be listed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unlisted {
    /// It was not said how many there are, so nobody knows whether these are all.
    #[error("the list of tests has no end")]
    NoEnd,
    /// Fewer or more are named than are counted.
    #[error("{named} tests are named and {counted} are counted")]
    Miscounted {
        /// How many have a name.
        named: usize,
        /// How many there are said to be.
        counted: usize,
    },
    /// Something could not be loaded.
    #[error("{what}")]
    Broken {
        /// What the runner says.
        what: String,
    },
}

impl Toolchain {
    /// All there are.
    pub const ALL: [Self; 2] = [Self::Rust, Self::Python];

    /// What it knows.
    pub fn language(self) -> &'static dyn Language {
        match self {
            Self::Rust => &rust::Rust,
            Self::Python => &python::Python,
        }
    }

    /// The languages a project with these files is written in.
    pub fn found<'p>(paths: impl IntoIterator<Item = &'p str>) -> Vec<Self> {
        let paths: BTreeSet<_> = paths.into_iter().collect();
        Self::ALL.into_iter().filter(|one| one.language().is_found(&paths)).collect()
    }
}

impl fmt::Debug for Mutator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mutator")
    }
}

impl fmt::Debug for Outliner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text(_) => "Text",
            Self::Command { .. } => "Command",
        })
    }
}

impl Unlisted {
    /// What a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoEnd | Self::Miscounted { .. } => "run the command by hand and look at its end",
            Self::Broken { .. } => "mend what cannot be loaded",
        }
    }
}

/// The last name of a path.
pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The folder a path is in, without a slash at its end.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path that is said relative to a folder, without dots. None if it leads out of the project.
pub(crate) fn resolve(folder: &str, relative: &str) -> Option<String> {
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    if relative.starts_with('/') || relative.len() > TEXT_MAX {
        return None;
    }
    for name in relative.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    (!names.is_empty()).then(|| names.join("/"))
}

/// Longer texts name no file.
pub(crate) const TEXT_MAX: usize = 256;

#[cfg(test)]
pub(crate) mod tests;
