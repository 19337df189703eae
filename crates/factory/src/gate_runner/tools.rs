//! The tools of this machine, language by language, as clean rooms need them. No role ever wrote any of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use sealwright_gates::Toolchain;
use sealwright_gates::toolchain::{Installed, Needed, ecosystems};
use sealwright_sandbox::plan::{Access, Mount};
use sealwright_sandbox::room::{LANGUAGES, LanguageTools, Project};
use sealwright_sandbox::system::WORK;

use sealwright_repo::git::objects::{self, Entry};

#[derive(Clone, Debug, Default)]
pub struct Tools {
    languages: BTreeMap<&'static str, Arc<dyn LanguageTools>>,
    /// Packages that are installed in the repository and are no part of its history.
    installed: Vec<Mount>,
}

/// Packages for commands that run tests.
#[derive(Clone, Debug, Default)]
pub struct Packages {
    pub mounts: Vec<Mount>,
    pub environment: Vec<(String, String)>,
}

impl Tools {
    /// Finds the tools of every language: first in the environment beside the project, then on `PATH`.
    pub fn find(repository: &Path) -> Self {
        let has_committed = |paths: &[&str]| objects::has_any(repository, paths);
        // Without a commit there is no source either.
        let entries = objects::entries(repository, "HEAD").unwrap_or_default();
        let paths: BTreeSet<&str> = entries.iter().map(|entry| entry.path.as_str()).collect();
        let sources = |language: &str| {
            let toolchain = Toolchain::named(language);
            toolchain.map(|it| it.language().sources(&paths).folders).unwrap_or_default()
        };
        let project =
            Project { folder: repository, has_committed: &has_committed, sources: &sources };
        let languages = LANGUAGES.iter().map(|it| (it.name, (it.find)(&project))).collect();
        let installed = ecosystems().filter_map(|it| it.installed);
        let installed = installed.flat_map(|it| self::installed(repository, it)).collect();
        Self { languages, installed }
    }

    pub fn can_make_rooms(&self, language: &str) -> bool {
        self.languages.get(language).is_some_and(|tools| tools.can_make_rooms())
    }

    pub fn can_list_mutants(&self, language: &str) -> bool {
        self.languages.get(language).is_some_and(|tools| tools.can_list_mutants())
    }

    /// What to install where no test of a project with these files could be run.
    pub fn lack_for_tests(&self, files: &[Entry]) -> Option<Needed> {
        let found = found(files);
        let can_run = |it: &Toolchain| self.can_make_rooms(it.language().name());
        match found.first() {
            Some(first) if !found.iter().any(can_run) => Some(first.language().facts().room_tool),
            _ => None,
        }
    }

    pub(super) fn of(&self, toolchain: Toolchain) -> Option<&dyn LanguageTools> {
        self.languages.get(toolchain.language().name()).map(|tools| &**tools)
    }

    pub(super) fn packages(&self) -> Packages {
        let found = self.languages.values().filter_map(|tools| tools.packages());
        let (mut mounts, environment): (Vec<Mount>, _) = found.unzip();
        mounts.extend_from_slice(&self.installed);
        Packages { mounts, environment }
    }

    /// How to install what lists mutants of a project with these files, if it is missing.
    pub fn lack_for_strength(&self, files: &[Entry]) -> Option<&'static str> {
        let mut found = found(files).into_iter().map(Toolchain::language);
        let lacking = found.find(|language| !self.can_list_mutants(language.name()))?;
        Some(lacking.facts().mutant_tool.hint)
    }
}

/// The languages of a project with these files.
fn found(files: &[Entry]) -> Vec<Toolchain> {
    Toolchain::found(files.iter().map(|entry| entry.path.as_str()))
}

/// Folders of installed packages, each beside a manifest of the last commit. One that is committed is part of the tree.
fn installed(repository: &Path, Installed { manifest, folder }: Installed) -> Vec<Mount> {
    let Ok(entries) = objects::entries(repository, "HEAD") else { return Vec::new() };
    let is_committed = |at: &str| {
        let below = format!("{at}/");
        let next = entries.partition_point(|entry| entry.path < below);
        entries.get(next).is_some_and(|entry| entry.path.starts_with(&below))
    };
    let mount = |entry: &Entry| {
        let above = entry.path.strip_suffix(manifest)?;
        let at = format!("{above}{folder}");
        let is_beside = above.is_empty() || above.ends_with('/');
        if !is_beside || is_committed(&at) {
            return None;
        }
        // A mount follows no links, and nothing outside of the repository comes in by one.
        let source = repository.join(&at).canonicalize().ok()?;
        let is_own = source.is_dir() && source.starts_with(repository.canonicalize().ok()?);
        // What a test runner writes there is thrown away.
        is_own.then(|| Mount::required(source, &format!("{WORK}/{at}"), Access::CopyOnWrite))
    };
    entries.iter().filter_map(mount).take(INSTALLED_MAX).collect()
}

/// The most packages of a workspace whose dependencies are mounted.
const INSTALLED_MAX: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_of_the_gates_has_a_clean_room_and_no_other_has_one() {
        let rooms: Vec<&str> = LANGUAGES.iter().map(|it| it.name).collect();
        assert_eq!(rooms, Toolchain::ALL.map(|it| it.language().name()));
    }
}
