//! Python rooms: pytest runs the frozen tests over the packages that were taken. The project's own configuration of
//! pytest counts as far as it is frozen.
//!
//! The interpreter starts without its site: no folder of packages but the one that was given, nothing that is run
//! at start. The work tree is searched last for modules, so nothing in it can stand in for another.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sealwright_kernel::{Digest, Hasher};

use crate::plan::{Access, Mount, Plan};
use crate::readable::make_folder;
use crate::room::cache::Cache;
use crate::room::error::RoomError;
use crate::room::identity;
use crate::room::language::{Language, LanguageTools, Project, RoomLanguage, Runner};
use crate::room::material::{Files, Material, own_folder, put};
use crate::room::outcome::Report;
use crate::room::sources::{Sources, name_of};
use crate::room::tree::Tree;
use crate::room::visit::{Conditions, Only, Run, Selection, Site, Visit, reading};
use crate::system::{WORK, add_python};
use crate::{Ended, RunOutcome, SandboxSlots, tools};

pub(super) const LANGUAGE: RoomLanguage = RoomLanguage { name: "Python", find };

/// What a Python room needs and no role ever wrote: an interpreter, and a folder of packages with pytest in it.
#[derive(Clone, Debug)]
pub struct Pytest {
    interpreter: PathBuf,
    identity: Digest,
    site: PathBuf,
    packages: Digest,
    modules: BTreeSet<String>,
    /// Those of them that belong to the interpreter.
    library: BTreeSet<String>,
    cosmic_ray: Option<PathBuf>,
}

#[derive(Debug)]
struct Found {
    /// The interpreter (its `sys.base_prefix`), and the folder of packages that holds pytest.
    python: Option<(PathBuf, PathBuf)>,
    /// A folder of packages that holds Cosmic Ray.
    cosmic_ray: Option<PathBuf>,
    /// Where modules of the project are imported from.
    roots: BTreeSet<String>,
}

fn find(project: &Project<'_>) -> Arc<dyn LanguageTools> {
    let python = programs(project)
        .find_map(|program| Some((base_prefix(&program)?, site_of(&program, "pytest")?)));
    let cosmic_ray = programs(project).find_map(|program| site_of(&program, "cosmic_ray"));
    let mut roots = import_roots(&(project.sources)(LANGUAGE.name));
    roots.insert("src".to_owned());
    Arc::new(Found { python, cosmic_ray, roots })
}

/// The interpreters that are asked: first those of the environment beside the project. To ask one is to run it outside
/// of the sandbox, so an environment that is part of the history is left alone: a role may have written it.
fn programs(project: &Project<'_>) -> impl Iterator<Item = PathBuf> {
    let folders = project_folders(project.folder).into_iter();
    let beside = folders.flat_map(|folder| ENVIRONMENTS.map(|name| folder.join(name)));
    let is_own = |environment: &PathBuf| {
        let path = environment.strip_prefix(project.folder).ok().and_then(Path::to_str);
        path.is_some_and(|path| !(project.has_committed)(&[path]))
    };
    let beside: Vec<PathBuf> = beside
        .filter(|environment| environment.join("bin/python3").is_file() && is_own(environment))
        .map(|environment| environment.join("bin/python3"))
        .collect();
    let named = std::env::var_os("VIRTUAL_ENV").map(|env| PathBuf::from(env).join("bin/python3"));
    let asked = named.into_iter().chain(beside).filter(|program| program.is_file());
    asked.chain([PathBuf::from("python3")])
}

/// The repository, then folders of it that hold a Python project of their own.
fn project_folders(top: &Path) -> Vec<PathBuf> {
    let mut folders = vec![top.to_owned()];
    let mut names: Vec<PathBuf> = match fs::read_dir(top) {
        Ok(entries) => entries.take(ENTRIES_MAX).flatten().map(|entry| entry.path()).collect(),
        Err(_) => Vec::new(),
    };
    names.sort();
    let is_project = |folder: &PathBuf| {
        MANIFESTS.iter().any(|name| folder.join(name).is_file()) && !folder.is_symlink()
    };
    folders.extend(names.into_iter().filter(is_project).take(FOLDERS_MAX));
    folders
}

fn base_prefix(program: &Path) -> Option<PathBuf> {
    let ask = ["-I", "-c", "import sys; print(sys.base_prefix)"];
    tools::answer(program.to_str()?, &ask).map(PathBuf::from)
}

/// The folder of packages in which `program` finds a package, if it does.
fn site_of(program: &Path, package: &str) -> Option<PathBuf> {
    let ask = format!(
        "import os, {package}; print(os.path.dirname(os.path.dirname({package}.__file__)))"
    );
    let site = tools::answer(program.to_str()?, &["-I", "-c", &ask]).map(PathBuf::from)?;
    // A mount follows no links.
    Some(site.canonicalize().unwrap_or(site))
}

impl LanguageTools for Found {
    fn can_make_rooms(&self) -> bool {
        self.python.is_some()
    }

    fn can_list_mutants(&self) -> bool {
        self.python.is_some() && self.cosmic_ray.is_some()
    }

    /// A Python room is made from nothing of the project.
    fn inputs(&self, _frozen: &Path) -> Result<Digest, RoomError> {
        Ok(Hasher::default().finish())
    }

    fn provide(
        &self,
        _frozen: &Path,
        _cache: &Cache,
        _slots: &SandboxSlots,
        _conditions: &Conditions<'_>,
    ) -> Result<Option<Language>, RoomError> {
        let Some((interpreter, site)) = &self.python else { return Ok(None) };
        let pytest = Pytest::provide(interpreter, site)?;
        Ok(Some(pytest.with_cosmic_ray(self.cosmic_ray.clone()).into()))
    }

    fn interpreter(&self) -> Option<(&Path, &Path)> {
        self.python.as_ref().map(|(interpreter, site)| (interpreter.as_path(), site.as_path()))
    }

    fn packages(&self) -> Option<(Mount, (String, String))> {
        let (_, site) = self.python.as_ref()?;
        // A package that is worked on is installed.
        let roots = self.roots.iter().take(ROOTS_MAX).map(|root| in_work(root));
        let places: Vec<String> = [SITE.to_owned()].into_iter().chain(roots).collect();
        let variable = ("PYTHONPATH".to_owned(), places.join(":"));
        Some((Mount::required(site, SITE, Access::ReadOnly), variable))
    }
}

impl From<Pytest> for Language {
    fn from(pytest: Pytest) -> Self {
        Self(Arc::new(pytest))
    }
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
        let mut library = BTreeSet::new();
        let (interpreter, identity) = reading(interpreter, |interpreter| {
            let interpreter = interpreter.canonicalize()?;
            let is_library =
                |name: &str| name.starts_with("python3") || name.starts_with("libpython3");
            let identity = identity::toolchain(&interpreter, &["python3"], is_library)?;
            library = self::library(&interpreter)?;
            modules.extend(library.clone());
            Ok((interpreter, identity))
        })?;
        Ok(Self { interpreter, identity, site, packages, modules, library, cosmic_ray: None })
    }

    /// Whether the interpreter or pytest itself imports a module of this name.
    fn is_of_runner(&self, name: &str) -> bool {
        self.library.contains(name) || RUNNER.contains(&name)
    }

    /// The same, with a folder of packages that holds Cosmic Ray, to list mutants with.
    #[must_use]
    pub fn with_cosmic_ray(self, cosmic_ray: Option<PathBuf>) -> Self {
        Self { cosmic_ray, ..self }
    }
}

impl Runner for Pytest {
    fn sources(&self, folders: &[&str]) -> Sources {
        Sources::new(folders, "py", forbidden)
    }

    fn packages(&self) -> Digest {
        self.packages
    }

    fn toolchain(&self) -> Digest {
        self.identity
    }

    /// No source may be imported instead of a module of the interpreter or of its packages, but for a package that is
    /// installed and is the project itself.
    fn protect(&self, mut sources: Sources) -> Result<Sources, RoomError> {
        let mut protected = self.modules.clone();
        for folder in sources.folders() {
            let name = name_of(folder);
            let is_own = sources.own().contains(name) && !self.is_of_runner(name);
            if name.is_empty() || (self.modules.contains(name) && !is_own) {
                return Err(RoomError::Shadows { name: name.to_owned() });
            }
            protected.remove(name);
        }
        sources.protect(protected);
        Ok(sources)
    }

    fn canary_name(&self, nonce: &str) -> String {
        format!("test_{nonce}")
    }

    fn canary(&self, nonce: &str) -> String {
        format!("\n\ndef test_{nonce}():\n    assert False\n")
    }

    fn has_failed(&self, outcome: &RunOutcome, test: &str, nonce: &str) -> bool {
        let said = String::from_utf8_lossy(&outcome.stdout.kept);
        let is_said = said.contains(&format!("FAILED {test}::test_{nonce}"));
        outcome.ended == Ended::Exited(PYTEST_FAILED) && is_said
    }

    /// A file that could not be loaded before the change is not loaded now.
    fn is_without_canary(
        &self,
        _material: &Material,
        test: &str,
        known_failing: &[(String, String)],
    ) -> bool {
        known_failing.iter().any(|it| is_file(it, test))
    }

    fn all_skipped(&self, visit: &Visit) -> Vec<String> {
        said(visit, ALL_SKIPPED)
    }

    fn left_out(&self, visit: &Visit) -> Vec<String> {
        said(visit, LEFT_OUT)
    }

    fn not_run(&self, material: &Material) -> Vec<String> {
        let mut found = Vec::new();
        for (path, content) in &material.frozen {
            let says = |word: &str| content.windows(word.len()).any(|it| it == word.as_bytes());
            let is_configuration = CONFIGURATIONS.iter().any(|(name, _)| *name == name_of(path));
            if is_configuration && (says("--doctest-modules") || says("--doctest-glob")) {
                found.push(format!("doc tests, which {path} asks for"));
            }
            if is_configuration && says("addopts") && SELECTING.iter().any(|option| says(option)) {
                found.push(format!("tests that {path} leaves out by its options"));
            }
            if name_of(path) == "conftest.py" && says("def pytest_collect_file") {
                found.push(format!("what {path} collects by itself"));
            }
        }
        found
    }

    fn visit(
        &self,
        site: &Site<'_>,
        material: &Material,
        tests: &[&str],
        folders: &[String],
        selected: Selection<'_>,
    ) -> Result<Visit, RoomError> {
        let mut visit = Visit::default();
        let work = site.place.join("work");
        material.put(&work, |_| true)?;
        let Selection { only, known_failing, runs_known_failing } = selected;
        let known = if known_failing.is_empty() { None } else { Some(known_failing) };
        let is_loaded = |test: &&&str| !self.is_without_canary(material, test, known_failing);
        for (configured, tests) in by_configuration(&material.frozen, tests) {
            let run = PytestRun { site, work: &work, material, folders, only, configured };
            let loaded: Vec<&str> = tests.iter().filter(is_loaded).copied().collect();
            if !loaded.is_empty() {
                self.run(&run, &loaded, known.map(|known| ("leave out", known)), &mut visit)?;
            }
            if let Some(known) = known.filter(|_| runs_known_failing) {
                self.run(&run, &tests, Some(("run only", known)), &mut visit)?;
            }
        }
        Ok(visit)
    }

    fn add_lister(&self, plan: &mut Plan, work: &Path, _place: &Path) -> Result<(), RoomError> {
        let packages = self.cosmic_ray.as_ref().ok_or(RoomError::NoLister)?.canonicalize()?;
        add_python(plan, &self.interpreter)?;
        plan.mounts.push(Mount::required(&packages, SITE, Access::ReadOnly));
        plan.mounts.push(Mount::required(work, WORK, Access::ReadOnly));
        plan.folder = WORK.to_owned();
        for (name, value) in LISTER_ENVIRONMENT {
            plan.environment.insert((*name).to_owned(), (*value).to_owned());
        }
        Ok(())
    }
}

/// The rest of the lines that begin so, of everything but the tests that failed before.
fn said(visit: &Visit, begin: &str) -> Vec<String> {
    let runs = visit.runs.iter().filter(|run| !run.is_known_failing);
    let said = runs.map(|run| String::from_utf8_lossy(&run.outcome.stdout.kept).into_owned());
    let told = |said: String| -> Vec<String> {
        said.lines().filter_map(|line| line.strip_prefix(begin)).map(str::to_owned).collect()
    };
    said.flat_map(told).collect()
}

/// What the runs of one visit share.
struct PytestRun<'r> {
    site: &'r Site<'r>,
    work: &'r Path,
    material: &'r Material,
    folders: &'r [String],
    only: Option<&'r Only>,
    /// The file that configures them.
    configured: Option<&'r str>,
}

impl Pytest {
    /// Runs pytest on these files. `known` says what happens with tests that failed before the change.
    fn run(
        &self,
        run: &PytestRun<'_>,
        tests: &[&str],
        known: Option<(&str, &[(String, String)])>,
        visit: &mut Visit,
    ) -> Result<(), RoomError> {
        let PytestRun { site, work, material, folders, only, configured } = *run;
        let is_known_failing = matches!(known, Some(("run only", _)));
        let what = if is_known_failing { "pytest, tests that failed before" } else { "pytest" };
        let name = match configured.map_or("", folder_of) {
            "" => what.to_owned(),
            folder => format!("{what}, in {folder}"),
        };
        let place = site.place.join(format!("run-{}", visit.runs.len()));
        make_folder(&place)?;
        let (harness, reports) = (place.join("harness"), place.join("reports"));
        own_folder(site.slot, &reports)?;
        make_folder(&harness)?;
        put(&harness, "pytest.ini", b"[pytest]\n")?;
        let is_installed = |folder: &&String| self.modules.contains(name_of(folder));
        let own: Vec<&str> = folders.iter().filter(is_installed).map(|it| name_of(it)).collect();
        put(&harness, "room_paths.py", paths(folders, &own).as_bytes())?;
        // Interpreters that tests start find the same packages, and none of the interpreter's own.
        put(&harness, "sitecustomize.py", SITE_CUSTOMIZE.as_bytes())?;
        let configuration = match configured {
            Some(path) => format!("{WORK}/{path}"),
            None => "/harness/pytest.ini".to_owned(),
        };
        let text = configured.and_then(|path| material.frozen.get(path));
        let text = text.map_or("".into(), |content| String::from_utf8_lossy(content));
        let mut argv = vec!["/opt/python/bin/python3"];
        argv.extend(INTERPRETER);
        // What is remembered between runs, and a log of its own, have no place in a work tree that cannot be changed.
        argv.extend(["-m", "pytest", "-p", "room_paths", "-o", "cache_dir=/tmp/pytest-cache"]);
        argv.extend(["-o", "log_file="]);
        if let Some((what, tests)) = known {
            let list = serde_json::json!({ "what": what, "tests": tests });
            put(&harness, "room_known.json", list.to_string().as_bytes())?;
            put(&harness, "room_known.py", KNOWN.as_bytes())?;
            argv.extend(["-p", "room_known"]);
        }
        // What failed is listed at the end, whatever the project's own options list there.
        argv.extend(["-c", &configuration, "--rootdir=/work", "--color=no", "-rfE"]);
        // One test that fails, or one file that cannot be loaded, must not hide the others.
        argv.extend(["--maxfail=0", "--continue-on-collection-errors"]);
        // A share of covered lines is no result of a test.
        if text.contains("--cov") {
            argv.push("--no-cov");
        }
        argv.extend(["--junitxml=/reports/pytest.xml", "-o", "junit_family=xunit2", "--"]);
        let wanted = wanted(tests, only);
        argv.extend(wanted.iter().map(String::as_str));
        let mut plan = site.plan(&argv)?;
        add_python(&mut plan, &self.interpreter)?;
        plan.mounts.push(Mount::required(&self.site, SITE, Access::ReadOnly));
        plan.mounts.push(Mount::required(&harness, "/harness", Access::ReadOnly));
        plan.mounts.push(Mount::required(work, WORK, Access::ReadOnly));
        plan.mounts.push(Mount::required(&reports, "/reports", Access::ReadWrite));
        plan.folder = WORK.to_owned();
        for (name, value) in ENVIRONMENT {
            plan.environment.insert((*name).to_owned(), (*value).to_owned());
        }
        let outcome = site.run(&plan, &mut visit.plans)?;
        let tests = tests.iter().map(|test| (*test).to_owned()).collect();
        visit.reports.extend(report(&reports, &name)?);
        visit.runs.push(Run { name, tests, outcome, is_known_failing });
        Ok(())
    }
}

/// Whether a test that failed before is a whole file that could not be loaded: this one.
fn is_file((suite, name): &(String, String), test: &str) -> bool {
    let module = test.strip_suffix(".py").unwrap_or(test).replace('/', ".");
    suite == "pytest" && *name == module
}

/// The tests, by the file that configures pytest for them: the one at the top, or else the nearest above each. It is frozen
/// like the tests.
fn by_configuration<'f, 't>(
    frozen: &'f Files,
    tests: &[&'t str],
) -> BTreeMap<Option<&'f str>, Vec<&'t str>> {
    let mut found: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    let top = configuration_in(frozen, "");
    for test in tests {
        let above = std::iter::successors(Some(folder_of(test)), |it| Some(folder_of(it)));
        let mut above = above.take_while(|it| !it.is_empty());
        let configured = top.or_else(|| above.find_map(|folder| configuration_in(frozen, folder)));
        found.entry(configured).or_default().push(test);
    }
    found
}

/// The file of this folder that configures pytest.
fn configuration_in<'f>(frozen: &'f Files, folder: &str) -> Option<&'f str> {
    CONFIGURATIONS.iter().find_map(|(name, marks)| {
        let path = if folder.is_empty() { (*name).to_owned() } else { format!("{folder}/{name}") };
        let (path, content) = frozen.get_key_value(path.as_str())?;
        let text = String::from_utf8_lossy(content);
        let is_marked = |line: &str| marks.contains(&line.trim_end());
        (marks.is_empty() || text.lines().any(is_marked)).then_some(path.as_str())
    })
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn forbidden(sources: &Sources, path: &str) -> Option<&'static str> {
    match name_of(path) {
        "conftest.py" => Some("a plugin of pytest"),
        "pytest.ini" | ".pytest.ini" | "pytest.toml" | ".pytest.toml" | "pyproject.toml"
        | "setup.cfg" | "tox.ini" => Some("configuration of pytest"),
        "sitecustomize.py" | "usercustomize.py" => Some("run by every interpreter"),
        name if name.ends_with(".pth") => Some("run by every interpreter"),
        _ if stands_in(sources, path) => {
            Some("stands in for a module of the interpreter or of its packages")
        }
        _ => None,
    }
}

/// Whether a file would be imported instead of a module of the interpreter or of its packages.
fn stands_in(sources: &Sources, path: &str) -> bool {
    import_roots(sources.folders()).iter().any(|root| {
        let below = match root.as_str() {
            "" => Some(path),
            root => path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')),
        };
        let module = below.and_then(|below| match below.split_once('/') {
            None => below
                .strip_suffix(".py")
                .or_else(|| below.strip_suffix(".so").and_then(|stem| stem.split('.').next())),
            Some((package, "__init__.py")) => Some(package),
            Some(_) => None,
        });
        module.is_some_and(|module| sources.protected().contains(module))
    })
}

/// Where packages are imported from: the folders that hold them, and the work tree itself.
fn import_roots(packages: &[String]) -> BTreeSet<String> {
    let parents = packages
        .iter()
        .map(|package| package.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned());
    parents.chain([String::new()]).collect()
}

fn in_work(root: &str) -> String {
    match root {
        "" => WORK.to_owned(),
        root => format!("{WORK}/{root}"),
    }
}

/// The arguments of pytest: files, or tests in them.
fn wanted(tests: &[&str], only: Option<&Only>) -> Vec<String> {
    let names = |test: &str| only.and_then(|only| only.get(test)).cloned().unwrap_or_default();
    let of = |test: &&str| match names(test) {
        names if names.is_empty() => vec![(*test).to_owned()],
        names => names.iter().map(|name| format!("{test}::{name}")).collect(),
    };
    tests.iter().flat_map(of).collect()
}

/// The report, if there is one that is a plain file.
fn report(folder: &Path, run: &str) -> Result<Option<Report>, RoomError> {
    let Ok(file) = Tree::open(folder)?.file(REPORT) else { return Ok(None) };
    let read = || {
        let total = file.metadata()?.len();
        let mut kept = Vec::new();
        file.take(REPORT_BYTES_MAX).read_to_end(&mut kept)?;
        Ok(Report { run: run.to_owned(), name: REPORT.to_owned(), kept, total })
    };
    read().map(Some).map_err(|source| RoomError::Read { path: REPORT.to_owned(), source })
}

/// A plugin that has packages found, after everything else.
fn paths(packages: &[String], own: &[&str]) -> String {
    let roots: Vec<_> = import_roots(packages).iter().map(|root| in_work(root)).collect();
    let roots = serde_json::to_string(&roots).expect("a list of text");
    let mut text = format!("import sys\n\nsys.path.extend({roots})\n");
    text.push_str(&IGNORED.replace("LEFT_OUT", LEFT_OUT));
    text.push_str(&SKIPPED.replace("ALL_SKIPPED", ALL_SKIPPED));
    if !own.is_empty() {
        let own = serde_json::to_string(own).expect("a list of text");
        text.push_str(&OWN_FIRST.replace("ROOTS", &roots).replace("OWN", &own));
    }
    text
}

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
    // Many repositories have folders of these names, and no product imports the interpreter's.
    library.remove("test");
    library.remove("tests");
    Ok(library)
}

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

const LISTER_ENVIRONMENT: &[(&str, &str)] =
    &[("PYTHONHASHSEED", "0"), ("PYTHONPATH", SITE), ("PYTHONUTF8", "1")];

/// Finds the project's own packages in the work tree, though packages of the same name are installed.
const OWN_FIRST: &str = "
from importlib.machinery import PathFinder


class Own:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is None and name in OWN:
            return PathFinder.find_spec(name, ROOTS, target)


sys.meta_path.insert(0, Own)
";

/// Files that the project's own configuration leaves out are left out though they are named, as if a whole folder were.
const IGNORED: &str = "
from fnmatch import fnmatch
from glob import glob
from pathlib import Path


def pytest_configure(config):
    # Tests that fail are listed, whatever the project's own options say.
    config.option.no_summary = False


def room_base(config):
    ini = config.inipath
    return ini.parent if ini and config.rootpath in ini.parents else config.rootpath


def room_ignored(config, path):
    ask = getattr(config, '_getconftest_pathlist', None)
    ignored = [str(one) for one in ask and ask('collect_ignore', path=path.parent) or ()]
    globs = [str(one) for one in ask and ask('collect_ignore_glob', path=path.parent) or ()]
    ignored += [str(room_base(config) / one) for one in config.getoption('ignore') or ()]
    globs += [str(room_base(config) / one) for one in config.getoption('ignore_glob') or ()]
    above = [str(path), *map(str, path.parents)]
    return any(one in ignored or any(fnmatch(one, meant) for meant in globs) for one in above)


def room_searched(config):
    names = [str(room_base(config) / name) for name in config.getini('testpaths')]
    return [Path(one) for name in names for one in glob(name, recursive=True)]


def pytest_collection(session):
    config, left = session.config, []
    paths = {arg: config.rootpath / arg.split('::')[0] for arg in config.args}
    searched = room_searched(config)
    found = [arg for arg, path in paths.items() if any(one == path or one in path.parents for one in searched)]
    for arg, path in paths.items():
        if found and arg not in found or room_ignored(config, path):
            print('LEFT_OUT' + str(path.relative_to(config.rootpath)))
        else:
            left.append(arg)
    config.args[:] = left
";

/// Says which files had nothing but tests that were skipped before they began, by a mark or while the file was loaded.
const SKIPPED: &str = "
room_skipped = {}


def pytest_collectreport(report):
    if report.skipped:
        room_skipped[report.nodeid] = True


def pytest_runtest_logreport(report):
    if report.when == 'setup':
        file = report.nodeid.split('::')[0]
        room_skipped[file] = room_skipped.get(file, True) and report.skipped


def pytest_terminal_summary(terminalreporter):
    for file, is_skipped in room_skipped.items():
        if is_skipped:
            terminalreporter.write_line('ALL_SKIPPED' + file)
";

/// Begins a line about a file that was skipped as a whole.
const ALL_SKIPPED: &str = "every test is skipped: ";

/// Begins a line about a file that was ignored.
const LEFT_OUT: &str = "left out by the project: ";

/// What pytest itself imports.
const RUNNER: [&str; 9] = [
    "_pytest",
    "exceptiongroup",
    "iniconfig",
    "packaging",
    "pluggy",
    "py",
    "pygments",
    "pytest",
    "tomli",
];

/// A plugin that leaves out the tests that failed before the change, or runs no others. Tests have the names of the report.
const KNOWN: &str = r#"import json, re

with open("/harness/room_known.json", encoding="utf-8") as file:
    known = json.load(file)
named = {(suite, name) for suite, name in known["tests"]}


def is_known(item):
    path, bracket, rest = item.nodeid.partition("[")
    parts = path.split("::")
    parts[0] = re.sub(r"\.py$", "", parts[0].replace("/", "."))
    return (".".join(parts[:-1]), parts[-1] + bracket + rest) in named


def pytest_collection_modifyitems(config, items):
    wanted = known["what"] == "run only"
    left = [item for item in items if is_known(item) != wanted]
    items[:] = [item for item in items if is_known(item) == wanted]
    if left:
        config.hook.pytest_deselected(items=left)
"#;

/// The files that may configure pytest, in its order, each with the lines that make it one; without a line it always is.
const CONFIGURATIONS: [(&str, &[&str]); 7] = [
    ("pytest.toml", &[]),
    (".pytest.toml", &[]),
    ("pytest.ini", &[]),
    (".pytest.ini", &[]),
    ("pyproject.toml", &["[tool.pytest.ini_options]", "[tool.pytest]"]),
    ("tox.ini", &["[pytest]"]),
    ("setup.cfg", &["[tool:pytest]"]),
];

/// How options that select tests are written in a configuration.
const SELECTING: [&str; 7] = [" -m ", "\"-m ", "'-m ", "\"-m\"", "'-m'", "--deselect", " -k "];
const MANIFESTS: [&str; 3] = ["pyproject.toml", "setup.py", "requirements.txt"];
/// The most projects of one repository whose environments are looked at.
const FOLDERS_MAX: usize = 8;
/// Names of the environment that a project keeps beside itself.
const ENVIRONMENTS: [&str; 2] = [".venv", "venv"];
const SITE: &str = "/site";
const SITE_CUSTOMIZE: &str = "import sys\n\n\
    sys.path[:] = [it for it in sys.path if not it.endswith(('site-packages', 'dist-packages'))]\n\
    import room_paths\n";
/// The name of the report, in `/reports`.
const REPORT: &str = "pytest.xml";
const REPORT_BYTES_MAX: u64 = 32 << 20;
/// The exit code of pytest when a test failed.
const PYTEST_FAILED: i32 = 1;
/// The most places of a repository that commands import from.
const ROOTS_MAX: usize = 50;
const ENTRIES_MAX: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::room::sources::Judged;

    #[test]
    fn nothing_stands_in_for_a_known_module() {
        let mut python = Sources::new(&["calc", "src/other"], "py", forbidden);
        python.protect(["pytest", "random"].map(str::to_owned).into());
        for told in [
            "pytest.py",
            "random/__init__.py",
            "src/random.py",
            "random.cpython-311.so",
            "conftest.py",
            "calc/conftest.py",
            "pytest.ini",
            "setup.cfg",
            "sitecustomize.py",
            "a.pth",
            "pyproject.toml",
        ] {
            assert!(matches!(python.judge(told), Judged::Forbidden(_)), "{told}");
        }
        for taken in ["calc/random.py", "calc/__init__.py", "src/other/a/b.py"] {
            assert_eq!(python.judge(taken), Judged::Taken, "{taken}");
        }
        for left in ["other.py", "calc/__pycache__/a.py", "calc/a.pyc", "tests/test_a.py"] {
            assert_eq!(python.judge(left), Judged::LeftOut, "{left}");
        }
    }
}
