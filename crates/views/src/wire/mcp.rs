//! What the tools of `sealwright mcp` answer: the rows of the commands, bounded.

use serde::Serialize;

use super::{
    EvidenceRow, Head, InboxItem, MachineState, Phase, Question, Status, StatusRow, TaskId,
    TaskView,
};

/// The answer of the tool `status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StatusAnswer {
    pub tasks: Vec<StatusRow>,
    /// The number of tasks that did not fit.
    pub left_out: usize,
}

/// The answer of the tool `inbox`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InboxAnswer {
    pub questions: Vec<InboxItem>,
    /// The number of questions that did not fit.
    pub left_out: usize,
}

/// The answer of the tool `show`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TaskAnswer {
    pub task: TaskId,
    pub status: Status,
    pub phase: Option<Phase>,
    pub head: Head,
    pub question: Option<Question>,
    /// The halt that waits for a resolution. Null while nothing is halted, or if it did not fit.
    pub escalation: Option<MachineState>,
    /// Null if it did not fit.
    pub state: Option<MachineState>,
    /// The members that did not fit.
    pub left_out: Vec<&'static str>,
}

/// The answer of the tool `evidence`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EvidenceAnswer {
    pub task: TaskId,
    /// The newest evidence, the oldest of it first.
    pub evidence: Vec<EvidenceRow>,
    /// The number of older pieces that did not fit.
    pub left_out: usize,
}

impl TaskAnswer {
    /// All of `view`.
    pub fn whole(view: TaskView) -> Self {
        let TaskView { task, status, phase, head, question, escalation, state } = view;
        let (state, left_out) = (Some(state), Vec::new());
        Self { task, status, phase, head, question, escalation, state, left_out }
    }

    /// The same without its largest members.
    pub fn without_state(self) -> Self {
        let mut left_out = vec!["state"];
        left_out.extend(self.escalation.is_some().then_some("escalation"));
        Self { state: None, escalation: None, left_out, ..self }
    }
}
