//! The language trait: all that the rest of the product may ask of a language.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::TestId;
use crate::guard::Guard;
use crate::mutants::{Aim, Listing, Sample};
use crate::toolchain::ecosystem::Ecosystem;
use crate::toolchain::missing::{Missing, TestRun, UnderTest};
use crate::toolchain::outline::Outline;
use crate::toolchain::surface::Surface;

/// A language: its files, its tests and its tools.
pub trait Language: fmt::Debug + Sync {
    /// What can be said without looking at a file.
    fn facts(&self) -> &'static Facts;

    /// What its tools read and leave behind.
    fn ecosystem(&self) -> &'static Ecosystem;

    /// Whether a project with these files is written in it.
    fn is_found(&self, paths: &BTreeSet<&str>) -> bool;

    fn is_written(&self, path: &str) -> bool;

    /// Whether a clean room can be made for a project with these files; [`NO_ROOM_BELOW`] says why not.
    fn has_room(&self, paths: &BTreeSet<&str>) -> bool {
        self.facts().top_manifest.is_none_or(|manifest| paths.contains(manifest))
    }

    fn part(&self, path: &str) -> Part;

    /// Whether a test runner is given this file; helpers beside tests are not.
    fn is_test_file(&self, path: &str) -> bool;

    /// The lines of a file that do something: no comments, and nothing that only people read.
    fn code(&self, text: &str) -> Vec<String> {
        self.facts().lines(text).into_iter().map(str::to_owned).collect()
    }

    /// The files, at the top of a project, that may give test files other names.
    fn test_configurations(&self) -> &'static [&'static str] {
        &[]
    }

    /// Says which file holds tests by the configuration, and is none that [`Self::is_test_file`] knows.
    fn unknown_test(&self, _configuration: &str, _paths: &BTreeSet<&str>) -> Option<String> {
        None
    }

    /// Where plain source comes from, in a project with these files.
    fn sources(&self, paths: &BTreeSet<&str>) -> Places;

    /// The names under which tests import the project with this manifest, where its folders do not tell them.
    fn module_names(&self, _manifest: &str) -> Vec<String> {
        Vec::new()
    }

    /// Why a file of this name is guarded: it can decide how anything is built, started or judged.
    fn guard(&self, path: &str) -> Option<Guard>;

    /// What a test file reaches: its modules, and every path its text names.
    fn reach(&self, path: &str, text: &str) -> Reach;

    /// Whether a runner that reports `id` means a test in this file.
    fn is_in(&self, id: &TestId, path: &str) -> bool;

    /// Whether what broke a test before its own steps is that the code under test is not written.
    fn is_unwritten(&self, _why: &str, _under_test: &UnderTest) -> bool {
        false
    }

    /// Whether `id` means the whole file, which could not be loaded.
    fn is_whole_file(&self, _id: &TestId, _path: &str) -> bool {
        false
    }

    /// What a run of tests lacked, in files none of whose tests could run.
    fn missing(&self, run: &TestRun<'_>) -> Missing;

    /// What a build that failed says is wrong, a line each with its place.
    fn build_errors(&self, _stdout: &str) -> Vec<String> {
        Vec::new()
    }

    /// Why a test that ran failed for a reason of its own, if it did.
    fn broken(&self, why: &str, under_test: &UnderTest) -> Option<String>;

    /// The tests that failed in one run, as a trace names them, from what the run printed.
    fn failed_tests(&self, run: &str, stdout: &[u8]) -> Vec<String>;

    /// Packages that a run says are not installed, by the first name of their import.
    fn not_installed(&self, _stdout: &str) -> Vec<String> {
        Vec::new()
    }

    fn outliner(&self) -> Outliner;

    /// How its public items are read. None where no reader is written yet.
    fn surface_reader(&self) -> Option<SurfaceReader> {
        None
    }

    /// How mutants of its files are listed.
    fn mutator(&self) -> Mutator;

    /// Tests that stand in the same file as what they test, where the language has them.
    fn inner_tests(&self) -> Option<&'static InnerTests> {
        None
    }

    /// A test file, with its text, for a project whose tests all stand inside the source: a clean room is entered by one.
    fn room_entry(&self, _paths: &BTreeSet<&str>) -> Option<(String, &'static str)> {
        None
    }

    /// Whether a suite is that test file.
    fn is_room_entry(&self, _suite: &str) -> bool {
        false
    }

    fn name(&self) -> &'static str {
        self.facts().name
    }

    /// The kind of check that visits its clean room.
    fn room_kind(&self) -> &'static str {
        self.facts().test_kinds[0]
    }
}

/// Why no room runs the tests of a language.
pub const NO_ROOM_BELOW: &str =
    "its project stands below the top of the repository, where it has no clean room";

/// What can be said of a language without looking at a file.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    pub name: &'static str,
    /// The kinds of check that run its tests. The first visits a clean room.
    pub test_kinds: &'static [&'static str],
    /// A test file that the harness adds, empty, where all tests stand among the sources.
    pub room_test: Option<&'static str>,
    /// The file that has to be at the top of a repository, where no room can be made for a project below.
    pub top_manifest: Option<&'static str>,
    /// Whether tests are built before they run. The first command in a clean room is then the build.
    pub is_compiled: bool,
    /// Exit codes of a test run in which a test failed.
    pub failing_exits: &'static [i32],
    /// What a clean room needs on this machine.
    pub room_tool: Needed,
    pub mutant_tool: Needed,
    pub comment: &'static str,
    /// The ending of a file, cut off where it is imported by its name.
    pub import_suffix: &'static str,
    /// The words before a name that is defined.
    pub definitions: &'static [&'static str],
}

impl Facts {
    /// The lines of a file that are neither empty nor a comment.
    pub fn lines<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let lines = text.lines().map(str::trim_end);
        lines.filter(|it| !it.is_empty() && !it.trim_start().starts_with(self.comment)).collect()
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Needed {
    pub name: &'static str,
    pub hint: &'static str,
}

/// What a file is to a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A test, or something only tests use.
    Test,
    /// The product itself.
    Source,
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

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Modules, each with the paths it may have. A file added at a free path would be found instead of another.
    pub modules: Vec<Module>,
    /// Texts that may name a file or a folder.
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

/// Tests that stand in the same file as what they test.
#[derive(Clone, Copy, Debug)]
pub struct InnerTests {
    /// A file in two: what is tested, and its inner tests, which may be none.
    pub split: fn(text: &str) -> (&str, &str),
    /// The file as it was before, with the inner tests it has now.
    pub without_the_change: fn(before: &str, now: &str) -> String,
    /// The module that a file of source is, as names of its inner tests begin.
    pub module: fn(path: &str) -> Option<String>,
    /// Whether a file holds nothing but inner tests.
    pub is_file: fn(path: &str) -> bool,
    /// A path under which inner tests are outlined as tests.
    pub outlined_as: &'static str,
}

/// How files of a language are outlined.
#[derive(Clone, Copy, Debug)]
pub enum Outliner {
    Text(fn(path: &str, text: &str) -> Result<Outline, Unread>),
    /// By a command that reads them and runs nothing of them.
    Command {
        /// The command; the paths are added to it.
        argv: fn() -> Vec<String>,
        /// Reads its standard output.
        read: fn(stdout: &[u8]) -> Result<Vec<Outline>, Unread>,
    },
}

/// How the public items of a tree are read, without building or running any of it.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceReader {
    /// Whether a file can hold public items, or says under which names they are reached. Tests do neither.
    pub is_read: fn(path: &str) -> bool,
    pub by: SurfaceBy,
}

/// By what public items are read.
#[derive(Clone, Copy, Debug)]
pub enum SurfaceBy {
    /// From the text of all files of the tree that are read.
    Text(fn(files: &BTreeMap<String, String>) -> Surface),
    /// By a command that reads files and runs nothing of them. Each file is read for itself.
    Command {
        /// The command; the paths are added to it.
        argv: fn() -> Vec<String>,
        /// Reads its standard output.
        read: fn(stdout: &[u8]) -> Result<Surface, Unread>,
    },
}

/// How mutants are listed, by a tool that reads source and runs nothing of it.
#[derive(Clone, Copy, Debug)]
pub struct Mutator {
    pub argv: fn(aim: &Aim, sample: &Sample) -> Vec<String>,
    /// Reads its standard output.
    pub read: fn(stdout: &[u8], aim: &Aim) -> Result<Listing, Unread>,
}

/// Why a file, or the output of a tool, cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("`{path}` cannot be read as source: {why}")]
pub struct Unread {
    pub path: String,
    pub why: String,
}
