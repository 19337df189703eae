//! `sealwright init`, as people and programs use it.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]
#![expect(clippy::disallowed_methods, reason = "these tests start the binary")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sealwright_config::{Check, Config};

/// A folder `shop` to begin in, and a `PATH` with nothing on it but what a test puts there.
struct Place {
    outer: tempfile::TempDir,
}

impl Place {
    fn with(files: &[(&str, &str)]) -> Self {
        let place = Self { outer: tempfile::tempdir().unwrap() };
        fs::create_dir_all(place.shop()).unwrap();
        fs::create_dir_all(place.programs()).unwrap();
        for (name, content) in files {
            let path = place.shop().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        place
    }

    /// The same as a git repository, as far as anybody looks.
    fn in_git(files: &[(&str, &str)]) -> Self {
        Self::with(&[&[(".git/HEAD", "ref: refs/heads/main\n")], files].concat())
    }

    /// Every file of the shop, below it.
    fn names(&self) -> Vec<PathBuf> {
        let shop = self.shop();
        let below = |path: PathBuf| path.strip_prefix(&shop).ok().map(Path::to_owned);
        self.files().into_keys().filter_map(below).collect()
    }

    fn shop(&self) -> PathBuf {
        self.outer.path().join("shop")
    }

    fn programs(&self) -> PathBuf {
        self.outer.path().join("programs")
    }

    /// Puts a program on `PATH` that would leave a trace if it were ever started.
    fn install(self, name: &str) -> Self {
        let path = self.programs().join(name);
        let trace = self.outer.path().join("started");
        fs::write(&path, format!("#!/bin/sh\ntouch {}\n", trace.display())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// What a person sees: the command, both outputs, the exit code.
    fn see(&self, args: &[&str]) -> String {
        self.see_from(&self.shop(), args)
    }

    fn see_from(&self, folder: &Path, args: &[&str]) -> String {
        self.see_with(folder, args, &[])
    }

    fn see_with(&self, folder: &Path, args: &[&str], environment: &[(&str, &str)]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sealwright"));
        command.args(args).current_dir(folder).env("NO_COLOR", "1").env("COLUMNS", "100");
        // A relative place on `PATH` is the repository itself, which may hold anything.
        command.env("PATH", format!(":.:{}", self.programs().display()));
        for key in ["OPENAI_API_KEY", "CODEX_API_KEY", "SEALWRIGHT_AGENTS"] {
            command.env_remove(key);
        }
        command.envs(environment.iter().copied());
        let output = command.stdin(Stdio::null()).output().unwrap();
        let (out, err) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        let code = output.status.code().unwrap();
        assert!(!self.outer.path().join("started").exists(), "a program was started");
        let text = format!("$ sealwright {}\n{out}{err}= {code}", args.join(" "));
        text.replace(&self.outer.path().display().to_string(), "OUTER")
    }

    /// Begins, and gives back the checks that can be read from what was written: kind, command, folders.
    fn checks(&self) -> BTreeMap<String, String> {
        let seen = self.see(&["init"]);
        assert!(seen.ends_with("= 0"), "{seen}");
        let config = Config::load(self.shop().join("sealwright.toml")).unwrap();
        let told = |check: &Check| {
            let Check { kind, setting: it, .. } = check;
            let words = [vec![format!("{}:", kind.key)], it.command.clone(), it.tests.clone()];
            words.concat().join(" ")
        };
        let pair = |check: &Check| (check.name.clone(), told(check));
        config.checks().iter().map(pair).collect()
    }

    /// Every file below the folder and what it says.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.outer.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match fs::symlink_metadata(&path).unwrap().is_dir() {
                    true => folders.push(path),
                    false => {
                        let content = fs::read(&path).unwrap_or_default();
                        files.insert(path, content);
                    }
                }
            }
        }
        files
    }
}

fn one(name: &str, command: &str) -> BTreeMap<String, String> {
    BTreeMap::from([(name.to_owned(), command.to_owned())])
}

/// Proves: A-024
#[test]
fn a_rust_repository_is_ready_after_one_command() {
    let place = Place::in_git(&[("Cargo.toml", "[package]\n")]).install("claude").install("codex");
    insta::assert_snapshot!(place.see(&["init"]), @r#"
    $ sealwright init
    ✓ sealwright.toml
    ✓ .sealwright/.gitignore
    ✓ .sealwright/.gitattributes
    found rust
    check `tests` runs `cargo test`, as cargo-test
    agents on PATH: codex, claude
    • trying check `tests` on the last commit, for 300 s at the most
    • check `tests` was not tried: no Rust toolchain was found on this machine
    • install Rust, so that `rustc --print sysroot` works
    next: git add --all && git commit, then sealwright doctor
    = 0
    "#);
    let written = fs::read_to_string(place.shop().join("sealwright.toml")).unwrap();
    insta::assert_snapshot!(written, @r#"
    # Configuration of Sealwright for this repository. Commit this file.

    [project]
    name = "shop"
    # Process lane: quick, factory or strict.
    lane = "quick"
    # How far a task may proceed without a person: manual, conservative or auto.
    autonomy = "auto"

    # Checks that gates run; `sealwright gates list` shows what each proves. At least one is required.
    # Kinds: command, cargo-build, cargo-test, nextest, pytest, junit, lint, audit, secrets, lockfile, clean-tree,
    # docs, size. A command is a program and its arguments; no shell is involved.
    [checks.tests]
    kind = "cargo-test"
    timeout_s = 1800

    # [checks.lint]
    # kind = "lint"
    # command = ["make", "lint"]
    # timeout_s = 600

    # Agents do the work. Kinds: claude-code, codex, gemini, opencode, goose, copilot, api, human, script.
    # `model` is optional. Do not put keys here: `key_env` names the environment variable that holds the key.
    [agents.codex]
    kind = "codex"

    [agents.claude]
    kind = "claude-code"

    # The agent of each role. In a list, later agents replace unavailable ones.
    # Without a setting, the challenger is of another model family than the builder.
    [roles]
    default = "codex"

    # Limits per task; unset means no limit.
    # [budget]
    # dollars = 5.00
    # minutes = 60
    # tokens = 2_000_000
    "#);
    let config = Config::parse(&written).unwrap();
    assert_eq!(config.project.name.as_deref(), Some("shop"));
    assert_eq!(config.checks().len(), 1);
    let names = place.names();
    let expected = [
        ".git/HEAD",
        ".sealwright/.gitattributes",
        ".sealwright/.gitignore",
        "Cargo.toml",
        "sealwright.toml",
    ];
    assert_eq!(names, expected.map(PathBuf::from));
    // Other commands find it from here on.
    insta::assert_snapshot!(place.see(&["journal"]), @"
    $ sealwright journal
    no streams yet
    = 0
    ");
}

#[test]
fn an_empty_folder_gets_examples_to_fill_in() {
    let place = Place::with(&[]);
    insta::assert_snapshot!(place.see(&["init"]), @r#"
    $ sealwright init
    ✓ sealwright.toml
    ✓ .sealwright/.gitignore
    ✓ .sealwright/.gitattributes
    • this is no git repository: no check can be tried and nothing can be proven before `git init` and a commit
    • no tests found; add a check to sealwright.toml
    • none of codex, claude, gemini, opencode is on PATH
    next: git init && git add --all && git commit, then sealwright doctor
    = 0
    "#);
    let written = fs::read_to_string(place.shop().join("sealwright.toml")).unwrap();
    insta::assert_snapshot!(written, @r#"
    # Configuration of Sealwright for this repository. Commit this file.

    [project]
    name = "shop"
    # Process lane: quick, factory or strict.
    lane = "quick"
    # How far a task may proceed without a person: manual, conservative or auto.
    autonomy = "auto"

    # Checks that gates run; `sealwright gates list` shows what each proves. At least one is required.
    # Kinds: command, cargo-build, cargo-test, nextest, pytest, junit, lint, audit, secrets, lockfile, clean-tree,
    # docs, size. A command is a program and its arguments; no shell is involved.
    # [checks.tests]
    # command = ["make", "test"]
    # timeout_s = 1800

    # Agents do the work. Kinds: claude-code, codex, gemini, opencode, goose, copilot, api, human, script.
    # `model` is optional. Do not put keys here: `key_env` names the environment variable that holds the key.
    # [agents.main]
    # kind = "codex"
    # model = "name of a model"

    # Limits per task; unset means no limit.
    # [budget]
    # dollars = 5.00
    # minutes = 60
    # tokens = 2_000_000
    "#);
    assert_eq!(Config::parse(&written).unwrap().checks(), []);
}

/// The next step is a command that works: what is missing comes first.
#[test]
fn the_next_step_is_what_is_missing() {
    let codex = "[agents.codex]\nkind = \"codex\"\n";
    let place = Place::with(&[("setup.py", ""), ("sealwright.toml", codex)]);
    let path = std::env::var_os("PATH").unwrap();
    let git =
        std::env::split_paths(&path).map(|it| it.join("git")).find(|it| it.is_file()).unwrap();
    symlink(git, place.programs().join("git")).unwrap();
    let next = |environment: &[(&str, &str)]| {
        let seen = place.see_with(&place.shop(), &["init"], environment);
        let (_, next) = seen.split_once("\nnext: ").unwrap();
        next.strip_suffix("\n= 0").unwrap().to_owned()
    };
    let git = |words: &[&str]| {
        let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
        let mut command = Command::new("git");
        assert!(
            command.args(who).args(words).current_dir(place.shop()).status().unwrap().success()
        );
    };
    let commit = "git add --all && git commit, then sealwright doctor";
    assert_eq!(next(&[]), format!("git init && {commit}"));
    git(&["init", "--quiet"]);
    assert_eq!(next(&[]), commit);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "all"]);
    let lacks = |what: &str| format!("sealwright doctor; no agent can be used yet: {what}");
    assert_eq!(next(&[]), lacks("codex is not installed"));
    let bin = place.outer.path().join("agents/bin");
    fs::create_dir_all(&bin).unwrap();
    fs::copy(place.programs().join("git"), bin.join("codex")).unwrap();
    let agents = place.outer.path().join("agents").display().to_string();
    let agents = ("SEALWRIGHT_AGENTS", agents.as_str());
    assert_eq!(next(&[agents]), lacks("no API key for `codex`"));
    let ready = [agents, ("OPENAI_API_KEY", "sk-in-a-variable")];
    assert_eq!(next(&ready), "sealwright do \"what you want\"");
    let script = "[agents.mine]\nkind = \"script\"\ncommand = [\"scripts\"]\n";
    fs::write(place.shop().join("sealwright.toml"), format!("{codex}{script}")).unwrap();
    let asked = "sealwright allow --show; this repository names what only a person can allow";
    assert_eq!(next(&ready), asked);
    fs::write(place.shop().join("sealwright.toml"), codex).unwrap();
    git(&["rm", "--quiet", "setup.py"]);
    git(&["commit", "--quiet", "--message", "no language"]);
    assert_eq!(next(&ready), "sealwright evaluate");
}

#[test]
fn rust_tests_are_run_the_way_the_repository_is_set_up() {
    let package = ("Cargo.toml", "[package]\nname = \"shop\"\n");
    let workspace = ("Cargo.toml", "[workspace]\nmembers = [\"a\"]\n");
    let nextest = (".config/nextest.toml", "");
    assert_eq!(Place::with(&[package]).checks(), one("tests", "cargo-test:"));
    let folders = [package, ("src/lib.rs", ""), ("tests/a.rs", "")];
    assert_eq!(Place::with(&folders).checks(), one("tests", "cargo-test:"));
    let crates = [workspace, ("crates/a/src/lib.rs", "")];
    assert_eq!(Place::with(&crates).checks(), one("tests", "cargo-test:"));
    let place = Place::with(&[workspace]);
    assert!(
        place.see(&["init"]).contains("check `tests` runs `cargo test --workspace`, as cargo-test")
    );
    assert_eq!(
        Place::with(&[package, nextest]).checks(),
        one("tests", "nextest: cargo nextest run")
    );
    assert_eq!(
        Place::with(&[workspace, nextest]).checks(),
        one("tests", "nextest: cargo nextest run --workspace")
    );
}

#[test]
fn python_tests_are_run_the_way_the_repository_is_set_up() {
    let project = ("pyproject.toml", "[project]\n");
    let setup = ("setup.py", "");
    let pytest = ("requirements.txt", "pytest==9\n");
    let (test, inner) = ("test_shop.py", "tests/test_shop.py");
    let unittest = "import unittest\n";
    assert_eq!(Place::with(&[pytest]).checks(), one("tests", "pytest:"));
    assert_eq!(Place::with(&[project, ("conftest.py", "")]).checks(), one("tests", "pytest:"));
    assert_eq!(
        Place::with(&[setup, (test, unittest)]).checks(),
        one("tests", "command: python -m unittest")
    );
    assert_eq!(
        Place::with(&[setup, (test, unittest)]).install("python3").checks(),
        one("tests", "command: python3 -m unittest")
    );
    assert_eq!(
        Place::with(&[project, (inner, unittest), ("tests/__init__.py", "")]).checks(),
        one("tests", "command: python -m unittest")
    );
    assert_eq!(
        Place::with(&[project, (inner, unittest)]).checks(),
        one("tests", "command: python -m unittest discover -s tests")
    );
    // Functions alone are tests of pytest, with or without anything that says so.
    let functions = (inner, "def test_a():\n    assert True\n");
    assert_eq!(Place::with(&[project, functions]).checks(), one("tests", "pytest:"));
    assert_eq!(Place::with(&[functions]).checks(), one("tests", "pytest:"));
    // Finding no test is a success to some Pythons, so no check is made up.
    assert_eq!(Place::with(&[project]).checks(), BTreeMap::new());
}

#[test]
fn the_test_script_of_a_package_is_run_if_it_is_real() {
    let real = ("package.json", r#"{"scripts":{"test":"mocha"}}"#);
    assert_eq!(Place::with(&[real]).checks(), one("tests", "command: npm test"));
    assert_eq!(
        Place::with(&[real, ("yarn.lock", "")]).checks(),
        one("tests", "command: yarn test")
    );
    assert_eq!(
        Place::with(&[real, ("pnpm-lock.yaml", "")]).checks(),
        one("tests", "command: pnpm test")
    );
    let placeholder = r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#;
    let long = " ".repeat(2_000_000);
    for unreal in ["", "{", "[]", "{}", r#"{"scripts":{"test":" "}}"#, placeholder, &long] {
        let place = Place::with(&[("package.json", unreal)]);
        assert_eq!(place.checks(), BTreeMap::new(), "{unreal}");
    }
}

#[test]
fn a_runner_that_can_write_a_report_is_asked_for_one() {
    let checks = |package: &str, more: &[(&str, &str)]| {
        Place::with(&[&[("package.json", package)], more].concat()).checks()
    };
    let vitest = r#"{"scripts":{"test":"vitest run"}}"#;
    let words = "--run --reporter=junit --outputFile=/reports/junit.xml";
    assert_eq!(checks(vitest, &[]), one("tests", &format!("junit: npm test -- {words}")));
    let pnpm = [("pnpm-lock.yaml", "")];
    assert_eq!(checks(vitest, &pnpm), one("tests", &format!("junit: pnpm test {words}")));
    let jest = r#"{"scripts":{"test":"jest --ci"},"devDependencies":{"jest-junit":"^17"}}"#;
    assert_eq!(checks(jest, &[]), one("tests", "junit: npm test -- --reporters=jest-junit"));
    let node = r#"{"scripts":{"test":"node --test"}}"#;
    let words = "--test-reporter=junit --test-reporter-destination=/reports/junit.xml";
    assert_eq!(checks(node, &[]), one("tests", &format!("junit: npm test -- {words}")));
    // Without the reporter, or with more after the runner, its exit code is all there is.
    for other in [
        r#"{"scripts":{"test":"jest"}}"#,
        r#"{"scripts":{"test":"vitest run && eslint ."}}"#,
        r#"{"scripts":{"test":"node --test src"}}"#,
    ] {
        assert_eq!(checks(other, &[]), one("tests", "command: npm test"), "{other}");
    }
    let place = Place::with(&[("package.json", vitest)]);
    assert!(place.see(&["init"]).ends_with("= 0"));
    let written = fs::read_to_string(place.shop().join("sealwright.toml")).unwrap();
    assert!(
        written.contains("kind = \"junit\"") && written.contains("report = \"junit.xml\""),
        "{written}"
    );
}

#[test]
fn several_languages_each_get_a_check() {
    let place = Place::in_git(&[
        ("Cargo.toml", "[package]\n"),
        ("go.mod", "module shop\n"),
        ("package.json", r#"{"scripts":{"test":"vitest"}}"#),
        ("tsconfig.json", "{}"),
        ("pyproject.toml", "[tool.pytest.ini_options]\n"),
    ]);
    insta::assert_snapshot!(place.see(&["init", "--dry-run", "--format", "json"]), @r#"
    $ sealwright init --dry-run --format json
    {"added":[],"added_checks":[],"detected":{"agents":[],"checks":{"go-tests":["go","test","./..."],"python-tests":["pytest"],"rust-tests":["cargo","test"],"typescript-tests":["npm","test","--","--run","--reporter=junit","--outputFile=/reports/junit.xml"]},"kinds":{"go-tests":"command","python-tests":"pytest","rust-tests":"cargo-test","typescript-tests":"junit"},"languages":["rust","python","typescript","go"]},"dry_run":true,"kept":[],"tried":[],"written":["sealwright.toml",".sealwright/.gitignore",".sealwright/.gitattributes"]}
    = 0
    "#);
    let expected = [
        ("go-tests", "command: go test ./..."),
        ("python-tests", "pytest:"),
        ("rust-tests", "cargo-test:"),
        (
            "typescript-tests",
            "junit: npm test -- --run --reporter=junit --outputFile=/reports/junit.xml",
        ),
    ];
    let expected: BTreeMap<String, String> =
        expected.map(|(name, command)| (name.to_owned(), command.to_owned())).into();
    assert_eq!(place.checks(), expected);
    assert_eq!(Place::with(&[("go.mod", "")]).checks(), one("tests", "command: go test ./..."));
}

#[test]
fn projects_below_are_found_and_parts_of_a_project_are_not() {
    let place = Place::in_git(&[
        ("backend/pyproject.toml", "[tool.pytest.ini_options]\n"),
        ("backend/tests/test_app.py", ""),
        ("services/web/package.json", r#"{"scripts":{"test":"node --test"}}"#),
        ("services/web/tsconfig.json", "{}"),
        ("engine/Cargo.toml", "[workspace]\n"),
        ("engine/crates/one/Cargo.toml", "[package]\n"),
        ("node_modules/left-pad/package.json", r#"{"scripts":{"test":"node --test"}}"#),
        ("examples/demo/go.mod", "module demo\n"),
        ("a; rm/go.mod", "module no\n"),
    ]);
    let expected = [
        ("backend-tests", "pytest: backend"),
        ("engine-tests", "command: sh -c cd engine && exec cargo test --workspace"),
        (
            "services-web-tests",
            "junit: sh -c cd services/web && exec npm test -- --test-reporter=junit \
             --test-reporter-destination=/reports/junit.xml",
        ),
    ];
    let expected: BTreeMap<String, String> =
        expected.map(|(name, command)| (name.to_owned(), command.to_owned())).into();
    assert_eq!(place.checks(), expected);
}

#[test]
fn a_second_time_changes_nothing() {
    let place = Place::in_git(&[("sealwright.toml", "# mine, and not even [valid\n")]);
    insta::assert_snapshot!(place.see(&["init"]), @r#"
    $ sealwright init
    ✓ .sealwright/.gitignore
    ✓ .sealwright/.gitattributes
    · sealwright.toml exists
    next: git add --all && git commit, then sealwright doctor
    = 0
    "#);
    let before = place.files();
    insta::assert_snapshot!(place.see(&["init"]), @r#"
    $ sealwright init
    · sealwright.toml exists
    · .sealwright/.gitignore exists
    · .sealwright/.gitattributes exists
    next: git add --all && git commit, then sealwright doctor
    = 0
    "#);
    insta::assert_snapshot!(place.see(&["init", "--format", "json"]), @r#"
    $ sealwright init --format json
    {"added":[],"added_checks":[],"detected":{"agents":[],"checks":{},"kinds":{},"languages":[]},"dry_run":false,"kept":["sealwright.toml",".sealwright/.gitignore",".sealwright/.gitattributes"],"tried":[],"written":[]}
    = 0
    "#);
    assert_eq!(place.files(), before);
    assert_eq!(before[&place.shop().join("sealwright.toml")], b"# mine, and not even [valid\n");
}

#[test]
fn a_service_that_came_later_gets_its_check_and_nothing_else_changes() {
    let place = Place::in_git(&[
        ("billing/pyproject.toml", "[tool.pytest.ini_options]\n"),
        ("billing/tests/test_app.py", ""),
    ]);
    place.see(&["init", "--no-try"]);
    let file = place.shop().join("sealwright.toml");
    let first = std::fs::read_to_string(&file).unwrap();
    for (path, text) in
        [("pyproject.toml", "[tool.pytest.ini_options]\n"), ("tests/test_audit.py", "")]
    {
        let path = place.shop().join("audit").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    insta::assert_snapshot!(place.see(&["init", "--no-try"]), @r"
    $ sealwright init --no-try
    · sealwright.toml exists
    · .sealwright/.gitignore exists
    · .sealwright/.gitattributes exists
    ✓ check audit-tests in sealwright.toml: `pytest audit`
    next: git add --all && git commit, then sealwright doctor
    = 0
    ");
    let second = std::fs::read_to_string(&file).unwrap();
    let added = second.strip_prefix(&first).unwrap();
    assert_eq!(
        added,
        "\n[checks.audit-tests]\nkind = \"pytest\"\ntests = [\"audit\"]\ntimeout_s = 1800\n"
    );
    place.see(&["init", "--no-try"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), second);
    // A check that runs all tests of the language runs these too.
    std::fs::write(&file, "[checks.unit]\nkind = \"pytest\"\n").unwrap();
    place.see(&["init", "--no-try"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "[checks.unit]\nkind = \"pytest\"\n");
}

#[test]
fn a_dry_run_writes_nothing() {
    let place = Place::in_git(&[("go.mod", "module shop\n")]).install("gemini");
    let before = place.files();
    insta::assert_snapshot!(place.see(&["init", "--dry-run"]), @r#"
    $ sealwright init --dry-run
    would write sealwright.toml
    would write .sealwright/.gitignore
    would write .sealwright/.gitattributes

    # Configuration of Sealwright for this repository. Commit this file.

    [project]
    name = "shop"
    # Process lane: quick, factory or strict.
    lane = "quick"
    # How far a task may proceed without a person: manual, conservative or auto.
    autonomy = "auto"

    # Checks that gates run; `sealwright gates list` shows what each proves. At least one is required.
    # Kinds: command, cargo-build, cargo-test, nextest, pytest, junit, lint, audit, secrets, lockfile, clean-tree,
    # docs, size. A command is a program and its arguments; no shell is involved.
    [checks.tests]
    kind = "command"
    command = ["go", "test", "./..."]
    timeout_s = 1800

    # [checks.lint]
    # kind = "lint"
    # command = ["make", "lint"]
    # timeout_s = 600

    # Agents do the work. Kinds: claude-code, codex, gemini, opencode, goose, copilot, api, human, script.
    # `model` is optional. Do not put keys here: `key_env` names the environment variable that holds the key.
    [agents.gemini]
    kind = "gemini"

    # The agent of each role. In a list, later agents replace unavailable ones.
    [roles]
    default = "gemini"

    # Limits per task; unset means no limit.
    # [budget]
    # dollars = 5.00
    # minutes = 60
    # tokens = 2_000_000
    found go
    check `tests` runs `go test ./...`, as command
    • a check of kind `command` trusts the exit code; docs/gates.md lists kinds that see single tests
    • go: checks run, and `evaluate` reports them; a task is proven by tests in a clean room, which only Rust and Python have
    agents on PATH: gemini
    = 0
    "#);
    assert_eq!(place.files(), before);
}

#[test]
fn nothing_is_written_through_a_link_or_over_something_else() {
    for link in ["sealwright.toml", ".sealwright", ".sealwright/.gitignore"] {
        // It may lead to something that is there, or make something appear where it leads.
        for target in ["victim", "nowhere"] {
            let place = Place::in_git(&[]);
            fs::write(place.outer.path().join("victim"), "untouched").unwrap();
            fs::create_dir_all(place.shop().join(link).parent().unwrap()).unwrap();
            symlink(place.outer.path().join(target), place.shop().join(link)).unwrap();
            let before = place.files();
            let seen = place.see(&["init"]);
            let expected = format!(
                "$ sealwright init\n\
                 error: `{link}` is a symbolic link; refusing to write through it\n\
                 hint: replace the link with the file, or remove it\n= 12"
            );
            assert_eq!(seen, expected);
            assert_eq!(place.files(), before);
        }
    }
    let place = Place::in_git(&[(".sealwright", "a file"), ("go.mod", "")]);
    let before = place.files();
    insta::assert_snapshot!(place.see(&["init"]), @"
    $ sealwright init
    error: `.sealwright` already exists and is in the way
    hint: move it away and run the command again
    = 12
    ");
    assert_eq!(place.files(), before);
    let place = Place::in_git(&[("sealwright.toml/inside", "")]);
    insta::assert_snapshot!(place.see(&["init", "--dry-run"]), @"
    $ sealwright init --dry-run
    error: `sealwright.toml` already exists and is in the way
    hint: move it away and run the command again
    = 12
    ");
}

#[test]
fn a_folder_that_cannot_be_written_is_the_environments_fault() {
    let place = Place::in_git(&[("go.mod", "module shop\n")]);
    fs::set_permissions(place.shop(), fs::Permissions::from_mode(0o555)).unwrap();
    // Some users may write everywhere; for them there is nothing to see here.
    if fs::write(place.shop().join("probe"), "").is_err() {
        insta::assert_snapshot!(place.see(&["init"]), @"
        $ sealwright init
        error: cannot write `sealwright.toml`
          caused by: Permission denied (os error 13)
        hint: check the permissions of the folder and the free disk space
        = 20
        ");
    }
    fs::set_permissions(place.shop(), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(!place.shop().join(".sealwright").exists());
}

#[test]
fn the_folder_can_be_named() {
    let place = Place::in_git(&[("go.mod", "module shop\n")]);
    let outer = place.outer.path();
    symlink(place.shop(), outer.join("by-link")).unwrap();
    let seen = place.see_from(outer, &["init", "--repository", "by-link"]);
    assert!(seen.ends_with("= 0"), "{seen}");
    assert!(place.shop().join(".sealwright/.gitattributes").is_file());
    insta::assert_snapshot!(place.see_from(outer, &["init", "--repository", "nowhere"]), @"
    $ sealwright init --repository nowhere
    error: cannot use the folder nowhere
      caused by: No such file or directory (os error 2)
    hint: create the folder, or name another
    = 20
    ");
    insta::assert_snapshot!(place.see(&["init", "--repository", "go.mod"]), @"
    $ sealwright init --repository go.mod
    error: cannot use the folder go.mod
      caused by: not a directory
    hint: create the folder, or name another
    = 20
    ");
}

/// A program in the repository is not on anybody's `PATH`.
#[test]
fn a_repository_cannot_pose_as_an_agent() {
    let place = Place::in_git(&[("codex", "#!/bin/sh\n")]);
    let planted = place.shop().join("codex");
    fs::set_permissions(planted, fs::Permissions::from_mode(0o755)).unwrap();
    // Nor is a file that nobody may execute.
    fs::write(place.programs().join("claude"), "").unwrap();
    let seen = place.see(&["init", "--dry-run", "--format", "json"]);
    assert!(seen.contains(r#""agents":[]"#), "{seen}");
}

/// A project begins with two files more, which ask for what every version needs. Nothing that is there is overwritten, and
/// nothing is written through a link.
///
/// Proves in part: L-005, L-007
#[test]
fn a_project_begins_with_its_preferences_and_a_folder_for_input() {
    let place = Place::in_git(&[]);
    let seen = place.see(&["init", "--project", "--no-try"]);
    assert!(seen.contains("✓ preferences.md") && seen.ends_with("= 0"), "{seen}");
    let shop = place.shop();
    let names = place.names();
    let expected = [
        ".git/HEAD",
        ".sealwright/.gitattributes",
        ".sealwright/.gitignore",
        "docs/input/README.md",
        "preferences.md",
        "sealwright.toml",
    ];
    assert_eq!(names, expected.map(PathBuf::from));
    fs::write(shop.join("preferences.md"), "mine").unwrap();
    place.see(&["init", "--project", "--no-try"]);
    assert_eq!(fs::read_to_string(shop.join("preferences.md")).unwrap(), "mine");
    let linked = Place::in_git(&[]);
    symlink(linked.outer.path(), linked.shop().join("docs")).unwrap();
    let seen = linked.see(&["init", "--project", "--no-try"]);
    assert!(seen.contains("docs") && !seen.ends_with("= 0"), "{seen}");
    assert!(!linked.outer.path().join("input").exists());
}
