//! A candidate and tests in folders, and a trial of them in real rooms.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use sealwright_judge::{Idle, Judgement, OTHER, Rooms, Surroundings, Trial, USUAL};
use sealwright_kernel::Level;
use sealwright_sandbox::plan::Limits;
use sealwright_sandbox::{Mechanism, SandboxSlots};

/// The tests of a trial that has one file of them.
const TESTS: &str = "test_shop.py";

/// Judges a package `shop` with these files by these tests.
pub(crate) fn judged(candidate: &[(&str, &str)], tests: &str) -> Judgement {
    judged_in(&USUAL, candidate, tests)
}

/// The same where everything is otherwise that need not be the same.
pub(crate) fn judged_elsewhere(candidate: &[(&str, &str)], tests: &str) -> Judgement {
    judged_in(&OTHER, candidate, tests)
}

fn judged_in(surroundings: &Surroundings, candidate: &[(&str, &str)], tests: &str) -> Judgement {
    judged_by(surroundings, candidate, &[(TESTS, tests)])
}

/// Judges it by several files of tests.
pub(crate) fn judged_by(
    surroundings: &Surroundings,
    candidate: &[(&str, &str)],
    tests: &[(&str, &str)],
) -> Judgement {
    tried(candidate, tests, |trial, rooms| {
        trial.run(rooms, &trial.surface(rooms).unwrap(), surroundings).unwrap()
    })
}

/// What was seen of these files of tests on programs that work nothing out.
pub(crate) fn idle(candidate: &[(&str, &str)], tests: &[(&str, &str)]) -> Idle {
    tried(candidate, tests, |trial, rooms| {
        let seen = trial.idle(rooms, &trial.surface(rooms).unwrap(), &["depot"]).unwrap();
        seen.expect("the tests can be run")
    })
}

/// The tests that need the process of the code, with the reasons.
pub(crate) fn shared(tests: &str) -> BTreeMap<String, Vec<String>> {
    tried(&[], &[(TESTS, tests)], |trial, rooms| trial.shared(rooms).unwrap())
}

fn tried<T>(
    candidate: &[(&str, &str)],
    tests: &[(&str, &str)],
    act: impl FnOnce(&Trial<'_>, Rooms<'_>) -> T,
) -> T {
    tried_as("shop", candidate, tests, act)
}

/// Judges a package of another name, of one file.
pub(crate) fn judged_as(package: &str, source: &str, tests: &str) -> Judgement {
    tried_as(package, &[("__init__.py", source)], &[(TESTS, tests)], |trial, rooms| {
        trial.run(rooms, &trial.surface(rooms).unwrap(), &USUAL).unwrap()
    })
}

fn tried_as<T>(
    package: &str,
    candidate: &[(&str, &str)],
    tests: &[(&str, &str)],
    act: impl FnOnce(&Trial<'_>, Rooms<'_>) -> T,
) -> T {
    let folder =
        tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o711)).tempdir().unwrap();
    let open = |name: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    };
    let (sources, work) = (open("candidate"), open("tests"));
    fs::create_dir(sources.join(package)).unwrap();
    for (name, text) in candidate {
        fs::write(sources.join(package).join(name), text).unwrap();
    }
    for (name, text) in tests {
        fs::create_dir_all(work.join(name).parent().unwrap()).unwrap();
        fs::write(work.join(name), text).unwrap();
    }
    let wanted: Vec<&str> = tests.iter().map(|(name, _)| *name).collect();
    let launcher = Path::new(env!("CARGO_BIN_EXE_judge-launcher"));
    let slots = SandboxSlots::with_launcher(&folder.path().join("seats"), launcher).unwrap();
    let (interpreter, site) = python();
    let trial = Trial {
        interpreter,
        site,
        candidate: &sources,
        packages: &[package],
        tests: &work,
        wanted: &wanted,
        options: &[],
        limits: Limits { wall_ms: 60_000, memory_bytes: 512 << 20, ..Limits::default() },
        seconds: 4,
        cancel: None,
    };
    let mechanism = &Mechanism::Namespaces;
    act(&trial, Rooms { slots: &slots, mechanism, least: Level::KernelIsolated })
}

/// Everything that was said, for whoever reads a failure.
pub(crate) fn story(judgement: &Judgement) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!(
        "{:?}\n{}{}\ncandidate: {:?}\n{}\n{:?}",
        judgement.judge.ended,
        text(&judgement.judge.stdout.kept),
        text(&judgement.judge.stderr.kept),
        judgement.candidate.ended,
        text(&judgement.candidate.stderr.kept),
        judgement.malformed,
    )
}

/// The interpreter, and a folder of packages that holds pytest.
fn python() -> (&'static Path, &'static Path) {
    static PYTHON: OnceLock<(PathBuf, PathBuf)> = OnceLock::new();
    let (interpreter, site) = PYTHON.get_or_init(|| {
        let named = std::env::var_os("SEALWRIGHT_PYTHON").map(PathBuf::from);
        let program = named.map_or_else(|| "python3".into(), |folder| folder.join("bin/python3"));
        let ask = "import os, sys, pytest; print(sys.base_prefix); \
                   print(os.path.dirname(os.path.dirname(pytest.__file__)))";
        #[expect(
            clippy::disallowed_methods,
            reason = "the interpreter of this machine is asked as it is"
        )]
        let output = Command::new(&program).args(["-I", "-c", ask]).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let mut lines = said.lines().map(PathBuf::from);
        let found = lines.next().zip(lines.next());
        found.expect("a Python with pytest: name its folder with SEALWRIGHT_PYTHON")
    });
    (interpreter, site)
}
