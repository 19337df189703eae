//! Building: what a slice owes. Where there is nothing to find out or to weigh, nobody is asked.

use sealwright_agents::Quoted;
use sealwright_kernel::pack::Input as Given;
use sealwright_kernel::slice::{
    self, AuditReport, Claim, Edit, FactKind, NewFact, NewFinding, Pass, Plan, PlanAnswer,
    Progress, Rung, Want,
};
use sealwright_kernel::task::Report;
use sealwright_kernel::{Digest, Phase, Role};
use sealwright_sandbox::view::Hand;
use serde::Deserialize;
use serde_json::json;

use super::answers::{self, EditAnswer};
use super::cast::{Cast, Key};
use super::shaping::given;
use super::stage::{Played, Scene};
use super::{Case, Trouble, Work, Workshop};
use crate::trees::Tree;

impl<C: Cast> Workshop<C> {
    pub(super) async fn slice(&self, case: &Case, effect: &slice::Effect) -> Result<Work, Trouble> {
        let id = case.id.clone();
        let input = match &effect.want {
            Want::Scout { unknowns, .. } if unknowns.is_empty() => {
                slice::Input::Scouted { effect: id, findings: Vec::new() }
            }
            Want::Scout { unknowns, cap } => {
                let findings = self.scout(case, unknowns, &cap.allowed).await?;
                slice::Input::Scouted { effect: id, findings }
            }
            Want::Consolidate { captured, first } => {
                let facts = captured.iter().zip(*first..).map(|(it, nth)| weighed(it, nth));
                slice::Input::Consolidated { effect: id, facts: facts.collect(), gaps: Vec::new() }
            }
            Want::Plan => slice::Input::Planned { effect: id, answer: plan(case)? },
            Want::Edit { plan, tree } => return self.edit(case, plan, *tree).await,
            Want::RunGate { gate, tree, .. } => return self.run_gate(case, *gate, *tree).await,
            Want::Audit => slice::Input::Audited { effect: id, report: self.audit(case).await? },
            Want::ChooseRung => {
                let because = last_fact(case).into_iter().collect();
                slice::Input::RungChosen { effect: id, rung: Rung::FixForward, because }
            }
        };
        Ok(Work::slice(input))
    }

    async fn edit(&self, case: &Case, plan: &Plan, from: Digest) -> Result<Work, Trouble> {
        let tree = self.tree(case, from).await?;
        let failures = open_issues(case);
        let played = self.build(case, Key::Edit, Phase::Implement, &tree, &plan.change, failures);
        let (played, next, blobs) = played.await?;
        let places: Vec<String> = played.changes.keys().cloned().collect();
        let claim = if played.answer.ready { Claim::Ready } else { Claim::MoreToDo };
        let edit = Edit { tree: next.digest(), places, claim, pass: gained(&played) };
        let input = slice::Input::Edited { effect: case.id.clone(), edit };
        Ok(Work::slice(input).resting_on(blobs))
    }

    pub(super) async fn repair(
        &self,
        case: &Case,
        items: &[String],
        from: Digest,
    ) -> Result<Work, Trouble> {
        let tree = self.tree(case, from).await?;
        let request = "Mend exactly these, with the smallest change, and nothing else.";
        let played =
            self.build(case, Key::Repair, Phase::Repair, &tree, request, items.to_vec()).await?;
        let (played, next, blobs) = played;
        let allowed: Vec<&String> =
            case.known.plan.iter().flat_map(|(_, planned)| &planned.cap.allowed).collect();
        let is_planned = |place: &&String| allowed.iter().any(|it| slice::is_below(place, it));
        // A cheat that is taken back lies outside the plan, and so did the cheat.
        let is_taken_back = |place: &&String| !next.changes.contains_key(*place);
        let outside = played.changes.keys().filter(|it| !is_planned(it) && !is_taken_back(it));
        let report = Report::Repaired {
            tree: next.digest(),
            outside: outside.cloned().collect(),
            pass: gained(&played),
        };
        Ok(Work::machine(case, report).resting_on(blobs))
    }

    async fn build(
        &self,
        case: &Case,
        key: Key,
        phase: Phase,
        tree: &Tree,
        request: &str,
        failures: Vec<String>,
    ) -> Result<(Played<EditAnswer>, Tree, Vec<sealwright_store::BlobRef>), Trouble> {
        let contract = self.contract(case).await?;
        let mut brief = case.brief(Role::Builder, phase, &answers::edit_schema(), request);
        if !failures.is_empty() {
            let text = failures.join("\n");
            brief.quoted.push(Quoted { title: "what failed".to_owned(), text });
        }
        let folder = self.laid_out(case, tree).await?;
        let files = vec![
            given(Given::ModuleContract, "contract.md", contract.contract.clone()),
            given(Given::AcceptanceCriteria, "criteria.md", case.criteria_text()),
        ];
        let scene = Scene::new(case, key, Some(Hand::Builds), files, brief);
        let played: Played<EditAnswer> = self.play(case, scene, Some(folder)).await?;
        let (next, mut blobs) = self.trees.after(&case.base, tree, &played.changes).await?;
        blobs.push(self.trees.keep(&next).await?);
        blobs.push(self.keep(played.text.to_string()).await?);
        Ok((played, next, blobs))
    }

    async fn scout(
        &self,
        case: &Case,
        unknowns: &[String],
        allowed: &[String],
    ) -> Result<Vec<NewFinding>, Trouble> {
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
            "Find these out, each with the place it can be checked at:\n{}",
            numbered.join("\n")
        );
        let mut brief = case.brief(Role::Scout, Phase::Implement, &schema, &request);
        brief.scope = allowed.to_vec();
        let tree = self.tree(case, case.known.tree.unwrap_or(Digest::ZERO)).await?;
        let folder = self.laid_out(case, &tree).await?;
        let files = Vec::new();
        let scene = Scene::new(case, Key::Scout, Some(Hand::Reads), files, brief);
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Scouted {
            findings: Vec<NewFinding>,
        }
        let played: Played<Scouted> = self.play(case, scene, Some(folder)).await?;
        Ok(played.answer.findings)
    }

    async fn audit(&self, case: &Case) -> Result<AuditReport, Trouble> {
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
        let request = "Say why the slice is stuck, from what its gates said. Prescribe nothing.";
        let brief = case.brief(Role::Auditor, Phase::Implement, &schema, request);
        let snapshot = case.known.slices.last().and_then(|slice| slice.snapshot());
        let files = vec![given(Given::Snapshot, "snapshot.json", json!(snapshot).to_string())];
        let scene = Scene::new(case, Key::Audit, None, files, brief);
        let played: Played<AuditReport> = self.play(case, scene, None).await?;
        Ok(played.answer)
    }
}

/// What a scout saw is known from now on; what it only thinks likely is known as such.
fn weighed(finding: &NewFinding, nth: u32) -> NewFact {
    let text = match finding.certainty {
        slice::Certainty::Seen => finding.note.clone(),
        slice::Certainty::Uncertain => format!("likely, not seen: {}", finding.note),
    };
    NewFact { kind: FactKind::KeyPlace, text, from: vec![nth] }
}

/// The plan of the frozen bundle, as it stands: nothing is planned that nobody froze.
fn plan(case: &Case) -> Result<PlanAnswer, Trouble> {
    let slice = case.known.slices.last();
    let found = slice.and_then(|slice| Some((slice.charter()?, slice.snapshot()?)));
    let Some((charter, snapshot)) = found else { return Err(Trouble::NoTask) };
    let is_agreed = |kind| matches!(kind, FactKind::Criterion | FactKind::Constraint);
    let agreed = snapshot.consolidated.iter().filter(|fact| is_agreed(fact.kind));
    Ok(PlanAnswer::Grounded(Plan {
        change: charter.planned.sentence.clone(),
        cites: agreed.map(|fact| fact.id).collect(),
        places: charter.planned.cap.allowed.clone(),
        gate: charter.planned.gate_iteration.clone(),
    }))
}

fn last_fact(case: &Case) -> Option<u32> {
    let snapshot = case.known.slices.last()?.snapshot()?;
    snapshot.consolidated.last().map(|fact| fact.id)
}

fn open_issues(case: &Case) -> Vec<String> {
    let snapshot = case.known.slices.last().and_then(|slice| slice.snapshot());
    snapshot.map(|it| it.open.iter().map(|issue| issue.text.clone()).collect()).unwrap_or_default()
}

/// What a pass gained, found out by comparing.
fn gained<A>(played: &Played<A>) -> Pass {
    let progress = if played.changes.is_empty() { vec![] } else { vec![Progress::Change] };
    Pass { progress, proposed_next: None }
}
