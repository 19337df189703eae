//! A task that the repo really carries out: roles are scripts behind walls, views, leases, briefs, receipts and git
//! are the real ones. What gates say is read from a script, so that no toolchain is needed; `with_real_gates` runs them.
//!
//! Nothing of one effect is left for the next: each has a repo of its own, in a folder that is gone afterwards.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sealwright_agents::adapters::script::Script;
use sealwright_agents::{
    Agent as _, AgentSandbox, Assignment, Budget, Endpoint, Key as Signed, Protocol,
};
use sealwright_config::Config;
use sealwright_factory::gate_runner::{GateRunner, Tools};
use sealwright_factory::task_performer::{
    ACCEPTANCE, AgentCaller, CallRequest, CallResult, Key, PerformerParts, TaskPerformer,
};
use sealwright_factory::task_store::LocalTaskStore;
use sealwright_factory::tasks::{NewTask, Tasks};
use sealwright_host::{Answer, Ended, Limits, NotPerformed, Performer, ReportHandle, replay};
use sealwright_kernel::owner::{Autonomy, Header};
use sealwright_kernel::task::{
    Choice, Effect, Event, Freeze, Input, PersonInput, Phase, Probe, Question, Task, Want, slice,
};
use sealwright_kernel::{
    Access, Actor, EffectId, Lane, Level, Machine as _, Role, TaskId, scripted,
};
use sealwright_sandbox::SandboxSlots;
use sealwright_sandbox::plan;
use sealwright_sandbox::view::{ViewError, WORK, WriteLease};
use sealwright_store::{BlobRef, Blobs, FileJournal, Head, Record};

use crate::task_performer::git;

/// A repository with one task in it, and everything that is needed to carry it out.
pub(crate) struct ScriptedTask {
    repository: tempfile::TempDir,
    state: tempfile::TempDir,
    gates: Arc<GateRunner>,
    config: Arc<Config>,
    pub(crate) journal: FileJournal,
    pub(crate) task: TaskId,
    gate_source: GateSource,
}

/// Where verdicts come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GateSource {
    Script,
    Gates,
}

/// Whoever plays: a script for each part, and what was seen of each call.
pub(crate) struct ScriptedAgents {
    /// The first call gets the first script; the last one is repeated.
    scripts: BTreeMap<Key, Vec<String>>,
    calls: Mutex<Vec<Call>>,
    stage: Mutex<Option<Stage>>,
}

/// One call of somebody.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) key: Key,
    pub(crate) again: u32,
    pub(crate) effect: EffectId,
    pub(crate) role: Role,
    pub(crate) phase: Phase,
    pub(crate) rung: Autonomy,
    pub(crate) access: Access,
    pub(crate) budget: Budget,
    /// The phase that the journal was in when the call was made.
    pub(crate) stood_in: Option<Phase>,
    /// What may be done with the work tree, if there is one.
    pub(crate) tree: Option<plan::Access>,
    /// Who holds its write lease while the call lasts, as somebody is told who wants it too.
    pub(crate) writer: Option<String>,
}

/// Where a part is played.
#[derive(Clone)]
struct Stage {
    journal: FileJournal,
    task: TaskId,
    folder: PathBuf,
}

impl ScriptedTask {
    /// A quick task whose contract was approved in advance.
    pub(crate) fn quick() -> Self {
        Self::of("", Lane::Quick, Header::default(), Freeze::InAdvance)
    }

    /// The same, with these files in the project and with every gate run on this machine.
    pub(crate) fn with_real_gates(files: &[(&str, &str)]) -> Self {
        let (lane, header) = (Lane::Quick, Header::default());
        Self::made("", lane, header, Freeze::InAdvance, GateSource::Gates, files)
    }

    /// A task under a configuration.
    pub(crate) fn of(config: &str, lane: Lane, header: Header, freeze: Freeze) -> Self {
        Self::made(config, lane, header, freeze, GateSource::Script, &[])
    }

    fn made(
        config: &str,
        lane: Lane,
        header: Header,
        freeze: Freeze,
        gate_source: GateSource,
        files: &[(&str, &str)],
    ) -> Self {
        let repository = tempfile::tempdir().unwrap();
        for (path, text) in PROJECT.iter().chain(files) {
            let path = repository.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        for words in [
            &["init", "--quiet", "--initial-branch=main"][..],
            &["config", "user.name", "Ada"],
            &["config", "user.email", "ada@example.org"],
            &["add", "--all"],
            &["commit", "--quiet", "--message", "parking"],
        ] {
            git(repository.path(), words);
        }
        // Whoever plays has a user of its own, and has to get to its slot.
        let open = fs::Permissions::from_mode(0o711);
        let state = tempfile::Builder::new().permissions(open).tempdir().unwrap();
        let launcher = Path::new(env!("CARGO_BIN_EXE_sealwright"));
        let slots = SandboxSlots::with_launcher(&state.path().join("seats"), launcher).unwrap();
        let least = Level::KernelRestrictedUid;
        let (tools, check) = match gate_source {
            GateSource::Script => (Tools::default(), "tests"),
            GateSource::Gates => {
                // An environment beside the project, which no commit holds.
                let program = repository.path().join(".venv/bin/python3");
                fs::create_dir_all(program.parent().unwrap()).unwrap();
                let real = python().join("bin/python3");
                fs::write(&program, format!("#!/bin/sh\nexec {} \"$@\"\n", real.display()))
                    .unwrap();
                fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
                (Tools::find(repository.path()), ACCEPTANCE)
            }
        };
        let gates = GateRunner::open(slots, state.path(), least, tools).unwrap();
        let journal = FileJournal::create(repository.path().join(".sealwright")).unwrap();
        let new = NewTask {
            said: "a day of parking never costs more than 2000 cents".to_owned(),
            lane,
            header,
            freeze,
            checks: vec![check.to_owned()],
            base: None,
            budget: None,
        };
        let told = in_time(Tasks::of(&journal).create(&ada(), new)).unwrap();
        let task = told.task.data().unwrap().charter.id.clone();
        let config = Arc::new(Config::parse(config).unwrap());
        Self { repository, state, gates, config, journal, task, gate_source }
    }

    /// Runs the task. `says` chooses among the scripted answers of a gate; the first is the honest one.
    pub(crate) fn run(
        &self,
        agents: &Arc<ScriptedAgents>,
        says: impl Fn(&Effect) -> usize + Send + Sync + 'static,
    ) -> Ended {
        self.run_with(agents, says, |_| {})
    }

    /// The same, and something happens before each effect.
    pub(crate) fn run_with(
        &self,
        agents: &Arc<ScriptedAgents>,
        says: impl Fn(&Effect) -> usize + Send + Sync + 'static,
        before: impl Fn(&Effect) + Send + Sync + 'static,
    ) -> Ended {
        in_time(async {
            let output = self.blobs().put(SEEN).await.unwrap();
            let hands = Hands {
                gates: self.gates.clone(),
                agents: agents.clone(),
                config: self.config.clone(),
                journal: self.journal.clone(),
                repository: self.folder().to_owned(),
                state: self.state.path().to_owned(),
                task: self.task.clone(),
                gate_source: self.gate_source,
                output,
                says: Box::new(says),
                before: Box::new(before),
            };
            let limits = Limits { in_flight_max: 1, tries_max: 1, ..Limits::default() };
            Tasks::of(&self.journal).run(&self.task, Arc::new(hands), limits).await.unwrap()
        })
    }

    /// A person says yes to what is asked.
    pub(crate) fn approve(&self) {
        let (question, Question { item, .. }) = self.look().question().unwrap();
        let rationale = "I looked at it".to_owned();
        let says = PersonInput::Decide { question, item, choice: Choice::Approve, rationale };
        in_time(Tasks::of(&self.journal).say(&self.task, &ada(), says, vec![])).unwrap();
    }

    pub(crate) fn look(&self) -> Task {
        in_time(Tasks::of(&self.journal).look(&self.task)).unwrap().machine
    }

    pub(crate) fn records(&self) -> Vec<Record> {
        let mut records = Vec::new();
        let stream = self.task.stream();
        self.journal
            .read_blocking(stream, Head::START, &mut |entry| {
                records.push(entry.record()?);
                Ok(())
            })
            .unwrap();
        records
    }

    pub(crate) fn blobs(&self) -> Blobs {
        Blobs::local(self.journal.layout()).unwrap()
    }

    pub(crate) fn folder(&self) -> &Path {
        self.repository.path()
    }

    /// A file of the task's folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.journal.layout().task(&self.task).join(name)
    }

    pub(crate) fn git(&self, words: &[&str]) -> String {
        git(self.folder(), words)
    }

    pub(crate) fn branch(&self) -> String {
        format!("sealwright/{}", self.task)
    }

    /// Whether something was kept.
    pub(crate) fn has_branch(&self) -> bool {
        !self.git(&["branch", "--list", &self.branch()]).is_empty()
    }

    /// What the binary prints here.
    pub(crate) fn see(&self, words: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sealwright"));
        command.args(words).current_dir(self.folder()).stdin(Stdio::null());
        let output = command.env("NO_COLOR", "1").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for ScriptedTask {
    fn drop(&mut self) {
        // Only what the real performer did, gates included.
        if self.gate_source == GateSource::Gates {
            crate::traces::leave(&self.folder().join(".sealwright"));
        }
    }
}

impl ScriptedAgents {
    /// Everybody is honest but those who are given another script. Several scripts of one key are for its calls in turn.
    pub(crate) fn with(others: &[(Key, &str)]) -> Arc<Self> {
        let honest = [
            (Key::Frame, FRAME),
            (Key::Shape, SHAPE),
            (Key::Tests, TESTS),
            (Key::Scout, SCOUT),
            (Key::Edit, EDIT),
            (Key::Repair, EDIT),
            (Key::Audit, AUDIT),
            (Key::Challenge, CHALLENGE),
            (Key::Adjudicate, ADJUDICATE),
            (Key::Refute, READ),
            (Key::Inspect, READ),
        ];
        let mut scripts: BTreeMap<Key, Vec<String>> = BTreeMap::new();
        for (key, text) in others {
            scripts.entry(*key).or_default().push((*text).to_owned());
        }
        for (key, text) in honest {
            scripts.entry(key).or_insert_with(|| vec![text.to_owned()]);
        }
        Arc::new(Self { scripts, calls: Mutex::default(), stage: Mutex::default() })
    }

    pub(crate) fn honest() -> Arc<Self> {
        Self::with(&[])
    }

    /// Every call so far, in order.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }
}

impl AgentCaller for ScriptedAgents {
    fn call(&self, request: &CallRequest, sandbox: &AgentSandbox<'_>) -> CallResult {
        let stage = self.stage.lock().unwrap().clone().unwrap();
        let tree = sandbox.mounts.iter().find(|mount| mount.at == WORK).map(|mount| mount.access);
        self.calls.lock().unwrap().push(Call {
            key: request.key,
            again: request.again,
            effect: request.effect.clone(),
            role: request.role,
            phase: request.phase,
            rung: request.brief.rung,
            access: request.access,
            budget: request.budget,
            stood_in: stage.phase(),
            tree,
            writer: stage.writer(),
        });
        let scripts = self.scripts.get(&request.key).unwrap();
        let nth = self.calls().iter().filter(|call| call.key == request.key).count();
        let text = scripts.get(nth - 1).or(scripts.last()).unwrap();
        let script = Script::parse(request.key.name(), text).unwrap();
        let endpoint =
            Endpoint { base: String::new(), protocol: Protocol::OpenaiChat, key: Signed::None };
        let assignment = Assignment {
            task: String::new(),
            call: request.key.name().to_owned(),
            nth: 1,
            role: request.role,
            brief: String::new(),
            access: request.access,
            schema: request.schema.clone(),
            budget: request.budget,
            model: String::new(),
            endpoint,
        };
        let outcome = script.carry_out(&assignment, sandbox, &mut |_| {});
        CallResult { agent: "script".to_owned(), model: String::new(), outcome }
    }
}

impl Stage {
    fn phase(&self) -> Option<Phase> {
        let mut task = Task::default();
        let stream = self.task.stream();
        self.journal
            .read_blocking(stream, Head::START, &mut |entry| {
                entry.events::<Event>()?.iter().for_each(|event| task.evolve(event));
                Ok(())
            })
            .unwrap();
        task.phase()
    }

    fn writer(&self) -> Option<String> {
        let folders = |folder: PathBuf| {
            let entries = fs::read_dir(folder).into_iter().flatten();
            entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
        };
        let laid_out = folders(self.folder.join("views")).flat_map(folders).next()?;
        let tree = laid_out.join("tree");
        match WriteLease::take(&tree, &self.folder.join("leases"), "somebody else") {
            Ok(_) => None,
            Err(ViewError::Leased { holder }) => Some(holder),
            Err(error) => panic!("{error}"),
        }
    }
}

/// Performs what needs a role, git or nobody for real, and gates by a script.
struct Hands {
    gates: Arc<GateRunner>,
    agents: Arc<ScriptedAgents>,
    config: Arc<Config>,
    journal: FileJournal,
    repository: PathBuf,
    state: PathBuf,
    task: TaskId,
    gate_source: GateSource,
    output: BlobRef,
    says: Box<dyn Fn(&Effect) -> usize + Send + Sync>,
    before: Box<dyn Fn(&Effect) + Send + Sync>,
}

impl Performer<Task> for Hands {
    async fn perform(
        &self,
        effect: Effect,
        reports: ReportHandle<Task>,
    ) -> Result<Answer<Task>, NotPerformed> {
        (self.before)(&effect);
        if is_gate(&effect) && self.gate_source == GateSource::Script {
            return Ok(self.gate(&effect).await);
        }
        let folder = tempfile::tempdir_in(&self.state).unwrap();
        let (journal, task) = (self.journal.clone(), self.task.clone());
        let stage = Stage { journal, task, folder: folder.path().to_owned() };
        *self.agents.stage.lock().unwrap() = Some(stage);
        let performer = TaskPerformer::open(PerformerParts {
            gates: self.gates.clone(),
            caller: self.agents.clone(),
            config: self.config.clone(),
            store: Arc::new(LocalTaskStore::open(self.journal.clone(), folder.path()).unwrap()),
            repository: self.repository.clone(),
            state: folder.path().to_owned(),
            commit: "HEAD".to_owned(),
            tests_s: 60,
        });
        performer.unwrap().perform(effect, reports).await
    }

    fn limit(&self, _effect: &Effect) -> Duration {
        Duration::from_secs(300)
    }
}

impl Hands {
    async fn gate(&self, effect: &Effect) -> Answer<Task> {
        let mut input = scripted::answers(effect).swap_remove((self.says)(effect));
        if let Input::Slice { input: slice::Input::GateRan { run, .. } } = &mut input {
            // A script knows no contract; the surface is the one that was locked.
            let folded = replay::<Task, _>(&self.journal, self.task.stream(), None).await.unwrap();
            let slices = &folded.machine.data().unwrap().slices;
            let planned = slices.last().and_then(|slice| slice.charter()).unwrap().planned.clone();
            run.fingerprint = Some(planned.fingerprint);
        }
        Answer { input, actor: Actor::Machine, blobs: vec![self.output] }
    }
}

fn is_gate(effect: &Effect) -> bool {
    match effect {
        Effect::Task { want, .. } => matches!(
            want,
            Want::RunRed { .. } | Want::Probe { probe: Probe::Tripwire | Probe::Check(_), .. }
        ),
        Effect::Slice { effect } => matches!(effect.want, slice::Want::RunGate { .. }),
    }
}

pub(crate) fn in_time<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// A Python with pytest, made once for this machine.
fn python() -> PathBuf {
    let named = std::env::var_os("SEALWRIGHT_PYTHON").map(PathBuf::from);
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache");
    let folder = named.unwrap_or_else(|| cache.unwrap_or_else(home).join("sealwright/python"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.ci/python");
    assert!(Command::new(script).arg(&folder).status().unwrap().success());
    folder
}

fn ada() -> Actor {
    Actor::Human("Ada".to_owned())
}

/// What every gate of the script has seen.
pub(crate) const SEEN: &str = "running 3 tests";
/// How a day of parking is charged before anybody changes it.
pub(crate) const FEES: &str =
    include_str!("../../src/commands/demo/python/project/parking/fees.py");
/// What honest scripts say and do, as in the demonstration.
pub(crate) const FRAME: &str = include_str!("../../src/commands/demo/python/frame.toml");
pub(crate) const SHAPE: &str = include_str!("../../src/commands/demo/python/shape.toml");
const TESTS: &str = include_str!("../../src/commands/demo/python/tests.toml");
pub(crate) const CHALLENGE: &str = include_str!("../../src/commands/demo/python/challenge.toml");
/// Every edit changes something, so that none of them gains nothing.
const EDIT: &str = "[[step]]\ndo = \"run\"\ncommand = \"echo '# a day' >> parking/fees.py\"\n\
    [[step]]\ndo = \"submit\"\nanswer = { ready = true, summary = \"done\", next = \"verify\", need = { kind = \"none\", what = \"\", places = [] }, \
    residue = [], lessons = [] }\n";
pub(crate) const SCOUT: &str = "[[step]]\ndo = \"submit\"\n[[step.answer.findings]]\nunknown = 0\n\
    source = \"parking/fees.py:1\"\nsnippet = \"HOUR = 300\"\nnote = \"by the hour\"\ncertainty = \"seen\"\n";
pub(crate) const AUDIT: &str = "[[step]]\ndo = \"submit\"\n[step.answer]\nverdict = \"fail\"\nmismatches = []\n\
    diagnosis = []\ngaps = []\nrisks = []\nvalidations = []\n";
pub(crate) const READ: &str = "[[step]]\ndo = \"submit\"\n[step.answer]\nverdict = \"pass\"\nfindings = []\n\
    cheats = []\nresidue = []\nquestion = \"\"\n";
pub(crate) const ADJUDICATE: &str = "[[step]]\ndo = \"submit\"\n\
    answer = { decision = \"approve\", amendments = [], rationale = \"the record holds\" }\n";
const PROJECT: [(&str, &str); 4] = [
    ("pyproject.toml", include_str!("../../src/commands/demo/python/project/pyproject.toml")),
    (
        "parking/__init__.py",
        include_str!("../../src/commands/demo/python/project/parking/__init__.py"),
    ),
    ("parking/fees.py", FEES),
    (
        "tests/test_fees.py",
        include_str!("../../src/commands/demo/python/project/tests/test_fees.py"),
    ),
];
