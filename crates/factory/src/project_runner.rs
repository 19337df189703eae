//! The project runner: gives the tasks of a project their turns, each on top of the work it builds on.
//!
//! ```text
//! project ──owes──▶ streams opened, tasks started ──▶ a task runs until it ends or waits ──tells──▶ project …
//! ```
//!
//! The project and each task are streams of their own. One process at a time writes a stream, so the project's is open
//! only while it is told something: a task may tell it at any time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sealwright_host::Ended;
use sealwright_kernel::TaskId;
use sealwright_kernel::pipeline::State;
use sealwright_kernel::project::run::{Effect, Job};
use sealwright_kernel::project::{Outcome, Project};
use sealwright_kernel::task::Status;

use crate::project::{ProjectError, ProjectStream};
use crate::project_performer::{BRANCH, ProjectPerformer};
use crate::task_runner::TaskRunner;
use crate::tasks::Tasks;

pub struct ProjectRunner<'r> {
    runner: &'r TaskRunner,
    stream: ProjectStream,
    performer: Arc<ProjectPerformer>,
}

/// How a run of a project ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectEnd {
    /// Every task ended; the work of those that shipped is on the branch.
    Complete { branch: &'static str, commit: String },
    /// These tasks wait for a person; no other can begin.
    Waiting { tasks: Vec<TaskId> },
    /// Tasks are left, and what they depend on was abandoned.
    Stalled { tasks: Vec<TaskId> },
    /// The phases wait for a person.
    Asked { waits: Waits },
    /// The version passed its last gate.
    Delivered { version: u32, commit: String },
    /// A task has its turn, and the runner was opened without the agents it needs.
    NoAgents,
    /// The run was stopped.
    Stopped,
    /// A task, or the project itself, cannot go on here.
    Failed { task: Option<TaskId>, why: String },
}

/// What the phases of a project wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// Somebody has to do this, and say when it is there.
    Work(Job),
    /// A person has to approve what will be built.
    Approval,
    /// A person has to decide how it goes on.
    Decision(State),
    /// A version, or another one, has to be asked for.
    Request(State),
}

impl<'r> ProjectRunner<'r> {
    pub fn of(runner: &'r TaskRunner) -> Self {
        let journal = runner.journal.clone();
        let stream = ProjectStream::of(&journal);
        let performer = Arc::new(ProjectPerformer {
            root: runner.root.clone(),
            journal,
            config: runner.config.clone(),
            gates: runner.gates.clone(),
            state: runner.state.clone(),
        });
        Self { runner, stream, performer }
    }

    /// Runs tasks in their turns until every task ended, a person has to decide, or `stop` is ready. `begins` and `over`
    /// hear of each task that is run and that ended in this run.
    pub async fn run<F: Future<Output = ()>>(
        &self,
        stop: impl Fn() -> F,
        begins: impl Fn(&TaskId),
        over: impl Fn(&TaskId),
    ) -> Result<ProjectEnd, ProjectError> {
        // Those that were run and wait for a person.
        let mut waiting = BTreeSet::new();
        loop {
            self.runner.require_signed(self.stream.stream()).map_err(Box::new)?;
            if let Some(end) = self.settle().await? {
                return Ok(end);
            }
            let project = self.stream.look().await?;
            let Some(task) = self.next(&project, &waiting)? else {
                self.stream.render().await?;
                return match waits(&project) {
                    Some(end) => Ok(end),
                    None => self.end(&project).await,
                };
            };
            if !self.runner.has_agents() {
                return Ok(ProjectEnd::NoAgents);
            }
            begins(&task);
            match self.runner.run(&task, stop()).await.map_err(Box::new)? {
                Ended::Over(_) => over(&task),
                Ended::Waiting(_) => drop(waiting.insert(task)),
                Ended::Stopped => return Ok(ProjectEnd::Stopped),
                Ended::Stalled(stalled) => {
                    let why = stalled.into_iter().next().map(|it| it.why).unwrap_or_default();
                    return Ok(ProjectEnd::Failed { task: Some(task), why });
                }
                Ended::Parked { why, .. } => {
                    return Ok(ProjectEnd::Failed { task: Some(task), why });
                }
            }
        }
    }

    /// Performs what the project owes. No task has its turn meanwhile.
    pub async fn settle(&self) -> Result<Option<ProjectEnd>, ProjectError> {
        let host = self.stream.open(self.performer.clone()).await?;
        Ok(match host.run().await? {
            Ended::Over(_) | Ended::Waiting(_) => None,
            Ended::Stopped => Some(ProjectEnd::Stopped),
            Ended::Parked { why, .. } => Some(ProjectEnd::Failed { task: None, why }),
            Ended::Stalled(stalled) => {
                let why = stalled.into_iter().next().map(|it| it.why).unwrap_or_default();
                Some(ProjectEnd::Failed { task: None, why })
            }
        })
    }

    /// The task to run: one that has its turn, or one that has something to tell.
    fn next(
        &self,
        project: &Project,
        waiting: &BTreeSet<TaskId>,
    ) -> Result<Option<TaskId>, ProjectError> {
        if project.run().is_stopped() {
            return Ok(None);
        }
        let index = Tasks::of(&self.runner.journal).index()?;
        let mut statuses: BTreeMap<TaskId, Status> = BTreeMap::new();
        for summary in index.streams() {
            let task = TaskId::new(summary.stream.as_str());
            if let (Ok(task), Some(glance)) = (task, &summary.glance) {
                statuses.insert(task, glance.status);
            }
        }
        let at_work: BTreeSet<&TaskId> = project.at_work().collect();
        let mut open: Vec<(u32, &TaskId)> = project
            .tasks()
            .filter(|(id, entry)| {
                let has_news = statuses.get(*id).is_some_and(|it| *it != entry.status);
                match entry.status {
                    Status::Shipped | Status::Abandoned => false,
                    Status::Pending => has_news || at_work.contains(id),
                    Status::InProgress | Status::Parked | Status::Halted => true,
                }
            })
            .filter(|(id, _)| !waiting.contains(*id))
            .map(|(id, entry)| (entry.order, id))
            .collect();
        open.sort();
        Ok(open.first().map(|(_, task)| (*task).clone()))
    }

    async fn end(&self, project: &Project) -> Result<ProjectEnd, ProjectError> {
        let standing = |wanted: &[Status]| -> Vec<TaskId> {
            let tasks = project.tasks().filter(|(_, entry)| wanted.contains(&entry.status));
            tasks.map(|(id, _)| id.clone()).collect()
        };
        Ok(match project.outcome() {
            Outcome::Complete => match self.performer.join(project).await? {
                Ok(commit) => ProjectEnd::Complete { branch: BRANCH, commit },
                Err(why) => ProjectEnd::Failed { task: None, why },
            },
            Outcome::Suspended => ProjectEnd::Waiting { tasks: standing(&[Status::Halted]) },
            Outcome::Running => {
                ProjectEnd::Waiting { tasks: standing(&[Status::InProgress, Status::Parked]) }
            }
            Outcome::Stalled => ProjectEnd::Stalled { tasks: standing(&[Status::Pending]) },
        })
    }
}

/// What the phases wait for, if it is not the tasks.
pub fn waits(project: &Project) -> Option<ProjectEnd> {
    let run = project.run();
    let state = run.pipeline.state;
    if run.version == 0 {
        return None;
    }
    let is_built = project.outcome() == Outcome::Complete;
    if let Some(Effect::Work { job, .. }) = run.due(is_built) {
        return Some(ProjectEnd::Asked { waits: Waits::Work(job) });
    }
    if run.waits_for_freeze() {
        return Some(ProjectEnd::Asked { waits: Waits::Approval });
    }
    if run.goes_on().is_some() {
        return Some(ProjectEnd::Asked { waits: Waits::Decision(state) });
    }
    if state == State::PipelineComplete {
        let commit = run.kept.clone().unwrap_or_default();
        return Some(ProjectEnd::Delivered { version: run.version, commit });
    }
    (state != State::Building).then_some(ProjectEnd::Asked { waits: Waits::Request(state) })
}
