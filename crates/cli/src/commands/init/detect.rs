//! Detects the languages of a repository, how its tests run, and the agents on `PATH`.
//!
//! It only reads files, never through a link, and of large files only a part. It starts no program.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use sealwright_gates::Toolchain;
use sealwright_gates::toolchain::{Folder, Found, SuggestedCheck, detect, ecosystems};
use sealwright_store::disk::{Disk as _, RealDisk};

/// What was detected. Every word in it is ours, none comes from the repository.
#[derive(Debug, Default)]
pub(super) struct Detected {
    /// Languages, in a fixed order.
    pub(super) languages: Vec<&'static str>,
    pub(super) tests: BTreeMap<String, SuggestedCheck>,
    /// The checks whose language has a clean room, by name, whatever runs the tests outside of it.
    pub(super) with_room: BTreeSet<String>,
    /// Languages whose checks are run, and that have no clean room.
    pub(super) without_room: Vec<&'static str>,
    /// Agent programs on `PATH`, in a fixed order.
    pub(super) agents: Vec<&'static str>,
}

impl Detected {
    pub(super) fn in_folder(folder: &Path, path: Option<&OsStr>) -> Self {
        let looked = Looked { folder: folder.to_owned(), path };
        let mut projects: Vec<(String, Option<Toolchain>, Found)> = Vec::new();
        look_below(&looked, "", &mut projects);
        let (mut languages, mut without_room) = (Vec::new(), Vec::new());
        let (mut tests, mut with_room) = (BTreeMap::new(), BTreeSet::new());
        let is_tested = |place: &str| {
            let here =
                projects.iter().filter(|(at, _, found)| at == place && found.check.is_some());
            here.count()
        };
        for (place, toolchain, found) in &projects {
            if !languages.contains(&found.language) {
                languages.push(found.language);
                without_room.extend(toolchain.is_none().then_some(found.language));
            }
            let Some(check) = &found.check else { continue };
            let mut name = match is_tested(place) {
                1 => "tests".to_owned(),
                _ => format!("{}-tests", found.language),
            };
            let mut check = check.clone();
            if !place.is_empty() {
                let has_room =
                    toolchain.is_some_and(|it| it.language().facts().top_manifest.is_none());
                check = check.below(place, has_room);
                name = format!("{}-{name}", place.replace(['/', '.', '_'], "-"));
            }
            with_room.extend(toolchain.map(|_| name.clone()));
            tests.insert(name, check);
        }
        let agents = AGENTS.into_iter().filter(|agent| looked.is_program(agent)).collect();
        Self { languages, tests, with_room, without_room, agents }
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.languages.is_empty() {
            lines.push(format!("found {}", self.languages.join(", ")));
        }
        for (name, test) in &self.tests {
            lines.push(format!(
                "check `{name}` runs `{}`, as {}",
                test.command.join(" "),
                test.kind
            ));
        }
        if self.tests.values().any(|test| test.kind == "command") {
            lines.push("• a check of kind `command` trusts the exit code; docs/gates.md lists kinds that see single tests".to_owned());
        }
        if !self.without_room.is_empty() {
            lines.push(format!(
                "• {}: checks run, and `evaluate` reports them; a task is proven by tests in a clean room, which only {} have",
                self.without_room.join(", "),
                Toolchain::ALL.map(|it| it.language().name()).join(" and "),
            ));
        }
        if self.tests.is_empty() {
            lines.push("• no tests found; add a check to sealwright.toml".to_owned());
        }
        lines.push(if self.agents.is_empty() {
            format!("• none of {} is on PATH", AGENTS.join(", "))
        } else {
            format!("agents on PATH: {}", self.agents.join(", "))
        });
        lines
    }
}

/// Finds projects in a folder and in those below it. A language that was found is not looked for below: its tools know
/// their own parts.
fn look_below(
    looked: &Looked<'_>,
    place: &str,
    projects: &mut Vec<(String, Option<Toolchain>, Found)>,
) {
    let is_known = |language: &str, projects: &[(String, Option<Toolchain>, Found)]| {
        projects.iter().any(|(at, _, found)| {
            let is_above = at.is_empty() || place == at || place.starts_with(&format!("{at}/"));
            is_above && found.language == language
        })
    };
    for (toolchain, found) in detect(looked) {
        if !is_known(found.language, projects) && projects.len() < PROJECTS_MAX {
            projects.push((place.to_owned(), toolchain, found));
        }
    }
    if place.split('/').filter(|name| !name.is_empty()).count() >= DEPTH_MAX {
        return;
    }
    let mut names = looked.names("");
    names.sort();
    for name in names.iter().filter(|name| is_looked_into(name) && looked.is_folder(name)) {
        let below = Looked { folder: looked.folder.join(name), path: looked.path };
        let place = if place.is_empty() { name.clone() } else { format!("{place}/{name}") };
        look_below(&below, &place, projects);
    }
}

/// Whether a folder may hold a project of the repository's own. Its name is written into a command.
fn is_looked_into(name: &str) -> bool {
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    let is_of_tools = ecosystems().any(|it| it.by_products.contains(&name));
    let is_apart = OTHERS.contains(&name.to_ascii_lowercase().as_str());
    is_plain && !name.starts_with(['.', '-']) && !is_of_tools && !is_apart
}

/// A folder that is looked at, and the `PATH` it is looked at with.
struct Looked<'a> {
    folder: PathBuf,
    path: Option<&'a OsStr>,
}

impl Folder for Looked<'_> {
    fn is_file(&self, name: &str) -> bool {
        std::fs::symlink_metadata(self.folder.join(name)).is_ok_and(|meta| meta.is_file())
    }

    fn is_folder(&self, name: &str) -> bool {
        std::fs::symlink_metadata(self.folder.join(name)).is_ok_and(|meta| meta.is_dir())
    }

    fn text(&self, name: &str) -> String {
        if !self.is_file(name) {
            return String::new();
        }
        let bytes = RealDisk::new(&self.folder)
            .read(&self.folder.join(name), FILE_BYTES_MAX)
            .unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn names(&self, path: &str) -> Vec<String> {
        let folder = self.folder.join(path);
        let is_folder = std::fs::symlink_metadata(&folder).is_ok_and(|meta| meta.is_dir());
        let entries = std::fs::read_dir(&folder).ok().filter(|_| is_folder);
        let names = entries.into_iter().flatten().take(ENTRIES_MAX).flatten();
        names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// Whether `PATH` has a program of this name. Relative entries are skipped: they would mean the repository.
    fn is_program(&self, name: &str) -> bool {
        let is_executable = |meta: std::fs::Metadata| {
            meta.is_file() && meta.permissions().mode() & ANY_MAY_EXECUTE != 0
        };
        std::env::split_paths(self.path.unwrap_or_default())
            .filter(|place| place.is_absolute())
            .any(|place| std::fs::metadata(place.join(name)).is_ok_and(is_executable))
    }
}

pub(super) const AGENTS: [&str; 4] = ["codex", "claude", "gemini", "opencode"];

/// How many folders deep projects are looked for, and the most of them.
const DEPTH_MAX: usize = 2;
const PROJECTS_MAX: usize = 12;
/// Folders whose projects are not the repository's own, or are part of another.
const OTHERS: [&str; 12] = [
    "benches",
    "build",
    "dist",
    "docs",
    "examples",
    "fixtures",
    "fuzz",
    "site",
    "test",
    "tests",
    "third_party",
    "vendor",
];
const FILE_BYTES_MAX: u64 = 1024 * 1024;
const ENTRIES_MAX: usize = 10_000;
const ANY_MAY_EXECUTE: u32 = 0o111;
