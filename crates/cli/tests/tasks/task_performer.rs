//! A repository to work in, the binary, and a world that answers by a script.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use sealwright_factory::tasks::Tasks;
use sealwright_host::{Answer, Ended, Limits, NotPerformed, Performer, ReportHandle};
use sealwright_kernel::task::{Effect, Input, Report, Task, Want};
use sealwright_kernel::{Actor, Artifact, Cost, TaskId, scripted};
use sealwright_store::{Anchor, BlobRef, Blobs, FileJournal};

/// A repository with one person in it.
pub(crate) struct TestRepo {
    folder: tempfile::TempDir,
    home: tempfile::TempDir,
}

impl TestRepo {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let repo = Self { folder, home: tempfile::tempdir().unwrap() };
        repo.git(&["init", "--quiet", "--initial-branch=main"]);
        repo.git(&["config", "user.name", "Ada"]);
        repo.git(&["config", "user.email", "ada@example.org"]);
        let config = "[checks.tests]\ncommand = [\"cargo\", \"test\"]\n";
        fs::write(repo.path("sealwright.toml"), config).unwrap();
        assert!(repo.see(&["init"]).ends_with("= 0"));
        repo
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        git(self.folder.path(), args)
    }

    /// What a person sees, with everything that differs from run to run made the same.
    pub(crate) fn see(&self, args: &[&str]) -> String {
        self.see_with(args, &[])
    }

    pub(crate) fn see_with(&self, args: &[&str], environment: &[(&str, &str)]) -> String {
        let mut command = self.sealwright(args);
        command.envs(environment.iter().copied());
        let output = command.output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        let place = self.folder.path().to_string_lossy().into_owned();
        format!("{out}{err}= {}", output.status.code().unwrap()).replace(&place, "FOLDER")
    }

    /// Where the person keeps what is in no repository.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// The repository.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn sealwright(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sealwright"));
        command.args(args).current_dir(self.folder.path());
        command.env("NO_COLOR", "1").env("COLUMNS", "100").stdin(Stdio::null());
        // SandboxSlots are shared, as on any machine; keys are each person's own.
        let state = match args.first() {
            Some(&"keys") => self.home.path().to_owned(),
            Some(_) | None => std::env::temp_dir().join("sealwright-tests"),
        };
        command.env("SEALWRIGHT_STATE", state).env("SEALWRIGHT_ALLOW", "/");
        command
    }

    /// Creates a task by the command line and gives its name.
    pub(crate) fn create(&self, args: &[&str]) -> TaskId {
        let args = [&["new", "limits per tenant", "--format", "json"], args].concat();
        let output = self.sealwright(&args).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        TaskId::new(told["task"].as_str().unwrap()).unwrap()
    }

    /// Lets the task run. `choose` says which of the scripted answers an effect gets; the
    /// first is the honest one.
    pub(crate) fn run(
        &self,
        task: &TaskId,
        choose: impl Fn(&Want) -> usize + Send + Sync + 'static,
    ) -> Ended {
        let journal = self.journal();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let blobs = Blobs::local(journal.layout()).unwrap();
            let output = blobs.put("running 3 tests").await.unwrap();
            // What the scripted world freezes is kept like everything else.
            for content in ["spec", "scenarios", "contract", "tests"] {
                blobs.put(content).await.unwrap();
            }
            let script = Script { choose: Box::new(choose), output, left: vec![], price: None };
            Tasks::of(&journal).run(task, Arc::new(script), Limits::default()).await.unwrap()
        })
    }

    /// Lets the task run honestly, and every check leaves these files behind.
    pub(crate) fn run_leaving(&self, task: &TaskId, files: &[(&str, String)]) -> Ended {
        let journal = self.journal();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let blobs = Blobs::local(journal.layout()).unwrap();
            let output = blobs.put("running 3 tests").await.unwrap();
            let mut left = Vec::new();
            for (name, content) in files {
                let content = blobs.put(content.clone()).await.unwrap().sha256;
                left.push(Artifact { name: (*name).to_owned(), content });
            }
            let script = Script { choose: Box::new(|_| 0), output, left, price: None };
            Tasks::of(&journal).run(task, Arc::new(script), Limits::default()).await.unwrap()
        })
    }

    /// Lets the task run honestly, and every call of a role costs as much.
    pub(crate) fn run_paying(&self, task: &TaskId, price: Cost) -> Ended {
        let journal = self.journal();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let blobs = Blobs::local(journal.layout()).unwrap();
            let output = blobs.put("running 3 tests").await.unwrap();
            for content in ["spec", "scenarios", "contract", "tests"] {
                blobs.put(content).await.unwrap();
            }
            let calls = Tasks::of(&journal).look(task).await.unwrap();
            let calls = calls.machine.data().unwrap().spending.all().calls;
            let price = Some((price, AtomicU32::new(calls)));
            let script = Script { choose: Box::new(|_| 0), output, left: vec![], price };
            Tasks::of(&journal).run(task, Arc::new(script), Limits::default()).await.unwrap()
        })
    }

    /// Lets the task run, and every answer is honest.
    pub(crate) fn run_honestly(&self, task: &TaskId) -> Ended {
        self.run(task, |_| 0)
    }

    /// A task that waits for its freeze.
    pub(crate) fn parked(&self) -> TaskId {
        let task = self.create(&[]);
        assert!(matches!(self.run_honestly(&task), Ended::Waiting(_)));
        task
    }

    /// A task that is done, and how its stream is anchored.
    pub(crate) fn finished(&self) -> (TaskId, Anchor) {
        let task = self.parked();
        assert!(self.see(&["approve", task.as_str()]).ends_with("= 0"));
        match self.run_honestly(&task) {
            Ended::Over(anchor) => (task, anchor),
            other => panic!("{other:?}"),
        }
    }

    /// Commits everything, with the anchor of a task if there is one.
    pub(crate) fn commit(&self, anchor: Option<&Anchor>) {
        self.git(&["add", "--all"]);
        let trailer = anchor.map_or_else(String::new, |anchor| format!("\n\n{}", anchor.trailer()));
        self.git(&["commit", "--quiet", "--allow-empty", "--message", &format!("work{trailer}")]);
    }

    /// A task whose checks have failed three times.
    pub(crate) fn halted(&self) -> TaskId {
        let task = self.parked();
        assert!(self.see(&["approve", task.as_str()]).ends_with("= 0"));
        let ended = self.run(&task, |want| usize::from(is_check(want)));
        assert!(matches!(ended, Ended::Waiting(_)), "{ended:?}");
        task
    }

    pub(crate) fn look(&self, task: &TaskId) -> Task {
        let journal = self.journal();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async { Tasks::of(&journal).look(task).await.unwrap().machine })
    }

    pub(crate) fn records(&self, task: &TaskId) -> u64 {
        let journal = self.journal();
        let start = sealwright_store::Head::START;
        journal.read_blocking(task.stream(), start, &mut |_| Ok(())).unwrap().seq.get()
    }

    pub(crate) fn journal(&self) -> FileJournal {
        FileJournal::at(self.path(".sealwright"))
    }

    pub(crate) fn file(&self, task: &TaskId, name: &str) -> PathBuf {
        self.path(".sealwright/tasks").join(task.as_str()).join(name)
    }

    pub(crate) fn read(&self, task: &TaskId, name: &str) -> String {
        fs::read_to_string(self.file(task, name)).unwrap()
    }

    pub(crate) fn edit(&self, task: &TaskId, name: &str, from: &str, to: &str) {
        edit(&self.file(task, name), from, to);
    }
}

/// Replaces text in a file that is there exactly once.
pub(crate) fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "`{from}` is not in {}", path.display());
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

/// Whether an effect is the check of the candidate.
pub(crate) fn is_check(want: &Want) -> bool {
    matches!(want, Want::Probe { probe: sealwright_kernel::task::Probe::Check(_), .. })
}

struct Script {
    choose: Box<dyn Fn(&Want) -> usize + Send + Sync>,
    output: BlobRef,
    left: Vec<Artifact>,
    /// What a call of a role costs, and how many there were.
    price: Option<(Cost, AtomicU32)>,
}

impl Performer<Task> for Script {
    async fn perform(
        &self,
        effect: Effect,
        reports: ReportHandle<Task>,
    ) -> Result<Answer<Task>, NotPerformed> {
        if let Some((price, calls)) = &self.price
            && effect.asks_a_role()
        {
            let nth = calls.fetch_add(1, Ordering::Relaxed) + 1;
            let input = scripted::spend(&effect, nth, *price);
            reports.report(Answer { input, actor: Actor::Machine, blobs: vec![] }).await.unwrap();
        }
        let nth = match &effect {
            Effect::Task { want: Want::Ask { .. }, .. } => return Err(NotPerformed::Asked),
            Effect::Task { want, .. } => (self.choose)(want),
            Effect::Slice { .. } => 0,
        };
        let mut input = scripted::answers(&effect).swap_remove(nth);
        if let Input::Report { report: Report::Probed { result }, .. } = &mut input {
            result.evidence.artifacts.extend(self.left.iter().cloned());
        }
        Ok(Answer { input, actor: Actor::Environment, blobs: vec![self.output] })
    }

    fn limit(&self, _effect: &Effect) -> Duration {
        Duration::from_secs(10)
    }
}

/// What git says in a folder.
pub(crate) fn git(folder: &Path, words: &[&str]) -> String {
    let output = Command::new("git").args(words).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Every file below a folder.
pub(crate) fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(walk(&path)),
            false => found.push(path),
        }
    }
    found
}

/// Whoever plays finds that there is nothing to begin with.
pub(crate) const ASKS_BACK: &str = r#"
[[step]]
do = "submit"
[step.answer]
objective = "it is better"
done_gate = ["it is better"]
not_doing = ["anything else"]
reality = ["it works today"]
audience = "code"
features = []
stop = { kind = "ambiguous", why = "there are two of it.", question = "Which one?" }
"#;
