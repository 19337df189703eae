//! The open question of a task, as every face shows it.

use sealwright_kernel::task::escalation::ResolutionKind;
use sealwright_kernel::task::{PartKind, Question, QuestionSubject, Task, TaskData};
use sealwright_kernel::{Digest, EvidenceId};

use super::wording::{self, choices, resolution_name};
use crate::cost_report::{self, Offer};

/// What a person is asked, in words. The text is as it was written.
pub(super) struct Open {
    /// The question in one line; a halt's begins with `BLOCKED:`.
    pub(super) text: String,
    /// What is to be decided, by its name.
    pub(super) item: String,
    /// What may be answered, as it is typed, and what it means.
    pub(super) options: Vec<(String, String)>,
    /// What is advised. It binds nobody.
    pub(super) advice: String,
    /// What to look at, what is flagged first.
    pub(super) look_at: Vec<String>,
    /// What is to be frozen, in the store, the least certain first.
    pub(super) parts: Vec<(String, Digest)>,
    /// The evidence that belongs to it.
    pub(super) evidence: Vec<EvidenceId>,
}

pub(super) fn open(task: &Task, known: &TaskData) -> Option<Open> {
    let (_, question) = task.question()?;
    let evidence = question.evidence().to_vec();
    let (text, item) = (question.text(), question.item.to_string());
    let (parts, look_at) = (vec![], vec![]);
    let open = match &question.about {
        QuestionSubject::Freeze => {
            let (options, advice) = (owned(choices()), freeze_advice(&question));
            let (parts, look_at) = (parts_of(known), checklist(known));
            Open { text, item, options, advice, look_at, parts, evidence }
        }
        QuestionSubject::Done { residue } => {
            let advice = match residue.is_empty() {
                true => "approve, if the evidence convinces you",
                false => "read the findings that are left before you answer",
            };
            let look_at = residue.iter().map(wording::residue_text).collect();
            let (options, advice) = (owned(choices()), advice.to_owned());
            Open { text, item, options, advice, look_at, parts, evidence }
        }
        QuestionSubject::Halt { escalation } => {
            let option = |kind: &ResolutionKind| (resolution_name(*kind), meaning(*kind));
            let options = owned(escalation.options.iter().map(option));
            let best = resolution_name(escalation.recommendation());
            let advice = format!("{best}. Needed: {}", escalation.cause.decision());
            let item = escalation.id.as_str().to_owned();
            Open { text, item, options, advice, look_at, parts, evidence }
        }
        QuestionSubject::Budget { spent, calls, budget } => {
            let offers = cost_report::offers(*budget, *spent, *calls);
            let give_up = (cost_report::GIVE_UP, meaning(ResolutionKind::AbandonTask));
            let options = offers.iter().map(Offer::words).chain(owned([give_up])).collect();
            let (advice, look_at) =
                (cost_report::ADVICE.to_owned(), cost_report::bill(task).lines());
            Open { text, item, options, advice, look_at, parts, evidence }
        }
    };
    Some(open)
}

fn owned(options: impl IntoIterator<Item = (&'static str, &'static str)>) -> Vec<(String, String)> {
    options.into_iter().map(|(name, meaning)| (name.to_owned(), meaning.to_owned())).collect()
}

/// The seven lines, what is flagged first.
fn checklist(known: &TaskData) -> Vec<String> {
    let Some(bundle) = &known.bundle else { return vec![] };
    let lines = bundle.checklist(known.charter.header);
    let told = lines.iter().map(|line| {
        let flag = if line.is_flagged { "FLAGGED: " } else { "" };
        // Only what an author gave a confidence for has one.
        match line.confidence {
            100.. => format!("{flag}{}", line.text),
            confidence => format!("{flag}{} ({confidence} % sure)", line.text),
        }
    });
    told.collect()
}

fn parts_of(known: &TaskData) -> Vec<(String, Digest)> {
    let Some(bundle) = &known.bundle else { return vec![] };
    let told = bundle.by_confidence().into_iter().map(|part| {
        let name = match part.kind {
            PartKind::Spec => "the spec",
            PartKind::Scenarios => "the scenarios",
            PartKind::Contract => "the contract",
        };
        (format!("{name}, {} % sure", part.confidence), part.content)
    });
    told.collect()
}

fn freeze_advice(question: &Question) -> String {
    format!(
        "begin with what is least certain; the least certain part is {} % sure",
        question.confidence
    )
}

fn meaning(kind: ResolutionKind) -> &'static str {
    match kind {
        ResolutionKind::AmendSpec => "change what is wanted and begin again",
        ResolutionKind::RevisePlan => "give another plan",
        ResolutionKind::ProvideFix => "give a patch",
        ResolutionKind::ApproveOverride => "accept the risk of the judgement",
        ResolutionKind::AbandonTask => "give the task up",
    }
}
