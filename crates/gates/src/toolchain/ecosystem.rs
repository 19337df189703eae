//! Ecosystems: the files that tools of a language read and leave behind, and how `init` finds its tests.

use crate::guard::Guard;
use crate::toolchain::manifests::Manifest;

/// What tools of one language read and leave behind.
#[derive(Clone, Copy, Debug)]
pub struct Ecosystem {
    /// Looks at a folder as `init` does: the language, and how its tests are run.
    pub detect: fn(&dyn Folder) -> Option<Found>,
    /// How a file of this name asks for packages.
    pub manifest: fn(name: &str) -> Option<Manifest>,
    /// Why a file of this name, in lower case, is guarded in every project, whatever its languages.
    pub guard: fn(name: &str) -> Option<Guard>,
    /// Files that pin packages, by name.
    pub locks: &'static [&'static str],
    /// Where packages are installed that programs look for in the work tree itself.
    pub installed: Option<Installed>,
    /// Folders that tools of honest roles leave behind. Nothing in them is guarded.
    pub by_products: &'static [&'static str],
    /// Folders that do not belong in a change.
    pub leftover_folders: &'static [&'static str],
    /// Endings of files that do not belong in a change.
    pub leftover_endings: &'static [&'static str],
    /// How source notices that it is being tested.
    pub signs: Signs,
}

/// Installed packages, in a folder beside the manifest that asks for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Installed {
    pub manifest: &'static str,
    pub folder: &'static str,
}

/// How source notices that it is being tested.
#[derive(Clone, Copy, Debug)]
pub struct Signs {
    /// Names that only tests have a use for.
    pub test_names: &'static [&'static str],
    /// Prefixes of names that are used only to tell a test build from another.
    pub test_name_prefixes: &'static [&'static str],
    /// Beginnings of texts that only a test runner sets.
    pub test_texts: &'static [&'static str],
    pub runners: &'static [&'static str],
    /// The name that holds every loaded module, by which source can find a runner.
    pub loaded_modules: Option<&'static str>,
    /// Ways to look at the caller, at what is loaded, at the start. Some programs need them.
    pub looks: &'static [&'static str],
    pub look_prefixes: &'static [&'static str],
    /// Files in which a program begins, where it may read its arguments.
    pub entry_files: &'static [&'static str],
}

/// A folder as `init` looks at it, without following a link.
pub trait Folder {
    /// Whether it holds a plain file of this path.
    fn is_file(&self, path: &str) -> bool;

    /// Whether it holds a folder of this path.
    fn is_folder(&self, path: &str) -> bool;

    /// The text of a file; empty if there is none, or if it is too long.
    fn text(&self, path: &str) -> String;

    fn names(&self, path: &str) -> Vec<String>;

    /// Whether a program of this name is on `PATH`.
    fn is_program(&self, name: &str) -> bool;
}

/// A language that was found in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its name in `sealwright.toml` and in the output of `init`.
    pub language: &'static str,
    /// How its tests are run, if that is plain.
    pub check: Option<SuggestedCheck>,
}

/// A check that `init` suggests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestedCheck {
    pub kind: &'static str,
    /// The command that runs the tests. A kind with a clean room has its own, to the same effect.
    pub command: Vec<String>,
    pub report: Option<&'static str>,
    /// Where its tests are. Without any, everywhere.
    pub tests: Vec<String>,
}

impl Ecosystem {
    /// One of which no file is known.
    pub(crate) const UNKNOWN: Self = Self {
        detect: |_| None,
        manifest: |_| None,
        guard: |_| None,
        locks: &[],
        installed: None,
        by_products: &[],
        leftover_folders: &[],
        leftover_endings: &[],
        signs: Signs::NONE,
    };
}

impl Signs {
    pub(crate) const NONE: Self = Self {
        test_names: &[],
        test_name_prefixes: &[],
        test_texts: &[],
        runners: &[],
        loaded_modules: None,
        looks: &[],
        look_prefixes: &[],
        entry_files: &[],
    };
}

impl SuggestedCheck {
    pub(crate) fn new(kind: &'static str, command: Vec<&'static str>) -> Self {
        let command = command.into_iter().map(str::to_owned).collect();
        Self { kind, command, report: None, tests: Vec::new() }
    }

    /// The same for a project in a folder of the repository, whose name needs no quotes. A room for one is not known
    /// unless `has_room`; its tests then run by their command.
    pub fn below(mut self, folder: &str, has_room: bool) -> Self {
        if has_room {
            self.tests = vec![folder.to_owned()];
            self.command.push(folder.to_owned());
            return self;
        }
        let line = format!("cd {folder} && exec {}", self.command.join(" "));
        let kind = if self.report.is_some() { self.kind } else { "command" };
        let command = ["sh", "-c", &line].map(str::to_owned).to_vec();
        Self { kind, command, report: self.report, tests: Vec::new() }
    }
}
