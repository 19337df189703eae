//! The open question of a task, for `STATE.md` and `evidence.html`.

use sealwright_kernel::task::{PartKind, QuestionSubject, TaskData};
use sealwright_kernel::{Digest, EvidenceId};

use super::ViewInput;
use super::wording::{self, resolution_name};
use crate::answer_commands::{AnswerCommand, answer_commands};
use crate::contract::{self, ContractSection};
use crate::cost_report;

/// A question to a person. The text is unescaped.
pub(super) struct Open {
    /// One line; a halt's begins with `BLOCKED:`.
    pub(super) text: String,
    /// The digest or escalation id to decide on.
    pub(super) item: String,
    /// What to type for each answer, and its meaning.
    pub(super) options: Vec<AnswerCommand>,
    pub(super) advice: String,
    /// Points to check, flagged ones first.
    pub(super) look_at: Vec<String>,
    /// The documents to freeze, the least certain first.
    pub(super) parts: Vec<(String, Digest)>,
    /// The whole contract, if it is to be approved.
    pub(super) contract: Vec<ContractSection>,
    pub(super) evidence: Vec<EvidenceId>,
}

pub(super) fn open(input: &ViewInput<'_>, data: &TaskData) -> Option<Open> {
    let task = input.task;
    let (_, question) = task.question()?;
    let (mut item, mut look_at, mut parts) = (question.item.to_string(), vec![], vec![]);
    let mut contract = vec![];
    let advice = match &question.about {
        QuestionSubject::Freeze => {
            (parts, look_at) = (parts_of(data), checklist(data));
            // The configuration is no part of the record, so a view names checks without their commands.
            contract = contract::contract(data, input.outputs, &|_| None);
            let least = question.confidence;
            format!("review the least certain part first; it is {least} % sure")
        }
        QuestionSubject::Done { residue } => {
            look_at = residue.iter().map(wording::residue_text).collect();
            let advice = if residue.is_empty() {
                "approve if the evidence is sufficient"
            } else {
                "read the remaining findings first"
            };
            advice.to_owned()
        }
        QuestionSubject::Halt { escalation } => {
            escalation.id.as_str().clone_into(&mut item);
            let best = resolution_name(escalation.recommendation());
            format!("{best}. Needed: {}", escalation.cause.decision())
        }
        QuestionSubject::Budget { .. } => {
            look_at = cost_report::bill(task).lines();
            cost_report::ADVICE.to_owned()
        }
    };
    let (text, options) = (question.text(), answer_commands(task, data.charter.id.as_str(), &[]));
    let evidence = question.evidence().to_vec();
    Some(Open { text, item, options, advice, look_at, parts, contract, evidence })
}

/// The seven lines of the freeze checklist, flagged ones first.
fn checklist(data: &TaskData) -> Vec<String> {
    let Some(bundle) = &data.bundle else { return vec![] };
    let lines = bundle.checklist(data.charter.header);
    let texts = lines.iter().map(|line| {
        let flag = if line.is_flagged { "FLAGGED: " } else { "" };
        // 100 means that the author gave no confidence.
        match line.confidence {
            100.. => format!("{flag}{}", line.text),
            confidence => format!("{flag}{} ({confidence} % sure)", line.text),
        }
    });
    texts.collect()
}

fn parts_of(data: &TaskData) -> Vec<(String, Digest)> {
    let Some(bundle) = &data.bundle else { return vec![] };
    let parts = bundle.by_confidence().into_iter().map(|part| {
        let name = match part.kind {
            PartKind::Spec => "the spec",
            PartKind::Scenarios => "the scenarios",
            PartKind::Contract => "the contract",
        };
        (format!("{name}, {} % sure", part.confidence), part.content)
    });
    parts.collect()
}
