//! `sealwright gates try`, with a real repository, real walls and real runners.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]
#![expect(clippy::disallowed_methods, reason = "these tests start the binary")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::{Value, json};

#[path = "hands/terminal.rs"]
mod terminal;

#[test]
fn a_python_suite_passes_by_every_test_that_was_seen() {
    let project = Project::python("assert calc.add(2, 3) == 5");
    let tried = project.tries("tests", &[]);
    assert_eq!((tried.code, &tried.value["verdict"]), (0, &json!("pass")), "{tried:?}");
    assert_eq!(tried.value["kind"], "pytest");
    assert_eq!(tried.tests(), [("test_it_adds".to_owned(), "passed".to_owned())]);
    let (code, people, _) = project.run(&["tests"], &[]);
    assert_eq!((code, people.as_str()), (0, "tests: pass\ntests: 1 test (1 passed)\n"));
}

#[test]
fn a_python_suite_with_a_failing_test_is_not_proven() {
    let project = Project::python("assert calc.add(2, 3) == 6");
    let tried = project.tries("tests", &[]);
    assert_eq!((tried.code, &tried.value["verdict"]), (10, &json!("fail")), "{tried:?}");
    assert_eq!(tried.tests(), [("test_it_adds".to_owned(), "failed".to_owned())]);
    assert!(tried.told.contains("error: not proven: gate `tests` failed"), "{}", tried.told);
    if let Some(printed) = terminal::at_a_terminal(&project.command(&["tests"])) {
        assert!(printed.contains("tests: fail"), "{printed}");
        terminal::fits(&printed);
    }
}

#[test]
fn no_test_is_no_pass_whether_files_are_missing_or_empty() {
    let project = Project::untested();
    let tried = project.tries("tests", &[]);
    assert_eq!((tried.code, &tried.value["verdict"]), (10, &json!("cannot_tell")), "{tried:?}");

    project.file("tests/test_calc.py", "import calc\n");
    project.commit();
    let tried = project.tries("tests", &[]);
    assert_eq!((tried.code, tried.tests()), (10, Vec::new()), "{tried:?}");
    assert_ne!(tried.value["verdict"], "pass", "{tried:?}");
}

/// Proves in part: F-LIMIT-001
#[test]
fn a_test_that_never_ends_is_a_failure_and_one_that_is_skipped_at_that_commit_is_shown() {
    let project = Project::python("assert calc.add(2, 3) == 5");
    let skipped = "import pytest\n\n\n@pytest.mark.skip\ndef test_it_waits():\n    pass\n";
    project.file("tests/test_more.py", skipped);
    project.commit();
    let tried = project.tries("tests", &[]);
    assert_eq!((tried.code, &tried.value["verdict"]), (0, &json!("pass")), "{tried:?}");
    assert!(tried.tests().contains(&("test_it_waits".to_owned(), "skipped".to_owned())));

    project
        .file("tests/test_more.py", "import time\n\n\ndef test_it_waits():\n    time.sleep(600)\n");
    project.file("sealwright.toml", &format!("{PYTEST}timeout_s = 5\n"));
    project.commit();
    let tried = project.tries("tests", &[]);
    assert_eq!((tried.code, &tried.value["verdict"]), (10, &json!("fail")), "{tried:?}");
}

/// Packages that npm installed beside a manifest are there, and what a runner writes among them is thrown away.
#[test]
fn a_script_of_npm_finds_the_packages_that_are_installed() {
    let project = Project::new("[checks.tests]\ncommand = [\"npm\", \"test\"]\n");
    project.file(".gitignore", "node_modules\n");
    project.file("package.json", r#"{"type": "module", "scripts": {"test": "node --test"}}"#);
    project.file(
        "node_modules/left/package.json",
        r#"{"name": "left", "type": "module", "main": "left.js"}"#,
    );
    project.file("node_modules/left/left.js", "export const pad = (text) => ` ${text}`;\n");
    // An earlier run outside of the sandbox left results that only this user may change.
    project.file("node_modules/.vite/results.json", "{}");
    let test = "import test from 'node:test';\nimport assert from 'node:assert';\nimport fs from 'node:fs';\n\
                import { pad } from 'left';\n\n\
                test('it pads', () => {\n  fs.writeFileSync('node_modules/.cache', 'x');\n  \
                fs.writeFileSync('node_modules/.vite/results.json', 'x');\n  \
                assert.equal(pad('a'), ' a');\n});\n";
    project.file("pad.test.js", test);
    project.commit();
    let tried = project.tries("tests", &[]);
    assert_eq!((tried.code, &tried.value["verdict"]), (0, &json!("pass")), "{tried:?}");
    assert!(!project.path("node_modules/.cache").exists());
    assert_eq!(fs::read(project.path("node_modules/.vite/results.json")).unwrap(), b"{}");

    project.file("pad.test.js", &test.replace("' a'", "'a'"));
    project.commit();
    let tried = project.tries("tests", &[]);
    assert_eq!((tried.code, &tried.value["verdict"]), (10, &json!("fail")), "{tried:?}");
}

/// A run has another user than root, who keeps everything to itself here.
#[test]
fn a_repository_that_was_made_under_a_closed_umask_is_tested_under_it() {
    let mut project = Project::python("assert calc.add(2, 3) == 5");
    let npm = "[checks.pad]\ncommand = [\"npm\", \"test\"]\n";
    let cargo = "[checks.crate]\nkind = \"cargo-test\"\n";
    project.file("sealwright.toml", &format!("{PYTEST}{npm}{cargo}"));
    project.file(".gitignore", "node_modules\n");
    project.file("package.json", r#"{"type": "module", "scripts": {"test": "node --test"}}"#);
    project.file("node_modules/left/package.json", r#"{"name": "left", "main": "left.js"}"#);
    project.file("node_modules/left/left.js", "exports.pad = (text) => ` ${text}`;\n");
    project.file("deep/pad.test.js", "import { pad } from 'left';\npad('a');\n");
    project.add_crate();
    project.commit();
    // Packages that are installed under this umask are closed as well.
    let version = fs::read_dir(project.environment().join("lib")).unwrap().next().unwrap();
    let packages = version.unwrap().path().join("site-packages");
    fs::remove_file(packages.join("pytest.pth")).unwrap();
    must(Command::new("cp").arg("-r").arg(site().join(".")).arg(&packages));
    project.close();
    for check in ["tests", "pad", "crate"] {
        let tried = project.tries(check, &[]);
        assert_eq!((tried.code, &tried.value["verdict"]), (0, &json!("pass")), "{tried:?}");
    }
}

/// A Python project in a folder of its own is tested as its own configuration says.
#[test]
fn a_service_in_a_folder_is_tested_by_its_own_configuration() {
    let project = Project::untested();
    project.file("sealwright.toml", "[checks.tests]\nkind = \"pytest\"\ntests = [\"api/tests\"]\n");
    project.file(
        "api/pyproject.toml",
        "[tool.pytest.ini_options]\npythonpath = [\"lib\"]\naddopts = \"-m 'not slow'\"\nmarkers = [\"slow\"]\n",
    );
    project.file("api/lib/shop/__init__.py", "def add(a, b):\n    return a + b\n");
    let test = "import pytest\nfrom shop import add\n\n\ndef test_it_adds():\n    assert add(1, 2) == 3\n\n\n\
                @pytest.mark.slow\ndef test_it_is_left_out():\n    assert False\n";
    project.file("api/tests/test_shop.py", test);
    project.commit();
    let tried = project.tries("tests", &[]);
    assert_eq!((tried.code, &tried.value["verdict"]), (0, &json!("pass")), "{tried:?}");
    assert_eq!(tried.tests(), [("test_it_adds".to_owned(), "passed".to_owned())]);
}

#[test]
fn what_the_gate_names_is_what_is_run() {
    let project = Project::python("assert calc.add(2, 3) == 5");
    project.file("slow/test_more.py", "def test_it_never_holds():\n    assert False\n");
    project.file(
        "sealwright.toml",
        &format!("{PYTEST}tests = [\"tests\"]\nsources = [\"calc.py\"]\n"),
    );
    project.commit();
    let tried = project.tries("tests", &[]);
    assert_eq!(tried.code, 0, "{tried:?}");
    assert_eq!(tried.tests(), [("test_it_adds".to_owned(), "passed".to_owned())]);

    project.file("sealwright.toml", PYTEST);
    let tried = project.tries("tests", &[]);
    assert_eq!((tried.code, tried.tests().len()), (10, 2), "{tried:?}");
}

#[test]
fn a_rust_suite_is_built_and_run_in_a_clean_room() {
    let project = Project::new("[checks.tests]\nkind = \"cargo-test\"\n");
    project.add_crate();
    project.commit();
    let tried = project.tries("tests", &[]);
    assert_eq!((tried.code, &tried.value["verdict"]), (0, &json!("pass")), "{tried:?}");
    assert!(tried.tests().contains(&("it_adds".to_owned(), "passed".to_owned())), "{tried:?}");
}

/// Proves: P-038
#[test]
fn a_command_is_judged_on_the_commit_that_was_named() {
    let project = Project::new("[checks.site]\ncommand = [\"./ci/site.sh\"]\n");
    project.script("ci/site.sh", "#!/bin/sh\ntest -f index.html\n");
    project.commit();
    let tried = project.tries("site", &[]);
    assert_eq!((tried.code, &tried.value["verdict"]), (10, &json!("fail")), "{tried:?}");
    assert_eq!(tried.value["because"], json!(["the command exited with 1"]), "{tried:?}");

    project.file("index.html", "<p>hello</p>\n");
    assert_eq!(project.tries("site", &[]).code, 10, "what is not committed is not judged");
    project.commit();
    assert_eq!(project.tries("site", &[]).code, 0);
    assert_eq!(project.tries("site", &["--rev", "HEAD~1"]).code, 10);
}

#[test]
fn a_program_that_is_not_there_is_never_a_pass() {
    let project = Project::new("[checks.site]\ncommand = [\"no-such-program\"]\n");
    project.commit();
    let tried = project.tries("site", &[]);
    assert_eq!((tried.code, &tried.value["verdict"]), (10, &json!("cannot_tell")), "{tried:?}");
}

#[test]
fn what_is_not_there_is_named_before_anything_runs() {
    let project =
        Project::new("[checks.site]\ncommand = [\"true\"]\n[checks.brake]\nkind = \"size\"\n");
    project.commit();
    let (code, printed, told) = project.run(&["sight"], &[]);
    assert_eq!((code, printed.as_str()), (2, ""), "{told}");
    assert_eq!(told, "error: no gate is called `sight`\nhint: there are brake, site\n");

    let (code, printed, told) = project.run(&["site", "--rev", "no-such-branch"], &[]);
    assert_eq!((code, printed.as_str()), (2, ""), "{told}");
    assert!(told.starts_with("error: there is no commit `no-such-branch`\nhint: "), "{told}");
}

#[test]
fn a_machine_that_cannot_perform_a_gate_says_so() {
    let project = Project::python("assert calc.add(2, 3) == 5");
    // All this person has is git.
    fs::remove_dir_all(project.environment()).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let git = std::env::split_paths(&path).map(|it| it.join("git")).find(|it| it.is_file());
    std::os::unix::fs::symlink(git.unwrap(), project.beside.path().join("git")).unwrap();
    let path = project.beside.path().to_str().unwrap();
    let (code, printed, told) = project.run(&["tests"], &[("PATH", path)]);
    assert_eq!((code, printed.as_str()), (20, ""), "{told}");
    assert!(
        told.contains("error: no Python with pytest was found on this machine\nhint: "),
        "{told}"
    );

    let folder = Project::new("[checks.site]\ncommand = [\"true\"]\n");
    fs::remove_dir_all(folder.path(".git")).unwrap();
    let (code, printed, told) = folder.run(&["site"], &[]);
    assert_eq!((code, printed.as_str()), (20, ""), "{told}");
}

#[test]
fn a_dirty_tree_stays_as_it_is() {
    let project = Project::new(
        "[checks.site]\ncommand = [\"sh\", \"-c\", \"rm -rf ./* && echo x > a.txt\"]\n",
    );
    project.file("a.txt", "committed\n");
    project.file("b.txt", "committed\n");
    project.commit();
    project.file("a.txt", "edited\n");
    project.file("new.txt", "untracked\n");
    fs::remove_file(project.path("b.txt")).unwrap();
    let before = project.everything();
    assert_eq!(project.tries("site", &[]).code, 0);
    assert_eq!(project.everything(), before);
}

/// A repository with a configuration, and a folder beside it for what a person keeps elsewhere.
struct Project {
    folder: tempfile::TempDir,
    beside: tempfile::TempDir,
    umask: &'static str,
}

/// What came of a trial.
#[derive(Debug)]
struct Tried {
    code: i32,
    told: String,
    value: Value,
}

impl Tried {
    /// Each test and how it ended.
    fn tests(&self) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let tests = self.value["tests"].as_array().unwrap().iter();
        tests.map(|test| (text(&test["name"]), text(&test["status"]))).collect()
    }
}

impl Project {
    fn new(configuration: &str) -> Self {
        let folder = || {
            let open = fs::Permissions::from_mode(0o755);
            tempfile::Builder::new().permissions(open).tempdir().unwrap()
        };
        let project = Self { folder: folder(), beside: folder(), umask: "022" };
        project.git(&["init", "--quiet"]);
        project.file("sealwright.toml", configuration);
        project
    }

    /// A module that adds, for a machine that has pytest.
    fn untested() -> Self {
        let project = Self::new(PYTEST);
        let environment = project.environment();
        must(Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(&environment));
        let ask = ["-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"];
        let packages = must(Command::new(environment.join("bin/python3")).args(ask));
        let lead = Path::new(packages.trim()).join("pytest.pth");
        fs::write(lead, format!("{}\n", site().display())).unwrap();
        project.file("calc.py", "def add(a, b):\n    return a + b\n");
        project.commit();
        project
    }

    /// A crate that adds numbers, with a test of that.
    fn add_crate(&self) {
        let manifest = "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
        self.file("Cargo.toml", manifest);
        self.file(
            "Cargo.lock",
            "version = 4\n\n[[package]]\nname = \"calc\"\nversion = \"0.1.0\"\n",
        );
        self.file("src/lib.rs", "pub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n");
        let test = "#[test]\nfn it_adds() {\n    assert_eq!(calc::add(2, 3), 5);\n}\n";
        self.file("tests/calc.rs", test);
    }

    /// The same with one test, which says this of it.
    fn python(claim: &str) -> Self {
        let project = Self::untested();
        let test = format!("import calc\n\n\ndef test_it_adds():\n    {claim}\n");
        project.file("tests/test_calc.py", &test);
        project.commit();
        project
    }

    fn environment(&self) -> PathBuf {
        self.beside.path().join("environment")
    }

    /// Takes every right from every other user, here and of what the program makes from now on.
    fn close(&mut self) {
        must(Command::new("chmod").args(["-R", "go="]).arg(self.folder.path()));
        must(Command::new("chmod").args(["-R", "go="]).arg(self.environment()));
        self.umask = "077";
    }

    /// The state folder: one for all tests, or for one umask.
    fn state(&self) -> PathBuf {
        match self.umask {
            "022" => std::env::temp_dir().join("sealwright-tests"),
            _ => self.beside.path().join("state"),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    fn script(&self, name: &str, text: &str) {
        self.file(name, text);
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "work"]);
    }

    fn git(&self, args: &[&str]) {
        let person = ["-c", "user.name=ada", "-c", "user.email=ada@example.org"];
        let mut git = Command::new("git");
        git.args(person).args(args).current_dir(self.folder.path());
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        assert!(git.status().unwrap().success(), "{args:?}");
    }

    /// Every file, with its mode and its content.
    fn everything(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        let (mut all, mut open) = (BTreeMap::new(), vec![self.folder.path().to_owned()]);
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let (path, found) = entry.map(|it| (it.path(), it.metadata().unwrap())).unwrap();
                match found.is_dir() {
                    true => open.push(path),
                    false => {
                        let content = fs::read(&path).unwrap();
                        all.insert(path, (found.permissions().mode(), content));
                    }
                }
            }
        }
        all
    }

    /// Tries a gate; what is printed has to be what the published schema says.
    fn tries(&self, name: &str, more: &[&str]) -> Tried {
        let (code, printed, told) = self.run(&[&[name, "--format", "json"], more].concat(), &[]);
        let value: Value = serde_json::from_str(&printed)
            .unwrap_or_else(|error| panic!("{error}: {printed}, {told}"));
        assert!(schema().is_valid(&value), "{value}");
        assert_eq!(value["gate"], name);
        Tried { code, told, value }
    }

    fn run(&self, args: &[&str], around: &[(&str, &str)]) -> (i32, String, String) {
        let output = self.command(args).envs(around.iter().copied()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", &format!("umask {}; exec \"$@\"", self.umask), "sh"])
            .args([env!("CARGO_BIN_EXE_sealwright"), "gates", "try"])
            .args(args)
            .current_dir(self.folder.path())
            .env("NO_COLOR", "1")
            .env("VIRTUAL_ENV", self.environment())
            .env("SEALWRIGHT_STATE", self.state())
            .stdin(Stdio::null());
        command
    }
}

/// A folder with pytest in it, fetched once for this machine. Without it there is no test, and that is a failure.
fn site() -> &'static Path {
    static SITE: OnceLock<PathBuf> = OnceLock::new();
    SITE.get_or_init(|| {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let home = || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache");
        let cache = cache.unwrap_or_else(home).join("sealwright/tests");
        let site = cache.join("pytest-9");
        if !site.exists() {
            fs::create_dir_all(&cache).unwrap();
            let making = tempfile::tempdir_in(&cache).unwrap();
            let fetch = ["-m", "pip", "install", "--quiet", "pytest>=9,<10", "--target"];
            must(Command::new("python3").args(fetch).arg(making.path().join("site")));
            // Another test may have been faster.
            if fs::rename(making.path().join("site"), &site).is_err() {
                assert!(site.exists(), "pytest could not be put into its place");
            }
        }
        site
    })
}

fn must(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {told}");
    String::from_utf8(output.stdout).unwrap()
}

fn schema() -> Validator {
    let text = include_str!("../../../docs/schemas/gates.json");
    jsonschema::draft202012::new(&serde_json::from_str(text).unwrap()).unwrap()
}

const PYTEST: &str = "[checks.tests]\nkind = \"pytest\"\n";
