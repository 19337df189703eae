//! A person who approves everything unread.

use anyhow::{Context as _, Result};
use sealwright_factory::tasks::Tasks;
use sealwright_kernel::task::{Choice, PersonInput, QuestionSubject, Task};
use sealwright_kernel::{Actor, TaskId};

use crate::system::Verdict;

/// A finding that the engine reports to a person instead of deciding.
pub(super) fn is_asked_about(task: &Task) -> Option<Verdict> {
    let (_, asked) = task.question()?;
    match asked.about {
        QuestionSubject::Done { residue } => {
            let found = residue.first()?;
            Some(Verdict::refused("put to a person", found.what.clone()))
        }
        QuestionSubject::Freeze | QuestionSubject::Halt { .. } | QuestionSubject::Budget { .. } => {
            None
        }
    }
}

/// Approves every question.
pub(super) async fn answer(tasks: &Tasks, id: &TaskId, by: &Actor, task: &Task) -> Result<()> {
    let (question, asked) = task.question().context("a parked task has a question")?;
    let says = PersonInput::Decide {
        question,
        item: asked.item,
        choice: Choice::Approve,
        rationale: "it will be fine".to_owned(),
    };
    tasks.say(id, by, says, Vec::new()).await?;
    Ok(())
}
