//! What each report to a slice leads to.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

use super::{
    AfterGate, Alarm, AuditReport, Charter, Claim, DETOURS_MAX, Edit, Event, Fact, FactKind,
    Finder, Finding, GATE_RUNS_MAX, GateKind, GateOutcome, GateRun, Issue, Need, NewFact,
    NewFinding, NextAction, Opener, Origin, Plan, PlanAnswer, Planned, Rejected, Resolved,
    ScopeCap, SliceData, Snapshot, SnapshotHeader, Stuck, is_below, is_inside_the_tree,
};
use crate::bounds::bounded;
use crate::task::Phase;
use crate::{EvidenceId, EvidenceRecord, Iteration};

/// What a consolidation weighs.
pub(super) enum Weighed<'a> {
    Findings(&'a [NewFinding]),
    Audit(&'a AuditReport),
}

impl Planned {
    /// Whether a slice can begin like this.
    pub fn check(&self) -> Result<(), Rejected> {
        let missing = [
            ("sentence", self.sentence.trim().is_empty()),
            ("criterion", self.criteria.iter().all(|it| it.trim().is_empty())),
            ("iteration gate", self.gate_iteration.trim().is_empty()),
            ("exit gate", self.gate_exit.trim().is_empty()),
        ];
        if let Some((missing, _)) = missing.into_iter().find(|(_, is_missing)| *is_missing) {
            return Err(Rejected::Incomplete { missing });
        }
        is_cap(&self.cap)?;
        bounded(self.places.len(), PLACES_MAX, "places")?;
        is_all_inside(&self.places)?;
        bounded(self.unknowns.len(), UNKNOWNS_MAX, "unknowns")?;
        Ok(bounded(self.criteria.len() + self.constraints.len(), FACTS_MAX / 2, "facts")?)
    }
}

/// The first snapshot: what was agreed, and nothing about the repository.
pub(super) fn begin(charter: &Charter) -> Result<Vec<Event>, Rejected> {
    let planned = &charter.planned;
    planned.check()?;
    let criteria = planned.criteria.iter().map(|it| (FactKind::Criterion, it));
    let constraints = planned.constraints.iter().map(|it| (FactKind::Constraint, it));
    let mut consolidated: Vec<Fact> = Vec::new();
    for (kind, text) in criteria.chain(constraints) {
        let id = consolidated.len() as u32 + 1;
        consolidated.push(Fact { id, kind, text: text.clone(), from: Origin::Intake });
    }
    let header = SnapshotHeader {
        iteration: Iteration::new(charter.parent.map_or(0, Iteration::number) + 1),
        parent: charter.parent,
        slice_id: charter.id,
        slice: planned.sentence.clone(),
        scope_cap: planned.cap.clone(),
        gate_iteration: planned.gate_iteration.clone(),
        gate_exit: planned.gate_exit.clone(),
        last_run: None,
        iteration_fails: 0,
        exit_fails: 0,
    };
    let snapshot =
        Snapshot { header, evidence: vec![], consolidated, open: vec![], resolved: vec![] };
    Ok(vec![Event::Begun { charter: charter.clone(), snapshot }])
}

impl SliceData {
    pub(super) fn scouted(
        &self,
        unknowns: &[String],
        captured: &[NewFinding],
        findings: &[NewFinding],
    ) -> Result<Vec<Event>, Rejected> {
        if !findings.is_empty() {
            self.has_room_for(captured.len() + findings.len())?;
        }
        for NewFinding { unknown, source, note, .. } in findings {
            if *unknown as usize >= unknowns.len() {
                return Err(Rejected::UnknownUnknown { unknown: *unknown });
            }
            if source.trim().is_empty() || note.trim().is_empty() {
                return Err(Rejected::EmptyFinding);
            }
        }
        let cap = &self.snapshot.header.scope_cap;
        if let Some(stray) = findings.iter().find(|finding| !cap.holds(&finding.source)) {
            let source = stray.source.clone();
            let last = format!("a scout left the cap for {source}");
            return Ok(self.detour(Event::LeftCap { source }, last));
        }
        Ok(vec![Event::Captured { findings: findings.to_vec() }])
    }

    pub(super) fn consolidated(
        &self,
        weighed: Weighed<'_>,
        facts: &[NewFact],
        gaps: &[String],
    ) -> Result<Vec<Event>, Rejected> {
        let mut snapshot = self.next_snapshot();
        let (found, by, opener) = match weighed {
            Weighed::Findings(findings) => (findings.to_vec(), Finder::Scout, Opener::Planning),
            Weighed::Audit(report) => (report.findings(), Finder::Auditor, Opener::Audit),
        };
        // What was captured was bounded then; an answer that adds nothing is always taken.
        if !facts.is_empty() {
            bounded(facts.len() + snapshot.consolidated.len(), FACTS_MAX, "facts")?;
        }
        if !gaps.is_empty() {
            bounded(gaps.len() + snapshot.open.len(), ISSUES_MAX, "issues")?;
        }
        let first_new = snapshot.next_finding();
        for NewFinding { source, snippet, note, certainty, .. } in found {
            let id = snapshot.next_finding();
            snapshot.evidence.push(Finding { id, by, source, snippet, note, certainty });
        }
        for NewFact { kind, text, from } in facts {
            // What an auditor says, or what nobody saw, is provenance and no knowledge.
            let is_known =
                |it: &Finding| it.certainty == super::Certainty::Seen && it.by != Finder::Auditor;
            let is_there = |id: &u32| snapshot.finding(*id).is_some_and(is_known);
            bounded(from.len(), FACTS_MAX, "findings behind a fact")?;
            // What was agreed and how gates ended is not a role's to say.
            let is_reserved = matches!(kind, FactKind::Criterion | FactKind::GateResult);
            if from.is_empty()
                || !from.iter().all(is_there)
                || text.trim().is_empty()
                || is_reserved
            {
                return Err(Rejected::Unfounded { fact: text.chars().take(60).collect() });
            }
            let id = snapshot.next_fact();
            let from = Origin::Evidence(from.clone());
            snapshot.consolidated.push(Fact { id, kind: *kind, text: text.clone(), from });
        }
        // A question is closed by the first new finding that became knowledge.
        let closed_by = facts.iter().flat_map(|fact| &fact.from).find(|id| **id >= first_new);
        if let Some(closed_by) = closed_by {
            snapshot.close(Opener::Planning, *closed_by);
        }
        for gap in gaps {
            snapshot.issue(gap.clone(), NextAction::Rescout, opener);
        }
        Ok(vec![Event::Consolidated { snapshot }])
    }

    pub(super) fn planned(&self, answer: &PlanAnswer) -> Result<Vec<Event>, Rejected> {
        match answer {
            PlanAnswer::Grounded(plan) => {
                self.is_grounded(plan)?;
                Ok(vec![Event::Planned { plan: plan.clone() }])
            }
            PlanAnswer::FactMissing { unknown } => self.fact_missing(unknown),
            PlanAnswer::CapTooNarrow { cap, because } => self.cap_too_narrow(cap, because),
        }
    }

    /// The builder lacks something: scouts look for it, or a person mends the contract.
    pub(super) fn blocked(&self, need: &Need) -> Result<Vec<Event>, Rejected> {
        match need {
            Need::Fact { unknown } => self.fact_missing(unknown),
            Need::Cap { cap, because } => self.cap_too_narrow(cap, because),
            Need::Contract { what } => {
                said(what)?;
                Ok(vec![escalated(Stuck::ContractGap { what: what.clone() })])
            }
        }
    }

    fn fact_missing(&self, unknown: &str) -> Result<Vec<Event>, Rejected> {
        said(unknown)?;
        let mut snapshot = self.next_snapshot();
        bounded(snapshot.open.len() + 1, ISSUES_MAX, "issues")?;
        snapshot.issue(unknown.to_string(), NextAction::Rescout, Opener::Planning);
        let last = format!("a fact is missing: {unknown}");
        Ok(self.detour(Event::FactMissing { unknown: unknown.to_string(), snapshot }, last))
    }

    fn cap_too_narrow(&self, cap: &ScopeCap, because: &str) -> Result<Vec<Event>, Rejected> {
        said(because)?;
        is_cap(cap)?;
        let mut snapshot = self.next_snapshot();
        snapshot.header.scope_cap = cap.clone();
        let last = format!("the cap is too narrow: {because}");
        Ok(self.detour(Event::CapRevised { because: because.to_string(), snapshot }, last))
    }

    pub(super) fn edited(&self, plan: &Plan, edit: &Edit) -> Result<Vec<Event>, Rejected> {
        bounded(edit.places.len(), EDITED_MAX, "places")?;
        if let Some(why) = edit.pass.is_wasted(Phase::Implement) {
            return Ok(vec![Event::Escalated { why: Stuck::NoProgress { why } }]);
        }
        let is_planned = |place: &String| plan.places.iter().any(|it| is_below(place, it));
        let strays = edit.places.iter().filter(|place| !is_planned(place));
        let outside: Vec<String> = strays.cloned().collect();
        if !outside.is_empty() {
            let last = format!("an edit left its plan: {}", outside.join(", "));
            return Ok(self.detour(Event::EditRefused { outside }, last));
        }
        Ok(vec![Event::Edited { tree: edit.tree, claim: edit.claim }])
    }

    pub(super) fn gate_ran(
        &self,
        gate: GateKind,
        claim: Claim,
        run: &GateRun,
    ) -> Result<Vec<Event>, Rejected> {
        run.evidence.supports(run.verdict, self.tree)?;
        bounded(run.failures.len() + run.unmet.len(), ISSUES_MAX / 4, "failures")?;
        bounded(run.cheats.len(), ISSUES_MAX / 4, "cheats")?;
        let Some(said) = GateOutcome::of(run.verdict) else {
            let why = run.failures.first().cloned();
            let why = why.unwrap_or_else(|| "the gate could not be run".to_string());
            let (evidence, snapshot) = self.untold(gate, run, &why);
            let ran = Event::GateRan { gate, evidence, snapshot, then: AfterGate::Over };
            return Ok(vec![ran, escalated(Stuck::CannotTell { why })]);
        };
        let is_clean = run.failures.is_empty() && run.unmet.is_empty() && run.cheats.is_empty();
        let outcome = match (said, is_clean) {
            (GateOutcome::Pass, true) => GateOutcome::Pass,
            (GateOutcome::Pass, false) | (GateOutcome::Fail, _) => GateOutcome::Fail,
        };
        let id = EvidenceId::new(self.charter.evidence_before + self.gate_runs + 1);
        let snapshot = self.judged(gate, outcome, run, id)?;
        let runs_left = self.gate_runs + 1 < GATE_RUNS_MAX;
        let is_same_surface = run.fingerprint == Some(self.charter.planned.fingerprint);
        let end = match (outcome, gate, snapshot.header.alarm()) {
            (GateOutcome::Pass, GateKind::Exit, _) if is_same_surface => {
                Some(Event::Delivered { tree: self.tree })
            }
            (GateOutcome::Pass, GateKind::Exit, _) => {
                Some(escalated(Stuck::InterfaceChanged { found: run.fingerprint }))
            }
            (GateOutcome::Fail, _, Alarm::Escalate) => {
                Some(escalated(Stuck::FailedInARow { gate }))
            }
            (_, _, _) if !runs_left => Some(escalated(Stuck::RunsUsedUp)),
            (GateOutcome::Pass, GateKind::Iteration, _) | (GateOutcome::Fail, _, _) => None,
        };
        let then = match (&end, outcome, snapshot.header.alarm(), claim) {
            (Some(_), _, _, _) => AfterGate::Over,
            (None, GateOutcome::Fail, Alarm::Audit, _) => AfterGate::AuditDue,
            (None, GateOutcome::Fail, Alarm::None | Alarm::Escalate, _) => AfterGate::Ladder,
            (None, GateOutcome::Pass, _, Claim::Ready) => AfterGate::ExitGate,
            (None, GateOutcome::Pass, _, Claim::MoreToDo) => AfterGate::Planning,
        };
        let evidence = self.record_of(id, gate, run);
        let ran = Event::GateRan { gate, evidence, snapshot, then };
        Ok([ran].into_iter().chain(end).collect())
    }

    /// Whether so many findings more can be kept.
    pub(super) fn has_room_for(&self, more: usize) -> Result<(), Rejected> {
        let most = FINDINGS_MAX + GATE_RUNS_MAX as usize;
        Ok(bounded(self.snapshot.evidence.len() + more, most, "findings")?)
    }

    /// Whether every fact that is cited is consolidated, and something is.
    pub(super) fn cites(&self, cited: &[u32]) -> Result<(), Rejected> {
        bounded(cited.len(), FACTS_MAX, "citations")?;
        if cited.is_empty() {
            return Err(Rejected::CitesNothing);
        }
        match cited.iter().find(|id| self.snapshot.fact(**id).is_none()) {
            Some(cited) => Err(Rejected::NotConsolidated { cited: *cited }),
            None => Ok(()),
        }
    }

    /// What a gate that reached no verdict leaves: its evidence, and a snapshot with the reason as an open issue. It
    /// counts neither as a pass nor as a failure.
    fn untold(&self, gate: GateKind, run: &GateRun, why: &str) -> (EvidenceRecord, Snapshot) {
        let id = EvidenceId::new(self.charter.evidence_before + self.gate_runs + 1);
        let mut snapshot = self.next_snapshot();
        let note = format!("the {} gate reached no verdict", gate.name());
        let finding = snapshot.next_finding();
        snapshot.evidence.push(Finding {
            id: finding,
            by: Finder::Gate(id),
            source: id.to_string(),
            snippet: String::new(),
            note,
            certainty: super::Certainty::Seen,
        });
        snapshot.issue(why.to_string(), NextAction::Fix, Opener::Gate(gate));
        (self.record_of(id, gate, run), snapshot)
    }

    fn record_of(&self, id: EvidenceId, gate: GateKind, run: &GateRun) -> EvidenceRecord {
        EvidenceRecord {
            id,
            subject: format!("{} {} gate", self.charter.id, gate.name()),
            verdict: run.verdict,
            evidence: run.evidence.clone(),
        }
    }

    /// The snapshot after a gate ran: outcome, counters, issues, and the result as a fact.
    fn judged(
        &self,
        gate: GateKind,
        outcome: GateOutcome,
        run: &GateRun,
        evidence: EvidenceId,
    ) -> Result<Snapshot, Rejected> {
        let mut snapshot = self.next_snapshot();
        let counted = self.snapshot.header.after_run(self.charter.id, gate, outcome);
        (snapshot.header.iteration_fails, snapshot.header.exit_fails) = counted;
        snapshot.header.last_run = Some((gate, outcome));
        let id = snapshot.next_finding();
        let note = format!("the {} gate ended in {}", gate.name(), outcome.name());
        snapshot.evidence.push(Finding {
            id,
            by: Finder::Gate(evidence),
            source: evidence.to_string(),
            snippet: String::new(),
            note: note.clone(),
            certainty: super::Certainty::Seen,
        });
        let fact = snapshot.next_fact();
        let from = Origin::Evidence(vec![id]);
        let text = format!("{note} ({evidence})");
        snapshot.consolidated.push(Fact { id: fact, kind: FactKind::GateResult, text, from });
        // The gate that opened an issue is the one whose pass closes it.
        match outcome {
            GateOutcome::Pass => snapshot.close(Opener::Gate(gate), id),
            GateOutcome::Fail => {
                snapshot.open.retain(|issue| issue.opened_by != Opener::Gate(gate));
                let unmet = run.unmet.iter().map(|it| format!("not met: {it}"));
                for text in run.failures.iter().cloned().chain(unmet) {
                    snapshot.issue(text, NextAction::Fix, Opener::Gate(gate));
                }
                if snapshot.open.is_empty() {
                    snapshot.issue(note, NextAction::Fix, Opener::Gate(gate));
                }
            }
        }
        Ok(snapshot)
    }

    fn is_grounded(&self, plan: &Plan) -> Result<(), Rejected> {
        self.cites(&plan.cites)?;
        said(&plan.change)?;
        bounded(plan.places.len(), PLACES_MAX, "places")?;
        let planned = &self.charter.planned;
        if plan.gate != planned.gate_iteration {
            return Err(Rejected::OtherGate { gate: planned.gate_iteration.clone() });
        }
        if plan.places.is_empty() {
            return Err(Rejected::NoPlace { place: String::new() });
        }
        is_all_inside(&plan.places)
    }

    /// A turn that leads to no gate run; after too many of them the slice is stuck.
    fn detour(&self, event: Event, last: String) -> Vec<Event> {
        if self.detours < DETOURS_MAX {
            return vec![event];
        }
        vec![escalated(Stuck::Detours { last })]
    }

    /// A copy of the latest snapshot, one further, with nothing resolved yet. The counters
    /// are copied: only a gate run changes them.
    fn next_snapshot(&self) -> Snapshot {
        let mut snapshot = self.snapshot.clone();
        let latest = snapshot.header.iteration;
        snapshot.header.iteration = Iteration::new(latest.number() + 1);
        snapshot.header.parent = Some(latest);
        snapshot.resolved = vec![];
        snapshot
    }
}

impl Snapshot {
    pub(super) fn next_finding(&self) -> u32 {
        self.evidence.last().map_or(0, |finding| finding.id) + 1
    }

    fn next_fact(&self) -> u32 {
        self.consolidated.last().map_or(0, |fact| fact.id) + 1
    }

    fn issue(&mut self, text: String, next: NextAction, opened_by: Opener) {
        self.open.push(Issue { text, next, opened_by });
    }

    fn close(&mut self, opener: Opener, closed_by: u32) {
        let (closed, open) =
            self.open.drain(..).partition::<Vec<_>, _>(|issue| issue.opened_by == opener);
        self.open = open;
        let resolved = |issue: Issue| Resolved { text: issue.text, closed_by };
        self.resolved.extend(closed.into_iter().map(resolved));
    }
}

fn said(text: &str) -> Result<(), Rejected> {
    if text.trim().is_empty() {
        return Err(Rejected::Incomplete { missing: "reason" });
    }
    Ok(bounded(text.len(), TEXT_BYTES_MAX, "bytes")?)
}

fn is_cap(cap: &ScopeCap) -> Result<(), Rejected> {
    bounded(cap.allowed.len() + cap.excluded.len(), PLACES_MAX, "places")?;
    if cap.allowed.is_empty() || cap.sentence.trim().is_empty() {
        return Err(Rejected::Incomplete { missing: "scope cap" });
    }
    let whole_tree = |place: &&String| place.as_str() != ".";
    let listed: Vec<String> =
        cap.allowed.iter().chain(&cap.excluded).filter(whole_tree).cloned().collect();
    is_all_inside(&listed)
}

fn is_all_inside(places: &[String]) -> Result<(), Rejected> {
    match places.iter().find(|place| !is_inside_the_tree(place.trim_end_matches('/'))) {
        Some(place) => Err(Rejected::NoPlace { place: place.chars().take(60).collect() }),
        None => Ok(()),
    }
}

fn escalated(why: Stuck) -> Event {
    Event::Escalated { why }
}

/// How many findings a slice may hold, beside those of its gates.
const FINDINGS_MAX: usize = 512;
const FACTS_MAX: usize = 256;
const ISSUES_MAX: usize = 256;
const UNKNOWNS_MAX: usize = 64;
const PLACES_MAX: usize = 256;
/// The files of one edit. Their names fit into a record.
const EDITED_MAX: usize = 5_000;
const TEXT_BYTES_MAX: usize = 4_096;
