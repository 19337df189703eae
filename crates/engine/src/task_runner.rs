//! TaskRunner: one task, carried from what a person says to a branch with proof, or to an honest stop.
//!
//! ```text
//! words ──▶ task ──▶ workshop + registry + gatehouse ──▶ Over (a branch) | Waiting (a question) | Stopped | Stalled
//! ```
//!
//! Everything that an errand needs of this machine is put together here, once; what happens next is the task's own to
//! say.

mod error;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sealwright_kernel::owner::{Header, Risk};
use sealwright_kernel::task::{Budget, Freeze};
use sealwright_kernel::{Actor, Lane, TaskId};
use sealwright_store::FileJournal;
use sealwright_store::attest::PrivateKeys;

use crate::agent_registry::{AgentRegistry, RegistryInputs, RoleAssignment};
use crate::built_in_checks::{ACCEPTANCE, HOLD_OUT, STRENGTH};
use crate::config::Config;
use crate::gate_runner::{GateRunner, Tools};
use crate::git::{objects, uncommitted};
use crate::keys::{Keys, KeysError};
use crate::progress::{ProgressListener, Watched};
use crate::task_performer::{self, HONESTY, PerformerParts, TaskPerformer};
use crate::tasks::{NewTask, Tasks};
use crate::{Clock as _, Ended, Limits, SystemClock, attesting, confined};

pub use error::TaskRunnerError;

/// What carries errands out in one repository.
pub struct TaskRunner {
    root: PathBuf,
    journal: FileJournal,
    config: Arc<Config>,
    gates: Arc<GateRunner>,
    registry: Arc<AgentRegistry>,
    listener: Arc<dyn ProgressListener>,
    state: PathBuf,
    tools: Tools,
}

/// What somebody wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// A sentence, or a whole task file.
    pub said: String,
    /// How much ceremony it owes.
    pub lane: Lane,
    /// Who may let it through, and what is at stake.
    pub header: Header,
    /// When its contract is approved.
    pub freeze: Freeze,
    /// What happens with work that is not committed.
    pub uncommitted: Uncommitted,
    /// What roles may cost before a person is asked.
    pub budget: Option<Budget>,
}

/// What happens with work that is not committed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Uncommitted {
    /// Nothing is begun while there is any.
    #[default]
    Refuse,
    /// It is part of what the work begins at.
    Take,
    /// The work begins at the last commit, without it.
    Leave,
}

/// A task that was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Its name.
    pub task: TaskId,
    /// The commit it begins at.
    pub base: String,
    /// What will not be looked at, and what would be needed for it.
    pub left_out: Vec<String>,
}

/// What was signed of a finished task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signed {
    /// Everything, with the key of this installation.
    With {
        /// The key, in short.
        key: String,
    },
    /// Nothing: this installation has no key that counts here.
    Unsigned {
        /// What would change that.
        hint: String,
    },
}

impl TaskRunner {
    /// Puts together what errands in the repository at `root` need. `builder` builds, if anybody is named.
    pub fn open(
        root: &Path,
        config: Config,
        builder: Option<&str>,
        listener: Arc<dyn ProgressListener>,
    ) -> Result<Self, TaskRunnerError> {
        let root = std::path::absolute(root)?;
        let journal = FileJournal::create(root.join(objects::RECORDS))?;
        let place = confined::state_folder();
        let tools = Tools::find(&root);
        // A task can become stricter on its way; what the quick lane accepts is what is asked for here.
        let least = config.sandbox.least(Lane::Quick);
        let gates = GateRunner::open(confined::slots()?, &place, least, tools.clone())?;
        let registry = AgentRegistry::gather(RegistryInputs {
            config: &config,
            root: &root,
            layout: journal.layout(),
            slots: gates.slots(),
            mechanism: gates.mechanism(),
            builder,
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

    /// Who plays what.
    pub fn seated(&self) -> impl Iterator<Item = &RoleAssignment> {
        self.registry.seated()
    }

    /// Creates the task. What it begins at is fixed now, so that it can be continued at any time.
    pub async fn begin(&self, by: &Actor, wanted: Wanted) -> Result<Begun, TaskRunnerError> {
        if wanted.freeze == Freeze::InAdvance && wanted.header.risk == Risk::High {
            return Err(TaskRunnerError::RiskyInAdvance);
        }
        let base = self.base(wanted.uncommitted)?;
        let (checks, left_out) = self.checks(&base)?;
        let new = NewTask {
            said: wanted.said,
            lane: wanted.lane,
            header: wanted.header,
            freeze: wanted.freeze,
            checks,
            base: Some(base.clone()),
            budget: wanted.budget,
        };
        let told = Tasks::of(&self.journal).create(by, new).await?;
        let known = told.task.known().ok_or(TaskRunnerError::Lost)?;
        Ok(Begun { task: known.charter.id.clone(), base, left_out })
    }

    /// Carries a task on, from wherever it stands, until it is over, waits for a person, cannot go on, or is told to
    /// stop.
    pub async fn carry_on(
        &self,
        task: &TaskId,
        stop: impl Future<Output = ()>,
    ) -> Result<Ended, TaskRunnerError> {
        let tasks = Tasks::of(&self.journal);
        let known =
            tasks.look(task).await?.machine.known().cloned().ok_or(TaskRunnerError::Lost)?;
        let commit = known.charter.base.unwrap_or_else(|| "HEAD".to_owned());
        let tests_s =
            self.config.checks().iter().map(|check| check.timeout_s).max().unwrap_or(TESTS_S);
        let workshop = TaskPerformer::open(PerformerParts {
            gates: self.gates.clone(),
            caller: self.registry.clone(),
            config: self.config.clone(),
            journal: self.journal.clone(),
            repository: self.root.clone(),
            state: self.state.clone(),
            commit,
            tests_s,
        })?;
        let performer = Watched::new(workshop, self.listener.clone());
        let limits = Limits { wait_max: self.config.patience.wait_max(), ..Limits::default() };
        Ok(tasks.run_until(task, performer, limits, stop).await?)
    }

    /// Signs what a finished task rests on, if this installation has a key that counts here.
    pub fn sign(
        &self,
        task: &TaskId,
        private_keys: PrivateKeys,
    ) -> Result<Signed, TaskRunnerError> {
        let keys = Keys::of(&self.journal, private_keys);
        match keys.signing() {
            Ok(key) => {
                let signed = attesting::attest(&self.journal, task, &key)?;
                Ok(Signed::With { key: signed.key.to_string() })
            }
            Err(error @ (KeysError::NoKey | KeysError::NotTaken { .. })) => {
                Ok(Signed::Unsigned { hint: error.hint().unwrap_or_default() })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The commit that work begins at.
    fn base(&self, uncommitted: Uncommitted) -> Result<String, TaskRunnerError> {
        let head = objects::commit(&self.root, "HEAD").map_err(TaskRunnerError::NoCommit)?;
        match uncommitted {
            Uncommitted::Leave => Ok(head),
            Uncommitted::Take => {
                let now = SystemClock.now().as_millis() / 1000;
                match uncommitted::uncommitted(&self.root)?.is_empty() {
                    true => Ok(head),
                    false => Ok(uncommitted::taken_along(&self.root, &self.state, now)?),
                }
            }
            Uncommitted::Refuse => match uncommitted::uncommitted(&self.root)? {
                files if files.is_empty() => Ok(head),
                files => Err(TaskRunnerError::Uncommitted { files }),
            },
        }
    }

    /// The checks a task of this machine can be held to, and what had to be left out. What could only ever shrug is
    /// not promised.
    fn checks(&self, base: &str) -> Result<(Vec<String>, Vec<String>), TaskRunnerError> {
        let mut checks: Vec<String> = [ACCEPTANCE, HOLD_OUT, HONESTY].map(str::to_owned).into();
        let mut left_out = Vec::new();
        match self.tools.lack_for_strength(&objects::entries(&self.root, base)?) {
            None => checks.push(STRENGTH.to_owned()),
            Some(install) => left_out.push(format!("test strength: {install}, then start again")),
        }
        checks.extend(self.config.checks().iter().map(|check| check.name.clone()));
        Ok((checks, left_out))
    }
}

/// How long one run of tests may take where no check says so, in seconds.
const TESTS_S: u32 = 1_800;
