//! Performs the effects of a slice. If there is nothing to find out or to evaluate, no agent is called.

use sealwright_agents::Quoted;
use sealwright_kernel::pack::InputKind;
use sealwright_kernel::task::slice::{
    self, AuditReport, Claim, Edit, FactKind, NewFact, NewFinding, Pass, Plan, PlanAnswer,
    Progress, Rung, Want,
};
use sealwright_kernel::task::{Phase, Report};
use sealwright_kernel::{Digest, Role};
use sealwright_sandbox::view::Hand;
use serde::Deserialize;
use serde_json::json;

use crate::task_store::TaskStore;

use super::agent_caller::{AgentCaller, Key};
use super::answers::{self, EditAnswer};
use super::call::{CallSpec, RoleAnswer};
use super::shape::given;
use super::{EffectContext, EffectResult, PerformError, TaskPerformer};
use sealwright_repo::trees::Tree;

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    pub(super) async fn slice(
        &self,
        context: &EffectContext,
        effect: &slice::Effect,
    ) -> Result<EffectResult, PerformError> {
        let id = context.id.clone();
        let input = match &effect.want {
            Want::Scout { unknowns, .. } if unknowns.is_empty() => {
                slice::Input::Scouted { effect: id, findings: Vec::new() }
            }
            Want::Scout { unknowns, cap } => {
                let findings = self.scout(context, unknowns, &cap.allowed).await?;
                slice::Input::Scouted { effect: id, findings }
            }
            Want::Consolidate { captured, first } => {
                let facts = captured.iter().zip(*first..).map(|(it, nth)| weighed(it, nth));
                slice::Input::Consolidated { effect: id, facts: facts.collect(), gaps: Vec::new() }
            }
            Want::Plan => slice::Input::Planned { effect: id, answer: plan(context)? },
            Want::Edit { plan, tree } => return self.edit(context, plan, *tree).await,
            Want::RunGate { gate, tree, .. } => return self.run_gate(context, *gate, *tree).await,
            Want::Audit => slice::Input::Audited { effect: id, report: self.audit(context).await? },
            Want::ChooseRung => {
                let because = last_fact(context).into_iter().collect();
                slice::Input::RungChosen { effect: id, rung: Rung::FixForward, because }
            }
        };
        Ok(EffectResult::slice(input))
    }

    async fn edit(
        &self,
        context: &EffectContext,
        plan: &Plan,
        from: Digest,
    ) -> Result<EffectResult, PerformError> {
        let tree = self.tree(context, from).await?;
        let failures = open_issues(context);
        let answered =
            self.build(context, Key::Edit, Phase::Implement, &tree, &plan.change, failures);
        let (answered, next, blobs) = answered.await?;
        let places: Vec<String> = answered.changes.keys().cloned().collect();
        let claim = if answered.answer.ready { Claim::Ready } else { Claim::MoreToDo };
        let edit = Edit { tree: next.digest(), places, claim, pass: gained(&answered) };
        let input = slice::Input::Edited { effect: context.id.clone(), edit };
        Ok(EffectResult::slice(input).resting_on(blobs))
    }

    pub(super) async fn repair(
        &self,
        context: &EffectContext,
        items: &[String],
        from: Digest,
    ) -> Result<EffectResult, PerformError> {
        let tree = self.tree(context, from).await?;
        let request = "Fix exactly these, with the smallest change, and nothing else.";
        let answered =
            self.build(context, Key::Repair, Phase::Repair, &tree, request, items.to_vec()).await?;
        let (answered, next, blobs) = answered;
        let allowed: Vec<&String> =
            context.data.plan.iter().flat_map(|(_, planned)| &planned.cap.allowed).collect();
        let is_planned = |place: &&String| allowed.iter().any(|it| slice::is_below(place, it));
        // Reverting a cheat may touch files outside the plan, because the cheat did.
        let is_taken_back = |place: &&String| !next.changes.contains_key(*place);
        let outside = answered.changes.keys().filter(|it| !is_planned(it) && !is_taken_back(it));
        let report = Report::Repaired {
            tree: next.digest(),
            outside: outside.cloned().collect(),
            pass: gained(&answered),
        };
        Ok(EffectResult::machine(context, report).resting_on(blobs))
    }

    async fn build(
        &self,
        context: &EffectContext,
        key: Key,
        phase: Phase,
        tree: &Tree,
        request: &str,
        failures: Vec<String>,
    ) -> Result<(RoleAnswer<EditAnswer>, Tree, Vec<sealwright_store::BlobRef>), PerformError> {
        let contract = self.contract(context).await?;
        let mut brief = context.brief(Role::Builder, phase, &answers::edit_schema(), request);
        if !failures.is_empty() {
            let text = failures.join("\n");
            brief.quoted.push(Quoted { title: "what failed".to_owned(), text });
        }
        let folder = self.laid_out(context, tree).await?;
        let files = vec![
            given(InputKind::ModuleContract, "contract.md", contract.for_builder()),
            given(InputKind::AcceptanceCriteria, "criteria.md", context.criteria_text()),
        ];
        let spec = CallSpec::new(context, key, Some(Hand::Builds), files, brief);
        let answered: RoleAnswer<EditAnswer> = self.call_role(context, spec, Some(folder)).await?;
        let (next, mut blobs) = self.trees.after(&context.base, tree, &answered.changes).await?;
        blobs.push(self.trees.keep(&next).await?);
        blobs.push(self.keep(answered.text.to_string()).await?);
        Ok((answered, next, blobs))
    }

    async fn scout(
        &self,
        context: &EffectContext,
        unknowns: &[String],
        allowed: &[String],
    ) -> Result<Vec<NewFinding>, PerformError> {
        let finding = json!({
            "type": "object", "additionalProperties": false,
            "required": ["unknown", "source", "note", "certainty"],
            "properties": {
                "unknown": {"type": "integer", "minimum": 0}, "source": {"type": "string"},
                "note": {"type": "string"}, "certainty": {"enum": ["seen", "uncertain"]},
            },
        });
        let schema = json!({
            "type": "object", "additionalProperties": false, "required": ["findings"],
            "properties": {"findings": {"type": "array", "items": finding}},
        });
        let numbered: Vec<String> =
            unknowns.iter().enumerate().map(|(nth, text)| format!("{nth}. {text}")).collect();
        let request = format!(
            "Answer these questions, each with the place where the answer can be checked:\n{}",
            numbered.join("\n")
        );
        let mut brief = context.brief(Role::Scout, Phase::Implement, &schema, &request);
        brief.scope = allowed.to_vec();
        let tree = self.tree(context, context.data.tree.unwrap_or(Digest::ZERO)).await?;
        let folder = self.laid_out(context, &tree).await?;
        let files = Vec::new();
        let spec = CallSpec::new(context, Key::Scout, Some(Hand::Reads), files, brief);
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Scouted {
            findings: Vec<NewFinding>,
        }
        let answered: RoleAnswer<Scouted> = self.call_role(context, spec, Some(folder)).await?;
        Ok(answered.answer.findings)
    }

    async fn audit(&self, context: &EffectContext) -> Result<AuditReport, PerformError> {
        let text = || json!({"type": "array", "items": {"type": "string"}});
        let diagnosis = json!({
            "type": "object", "additionalProperties": false,
            "required": ["category", "evidence", "confidence"],
            "properties": {
                "category": {"type": "string"}, "evidence": {"type": "string"},
                "confidence": {"type": "integer", "minimum": 0, "maximum": 100},
            },
        });
        let schema = json!({
            "type": "object", "additionalProperties": false,
            "required": ["verdict", "mismatches", "diagnosis", "gaps", "risks", "validations"],
            "properties": {
                "verdict": {"enum": ["pass", "fail", "cannot_tell"]},
                "mismatches": text(), "gaps": text(), "risks": text(), "validations": text(),
                "diagnosis": {"type": "array", "items": diagnosis},
            },
        });
        let request = "Say why the slice is stuck, from its gate results. Prescribe nothing.";
        let brief = context.brief(Role::Auditor, Phase::Implement, &schema, request);
        let snapshot = context.data.slices.last().and_then(|slice| slice.snapshot());
        let files = vec![given(InputKind::Snapshot, "snapshot.json", json!(snapshot).to_string())];
        let spec = CallSpec::new(context, Key::Audit, None, files, brief);
        let answered: RoleAnswer<AuditReport> = self.call_role(context, spec, None).await?;
        Ok(answered.answer)
    }
}

/// A finding the scout saw becomes a fact; an uncertain one becomes a fact marked as such.
fn weighed(finding: &NewFinding, nth: u32) -> NewFact {
    let text = match finding.certainty {
        slice::Certainty::Seen => finding.note.clone(),
        slice::Certainty::Uncertain => format!("likely, not seen: {}", finding.note),
    };
    NewFact { kind: FactKind::KeyPlace, text, from: vec![nth] }
}

/// The plan of the frozen bundle, unchanged: nothing is planned that was not frozen.
fn plan(context: &EffectContext) -> Result<PlanAnswer, PerformError> {
    let slice = context.data.slices.last();
    let found = slice.and_then(|slice| Some((slice.charter()?, slice.snapshot()?)));
    let Some((charter, snapshot)) = found else { return Err(PerformError::NoTask) };
    let is_agreed = |kind| matches!(kind, FactKind::Criterion | FactKind::Constraint);
    let agreed = snapshot.consolidated.iter().filter(|fact| is_agreed(fact.kind));
    Ok(PlanAnswer::Grounded(Plan {
        change: charter.planned.sentence.clone(),
        cites: agreed.map(|fact| fact.id).collect(),
        places: charter.planned.cap.allowed.clone(),
        gate: charter.planned.gate_iteration.clone(),
    }))
}

fn last_fact(context: &EffectContext) -> Option<u32> {
    let snapshot = context.data.slices.last()?.snapshot()?;
    snapshot.consolidated.last().map(|fact| fact.id)
}

fn open_issues(context: &EffectContext) -> Vec<String> {
    let snapshot = context.data.slices.last().and_then(|slice| slice.snapshot());
    snapshot.map(|it| it.open.iter().map(|issue| issue.text.clone()).collect()).unwrap_or_default()
}

/// The progress of a pass, found by comparing trees.
fn gained<A>(answered: &RoleAnswer<A>) -> Pass {
    let progress = if answered.changes.is_empty() { vec![] } else { vec![Progress::Change] };
    Pass { progress, proposed_next: None }
}
