//! The tools of this machine, language by language, as clean rooms need them. No role ever wrote any of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use sealwright_gates::Toolchain;
use sealwright_sandbox::plan::Mount;
use sealwright_sandbox::room::{LANGUAGES, LanguageTools, Project};

use sealwright_repo::git::objects::{self, Entry};

#[derive(Clone, Debug, Default)]
pub struct Tools(BTreeMap<&'static str, Arc<dyn LanguageTools>>);

impl Tools {
    /// Finds the tools of every language: first in the environment beside the project, then on `PATH`.
    pub fn find(repository: &Path) -> Self {
        let has_committed = |paths: &[&str]| objects::has_any(repository, paths);
        let project = Project { folder: repository, has_committed: &has_committed };
        Self(LANGUAGES.iter().map(|it| (it.name, (it.find)(&project))).collect())
    }

    pub fn can_make_rooms(&self, language: &str) -> bool {
        self.0.get(language).is_some_and(|tools| tools.can_make_rooms())
    }

    pub fn can_list_mutants(&self, language: &str) -> bool {
        self.0.get(language).is_some_and(|tools| tools.can_list_mutants())
    }

    pub(super) fn of(&self, toolchain: Toolchain) -> Option<&dyn LanguageTools> {
        self.0.get(toolchain.language().name()).map(|tools| &**tools)
    }

    pub(super) fn packages(&self) -> Vec<(Mount, (String, String))> {
        self.0.values().filter_map(|tools| tools.packages()).collect()
    }

    /// How to install what lists mutants of a project with these files, if it is missing.
    pub fn lack_for_strength(&self, files: &[Entry]) -> Option<&'static str> {
        let paths: BTreeSet<&str> = files.iter().map(|entry| entry.path.as_str()).collect();
        let languages = Toolchain::ALL.into_iter().map(Toolchain::language);
        let mut found = languages.filter(|language| language.is_found(&paths));
        let lacking = found.find(|language| !self.can_list_mutants(language.name()))?;
        Some(lacking.facts().mutant_tool.hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_of_the_gates_has_a_clean_room_and_no_other_has_one() {
        let rooms: Vec<&str> = LANGUAGES.iter().map(|it| it.name).collect();
        assert_eq!(rooms, Toolchain::ALL.map(|it| it.language().name()));
    }
}
