//! `escalations/ESC-….json`: everything a person needs to decide about a halt, in one file, and what was decided.
//!
//! Both are views of the journal: written once, and the same whenever they are written.

use sealwright_kernel::task::escalation::{Cause, Escalation, Resolution};
use sealwright_kernel::task::{Adjudication, Event};
use sealwright_kernel::{Digest, EscalationId, EvidenceId, TaskId, Timestamp};
use serde::Serialize;
use serde_json::Value;

use crate::answer_commands::meaning;
use crate::timestamp;

/// The halts of a task so far, in the order of its records.
#[derive(Clone, Debug, Default)]
pub struct Halts {
    trail: DebateTrail,
    halts: Vec<Halt>,
}

/// One halt, as the task recorded it.
#[derive(Clone, Debug)]
pub struct Halt {
    escalation: Escalation,
    pub at: Timestamp,
    trail: DebateTrail,
    resolved: Option<(Resolution, String, Timestamp)>,
}

/// What was proposed and how it was judged, in all attempts.
#[derive(Clone, Debug, Default, Serialize)]
struct DebateTrail {
    proposals: Vec<Proposal>,
    challenges: Vec<Judgement>,
    adjudications: Vec<Judgement>,
}

#[derive(Clone, Debug, Serialize)]
struct Proposal {
    tree: Digest,
    by: &'static str,
    at: String,
}

#[derive(Clone, Debug, Serialize)]
struct Judgement {
    evidence: EvidenceId,
    decision: &'static str,
    reasons: Vec<String>,
    at: String,
}

#[derive(Serialize)]
struct EscalationFile<'h> {
    escalation_id: &'h EscalationId,
    task_id: &'h TaskId,
    task_ref: String,
    created_at: String,
    attempt: u32,
    cause: String,
    cause_detail: Value,
    debate_trail: &'h DebateTrail,
    failed_invariants: Vec<FailedInvariant<'h>>,
    state_machine_snapshot: &'h Value,
    minimal_decision_required: &'static str,
    recommended_resolution: &'static str,
    resolution_context: String,
    options: Vec<&'static str>,
}

#[derive(Serialize)]
struct FailedInvariant<'h> {
    invariant: String,
    /// The ids of the records that show it, in `EVIDENCE.md`.
    evidence: &'h [EvidenceId],
}

#[derive(Serialize)]
struct ResolutionFile<'h> {
    escalation_id: &'h EscalationId,
    task_id: &'h TaskId,
    resolved_at: String,
    by: &'h str,
    #[serde(flatten)]
    resolution: &'h Resolution,
}

impl Halts {
    /// Adds the next event of the task.
    pub fn add(&mut self, event: &Event, at: Timestamp) {
        let proposed = |tree: &Digest, by| Proposal { tree: *tree, by, at: timestamp(at) };
        match event {
            Event::Verified { tree } => self.trail.proposals.push(proposed(tree, "builder")),
            Event::FixApplied { tree } => self.trail.proposals.push(proposed(tree, "a person")),
            Event::Repaired { tree } => self.trail.proposals.push(proposed(tree, "repair")),
            Event::Challenged { evidence, failures, .. } => {
                let decision = if failures.is_empty() { "PASS" } else { "FAIL" };
                let (evidence, reasons) = (evidence.id, failures.clone());
                let judged = Judgement { evidence, decision, reasons, at: timestamp(at) };
                self.trail.challenges.push(judged);
            }
            Event::Adjudicated { evidence, decision } => {
                let (decision, reasons) = match decision {
                    Adjudication::Approve => ("APPROVE", Vec::new()),
                    Adjudication::ApproveWithAmendments { amendments } => {
                        ("APPROVE_WITH_AMENDMENTS", amendments.clone())
                    }
                    Adjudication::Reject { rationale } => ("REJECT", vec![rationale.clone()]),
                };
                let judged =
                    Judgement { evidence: evidence.id, decision, reasons, at: timestamp(at) };
                self.trail.adjudications.push(judged);
            }
            Event::Halted { escalation } => self.halts.push(Halt {
                escalation: escalation.clone(),
                at,
                trail: self.trail.clone(),
                resolved: None,
            }),
            Event::Resolved { escalation, resolution, by } => {
                let halt = self.halts.iter_mut().find(|it| it.escalation.id == *escalation);
                if let Some(halt) = halt {
                    halt.resolved = Some((resolution.clone(), by.clone(), at));
                }
            }
            _ => {}
        }
    }

    /// How many halts and resolutions there are.
    pub fn count(&self) -> usize {
        self.halts.len() + self.halts.iter().filter(|it| it.resolved.is_some()).count()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Halt> {
        self.halts.iter()
    }
}

impl Halt {
    pub fn id(&self) -> &EscalationId {
        &self.escalation.id
    }

    /// The escalation as it is stored. `snapshot` is the state machine at the halt.
    pub fn value(&self, task: &TaskId, snapshot: &Value) -> Value {
        let Escalation { id, attempt, cause, options, evidence, .. } = &self.escalation;
        let (tag, detail) = tagged(cause);
        let best = self.escalation.recommendation();
        let file = EscalationFile {
            escalation_id: id,
            task_id: task,
            task_ref: format!(".sealwright/tasks/{task}/TASK.md"),
            created_at: timestamp(self.at),
            attempt: *attempt,
            cause: tag,
            cause_detail: detail,
            debate_trail: &self.trail,
            failed_invariants: cause
                .items()
                .into_iter()
                .map(|invariant| FailedInvariant { invariant, evidence })
                .collect(),
            state_machine_snapshot: snapshot,
            minimal_decision_required: cause.decision(),
            recommended_resolution: best.name(),
            resolution_context: format!("{cause}; recommended: {}", meaning(best)),
            options: options.iter().map(|it| it.name()).collect(),
        };
        serde_json::to_value(&file).unwrap_or_default()
    }

    /// What a person decided, as it is stored.
    pub fn resolution(&self, task: &TaskId) -> Option<Value> {
        let (resolution, by, at) = self.resolved.as_ref()?;
        let file = ResolutionFile {
            escalation_id: &self.escalation.id,
            task_id: task,
            resolved_at: timestamp(*at),
            by,
            resolution,
        };
        serde_json::to_value(&file).ok()
    }
}

/// The name of a cause, and what it says.
fn tagged(cause: &Cause) -> (String, Value) {
    match serde_json::to_value(cause) {
        Ok(Value::Object(map)) => map.into_iter().next().unwrap_or_default(),
        Ok(Value::String(tag)) => (tag, Value::Null),
        Ok(_) | Err(_) => (String::new(), Value::Null),
    }
}
