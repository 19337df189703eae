//! The workbench: a project in a folder of its own on the open machine, where a case is carried out as a naive loop
//! would let it happen. Nothing is walled off; every actor works on the same tree.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use crate::act::{self, Claim};
use crate::case::Case;
use crate::process::{self, Place, Ran};
use crate::project::{Layer, Project};

/// A project that is being worked on.
#[derive(Debug)]
pub struct Workbench {
    /// The project it was made from.
    pub project: Project,
    /// The work tree.
    pub tree: PathBuf,
    home: PathBuf,
    _folder: TempDir,
}

/// What the actors of a case left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What the last of them claimed.
    pub claim: Claim,
    /// The first of them that did not end well, and how.
    pub broke_off: Option<String>,
}

impl Workbench {
    /// The project with the tests of a case in it, committed, before anybody begins.
    pub fn set_up(case: &Case) -> Result<Self> {
        let bench = Self::bare(&case.told.project)?;
        bench.project.lay(Layer::Base, &bench.tree)?;
        let parts = &case.told.parts;
        let (person, tests) = (parts.person.clone(), parts.tests.clone());
        for (act, honest) in [(person, &[][..]), (tests, &[Layer::Skeleton, Layer::Acceptance][..])]
        {
            let deeds = act.unwrap_or_default().deeds(&bench.project, honest)?;
            let ran = bench.shell(&act::shell(&deeds, 0)?)?;
            ensure!(ran.is_well(), "{}: {}: {}", case.id, ran.ended(), ran.said);
        }
        let began = bench
            .shell("git init -q . && git add -A . && git commit -qm begin && git tag begin")?;
        ensure!(began.is_well(), "{}", began.said);
        Ok(bench)
    }

    /// The project before anybody was asked for anything, committed, with what a person did to it before.
    pub fn before(case: &Case) -> Result<Self> {
        let bench = Self::bare(&case.told.project)?;
        bench.project.lay(Layer::Base, &bench.tree)?;
        if let Some(person) = &case.told.parts.person {
            let ran = bench.shell(&act::shell(&person.deeds(&bench.project, &[])?, 0)?)?;
            ensure!(ran.is_well(), "{}: {}: {}", case.id, ran.ended(), ran.said);
        }
        let began = bench
            .shell("git init -q . && git add -A . && git commit -qm begin && git tag begin")?;
        ensure!(began.is_well(), "{}", began.said);
        Ok(bench)
    }

    /// A project's folder with nothing in it.
    pub fn bare(project: &str) -> Result<Self> {
        let project = Project::open(project)?;
        let folder = tempfile::Builder::new().prefix("frauds-").tempdir()?;
        let (tree, home) = (folder.path().join("work"), folder.path().join("home"));
        fs::create_dir(&tree)?;
        lend_packages(&home.join(".cargo/registry"))?;
        Ok(Self { project, tree, home, _folder: folder })
    }

    /// Lets everybody act who comes after the tests.
    pub fn play(&self, case: &Case) -> Result<Told> {
        let mut told = Told { claim: Claim::Done, broke_off: None };
        for (part, act, honest) in case.told.parts.at_work() {
            let deeds = act.deeds(&self.project, honest)?;
            let ran = self.shell(&act::shell(&deeds, act.exit)?)?;
            if !ran.is_well() && told.broke_off.is_none() {
                told.broke_off = Some(format!("{part}: {}: {}", ran.ended(), ran.said.trim()));
            }
            if act.claims == Claim::Failed {
                told.claim = Claim::Failed;
            }
        }
        Ok(told)
    }

    /// Which files differ from what was there when everybody began, or why git cannot tell.
    pub fn changed(&self) -> Result<Result<Vec<String>, String>> {
        let asked = "git add --all --intent-to-add . && git diff --name-only --no-renames begin";
        let ran = self.shell(asked)?;
        Ok(match ran.is_well() {
            true => Ok(ran.said.lines().map(str::to_owned).collect()),
            false => Err(ran.said),
        })
    }

    /// Runs all tests, as everybody runs them.
    pub fn test(&self, limit_s: u32) -> Result<Ran> {
        let argv = self.project.about.language.test_command();
        process::run(Place { folder: &self.tree, home: &self.home, limit_s }, argv)
    }

    /// Runs a script in the work tree.
    pub fn shell(&self, script: &str) -> Result<Ran> {
        let place = Place { folder: &self.tree, home: &self.home, limit_s: ACT_LIMIT_S };
        process::shell(place, script)
    }
}

/// Copies what some case needs of the caller's packages. They are copied, so that no case can change the caller's.
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

/// A package that this repository is built with too, so that its archive is at hand without a network.
const LENT_INDEX: &str = ".cache/3/f/fnv";
const LENT_ARCHIVE: &str = "fnv-1.0.7.crate";
const ACT_LIMIT_S: u32 = 120;
