//! Evidence: nothing counts as proven but what was seen to hold on that very tree.
//!
//! Like decisions, this does not ask `decide`: it is what every version of the rules owes.

use sealwright_kernel::owner::Risk;
use sealwright_kernel::task::{Completion, Event, Milestone, Probe, RecordOwner, TaskData};
use sealwright_kernel::{Digest, EvidenceRecord, Source, Verdict};

use super::content::Named;

/// Why `event` does not rest on evidence, if it claims to and does not. `known` is the task before it.
pub(super) fn check(event: &Event, known: &TaskData) -> Vec<String> {
    let Some(milestone) = event.milestone() else { return vec![] };
    match milestone {
        Milestone::Verified { tree } => unproven(known, tree),
        Milestone::GatePassed { record } => {
            let mut wrong = Vec::new();
            if known.verified != Some(record.tree) {
                wrong.push(format!(
                    "its gate was opened for {}, which was not verified",
                    record.tree
                ));
            }
            if known.frozen.is_none() {
                wrong.push("its gate was opened with nothing frozen".to_owned());
            }
            let is_auto = record.owner == RecordOwner::Run && record.outcome == Completion::Pass;
            if record.header.risk == Risk::High && is_auto {
                wrong.push(
                    "unguarded_high_risk_auto: no person opened the gate of a high risk".to_owned(),
                );
            }
            wrong
        }
        Milestone::Shipped { tree } => match &known.record {
            Some(record) if record.tree == tree => vec![],
            Some(_) => vec![format!("{tree} was kept, but the gate was opened for another tree")],
            None => vec![format!("{tree} was kept, but no gate was opened")],
        },
        Milestone::Done => match &known.record {
            Some(_) => vec![],
            None => vec!["it is done, but no gate was opened".to_owned()],
        },
        Milestone::SeenRed { guarded } => {
            let contract = known.bundle.as_ref().map(sealwright_kernel::task::Bundle::contract);
            match contract == Some(guarded.contract) {
                true => vec![],
                false => vec!["what is guarded is not the contract that was frozen".to_owned()],
            }
        }
        Milestone::Frozen { item, .. } => {
            let on_the_table = known.bundle.as_ref().map(|bundle| bundle.item(&known.charter));
            match on_the_table == Some(item) {
                true => vec![],
                false => vec!["what was frozen is not what was on the table".to_owned()],
            }
        }
        Milestone::TextTaken { .. } => vec![],
    }
}

/// Why a piece of evidence does not carry the verdict it stands under, if it does not.
pub(super) fn carries(record: &EvidenceRecord) -> Option<String> {
    let evidence = &record.evidence;
    match &evidence.source {
        Source::Command { .. } => {
            let error = evidence.supports(record.verdict, evidence.tree).err()?;
            Some(format!("{} says {}, but {error}", record.id, record.verdict.name()))
        }
        Source::Role { .. } => None,
    }
}

/// What `event` makes the store owe. `known` is the task after it.
pub(super) fn names(
    event: &Event,
    known: &TaskData,
    seq: sealwright_kernel::Seq,
    named: &mut Named,
) {
    let Some(milestone) = event.milestone() else { return };
    match milestone {
        Milestone::TextTaken { text } => named.want(text, seq, "the text of the task"),
        Milestone::Frozen { .. } => {
            for part in known.bundle.iter().flat_map(|bundle| &bundle.parts) {
                named.want(part.content, seq, "a frozen part");
            }
        }
        Milestone::SeenRed { guarded } => {
            named.want_set(guarded.tests, seq, "the frozen tests");
            named.want(guarded.contract, seq, "the frozen contract");
        }
        Milestone::Verified { .. }
        | Milestone::GatePassed { .. }
        | Milestone::Shipped { .. }
        | Milestone::Done => {}
    }
}

/// The checks of the task that were not last seen to pass on `tree`.
fn unproven(known: &TaskData, tree: Digest) -> Vec<String> {
    let checks = known.charter.checks.iter().cloned().map(Probe::Check);
    let due = [Probe::Tripwire].into_iter().chain(checks).map(|probe| probe.key());
    let holds = |subject: &String| {
        let last = known.evidence.iter().rev().find(|record| record.subject == *subject);
        last.is_some_and(|record| {
            record.verdict == Verdict::Pass && record.evidence.supports(Verdict::Pass, tree).is_ok()
        })
    };
    due.filter(|subject| !holds(subject))
        .map(|subject| {
            format!("it says {tree} is verified, but {subject} was not seen to pass on it")
        })
        .collect()
}
