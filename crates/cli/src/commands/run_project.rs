//! `sealwright run`: builds what is planned, task by task.

use std::sync::Arc;

use sealwright_factory::project::ProjectStream;
use sealwright_factory::project_runner::{ProjectEnd, ProjectRunner};
use sealwright_factory::task_runner::{Signed, TaskRunner};
use sealwright_kernel::TaskId;
use sealwright_views::wire::{ProjectReport, ProjectRunEnd};

use super::do_task::{Progress, interrupted};
use super::keys::private_keys;
use super::new::configuration;
use super::wait;
use crate::args::Format;
use crate::error::{CliError, CliResult};
use crate::output::{Output, good, say, short};
use crate::person::person;
use crate::repository::Repository;

/// Build the planned project, task by task.
///
/// Each task begins when everything it depends on has shipped, on top of that work. The work of all tasks that shipped is
/// on the branch `sealwright/project`. Run it again to go on where it stopped: after a question, a halt, Ctrl-C or a crash.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Builder: an agent of sealwright.toml, or a kind, such as `codex` [default: of the project].
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    let stream = ProjectStream::of(&repository.journal);
    if !stream.is_there() {
        return Err(CliError::NoProject);
    }
    let project = wait(stream.look())??;
    if project.product().undecided().is_some() {
        return Err(CliError::SpecUndecided);
    }
    if project.is_planning() || project.is_empty() {
        return Err(CliError::PlanUnfinished);
    }
    // A role may not start other roles.
    person(&repository.root)?;
    let config = configuration(&repository.root)?;
    let progress = Arc::new(Progress::new());
    let runner =
        TaskRunner::open(&repository.root, config, args.agent.as_deref(), progress.clone())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let over = |task: &TaskId| {
        progress.rest();
        match runner.sign(task, private_keys()) {
            Ok(Signed::With { .. } | Signed::Unsigned { .. }) => {}
            Err(error) => say(&format!("• {task} is not signed: {error}")),
        }
        say(&format!("• {task} ended"));
    };
    let begins = |task: &TaskId| {
        progress.rest();
        say(&format!("• {task}"));
    };
    let ended = runtime.block_on(ProjectRunner::of(&runner).run(interrupted, begins, over));
    progress.rest();
    runtime.shutdown_background();
    tell(ended?, output)
}

fn tell(end: ProjectEnd, output: &mut Output) -> CliResult {
    let (ended, tasks, why, commit) = match &end {
        ProjectEnd::Complete { commit, .. } => {
            (ProjectRunEnd::Complete, vec![], None, Some(commit))
        }
        ProjectEnd::Waiting { tasks } => (ProjectRunEnd::Waiting, tasks.clone(), None, None),
        ProjectEnd::Stalled { tasks } => (ProjectRunEnd::Stalled, tasks.clone(), None, None),
        ProjectEnd::Stopped => (ProjectRunEnd::Stopped, vec![], None, None),
        ProjectEnd::Failed { task, why } => {
            (ProjectRunEnd::Failed, task.iter().cloned().collect(), Some(why), None)
        }
    };
    if output.format == Format::Json {
        output.json(&ProjectReport {
            ended,
            tasks: tasks.iter().map(Into::into).collect(),
            why: why.map(Into::into),
            commit: commit.map(Into::into),
        })?;
    }
    let named = || tasks.iter().map(TaskId::to_string).collect::<Vec<_>>();
    match end {
        ProjectEnd::Complete { branch, commit } => {
            if output.format == Format::Human {
                let commit = short(&commit);
                output.line(&format!(
                    "{} every task has ended; the work is on branch {branch} at {commit}",
                    good("✓")
                ))?;
            }
            Ok(())
        }
        ProjectEnd::Waiting { .. } => Err(CliError::ProjectAsked { tasks: named() }),
        ProjectEnd::Stalled { tasks } if tasks.is_empty() => Err(CliError::ProjectAbandoned),
        ProjectEnd::Stalled { .. } => Err(CliError::ProjectStalled { tasks: named() }),
        ProjectEnd::Stopped => Err(CliError::ProjectStopped),
        ProjectEnd::Failed { why, .. } => Err(CliError::ProjectFailed { why }),
    }
}
