//! The workshop: performs what a task owes, with real walls, real gates and whoever plays.
//!
//! ```text
//! frame ─▶ shape ─▶ (a person freezes) ─▶ tests ─▶ red run ─▶ edit ─▶ gates ─▶ probes ─▶ challenge ─▶ ship
//!  cast     cast                           cast     room       cast    rooms    rooms     cast         git
//! ```
//!
//! What a role says is used where words are wanted and believed nowhere else: a tree is what was found in its view, a
//! verdict is what a gate said. Every tree, answer and piece of evidence is in the store before it is reported. Nothing
//! is remembered between two effects that the journal does not say.

mod acceptance;
mod answers;
mod bench;
mod building;
mod cast;
mod error;
mod honesty;
mod judging;
mod keeping;
mod outlines;
mod purse;
mod reading;
mod red;
mod review;
mod shaping;
mod stage;
mod strength;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sealwright_kernel::task::{Effect, Input, Known, Report, Task, Want};
use sealwright_kernel::{Actor, Digest, Effect as _, EffectId, TaskId, slice};
use sealwright_sandbox::Cancel;
use sealwright_store::{BlobRef, Blobs, FileJournal};

use crate::config::Config;
use crate::error::whole;
use crate::gatehouse::Gatehouse;
use crate::trees::{Base, Tree, Trees};
use crate::{Answer, CalledOff, Desk, PerformError, Performer, replay};

pub use acceptance::{Acceptance, Contract, Trace};
pub use cast::{Cast, Key, Part, Performance};
pub use error::Trouble;
pub use judging::HONESTY;

pub use crate::own_checks::{ACCEPTANCE, HOLD_OUT, STRENGTH};

/// Performs what the tasks of one repository owe.
pub struct Workshop<C> {
    house: Arc<Gatehouse>,
    cast: Arc<C>,
    config: Arc<Config>,
    journal: FileJournal,
    blobs: Blobs,
    trees: Trees,
    repository: PathBuf,
    state: PathBuf,
    commit: String,
    tests_s: u32,
    base: tokio::sync::OnceCell<Arc<Base>>,
}

/// What a workshop is made of.
pub struct Equipment<C> {
    /// Where gates are performed.
    pub house: Arc<Gatehouse>,
    /// Who plays.
    pub cast: Arc<C>,
    /// What people decided: which checks there are.
    pub config: Arc<Config>,
    /// Where tasks are kept.
    pub journal: FileJournal,
    /// The repository they are about.
    pub repository: PathBuf,
    /// A folder of the machine's own, outside the repository.
    pub state: PathBuf,
    /// The commit work begins at.
    pub commit: String,
    /// How long one run of tests may take, in seconds.
    pub tests_s: u32,
}

impl<C: Cast> Workshop<C> {
    /// Opens a workshop.
    pub fn open(equipment: Equipment<C>) -> Result<Arc<Self>, Trouble> {
        let Equipment { house, cast, config, journal, repository, state, commit, tests_s } =
            equipment;
        let blobs = Blobs::local(journal.layout())?;
        let trees = Trees::new(&repository, &state.join("trees"), blobs.clone());
        let base = tokio::sync::OnceCell::new();
        Ok(Arc::new(Self {
            house,
            cast,
            config,
            journal,
            blobs,
            trees,
            repository,
            state,
            commit,
            tests_s,
            base,
        }))
    }

    /// What one effect leads to.
    async fn work(
        &self,
        effect: &Effect,
        desk: &Desk<Task>,
        cancel: &Arc<Cancel>,
    ) -> Result<Work, Trouble> {
        let (task, id) = match effect {
            Effect::Task { task, .. } => (task, effect.id()),
            Effect::Slice { effect: slice } => (&slice.task, effect.id()),
        };
        let folded = replay::<Task, _>(&self.journal, task.stream(), None).await?;
        let known = folded.machine.known().ok_or(Trouble::NoTask)?.clone();
        let case = Case {
            id,
            task: task.clone(),
            known,
            base: self.base().await?,
            desk: desk.clone(),
            cancel: cancel.clone(),
        };
        match effect {
            Effect::Task { want, .. } => self.want(&case, want).await,
            Effect::Slice { effect } => self.slice(&case, effect).await,
        }
    }

    async fn want(&self, case: &Case, want: &Want) -> Result<Work, Trouble> {
        match want {
            Want::Lease => Ok(Work::machine(case, Report::Leased)),
            Want::Frame => self.frame(case).await,
            Want::Shape { declined, missing } => {
                self.shape(case, declined.as_deref(), missing).await
            }
            Want::Ask { .. } => Err(Trouble::Asked),
            Want::WriteTests { vacuous } => self.write_tests(case, vacuous).await,
            Want::RunRed { tests, tree } => self.run_red(case, *tests, *tree).await,
            Want::ApplyFix { patch } => self.apply_fix(case, *patch).await,
            Want::Probe { probe, tree } => self.probe(case, probe, *tree).await,
            Want::Challenge { tree, .. } => self.challenge(case, *tree).await,
            Want::Adjudicate { tree } => self.adjudicate(case, *tree).await,
            Want::CheckAmendments { .. } => Err(Trouble::NotHere { what: "a debate" }),
            Want::Repair { items, tree } => self.repair(case, items, *tree).await,
            Want::Ship { tree } => self.ship(case, *tree).await,
            Want::Tell { .. } => Err(Trouble::NotHere { what: "a project run" }),
        }
    }

    /// The commit everything begins at, read once.
    async fn base(&self) -> Result<Arc<Base>, Trouble> {
        let read = || async {
            let (trees, commit) = (self.trees.clone(), self.commit.clone());
            let base = tokio::task::spawn_blocking(move || trees.base(&commit));
            Ok::<_, Trouble>(base.await.map_err(|_| Trouble::Died)??)
        };
        Ok(self.base.get_or_try_init(read).await?.clone())
    }

    /// The tree of a digest; where nothing was built yet, the commit.
    async fn tree(&self, case: &Case, digest: Digest) -> Result<Tree, Trouble> {
        match digest == Digest::ZERO {
            true => Ok(self.trees.start(&case.base)),
            false => Ok(self.trees.get(digest).await?),
        }
    }

    /// Writes a tree where a view can be made of it.
    async fn laid_out(&self, case: &Case, tree: &Tree) -> Result<tempfile::TempDir, Trouble> {
        let place = self.state.join("views");
        std::fs::create_dir_all(&place)?;
        let folder = tempfile::tempdir_in(&place)?;
        self.trees.write(&case.base, tree, &folder.path().join(stage::TREE)).await?;
        Ok(folder)
    }

    async fn keep(&self, text: impl Into<Vec<u8>>) -> Result<BlobRef, Trouble> {
        Ok(self.blobs.put(text.into()).await?)
    }
}

impl<C: Cast> Performer<Task> for Workshop<C> {
    async fn perform(
        &self,
        effect: Effect,
        desk: Desk<Task>,
    ) -> Result<Answer<Task>, PerformError> {
        let cancel = Arc::new(Cancel::new().map_err(|error| failed(&error))?);
        let work = self.work(&effect, &desk, &cancel);
        tokio::pin!(work);
        let done = tokio::select! {
            done = &mut work => done,
            why = desk.called_off() => {
                cancel.cancel();
                // Whatever runs is ended now; it says so itself, and nothing is left behind.
                let ended = work.await;
                match why {
                    CalledOff::OutOfTime => ended,
                    CalledOff::NotOwed | CalledOff::Stopping => return Err(PerformError::Cancelled),
                }
            }
        };
        match done {
            Ok(work) => Ok(Answer { input: work.input, actor: work.actor, blobs: work.blobs }),
            Err(trouble) => trouble.answer(&effect),
        }
    }

    fn limit(&self, _effect: &Effect) -> Duration {
        LIMIT
    }
}

/// What an effect is about, read from the journal.
struct Case {
    id: EffectId,
    task: TaskId,
    known: Known,
    base: Arc<Base>,
    /// Where what a call cost is told before its answer.
    desk: Desk<Task>,
    cancel: Arc<Cancel>,
}

/// What came of an effect.
struct Work {
    input: Input,
    actor: Actor,
    blobs: Vec<BlobRef>,
}

impl Work {
    fn machine(case: &Case, report: Report) -> Self {
        let input = Input::Report { effect: case.id.clone(), report };
        Self { input, actor: Actor::Machine, blobs: Vec::new() }
    }

    fn slice(input: slice::Input) -> Self {
        Self { input: Input::Slice { input }, actor: Actor::Machine, blobs: Vec::new() }
    }

    fn resting_on(mut self, blobs: impl IntoIterator<Item = BlobRef>) -> Self {
        self.blobs.extend(blobs);
        self
    }
}

fn failed(error: &dyn std::error::Error) -> PerformError {
    PerformError::Failed { why: whole(error) }
}

/// Where a workshop keeps things of its own for `repository`, below the state folder.
pub fn state_of(state: &Path, repository: &Path) -> PathBuf {
    let name = Digest::of(repository.as_os_str().as_encoded_bytes()).to_string();
    state.join("workshops").join(&name[..16])
}

/// Longer than any agent or suite is given; budgets end them before.
const LIMIT: Duration = Duration::from_secs(4 * 60 * 60);
