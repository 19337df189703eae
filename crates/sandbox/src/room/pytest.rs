//! Python rooms: pytest runs the frozen tests over the packages that were taken, with nothing to configure it but
//! the harness's own file.
//!
//! The interpreter starts without its site: no folder of packages but the one that was given, nothing that is run
//! at start. The work tree is searched last for modules, so nothing in it can stand in for another.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use sealwright_kernel::Digest;

use crate::plan::Access;
use crate::room::cargo::own_folder;
use crate::room::material::{Material, make_folder, put};
use crate::room::sources::{import_roots, name_of};
use crate::room::tree::Tree;
use crate::room::{Only, Report, RoomError, Run, Site, Sources, Visit, identity, mount, reading};
use crate::system::{WORK, add_tool};
use crate::{Ended, RunOutcome};

/// What a Python room needs and no role ever wrote: an interpreter, and a folder of packages with pytest in it.
#[derive(Clone, Debug)]
pub struct Pytest {
    interpreter: PathBuf,
    identity: Digest,
    site: PathBuf,
    packages: Digest,
    modules: BTreeSet<String>,
}

impl Pytest {
    /// The interpreter whose `sys.base_prefix` this is, and packages that a trusted step put into `site`.
    pub fn provide(interpreter: &Path, site: &Path) -> Result<Self, RoomError> {
        let (site, packages, mut modules) = reading(site, |site| {
            let site = site.canonicalize()?;
            let packages = identity::packages(&site)?;
            let modules = modules(&site)?;
            Ok((site, packages, modules))
        })?;
        let (interpreter, identity) = reading(interpreter, |interpreter| {
            let interpreter = interpreter.canonicalize()?;
            let is_library =
                |name: &str| name.starts_with("python3") || name.starts_with("libpython3");
            let identity = identity::toolchain(&interpreter, &["python3"], is_library)?;
            modules.extend(library(&interpreter)?);
            Ok((interpreter, identity))
        })?;
        Ok(Self { interpreter, identity, site, packages, modules })
    }

    pub(crate) fn packages(&self) -> Digest {
        self.packages
    }

    pub(crate) fn toolchain(&self) -> Digest {
        self.identity
    }

    /// Has these sources keep away from the names of known modules.
    pub(crate) fn protect(&self, sources: &mut Sources) -> Result<(), RoomError> {
        for folder in sources.folders() {
            let name = name_of(folder);
            if name.is_empty() || self.modules.contains(name) {
                return Err(RoomError::Shadows { name: name.to_owned() });
            }
        }
        sources.protect(self.modules.clone());
        Ok(())
    }

    pub(crate) fn visit(
        &self,
        site: &Site<'_>,
        material: &Material,
        tests: &[&str],
        packages: &[String],
        only: Option<&Only>,
    ) -> Result<Visit, RoomError> {
        let mut visit = Visit::default();
        let (work, harness) = (site.place.join("work"), site.place.join("harness"));
        let reports = site.place.join("reports");
        own_folder(site.slot, &reports)?;
        material.put(&work, |_| true)?;
        make_folder(&harness)?;
        put(&harness, "pytest.ini", b"[pytest]\n")?;
        put(&harness, "room_paths.py", paths(packages).as_bytes())?;
        let configuration = if material.frozen.contains_key("pytest.ini") {
            "/work/pytest.ini"
        } else {
            "/harness/pytest.ini"
        };
        let mut argv = vec!["/opt/python/bin/python3"];
        argv.extend(INTERPRETER);
        argv.extend(["-m", "pytest", "-p", "room_paths", "-p", "no:cacheprovider"]);
        argv.extend(["-c", configuration, "--rootdir=/work", "--color=no"]);
        argv.extend(["--junitxml=/reports/pytest.xml", "-o", "junit_family=xunit2", "--"]);
        let wanted = wanted(tests, only);
        argv.extend(wanted.iter().map(String::as_str));
        let mut plan = site.plan(&argv)?;
        add_tool(&mut plan, &self.interpreter, "/opt/python")?;
        plan.mounts.push(mount(&self.site, "/site", Access::ReadOnly));
        plan.mounts.push(mount(&harness, "/harness", Access::ReadOnly));
        plan.mounts.push(mount(&work, WORK, Access::ReadOnly));
        plan.mounts.push(mount(&reports, "/reports", Access::ReadWrite));
        plan.folder = WORK.to_owned();
        for (name, value) in ENVIRONMENT {
            plan.environment.insert((*name).to_owned(), (*value).to_owned());
        }
        let outcome = site.run(&plan, &mut visit.plans)?;
        let tests = tests.iter().map(|test| (*test).to_owned()).collect();
        visit.runs.push(Run { name: "pytest".to_owned(), tests, outcome });
        visit.reports.extend(report(&reports)?);
        Ok(visit)
    }
}

/// What is run: files, or tests in them.
fn wanted(tests: &[&str], only: Option<&Only>) -> Vec<String> {
    let names = |test: &str| only.and_then(|only| only.get(test)).cloned().unwrap_or_default();
    let of = |test: &&str| match names(test) {
        names if names.is_empty() => vec![(*test).to_owned()],
        names => names.iter().map(|name| format!("{test}::{name}")).collect(),
    };
    tests.iter().flat_map(of).collect()
}

/// The report, if there is one that is a plain file.
fn report(folder: &Path) -> Result<Option<Report>, RoomError> {
    let Ok(file) = Tree::open(folder)?.file(REPORT) else { return Ok(None) };
    let read = || {
        let total = file.metadata()?.len();
        let mut kept = Vec::new();
        file.take(REPORT_BYTES_MAX).read_to_end(&mut kept)?;
        Ok(Report { run: "pytest".to_owned(), name: REPORT.to_owned(), kept, total })
    };
    read().map(Some).map_err(|source| RoomError::Read { path: REPORT.to_owned(), source })
}

/// A test that must fail.
pub(crate) fn canary(nonce: &str) -> String {
    format!("\n\ndef test_{nonce}():\n    assert False\n")
}

pub(crate) fn has_failed(outcome: &RunOutcome, test: &str, nonce: &str) -> bool {
    let said = String::from_utf8_lossy(&outcome.stdout.kept);
    let is_said = said.contains(&format!("FAILED {test}::test_{nonce}"));
    outcome.ended == Ended::Exited(PYTEST_FAILED) && is_said
}

/// A plugin that has packages found, after everything else.
fn paths(packages: &[String]) -> String {
    let roots = import_roots(packages).into_iter().map(|root| match root.as_str() {
        "" => WORK.to_owned(),
        root => format!("{WORK}/{root}"),
    });
    let roots: Vec<_> = roots.collect();
    let roots = serde_json::to_string(&roots).expect("a list of text");
    format!("import sys\n\nsys.path.extend({roots})\n")
}

/// The names of the interpreter's own modules.
fn library(interpreter: &Path) -> io::Result<BTreeSet<String>> {
    let mut library = BTreeSet::new();
    for version in fs::read_dir(interpreter.join("lib"))?.flatten() {
        if version.file_name().to_string_lossy().starts_with("python3") {
            library.extend(modules(&version.path())?);
            let compiled = version.path().join("lib-dynload");
            if compiled.is_dir() {
                library.extend(modules(&compiled)?);
            }
        }
    }
    // Every second repository has folders of these names; nobody imports the interpreter's.
    library.remove("test");
    library.remove("tests");
    Ok(library)
}

/// The names of modules and packages in a folder.
fn modules(folder: &Path) -> io::Result<BTreeSet<String>> {
    let mut modules = BTreeSet::new();
    for entry in fs::read_dir(folder)?.flatten().take(ENTRIES_MAX) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_module = name.ends_with(".py") || name.ends_with(".so") || entry.path().is_dir();
        let stem = name.split('.').next().unwrap_or_default();
        let is_name = stem.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_module && is_name && !stem.is_empty() && stem != "__pycache__" {
            modules.insert(stem.to_owned());
        }
    }
    Ok(modules)
}

/// Neither the current folder nor the user's packages nor the interpreter's own, and no compiled leftovers.
const INTERPRETER: &[&str] = &["-P", "-s", "-S", "-B"];

const ENVIRONMENT: &[(&str, &str)] =
    &[("PYTHONHASHSEED", "0"), ("PYTHONPATH", "/harness:/site"), ("PYTHONUTF8", "1")];

/// What its report is called, in `/reports`.
const REPORT: &str = "pytest.xml";
const REPORT_BYTES_MAX: u64 = 32 << 20;
/// What pytest exits with when a test failed.
const PYTEST_FAILED: i32 = 1;
const ENTRIES_MAX: usize = 10_000;
