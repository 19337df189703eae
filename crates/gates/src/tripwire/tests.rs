use super::*;
use crate::tripwire::names::guard;

#[test]
fn whatever_decides_how_work_is_judged_is_guarded_by_its_name() {
    for (path, expected) in [
        ("sealwright.toml", Guard::GateConfiguration),
        (".github/workflows/ci.yml", Guard::ContinuousIntegration),
        (".gitlab-ci.yml", Guard::ContinuousIntegration),
        (".ci/run", Guard::ContinuousIntegration),
        ("Jenkinsfile", Guard::ContinuousIntegration),
        (".gitattributes", Guard::ToolConfiguration),
        ("sub/.gitattributes", Guard::ToolConfiguration),
        ("Cargo.toml", Guard::Manifest),
        ("crates/a/Cargo.toml", Guard::Manifest),
        ("Cargo.lock", Guard::Lock),
        (".cargo/config", Guard::StartUpHook),
        ("crates/a/.cargo/config.toml", Guard::StartUpHook),
        ("build.rs", Guard::StartUpHook),
        ("crates/a/build.rs", Guard::StartUpHook),
        ("rust-toolchain.toml", Guard::ToolConfiguration),
        ("rust-toolchain", Guard::ToolConfiguration),
        ("clippy.toml", Guard::ToolConfiguration),
        (".rustfmt.toml", Guard::ToolConfiguration),
        (".config/nextest.toml", Guard::ToolConfiguration),
        ("conftest.py", Guard::StartUpHook),
        ("tests/unit/conftest.py", Guard::StartUpHook),
        ("Conftest.py", Guard::StartUpHook),
        ("sitecustomize.py", Guard::StartUpHook),
        ("usercustomize.py", Guard::StartUpHook),
        ("lib/evil.pth", Guard::StartUpHook),
        ("pytest.py", Guard::StartUpHook),
        ("_pytest/__init__.py", Guard::StartUpHook),
        ("pytest.ini", Guard::ToolConfiguration),
        ("tox.ini", Guard::ToolConfiguration),
        ("setup.cfg", Guard::Manifest),
        ("pyproject.toml", Guard::Manifest),
        ("requirements-dev.txt", Guard::Manifest),
        ("uv.lock", Guard::Lock),
        ("package.json", Guard::Manifest),
        ("web/package-lock.json", Guard::Lock),
        (".npmrc", Guard::ToolConfiguration),
        ("jest.config.mjs", Guard::ToolConfiguration),
        ("vitest.config.ts", Guard::ToolConfiguration),
        ("tsconfig.json", Guard::ToolConfiguration),
    ] {
        assert_eq!(guard(path, &Toolchain::ALL), Some(expected), "{path}");
    }
}

#[test]
fn honest_work_is_not_guarded() {
    for path in [
        "src/lib.rs",
        "src/build.rs",
        "src/conftest.rs",
        "calc/__init__.py",
        "calc/pytest.pyi",
        "calc/plugins/pytest.py",
        "tests/test_new.py",
        "tests/new.rs",
        "README.md",
        "docs/requirements.md",
        "data/package.jsonl",
        "Makefile",
        "target/package/calc-0.1.0/Cargo.toml",
        ".venv/lib/python3.11/site-packages/x.pth",
        "node_modules/left-pad/package.json",
        "calc/__pycache__/conftest.cpython-311.pyc",
    ] {
        assert_eq!(guard(path, &Toolchain::ALL), None, "{path}");
    }
}

#[test]
fn what_a_frozen_rust_test_is_made_of_is_guarded() {
    let project = project(&[
        ("Cargo.toml", ""),
        ("src/lib.rs", ""),
        ("src/table.csv", ""),
        ("README.md", ""),
        ("data/expected.json", "{}"),
        (
            "tests/it.rs",
            "mod common;\nmod inner { mod deep; }\n#[path = \"odd/place.rs\"] mod placed;\n\
            #[test] fn t() { let _ = include_str!(\"../data/expected.json\"); read(\"README.md\"); \
            read(\"../src/table.csv\"); all(\"tests/golden\"); }",
        ),
        ("tests/common/mod.rs", "mod more;"),
        ("tests/common/more.rs", ""),
        ("tests/inner/deep.rs", ""),
        ("tests/odd/place.rs", ""),
        ("tests/golden/one.txt", ""),
        ("tests/golden/two.txt", ""),
        ("tests/other.rs", "mod own;"),
        ("tests/own.rs", ""),
    ]);
    let guarded = project.guarded(&["tests/it.rs"], &[]);
    let helpers: Vec<_> = helpers(&guarded, |kept| kept.digest.is_some());
    assert_eq!(
        helpers,
        [
            "data/expected.json",
            "tests/common/mod.rs",
            "tests/common/more.rs",
            "tests/golden/one.txt",
            "tests/golden/two.txt",
            "tests/inner/deep.rs",
            "tests/odd/place.rs",
        ]
    );
    // Another file would be taken for the same module.
    assert!(helpers_absent(&guarded).contains(&"tests/common.rs"));
}

#[test]
fn what_a_frozen_python_test_is_made_of_is_guarded() {
    let project = project(&[
        ("pyproject.toml", ""),
        ("calc/__init__.py", ""),
        ("calc/core.py", ""),
        ("tests/__init__.py", ""),
        (
            "tests/test_calc.py",
            "import os\nfrom calc.core import add\nfrom tests.kit import (\n    a,  # one\n    b,\n)\n\
            from . import near\nimport tests.far as far\npytest_plugins = ['tests.plug']\n\
            def test_a():\n    open('tests/data/in.json')\n",
        ),
        ("tests/kit.py", "from .deeper.one import x"),
        ("tests/deeper/__init__.py", ""),
        ("tests/deeper/one.py", ""),
        ("tests/near.py", ""),
        ("tests/far.py", ""),
        ("tests/plug.py", ""),
        ("tests/data/in.json", ""),
        ("tests/test_other.py", ""),
    ]);
    let guarded = project.guarded(&["tests/test_calc.py"], &["calc"]);
    assert_eq!(
        helpers(&guarded, |kept| kept.digest.is_some()),
        [
            "tests/__init__.py",
            "tests/data/in.json",
            "tests/deeper/__init__.py",
            "tests/deeper/one.py",
            "tests/far.py",
            "tests/kit.py",
            "tests/near.py",
            "tests/plug.py",
        ]
    );
    // A package goes before a module of the same name, and a file in the project before the interpreter's own.
    let absent = helpers_absent(&guarded);
    for stands_in in ["tests/kit/__init__.py", "os.py", "tests/os.py"] {
        assert!(absent.contains(&stands_in), "{stands_in}");
    }
    // The product is free, also where it does not exist yet.
    assert!(!guarded.files().any(|(path, _)| path.starts_with("calc/")));
}

#[test]
fn what_a_check_runs_is_guarded() {
    let project =
        project(&[("Makefile", ""), ("scripts/check.sh", ""), ("src/app.py", ""), ("ci.toml", "")]);
    let commands = [
        vec!["make".to_owned(), "test".to_owned()],
        vec!["./scripts/check.sh".to_owned()],
        vec!["ruff".to_owned(), "--config=ci.toml".to_owned(), "src/app.py".to_owned()],
    ];
    let given = Given { commands: &commands, ..project.given(&[], &[]) };
    let guarded = Guarded::of(&project.files, &given);
    let named: Vec<_> = guarded.files().map(|(path, kept)| (path, kept.digest.is_some())).collect();
    assert_eq!(
        named,
        [
            ("GNUmakefile", false),
            ("Makefile", true),
            ("ci.toml", true),
            ("makefile", false),
            ("scripts/check.sh", true),
        ]
    );
}

/// Proves: A-014
#[test]
fn every_kind_of_change_is_told_with_the_cheat_it_is() {
    let project = python();
    let guarded = project.guarded(&["tests/test_calc.py"], &["calc"]);
    for (path, content, expected) in [
        (
            "tests/test_calc.py",
            Some("def test_a(): pass"),
            "`tests/test_calc.py` (a frozen test) was changed",
        ),
        ("tests/test_calc.py", None, "`tests/test_calc.py` (a frozen test) was removed"),
        ("contract.json", Some("{}"), "`contract.json` (the contract) was changed"),
        ("sealwright.toml", Some(""), "`sealwright.toml` (gate configuration) was added"),
        ("tests/kit.py", Some("x = 2"), "`tests/kit.py` (a helper of frozen tests) was changed"),
        (
            "tests/kit/__init__.py",
            Some(""),
            "`tests/kit/__init__.py` (a helper of frozen tests) was added",
        ),
        ("conftest.py", Some(""), "`conftest.py` (a start-up hook) was added"),
        ("uv.lock", Some("other"), "`uv.lock` (a lock) was changed"),
        (
            ".github/workflows/ci.yml",
            Some(""),
            "`.github/workflows/ci.yml` (CI configuration) was added",
        ),
    ] {
        let changes = guarded.compare(&project.with(path, content), &Toolchain::ALL, &[]);
        let lines: Vec<_> = changes.iter().map(Change::line).collect();
        assert_eq!(lines, [expected]);
        let judgement = judge(&changes);
        assert_eq!(judgement.verdict, sealwright_kernel::Verdict::Fail);
        let is_contract =
            ["contract.json", "sealwright.toml"].contains(&path) || path.starts_with(".github");
        let cheat = if is_contract { Cheat::FrozenContractChanged } else { Cheat::RedTestChanged };
        assert_eq!(judgement.cheats, [(cheat, expected.to_owned())]);
    }
}

#[test]
fn honest_changes_trip_nothing() {
    let project = python();
    let guarded = project.guarded(&["tests/test_calc.py"], &["calc"]);
    assert_eq!(judge(&guarded.compare(&project.files, &Toolchain::ALL, &[])), Judgement::pass());
    for path in [
        "calc/__init__.py",
        "calc/new.py",
        "tests/test_more.py",
        "docs/notes.md",
        "calc/_generated.py",
        ".venv/lib/x.pth",
        "calc/__pycache__/conftest.py",
    ] {
        let changes = guarded.compare(&project.with(path, Some("new")), &Toolchain::ALL, &[]);
        assert_eq!(changes, [], "{path}");
    }
}

#[test]
fn a_declared_change_passes_once_it_is_granted_and_then_only_as_it_was() {
    let project = python();
    let mut guarded = project.guarded(&["tests/test_calc.py"], &["calc"]);
    let declared =
        Declared { path: "uv.lock".to_owned(), why: "the design names httpx".to_owned() };
    let with_package = project.with("uv.lock", Some("httpx"));
    let waiting = guarded.compare(&with_package, &Toolchain::ALL, std::slice::from_ref(&declared));
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0].cheat(), None, "it was spoken of");
    assert_eq!(judge(&waiting).verdict, sealwright_kernel::Verdict::Fail, "but not granted");

    guarded.grant(&declared, with_package.get("uv.lock").copied()).unwrap();
    assert_eq!(guarded.compare(&with_package, &Toolchain::ALL, &[]), []);
    let other = guarded.compare(&project.with("uv.lock", Some("evil")), &Toolchain::ALL, &[]);
    assert_eq!(other[0].cheat(), Some(Cheat::RedTestChanged));
    let back = guarded.compare(&project.files, &Toolchain::ALL, &[]);
    assert_eq!(back[0].what, What::Edited, "what was frozen before passes no longer");
    // A neighbour was not declared.
    let more = project.with("requirements.txt", Some("evil"));
    assert_eq!(
        guarded.compare(&more, &Toolchain::ALL, &[declared])[0].cheat(),
        Some(Cheat::RedTestChanged)
    );
}

#[test]
fn a_new_file_can_be_granted_and_so_can_a_removal() {
    let project = python();
    let mut guarded = project.guarded(&["tests/test_calc.py"], &["calc"]);
    let hook = Declared { path: "conftest.py".to_owned(), why: "shared fixtures".to_owned() };
    let with_hook = project.with("conftest.py", Some("fixtures"));
    guarded.grant(&hook, with_hook.get("conftest.py").copied()).unwrap();
    assert_eq!(guarded.compare(&with_hook, &Toolchain::ALL, &[]), []);
    guarded.grant(&hook, None).unwrap();
    assert_eq!(guarded.compare(&with_hook, &Toolchain::ALL, &[])[0].what, What::Added);
}

#[test]
fn what_work_is_judged_by_is_never_changed_by_declaring_it() {
    let project = python();
    let mut guarded = project.guarded(&["tests/test_calc.py"], &["calc"]);
    for (path, guard) in [
        ("tests/test_calc.py", Guard::FrozenTest),
        ("contract.json", Guard::Contract),
        ("sealwright.toml", Guard::GateConfiguration),
    ] {
        let declared = Declared { path: path.to_owned(), why: "it is wrong".to_owned() };
        let refused = guarded.grant(&declared, None).unwrap_err();
        assert_eq!(refused, Refused::Never { path: path.to_owned(), guard });
        let changes =
            guarded.compare(&project.with(path, Some("else")), &Toolchain::ALL, &[declared]);
        assert!(changes[0].cheat().is_some(), "{path}");
    }
    let silent = Declared { path: "uv.lock".to_owned(), why: " ".to_owned() };
    assert!(matches!(guarded.grant(&silent, None), Err(Refused::NoReason { .. })));
}

struct Project {
    files: BTreeMap<String, Digest>,
    texts: BTreeMap<String, String>,
    contract: Vec<String>,
}

fn project(files: &[(&str, &str)]) -> Project {
    let files_of = |(path, text): &(&str, &str)| ((*path).to_owned(), Digest::of(text.as_bytes()));
    Project {
        files: files.iter().map(files_of).collect(),
        texts: files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect(),
        contract: vec!["contract.json".to_owned()],
    }
}

fn python() -> Project {
    project(&[
        ("pyproject.toml", "[project]"),
        ("uv.lock", "version = 1"),
        ("contract.json", "{\"add\": 1}"),
        ("calc/__init__.py", ""),
        (
            "tests/test_calc.py",
            "import calc\nimport kit\ndef test_a():\n    assert calc.add(1, 2) == kit.x\n",
        ),
        ("tests/kit.py", "x = 3"),
    ])
}

impl Project {
    fn given<'p>(&'p self, tests: &'p [String], under_test: &'p [String]) -> Given<'p> {
        Given {
            toolchains: &Toolchain::ALL,
            tests,
            contract: &[],
            commands: &[],
            under_test,
            texts: &self.texts,
        }
    }

    fn guarded(&self, tests: &[&str], under_test: &[&str]) -> Guarded {
        let owned =
            |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let (tests, under_test) = (owned(tests), owned(under_test));
        let has_contract = self.files.contains_key("contract.json");
        let contract = if has_contract { self.contract.as_slice() } else { &[] };
        Guarded::of(&self.files, &Given { contract, ..self.given(&tests, &under_test) })
    }

    fn with(&self, path: &str, content: Option<&str>) -> BTreeMap<String, Digest> {
        let mut files = self.files.clone();
        match content {
            Some(content) => files.insert(path.to_owned(), Digest::of(content.as_bytes())),
            None => files.remove(path),
        };
        files
    }
}

fn helpers(guarded: &Guarded, wanted: impl Fn(&Kept) -> bool) -> Vec<&str> {
    let helpers = guarded.files().filter(|(_, kept)| kept.guard == Guard::TestHelper);
    helpers.filter(|(_, kept)| wanted(kept)).map(|(path, _)| path).collect()
}

fn helpers_absent(guarded: &Guarded) -> Vec<&str> {
    helpers(guarded, |kept| kept.digest.is_none())
}
