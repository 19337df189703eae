//! `sealwright approve`, `decline`, `answer`, `resolve`, `cancel`, `note`, `heal`, `acknowledge`, `adopt`, `check`: decisions of
//! a person about a task. Each is recorded under the name of the person and refused for a role.

mod resolution;

use std::ops::Bound;
use std::path::Path;

use sealwright_factory::TaskError;
use sealwright_factory::tasks::{TaskUpdate, Tasks};
use sealwright_kernel::task::escalation::Resolution;
use sealwright_kernel::task::{
    Choice, Notice, PersonInput, QuestionSubject, Status, Task, TaskData,
};
use sealwright_kernel::{Actor, Cheat, Machine as _, TaskId, goal};
use sealwright_store::BlobRef;
use sealwright_views::OpenQuestion;
use sealwright_views::watch::status;
use sealwright_views::wire;

use crate::args::Format;
use crate::commands::wait;
use crate::error::{CliError, CliResult};
use crate::output::{Output, good, sanitize, say};
use crate::person::{person, refuse_roles};
use crate::repository::{Repository, Unnamed, configuration};
use crate::signing::sign_if_asked;

pub(crate) use resolution::{Resolve, plan_text};

/// Approve a contract, or finished work.
///
/// A contract is approved before the build starts, finished work where a person owns the last gate. The approval is
/// recorded under your name.
#[derive(Debug, clap::Args)]
pub(crate) struct Approve {
    /// Task id, or a unique part of it [default: the only task with an open question].
    task: Option<String>,
    /// Reason; required to approve finished work.
    #[arg(long, value_name = "REASON", default_value = "", hide_default_value = true)]
    because: String,
    /// Digest of the item you reviewed, or its first digits; a newer item is then refused.
    #[arg(long, value_name = "DIGEST", value_parser = item)]
    item: Option<String>,
}

/// Decline a contract, or finished work.
///
/// The agents draft the contract or repair the work again, with your reason.
#[derive(Debug, clap::Args)]
pub(crate) struct Decline {
    /// Task id, or a unique part of it [default: the only task with an open question].
    task: Option<String>,
    /// What is wrong.
    #[arg(long, value_name = "REASON")]
    because: String,
    /// Amend the contract as the reason says instead of drafting a new one.
    #[arg(long)]
    amend: bool,
    /// Digest of the item you reviewed, or its first digits; a newer item is then refused.
    #[arg(long, value_name = "DIGEST", value_parser = item)]
    item: Option<String>,
}

/// Answer a question in your own words.
///
/// A contract that waits for approval is amended as you say. A halted task starts again with the same criteria, and
/// every agent reads your answer as an instruction. Finished work needs `approve` or `decline`.
#[derive(Debug, clap::Args)]
#[command(allow_missing_positional = true)]
pub(crate) struct Answer {
    /// Task id, or a unique part of it [default: the only task with an open question].
    task: Option<String>,
    /// Your answer.
    text: String,
}

/// Cancel a task: end it without a result, in whatever state it is.
///
/// Works for a task that is pending, parked, interrupted, halted, at its budget or waiting for an approval. The record
/// and the evidence stay. A task that a process is working on has to be stopped first.
#[derive(Debug, clap::Args)]
pub(crate) struct Cancel {
    /// Task id, or a unique part of it [default: the only unfinished task].
    task: Option<String>,
    /// Reason, for the record.
    #[arg(long, value_name = "REASON")]
    because: String,
}

/// Add a note to a task.
///
/// Agents read notes as information, never as instructions.
#[derive(Debug, clap::Args)]
pub(crate) struct Note {
    /// Task id, or a unique part of it.
    task: String,
    /// Text of the note.
    text: String,
}

/// Report a cheat: the tests are green, but the work is not done.
///
/// The work is sent back for a redo; at the fourth cheat the task halts. The report counts on your word alone; the
/// engine's own checks do not depend on it.
#[derive(Debug, clap::Args)]
pub(crate) struct Heal {
    /// Task id, or a unique part of it.
    task: String,
    /// Kind of cheat.
    #[arg(long, value_parser = ["overfit", "vacuous_asserts", "logic_stubbed"])]
    cheat: String,
    /// What you found.
    #[arg(long, value_name = "FINDING")]
    reason: String,
}

/// Acknowledge a tampered snapshot.
#[derive(Debug, clap::Args)]
pub(crate) struct Acknowledge {
    /// Task id, or a unique part of it.
    task: String,
    /// Snapshot that `status` lists, such as iter-0002.md.
    what: String,
}

/// Adopt your edits of a TASK.md.
///
/// A frozen contract has to be frozen again.
#[derive(Debug, clap::Args)]
pub(crate) struct Adopt {
    /// Path of the TASK.md, or the task id.
    file: String,
}

/// Check the files of a task and restore its views.
///
/// Hand edits are kept aside. Exit code 10 while an edit waits for a person.
#[derive(Debug, clap::Args)]
pub(crate) struct Check {
    /// Task id, or a unique part of it.
    task: String,
}

pub(crate) struct Saying<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) output: &'a mut Output,
}

impl Saying<'_> {
    pub(crate) fn approve(self, args: &Approve) -> CliResult {
        let because = args.because.clone();
        self.choose(args.task.as_deref(), Choice::Approve, because, args.item.as_deref())
    }

    pub(crate) fn decline(self, args: &Decline) -> CliResult {
        let choice = if args.amend { Choice::Amend } else { Choice::Reject };
        self.choose(args.task.as_deref(), choice, args.because.clone(), args.item.as_deref())
    }

    pub(crate) fn answer(self, args: &Answer) -> CliResult {
        // A name alone is a task whose answer was forgotten.
        if args.task.is_none() && self.repository.is_name(&args.text)? {
            return Err(CliError::NoAnswer { task: args.text.clone() });
        }
        let (task, by) = self.who_asks(args.task.as_deref())?;
        let looked = self.look(&task)?;
        let (Some((question, open)), Some(data)) = (looked.question(), looked.data()) else {
            return Err(CliError::NothingAsked { task: task.to_string() });
        };
        let says = match open.about {
            QuestionSubject::Freeze => PersonInput::Decide {
                question,
                item: open.item,
                choice: Choice::Amend,
                rationale: args.text.clone(),
            },
            QuestionSubject::Halt { escalation } => PersonInput::Resolve {
                escalation: escalation.id,
                resolution: Resolution::AmendSpec {
                    amended_acceptance_criteria: criteria(data),
                    amendment_rationale: args.text.clone(),
                },
            },
            QuestionSubject::Done { .. } => {
                return Err(CliError::YesOrNo { task: task.to_string() });
            }
            QuestionSubject::Budget { .. } => {
                return Err(CliError::OutOfBudget { task: task.to_string() });
            }
        };
        self.say(&task, &by, says, vec![])
    }

    pub(crate) fn cancel(self, args: &Cancel) -> CliResult {
        let task = match &args.task {
            Some(named) => self.repository.task(named)?,
            None => self.repository.only(Unnamed::Unfinished)?,
        };
        let by = person(&self.repository.root)?;
        let says = PersonInput::Cancel { rationale: args.because.clone() };
        self.say(&task, &by, says, vec![])
    }

    pub(crate) fn note(self, args: &Note) -> CliResult {
        let (task, by) = self.who(&args.task)?;
        self.say(&task, &by, PersonInput::Note { text: args.text.clone() }, vec![])
    }

    pub(crate) fn heal(self, args: &Heal) -> CliResult {
        let (task, by) = self.who(&args.task)?;
        let named = Cheat::ALL.into_iter().find(|cheat| cheat.name() == args.cheat);
        let cheat = named.unwrap_or(Cheat::Overfit);
        self.say(&task, &by, PersonInput::Heal { cheat, reason: args.reason.clone() }, vec![])
    }

    pub(crate) fn acknowledge(self, args: &Acknowledge) -> CliResult {
        let (task, by) = self.who(&args.task)?;
        self.say(&task, &by, PersonInput::Acknowledge { what: args.what.clone() }, vec![])
    }

    pub(crate) fn adopt(self, args: &Adopt) -> CliResult {
        // The folder of a TASK.md is named after its task.
        let path = Path::new(&args.file);
        let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        let is_file = path.file_name().is_some_and(|name| name == "TASK.md");
        let named = folder.filter(|_| is_file).unwrap_or(&args.file);
        let (task, by) = self.who(named)?;
        let tasks = Tasks::of(&self.repository.journal);
        let told = self.record(&task, &by, tasks.adopt(&task, &by))?;
        self.tell(&task, &told)
    }

    pub(crate) fn check(self, args: &Check) -> CliResult {
        refuse_roles()?;
        let task = self.repository.task(&args.task)?;
        let told = wait(Tasks::of(&self.repository.journal).check(&task))??;
        let is_red =
            told.task.data().is_some_and(|it| it.drifted.is_some() || !it.tampered.is_empty());
        // A finished task has no goal any more.
        let known = told.task.data().filter(|_| !told.task.is_over());
        if known.is_some_and(|known| !goal::is_ready(&known.charter.criteria)) {
            say("warning: goal_not_auto_ready: not every criterion cites how it is verified");
        }
        self.tell(&task, &told)?;
        if is_red {
            return Err(CliError::Red { task: task.to_string() });
        }
        Ok(())
    }

    fn who(&self, named: &str) -> CliResult<(TaskId, Actor)> {
        Ok((self.repository.task(named)?, person(&self.repository.root)?))
    }

    /// The task that is named, or the only one with an open question.
    fn who_asks(&self, named: Option<&str>) -> CliResult<(TaskId, Actor)> {
        let task = match named {
            Some(named) => self.repository.task(named)?,
            None => self.repository.only(Unnamed::Asks)?,
        };
        Ok((task, person(&self.repository.root)?))
    }

    fn look(&self, task: &TaskId) -> CliResult<Task> {
        Ok(wait(Tasks::of(&self.repository.journal).look(task))??.machine)
    }

    fn choose(
        self,
        named: Option<&str>,
        choice: Choice,
        rationale: String,
        item: Option<&str>,
    ) -> CliResult {
        let (task, by) = self.who_asks(named)?;
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

    fn say(self, task: &TaskId, by: &Actor, says: PersonInput, blobs: Vec<BlobRef>) -> CliResult {
        let tasks = Tasks::of(&self.repository.journal);
        let told = self.record(task, by, tasks.say(task, by, says, blobs))?;
        self.tell(task, &told)
    }

    /// Records what a person decided, and signs exactly that where the project asks for it.
    fn record(
        &self,
        task: &TaskId,
        by: &Actor,
        decided: impl Future<Output = Result<TaskUpdate, TaskError>>,
    ) -> CliResult<TaskUpdate> {
        let Repository { root, journal } = self.repository;
        if !configuration(root)?.is_some_and(|it| it.project.signed_decisions) {
            return Ok(wait(decided)??);
        }
        let before = wait(Tasks::of(journal).look(task))??.head.seq;
        let told = wait(decided)??;
        let recorded = (Bound::Excluded(before), Bound::Included(told.head.seq));
        sign_if_asked(true, journal, task.stream(), by, recorded)?;
        Ok(told)
    }

    fn tell(self, task: &TaskId, told: &TaskUpdate) -> CliResult {
        let now = told.task.status();
        if self.output.format == Format::Json {
            return self.output.json(&wire::TaskReport {
                task: task.into(),
                status: now.into(),
                phase: told.task.phase().map(Into::into),
                head: told.head.into(),
                notices: told.notices.iter().map(Into::into).collect(),
                anchor: told.anchor.as_ref().map(Into::into),
                question: OpenQuestion::of(&told.task).map(Into::into),
                unwritten: told.unwritten.as_ref().map(Into::into),
            });
        }
        told.notices.iter().for_each(|notice| say(&sanitize(&noticed(notice))));
        let phase = status::phase(told.task.phase());
        self.output.line(&format!("{} {task} is {}{phase}", good("✓"), status::name(now)))?;
        match OpenQuestion::of(&told.task) {
            Some(question) => {
                self.output.line(&format!("? {}", sanitize(&question.plain())))?;
            }
            None if matches!(now, Status::InProgress | Status::Pending) => {
                let names = self.repository.names();
                let task = names.short(task.as_str());
                say(&format!("next: `sealwright do --continue {task}`"));
            }
            None => {}
        }
        if let Some(anchor) = &told.anchor {
            say("the stream has ended; add this trailer to the commit that contains it:");
            self.output.line(&anchor.trailer())?;
        }
        if let Some(why) = &told.unwritten {
            say(&format!("cannot write the files of the task: {}", sanitize(why)));
        }
        Ok(())
    }
}

/// What the task was held to so far: the criteria of a person, else those of the frame, else the request itself.
fn criteria(data: &TaskData) -> Vec<String> {
    let framed = data.frame.as_ref().map(|frame| frame.done_gate.clone()).unwrap_or_default();
    let known = [data.charter.criteria.clone(), framed, vec![data.charter.title.clone()]];
    known.into_iter().find(|it| !it.is_empty()).unwrap_or_default()
}

/// Parses the digest of an item, or its first digits.
fn item(text: &str) -> Result<String, String> {
    let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase());
    if is_hex && (ITEM_DIGITS_MIN..=64).contains(&text.len()) {
        Ok(text.to_owned())
    } else {
        Err(format!("{ITEM_DIGITS_MIN} to 64 lower-case hex digits, as `show` prints them"))
    }
}

fn noticed(notice: &Notice) -> String {
    match notice {
        Notice::ViewEdited { view, notes, ignored, .. } => {
            let kept = match notes.len() {
                0 => String::new(),
                count => format!("; {count} lines became notes"),
            };
            let put_back = if ignored.is_empty() {
                String::new()
            } else {
                format!("; restored: {}", ignored.join(", "))
            };
            format!("{view} was edited by hand; the edit is kept aside{kept}{put_back}")
        }
        Notice::SnapshotTampered { snapshot, .. } => {
            format!("{snapshot} was edited; it is restored and waits for `sealwright acknowledge`")
        }
        Notice::TextDrifted { .. } => "TASK.md was edited; adopt the edit or revert it".to_owned(),
        Notice::TextRestored => "TASK.md again equals the adopted text".to_owned(),
    }
}

const ITEM_DIGITS_MIN: usize = 8;
