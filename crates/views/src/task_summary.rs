//! `SUMMARY.md`: what a task came to, in one screen: outcome, evidence, open findings and lessons.

use std::fmt::Write as _;

use sealwright_kernel::task::escalation::Cause;
use sealwright_kernel::task::{Completion, Residue, Stage, Status, Task, TaskData};
use sealwright_kernel::{EvidenceRecord, TaskId};

use super::markdown::line;
use super::{evidence, summary, wording};

/// What a task came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskSummary<'t> {
    pub task: &'t TaskId,
    pub outcome: Outcome,
    /// The latest evidence of each subject.
    pub evidence: Vec<&'t EvidenceRecord>,
    /// Findings that no test can settle.
    pub residue: Vec<&'t Residue>,
    /// What roles say later tasks should know.
    pub deltas: &'t [String],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was proven.
    Pass,
    /// A person accepted what is left.
    RiskAccepted,
    /// A role cheated once too often, or a security finding stopped it.
    HardStop,
    /// A person has to decide.
    Escalate,
    /// A person gave it up.
    Abandoned,
    /// It is not over.
    Open,
}

impl<'t> TaskSummary<'t> {
    pub fn of(task: &'t Task) -> Option<Self> {
        let data = task.data()?;
        Some(Self {
            task: &data.charter.id,
            outcome: Outcome::of(task, data),
            evidence: summary::latest(data),
            residue: data.residue.iter().collect(),
            deltas: &data.lessons,
        })
    }
}

impl Outcome {
    fn of(task: &Task, data: &TaskData) -> Self {
        match task.status() {
            Status::Shipped => match data.record.as_ref().map(|record| record.outcome) {
                Some(Completion::RiskAccepted) => Self::RiskAccepted,
                Some(Completion::Pass) | None => Self::Pass,
            },
            Status::Halted => match task.stage() {
                Stage::Halted { escalation } if is_hard(&escalation.cause) => Self::HardStop,
                _ => Self::Escalate,
            },
            Status::Abandoned => Self::Abandoned,
            Status::Pending | Status::InProgress | Status::Parked => Self::Open,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::RiskAccepted => "RISK-ACCEPTED",
            Self::HardStop => "HARD-STOP",
            Self::Escalate => "ESCALATE",
            Self::Abandoned => "none, the task was abandoned",
            Self::Open => "none yet",
        }
    }
}

fn is_hard(cause: &Cause) -> bool {
    matches!(cause, Cause::HardStop { .. } | Cause::Security { .. })
}

pub(super) fn render(task: &Task) -> Option<String> {
    let TaskSummary { task, outcome, evidence, residue, deltas } = TaskSummary::of(task)?;
    let mut out = format!("# Summary of {task}\n\n- Task: {task}\n- Outcome: {}\n", outcome.name());
    out.push_str("\n## Evidence\n\n");
    for record in &evidence {
        let (id, subject) = (record.id, line(&record.subject));
        let _ = writeln!(out, "- {id} {subject}: {}", evidence::verdict(record));
    }
    or_none(&mut out, evidence.is_empty());
    out.push_str("\n## Open findings\n\n");
    for finding in &residue {
        let _ = writeln!(out, "- {}", line(&wording::residue_text(finding)));
    }
    or_none(&mut out, residue.is_empty());
    out.push_str("\n## Lessons\n\n");
    for delta in deltas {
        let _ = writeln!(out, "- {}", line(delta));
    }
    or_none(&mut out, deltas.is_empty());
    Some(out)
}

fn or_none(out: &mut String, is_empty: bool) {
    if is_empty {
        out.push_str("None.\n");
    }
}
