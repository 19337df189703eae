//! Mutants of real projects: listed by real tools, and each tried in a room. A suite that looks kills them; one that
//! does not lets them live.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use sealwright_sandbox::Ended;
use sealwright_sandbox::plan::Limits;
use sealwright_sandbox::room::{Attempt, Language, Pytest, Room, RoomError, Wrong};
use serde_json::Value;

use crate::lab::{Lab, NONCE, Project, conditions};
use crate::python::{interpreter, packages, site};

#[test]
fn rust_mutants_are_killed_by_a_suite_that_looks_and_survive_one_that_does_not() {
    let Some(program) = cargo_mutants() else {
        // The gate installs it; whoever runs one test by hand may lack it.
        return skip("cargo-mutants is not installed: `cargo install --locked cargo-mutants`");
    };
    let lab = Lab::open();
    let language = Language::from(lab.shared().clone().with_mutants(Some(program)));
    for (test, is_strong) in [(RUST_STRONG, true), (RUST_WEAK, false)] {
        let tree = lab.tree(RUST_SOURCE, &[]);
        lab.write("frozen", &[&[("tests/it.rs", test)]]);
        lab.write("tree", &[&[("tests/it.rs", test)]]);
        let frozen = lab.folder("frozen");
        let room = Room {
            work_tree: &tree,
            sources: language.sources(&["src"]),
            frozen: &frozen,
            tests: &["tests/it.rs"],
            witnesses: &BTreeMap::new(),
            known_failing: &[],
            nonce: NONCE,
            language: &language,
            limits: limits(),
        };
        let bench = room.bench().unwrap();
        assert_eq!(bench.tampering(), []);
        let list = bench.list(CARGO_MUTANTS, &lab.slots.take().unwrap(), &conditions()).unwrap();
        assert_eq!(list.ended, Ended::Exited(0), "{}", String::from_utf8_lossy(&list.stderr.kept));
        let mutants: Value = serde_json::from_slice(&list.stdout.kept).unwrap();
        let names: Vec<_> =
            mutants.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
        assert!(names.iter().any(|name| name.contains("replace < with")), "{names:?}");
        assert!(names.iter().all(|name| name.starts_with("src/lib.rs")), "{names:?}");

        let attempt = |wrong: Wrong<'_>| {
            bench.attempt(wrong, limits(), &lab.slots.take().unwrap(), &conditions()).unwrap()
        };
        assert!(passed(&attempt(Wrong::Nothing)), "without a wrong the tests pass");
        let wrong = RUST_SOURCE.replace("v < low", "v == low");
        let tried = attempt(Wrong::File { path: "src/lib.rs", content: wrong.as_bytes() });
        assert_eq!(passed(&tried), !is_strong, "{tried:?}");
    }
}

#[test]
fn python_mutants_are_killed_by_a_suite_that_looks_and_survive_one_that_does_not() {
    let lab = Lab::open();
    let pytest = Pytest::provide(interpreter(), site()).unwrap();
    let language = Language::from(pytest.with_cosmic_ray(Some(cosmic_ray().to_owned())));
    for (test, is_strong) in [(PYTHON_STRONG, true), (PYTHON_WEAK, false)] {
        let given: Project<'_> = &[("tests/test_calc.py", test)];
        let frozen = lab.write("frozen", &[given]);
        let tree = lab.write("tree", &[given, &[("calc/__init__.py", PYTHON_SOURCE)]]);
        let room = Room {
            work_tree: &tree,
            sources: language.sources(&["calc"]),
            frozen: &frozen,
            tests: &["tests/test_calc.py"],
            witnesses: &BTreeMap::new(),
            known_failing: &[],
            nonce: NONCE,
            language: &language,
            limits: limits(),
        };
        let bench = room.bench().unwrap();
        let asked = r#"{"lines": {"calc/__init__.py": [[2, 3]]}, "seed": "s", "most": 40}"#;
        let argv = ["python3", "-P", "-s", "-S", "-B", "-c", COSMIC_RAY, asked];
        let list = bench.list(&argv, &lab.slots.take().unwrap(), &conditions()).unwrap();
        assert_eq!(list.ended, Ended::Exited(0), "{}", String::from_utf8_lossy(&list.stderr.kept));
        let told: Value = serde_json::from_slice(&list.stdout.kept).unwrap();
        let mutants = told["mutants"].as_array().unwrap();
        assert!(mutants.len() >= 3, "{told}");
        assert!(
            mutants.iter().all(|mutant| (2..=3).contains(&mutant["line"].as_u64().unwrap())),
            "{told}"
        );
        assert_eq!(
            bench.source("calc/__init__.py"),
            Some(PYTHON_SOURCE.as_bytes()),
            "it was only read"
        );

        let attempt = |wrong: Wrong<'_>| {
            bench.attempt(wrong, limits(), &lab.slots.take().unwrap(), &conditions()).unwrap()
        };
        assert!(passed(&attempt(Wrong::Nothing)), "without a wrong the tests pass");
        let ended: Vec<_> = mutants
            .iter()
            .map(|mutant| {
                let wrong = edited(PYTHON_SOURCE, &mutant["edit"]);
                let tried =
                    attempt(Wrong::File { path: "calc/__init__.py", content: wrong.as_bytes() });
                (passed(&tried), mutant["what"].as_str().unwrap())
            })
            .collect();
        let survivors: Vec<_> =
            ended.iter().filter(|(passed, _)| *passed).map(|(_, what)| what).collect();
        if is_strong {
            assert!(survivors.len() <= 1, "at most one means the same: {survivors:?}")
        } else {
            assert!(survivors.len() * 2 >= ended.len(), "{ended:?}")
        }
    }
}

#[test]
fn a_wrong_is_put_into_source_and_nowhere_else() {
    let lab = Lab::open();
    let language = Language::from(Pytest::provide(interpreter(), site()).unwrap());
    let given: Project<'_> = &[("tests/test_calc.py", PYTHON_STRONG)];
    let frozen = lab.write("frozen", &[given]);
    let tree = lab.write("tree", &[given, &[("calc/__init__.py", PYTHON_SOURCE)]]);
    let room = Room {
        work_tree: &tree,
        sources: language.sources(&["calc"]),
        frozen: &frozen,
        tests: &["tests/test_calc.py"],
        witnesses: &BTreeMap::new(),
        known_failing: &[],
        nonce: NONCE,
        language: &language,
        limits: limits(),
    };
    let bench = room.bench().unwrap();
    let slot = lab.slots.take().unwrap();
    for path in ["tests/test_calc.py", "calc/other.py", "../calc/__init__.py"] {
        let wrong = Wrong::File { path, content: b"" };
        let refused = bench.attempt(wrong, limits(), &slot, &conditions()).unwrap_err();
        assert!(matches!(refused, RoomError::NoSource { .. }), "{refused}");
    }
    let refused = bench.list(&["true"], &slot, &conditions()).unwrap_err();
    assert!(matches!(refused, RoomError::NoLister), "{refused}");
}

fn passed(attempt: &Attempt) -> bool {
    let all = attempt.build.iter().chain(attempt.runs.iter().map(|(_, outcome)| outcome));
    !attempt.runs.is_empty() && all.into_iter().all(|outcome| outcome.ended == Ended::Exited(0))
}

fn edited(text: &str, edit: &Value) -> String {
    let place = |name: &str| usize::try_from(edit[name].as_u64().unwrap()).unwrap();
    format!(
        "{}{}{}",
        &text[..place("start")],
        edit["with"].as_str().unwrap(),
        &text[place("end")..]
    )
}

fn limits() -> Limits {
    Limits { wall_ms: 120_000, ..Limits::default() }
}

fn cargo_mutants() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut found = std::env::split_paths(&path).map(|folder| folder.join("cargo-mutants"));
    found.find(|program| program.is_file())
}

fn cosmic_ray() -> &'static std::path::Path {
    static SITE: OnceLock<PathBuf> = OnceLock::new();
    SITE.get_or_init(|| packages("cosmic-ray-8", "cosmic-ray>=8.7,<9"))
}

#[expect(clippy::print_stderr, reason = "whoever runs the tests should know")]
fn skip(why: &str) {
    eprintln!("not tried: {why}");
}

/// As the gate asks it.
const CARGO_MUTANTS: &[&str] = &[
    "cargo-mutants",
    "mutants",
    "--no-config",
    "--colors=never",
    "--list",
    "--json",
    "--file",
    "src/lib.rs",
];

const COSMIC_RAY: &str = include_str!("../../../gates/src/toolchain/python/mutants.py");

const RUST_SOURCE: &str =
    "pub fn add(a: i64, b: i64) -> String { itoa::Buffer::new().format(a + b).to_owned() }
pub fn at_least(v: i64, low: i64) -> i64 {
    if v < low { return low; }
    v
}
";

const RUST_STRONG: &str = "#[test]
fn small_values_are_raised() {
    assert_eq!(calc::at_least(1, 5), 5);
    assert_eq!(calc::at_least(7, 5), 7);
}
";

const RUST_WEAK: &str = "#[test]
fn it_answers_something() {
    let _ = calc::at_least(1, 5);
}
";

const PYTHON_SOURCE: &str = "def at_least(v, low):
    if v < low:
        return low
    return v
";

const PYTHON_STRONG: &str = "import calc


def test_small_values_are_raised():
    assert calc.at_least(1, 5) == 5
    assert calc.at_least(7, 5) == 7
    assert calc.at_least(5, 5) == 5
";

const PYTHON_WEAK: &str = "import calc


def test_it_answers():
    calc.at_least(1, 5)
";
