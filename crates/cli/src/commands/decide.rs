//! `sealwright approve`, `decline`, `resolve`, `note`, `heal`, `acknowledge`, `adopt`: what people
//! say to a task. Each is recorded under their name; none can be said by a role.

use std::path::{Path, PathBuf};

use sealwright_factory::TaskError;
use sealwright_factory::tasks::{TaskUpdate, Tasks};
use sealwright_kernel::task::escalation::Resolution;
use sealwright_kernel::task::{Choice, Notice, PersonInput, QuestionSubject, Task};
use sealwright_kernel::{Actor, Cheat, TaskId, goal};
use sealwright_store::BlobRef;
use sealwright_views::OpenQuestion;
use sealwright_views::wire;

use crate::args::Format;
use crate::commands::{inbox, status, wait};
use crate::error::CliError;
use crate::input_files;
use crate::output::{Output, good, sanitize, say};
use crate::person::{person, refuse_roles};
use crate::repository::Repository;

/// Approve a contract, or finished work.
///
/// A contract is approved before anything is built, finished work where a person owns the last
/// gate. Your name stands in the record.
#[derive(Debug, clap::Args)]
pub(crate) struct Approve {
    /// The task, or the beginning of its name.
    task: String,
    /// Why. Finished work is not approved without a reason.
    #[arg(long, value_name = "REASON", default_value = "")]
    because: String,
    /// The item you looked at, or its first digits: anything newer is then not approved.
    #[arg(long, value_name = "DIGEST", value_parser = item)]
    item: Option<String>,
}

/// Decline a contract, or finished work.
///
/// It is drafted or mended again, as the reason says.
#[derive(Debug, clap::Args)]
pub(crate) struct Decline {
    /// The task, or the beginning of its name.
    task: String,
    /// What is wrong with it.
    #[arg(long, value_name = "REASON")]
    because: String,
    /// It is nearly right: change it as the reason says.
    #[arg(long)]
    amend: bool,
    /// The item you looked at, or its first digits: anything newer is then not declined.
    #[arg(long, value_name = "DIGEST", value_parser = item)]
    item: Option<String>,
}

/// Say how to go on after a halt.
///
/// `sealwright show TASK` lists which of these the halt admits.
#[derive(Debug, clap::Args)]
#[command(after_help = RESOLUTIONS)]
pub(crate) struct Resolve {
    /// The task, or the beginning of its name.
    task: String,
    /// How to go on.
    #[arg(value_enum, required_unless_present = "payload")]
    action: Option<Action>,
    /// Why, for the record and for the next attempt.
    #[arg(long, value_name = "REASON", default_value = "")]
    because: String,
    /// What is wanted instead, once for each criterion.
    #[arg(long, value_name = "TEXT")]
    criterion: Vec<String>,
    /// A file with the slices of another plan, as JSON.
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// A file with a patch, as git writes it.
    #[arg(long, value_name = "FILE")]
    patch: Option<PathBuf>,
    /// A file with the whole resolution, as JSON: {"action": …, "payload": …}.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["action", "criterion", "plan", "patch"])]
    payload: Option<PathBuf>,
}

/// Keep a note with a task.
///
/// It is evidence for whoever works on it, never an order.
#[derive(Debug, clap::Args)]
pub(crate) struct Note {
    /// The task, or the beginning of its name.
    task: String,
    /// What should be remembered.
    text: String,
}

/// Report that green was not earned.
///
/// The work goes back for an honest redo; the fourth time it stops. This rests on your word: the
/// machine's own checks do not depend on it.
#[derive(Debug, clap::Args)]
pub(crate) struct Heal {
    /// The task, or the beginning of its name.
    task: String,
    /// What kind of cheat it is.
    #[arg(long, value_parser = ["overfit", "vacuous_asserts", "logic_stubbed"])]
    cheat: String,
    /// What you found.
    #[arg(long, value_name = "FINDING")]
    reason: String,
}

/// Say that you have seen a tampered snapshot.
#[derive(Debug, clap::Args)]
pub(crate) struct Acknowledge {
    /// The task, or the beginning of its name.
    task: String,
    /// What `status` names, such as iter-0002.md.
    what: String,
}

/// Take over a TASK.md that you edited.
///
/// What was frozen has to be frozen again.
#[derive(Debug, clap::Args)]
pub(crate) struct Adopt {
    /// The TASK.md, or the task.
    file: String,
}

/// Look at a task's files, and put its views right.
///
/// Hand edits are kept aside. Exit code 10 while something has to be looked at.
#[derive(Debug, clap::Args)]
pub(crate) struct Check {
    /// The task, or the beginning of its name.
    task: String,
}

/// A halt lists these by the names in the record, so those are understood too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Action {
    /// Change what is wanted and begin again.
    #[value(alias = "AMEND_SPEC")]
    AmendSpec,
    /// Give another plan.
    #[value(alias = "REVISE_PLAN")]
    RevisePlan,
    /// Give a patch.
    #[value(alias = "PROVIDE_FIX")]
    ProvideFix,
    /// Accept the risk of a judgement.
    #[value(alias = "APPROVE_OVERRIDE")]
    ApproveOverride,
    /// Give the task up.
    #[value(alias = "ABANDON_TASK")]
    AbandonTask,
}

/// What every one of them needs.
pub(crate) struct Saying<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) format: Format,
    pub(crate) output: &'a mut Output,
}

impl Saying<'_> {
    pub(crate) fn approve(self, args: &Approve) -> Result<(), CliError> {
        let because = args.because.clone();
        self.choose(&args.task, Choice::Approve, because, args.item.as_deref())
    }

    pub(crate) fn decline(self, args: &Decline) -> Result<(), CliError> {
        let choice = if args.amend { Choice::Amend } else { Choice::Reject };
        self.choose(&args.task, choice, args.because.clone(), args.item.as_deref())
    }

    pub(crate) fn resolve(self, args: &Resolve) -> Result<(), CliError> {
        let (task, by) = self.who(&args.task)?;
        let looked = self.look(&task)?;
        let Some((id, question)) = looked.question() else {
            return Err(CliError::NothingAsked { task: task.to_string() });
        };
        let (resolution, blobs) = self.resolution(args)?;
        let says = match (question.about, resolution) {
            (QuestionSubject::Halt { escalation }, resolution) => {
                PersonInput::Resolve { escalation: escalation.id, resolution }
            }
            // Who does not pay on gives it up, by the same words as after a halt.
            (QuestionSubject::Budget { .. }, Resolution::AbandonTask { rationale }) => {
                let (item, choice) = (question.item, Choice::Reject);
                PersonInput::Decide { question: id, item, choice, rationale }
            }
            (QuestionSubject::Budget { .. }, _) => {
                return Err(CliError::OutOfBudget { task: task.to_string() });
            }
            (QuestionSubject::Freeze | QuestionSubject::Done { .. }, _) => {
                return Err(CliError::NotHalted { task: task.to_string() });
            }
        };
        self.say(&task, &by, says, blobs)
    }

    pub(crate) fn note(self, args: &Note) -> Result<(), CliError> {
        let (task, by) = self.who(&args.task)?;
        self.say(&task, &by, PersonInput::Note { text: args.text.clone() }, vec![])
    }

    pub(crate) fn heal(self, args: &Heal) -> Result<(), CliError> {
        let (task, by) = self.who(&args.task)?;
        let named = Cheat::ALL.into_iter().find(|cheat| cheat.name() == args.cheat);
        let cheat = named.unwrap_or(Cheat::Overfit);
        self.say(&task, &by, PersonInput::Heal { cheat, reason: args.reason.clone() }, vec![])
    }

    pub(crate) fn acknowledge(self, args: &Acknowledge) -> Result<(), CliError> {
        let (task, by) = self.who(&args.task)?;
        self.say(&task, &by, PersonInput::Acknowledge { what: args.what.clone() }, vec![])
    }

    pub(crate) fn adopt(self, args: &Adopt) -> Result<(), CliError> {
        // A file is known by the folder it stands in.
        let path = Path::new(&args.file);
        let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        let is_file = path.file_name().is_some_and(|name| name == "TASK.md");
        let named = folder.filter(|_| is_file).unwrap_or(&args.file);
        let (task, by) = self.who(named)?;
        let told = wait(Tasks::of(&self.repository.journal).adopt(&task, &by))??;
        self.tell(&task, &told)
    }

    pub(crate) fn check(self, args: &Check) -> Result<(), CliError> {
        refuse_roles()?;
        let task = self.repository.task(&args.task)?;
        let told = wait(Tasks::of(&self.repository.journal).check(&task))??;
        let is_red =
            told.task.data().is_some_and(|it| it.drifted.is_some() || !it.tampered.is_empty());
        let known = told.task.data();
        if known.is_some_and(|known| !goal::is_ready(&known.charter.criteria)) {
            say("warning: goal_not_auto_ready: not every criterion cites how it is verified");
        }
        self.tell(&task, &told)?;
        if is_red {
            return Err(CliError::Red { task: task.to_string() });
        }
        Ok(())
    }

    fn who(&self, named: &str) -> Result<(TaskId, Actor), CliError> {
        Ok((self.repository.task(named)?, person(&self.repository.root)?))
    }

    fn look(&self, task: &TaskId) -> Result<Task, CliError> {
        Ok(wait(Tasks::of(&self.repository.journal).look(task))??.machine)
    }

    fn choose(
        self,
        named: &str,
        choice: Choice,
        rationale: String,
        item: Option<&str>,
    ) -> Result<(), CliError> {
        let (task, by) = self.who(named)?;
        let looked = self.look(&task)?;
        let Some(open) = OpenQuestion::of(&looked) else {
            return Err(CliError::NothingAsked { task: task.to_string() });
        };
        match looked.question().map(|(_, it)| it.about) {
            Some(QuestionSubject::Halt { .. }) => {
                return Err(CliError::Halted { task: task.to_string() });
            }
            Some(QuestionSubject::Budget { .. }) => {
                return Err(CliError::OutOfBudget { task: task.to_string() });
            }
            Some(QuestionSubject::Freeze | QuestionSubject::Done { .. }) | None => {}
        }
        if item.is_some_and(|seen| !open.item.to_string().starts_with(seen)) {
            let rejected = sealwright_kernel::task::Rejected::OtherItem;
            return Err(TaskError::Refused(rejected).into());
        }
        let says = PersonInput::Decide { question: open.id, item: open.item, choice, rationale };
        self.say(&task, &by, says, vec![])
    }

    fn resolution(&self, args: &Resolve) -> Result<(Resolution, Vec<BlobRef>), CliError> {
        if let Some(file) = &args.payload {
            return Ok((from_json(file)?, vec![]));
        }
        let why = args.because.clone();
        let resolution = match args.action.unwrap_or(Action::AbandonTask) {
            Action::AmendSpec => Resolution::AmendSpec {
                amended_acceptance_criteria: args.criterion.clone(),
                amendment_rationale: why,
            },
            Action::RevisePlan => {
                let revised_plan = match &args.plan {
                    Some(file) => from_json(file)?,
                    None => vec![],
                };
                Resolution::RevisePlan { revised_plan, rationale: why }
            }
            Action::ProvideFix => {
                let patch = match &args.patch {
                    Some(file) => input_files::read(file)?,
                    None => vec![],
                };
                let fix_places = places(&String::from_utf8_lossy(&patch));
                let blob = wait(Tasks::of(&self.repository.journal).keep(patch))??;
                let fix_patch = blob.sha256;
                let fix = Resolution::ProvideFix { fix_description: why, fix_patch, fix_places };
                return Ok((fix, vec![blob]));
            }
            Action::ApproveOverride => Resolution::ApproveOverride { rationale: why },
            Action::AbandonTask => Resolution::AbandonTask { rationale: why },
        };
        Ok((resolution, vec![]))
    }

    fn say(
        self,
        task: &TaskId,
        by: &Actor,
        says: PersonInput,
        blobs: Vec<BlobRef>,
    ) -> Result<(), CliError> {
        let told = wait(Tasks::of(&self.repository.journal).say(task, by, says, blobs))??;
        self.tell(task, &told)
    }

    fn tell(self, task: &TaskId, told: &TaskUpdate) -> Result<(), CliError> {
        let (now, phase) = (told.task.status(), told.task.phase().map(|phase| phase.name()));
        if self.format == Format::Json {
            return self.output.json(&wire::TaskReport {
                task: task.into(),
                status: now.into(),
                phase: told.task.phase().map(Into::into),
                head: told.head.into(),
                notices: told.notices.iter().map(Into::into).collect(),
                anchor: told.anchor.as_ref().map(Into::into),
                question: OpenQuestion::of(&told.task).map(inbox::wire_question),
                unwritten: told.unwritten.as_ref().map(Into::into),
            });
        }
        told.notices.iter().for_each(|notice| say(&sanitize(&noticed(notice))));
        let phase = phase.map(|phase| format!(", in {phase}")).unwrap_or_default();
        self.output.line(&format!("{} {task} is {}{phase}", good("✓"), status::name(now)))?;
        if let Some(question) = OpenQuestion::of(&told.task) {
            self.output.line(&format!("? {}", sanitize(&question.text)))?;
        }
        if let Some(anchor) = &told.anchor {
            say("its stream has ended; name it in the commit that holds it:");
            self.output.line(&anchor.trailer())?;
        }
        if let Some(why) = &told.unwritten {
            say(&format!("its views could not be written: {}", sanitize(why)));
        }
        Ok(())
    }
}

/// Enough digits of an item to mean no other.
fn item(text: &str) -> Result<String, String> {
    let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase());
    if is_hex && (ITEM_DIGITS_MIN..=64).contains(&text.len()) {
        Ok(text.to_owned())
    } else {
        Err(format!("an item is {ITEM_DIGITS_MIN} to 64 hex digits, as `show` prints it"))
    }
}

fn noticed(notice: &Notice) -> String {
    match notice {
        Notice::ViewEdited { view, notes, ignored, .. } => {
            let kept = match notes.len() {
                0 => String::new(),
                count => format!("; {count} of its lines became notes"),
            };
            let put_back = if ignored.is_empty() {
                String::new()
            } else {
                format!("; put back: {}", ignored.join(", "))
            };
            format!("{view} was edited by hand and is kept aside{kept}{put_back}")
        }
        Notice::SnapshotTampered { snapshot, .. } => {
            format!("{snapshot} was tampered with; it is restored, and red until acknowledged")
        }
        Notice::TextDrifted { .. } => {
            "TASK.md was edited by hand; adopt it or put it back".to_owned()
        }
        Notice::TextRestored => "TASK.md is again what was taken from it".to_owned(),
    }
}

/// The files a patch changes, as git names them.
fn places(patch: &str) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for line in patch.lines() {
        let named = line.strip_prefix("+++ b/").or_else(|| line.strip_prefix("--- a/"));
        if let Some(place) = named.map(|place| place.trim_end().to_owned())
            && !places.contains(&place)
        {
            places.push(place);
        }
    }
    places
}

fn from_json<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T, CliError> {
    let text = input_files::read(file)?;
    let wrong = |source| CliError::Json { file: file.display().to_string(), source };
    serde_json::from_slice(&text).map_err(wrong)
}

const ITEM_DIGITS_MIN: usize = 8;

const RESOLUTIONS: &str = "\
What each needs:
  amend-spec        --because REASON --criterion TEXT …   begins again at intake
  revise-plan       --because REASON --plan FILE          goes to another freeze
  provide-fix       --because WHAT --patch FILE           is verified like any other work
  approve-override  --because REASON                      only a judgement of review
  abandon-task      --because REASON                      closes the task";
