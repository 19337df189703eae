//! Histories: a repository that is built merge by merge, and what the command says of it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use jsonschema::Validator;
use serde_json::Value;

/// A repository without a `.sealwright`.
pub(crate) struct History {
    folder: tempfile::TempDir,
}

/// What the command said.
#[derive(Debug)]
pub(crate) struct Looked {
    pub(crate) code: i32,
    pub(crate) told: String,
    /// What it said of each change, by the last word of its subject.
    pub(crate) changes: BTreeMap<String, Value>,
    pub(crate) summary: Value,
}

impl History {
    /// A repository with these files in its first commit.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let open = fs::Permissions::from_mode(0o755);
        let folder = tempfile::Builder::new().permissions(open).tempdir().unwrap();
        let history = Self { folder };
        history.git(&["init", "--quiet", "--initial-branch=main"]);
        history.write(files);
        history.commit("the beginning");
        history
    }

    /// A branch with these files, merged.
    pub(crate) fn merge(&self, name: &str, files: &[(&str, &str)]) {
        self.git(&["switch", "--quiet", "--create", name]);
        self.write(files);
        self.commit(&format!("work on {name}"));
        self.git(&["switch", "--quiet", "main"]);
        let message = format!("Merge branch {name}");
        self.git(&["merge", "--quiet", "--no-ff", "--message", &message, name]);
    }

    /// Files with these texts; one without text is removed.
    pub(crate) fn write(&self, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = self.path(name);
            if text.is_empty() {
                fs::remove_file(path).unwrap();
                continue;
            }
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        let person = ["-c", "user.name=ada", "-c", "user.email=ada@example.org"];
        let mut git = Command::new("git");
        git.args(person).args(args).current_dir(self.folder.path());
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        // The same history has the same commits, and so the same mutants.
        git.env("GIT_AUTHOR_DATE", DATE).env("GIT_COMMITTER_DATE", DATE);
        let output = git.output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Where a program of this machine is.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        let path = std::env::var_os("PATH").unwrap();
        std::env::split_paths(&path).map(|it| it.join(name)).find(|it| it.is_file()).unwrap()
    }

    /// Everything below the folder: work tree, index, references, objects.
    pub(crate) fn everything(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        let (mut all, mut open) = (BTreeMap::new(), vec![self.folder.path().to_owned()]);
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let (path, found) = entry.map(|it| (it.path(), it.metadata().unwrap())).unwrap();
                let content = match found.is_dir() {
                    true => {
                        open.push(path.clone());
                        Vec::new()
                    }
                    false => fs::read(&path).unwrap(),
                };
                all.insert(path, (found.permissions().mode(), content));
            }
        }
        all
    }

    /// Looks back; every line has to be what the published schema says.
    pub(crate) fn look(&self, args: &[&str]) -> Looked {
        let (code, printed, told) = self.run(&[args, &["--format", "json"]].concat(), &[]);
        let schema = schema();
        let mut values: Vec<Value> = printed
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}, {told}")))
            .collect();
        for value in &values {
            let errors: Vec<String> = schema.iter_errors(value).map(|it| it.to_string()).collect();
            assert_eq!(errors, [""; 0], "{value:#}");
        }
        let summary = values.pop().unwrap_or_default();
        let name = |value: &Value| {
            let subject = value["subject"].as_str().unwrap();
            subject.rsplit(' ').next().unwrap().to_owned()
        };
        let changes = values.into_iter().map(|value| (name(&value), value)).collect();
        Looked { code, told, changes, summary }
    }

    pub(crate) fn run(&self, args: &[&str], around: &[(&str, &str)]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_sealwright"))
            .arg("evaluate")
            .args(args)
            .current_dir(self.folder.path())
            .env("NO_COLOR", "1")
            .env("VIRTUAL_ENV", python())
            .env("SEALWRIGHT_STATE", std::env::temp_dir().join("sealwright-tests"))
            .envs(around.iter().copied())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }
}

impl Looked {
    /// What was said of one change.
    pub(crate) fn of(&self, name: &str) -> &Value {
        self.changes.get(name).unwrap_or_else(|| panic!("{name}: {self:#?}"))
    }

    /// What would have become of one change, and the first reason.
    pub(crate) fn fate(&self, name: &str) -> (&str, &str) {
        let value = self.of(name);
        (value["fate"].as_str().unwrap(), value["why"][0].as_str().unwrap_or_default())
    }
}

/// A Python with pytest and what lists mutants, made once for this machine.
fn python() -> PathBuf {
    let named = std::env::var_os("SEALWRIGHT_PYTHON").map(PathBuf::from);
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache");
    let folder = named.unwrap_or_else(|| cache.unwrap_or_else(home).join("sealwright/python"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.ci/python");
    assert!(Command::new(script).arg(&folder).status().unwrap().success());
    folder
}

fn schema() -> Validator {
    let text = include_str!("../../../../docs/schemas/evaluate.json");
    jsonschema::draft202012::new(&serde_json::from_str(text).unwrap()).unwrap()
}

const DATE: &str = "@1790000000 +0000";
