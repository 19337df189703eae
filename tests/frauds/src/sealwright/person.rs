//! A person who looks at nothing and says yes.

use anyhow::{Context as _, Result};
use sealwright_factory::tasks::Tasks;
use sealwright_kernel::task::{Choice, PersonInput, QuestionSubject, Task};
use sealwright_kernel::{Actor, TaskId};

use crate::system::Verdict;

/// What a person is asked about that the machine found by itself and does not settle.
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

/// Answers whatever is asked.
pub(super) async fn answer(tasks: &Tasks, id: &TaskId, by: &Actor, task: &Task) -> Result<()> {
    let (question, asked) = task.question().context("it waits for somebody and asks nothing")?;
    let says = PersonInput::Decide {
        question,
        item: asked.item,
        choice: Choice::Approve,
        rationale: "it will be fine".to_owned(),
    };
    tasks.say(id, by, says, Vec::new()).await?;
    Ok(())
}
