//! Performs what a project owes its tasks: their streams are opened, and each begins on top of the work it builds on.
//!
//! ```text
//! shipped branches ──join──▶ sealwright/project ──▶ the base of the next task
//! ```

mod facts;
pub(crate) mod phases;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sealwright_host::{Answer, Clock as _, NotPerformed, Performer, ReportHandle, SystemClock};
use sealwright_kernel::project::{Effect, Input, Project, run};
use sealwright_kernel::task::Status;
use sealwright_kernel::{Actor, Effect as _, TaskId};
use sealwright_repo::git::join::{self, Joined};
use sealwright_repo::git::{objects, prefix};
use sealwright_repo::trees::Trees;
use sealwright_store::{BlobRef, Blobs, FileJournal, ProofFile};

use crate::TaskError;
use crate::gate_runner::GateRunner;
use crate::project::{ProjectError, ProjectStream};
use crate::tasks::Tasks;
use sealwright_config::Config;

pub(crate) struct ProjectPerformer {
    pub(crate) root: PathBuf,
    pub(crate) journal: FileJournal,
    pub(crate) config: Arc<Config>,
    pub(crate) gates: Arc<GateRunner>,
    /// Where trees are written out while they are checked.
    pub(crate) state: PathBuf,
}

impl ProjectPerformer {
    /// The commit with the work of all shipped tasks. The branch of the project is moved to it.
    pub(crate) async fn join(
        &self,
        project: &Project,
    ) -> Result<Result<String, String>, ProjectError> {
        let mut shipped: Vec<(u32, &TaskId)> = project
            .tasks()
            .filter(|(_, entry)| entry.status == Status::Shipped)
            .map(|(id, entry)| (entry.order, id))
            .collect();
        shipped.sort();
        let head = objects::commit(&self.root, "HEAD")?;
        let mut tip = self.tip(&head).await?;
        if shipped.is_empty() && !self.is_ours(&head, &tip).await? {
            return Ok(Err(format!("a branch {BRANCH} is there already; rename it")));
        }
        for (_, task) in shipped {
            let work = match self.shipped(task).await? {
                Ok(work) => work,
                Err(why) => return Ok(Err(why)),
            };
            let message = format!("Join {task}\n");
            let now = SystemClock.now().as_millis() / 1000;
            match join::join(&self.root, (&tip, &work), &message, now)? {
                Joined::At(commit) => tip = commit,
                Joined::Conflict { paths } => {
                    // What fits together is there to be merged with.
                    if let Err(why) = self.advance(&tip)? {
                        return Ok(Err(why));
                    }
                    return Ok(Err(format!(
                        "{task} and the work before it change the same places of {}; merge {} into {BRANCH}, then run \
                         again",
                        paths.join(", "),
                        task.branch(),
                    )));
                }
            }
        }
        Ok(self.advance(&tip)?.map(|()| tip))
    }

    /// The commit that a task shipped, if its own stream says so and its branch is what it says.
    async fn shipped(&self, task: &TaskId) -> Result<Result<String, String>, ProjectError> {
        let looked = Tasks::of(&self.journal).look(task).await?.machine;
        let data = match (looked.status(), looked.data()) {
            (Status::Shipped, Some(data)) => data,
            _ => {
                return Ok(Err(format!(
                    "the project has {task} as shipped, and its own records do not"
                )));
            }
        };
        let branch = task.branch();
        let Ok(work) = objects::commit(&self.root, &format!("refs/heads/{branch}")) else {
            return Ok(Err(format!("the branch {branch} is gone, and others build on it")));
        };
        let trees = Trees::new(&self.root, &self.root, Blobs::local(self.journal.layout())?);
        let proof = format!("{}{}", prefix(&self.root)?, ProofFile::path(task));
        let is_proven = match &data.record {
            Some(record) => trees.is_at(&trees.get(record.tree).await?, &proof, &work)?,
            None => false,
        };
        let parent = objects::commit(&self.root, &format!("refs/heads/{branch}^")).ok();
        if !is_proven || parent != data.charter.base {
            return Ok(Err(format!("the branch {branch} is not the work that was proven")));
        }
        Ok(Ok(work))
    }

    fn advance(&self, tip: &str) -> Result<Result<(), String>, ProjectError> {
        let is_there = objects::commit(&self.root, BRANCH_REFERENCE).is_ok_and(|it| it == tip);
        if !is_there && join::is_checked_out(&self.root, BRANCH)? {
            return Ok(Err(format!("{BRANCH} is checked out; check out another branch")));
        }
        join::advance(&self.root, BRANCH, tip)?;
        Ok(Ok(()))
    }

    async fn work(&self, effect: &Effect) -> Result<Result<Input, String>, ProjectError> {
        let tasks = Tasks::of(&self.journal);
        let id = effect.id();
        match effect {
            Effect::Open { charter, by } => {
                tasks.admit(&Actor::Human(by.clone()), (**charter).clone()).await?;
                Ok(Ok(Input::Opened { effect: id }))
            }
            Effect::Dispatch { task } => {
                let project = ProjectStream::of(&self.journal).look().await?;
                let base = match self.join(&project).await? {
                    Ok(base) => base,
                    Err(why) => return Ok(Err(why)),
                };
                tasks.start(task, &base).await?;
                Ok(Ok(Input::Dispatched { effect: id }))
            }
            Effect::Run(_) => Ok(Err("that is performed elsewhere".to_owned())),
        }
    }

    async fn answer(
        &self,
        effect: &Effect,
    ) -> Result<Result<(Input, Vec<BlobRef>), String>, ProjectError> {
        match effect {
            Effect::Run(effect) => self.phase(effect).await,
            Effect::Open { .. } | Effect::Dispatch { .. } => {
                Ok(self.work(effect).await?.map(|input| (input, Vec::new())))
            }
        }
    }
}

impl Performer<Project> for ProjectPerformer {
    async fn perform(
        &self,
        effect: Effect,
        reports: ReportHandle<Project>,
    ) -> Result<Answer<Project>, NotPerformed> {
        if let Effect::Run(run::Effect::Work { job, .. }) = &effect {
            return self.work_by_script(*job, effect.id(), &reports).await;
        }
        match self.answer(&effect).await {
            Ok(Ok((input, blobs))) => Ok(Answer { input, actor: Actor::Machine, blobs }),
            Ok(Err(why)) => Err(NotPerformed::Refused { why }),
            Err(error @ ProjectError::Task(TaskError::Refused(_))) => {
                Err(NotPerformed::Refused { why: error.to_string() })
            }
            Err(error) => Err(NotPerformed::Failed { why: crate::whole(&error) }),
        }
    }

    fn limit(&self, effect: &Effect) -> Duration {
        match effect {
            // It runs every check of the project.
            Effect::Run(run::Effect::Examine { .. }) => Duration::from_secs(2 * 60 * 60),
            Effect::Run(_) | Effect::Open { .. } | Effect::Dispatch { .. } => {
                Duration::from_secs(120)
            }
        }
    }
}

/// The branch with the work of all tasks that shipped.
pub(crate) const BRANCH: &str = "sealwright/project";
pub(crate) const BRANCH_REFERENCE: &str = "refs/heads/sealwright/project";
