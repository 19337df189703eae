//! The toolchains of this machine, as rooms need them. No role ever wrote any of it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sealwright_gates::Toolchain;
use sealwright_sandbox::plan::{Access, Mount, Need};
use sealwright_sandbox::tools;

use sealwright_repo::git::objects::{self, Entry};

/// The toolchains of this machine.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    /// Rust: what `rustc --print sysroot` says.
    pub rust: Option<PathBuf>,
    /// Cargo's home, whose archives are used once they are checked.
    pub cargo_home: Option<PathBuf>,
    /// Python.
    pub python: Option<Python>,
    /// What lists mutants of Rust.
    pub cargo_mutants: Option<PathBuf>,
    /// A folder of packages with what lists mutants of Python.
    pub cosmic_ray: Option<PathBuf>,
}

/// A Python that can run pytest.
#[derive(Clone, Debug)]
pub struct Python {
    /// The interpreter: its `sys.base_prefix`.
    pub interpreter: PathBuf,
    /// The folder of packages that holds pytest.
    pub site: PathBuf,
}

impl Tools {
    /// What can be found: first in the environment the project keeps beside itself, then what is on `PATH`.
    pub fn find(repository: &Path) -> Self {
        let home = std::env::home_dir();
        let named = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        Self {
            rust: tools::rust(),
            cargo_home: named.or_else(|| home.map(|home| home.join(".cargo"))),
            python: python(repository),
            cargo_mutants: tools::on_path("cargo-mutants"),
            cosmic_ray: programs(repository)
                .find_map(|program| tools::python_package(&program, "cosmic_ray")),
        }
    }
}

impl Tools {
    /// What would be needed to list mutants of a project with these files and is not here.
    pub fn lack_for_strength(&self, files: &[Entry]) -> Option<&'static str> {
        let paths: BTreeSet<&str> = files.iter().map(|entry| entry.path.as_str()).collect();
        let is_found = |toolchain: Toolchain| toolchain.language().is_found(&paths);
        if is_found(Toolchain::Rust) && self.cargo_mutants.is_none() {
            return Some("`cargo install cargo-mutants` and begin again to have it looked at");
        }
        if is_found(Toolchain::Python) && self.cosmic_ray.is_none() {
            return Some(
                "`pip install cosmic-ray` beside pytest and begin again to have it looked at",
            );
        }
        None
    }
}

impl Python {
    /// Its packages, for roles that run tests: where they stand inside, and what says so.
    pub(super) fn packages(&self) -> (Mount, (String, String)) {
        let mount = Mount {
            source: self.site.clone(),
            at: SITE.to_owned(),
            access: Access::ReadOnly,
            need: Need::Required,
        };
        (mount, ("PYTHONPATH".to_owned(), SITE.to_owned()))
    }
}

fn python(repository: &Path) -> Option<Python> {
    programs(repository).find_map(|program| {
        let interpreter = tools::base_prefix(&program)?;
        let site = tools::python_package(&program, "pytest")?;
        Some(Python { interpreter, site })
    })
}

/// The interpreters that are asked: first what the project keeps beside itself. To ask one is to run it, outside of all
/// walls, so an environment that is part of the history is left alone: whoever wrote the history made it.
fn programs(repository: &Path) -> impl Iterator<Item = PathBuf> {
    let is_committed = objects::has_any(repository, &ENVIRONMENTS);
    let beside = ENVIRONMENTS.into_iter().filter(move |_| !is_committed);
    let beside = beside.map(|name| repository.join(name).join("bin/python3"));
    let named = std::env::var_os("VIRTUAL_ENV").map(|env| PathBuf::from(env).join("bin/python3"));
    let asked = named.into_iter().chain(beside).filter(|program| program.is_file());
    asked.chain([PathBuf::from("python3")])
}

/// What people call the environment that a project keeps beside itself.
const ENVIRONMENTS: [&str; 2] = [".venv", "venv"];
/// Where the packages of tests stand, inside.
const SITE: &str = "/site";
