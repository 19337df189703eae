//! `sealwright resolve`: how a halted task continues.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use sealwright_factory::TaskError;
use sealwright_factory::fixes::{self, Fix, FixSource};
use sealwright_factory::project::{ProjectError, ProjectStream};
use sealwright_factory::tasks::Tasks;
use sealwright_kernel::product::Deficiency;
use sealwright_kernel::task::escalation::{Resolution, ResolutionKind, Unusable};
use sealwright_kernel::task::slice::Planned;
use sealwright_kernel::task::{
    Choice, Membership, PersonInput, QuestionSubject, Rejected, Task, TaskData,
};
use sealwright_kernel::{Actor, TaskId};
use sealwright_store::BlobRef;

use super::Saying;
use crate::commands::{spec, wait};
use crate::editor;
use crate::error::{CliError, CliResult};
use crate::input_files;
use crate::output::{sanitize, say};

/// Resolve a halt: choose how the task continues.
///
/// `sealwright show TASK` prints a command for each action that this halt allows.
#[derive(Debug, clap::Args)]
#[command(after_help = RESOLUTIONS)]
pub(crate) struct Resolve {
    /// Task id, or a unique part of it [default: the only task with an open question].
    task: Option<String>,
    /// How the task continues.
    #[arg(value_enum)]
    action: Option<Action>,
    /// Reason, for the record and for the next attempt.
    #[arg(
        long,
        value_name = "REASON",
        default_value = "",
        hide_default_value = true,
        required_unless_present = "payload"
    )]
    because: String,
    /// New acceptance criterion; repeat for each.
    #[arg(long, value_name = "TEXT")]
    criterion: Vec<String>,
    /// JSON file with the slices of the new plan [default: edit the current plan in your editor].
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// JSON file with the tasks that take its place, each in the form of a task of the spec without an id.
    #[arg(long, value_name = "FILE")]
    tasks: Option<PathBuf>,
    /// Fix: a patch file, as `git diff --binary` writes it; `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["branch", "commit"])]
    patch: Option<PathBuf>,
    /// Fix: what a local branch changed since it left the history of the task's base.
    #[arg(long, value_name = "NAME", conflicts_with = "commit")]
    branch: Option<String>,
    /// Fix: the same for any commit.
    #[arg(long, value_name = "REV")]
    commit: Option<String>,
    /// JSON file with the whole resolution: {"action": …, "payload": …}.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["action", "criterion", "plan", "tasks", "patch", "branch", "commit"]
    )]
    payload: Option<PathBuf>,
}

/// Aliases are the names that the record uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Action {
    /// Change the acceptance criteria and start again.
    #[value(alias = "AMEND_SPEC")]
    AmendSpec,
    /// Provide a new plan.
    #[value(alias = "REVISE_PLAN")]
    RevisePlan,
    /// Provide a fix: a patch, a branch or a commit.
    #[value(alias = "PROVIDE_FIX")]
    ProvideFix,
    /// Override a review verdict.
    #[value(alias = "APPROVE_OVERRIDE")]
    ApproveOverride,
    /// Put smaller tasks in its place.
    #[value(alias = "SPLIT_TASK")]
    SplitTask,
    /// Abandon the task.
    #[value(alias = "ABANDON_TASK")]
    AbandonTask,
}

impl Action {
    fn kind(self) -> ResolutionKind {
        match self {
            Self::AmendSpec => ResolutionKind::AmendSpec,
            Self::RevisePlan => ResolutionKind::RevisePlan,
            Self::ProvideFix => ResolutionKind::ProvideFix,
            Self::ApproveOverride => ResolutionKind::ApproveOverride,
            Self::SplitTask => ResolutionKind::SplitTask,
            Self::AbandonTask => ResolutionKind::AbandonTask,
        }
    }
}

impl Resolve {
    /// The task and the action. One word alone is the action, with `--payload` the task.
    fn named(&self) -> CliResult<(Option<&str>, Option<Action>)> {
        match (self.task.as_deref(), self.action) {
            (task, None) if self.payload.is_some() => Ok((task, None)),
            (task, Some(action)) => Ok((task, Some(action))),
            (Some(word), None) => match Action::from_str(word, false) {
                Ok(action) => Ok((None, Some(action))),
                Err(_) => Err(CliError::NoAction { word: Some(word.to_owned()) }),
            },
            (None, None) => Err(CliError::NoAction { word: None }),
        }
    }
}

impl Saying<'_> {
    pub(crate) fn resolve(self, args: &Resolve) -> CliResult {
        let (named, action) = args.named()?;
        let (task, by) = self.who_asks(named)?;
        let looked = self.look(&task)?;
        let Some((id, question)) = looked.question() else {
            return Err(CliError::NothingAsked { task: task.to_string() });
        };
        let (says, blobs) = match &question.about {
            QuestionSubject::Halt { escalation } => {
                let kind = action.map(Action::kind);
                // Nothing is prepared for an action that would be refused.
                if let Some(kind) = kind.filter(|kind| !escalation.options.contains(kind)) {
                    return Err(TaskError::Refused(Rejected::NotAdmitted { kind }).into());
                }
                let (resolution, blobs) = self.resolution((args, action), &task, &looked)?;
                self.try_in_project(&by, &looked, &resolution)?;
                let escalation = escalation.id.clone();
                (PersonInput::Resolve { escalation, resolution }, blobs)
            }
            // A task at its budget can be abandoned with the same command as after a halt.
            QuestionSubject::Budget { .. } if action == Some(Action::AbandonTask) => {
                let (item, choice) = (question.item, Choice::Reject);
                let rationale = args.because.clone();
                (PersonInput::Decide { question: id, item, choice, rationale }, vec![])
            }
            QuestionSubject::Budget { .. } => {
                return Err(CliError::OutOfBudget { task: task.to_string() });
            }
            QuestionSubject::Freeze | QuestionSubject::Done { .. } => {
                return Err(CliError::NotHalted { task: task.to_string() });
            }
        };
        self.say(&task, &by, says, blobs)
    }

    fn resolution(
        &self,
        (args, action): (&Resolve, Option<Action>),
        task: &TaskId,
        looked: &Task,
    ) -> CliResult<(Resolution, Vec<BlobRef>)> {
        if let Some(file) = &args.payload {
            return Ok((from_json(file)?, vec![]));
        }
        let why = args.because.clone();
        let resolution = match action.unwrap_or(Action::AbandonTask) {
            Action::AmendSpec => Resolution::AmendSpec {
                amended_acceptance_criteria: args.criterion.clone(),
                amendment_rationale: why,
            },
            Action::RevisePlan => {
                let revised_plan = match &args.plan {
                    Some(file) => from_json(file)?,
                    None => {
                        said(&why, "rationale")?;
                        edited_plan(task, looked.data())?
                    }
                };
                Resolution::RevisePlan { revised_plan, rationale: why }
            }
            Action::ProvideFix => {
                said(&why, "fix_description")?;
                let Fix { patch, places } = self.fix(args, task, looked)?;
                say(&format!("the fix changes {}", places.join(", ")));
                let blob = wait(Tasks::of(&self.repository.journal).keep(patch))??;
                let (fix_patch, fix_places) = (blob.sha256, places);
                let fix = Resolution::ProvideFix { fix_description: why, fix_patch, fix_places };
                return Ok((fix, vec![blob]));
            }
            Action::ApproveOverride => Resolution::ApproveOverride { rationale: why },
            Action::SplitTask => {
                said(&why, "rationale")?;
                let Some(file) = &args.tasks else {
                    return Err(CliError::NoParts { task: task.to_string() });
                };
                Resolution::SplitTask { new_tasks: from_json(file)?, rationale: why }
            }
            Action::AbandonTask => Resolution::AbandonTask { rationale: why },
        };
        Ok((resolution, vec![]))
    }

    /// Tries whether the project can follow, so that a task records nothing its project has to refuse.
    fn try_in_project(&self, by: &Actor, looked: &Task, resolution: &Resolution) -> CliResult {
        resolution.check().map_err(|error| TaskError::Refused(Rejected::Unusable(error)))?;
        let Some(data) = looked.data() else { return Ok(()) };
        if data.charter.belongs == Membership::Alone {
            return Ok(());
        }
        let project = ProjectStream::of(&self.repository.journal);
        let tried = match resolution {
            Resolution::SplitTask { new_tasks, .. } => {
                wait(project.try_split(by, &data.charter, new_tasks))?
            }
            Resolution::AmendSpec { amended_acceptance_criteria, .. } => {
                wait(project.try_amend(&data.charter.id, amended_acceptance_criteria))?
            }
            Resolution::RevisePlan { .. }
            | Resolution::ProvideFix { .. }
            | Resolution::ApproveOverride { .. }
            | Resolution::AbandonTask { .. } => return Ok(()),
        };
        let lines =
            |it: &[Deficiency]| it.iter().for_each(|it| say(&format!("• {}", spec::named(it))));
        match tried {
            Ok(warnings) => lines(&warnings),
            Err(ProjectError::Deficient { report }) => {
                lines(&report.errors);
                return Err(CliError::SpecErrors { errors: report.errors.len() });
            }
            Err(other) => return Err(other.into()),
        }
        Ok(())
    }

    /// The patch, tried on the tree of the task before anything is recorded.
    fn fix(&self, args: &Resolve, task: &TaskId, looked: &Task) -> CliResult<Fix> {
        let source = match (&args.patch, &args.branch, &args.commit) {
            (Some(file), _, _) => FixSource::Patch(input_files::read(file)?),
            (None, Some(name), _) => FixSource::Branch(name.clone()),
            (None, None, Some(revision)) => FixSource::Commit(revision.clone()),
            (None, None, None) => return Err(CliError::NoFix { task: task.to_string() }),
        };
        let Some(data) = looked.data() else {
            return Err(CliError::NothingAsked { task: task.to_string() });
        };
        let (root, journal) = (&self.repository.root, &self.repository.journal);
        Ok(wait(fixes::prepare(root, journal, data, source))??)
    }
}

/// Opens the current plan in the person's editor and reads it back.
fn edited_plan(task: &TaskId, data: Option<&TaskData>) -> CliResult<Vec<Planned>> {
    let plan = data.and_then(|data| data.bundle.as_ref()).map(|bundle| &bundle.plan);
    let plan = plan.map_or(&[][..], Vec::as_slice);
    let is_person_here = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let Some(editor) = editor::configured().filter(|_| is_person_here) else {
        return Err(CliError::NoEditor { task: task.to_string() });
    };
    let file = editor::edit(&editor, &plan_text(plan)?, "-plan.json")?;
    let edited: Vec<Planned> = match from_json(file.path()) {
        Ok(edited) => edited,
        Err(error) => {
            // The edit is not lost: the error names the file.
            let _ = file.keep();
            return Err(error);
        }
    };
    if edited == plan {
        return Err(CliError::PlanUnchanged { task: task.to_string() });
    }
    Ok(edited)
}

/// A plan in the form that `--plan` takes.
pub(crate) fn plan_text(plan: &[Planned]) -> CliResult<String> {
    let text = serde_json::to_string_pretty(plan).map_err(std::io::Error::other)?;
    // In JSON a letter that would change how a terminal shows the rest can be written as its number.
    let is_plain =
        |letter: char| letter == '\n' || sanitize(letter.encode_utf8(&mut [0; 4])).contains(letter);
    let shown = |letter: char| match is_plain(letter) {
        true => letter.to_string(),
        false => {
            let units = letter.encode_utf16(&mut [0; 2]).to_vec();
            units.iter().map(|unit| format!("\\u{unit:04x}")).collect()
        }
    };
    Ok(text.chars().map(shown).collect::<String>() + "\n")
}

/// Refuses a blank reason before anything else is done.
fn said(reason: &str, field: &'static str) -> CliResult {
    if reason.trim().is_empty() {
        return Err(TaskError::Refused(Rejected::Unusable(Unusable::Blank { field })).into());
    }
    Ok(())
}

fn from_json<T: serde::de::DeserializeOwned>(file: &Path) -> CliResult<T> {
    let text = input_files::read(file)?;
    let wrong = |source| CliError::Json { file: file.display().to_string(), source };
    serde_json::from_slice(&text).map_err(wrong)
}

const RESOLUTIONS: &str = "\
Options of each action:
  amend-spec        --because REASON --criterion TEXT …   starts again at intake
  revise-plan       --because REASON [--plan FILE]        needs a new freeze
  provide-fix       --because WHAT --patch FILE           verified like any other work
                                 | --branch NAME
                                 | --commit REV
  approve-override  --because REASON                      review verdicts only
  split-task        --because REASON --tasks FILE         tasks of a project: others in its place
  abandon-task      --because REASON                      ends the task

`sealwright show TASK --plan` prints the current plan in the form that --plan takes.";
