//! Detects the languages of a repository, how its tests run, and the agents on `PATH`.
//!
//! It only reads files, never through a link, and of large files only a part. It starts no program.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use sealwright_gates::toolchain::{Folder, SuggestedCheck, detect};
use sealwright_store::disk::{Disk as _, RealDisk};

/// What was detected. Every word in it is ours, none comes from the repository.
#[derive(Debug, Default)]
pub(super) struct Detected {
    /// Languages, in a fixed order.
    pub(super) languages: Vec<&'static str>,
    pub(super) tests: BTreeMap<String, SuggestedCheck>,
    /// The checks whose language has a clean room, by name, whatever runs the tests outside of it.
    pub(super) with_room: BTreeSet<String>,
    /// Agent programs on `PATH`, in a fixed order.
    pub(super) agents: Vec<&'static str>,
}

impl Detected {
    pub(super) fn in_folder(folder: &Path, path: Option<&OsStr>) -> Self {
        let looked = Looked { folder, path, disk: RealDisk::new(folder) };
        let found = detect(&looked);
        let tested = found.iter().filter(|(_, found)| found.check.is_some()).count();
        let (mut tests, mut with_room) = (BTreeMap::new(), BTreeSet::new());
        for (toolchain, found) in &found {
            let Some(check) = &found.check else { continue };
            let name =
                if tested == 1 { "tests".to_owned() } else { format!("{}-tests", found.language) };
            with_room.extend(toolchain.map(|_| name.clone()));
            tests.insert(name, check.clone());
        }
        Self {
            languages: found.iter().map(|(_, found)| found.language).collect(),
            tests,
            with_room,
            agents: AGENTS.into_iter().filter(|agent| looked.is_program(agent)).collect(),
        }
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

/// A folder that is looked at, and the `PATH` it is looked at with.
struct Looked<'a> {
    folder: &'a Path,
    path: Option<&'a OsStr>,
    disk: RealDisk,
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
        let bytes = self.disk.read(&self.folder.join(name), FILE_BYTES_MAX).unwrap_or_default();
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

const FILE_BYTES_MAX: u64 = 1024 * 1024;
const ENTRIES_MAX: usize = 10_000;
const ANY_MAY_EXECUTE: u32 = 0o111;
