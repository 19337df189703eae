//! One line about a task, for `status`, `inbox` and `watch`.

use sealwright_kernel::task::Phase;
use sealwright_kernel::task::{QuestionSubject, Status, Task};
use sealwright_kernel::{Cost, Digest, EffectId, Lane, Timestamp, goal};
use serde::{Deserialize, Serialize};

use crate::cost_report::{self, Offer};

/// One line about a task, for `status` and `inbox`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRow {
    pub title: String,
    pub status: Status,
    pub phase: Option<Phase>,
    pub attempt: u32,
    pub lane: Lane,
    /// When its last record was written.
    pub at: Timestamp,
    pub question: Option<OpenQuestion>,
    /// Whether it has criteria and each names its check.
    pub goal_ready: bool,
    /// Hand edits that a person must handle: a `TASK.md` that is not adopted, changed snapshots.
    pub red: Vec<String>,
    /// The cost of its role calls.
    pub spent: Cost,
}

/// The part of a [`TaskRow`] that the catalog keeps in memory for every task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Glance {
    pub status: Status,
    pub at: Timestamp,
    /// The confidence of its open question in percent, if it has one.
    pub asks: Option<u8>,
    pub goal_ready: bool,
    pub spent: Cost,
}

/// A question that no person has answered yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestion {
    /// The effect that the answer reports to.
    pub id: EffectId,
    /// The item to decide on.
    pub item: Digest,
    pub text: String,
    pub options: Vec<String>,
    pub recommendation: String,
    /// The author's confidence in percent.
    pub confidence: u8,
}

impl TaskRow {
    /// The row of `task`, once it is created.
    pub fn of(task: &Task, at: Timestamp) -> Option<Self> {
        let data = task.data()?;
        let drifted = data.drifted.map(|_| "TASK.md was edited and not adopted".to_owned());
        let tampered = data.tampered.iter().map(|it| format!("{it} was tampered with"));
        Some(Self {
            title: data.charter.title.clone(),
            status: task.status(),
            phase: task.phase(),
            attempt: data.attempt,
            lane: data.charter.header.lane(data.charter.lane),
            at,
            question: OpenQuestion::of(task),
            goal_ready: goal::is_ready(&data.charter.criteria),
            red: drifted.into_iter().chain(tampered).collect(),
            spent: data.spending.all().cost,
        })
    }

    pub fn glance(&self) -> Glance {
        let asks = self.question.as_ref().map(|question| question.confidence);
        let (status, at, goal_ready, spent) = (self.status, self.at, self.goal_ready, self.spent);
        Glance { status, at, asks, goal_ready, spent }
    }
}

impl OpenQuestion {
    /// The question that `task` waits on.
    pub fn of(task: &Task) -> Option<Self> {
        let (id, question) = task.question()?;
        let (options, recommendation) = match &question.about {
            QuestionSubject::Freeze | QuestionSubject::Done { .. } => {
                let options = ["approve", "decline", "decline --amend"].map(str::to_owned).to_vec();
                (options, "review, then approve".to_owned())
            }
            QuestionSubject::Halt { escalation } => {
                let options = escalation.options.iter().map(|it| it.name().to_owned());
                (options.collect(), escalation.recommendation().name().to_owned())
            }
            QuestionSubject::Budget { spent, calls, budget } => {
                let offers = cost_report::offers(*budget, *spent, *calls);
                let options =
                    offers.iter().map(Offer::line).chain([cost_report::GIVE_UP.to_owned()]);
                (options.collect(), cost_report::ADVICE.to_owned())
            }
        };
        let (text, item, confidence) = (question.text(), question.item, question.confidence);
        Some(Self { id, item, text, options, recommendation, confidence })
    }

    /// The question without its options: of a halt, only its cause.
    pub fn plain(&self) -> String {
        let cause = self.text.strip_prefix("BLOCKED: ");
        let cause = cause.and_then(|cause| Some(cause.rsplit_once(". Options: [")?.0));
        cause.unwrap_or(&self.text).lines().collect::<Vec<_>>().join("; ")
    }
}
