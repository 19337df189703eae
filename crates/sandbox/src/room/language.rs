//! What a clean room asks of a language, and what a language finds on this machine.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use sealwright_kernel::Digest;

use crate::plan::{Mount, Plan};
use crate::room::cache::Cache;
use crate::room::error::RoomError;
use crate::room::material::Material;
use crate::room::rust::Cargo;
use crate::room::sources::Sources;
use crate::room::visit::{Conditions, Selection, Site, Visit};
use crate::{RunOutcome, SandboxSlots};

/// A language, as a row of [`crate::room::LANGUAGES`].
#[derive(Clone, Copy, Debug)]
pub struct RoomLanguage {
    pub name: &'static str,
    pub find: fn(project: &Project<'_>) -> Arc<dyn LanguageTools>,
}

#[derive(Clone, Copy)]
pub struct Project<'p> {
    pub folder: &'p Path,
    /// Whether any of these paths is in its history.
    pub has_committed: &'p dyn Fn(&[&str]) -> bool,
    /// The folders that hold the source of a language, by the name of the language.
    pub sources: &'p dyn Fn(&str) -> Vec<String>,
}

/// The tools of one language on this machine. No role ever wrote any of it.
pub trait LanguageTools: fmt::Debug + Send + Sync {
    fn can_make_rooms(&self) -> bool;

    fn can_list_mutants(&self) -> bool;

    /// A digest of the frozen files that [`Self::provide`] reads.
    fn inputs(&self, frozen: &Path) -> Result<Digest, RoomError>;

    /// The trusted step: reads and checks everything that builds and runs tests. None if a tool is missing.
    fn provide(
        &self,
        frozen: &Path,
        cache: &Cache,
        slots: &SandboxSlots,
        conditions: &Conditions<'_>,
    ) -> Result<Option<Language>, RoomError>;

    /// The folder of an interpreter, and one of packages for it.
    fn interpreter(&self) -> Option<(&Path, &Path)> {
        None
    }

    /// Packages for commands that run tests outside of a room: a mount, and the variable that names it.
    fn packages(&self) -> Option<(Mount, (String, String))> {
        None
    }
}

/// What builds and runs the tests of one language in a room.
#[derive(Clone, Debug)]
pub struct Language(pub(crate) Arc<dyn Runner>);

pub(crate) trait Runner: fmt::Debug + Send + Sync {
    fn sources(&self, folders: &[&str]) -> Sources;

    /// Keeps sources away from names that the language reserves.
    fn protect(&self, sources: Sources) -> Result<Sources, RoomError> {
        Ok(sources)
    }

    /// The name of the canary among the tests of its file.
    fn canary_name(&self, nonce: &str) -> String;

    /// The text of a test that must fail.
    fn canary(&self, nonce: &str) -> String;

    /// Whether the canary of one test file failed, and was reported to.
    fn has_failed(&self, outcome: &RunOutcome, test: &str, nonce: &str) -> bool;

    fn packages(&self) -> Digest;

    /// Compiler or interpreter.
    fn toolchain(&self) -> Digest;

    /// Whether no canary can run in a test file, as it was before any role worked.
    fn is_without_canary(
        &self,
        material: &Material,
        test: &str,
        known_failing: &[(String, String)],
    ) -> bool;

    /// Whether a run says that there is no test in what it ran.
    fn has_no_tests(&self, _outcome: &RunOutcome) -> bool {
        false
    }

    /// The test files all of whose tests a run skipped. A canary in one of them is skipped as well.
    fn all_skipped(&self, _visit: &Visit) -> Vec<String> {
        vec![]
    }

    /// The test files that the project's own configuration left out of a run.
    fn left_out(&self, _visit: &Visit) -> Vec<String> {
        Vec::new()
    }

    /// The tests of the project that no room runs, in a few words each.
    fn not_run(&self, material: &Material) -> Vec<String>;

    /// Builds and runs tests in one room. `folders` hold the plain source.
    fn visit(
        &self,
        site: &Site<'_>,
        material: &Material,
        tests: &[&str],
        folders: &[String],
        selected: Selection<'_>,
    ) -> Result<Visit, RoomError>;

    fn cargo(&self) -> Option<&Cargo> {
        None
    }

    /// Mounts what lists mutants of the source in `work`, without running any of it.
    fn add_lister(&self, plan: &mut Plan, work: &Path, place: &Path) -> Result<(), RoomError>;
}

impl Language {
    pub fn sources(&self, folders: &[&str]) -> Sources {
        self.0.sources(folders)
    }

    /// What builds, where it is compiled.
    pub fn cargo(&self) -> Option<&Cargo> {
        self.0.cargo()
    }

    pub(crate) fn runner(&self) -> &dyn Runner {
        &*self.0
    }
}

impl fmt::Debug for Project<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Project").field(&self.folder).finish()
    }
}
