//! `sealwright run`: builds what is planned, task by task, and takes a version through its phases.

use std::sync::Arc;

use sealwright_documents::Finding;
use sealwright_factory::agent_registry::Agents;
use sealwright_factory::project::ProjectStream;
use sealwright_factory::project_runner::{ProjectEnd, ProjectRunner, Waits};
use sealwright_factory::task_runner::{Signed, TaskRunner};
use sealwright_kernel::pipeline::Mode;
use sealwright_kernel::project::run::{Job, Run};
use sealwright_kernel::{Seq, TaskId, Verdict};
use sealwright_views::project_log;
use sealwright_views::wire::{PhaseReport, ProjectReport, ProjectRunEnd};

use super::do_task::{Progress, interrupted};
use super::keys::private_keys;
use super::new::configuration;
use super::wait;
use super::work::Awaited;
use crate::args::Format;
use crate::error::{CliError, CliResult};
use crate::output::{Output, bad, good, sanitize, say, short, warn};
use crate::person::person;
use crate::repository::Repository;
use crate::signing::sign_if_asked;

/// Build the planned project, task by task.
///
/// Each task begins when everything it depends on has shipped, on top of that work. The work of all tasks that shipped is
/// on the branch `sealwright/project`. Run it again to go on where it stopped: after a question, a halt, Ctrl-C or a crash.
///
/// With a request, a version goes through its phases: scope, design and readiness are written and examined before anything
/// is built; review, reconcile, verify and deploy follow. `sealwright continue` says that your part is done.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Begin a version: what to build, in one line.
    #[arg(value_name = "REQUEST")]
    request: Option<String>,

    /// Pause after every gate until `sealwright continue`.
    #[arg(long, requires = "request")]
    stepped: bool,

    #[command(flatten)]
    on: On,
}

/// Who works in a run.
#[derive(Debug, clap::Args)]
pub(crate) struct On {
    /// Builder: an agent of sealwright.toml, or a kind, such as `codex` [default: of the project].
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    let stream = ProjectStream::of(&repository.journal);
    if let Some(request) = &args.request {
        let mode = if args.stepped { Mode::Stepped } else { Mode::Auto };
        wait(stream.begin(&person(&repository.root)?, request, mode))??;
    }
    go(&args.on, false, repository, output)
}

/// Runs what can run, and says what it ended with. What was `handed_in` has an answer, also if it is the same as before.
pub(crate) fn go(
    on: &On,
    handed_in: bool,
    repository: &Repository,
    output: &mut Output,
) -> CliResult {
    let stream = ProjectStream::of(&repository.journal);
    if !stream.is_there() {
        return Err(CliError::NoProject);
    }
    let project = wait(stream.look())??;
    let has_phases = project.run().version > 0;
    if project.product().undecided().is_some() && !has_phases {
        return Err(CliError::SpecUndecided);
    }
    if (project.is_planning() || project.is_empty()) && !has_phases {
        return Err(CliError::PlanUnfinished);
    }
    if project.len() > MANY_TASKS {
        say(&format!(
            "• {} tasks: look now and then at `sealwright status` and the budget",
            project.len()
        ));
    }
    // A role may not start other roles.
    let by = person(&repository.root)?;
    if has_phases && wait(stream.back(&by))?? {
        say(CHANGED);
    }
    // What was examined in another run was told then.
    let (before, answered) = (project.run().last.clone(), project.run().answered());
    let config = configuration(&repository.root)?;
    let is_signed = config.project.signed_decisions;
    let progress = Arc::new(Progress::new());
    let open = |agents| {
        let (config, progress) = (config.clone(), progress.clone());
        TaskRunner::open(&repository.root, config, (agents, on.agent.as_deref()), progress)
    };
    // Documents are examined without an agent; a task is not begun without one.
    let runner = open(if has_phases { Agents::IfThere } else { Agents::Needed })?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let over = |task: &TaskId| {
        progress.rest();
        match runner.sign(task, private_keys()) {
            Ok(Signed::With { .. } | Signed::Unsigned { .. }) => {}
            Err(error) => say(&format!("• {task} is not signed: {error}")),
        }
        say(&format!("• {task} ended"));
    };
    // The run creates tasks in the name of whoever planned them. Of a task that is new, that first record is its own.
    let there = if is_signed { repository.journal.streams_blocking()? } else { Vec::new() };
    let sign = |task: &TaskId| -> CliResult {
        let (stream, created) = (task.stream(), Seq::new(1));
        let is_asked = is_signed && there.binary_search(stream).is_err();
        sign_if_asked(is_asked, &repository.journal, stream, &by, created..=created)
    };
    let begins = |task: &TaskId| {
        progress.rest();
        say(&format!("• {task}"));
        // What cannot be signed is refused when the task is run.
        if let Err(error) = sign(task) {
            say(&format!("• {task} is not signed: {error}"));
        }
    };
    let ended = runtime.block_on(ProjectRunner::of(&runner).run(interrupted, begins, over));
    progress.rest();
    runtime.shutdown_background();
    let project = wait(stream.look())??;
    // A task that stays unsigned is refused when it has its turn.
    let _ = project.tasks().try_for_each(|(task, _)| sign(task));
    let ended = ended?;
    if ended == ProjectEnd::NoAgents {
        open(Agents::Needed)?;
    }
    let findings = wait(stream.findings())??;
    // What is still missing is said again to whoever lets the run go on.
    let is_due =
        |job: Job| matches!(ended, ProjectEnd::Asked { waits: Waits::Work(due) } if due == job);
    let is_asked = handed_in || project.run().last.as_ref().is_some_and(|it| is_due(it.job));
    let has_answer = is_asked && project.run().answered() > answered;
    if output.format == Format::Human && (project.run().last != before || has_answer) {
        lines(project.run(), &findings).iter().try_for_each(|line| output.line(line))?;
    }
    tell(ended, (project.run(), &findings), stream.design_depth(&project), output)
}

fn tell(
    end: ProjectEnd,
    (phases, findings): (&Run, &[Finding]),
    depth: Option<&'static str>,
    output: &mut Output,
) -> CliResult {
    let (ended, tasks, why, commit) = match &end {
        ProjectEnd::Complete { commit, .. } => {
            (ProjectRunEnd::Complete, vec![], None, Some(commit))
        }
        ProjectEnd::Delivered { commit, .. } => {
            (ProjectRunEnd::Delivered, vec![], None, Some(commit))
        }
        ProjectEnd::Asked { .. } => (ProjectRunEnd::Asked, vec![], None, None),
        ProjectEnd::Waiting { tasks } => (ProjectRunEnd::Waiting, tasks.clone(), None, None),
        ProjectEnd::Stalled { tasks } => (ProjectRunEnd::Stalled, tasks.clone(), None, None),
        ProjectEnd::Stopped | ProjectEnd::NoAgents => (ProjectRunEnd::Stopped, vec![], None, None),
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
            phase: PhaseReport::of(phases, findings),
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
        ProjectEnd::Delivered { version, commit } => {
            if output.format == Format::Human {
                output.line(&format!(
                    "{} FULL PIPELINE COMPLETE: version {version} is delivered, at {} of branch sealwright/project",
                    good("✓"),
                    short(&commit)
                ))?;
                say("`sealwright iterate` begins the next version");
            }
            Ok(())
        }
        ProjectEnd::Asked { waits: Waits::Decision(_) }
            if project_log::blocked(phases).is_some() =>
        {
            let report = project_log::blocked(phases).unwrap_or_default();
            Err(CliError::PhaseBlocked { report })
        }
        ProjectEnd::Asked { waits } => {
            let Awaited { what, hint } = Awaited::of(waits, phases, depth);
            Err(CliError::PhaseAsked { what, hint })
        }
        ProjectEnd::Waiting { .. } => Err(CliError::ProjectAsked { tasks: named() }),
        ProjectEnd::Stalled { tasks } if tasks.is_empty() => Err(CliError::ProjectAbandoned),
        ProjectEnd::Stalled { .. } => Err(CliError::ProjectStalled { tasks: named() }),
        ProjectEnd::Stopped | ProjectEnd::NoAgents => Err(CliError::ProjectStopped),
        ProjectEnd::Failed { why, .. } => Err(CliError::ProjectFailed { why }),
    }
}

/// The last gate that did not pass, with every finding; or the last that did.
fn lines(phases: &Run, findings: &[Finding]) -> Vec<String> {
    let Some(last) = phases.last.as_ref() else { return Vec::new() };
    let name = last.job.name();
    let verdict = match last.report.verdict {
        Verdict::Pass if !phases.brakes.is_empty() => return Vec::new(),
        Verdict::Pass => return vec![format!("{} the gate of {name} passed", good("✓"))],
        Verdict::Fail => bad("✗"),
        Verdict::CannotTell => warn("?"),
    };
    let said = match last.report.verdict {
        Verdict::CannotTell => "cannot be told",
        Verdict::Pass | Verdict::Fail => "did not pass",
    };
    let mut lines = vec![format!("{verdict} the gate of {name} {said}:")];
    for Finding { file, line, what, fix, .. } in findings.iter().take(FINDINGS_SHOWN) {
        lines.push(format!("  {}:{line}: {}; {}", sanitize(file), sanitize(what), sanitize(fix)));
    }
    let more = findings.len().saturating_sub(FINDINGS_SHOWN);
    if more > 0 {
        lines.push(format!("  … {more} more; `--format json` lists all"));
    }
    lines
}

pub(super) const CHANGED: &str =
    "• files were changed or work was cut off: it goes on at the first gate that is not fresh";
const FINDINGS_SHOWN: usize = 20;
/// Above so many tasks people are told to watch the run.
pub(super) const MANY_TASKS: usize = 500;
