//! Performs what a project owes its tasks: their streams are opened, and each begins on top of the work it builds on.
//!
//! ```text
//! shipped branches ──join──▶ sealwright/project ──▶ the base of the next task
//! ```

use std::path::PathBuf;
use std::time::Duration;

use sealwright_host::{Answer, Clock as _, NotPerformed, Performer, ReportHandle, SystemClock};
use sealwright_kernel::project::{Effect, Input, Project};
use sealwright_kernel::task::Status;
use sealwright_kernel::{Actor, Effect as _, TaskId};
use sealwright_repo::git::join::{self, Joined};
use sealwright_repo::git::objects;
use sealwright_store::FileJournal;

use crate::TaskError;
use crate::project::{ProjectError, ProjectStream};
use crate::tasks::Tasks;

#[derive(Debug)]
pub(crate) struct ProjectPerformer {
    pub(crate) root: PathBuf,
    pub(crate) journal: FileJournal,
}

impl ProjectPerformer {
    /// The commit with the work of all shipped tasks. The branch of the project is moved to it.
    pub(crate) fn join(&self, project: &Project) -> Result<Result<String, String>, ProjectError> {
        let mut shipped: Vec<(u32, &TaskId)> = project
            .tasks()
            .filter(|(_, entry)| entry.status == Status::Shipped)
            .map(|(id, entry)| (entry.order, id))
            .collect();
        shipped.sort();
        let mut tip = match objects::commit(&self.root, BRANCH_REFERENCE) {
            Ok(tip) => tip,
            Err(_) => objects::commit(&self.root, "HEAD")?,
        };
        for (_, task) in shipped {
            let branch = task.branch();
            let Ok(work) = objects::commit(&self.root, &format!("refs/heads/{branch}")) else {
                return Ok(Err(format!("the branch {branch} is gone, and others build on it")));
            };
            let message = format!("Join {task}\n");
            let now = SystemClock.now().as_millis() / 1000;
            match join::join(&self.root, (&tip, &work), &message, now)? {
                Joined::At(commit) => tip = commit,
                Joined::Conflict { paths } => {
                    return Ok(Err(format!(
                        "{task} and the work before it change the same places of {}; merge {branch} into {BRANCH}, then \
                         run again",
                        paths.join(", "),
                    )));
                }
            }
        }
        join::advance(&self.root, BRANCH, &tip)?;
        Ok(Ok(tip))
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
                let base = match self.join(&project)? {
                    Ok(base) => base,
                    Err(why) => return Ok(Err(why)),
                };
                tasks.start(task, &base).await?;
                Ok(Ok(Input::Dispatched { effect: id }))
            }
        }
    }
}

impl Performer<Project> for ProjectPerformer {
    async fn perform(
        &self,
        effect: Effect,
        _reports: ReportHandle<Project>,
    ) -> Result<Answer<Project>, NotPerformed> {
        match self.work(&effect).await {
            Ok(Ok(input)) => Ok(Answer { input, actor: Actor::Machine, blobs: vec![] }),
            Ok(Err(why)) => Err(NotPerformed::Refused { why }),
            Err(error @ ProjectError::Task(TaskError::Refused(_))) => {
                Err(NotPerformed::Refused { why: error.to_string() })
            }
            Err(error) => Err(NotPerformed::Failed { why: error.to_string() }),
        }
    }

    fn limit(&self, _effect: &Effect) -> Duration {
        Duration::from_secs(120)
    }
}

/// The branch with the work of all tasks that shipped.
pub(crate) const BRANCH: &str = "sealwright/project";
const BRANCH_REFERENCE: &str = "refs/heads/sealwright/project";
