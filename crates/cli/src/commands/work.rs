//! `sealwright continue`, `abandon` and `iterate`: what people say to a version that goes through its phases.

use std::sync::Arc;

use sealwright_factory::agent_registry::Agents;
use sealwright_factory::project::{ProjectError, ProjectStream, WentOn};
use sealwright_factory::project_runner::{self, ProjectEnd, ProjectRunner, Waits};
use sealwright_factory::task_runner::TaskRunner;
use sealwright_kernel::pipeline::{Action, Change, Mode, Phase, State, Step};
use sealwright_kernel::project::Rejected;
use sealwright_kernel::project::run::{Decision, Job, Run};
use sealwright_views::project_log;
use sealwright_views::wire::{PhaseReport, ProjectReport, ProjectRunEnd};

use super::do_task::Progress;
use super::new::configuration;
use super::run_project::{CHANGED, On, go};
use super::wait;
use crate::args::Format;
use crate::error::{CliError, CliResult};
use crate::output::{Output, say, short};
use crate::person::person;
use crate::repository::Repository;

/// Say that your part is done, and go on.
///
/// What it means depends on what the version waits for: its work is handed in and examined, what will be built is approved,
/// a pause ends, or the run goes on after a block. `sealwright run` says what it waits for.
#[derive(Debug, clap::Args)]
pub(crate) struct Continue {
    /// What you decided to change. Gates that depend on it are examined again.
    #[arg(long, value_enum, value_name = "WHAT")]
    changed: Option<Changed>,

    /// Your answer where a build outgrows its design, or documents and code contradict each other.
    #[arg(long, value_enum, value_name = "ANSWER", conflicts_with_all = ["changed", "rollback", "first"])]
    decide: Option<Answer>,

    /// Why, for those who read the log.
    #[arg(long, value_name = "WHY", default_value = "")]
    because: String,

    /// Before a deployment: the command that undoes it. Deploy after it is recorded.
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["changed", "first"])]
    rollback: Option<String>,

    /// Something that is done first; then the version goes on where it is.
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with = "changed")]
    first: Option<First>,

    #[command(flatten)]
    on: On,
}

/// What can be done beside the phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum First {
    /// Compare documents and code.
    Reconcile,
    /// Sum up what lies in `docs/input`, once a version is delivered.
    Distill,
}

/// The answers to a brake and to a contradiction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Answer {
    /// The design gets simpler.
    Simplify,
    /// The scope asks for less.
    Reduce,
    /// A part becomes a scope item of its own.
    Split,
    /// It may be as large as it is.
    Authorise,
    /// The scope takes in what the code does.
    Accept,
    /// The code goes back to what the scope says.
    Revert,
}

impl From<Answer> for Decision {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Simplify => Self::Simplify,
            Answer::Reduce => Self::Reduce,
            Answer::Split => Self::Split,
            Answer::Authorise => Self::Authorise,
            Answer::Accept => Self::Accept,
            Answer::Revert => Self::Revert,
        }
    }
}

/// What a person decided to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Changed {
    Scope,
    Design,
    Code,
}

/// Give up the version that is worked on, where it waits for you.
///
/// A delivered version stays as it is; the branch keeps every commit.
#[derive(Debug, clap::Args)]
pub(crate) struct Abandon {
    /// Why, for those who read the log.
    #[arg(long, value_name = "WHY")]
    because: String,
}

/// Begin the next version of a delivered project.
///
/// Write `.sealwright/pipeline/proposal.md`, then `sealwright continue` hands it in. `--confirm` accepts it and begins the
/// version.
#[derive(Debug, clap::Args)]
pub(crate) struct Iterate {
    /// Accept the proposal.
    #[arg(long, conflicts_with = "reject")]
    confirm: bool,

    /// Which of its changes you accept [default: all].
    #[arg(long, value_name = "IDS", requires = "confirm", default_value = "")]
    only: String,

    /// Pause after every gate of the version.
    #[arg(long, requires = "confirm")]
    stepped: bool,

    /// Reject the proposal; it stays in the log.
    #[arg(long, value_name = "WHY")]
    reject: Option<String>,

    #[command(flatten)]
    on: On,
}

pub(crate) fn go_on(args: &Continue, repository: &Repository, output: &mut Output) -> CliResult {
    let stream = with_phases(repository)?;
    let by = person(&repository.root)?;
    let change = match args.changed {
        None => Change::Nothing,
        Some(Changed::Scope) => Change::Scope,
        Some(Changed::Design) => Change::Design,
        Some(Changed::Code) => Change::Code,
    };
    let project = wait(stream.look())??;
    if project.product().undecided().is_some() {
        return Err(CliError::SpecUndecided);
    }
    if let Some(command) = &args.rollback {
        wait(stream.rollback(&by, command))??;
        say("• recorded; deploy now, then `sealwright continue`");
        return stopped(&stream, output);
    }
    if let Some(first) = args.first {
        let action = match (first, project.run().pipeline.state.phase()) {
            (First::Reconcile, Some(phase)) => phase.ask_reconcile(),
            (First::Reconcile, None) => None,
            (First::Distill, _) => Some(Action::DistillFromComplete),
        };
        let Some(action) = action else {
            let why = "documents and code are compared while a version is designed, built, reviewed or verified";
            return Err(ProjectError::Refused(Rejected::NotNow { why }).into());
        };
        wait(stream.step(&by, action.into(), &args.because))??;
        return go(&args.on, false, repository, output);
    }
    if let Some(answer) = args.decide {
        wait(stream.resolve(&by, answer.into(), &args.because))??;
        return go(&args.on, false, repository, output);
    }
    let went = wait(stream.go_on(&by, change, &args.because))??;
    let handed_in = matches!(went, WentOn::HandedIn(_));
    match went {
        WentOn::HandedIn(job) => say(&format!("• {} is handed in", job.name())),
        WentOn::Approved(documents) => {
            for (document, digest) in documents {
                let name = format!("{document:?}").to_lowercase();
                say(&format!("• approved: {name} {}", short(&digest)));
            }
        }
        WentOn::Stepped(_) => {}
        WentOn::Returned => say(CHANGED),
    }
    go(&args.on, handed_in, repository, output)
}

pub(crate) fn abandon(args: &Abandon, repository: &Repository, output: &mut Output) -> CliResult {
    let stream = with_phases(repository)?;
    let by = person(&repository.root)?;
    wait(stream.step(&by, Action::AbandonRun.into(), &args.because))??;
    put_back(&stream, repository)?;
    say("• the version is abandoned; its commits stay on branch sealwright/project");
    stopped(&stream, output)
}

/// Puts the files of the delivered version back on the branch, if one was delivered.
fn put_back(stream: &ProjectStream, repository: &Repository) -> CliResult {
    if wait(stream.look())??.run().pipeline.state != State::PipelineComplete {
        return Ok(());
    }
    let (config, progress) = (configuration(&repository.root)?, Arc::new(Progress::new()));
    let runner = TaskRunner::open(&repository.root, config, (Agents::IfThere, None), progress)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(ProjectRunner::of(&runner).settle());
    runtime.shutdown_background();
    wait(stream.render())??;
    match ended? {
        Some(ProjectEnd::Failed { why, .. }) => Err(CliError::ProjectFailed { why }),
        Some(_) | None => Ok(()),
    }
}

pub(crate) fn iterate(args: &Iterate, repository: &Repository, output: &mut Output) -> CliResult {
    let stream = with_phases(repository)?;
    let by = person(&repository.root)?;
    let state = wait(stream.look())??.run().pipeline.state;
    let accepted = if args.confirm { stream.accepted(&args.only)? } else { String::new() };
    let (step, why): (Step, &str) = if let Some(why) = &args.reject {
        (Action::RejectIteration.into(), why)
    } else if args.confirm {
        let mode = if args.stepped { Mode::Stepped } else { Mode::Auto };
        (Step::beginning(Action::ConfirmIteration, mode), &accepted)
    } else if state == State::Ideating {
        (Action::ReenterFromIdeation.into(), "")
    } else {
        (Action::StartIteration.into(), "")
    };
    wait(stream.step(&by, step, why))??;
    if step.action == Action::RejectIteration {
        say("• the proposal is rejected; the delivered version stays");
        return stopped(&stream, output);
    }
    go(&args.on, false, repository, output)
}

/// Prints where the version stands, for programs.
pub(super) fn stopped(stream: &ProjectStream, output: &mut Output) -> CliResult {
    if output.format == Format::Json {
        output.json(&ProjectReport {
            ended: ProjectRunEnd::Stopped,
            tasks: Vec::new(),
            why: None,
            commit: None,
            phase: PhaseReport::of(wait(stream.look())??.run(), &[]),
        })?;
    }
    Ok(())
}

pub(super) fn with_phases(repository: &Repository) -> CliResult<ProjectStream> {
    let stream = ProjectStream::of(&repository.journal);
    if !stream.is_there() || wait(stream.look())??.run().version == 0 {
        return Err(CliError::NoVersion);
    }
    Ok(stream)
}

/// What a project waits for that no task asks: a decision about a spec, or the part of a person in a version.
pub(crate) fn awaited(repository: &Repository) -> CliResult<Option<Awaited>> {
    let stream = ProjectStream::of(&repository.journal);
    let project = wait(stream.look())??;
    let run = project.run();
    if project.product().undecided().is_some() {
        let (what, hint) = (CliError::SpecUndecided.to_string(), CliError::SpecUndecided.hint());
        return Ok(Some(Awaited { what, hint: hint.unwrap_or_default() }));
    }
    if let Some(what) = project_log::blocked(run) {
        return Ok(Some(Awaited { what, hint: "`sealwright continue` goes on".to_owned() }));
    }
    Ok(match project_runner::waits(&project) {
        // Nobody has to begin another version.
        Some(ProjectEnd::Asked { waits: Waits::Request(State::Ideating) }) | None => None,
        Some(ProjectEnd::Asked { waits }) => {
            Some(Awaited::of(waits, run, stream.design_depth(&project)))
        }
        Some(_) => None,
    })
}

/// What a version waits for, in words.
pub(crate) struct Awaited {
    pub(crate) what: String,
    pub(crate) hint: String,
}

impl Awaited {
    /// `depth` is what a confirmed proposal asks of the design.
    pub(crate) fn of(waits: Waits, run: &Run, depth: Option<&'static str>) -> Self {
        let version = run.version;
        let (what, hint) = match waits {
            Waits::Work(job) => {
                let (what, file) = work(job);
                let file = match (job, depth) {
                    (Job::Phase(Phase::Design), Some(depth)) => format!("{file}, {depth}"),
                    _ => file.to_owned(),
                };
                let hint = format!("{file}, then `sealwright continue`");
                (format!("version {version} waits for {what}"), hint)
            }
            Waits::Approval => (
                format!("version {version} waits for your approval of what will be built"),
                "read scope, design and readiness in .sealwright/pipeline, plan the tasks with `sealwright plan`, then \
                 `sealwright continue`"
                    .to_owned(),
            ),
            Waits::Decision(State::SteppedModePaused) => (
                format!("version {version} is paused after its gate"),
                "`sealwright continue` goes on; `sealwright abandon --because WHY` ends it".to_owned(),
            ),
            Waits::Decision(_) => (
                format!("version {version} was interrupted"),
                "`sealwright continue` looks at every file again and goes on".to_owned(),
            ),
            Waits::Request(State::IterationProposed) => (
                "a proposal waits for your decision".to_owned(),
                "`sealwright iterate --confirm`, or `sealwright iterate --reject WHY`".to_owned(),
            ),
            Waits::Request(State::ValidatingPMF) => (
                format!("version {version} is validated with those who use it"),
                "`sealwright validate --signal TEXT --from WHO` records what they say; `--holds` or `--change WHY` ends it"
                    .to_owned(),
            ),
            Waits::Request(_) => (
                "no version is worked on".to_owned(),
                "`sealwright run \"what to build\"` begins one".to_owned(),
            ),
        };
        Self { what, hint }
    }
}

/// What somebody has to do, and where.
fn work(job: Job) -> (&'static str, &'static str) {
    match job {
        Job::Phase(Phase::Expand) => ("its scope", "write .sealwright/pipeline/scope.md"),
        Job::Phase(Phase::Design) => ("its design", "write .sealwright/pipeline/design.md"),
        Job::Phase(Phase::Analyze) => ("its readiness", "write .sealwright/pipeline/readiness.md"),
        Job::Phase(Phase::Build) => {
            ("a build that passes", "mend what is named, on branch sealwright/project")
        }
        Job::Phase(Phase::Review) => ("its review", "write .sealwright/pipeline/facts/review.json"),
        Job::Phase(Phase::Reconcile) => {
            ("documents and code to be compared", "write .sealwright/pipeline/facts/reconcile.json")
        }
        Job::Phase(Phase::Verify) => {
            ("its verification", "write .sealwright/pipeline/facts/verify.json")
        }
        Job::Phase(Phase::Deploy) => (
            "its deployment",
            "record how to undo it with `sealwright continue --rollback COMMAND`, deploy, write \
                 .sealwright/pipeline/facts/deploy.json",
        ),
        Job::Fix(_) => ("what was found to be mended", "mend it on branch sealwright/project"),
        Job::Audit => ("an audit of its stack", "write .sealwright/pipeline/audit.md"),
        Job::Distill => ("what the input says", "write .sealwright/pipeline/distilled.md"),
        Job::Propose => {
            ("a proposal for the next version", "write .sealwright/pipeline/proposal.md")
        }
        Job::Confirm => ("its confirmation", "run `sealwright run`"),
    }
}
