//! How `do` ends: what there is now, what it cost, and what a person can do next.

use sealwright_engine::Stalled;
use sealwright_engine::errand::Signed;
use sealwright_engine::tasks::{OpenQuestion, Tasks};
use sealwright_kernel::task::{Stage, Task};
use sealwright_kernel::{TaskId, Verdict};
use sealwright_store::Anchor;
use serde_json::json;

use super::Doing;
use crate::args::Format;
use crate::commands::keys::chest;
use crate::error::CliError;
use crate::output::{Output, good, plain, say, warn};

/// How it ended.
pub(super) enum Ending {
    /// It is proven, and kept on a branch.
    Kept { task: TaskId, passed: usize, signed: Signed },
    /// It was given up.
    Abandoned { task: TaskId },
    /// A person has to answer.
    Asked { task: TaskId, open: Option<OpenQuestion>, is_halted: bool },
    /// It was told to stop.
    Parked { task: TaskId },
    /// What it still owes failed too often.
    Stalled { task: TaskId, stalled: Vec<Stalled> },
}

/// A task that is over.
pub(super) async fn over(
    doing: &Doing<'_>,
    task: &TaskId,
    _anchor: &Anchor,
) -> Result<Ending, CliError> {
    let machine = Tasks::of(doing.journal).look(task).await?.machine;
    if !matches!(machine.stage(), Stage::Done) {
        return Ok(Ending::Abandoned { task: task.clone() });
    }
    let signed = doing.errands.sign(task, chest())?;
    let evidence = machine.known().map(|known| &known.evidence[..]).unwrap_or_default();
    let shipped = machine.known().and_then(|known| known.verified);
    let passed = evidence
        .iter()
        .filter(|it| it.verdict == Verdict::Pass && Some(it.evidence.tree) == shipped)
        .count();
    Ok(Ending::Kept { task: task.clone(), passed, signed })
}

impl Ending {
    pub(super) fn asked(task: &TaskId, machine: &Task, _questions: usize) -> Self {
        let is_halted = matches!(machine.stage(), Stage::Halted { .. });
        Self::Asked { task: task.clone(), open: OpenQuestion::of(machine), is_halted }
    }

    pub(super) fn tell(
        self,
        doing: &Doing<'_>,
        format: Format,
        output: &mut Output,
    ) -> Result<(), CliError> {
        match (&self, format) {
            (_, Format::Json) => output.json(&self.value())?,
            (_, Format::Human) => self.people(doing, output)?,
        }
        match self {
            Self::Kept { .. } => Ok(()),
            Self::Abandoned { task } => Err(CliError::GivenUp { task: task.to_string() }),
            Self::Asked { task, open, is_halted } => Err(CliError::Asked {
                task: task.to_string(),
                question: open.map(|it| it.text).unwrap_or_default(),
                is_halted,
            }),
            Self::Parked { task } => Err(CliError::Parked { task: task.to_string() }),
            Self::Stalled { task, stalled } => Err(CliError::Stalled {
                task: task.to_string(),
                why: stalled.first().map(|it| it.why.clone()).unwrap_or_default(),
            }),
        }
    }

    fn people(&self, doing: &Doing<'_>, output: &mut Output) -> Result<(), CliError> {
        match self {
            Self::Kept { task, passed, signed } => {
                let branch = format!("sealwright/{task}");
                output.line(&format!("{} proven, and kept on the branch {branch}", good("✓")))?;
                output.line(&format!("  gates: {passed} passed on the very tree that is kept"))?;
                let page = doing.root.join(".sealwright/tasks").join(task.as_str());
                let page = page.join("evidence.html");
                output.line(&format!("  evidence: {}", plain(&page.display().to_string())))?;
                match signed {
                    Signed::With { key } => output.line(&format!("  signed with {key}"))?,
                    Signed::Unsigned { hint } => output.line(&format!("  not signed: {hint}"))?,
                }
                say(&format!("next: git merge {branch}, or sealwright pr {task}"));
                Ok(())
            }
            Self::Abandoned { task } => output.line(&format!("· {task} was given up")),
            Self::Asked { task, open, .. } => {
                let Some(open) = open else { return Ok(()) };
                output.line(&format!("{} {task} asks: {}", warn("?"), plain(&open.text)))?;
                output.line(&format!("  answers: {}", plain(&open.options.join(", "))))?;
                output.line(&format!("  advised: {}", plain(&open.recommendation)))
            }
            Self::Parked { task } => {
                output.line(&format!("· {task} is parked; nothing that was done is lost"))
            }
            Self::Stalled { task, stalled } => {
                output.line(&format!("{} {task} cannot go on by itself", warn("!")))?;
                for it in stalled {
                    output.line(&format!("  {}: {}", it.effect, plain(&it.why)))?;
                }
                Ok(())
            }
        }
    }

    fn value(&self) -> serde_json::Value {
        match self {
            Self::Kept { task, passed, signed } => json!({
                "task": task, "ended": "kept", "branch": format!("sealwright/{task}"),
                "gates_passed": passed,
                "signed": match signed {
                    Signed::With { key } => Some(key),
                    Signed::Unsigned { .. } => None,
                },
            }),
            Self::Abandoned { task } => json!({"task": task, "ended": "given_up"}),
            Self::Asked { task, open, is_halted } => json!({
                "task": task, "ended": if *is_halted { "halted" } else { "asked" },
                "question": open,
            }),
            Self::Parked { task } => json!({"task": task, "ended": "parked"}),
            Self::Stalled { task, stalled } => {
                let why: Vec<_> =
                    stalled.iter().map(|it| json!({"effect": it.effect, "why": it.why})).collect();
                json!({"task": task, "ended": "stalled", "stalled": why})
            }
        }
    }
}
