//! Evidence: a check counts as passed only if it passed on that exact tree.
//!
//! Like decisions, this check does not use `decide`; it holds for every version of the rules.

use sealwright_kernel::owner::Risk;
use sealwright_kernel::task::{Completion, Event, Milestone, Probe, RecordOwner, TaskData};
use sealwright_kernel::{Digest, EvidenceRecord, Source, Verdict};

use super::content::Named;

/// The claims of `event` that its evidence does not support. `data` is the task before the event.
pub(super) fn check(event: &Event, data: &TaskData) -> Vec<String> {
    let Some(milestone) = event.milestone() else { return vec![] };
    match milestone {
        Milestone::Verified { tree } => unproven(data, tree),
        Milestone::GatePassed { record } => {
            let mut wrong = Vec::new();
            if data.verified != Some(record.tree) {
                wrong.push(format!(
                    "the gate was opened for {}, which is not verified",
                    record.tree
                ));
            }
            if data.frozen.is_none() {
                wrong.push("the gate was opened before anything was frozen".to_owned());
            }
            let is_auto = record.owner == RecordOwner::Run && record.outcome == Completion::Pass;
            if record.header.risk == Risk::High && is_auto {
                wrong.push(
                    "unguarded_high_risk_auto: a high-risk gate was opened without a person"
                        .to_owned(),
                );
            }
            wrong
        }
        Milestone::Shipped { tree } => match &data.record {
            Some(record) if record.tree == tree => vec![],
            Some(_) => {
                vec![format!("{tree} was shipped, but the gate was opened for another tree")]
            }
            None => vec![format!("{tree} was shipped, but no gate was opened")],
        },
        Milestone::Done => match &data.record {
            Some(_) => vec![],
            None => vec!["the task is done, but no gate was opened".to_owned()],
        },
        Milestone::SeenRed { guarded } => {
            let contract = data.bundle.as_ref().map(sealwright_kernel::task::Bundle::contract);
            if contract == Some(guarded.contract) {
                vec![]
            } else {
                vec!["the guarded contract is not the frozen one".to_owned()]
            }
        }
        Milestone::Frozen { item, .. } => {
            let proposed = data.bundle.as_ref().map(|bundle| bundle.item(&data.charter));
            if proposed == Some(item) {
                vec![]
            } else {
                vec!["the frozen item is not the proposed one".to_owned()]
            }
        }
        Milestone::TextTaken { .. } => vec![],
    }
}

/// Why the evidence does not support its verdict, if so.
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

/// Notes the content that `event` requires in the store. `data` is the task after the event.
pub(super) fn names(
    event: &Event,
    data: &TaskData,
    seq: sealwright_kernel::Seq,
    named: &mut Named,
) {
    let Some(milestone) = event.milestone() else { return };
    match milestone {
        Milestone::TextTaken { text } => named.want(text, seq, "the text of the task"),
        Milestone::Frozen { .. } => {
            for part in data.bundle.iter().flat_map(|bundle| &bundle.parts) {
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

/// The checks of the task that did not pass on `tree` when they last ran.
fn unproven(data: &TaskData, tree: Digest) -> Vec<String> {
    let checks = data.charter.checks.iter().cloned().map(Probe::Check);
    let due = [Probe::Tripwire].into_iter().chain(checks).map(|probe| probe.key());
    let holds = |subject: &String| {
        let last = data.evidence.iter().rev().find(|record| record.subject == *subject);
        last.is_some_and(|record| {
            record.verdict == Verdict::Pass && record.evidence.supports(Verdict::Pass, tree).is_ok()
        })
    };
    due.filter(|subject| !holds(subject))
        .map(|subject| format!("{tree} is called verified, but {subject} did not pass on it"))
        .collect()
}
