//! Performs the effects of a slice. If there is nothing to find out or to evaluate, no agent is called.

use sealwright_kernel::task::slice::{
    self, AuditReport, Claim, Edit, FactKind, Finder, Finding, Issue, NewFact, NewFinding, Opener,
    Pass, Plan, PlanAnswer, Progress, Rung, ScopeCap, Want,
};
use sealwright_kernel::task::{Phase, Report};
use sealwright_kernel::{Digest, TreePath};
use sealwright_sandbox::view::Cap;
use sealwright_store::BlobRef;
use serde::de::DeserializeOwned;

use crate::role_calls::{
    APPROACH, AUDIT, Amendment, EDIT, EditAnswer, Need, OptionalText, REPAIR, ResidueAnswer, SCOUT,
    ScoutAnswer, prescribes_nothing,
};
use crate::task_store::TaskStore;

use super::agent_caller::AgentCaller;
use super::call::{CallSpec, RoleAnswer};
use super::companions::companions;
use super::{EffectContext, EffectResult, PerformError, PerformResult, TaskPerformer};
use sealwright_repo::trees::{Changes, Tree};

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    pub(super) async fn slice(
        &self,
        context: &EffectContext,
        effect: &slice::Effect,
    ) -> PerformResult {
        let id = context.id.clone();
        let input = match &effect.want {
            Want::Scout { unknowns, .. } if unknowns.is_empty() => {
                slice::Input::Scouted { effect: id, findings: Vec::new() }
            }
            Want::Scout { unknowns, cap } => {
                let findings = self.scout(context, unknowns, cap).await?;
                slice::Input::Scouted { effect: id, findings }
            }
            Want::Consolidate { captured, first } => {
                let (facts, gaps) = consolidated(context, captured, *first);
                slice::Input::Consolidated { effect: id, facts, gaps }
            }
            Want::Plan => slice::Input::Planned { effect: id, answer: plan(context)? },
            Want::Edit { plan, tree } => return self.edit(context, plan, *tree).await,
            Want::RunGate { gate, tree, .. } => return self.run_gate(context, *gate, *tree).await,
            Want::Audit => slice::Input::Audited { effect: id, report: self.audit(context).await? },
            Want::ChooseRung => {
                let (rung, because) = rung(context);
                slice::Input::RungChosen { effect: id, rung, because }
            }
        };
        Ok(EffectResult::slice(input))
    }

    async fn edit(&self, context: &EffectContext, plan: &Plan, from: Digest) -> PerformResult {
        let tree = self.tree(context, from).await?;
        let mut spec = CallSpec::new(context, EDIT);
        let beside = companions(&context.base);
        let (beside, places): (Vec<&str>, Vec<&str>) = plan
            .places
            .iter()
            .map(String::as_str)
            .partition(|it| beside.iter().any(|one| one == it));
        let mut asked = format!("The change: {}\nIn: {}", plan.change, places.join(", "));
        if !beside.is_empty() {
            asked.push_str(&format!("\nDocuments and new tests also in: {}", beside.join(", ")));
        }
        spec.ask(&asked);
        spec.give("snapshot.md", snapshot_text(context));
        let failed = open_issues(context);
        if !failed.is_empty() {
            spec.quote("what failed", failed.join("\n"));
        }
        let built: (RoleAnswer<EditAnswer>, _, _) = self.build(context, spec, &tree).await?;
        let (answered, next, blobs) = built;
        let effect = context.id.clone();
        if let Some(need) = answered.answer.need() {
            let input = slice::Input::Blocked { effect, need: context.need(need) };
            return Ok(EffectResult::slice(input).resting_on(blobs));
        }
        let places: Vec<String> = answered.changes.keys().cloned().collect();
        let claim = if answered.answer.ready { Claim::Ready } else { Claim::MoreToDo };
        let EditAnswer { next: proposed, residue, lessons, .. } = answered.answer;
        let pass = pass(&answered.changes, proposed, residue, lessons)?;
        let edit = Edit { tree: next.digest(), places, claim, pass };
        let input = slice::Input::Edited { effect, edit };
        Ok(EffectResult::slice(input).resting_on(blobs))
    }

    pub(super) async fn repair(
        &self,
        context: &EffectContext,
        items: &[String],
        from: Digest,
    ) -> PerformResult {
        let tree = self.tree(context, from).await?;
        let mut spec = CallSpec::new(context, REPAIR);
        let text = items.join("\n");
        // A person and an arbiter decide; what failed is data that may quote anything.
        match (context.data.is_sent_back_by_person, context.data.amendments.is_empty()) {
            (true, _) => spec.instruct("a person sent the change back", text),
            (false, false) => spec.instruct("apply these amendments", text),
            (false, true) => spec.quote("what failed", text),
        }
        let built: (RoleAnswer<EditAnswer>, _, _) = self.build(context, spec, &tree).await?;
        let (answered, next, blobs) = built;
        if let Some(need) = answered.answer.need() {
            return Err(PerformError::Impossible { why: need.to_string() });
        }
        let amended = context.data.amendments.iter().filter_map(|it| Amendment::parse(it));
        let amended: Vec<String> = amended.map(|it| it.path().to_owned()).collect();
        let beside = companions(&context.base);
        // The work was judged before it was amended, and nobody judges it again: only what was amended may change.
        let allowed: Vec<&String> = if amended.is_empty() {
            context.places().chain(&beside).collect()
        } else {
            amended.iter().collect()
        };
        let is_planned = |place: &&String| allowed.iter().any(|it| slice::is_below(place, it));
        // Reverting a cheat may touch files outside the plan, because the cheat did.
        let is_taken_back = |place: &&String| !next.changes.contains_key(*place);
        let outside = answered.changes.keys().filter(|it| !is_planned(it) && !is_taken_back(it));
        let outside = outside.cloned().collect();
        let EditAnswer { next: proposed, residue, lessons, .. } = answered.answer;
        let pass = pass(&answered.changes, proposed, residue, lessons)?;
        let report = Report::Repaired { tree: next.digest(), outside, pass };
        Ok(EffectResult::machine(context, report).resting_on(blobs))
    }

    /// Calls a role that changes the tree.
    async fn build<A: DeserializeOwned>(
        &self,
        context: &EffectContext,
        mut spec: CallSpec,
        tree: &Tree,
    ) -> PerformResult<(RoleAnswer<A>, Tree, Vec<BlobRef>)> {
        spec.give_contract(context, &self.contract(context).await?);
        let folder = self.laid_out(context, tree).await?;
        let answered: RoleAnswer<A> = self.call_role(context, spec, Some(folder)).await?;
        let (next, mut blobs) = self.trees.after(&context.base, tree, &answered.changes).await?;
        blobs.push(self.trees.keep(&next).await?);
        blobs.push(self.keep(answered.text.to_string()).await?);
        Ok((answered, next, blobs))
    }

    async fn scout(
        &self,
        context: &EffectContext,
        unknowns: &[String],
        cap: &ScopeCap,
    ) -> PerformResult<Vec<NewFinding>> {
        let mut spec = CallSpec::new(context, SCOUT);
        let numbered: Vec<String> =
            unknowns.iter().enumerate().map(|(nth, text)| format!("{nth}. {text}")).collect();
        spec.ask(&numbered.join("\n"));
        spec.brief.scope.clone_from(&cap.allowed);
        let tree = self.tree(context, context.data.tree.unwrap_or(Digest::ZERO)).await?;
        let is_seen = |path: &&str| cap.holds(path);
        let seen = tree.leaves(&context.base).map(|(path, _)| path).filter(is_seen);
        spec.cap = Cap::Only(seen.filter_map(|path| TreePath::new(path).ok()).collect());
        spec.is_usable = Box::new(prescribes_nothing);
        let folder = self.laid_out(context, &tree).await?;
        let answered: RoleAnswer<ScoutAnswer> = self.call_role(context, spec, Some(folder)).await?;
        Ok(answered.answer.findings)
    }

    async fn audit(&self, context: &EffectContext) -> PerformResult<AuditReport> {
        let mut spec = CallSpec::new(context, AUDIT);
        spec.give("snapshot.md", snapshot_text(context));
        spec.is_usable = Box::new(prescribes_nothing);
        let answered: RoleAnswer<AuditReport> = self.call_role(context, spec, None).await?;
        Ok(answered.answer)
    }
}

impl EffectContext {
    /// What the builder lacks, as the slice takes it.
    fn need(&self, need: Need) -> slice::Need {
        match need {
            Need::Fact { unknown } => slice::Need::Fact { unknown },
            Need::Contract { what } => slice::Need::Contract { what },
            Need::Places { because, places } => {
                let snapshot = self.data.slices.last().and_then(|slice| slice.snapshot());
                let cap = snapshot.map(|snapshot| snapshot.header.scope_cap.clone());
                let mut cap = cap.unwrap_or(ScopeCap {
                    sentence: String::new(),
                    allowed: Vec::new(),
                    excluded: Vec::new(),
                });
                cap.allowed.extend(places);
                cap.sentence = format!("look in {}", cap.allowed.join(", "));
                slice::Need::Cap { cap, because }
            }
        }
    }
}

/// What becomes known, and what stays open: a fact is what a scout saw. A question to which nobody saw an answer, and
/// what an auditor misses, stays open. The words of an auditor are no facts.
fn consolidated(
    context: &EffectContext,
    captured: &[NewFinding],
    first: u32,
) -> (Vec<NewFact>, Vec<String>) {
    match context.data.slices.last().map(|slice| slice.state()) {
        Some(slice::State::AuditConsolidating { report }) => (Vec::new(), report.gaps.clone()),
        _ => {
            let is_seen = |it: &&NewFinding| it.certainty == slice::Certainty::Seen;
            let numbered = captured.iter().zip(first..);
            let facts = numbered.filter(|(it, _)| is_seen(it)).map(|(it, nth)| NewFact {
                kind: FactKind::KeyPlace,
                text: it.note.clone(),
                from: vec![nth],
            });
            let unseen = captured.iter().filter(|it| {
                !captured.iter().filter(is_seen).any(|seen| seen.unknown == it.unknown)
            });
            let gaps = unseen.map(|it| format!("nobody saw: {} ({})", it.note, it.source));
            (facts.collect(), gaps.collect())
        }
    }
}

/// The way on after a failed gate. What an audit of this slice found out decides; without one, or if it found something
/// local, what failed is fixed.
fn rung(context: &EffectContext) -> (Rung, Vec<u32>) {
    let Some(snapshot) = context.data.slices.last().and_then(|slice| slice.snapshot()) else {
        return (Rung::FixForward, Vec::new());
    };
    let because = snapshot.consolidated.last().map(|fact| fact.id).into_iter().collect();
    let is_gap = |issue: &Issue| issue.opened_by == Opener::Audit;
    let audited = snapshot.evidence.iter().rev().filter(|it| it.by == Finder::Auditor);
    let is_approach = |it: &Finding| it.note.starts_with(APPROACH);
    let rung = if snapshot.open.iter().any(is_gap) {
        Rung::Rescout
    } else if audited.into_iter().any(is_approach) {
        Rung::Replan
    } else {
        Rung::FixForward
    };
    (rung, because)
}

fn open_issues(context: &EffectContext) -> Vec<String> {
    let snapshot = context.data.slices.last().and_then(|slice| slice.snapshot());
    snapshot.map(|it| it.open.iter().map(|issue| issue.text.clone()).collect()).unwrap_or_default()
}

/// The latest snapshot, and nothing older: all that a role needs to go on.
fn snapshot_text(context: &EffectContext) -> String {
    let snapshot = context.data.slices.last().and_then(|slice| slice.snapshot());
    snapshot.map(sealwright_views::snapshot).unwrap_or_default()
}

/// What a role gained, found by comparing trees, and what it says beside that.
fn pass(
    changes: &Changes,
    proposed: OptionalText,
    residue: Vec<ResidueAnswer>,
    lessons: Vec<String>,
) -> Result<Pass, PerformError> {
    let progress = if changes.is_empty() { vec![] } else { vec![Progress::Change] };
    let proposed = proposed.into_option();
    let is_named = |phase: &Phase| proposed.as_deref() == Some(phase.name());
    let proposed_next = Phase::ALL.into_iter().find(is_named);
    let residue = residue.into_iter().map(Into::into).collect();
    Ok(Pass { progress, proposed_next, residue, lessons })
}

/// The plan of the frozen bundle, with documents and folders of tests beside its places.
fn plan(context: &EffectContext) -> PerformResult<PlanAnswer> {
    let slice = context.data.slices.last();
    let found = slice.and_then(|slice| Some((slice.charter()?, slice.snapshot()?)));
    let Some((charter, snapshot)) = found else { return Err(PerformError::NoTask) };
    let is_agreed = |kind| matches!(kind, FactKind::Criterion | FactKind::Constraint);
    let agreed = snapshot.consolidated.iter().filter(|fact| is_agreed(fact.kind));
    let places = charter.planned.places().iter().cloned();
    Ok(PlanAnswer::Grounded(Plan {
        change: charter.planned.sentence.clone(),
        cites: agreed.map(|fact| fact.id).collect(),
        places: places.chain(companions(&context.base)).collect(),
        gate: charter.planned.gate_iteration.clone(),
    }))
}
