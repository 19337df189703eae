//! Python, with pytest.

mod code;
mod detect;
mod manifest;
mod mutants;
mod named;
mod outline;
mod reach;
mod red;
mod surface;

use std::collections::BTreeSet;

use crate::TestId;
use crate::guard::Guard;
use crate::toolchain::ecosystem::{Ecosystem, Signs};
use crate::toolchain::language::{
    Facts, Language, Mutator, Needed, Outliner, Part, Places, Reach, SurfaceReader,
};
use crate::toolchain::missing::{Missing, TestRun, UnderTest};
use crate::toolchain::paths::{folder_of, name_of};

#[derive(Debug)]
pub(super) struct Python;

impl Language for Python {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn ecosystem(&self) -> &'static Ecosystem {
        &ECOSYSTEM
    }

    fn is_found(&self, paths: &BTreeSet<&str>) -> bool {
        paths.iter().any(|path| {
            matches!(name_of(path), "pyproject.toml" | "setup.py" | "setup.cfg" | "pytest.ini")
                || self.part(path) == Part::Source
        })
    }

    fn is_written(&self, path: &str) -> bool {
        path.ends_with(".py")
    }

    fn part(&self, path: &str) -> Part {
        let name = name_of(path);
        let is_of_tests =
            |folder: &str| matches!(folder, "tests" | "test") || folder.ends_with("_tests");
        let is_below_tests = folder_of(path).split('/').any(is_of_tests);
        match name {
            _ if self.is_test_file(path) || is_below_tests => Part::Test,
            "conftest.py" => Part::Test,
            "setup.py" | "noxfile.py" => Part::Other,
            // Of Sphinx: it is run when documents are built.
            "conf.py" if folder_of(path).split('/').any(|it| matches!(it, "docs" | "doc")) => {
                Part::Other
            }
            _ if name.ends_with(".py") => Part::Source,
            _ => Part::Other,
        }
    }

    fn is_test_file(&self, path: &str) -> bool {
        let name = name_of(path);
        name.ends_with(".py") && (name.starts_with("test_") || name.ends_with("_test.py"))
    }

    fn code(&self, text: &str) -> Vec<String> {
        code::of(text)
    }

    fn test_configurations(&self) -> &'static [&'static str] {
        &[
            "pytest.toml",
            ".pytest.toml",
            "pytest.ini",
            ".pytest.ini",
            "pyproject.toml",
            "tox.ini",
            "setup.cfg",
        ]
    }

    fn unknown_test(&self, configuration: &str, paths: &BTreeSet<&str>) -> Option<String> {
        let patterns = named::patterns(configuration);
        let is_unknown = |path: &&&str| {
            !self.is_test_file(path) && patterns.iter().any(|it| named::is_meant(it, path))
        };
        let path = paths.iter().find(is_unknown)?;
        Some(format!("{path} holds tests, and only test_*.py and *_test.py are known as such"))
    }

    fn sources(&self, paths: &BTreeSet<&str>) -> Places {
        let mut places = Places::default();
        for path in paths.iter().filter(|path| self.part(path) == Part::Source) {
            let folder = folder_of(path);
            let is_package =
                |folder: &str| paths.contains(format!("{folder}/__init__.py").as_str());
            if name_of(path) == "__init__.py" && !is_package(folder_of(folder)) {
                places.folders.push(folder.to_owned());
            } else if folder.is_empty() || folder == "src" {
                places.files.push((*path).to_owned());
            }
        }
        places
    }

    fn guard(&self, path: &str) -> Option<Guard> {
        let name = name_of(path).to_ascii_lowercase();
        let is_root = matches!(folder_of(path), "" | "src" | "tests" | "test");
        match name.as_str() {
            "conftest.py" | "sitecustomize.py" | "usercustomize.py" => Some(Guard::StartUpHook),
            _ if name.ends_with(".pth") => Some(Guard::StartUpHook),
            // An import of pytest would find this file instead.
            "pytest.py" | "_pytest.py" | "pluggy.py" | "unittest.py" if is_root => {
                Some(Guard::StartUpHook)
            }
            _ if SHADOWS.iter().any(|shadow| path.to_ascii_lowercase() == *shadow) => {
                Some(Guard::StartUpHook)
            }
            "pytest.ini" | ".pytest.ini" | "pytest.toml" | ".pytest.toml" | "tox.ini"
            | "noxfile.py" | ".coveragerc" | "mypy.ini" | ".mypy.ini" | "ruff.toml"
            | ".ruff.toml" | ".flake8" | ".pylintrc" | "pylintrc" | "pyrightconfig.json"
            | ".python-version" => Some(Guard::ToolConfiguration),
            "pyproject.toml" | "setup.cfg" | "setup.py" | "pipfile" | "manifest.in"
            | "environment.yml" => Some(Guard::Manifest),
            _ if name.ends_with(".txt")
                && (name.starts_with("requirements") || name.starts_with("constraints")) =>
            {
                Some(Guard::Manifest)
            }
            "pylock.toml" => Some(Guard::Lock),
            _ if LOCKS.iter().any(|lock| name == lock.to_ascii_lowercase()) => Some(Guard::Lock),
            _ => None,
        }
    }

    fn reach(&self, path: &str, text: &str) -> Reach {
        reach::of(path, text)
    }

    fn is_in(&self, id: &TestId, path: &str) -> bool {
        let Some(module) = module_of(path) else { return false };
        let said = &id.suite;
        *said == path
            || *said == module
            || said.strip_prefix(path).is_some_and(|rest| rest.starts_with("::"))
            || said.strip_prefix(&module).is_some_and(|rest| rest.starts_with('.'))
            || self.is_whole_file(id, path)
    }

    /// A file that cannot be loaded is a test of that name in the suite that pytest calls its own.
    fn is_whole_file(&self, id: &TestId, path: &str) -> bool {
        id.suite == "pytest" && module_of(path).is_some_and(|module| id.name == module)
    }

    fn missing(&self, run: &TestRun<'_>) -> Missing {
        red::missing(run, |id, path| self.is_in(id, path))
    }

    fn is_unwritten(&self, why: &str, under_test: &UnderTest) -> bool {
        red::is_unwritten(why, under_test)
    }

    fn broken(&self, why: &str, under_test: &UnderTest) -> Option<String> {
        red::broken(why, under_test)
    }

    fn failed_tests(&self, _run: &str, stdout: &[u8]) -> Vec<String> {
        let said = String::from_utf8_lossy(stdout);
        let failed = said.lines().filter_map(|line| line.strip_prefix("FAILED "));
        failed.filter_map(|line| line.split([' ', '[']).next().map(str::to_owned)).collect()
    }

    fn not_installed(&self, stdout: &str) -> Vec<String> {
        red::not_installed(stdout)
    }

    fn outliner(&self) -> Outliner {
        Outliner::Command { argv: outline::argv, read: outline::read }
    }

    fn surface_reader(&self) -> Option<SurfaceReader> {
        Some(surface::READER)
    }

    fn mutator(&self) -> Mutator {
        mutants::MUTATOR
    }
}

const SHADOWS: &[&str] = &[
    "pytest/__init__.py",
    "_pytest/__init__.py",
    "pluggy/__init__.py",
    "unittest/__init__.py",
    "src/pytest/__init__.py",
    "src/_pytest/__init__.py",
];

/// The name by which pytest reports a file.
fn module_of(path: &str) -> Option<String> {
    Some(path.strip_suffix(".py")?.replace('/', "."))
}

/// Lock files that gates of dependencies know.
const LOCKS: &[&str] = &["uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "requirements.lock"];

const FACTS: Facts = Facts {
    name: "Python",
    test_kinds: &["pytest"],
    room_test: None,
    top_manifest: None,
    is_compiled: false,
    // 2: a module that cannot be loaded any more.
    failing_exits: &[1, 2],
    room_tool: Needed {
        name: "Python with pytest",
        hint: "install pytest for `python3`, in `.venv` or in the environment that VIRTUAL_ENV names",
    },
    mutant_tool: Needed { name: "Cosmic Ray", hint: "`pip install cosmic-ray`" },
    comment: "#",
    import_suffix: ".py",
    definitions: &["def", "class"],
};

const ECOSYSTEM: Ecosystem = Ecosystem {
    detect: detect::detect,
    manifest: manifest::manifest,
    guard: |_| None,
    locks: LOCKS,
    installed: None,
    by_products: &[
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".tox",
        ".venv",
        "__pycache__",
        "venv",
    ],
    leftover_folders: &["__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".venv"],
    leftover_endings: &[".pyc"],
    signs: Signs {
        test_names: &["PYTEST_CURRENT_TEST"],
        test_texts: &["PYTEST_"],
        runners: &["pytest", "_pytest", "unittest"],
        loaded_modules: Some("sys.modules"),
        looks: &[
            "sys.argv",
            "sys.orig_argv",
            "sys._getframe",
            "sys._current_frames",
            "inspect.stack",
            "inspect.currentframe",
            "inspect.getouterframes",
            "traceback.extract_stack",
            "gc.get_objects",
            "gc.get_referrers",
            // What differs from run to run can hide what differs from test to test.
            "time.time",
            "time.time_ns",
            "time.monotonic",
            "datetime.now",
            "datetime.utcnow",
            "date.today",
            "random.random",
            "random.randint",
            "random.choice",
            "uuid.uuid4",
            "os.environ",
            "os.getenv",
            "os.getpid",
            "socket.socket",
            "urllib.request.urlopen",
        ],
        entry_files: &["__main__.py", "cli.py", "main.py"],
        ..Signs::NONE
    },
};
