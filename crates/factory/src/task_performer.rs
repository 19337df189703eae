//! The task performer: performs the effects a task owes, with sandboxes, gates and agents.
//!
//! ```text
//! frame ─▶ shape ─▶ (a person freezes) ─▶ tests ─▶ red run ─▶ edit ─▶ gates ─▶ probes ─▶ challenge ─▶ ship
//!  agent    agent                           agent     room      agent    rooms     rooms     agent         git
//! ```
//!
//! The performer uses a role's answer where text is wanted and trusts it nowhere else: a tree is what is found in the
//! role's view, a verdict is what a gate says. Every tree, answer and piece of evidence is in the store before it is
//! reported. Between two effects the performer keeps no state that is not in the journal.

mod acceptance;
mod across;
mod agent_caller;
mod amendments;
mod apply_fix;
mod build;
mod call;
mod call_budget;
mod challenge;
mod companions;
mod error;
mod gate_inputs;
mod interface;
mod read;
mod red_run;
mod run_gates;
mod shape;
mod ship;
mod split_tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sealwright_kernel::task::{Effect, Input, Report, Task, TaskData, Want, slice};
use sealwright_kernel::{
    Actor, Digest, Effect as _, EffectId, InvocationId, Machine as _, Role, TaskId,
};
use sealwright_sandbox::Cancel;
use sealwright_store::BlobRef;

use crate::error::whole;
use crate::gate_runner::GateRunner;
use crate::scratch::Scratch;
use crate::task_store::TaskStore;
use sealwright_config::Config;
use sealwright_host::{Answer, CalledOff, NotPerformed, Performer, ReportHandle, replay};
use sealwright_repo::trees::{Base, Tree, Trees};

pub use acceptance::{Acceptance, Contract, Trace};
pub use agent_caller::{AgentCaller, CallRequest, CallResult, Key};
pub use error::PerformError;

pub use sealwright_views::built_in_checks::{ACCEPTANCE, HOLD_OUT, HONESTY, STRENGTH};

pub struct TaskPerformer<C, S> {
    gates: Arc<GateRunner>,
    caller: Arc<C>,
    config: Arc<Config>,
    store: Arc<S>,
    trees: Trees,
    repository: PathBuf,
    state: PathBuf,
    /// Copies of trees for the views of roles.
    views: Scratch,
    commit: String,
    tests_s: u32,
    base: tokio::sync::OnceCell<Arc<Base>>,
}

pub struct PerformerParts<C, S> {
    pub gates: Arc<GateRunner>,
    pub caller: Arc<C>,
    pub config: Arc<Config>,
    pub store: Arc<S>,
    pub repository: PathBuf,
    /// A folder outside the repository for Sealwright's own files.
    pub state: PathBuf,
    pub commit: String,
    /// The time limit of one test run, in seconds.
    pub tests_s: u32,
}

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    pub fn open(parts: PerformerParts<C, S>) -> PerformResult<Arc<Self>> {
        let PerformerParts { gates, caller, config, store, repository, state, commit, tests_s } =
            parts;
        let trees = Trees::new(&repository, &state.join("trees"), store.blobs().clone());
        let base = tokio::sync::OnceCell::new();
        let views = Scratch::open(&state.join("views"))?;
        Ok(Arc::new(Self {
            gates,
            caller,
            config,
            store,
            trees,
            repository,
            state,
            views,
            commit,
            tests_s,
            base,
        }))
    }

    async fn work(
        &self,
        effect: &Effect,
        reports: &ReportHandle<Task>,
        cancel: &Arc<Cancel>,
    ) -> PerformResult {
        let (task, id) = (effect.task(), effect.id());
        let folded = replay::<Task, _>(self.store.journal(), task.stream(), None).await?;
        let data = folded.machine.data().ok_or(PerformError::NoTask)?.clone();
        let context = EffectContext {
            id,
            task: task.clone(),
            data,
            base: self.base().await?,
            reports: reports.clone(),
            cancel: cancel.clone(),
        };
        let done = match effect {
            Effect::Task { want, .. } => self.want(&context, want).await,
            Effect::Slice { effect } => self.slice(&context, effect).await,
        }?;
        // What a role says may have its form and still be nothing that the task can take. A person hears of it.
        match folded.machine.decide(&done.input) {
            Err(rejected) if effect.asks_a_role() => {
                let why = format!("the answer cannot be used: {rejected}");
                Err(PerformError::Impossible { why })
            }
            Ok(_) | Err(_) => Ok(done),
        }
    }

    async fn want(&self, context: &EffectContext, want: &Want) -> PerformResult {
        match want {
            Want::Lease => Ok(EffectResult::machine(context, Report::Leased)),
            Want::Frame => self.frame(context).await,
            Want::Shape { declined, missing } => {
                self.shape(context, declined.as_deref(), missing).await
            }
            Want::Ask { .. } => Err(PerformError::Asked),
            Want::WriteTests { vacuous } => self.write_tests(context, vacuous).await,
            Want::RunRed { tests, tree } => self.run_red(context, *tests, *tree).await,
            Want::ApplyFix { patch, places } => self.apply_fix(context, *patch, places).await,
            Want::Probe { probe, tree } => self.probe(context, probe, *tree).await,
            Want::Challenge { tree, .. } => self.challenge(context, *tree).await,
            Want::Adjudicate { tree } => self.adjudicate(context, *tree).await,
            Want::CheckAmendments { amendments, tree } => {
                self.check_amendments(context, amendments, *tree).await
            }
            Want::Repair { items, tree } => self.repair(context, items, *tree).await,
            Want::Ship { tree } => self.ship(context, *tree).await,
            Want::Tell { news, status, phase } => {
                let told = self.store.tell_project(&context.task, (*news, *status, *phase)).await;
                told.map_err(|source| PerformError::Project(Box::new(source)))?;
                Ok(EffectResult::machine(context, Report::Told))
            }
        }
    }

    /// The commit the work starts from, read once.
    async fn base(&self) -> PerformResult<Arc<Base>> {
        let read = || async {
            let (trees, commit) = (self.trees.clone(), self.commit.clone());
            let base = tokio::task::spawn_blocking(move || trees.base(&commit));
            Ok::<_, PerformError>(base.await.map_err(|_| PerformError::Died)??)
        };
        Ok(self.base.get_or_try_init(read).await?.clone())
    }

    /// The tree with this digest. `Digest::ZERO` is the commit itself.
    async fn tree(&self, context: &EffectContext, digest: Digest) -> PerformResult<Tree> {
        if digest == Digest::ZERO {
            Ok(self.trees.start(&context.base))
        } else {
            Ok(self.trees.get(digest).await?)
        }
    }

    /// Writes a tree into a new folder, from which a view can be built.
    async fn laid_out(
        &self,
        context: &EffectContext,
        tree: &Tree,
    ) -> PerformResult<tempfile::TempDir> {
        let folder = self.views.new_folder()?;
        self.trees.write(&context.base, tree, &folder.path().join(call::TREE)).await?;
        Ok(folder)
    }

    async fn keep(&self, text: impl Into<Vec<u8>>) -> PerformResult<BlobRef> {
        Ok(self.store.blobs().put(text.into()).await?)
    }
}

impl<C: AgentCaller, S: TaskStore> Performer<Task> for TaskPerformer<C, S> {
    async fn perform(
        &self,
        effect: Effect,
        reports: ReportHandle<Task>,
    ) -> Result<Answer<Task>, NotPerformed> {
        let cancel = Arc::new(Cancel::new().map_err(|error| failed(&error))?);
        let work = self.work(&effect, &reports, &cancel);
        tokio::pin!(work);
        let done = tokio::select! {
            done = &mut work => done,
            why = reports.called_off() => {
                cancel.cancel();
                // Everything that runs is killed now; the call below returns once it has ended.
                let ended = work.await;
                match why {
                    CalledOff::OutOfTime => ended,
                    CalledOff::NotOwed | CalledOff::Stopping => return Err(NotPerformed::Cancelled),
                }
            }
        };
        match done {
            Ok(work) => Ok(Answer { input: work.input, actor: work.actor, blobs: work.blobs }),
            Err(error) => error.answer(&effect),
        }
    }

    fn limit(&self, _effect: &Effect) -> Duration {
        LIMIT
    }
}

/// The task and the effect, read from the journal.
struct EffectContext {
    id: EffectId,
    task: TaskId,
    data: TaskData,
    base: Arc<Base>,
    /// Receives the cost of a call before its answer.
    reports: ReportHandle<Task>,
    cancel: Arc<Cancel>,
}

/// What comes of performing an effect, or of a step towards it.
type PerformResult<T = EffectResult> = Result<T, PerformError>;

struct EffectResult {
    input: Input,
    actor: Actor,
    blobs: Vec<BlobRef>,
}

impl EffectResult {
    fn machine(context: &EffectContext, report: Report) -> Self {
        let input = Input::Report { effect: context.id.clone(), report };
        Self { input, actor: Actor::Machine, blobs: Vec::new() }
    }

    /// What a role said, with its answer in the store.
    fn said(
        context: &EffectContext,
        report: Report,
        (role, invocation): (Role, InvocationId),
        answer: BlobRef,
    ) -> Self {
        let actor = Actor::Role(role, invocation);
        Self { actor, ..Self::machine(context, report).resting_on([answer]) }
    }

    fn slice(input: slice::Input) -> Self {
        Self { input: Input::Slice { input }, actor: Actor::Machine, blobs: Vec::new() }
    }

    fn resting_on(mut self, blobs: impl IntoIterator<Item = BlobRef>) -> Self {
        self.blobs.extend(blobs);
        self
    }
}

fn failed(error: &dyn std::error::Error) -> NotPerformed {
    NotPerformed::Failed { why: whole(error) }
}

/// The folder for Sealwright's own files about `repository`, below the state folder.
pub fn state_of(state: &Path, repository: &Path) -> PathBuf {
    let name = Digest::of(repository.as_os_str().as_encoded_bytes()).to_string();
    state.join("workshops").join(&name[..16])
}

/// Longer than the budget of any agent call or test run.
const LIMIT: Duration = Duration::from_secs(4 * 60 * 60);
