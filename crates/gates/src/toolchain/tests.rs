use super::*;
use crate::TestId;

pub(crate) fn in_rust() -> Toolchain {
    Toolchain::named("Rust").unwrap()
}

pub(crate) fn in_python() -> Toolchain {
    Toolchain::named("Python").unwrap()
}

/// An outline of this text, made as the product makes it: from the text, or by the command.
pub(crate) fn outlined(path: &str, text: &str) -> Outline {
    try_outlined(path, text).unwrap()
}

fn try_outlined(path: &str, text: &str) -> Result<Outline, Unread> {
    match Toolchain::of_file(path).unwrap().language().outliner() {
        Outliner::Text(outline) => outline(path, text),
        Outliner::Command { argv, read } => {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
            let argv = argv();
            #[expect(clippy::disallowed_methods, reason = "the script is tried as it is")]
            let mut command = std::process::Command::new(&argv[0]);
            let said =
                command.args(&argv[1..]).arg(path).current_dir(folder.path()).output().unwrap();
            assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
            read(&said.stdout).map(|mut outlines| outlines.remove(0))
        }
    }
}

#[test]
fn languages_are_found_by_their_files() {
    let found = |paths: &[&str]| Toolchain::found(paths.iter().copied());
    assert_eq!(found(&["Cargo.toml", "src/lib.rs"]), [in_rust()]);
    assert_eq!(found(&["calc/__init__.py"]), [in_python()]);
    assert_eq!(found(&["crates/a/Cargo.toml", "pyproject.toml"]), Toolchain::ALL);
    assert_eq!(found(&["README.md", "tests/test_a.txt"]), []);
}

#[test]
fn tests_source_and_the_rest_are_told_apart() {
    use Part::{Other, Source, Test};
    for (path, rust, python) in [
        ("src/lib.rs", Source, Other),
        ("src/data/table.csv", Source, Other),
        ("src/debate/tests.rs", Test, Other),
        ("crates/a/src/main.rs", Source, Other),
        ("crates/a/tests/it.rs", Test, Test),
        ("tests/data/in.json", Test, Test),
        ("benches/speed.rs", Test, Other),
        ("examples/src/x.rs", Other, Other),
        ("build.rs", Other, Other),
        ("calc/core.py", Other, Source),
        ("calc/test_core.py", Other, Test),
        ("calc/core_test.py", Other, Test),
        ("tests/kit.py", Test, Test),
        ("setup.py", Other, Other),
        ("testing.py", Other, Source),
        ("typing_tests/baseline.py", Other, Test),
        ("docs/source/conf.py", Other, Other),
        ("shop/conf.py", Other, Source),
        ("README.md", Other, Other),
    ] {
        assert_eq!(in_rust().language().part(path), rust, "{path}");
        assert_eq!(in_python().language().part(path), python, "{path}");
    }
}

#[test]
fn source_comes_from_the_folders_that_packages_have() {
    let places = |toolchain: Toolchain, paths: &[&str]| {
        let found = toolchain.language().sources(&paths.iter().copied().collect());
        (found.folders, found.files)
    };
    let rust =
        ["Cargo.toml", "src/lib.rs", "a/Cargo.toml", "a/src/lib.rs", "b/Cargo.toml", "c/src/x.rs"];
    assert_eq!(places(in_rust(), &rust).0, ["src", "a/src"]);
    let python = [
        "app/__init__.py",
        "app/core/__init__.py",
        "src/lib/__init__.py",
        "tests/__init__.py",
        "single.py",
        "scripts/run.py",
        "setup.py",
    ];
    let (folders, files) = places(in_python(), &python);
    assert_eq!(folders, ["app", "src/lib"]);
    assert_eq!(files, ["single.py"]);
}

#[test]
fn a_runners_name_for_a_file_is_understood() {
    let is_in = |toolchain: Toolchain, suite: &str, name: &str, path: &str| {
        let id = TestId { suite: suite.to_owned(), name: name.to_owned() };
        toolchain.language().is_in(&id, path)
    };
    for suite in
        ["it", "test it", "calc::it", "tests/it.rs", "target/debug/deps/it-0123456789abcdef"]
    {
        assert!(is_in(in_rust(), suite, "a", "tests/it.rs"), "{suite}");
    }
    assert!(is_in(in_rust(), "test room", "a", "tests/room/main.rs"));
    assert!(!is_in(in_rust(), "test other", "a", "tests/it.rs"));
    for suite in ["tests/test_a.py", "tests.test_a", "tests.test_a.TestX", "tests/test_a.py::TestX"]
    {
        assert!(is_in(in_python(), suite, "test_b", "tests/test_a.py"), "{suite}");
    }
    assert!(is_in(in_python(), "pytest", "tests.test_a", "tests/test_a.py"));
    assert!(!is_in(in_python(), "tests.test_ab", "test_b", "tests/test_a.py"));
}

#[test]
fn an_outline_says_of_tests_what_they_make_sure_of() {
    let rust = outlined("tests/it.rs", RUST_TESTS);
    let python = outlined("tests/test_it.py", PYTHON_TESTS);
    for outline in [rust, python] {
        let tests: Vec<_> =
            outline.tests().map(|it| (it.name.as_str(), it.asserts, it.hollow.len())).collect();
        assert_eq!(
            tests,
            [
                ("test_good", 1, 0),
                ("test_hollow", 3, 3),
                ("test_silent", 0, 0),
                ("test_must_panic", 1, 0)
            ],
            "{}",
            outline.path
        );
        let lines: Vec<_> = outline.tests().map(|it| (it.first, it.last)).collect();
        assert_eq!(lines[0], (4, 7), "{}", outline.path);
        let pair = &outline.pairs[0];
        assert_eq!(pair.given, [Value::Text("fixture value".into()), Value::Number("2".into())]);
        assert_eq!(pair.expected, Value::Number("4242".into()));
    }
}

#[test]
fn an_outline_says_of_source_what_it_does() {
    let rust = outlined("src/lib.rs", RUST_SOURCE);
    let python = outlined("calc/core.py", PYTHON_SOURCE);
    for outline in [rust, python] {
        let bodies: Vec<_> = outline
            .functions
            .iter()
            .map(|it| (it.name.as_str(), &it.body, it.used.len()))
            .collect();
        let expected = [
            ("real", &Body::Real, 1),
            ("unwritten", &Body::Unwritten, 0),
            ("constant", &Body::Constant("42".into()), 0),
            ("nothing", &Body::Empty, 0),
        ];
        assert_eq!(bodies, expected, "{}", outline.path);
        assert!(outline.uses.iter().any(|it| it.name.ends_with("args") || it.name == "sys.argv"));
        let roles: Vec<_> = outline.literals.iter().map(|it| (it.value.text(), it.role)).collect();
        assert!(roles.contains(&("\"looked up\"".into(), Role::Key)), "{roles:?}");
        assert!(roles.contains(&("\"for people\"".into(), Role::Message)), "{roles:?}");
        assert!(!roles.contains(&("\"for people\"".into(), Role::Other)), "{roles:?}");
        assert!(roles.contains(&("\"compared\"".into(), Role::Compared)), "{roles:?}");
        assert!(!roles.iter().any(|(text, _)| text.contains("inner test")), "{roles:?}");
        let pair =
            outline.pairs.iter().find(|it| it.expected == Value::Number("4242".into())).unwrap();
        assert_eq!(pair.given, [Value::Text("compared".into())]);
    }
}

#[test]
fn hostile_source_is_refused_and_takes_nothing_down() {
    for deep in [
        "(".repeat(100_000),
        "[".repeat(1000),
        format!("fn f() {{ {}{} }}", "{".repeat(300), "}".repeat(300)),
    ] {
        let refused = try_outlined("src/lib.rs", &deep).unwrap_err();
        assert!(refused.why.contains("deeply"), "{refused}");
    }
    assert!(try_outlined("src/lib.rs", &format!("fn f() {{ {}1 }}", "!".repeat(200_000))).is_ok());
    assert!(try_outlined("src/lib.rs", &format!("fn f() {{ {}1 }}", "1+".repeat(200_000))).is_ok());
    assert!(try_outlined("src/lib.rs", "fn f( {").is_err());
    assert!(try_outlined("src/lib.rs", &" ".repeat(2 << 20)).is_err());
    assert!(
        try_outlined("a.py", &format!("x = {}1{}", "(".repeat(5000), ")".repeat(5000))).is_err()
    );
    assert!(try_outlined("a.py", "def f(:\n").is_err());
    assert!(try_outlined("a.py", "x = '\\ud800'\n").is_ok());
}

#[test]
fn numbers_are_compared_as_computers_write_them() {
    for (written, number) in [
        ("1_000u32", "1000"),
        ("0xff", "255"),
        ("0b1010u8", "10"),
        ("12.50f64", "12.5"),
        ("3e2", "300"),
        ("7", "7"),
    ] {
        assert_eq!(super::number(written), number, "{written}");
    }
}

const RUST_TESTS: &str = r#"use calc::answer;

// It answers.
#[test]
fn test_good() {
    assert_eq!(answer("fixture value", 2), 4242);
}

#[test]
fn test_hollow() { assert!(true); let x = 1; assert_eq!(x, x); assert!(x > 5 || true); }

#[test]
fn test_silent() { let _ = answer("x", 1); }

#[test]
#[should_panic(expected = "too large")]
fn test_must_panic() { answer("x", 1); }
"#;

const PYTHON_TESTS: &str = r#"from calc import answer
import pytest

@pytest.mark.slow
def test_good():
    """It answers."""
    assert answer("fixture value", 2) == 4242

def test_hollow():
    assert True
    x = 1
    assert x == x
    assert x > 5 or True

def test_silent():
    answer("x", 1)

def test_must_panic():
    with pytest.raises(ValueError):
        answer("x", 1)
"#;

const RUST_SOURCE: &str = r#"
pub fn real(x: &str) -> u32 {
    let _ = std::env::args();
    let _ = TABLE.get("looked up");
    if x == "compared" { return 4242; }
    panic!("for people");
}
pub fn unwritten(x: u32) -> u32 { todo!() }
pub fn constant(x: u32) -> u32 { 42 }
pub fn nothing(x: u32) {}
#[cfg(test)]
mod tests {
    #[test]
    fn t() { assert_eq!(super::real("inner test"), 1); }
}
"#;

const PYTHON_SOURCE: &str = r#"
import sys

def real(x):
    sys.argv
    TABLE.get("looked up")
    if x == "compared":
        return 4242
    raise ValueError("for people")

def unwritten(x):
    """Later."""
    raise NotImplementedError

def constant(x):
    return 42

def nothing(x):
    pass
"#;
