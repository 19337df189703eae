//! The task runner: runs one task from a request to a branch with evidence, or to a stop with a reason.
//!
//! ```text
//! request ──▶ task ──▶ performer + registry + gate runner ──▶ Over (a branch) | Waiting (a question) | Stopped | Stalled
//! ```
//!
//! The runner opens everything a task needs on this machine once. After that the task's own state decides what happens.

mod error;
mod taken;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sealwright_gates::toolchain::Needed;
use sealwright_kernel::owner::{Header, Risk};
use sealwright_kernel::task::{Budget, Freeze};
use sealwright_kernel::{Actor, Lane, StreamId, TaskId};
use sealwright_store::FileJournal;
use sealwright_store::attest::PrivateKeys;

use crate::agent_registry::{AgentRegistry, Agents, RegistryInputs, RoleAssignment, briefs_of};
use crate::clean_rooms;
use crate::confined;
use crate::consent::Consent;
use crate::conversations::Conversations;
use crate::gate_runner::{GateRunner, Tools};
use crate::logins;
use crate::progress::{ProgressListener, Watched};
use crate::task_performer::{self, HONESTY, PerformerParts, TaskPerformer};
use crate::task_store::LocalTaskStore;
use crate::tasks::{NewTask, Tasks};
use sealwright_config::{ActsOn, Config};
use sealwright_host::{Clock as _, Ended, Limits, SystemClock};
use sealwright_repo::git::objects::Entry;
use sealwright_repo::git::{objects, uncommitted};
use sealwright_store::attest::keys::{Keys, KeysError};
use sealwright_store::attest::{person, task_statements};
use sealwright_views::built_in_checks::{ACCEPTANCE, HOLD_OUT, STRENGTH};

pub use error::TaskRunnerError;

pub struct TaskRunner {
    pub(crate) root: PathBuf,
    pub(crate) journal: FileJournal,
    pub(crate) config: Arc<Config>,
    pub(crate) gates: Arc<GateRunner>,
    registry: Arc<AgentRegistry>,
    listener: Arc<dyn ProgressListener>,
    pub(crate) state: PathBuf,
    tools: Tools,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskRequest {
    /// A sentence, or a complete task file.
    pub said: String,
    pub lane: Lane,
    pub header: Header,
    pub freeze: Freeze,
    pub uncommitted: Uncommitted,
    /// What roles may spend before a person is asked.
    pub budget: Option<Budget>,
}

/// How a task treats uncommitted changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Uncommitted {
    /// The task is refused if there are any.
    #[default]
    Refuse,
    /// The work starts from them.
    Take,
    /// The work starts from the last commit, without them.
    Leave,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartedTask {
    pub task: TaskId,
    /// The commit the work starts from.
    pub base: String,
    /// Checks that cannot run, and what they need.
    pub left_out: Vec<String>,
    /// The first files that were not committed and are part of the base commit, and the number of all of them.
    pub taken: (Vec<String>, usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signed {
    /// Everything is signed with the key of this installation.
    With { key: String },
    /// Nothing is signed: this installation has no trusted key.
    Unsigned { hint: String },
}

impl TaskRunner {
    /// Opens everything that tasks in the repository at `root` need. `builder` overrides the configured builder.
    pub fn open(
        root: &Path,
        config: Config,
        (agents, builder): (Agents, Option<&str>),
        listener: Arc<dyn ProgressListener>,
    ) -> Result<Self, TaskRunnerError> {
        let root = std::path::absolute(root)?;
        let journal = FileJournal::create(root.join(objects::RECORDS))?;
        let place = confined::state_folder();
        let tools = Tools::find(&root);
        let briefs = briefs_of(journal.layout())?;
        Consent::of(&root, &config, &briefs)?.require(ActsOn::Agents)?;
        // A task can get stricter later; the quick lane's level is the minimum for all.
        let least = config.sandbox.least(Lane::Quick);
        let gates = GateRunner::open(confined::slots()?, &place, least, tools.clone())?;
        let registry = AgentRegistry::open(RegistryInputs {
            config: &config,
            root: &root,
            layout: journal.layout(),
            briefs,
            slots: gates.slots(),
            mechanism: gates.mechanism(),
            builder,
            agents,
            listener: listener.clone(),
        })?;
        let state = task_performer::state_of(&place, &root);
        std::fs::create_dir_all(&state)?;
        Ok(Self {
            root,
            journal,
            config: Arc::new(config),
            gates,
            registry: Arc::new(registry),
            listener,
            state,
            tools,
        })
    }

    /// Refuses a repository of whose tests no clean room runs any, before anything is opened.
    pub fn refuse_unprovable(root: &Path, how: Uncommitted) -> Result<(), TaskRunnerError> {
        let added = match how {
            Uncommitted::Take => {
                uncommitted::uncommitted(root, sealwright_config::FILE_NAME)?.listed
            }
            Uncommitted::Refuse | Uncommitted::Leave => Vec::new(),
        };
        let added: Vec<String> = added.into_iter().map(|file| file.path).collect();
        match clean_rooms::lack_in(root, &added).map_err(TaskRunnerError::NoCommit)? {
            Some(why) => Err(TaskRunnerError::NoRoom { why }),
            None => Ok(()),
        }
    }

    /// Whether every role that a task needs has an agent.
    pub fn has_agents(&self) -> bool {
        self.registry.is_whole()
    }

    pub fn role_assignments(&self) -> impl Iterator<Item = &RoleAssignment> {
        self.registry.role_assignments()
    }

    /// Creates the task. Its base commit is fixed now, so that the task can be resumed at any time.
    pub async fn begin(
        &self,
        by: &Actor,
        request: TaskRequest,
    ) -> Result<StartedTask, TaskRunnerError> {
        if request.freeze == Freeze::InAdvance && request.header.risk == Risk::High {
            return Err(TaskRunnerError::RiskyInAdvance);
        }
        let base = self.base(request.uncommitted)?;
        let taken = match uncommitted::is_taken_along(&self.root, &base)? {
            true if request.uncommitted == Uncommitted::Take => {
                uncommitted::taken_files(&self.root, &base)?
            }
            _ => (Vec::new(), 0),
        };
        let files = objects::entries(&self.root, &base)?;
        if let Some(Needed { name, hint }) = self.tools.lack_for_tests(&files) {
            return Err(TaskRunnerError::NoTools { name, hint });
        }
        let (checks, left_out) = promised_checks(&self.tools, &self.config, &files);
        let new = NewTask {
            said: request.said,
            lane: request.lane,
            header: request.header,
            freeze: request.freeze,
            checks,
            base: Some(base.clone()),
            budget: request.budget,
        };
        let update = Tasks::of(&self.journal).create(by, new).await?;
        let data = update.task.data().ok_or(TaskRunnerError::Lost)?;
        Ok(StartedTask { task: data.charter.id.clone(), base, left_out, taken })
    }

    /// Runs a task from its current state until it is over, waits for a person, cannot continue, or is stopped.
    pub async fn run(
        &self,
        task: &TaskId,
        stop: impl Future<Output = ()>,
    ) -> Result<Ended, TaskRunnerError> {
        self.require_signed(task.stream())?;
        if self.registry.uses_a_login() {
            logins::check_task(self.journal.layout(), task)?;
        }
        let tasks = Tasks::of(&self.journal);
        let data = tasks.look(task).await?.machine.data().cloned().ok_or(TaskRunnerError::Lost)?;
        let commit = data.charter.base.unwrap_or_else(|| "HEAD".to_owned());
        let tests_s = self
            .config
            .checks()
            .iter()
            .map(|check| check.setting.timeout_s)
            .max()
            .unwrap_or(TESTS_S);
        let performer = TaskPerformer::open(PerformerParts {
            gates: self.gates.clone(),
            caller: self.registry.clone(),
            config: self.config.clone(),
            store: Arc::new(
                LocalTaskStore::open(self.journal.clone(), &self.state)?
                    .signing_with(PrivateKeys::at(confined::state_folder().join("keys"))),
            ),
            repository: self.root.clone(),
            state: self.state.clone(),
            commit,
            tests_s,
        })?;
        let performer = Watched::new(performer, self.listener.clone());
        let over = tasks.over()?;
        Conversations::of(&self.state).keep_only(|task| !over.contains(task.as_str()));
        let wait_max = self.config.patience.wait_max();
        let limits = Limits { wait_max, ends_idle: true, ..Limits::default() };
        let ended = tasks.run_until(task, performer, limits, stop).await?;
        if matches!(ended, Ended::Over(_)) {
            Conversations::of(&self.state).forget(task);
        }
        Ok(ended)
    }

    /// Refuses to go on with a decision that its person did not sign, where the project asks for that.
    pub(crate) fn require_signed(&self, stream: &StreamId) -> Result<(), TaskRunnerError> {
        if !self.config.project.signed_decisions {
            return Ok(());
        }
        match person::unsigned(&self.journal, stream)?.len() {
            0 => Ok(()),
            count => Err(TaskRunnerError::UnsignedDecisions { stream: stream.clone(), count }),
        }
    }

    /// Signs the evidence of a finished task, if this installation has a trusted key.
    pub fn sign(
        &self,
        task: &TaskId,
        private_keys: PrivateKeys,
    ) -> Result<Signed, TaskRunnerError> {
        let keys = Keys::of(&self.journal, private_keys);
        match keys.signing() {
            Ok(key) => {
                let signed = task_statements::attest(&self.journal, task, &key)?;
                Ok(Signed::With { key: signed.key.to_string() })
            }
            Err(error @ (KeysError::NoKey | KeysError::NotTaken { .. })) => {
                Ok(Signed::Unsigned { hint: error.hint().unwrap_or_default() })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The commit the work starts from.
    fn base(&self, uncommitted: Uncommitted) -> Result<String, TaskRunnerError> {
        let head = objects::commit(&self.root, "HEAD").map_err(TaskRunnerError::NoCommit)?;
        match uncommitted {
            Uncommitted::Leave => Ok(head),
            Uncommitted::Take => {
                let now = SystemClock.now().as_millis() / 1000;
                let files = uncommitted::unmerged(&self.root)?;
                if !files.is_empty() {
                    return Err(TaskRunnerError::Unmerged { files });
                }
                let changed = uncommitted::uncommitted(&self.root, sealwright_config::FILE_NAME)?;
                if changed.count == 0 {
                    return Ok(head);
                }
                taken::refuse(&changed)?;
                Ok(uncommitted::taken_along(&self.root, &self.state, now)?)
            }
            Uncommitted::Refuse => {
                match uncommitted::uncommitted(&self.root, sealwright_config::FILE_NAME)? {
                    changed if changed.count == 0 => Ok(head),
                    changed => Err(taken::uncommitted(&changed)),
                }
            }
        }
    }
}

/// The checks a task on this machine must pass, and those left out. A check that could only answer "cannot tell" is not
/// promised.
pub fn promised_checks(
    tools: &Tools,
    config: &Config,
    files: &[Entry],
) -> (Vec<String>, Vec<String>) {
    let mut checks: Vec<String> = [ACCEPTANCE, HOLD_OUT, HONESTY].map(str::to_owned).into();
    let mut left_out = Vec::new();
    match tools.lack_for_strength(files) {
        None => checks.push(STRENGTH.to_owned()),
        Some(install) => left_out.push(format!("test strength: {install}, then start again")),
    }
    checks.extend(config.checks().iter().map(|check| check.name.clone()));
    (checks, left_out)
}

/// The time limit of a test run in seconds, if no check sets one.
const TESTS_S: u32 = 1_800;
