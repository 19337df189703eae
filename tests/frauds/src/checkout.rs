//! A checkout of a project in its own folder, where a case runs without a sandbox, as in a naive loop. All actors work
//! on the same tree.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use crate::actor_script::{self, ActorScript, Claim};
use crate::case::Case;
use crate::process::{self, Place, Ran};
use crate::project::{Layer, Project};

#[derive(Debug)]
pub struct Checkout {
    pub project: Project,
    pub tree: PathBuf,
    home: PathBuf,
    _folder: TempDir,
}

/// The result of all actors of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunResult {
    /// The claim of the last actor.
    pub claim: Claim,
    /// The first actor that failed, and how.
    pub broke_off: Option<String>,
}

impl Checkout {
    /// The project with the tests of a case, committed, before the work.
    pub fn set_up(case: &Case) -> Result<Self> {
        let tests = case.data.parts.tests.clone().unwrap_or_default();
        Self::begun(case, Some((tests, &[Layer::Skeleton, Layer::Acceptance])))
    }

    /// The project before the task, committed, with a person's changes.
    pub fn before(case: &Case) -> Result<Self> {
        Self::begun(case, None)
    }

    fn begun(case: &Case, tests: Option<(ActorScript, &[Layer])>) -> Result<Self> {
        let checkout = Self::bare(&case.data.project)?;
        checkout.project.lay(Layer::Base, &checkout.tree)?;
        let person = case.data.parts.person.clone().map(|person| (person, &[][..]));
        for (actor, honest) in person.into_iter().chain(tests) {
            let ran = checkout.act(&ActorScript { exit: 0, ..actor }, honest)?;
            ensure!(ran.is_well(), "{}: {}: {}", case.id, ran.ended(), ran.said);
        }
        let began = checkout
            .shell("git init -q . && git add -A . && git commit -qm begin && git tag begin")?;
        ensure!(began.is_well(), "{}", began.said);
        Ok(checkout)
    }

    pub fn bare(project: &str) -> Result<Self> {
        let project = Project::open(project)?;
        let folder = tempfile::Builder::new().prefix("frauds-").tempdir()?;
        let (tree, home) = (folder.path().join("work"), folder.path().join("home"));
        fs::create_dir(&tree)?;
        lend_packages(&home.join(".cargo/registry"))?;
        Ok(Self { project, tree, home, _folder: folder })
    }

    /// Runs all actors after the test author.
    pub fn run(&self, case: &Case) -> Result<RunResult> {
        let mut result = RunResult { claim: Claim::Done, broke_off: None };
        for (part, actor, honest) in case.data.parts.at_work() {
            let ran = self.act(&actor, honest)?;
            if !ran.is_well() && result.broke_off.is_none() {
                result.broke_off = Some(format!("{part}: {}: {}", ran.ended(), ran.said.trim()));
            }
            if actor.claims == Claim::Failed {
                result.claim = Claim::Failed;
            }
        }
        Ok(result)
    }

    /// The files that changed since the start, or why git failed.
    pub fn changed(&self) -> Result<Result<Vec<String>, String>> {
        let asked = "git add --all --intent-to-add . && git diff --name-only --no-renames begin";
        let ran = self.shell(asked)?;
        Ok(if ran.is_well() {
            Ok(ran.said.lines().map(str::to_owned).collect())
        } else {
            Err(ran.said)
        })
    }

    /// Runs all tests as a developer does.
    pub fn test(&self, limit_s: u32) -> Result<Ran> {
        let argv = self.project.about.language.test_command();
        process::run(Place { folder: &self.tree, home: &self.home, limit_s }, argv)
    }

    /// Runs the steps of an actor; `honest` are the layers of the honest work.
    pub fn act(&self, actor: &ActorScript, honest: &[Layer]) -> Result<Ran> {
        self.shell(&actor_script::shell(&actor.deeds(&self.project, honest)?, actor.exit)?)
    }

    pub fn shell(&self, script: &str) -> Result<Ran> {
        let place = Place { folder: &self.tree, home: &self.home, limit_s: ACT_LIMIT_S };
        process::shell(place, script)
    }
}

/// Copies packages that some cases need, so that no case can change the caller's.
fn lend_packages(registry: &Path) -> Result<()> {
    fs::create_dir_all(registry)?;
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let user = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo"));
    let Some(from) = home.or_else(user).map(|home| home.join("registry")) else {
        return Ok(());
    };
    let Ok(indexes) = fs::read_dir(from.join("index")) else {
        return Ok(());
    };
    for index in indexes {
        let name = index?.file_name();
        let (index, cache) = (Path::new("index").join(&name), Path::new("cache").join(&name));
        let files = [index.join("config.json"), index.join(LENT_INDEX), cache.join(LENT_ARCHIVE)];
        for file in files.iter().filter(|file| from.join(file).exists()) {
            let to = registry.join(file);
            fs::create_dir_all(to.parent().context("a file stands in a folder")?)?;
            fs::copy(from.join(file), to)?;
        }
    }
    Ok(())
}

/// A package that this repository also depends on, so that it is available offline.
const LENT_INDEX: &str = ".cache/3/f/fnv";
const LENT_ARCHIVE: &str = "fnv-1.0.7.crate";
const ACT_LIMIT_S: u32 = 120;
