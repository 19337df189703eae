//! One line about a task, for `status`, `inbox` and `watch`.

use sealwright_kernel::task::Phase;
use sealwright_kernel::task::{QuestionSubject, Status, Task};
use sealwright_kernel::{Cost, Digest, EffectId, Lane, Timestamp, goal};
use serde::{Deserialize, Serialize};

use crate::cost_report::{self, Offer};

/// What `status` and `inbox` need to know of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRow {
    /// The task in one line.
    pub title: String,
    /// How it stands.
    pub status: Status,
    /// Its phase.
    pub phase: Option<Phase>,
    /// Which attempt it is.
    pub attempt: u32,
    /// How much ceremony it owes.
    pub lane: Lane,
    /// When something last happened to it.
    pub at: Timestamp,
    /// What a person has to answer.
    pub question: Option<OpenQuestion>,
    /// Whether it has criteria and every one cites how it is verified.
    pub goal_ready: bool,
    /// Whether a person has to look at its files: an unadopted text, tampered snapshots.
    pub red: Vec<String>,
    /// What roles have cost.
    pub spent: Cost,
}

/// What is seen of all tasks at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Glance {
    /// How it stands.
    pub status: Status,
    /// When something last happened to it.
    pub at: Timestamp,
    /// How sure the work is of itself, if it asks somebody, in percent.
    pub asks: Option<u8>,
    /// Whether it has criteria and every one cites how it is verified.
    pub goal_ready: bool,
    /// What roles have cost.
    pub spent: Cost,
}

/// A question people have not answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestion {
    /// Its name.
    pub id: EffectId,
    /// The item to be decided.
    pub item: Digest,
    /// What is asked.
    pub text: String,
    /// What may be answered.
    pub options: Vec<String>,
    /// What is recommended.
    pub recommendation: String,
    /// How sure the work is of itself, in percent.
    pub confidence: u8,
}

impl TaskRow {
    /// The row of `task`, once it was created.
    pub fn of(task: &Task, at: Timestamp) -> Option<Self> {
        let known = task.data()?;
        let drifted = known.drifted.map(|_| "TASK.md was edited and not adopted".to_owned());
        let tampered = known.tampered.iter().map(|it| format!("{it} was tampered with"));
        Some(Self {
            title: known.charter.title.clone(),
            status: task.status(),
            phase: task.phase(),
            attempt: known.attempt,
            lane: known.charter.lane.under(known.charter.header.risk),
            at,
            question: OpenQuestion::of(task),
            goal_ready: goal::is_ready(&known.charter.criteria),
            red: drifted.into_iter().chain(tampered).collect(),
            spent: known.spending.all().cost,
        })
    }

    /// The part of it that the index keeps in memory for every task.
    pub fn glance(&self) -> Glance {
        let asks = self.question.as_ref().map(|question| question.confidence);
        let (status, at, goal_ready, spent) = (self.status, self.at, self.goal_ready, self.spent);
        Glance { status, at, asks, goal_ready, spent }
    }
}

impl OpenQuestion {
    /// What a person has to answer for `task` to go on.
    pub fn of(task: &Task) -> Option<Self> {
        let (id, question) = task.question()?;
        let (options, recommendation) = match &question.about {
            QuestionSubject::Freeze | QuestionSubject::Done { .. } => {
                let options = ["approve", "decline", "decline --amend"].map(str::to_owned).to_vec();
                (options, "look at it, then approve".to_owned())
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
}
