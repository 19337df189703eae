//! The open question of a task, for `STATE.md` and `evidence.html`.

use sealwright_kernel::task::escalation::ResolutionKind;
use sealwright_kernel::task::{PartKind, QuestionSubject, Task, TaskData};
use sealwright_kernel::{Digest, EvidenceId};

use super::wording::{self, choices, resolution_name};
use crate::cost_report::{self, Offer};

/// A question to a person. The text is unescaped.
pub(super) struct Open {
    /// One line; a halt's begins with `BLOCKED:`.
    pub(super) text: String,
    /// The digest or escalation id to decide on.
    pub(super) item: String,
    /// The command to type for each answer, and its meaning.
    pub(super) options: Vec<(String, String)>,
    pub(super) advice: String,
    /// Points to check, flagged ones first.
    pub(super) look_at: Vec<String>,
    /// The documents to freeze, the least certain first.
    pub(super) parts: Vec<(String, Digest)>,
    pub(super) evidence: Vec<EvidenceId>,
}

pub(super) fn open(task: &Task, data: &TaskData) -> Option<Open> {
    let (_, question) = task.question()?;
    let (mut item, mut look_at, mut parts) = (question.item.to_string(), vec![], vec![]);
    let (options, advice) = match &question.about {
        QuestionSubject::Freeze => {
            (parts, look_at) = (parts_of(data), checklist(data));
            let least = question.confidence;
            let advice = format!("review the least certain part first; it is {least} % sure");
            (owned(choices()), advice)
        }
        QuestionSubject::Done { residue } => {
            look_at = residue.iter().map(wording::residue_text).collect();
            let advice = if residue.is_empty() {
                "approve if the evidence is sufficient"
            } else {
                "read the remaining findings first"
            };
            (owned(choices()), advice.to_owned())
        }
        QuestionSubject::Halt { escalation } => {
            escalation.id.as_str().clone_into(&mut item);
            let option = |kind: &ResolutionKind| (resolution_name(*kind), meaning(*kind));
            let best = resolution_name(escalation.recommendation());
            let advice = format!("{best}. Needed: {}", escalation.cause.decision());
            (owned(escalation.options.iter().map(option)), advice)
        }
        QuestionSubject::Budget { spent, calls, budget } => {
            look_at = cost_report::bill(task).lines();
            let offers = cost_report::offers(*budget, *spent, *calls);
            let give_up = (cost_report::GIVE_UP, meaning(ResolutionKind::AbandonTask));
            let options = offers.iter().map(Offer::words).chain(owned([give_up])).collect();
            (options, cost_report::ADVICE.to_owned())
        }
    };
    let evidence = question.evidence().to_vec();
    Some(Open { text: question.text(), item, options, advice, look_at, parts, evidence })
}

fn owned(options: impl IntoIterator<Item = (&'static str, &'static str)>) -> Vec<(String, String)> {
    options.into_iter().map(|(name, meaning)| (name.to_owned(), meaning.to_owned())).collect()
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

fn meaning(kind: ResolutionKind) -> &'static str {
    match kind {
        ResolutionKind::AmendSpec => "change the specification and start again",
        ResolutionKind::RevisePlan => "provide another plan",
        ResolutionKind::ProvideFix => "provide a patch",
        ResolutionKind::ApproveOverride => "accept the risk and ship",
        ResolutionKind::AbandonTask => "abandon the task",
    }
}
