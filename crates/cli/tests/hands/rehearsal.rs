//! A repository in which `sealwright do` runs, with a folder of scripts in place of models.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

pub(crate) struct Rehearsal {
    repository: tempfile::TempDir,
    scripts: tempfile::TempDir,
    state: tempfile::TempDir,
}

impl Rehearsal {
    /// Everybody is honest but those who are given another script, by the name of its file.
    pub(crate) fn with(others: &[(&str, &str)]) -> Self {
        Self::configured(others, "")
    }

    /// The same, with more lines in `sealwright.toml`.
    pub(crate) fn configured(others: &[(&str, &str)], more: &str) -> Self {
        let folder = || tempfile::tempdir().unwrap();
        let rehearsal = Self { repository: folder(), scripts: folder(), state: folder() };
        for (path, text) in PROJECT {
            let path = rehearsal.repository.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let honest = BTreeMap::from(HONEST);
        for (name, text) in
            honest.iter().map(|(name, text)| (*name, *text)).chain(others.iter().copied())
        {
            fs::write(rehearsal.scripts.path().join(format!("{name}.toml")), text).unwrap();
        }
        let config = format!(
            "[sandbox]\nquick = \"advisory\"\nfactory = \"advisory\"\nstrict = \"advisory\"\n\
             [checks.tests]\nkind = \"pytest\"\nsets = [\"iteration\"]\nsources = [\"parking\"]\n\
             [agents.rehearsed]\nkind = \"script\"\ncommand = [\"{}\"]\n{more}",
            rehearsal.scripts.path().display()
        );
        fs::write(rehearsal.repository.path().join("sealwright.toml"), config).unwrap();
        for words in [
            &["init", "--quiet", "--initial-branch=main"][..],
            &["config", "user.name", "Ada"],
            &["config", "user.email", "ada@example.org"],
        ] {
            rehearsal.git(words);
        }
        rehearsal.see(&["init"]);
        rehearsal.git(&["add", "--all"]);
        rehearsal.git(&["commit", "--quiet", "--message", "parking"]);
        rehearsal
    }

    /// The same repository at another place, to try something on.
    pub(crate) fn copied(&self) -> Self {
        let folder = || tempfile::tempdir().unwrap();
        let copy = Self { repository: folder(), scripts: folder(), state: folder() };
        let from = format!("{}/.", self.path().display());
        let copied = Command::new("cp").arg("-a").arg(from).arg(copy.path()).status().unwrap();
        assert!(copied.success());
        copy
    }

    /// Gives a role another script from now on.
    pub(crate) fn rewrite(&self, name: &str, text: &str) {
        let path = self.scripts.path().join(format!("{name}.toml"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Runs `do` in a lane, approves the contract, and goes on; gives the name of the task.
    pub(crate) fn play(&self, lane: &str) -> String {
        let task = self.ask(&[WANTED, "--lane", lane]);
        self.see(&["approve", &task]);
        let _ = self.sealwright(&["do", "--continue", &task]);
        task
    }

    /// Runs `do` until the contract waits for a person; gives the name of the task.
    pub(crate) fn ask(&self, words: &[&str]) -> String {
        let asked = self.sealwright(&[&["do"], words].concat());
        let told = said(&asked);
        assert_eq!(asked.status.code(), Some(11), "{told}");
        let begins = told.lines().find(|line| line.contains(" starts at commit ")).unwrap();
        begins.split(' ').find(|word| word.starts_with("T-")).unwrap().to_owned()
    }

    /// A person opens the last gate, and the task goes on.
    pub(crate) fn accept(&self, task: &str) {
        assert!(self.event(task, "owner_asked").is_some(), "{:?}", self.event(task, "halted"));
        assert!(!self.has_branch(task), "nobody was asked");
        self.see(&["approve", task, "--because", "I read it"]);
        self.see(&["do", "--continue", task]);
    }

    pub(crate) fn sealwright(&self, words: &[&str]) -> Output {
        self.sealwright_in(self.path(), words)
    }

    /// The same, started in another folder.
    pub(crate) fn sealwright_in(&self, folder: &Path, words: &[&str]) -> Output {
        self.command(folder, words).output().unwrap()
    }

    /// The program with these words, as this person starts it.
    pub(crate) fn command(&self, folder: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sealwright"));
        command.args(words).current_dir(folder).stdin(Stdio::null());
        command.env("NO_COLOR", "1").env("SEALWRIGHT_STATE", self.state.path());
        // The person wrote these configurations.
        command.env("SEALWRIGHT_ALLOW", "/");
        // The Python with pytest that the gate installs.
        if let Some(python) = std::env::var_os("SEALWRIGHT_PYTHON") {
            command.env("VIRTUAL_ENV", python);
        }
        command
    }

    /// What a command prints that has to succeed.
    pub(crate) fn see(&self, words: &[&str]) -> String {
        let output = self.sealwright(words);
        assert!(output.status.success(), "{words:?}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// What a command says that ends with this exit code.
    pub(crate) fn says(&self, code: i32, words: &[&str]) -> String {
        let output = self.sealwright(words);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {}", said(&output));
        said(&output)
    }

    /// The same, started by a role.
    pub(crate) fn says_as_role(&self, code: i32, words: &[&str]) -> String {
        let mut command = self.command(self.path(), words);
        let output = command.env("SEALWRIGHT_ROLE", "builder").output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{words:?}: {}", said(&output));
        said(&output)
    }

    /// Every record of the task, in order.
    pub(crate) fn records(&self, task: &str) -> Vec<Value> {
        let folder = self.repository.path().join(".sealwright/journal").join(task);
        let mut segments: Vec<_> =
            fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
        segments.retain(|path| path.extension().is_some_and(|it| it == "jsonl"));
        segments.sort();
        let text: String = segments.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Every event of the task, in order, each as an object with one member or a word.
    pub(crate) fn events(&self, task: &str) -> Vec<Value> {
        let of = |record: Value| record["events"].as_array().cloned().unwrap_or_default();
        self.records(task).into_iter().flat_map(of).collect()
    }

    /// The payloads of all events of this name.
    pub(crate) fn all(&self, task: &str, name: &str) -> Vec<Value> {
        self.events(task).into_iter().filter_map(|event| event.get(name).cloned()).collect()
    }

    /// The same for the events of slices.
    pub(crate) fn of_slices(&self, task: &str, name: &str) -> Vec<Value> {
        let slices = self.all(task, "slice");
        slices.into_iter().filter_map(|it| it["event"].get(name).cloned()).collect()
    }

    /// The phases, in the order they were entered.
    pub(crate) fn phases(&self, task: &str) -> Vec<String> {
        let entered = self.all(task, "entered").into_iter();
        entered.map(|it| it["phase"].as_str().unwrap().to_owned()).collect()
    }

    /// The payload of the first event of this name.
    pub(crate) fn event(&self, task: &str, name: &str) -> Option<Value> {
        self.events(task).into_iter().find_map(|event| event.get(name).cloned())
    }

    /// The calls of roles, in order: role and call.
    pub(crate) fn calls(&self, task: &str) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let spent = self.events(task).into_iter().filter_map(|event| event.get("spent").cloned());
        spent.map(|it| (text(&it["receipt"]["role"]), text(&it["receipt"]["part"]))).collect()
    }

    pub(crate) fn git(&self, words: &[&str]) -> String {
        let mut command = Command::new("git");
        let output = command.args(words).current_dir(self.repository.path()).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// A file of the branch that was kept.
    pub(crate) fn kept(&self, task: &str, path: &str) -> String {
        self.git(&["show", &format!("sealwright/{task}:{path}")])
    }

    pub(crate) fn has_branch(&self, task: &str) -> bool {
        !self.git(&["branch", "--list", &format!("sealwright/{task}")]).is_empty()
    }

    pub(crate) fn path(&self) -> &Path {
        self.repository.path()
    }

    /// The folder of the scripts.
    pub(crate) fn scripts(&self) -> &Path {
        self.scripts.path()
    }

    pub(crate) fn file(&self, below: &str) -> String {
        fs::read_to_string(self.path().join(below)).unwrap()
    }

    /// A file of the folder of a task.
    pub(crate) fn view(&self, task: &str, name: &str) -> String {
        self.file(&format!(".sealwright/tasks/{task}/{name}"))
    }
}

impl Drop for Rehearsal {
    fn drop(&mut self) {
        crate::traces::leave(&self.repository.path().join(".sealwright"));
    }
}

fn said(output: &Output) -> String {
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{out}{err}= {:?}", output.status.code())
}

/// `script`, after something else is run.
pub(crate) fn after(command: &str, script: &str) -> String {
    format!("[[step]]\ndo = \"run\"\ncommand = '''\n{command}\n'''\n{script}")
}

/// `text` with another part. The part has to be there.
pub(crate) fn swap(text: &str, part: &str, other: &str) -> String {
    assert!(text.contains(part), "{part} is not in {text}");
    text.replace(part, other)
}

/// One call: what is run, and the answer in TOML.
pub(crate) fn script(command: &str, answer: &str) -> String {
    let run = match command {
        "" => String::new(),
        command => format!("[[step]]\ndo = \"run\"\ncommand = '''\n{command}\n'''\n"),
    };
    format!("{run}[[step]]\ndo = \"submit\"\n[step.answer]\n{answer}\n")
}

/// The answer of a builder that is done.
pub(crate) const READY: &str = "ready = true\nsummary = \"done\"\nnext = \"verify\"\nresidue = []\nlessons = []\n\
    need = { kind = \"none\", what = \"\", places = [] }";
pub(crate) const FRAME: &str = include_str!("../../src/commands/demo/python/frame.toml");
pub(crate) const SHAPE: &str = include_str!("../../src/commands/demo/python/shape.toml");
pub(crate) const TESTS: &str = include_str!("../../src/commands/demo/python/tests.toml");
pub(crate) const EDIT: &str = include_str!("../../src/commands/demo/python/edit.toml");
pub(crate) const READ: &str = "[[step]]\ndo = \"submit\"\n[step.answer]\nverdict = \"pass\"\nfindings = []\n\
    cheats = []\nresidue = []\nquestion = \"\"\n";
pub(crate) const CHALLENGE: &str = include_str!("../../src/commands/demo/python/challenge.toml");
const APPROVE: &str = "[[step]]\ndo = \"submit\"\n[step.answer]\ndecision = \"approve\"\namendments = []\n\
    rationale = \"the record holds\"\n";
const HONEST: [(&str, &str); 8] = [
    ("frame", FRAME),
    ("shape", SHAPE),
    ("tests", TESTS),
    ("edit", EDIT),
    ("challenge", CHALLENGE),
    ("refute", READ),
    ("inspect", READ),
    ("adjudicate", APPROVE),
];
pub(crate) const WANTED: &str = "a day of parking never costs more than 2000 cents";
const PROJECT: [(&str, &str); 4] = [
    ("pyproject.toml", include_str!("../../src/commands/demo/python/project/pyproject.toml")),
    (
        "parking/__init__.py",
        include_str!("../../src/commands/demo/python/project/parking/__init__.py"),
    ),
    ("parking/fees.py", include_str!("../../src/commands/demo/python/project/parking/fees.py")),
    (
        "tests/test_fees.py",
        include_str!("../../src/commands/demo/python/project/tests/test_fees.py"),
    ),
];
