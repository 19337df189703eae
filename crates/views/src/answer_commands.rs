//! The commands that answer an open question, ready to paste.

use sealwright_kernel::task::escalation::ResolutionKind;
use sealwright_kernel::task::{QuestionSubject, Task};

use crate::cost_report;
use crate::wording::{choices, resolution_name};

/// One answer to an open question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerCommand {
    /// The command without the task, such as `resolve provide-fix`.
    pub name: String,
    pub meaning: String,
    /// What to type. `…` stands for words of the person.
    pub command: String,
}

/// Every answer to the open question of `task`, in the order of its options. `id` is what the commands call the task: its
/// id, or a part of it. `criteria` are those that a person would start from to amend the specification; without any, a
/// placeholder stands for them.
pub fn answer_commands(task: &Task, id: &str, criteria: &[String]) -> Vec<AnswerCommand> {
    let Some((_, question)) = task.question() else { return vec![] };
    let item = &question.item.to_string()[..12];
    let of = |name: &str, meaning: &str, command: String| AnswerCommand {
        name: name.to_owned(),
        meaning: meaning.to_owned(),
        command,
    };
    match &question.about {
        QuestionSubject::Freeze | QuestionSubject::Done { .. } => {
            let is_done = matches!(question.about, QuestionSubject::Done { .. });
            let why = if is_done { " --because \"…\"" } else { "" };
            let typed = choices().into_iter().map(|(name, meaning)| {
                let (verb, flag) = name.split_once(' ').unwrap_or((name, ""));
                let flag = if flag.is_empty() { String::new() } else { format!(" {flag}") };
                let command = match verb {
                    "approve" => format!("sealwright approve {id} --item {item}{why}"),
                    verb => format!("sealwright {verb} {id}{flag} --because \"…\""),
                };
                of(name, meaning, command)
            });
            // Whether finished work is accepted is not said in words.
            let in_words = (!is_done).then(|| of(ANSWER, "change it as you say", answer(id)));
            typed.chain(in_words).collect()
        }
        QuestionSubject::Halt { escalation } => {
            let typed = escalation.options.iter().flat_map(|kind| {
                let name = resolution_name(*kind);
                let resolve = of(name, meaning(*kind), resolve(id, *kind, criteria));
                let in_words = (*kind == ResolutionKind::AmendSpec).then(|| {
                    of(ANSWER, "start again with the same criteria and what you say", answer(id))
                });
                [resolve].into_iter().chain(in_words)
            });
            typed.collect()
        }
        QuestionSubject::Budget { spent, calls, budget } => {
            let offers = cost_report::offers(*budget, *spent, *calls).into_iter().map(|offer| {
                let (name, buys) = offer.words();
                let command = format!("sealwright budget {id} {}", offer.flags());
                AnswerCommand { name, meaning: buys, command }
            });
            let give_up = ResolutionKind::AbandonTask;
            let abandon = of(cost_report::GIVE_UP, meaning(give_up), resolve(id, give_up, &[]));
            offers.chain([abandon]).collect()
        }
    }
}

fn answer(id: &str) -> String {
    format!("sealwright {ANSWER} {id} \"…\"")
}

fn resolve(id: &str, kind: ResolutionKind, criteria: &[String]) -> String {
    let more = match kind {
        ResolutionKind::AmendSpec if criteria.is_empty() => " --criterion \"…\"".to_owned(),
        ResolutionKind::AmendSpec => {
            criteria.iter().map(|text| format!(" --criterion {}", quoted(text))).collect()
        }
        ResolutionKind::ProvideFix => " --patch fix.patch".to_owned(),
        ResolutionKind::SplitTask => " --tasks tasks.json".to_owned(),
        ResolutionKind::RevisePlan
        | ResolutionKind::ApproveOverride
        | ResolutionKind::AbandonTask => String::new(),
    };
    let action = resolution_name(kind).trim_start_matches("resolve ");
    format!("sealwright resolve {id} {action} --because \"…\"{more}")
}

/// The text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

pub(super) fn meaning(kind: ResolutionKind) -> &'static str {
    match kind {
        ResolutionKind::AmendSpec => "change the specification and start again",
        ResolutionKind::RevisePlan => "change the plan in your editor, or give it with --plan FILE",
        ResolutionKind::ProvideFix => "provide a patch, or --branch NAME, or --commit REV",
        ResolutionKind::ApproveOverride => "accept the risk and ship",
        ResolutionKind::SplitTask => "put smaller tasks in its place",
        ResolutionKind::AbandonTask => "abandon the task",
    }
}

const ANSWER: &str = "answer";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_criterion_is_one_word_of_a_shell() {
        let criteria = ["it's $HOME `now`".to_owned(), "two".to_owned()];
        assert_eq!(
            resolve("T-a", ResolutionKind::AmendSpec, &criteria),
            "sealwright resolve T-a amend-spec --because \"…\" --criterion 'it'\\''s $HOME `now`' --criterion 'two'"
        );
    }
}
