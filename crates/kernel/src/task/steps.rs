//! How a task decides on each report.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

use super::charter::is_commit_name;
use super::escalation::{Cause, Escalation, HaltContext};
use super::slice::{self, Pass, Slice};
use super::{
    Adjudication, Bundle, Challenge, Completion, Compliance, DRAFTS_MAX, Event, Frame, Freeze,
    GateRecord, Guarded, HEALS_MAX, MILD_MAX, Membership, Missing, Phase, Probe, ProbeResult,
    RECEIPTS_MAX, REVISIONS_MAX, Receipt, RecordOwner, Rejected, Report, Residue, ResidueKind,
    SentBackBy, ShipRefusal, Stage, TaskData, VERIFY_FAILS_MAX, Want,
};
use crate::bounds::bounded;
use crate::owner::{self, Completeness, Gate, Guard, Mode, Owner, Situation, gate_owner};
use crate::{
    Cheat, Digest, EffectId, EscalationId, Evidence, EvidenceId, EvidenceRecord, Machine as _,
    Role, SliceId, Verdict,
};

type Decided = Result<Vec<Event>, Rejected>;

pub(super) fn dispatch() -> Vec<Event> {
    vec![Event::Dispatched, entered(Phase::Intake)]
}

impl TaskData {
    /// A project says where the work of its task starts, as long as nothing has begun.
    pub(super) fn based(&self, commit: &str) -> Decided {
        match self.charter.belongs {
            Membership::Alone => Err(Rejected::NotPending),
            Membership::Project if self.charter.base.as_deref() == Some(commit) => {
                Err(Rejected::Known)
            }
            Membership::Project if is_commit_name(commit) => {
                Ok(vec![Event::Based { commit: commit.to_string() }])
            }
            Membership::Project => {
                Err(Rejected::Charter { why: "the base is not a full commit id" })
            }
        }
    }
}

/// The item that is decided when a halt is resolved.
pub(super) fn item_of(escalation: &EscalationId) -> Digest {
    Digest::of(escalation.as_str().as_bytes())
}

impl TaskData {
    /// All probes that a candidate must pass to be verified.
    pub(super) fn probes(&self) -> Vec<Probe> {
        let lane = self.charter.header.lane(self.charter.lane);
        let checks = self.charter.checks.iter().cloned().map(Probe::Check);
        let readers = lane.duties().readers.iter().copied().map(Probe::Read);
        [Probe::Tripwire].into_iter().chain(checks).chain(readers).collect()
    }

    /// What resolutions are possible now.
    pub(super) fn halt_context(&self) -> HaltContext {
        let is_fresh = self.verified.is_some() && self.verified == self.tree;
        HaltContext {
            has_bundle: self.bundle.is_some(),
            is_verifiable: self.guarded.is_some() && self.frozen.is_some() && self.tree.is_some(),
            is_acceptable: is_fresh
                && self.frozen.is_some()
                && self.charter.header.is_guarded() == Guard::Kept,
            is_of_project: self.charter.belongs == Membership::Project,
        }
    }

    pub(super) fn reported(
        &self,
        stage: &Stage,
        want: &Want,
        effect: &EffectId,
        report: &Report,
    ) -> Decided {
        let tree = self.tree.unwrap_or(Digest::ZERO);
        match (stage, report) {
            (Stage::Pending, Report::Leased) => Ok(dispatch()),
            (Stage::Intake, Report::Framed { frame, pass }) => self.framed(frame, pass),
            (Stage::Drafting { .. }, Report::Shaped { bundle, pass }) => self.shaped(bundle, pass),
            (Stage::WritingTests { .. }, Report::TestsWritten { tests, tree }) => {
                Ok(vec![Event::TestsWritten { tests: *tests, tree: *tree }])
            }
            (Stage::RedRun { tests, tree }, Report::RedRan { evidence, verdict, green }) => {
                self.red_ran(*tests, *tree, evidence, *verdict, green)
            }
            (Stage::Intake, Report::Impossible { why }) => {
                // Intake has no way out but shape; a halt goes through it.
                let halted = self.halt(Phase::Shape, Cause::Impossible { why: cut(why) });
                Ok([entered(Phase::Shape)].into_iter().chain(halted).collect())
            }
            (
                Stage::Drafting { .. }
                | Stage::WritingTests { .. }
                | Stage::RedRun { .. }
                | Stage::ApplyingFix { .. }
                | Stage::Probing { .. }
                | Stage::Repair,
                Report::Impossible { why },
            ) => {
                let from = stage.phase().unwrap_or(Phase::Shape);
                Ok(self.halt(from, Cause::Impossible { why: cut(why) }))
            }
            (
                Stage::Challenging
                | Stage::Adjudicating
                | Stage::CheckingAmendments
                | Stage::Shipping,
                Report::Impossible { why },
            ) => Ok(self.halt(Phase::Review, Cause::CannotReview { why: cut(why) })),
            (Stage::ApplyingFix { .. }, Report::FixApplied { tree }) => {
                Ok(vec![Event::FixApplied { tree: *tree }])
            }
            (Stage::Probing { results }, Report::Probed { result }) => {
                let Want::Probe { probe, .. } = want else {
                    return Err(Rejected::NoAnswer { effect: effect.clone() });
                };
                self.probed(results, probe, result)
            }
            (Stage::Challenging, Report::Challenged { challenge }) => {
                self.challenged(tree, challenge)
            }
            (Stage::Adjudicating, Report::Adjudicated { evidence, decision }) => {
                self.adjudicated(tree, evidence, decision)
            }
            (
                Stage::CheckingAmendments,
                Report::AmendmentsChecked { evidence, verdict, missing },
            ) => self.amendments_checked(tree, evidence, *verdict, missing),
            (Stage::Repair, Report::Repaired { tree, outside, pass }) => {
                self.repaired(*tree, outside, pass)
            }
            (Stage::Shipping, Report::Shipped { tree: shipped }) => {
                if Some(*shipped) != self.verified {
                    return Err(Rejected::OtherTree);
                }
                Ok(vec![Event::Shipped { tree: *shipped }, entered(Phase::Done)])
            }
            (Stage::Shipping, Report::ShipRefused { why }) => Ok(self.ship_refused(why)),
            (
                _,
                Report::Leased
                | Report::Framed { .. }
                | Report::Shaped { .. }
                | Report::TestsWritten { .. }
                | Report::RedRan { .. }
                | Report::Impossible { .. }
                | Report::FixApplied { .. }
                | Report::Probed { .. }
                | Report::Challenged { .. }
                | Report::Adjudicated { .. }
                | Report::AmendmentsChecked { .. }
                | Report::Repaired { .. }
                | Report::Shipped { .. }
                | Report::ShipRefused { .. }
                | Report::Told,
            ) => Err(Rejected::NoAnswer { effect: effect.clone() }),
        }
    }

    fn framed(&self, frame: &Frame, pass: &Pass) -> Decided {
        frame.is_bounded()?;
        let through_shape = |cause| {
            let halted = self.halt(Phase::Shape, cause);
            Ok([entered(Phase::Shape)].into_iter().chain(halted).collect())
        };
        if let Some(why) = pass.is_wasted(Phase::Intake) {
            return through_shape(Cause::NoProgress { why });
        }
        let missing = frame.missing_at_intake();
        match (missing.is_empty(), self.drafts + 1 < DRAFTS_MAX) {
            (true, _) => Ok(vec![Event::Framed { frame: frame.clone() }, entered(Phase::Shape)]),
            (false, true) => Ok(vec![Event::DraftRefused { missing }]),
            (false, false) => through_shape(Cause::Unclear { missing: told(&missing) }),
        }
    }

    fn shaped(&self, bundle: &Bundle, pass: &Pass) -> Decided {
        bundle.frame.is_bounded()?;
        let flags: usize = bundle.parts.iter().map(|part| part.flags.len()).sum();
        bounded(flags + bundle.parts.len(), ITEMS_MAX, "flags")?;
        if let Some(why) = pass.is_wasted(Phase::Shape) {
            return Ok(self.halt(Phase::Shape, Cause::NoProgress { why }));
        }
        let mut missing = bundle.missing();
        if bundle.plan.iter().any(|planned| planned.check().is_err()) {
            missing.push(Missing::Plan);
        }
        missing.dedup();
        match (missing.is_empty(), self.drafts + 1 < DRAFTS_MAX) {
            (true, _) => Ok(self.on_the_table(bundle)),
            (false, true) => Ok(vec![Event::DraftRefused { missing }]),
            (false, false) => {
                Ok(self.halt(Phase::Shape, Cause::PlanInvalid { missing: told(&missing) }))
            }
        }
    }

    /// Records a complete bundle. An approval in advance freezes it at once, in the first attempt
    /// only: the person has not seen a second contract.
    fn on_the_table(&self, bundle: &Bundle) -> Vec<Event> {
        let item = bundle.item(&self.charter);
        let bundled = Event::Bundled { bundle: bundle.clone(), item };
        let is_approved = self.charter.freeze == Freeze::InAdvance
            && self.charter.may_freeze_in_advance()
            && self.attempt == 1
            && self.drifted.is_none();
        if is_approved {
            let frozen = self.freeze(bundle, item, self.created_by.clone(), Freeze::InAdvance);
            [bundled].into_iter().chain(frozen).collect()
        } else {
            vec![bundled]
        }
    }

    pub(super) fn freeze(
        &self,
        bundle: &Bundle,
        item: Digest,
        by: String,
        when: Freeze,
    ) -> Vec<Event> {
        let minted = (self.minted + 1..).map(SliceId::new);
        let slices = minted.zip(bundle.plan.iter().cloned()).collect();
        vec![Event::Frozen { item, by, when }, Event::PlanLocked { slices }]
    }

    fn red_ran(
        &self,
        tests: Digest,
        tree: Digest,
        evidence: &Evidence,
        verdict: Verdict,
        green: &[String],
    ) -> Decided {
        bounded(green.len(), ITEMS_MAX, "tests")?;
        let record = self.record("red run", verdict, evidence);
        let contract = self.bundle.as_ref().map_or(Digest::ZERO, Bundle::contract);
        let keeps_behaviour = self.bundle.as_ref().is_some_and(|bundle| bundle.keeps_behaviour);
        let guarded = Guarded { tests, contract };
        let seen = match (verdict, green.is_empty()) {
            (Verdict::Fail, true) if !keeps_behaviour => {
                evidence.shows_red(tree)?;
                Event::SeenRed { evidence: record, guarded }
            }
            (Verdict::Pass, true) if keeps_behaviour => {
                evidence.supports(verdict, tree)?;
                Event::SeenKept { evidence: record, guarded }
            }
            (Verdict::Fail | Verdict::Pass, _) => {
                evidence.supports(verdict, tree)?;
                let tests =
                    if green.is_empty() { vec!["all of them".to_string()] } else { green.to_vec() };
                return if self.test_tries + 1 < DRAFTS_MAX {
                    Ok(vec![Event::SeenGreen { evidence: record, tests }])
                } else {
                    Ok(self.halt(Phase::Shape, Cause::TestsVacuous { tests }))
                };
            }
            (Verdict::CannotTell, _) => {
                let (check, why) = ("the red run".to_string(), cut(&evidence.excerpt));
                return Ok(self.halt(Phase::Shape, Cause::CannotTell { check, why }));
            }
        };
        let begun = self.begin_slice(0, tree, 1)?;
        Ok([seen, entered(Phase::Implement)].into_iter().chain(begun).collect())
    }

    /// Begins the `nth` slice of the locked plan; `seen` pieces of evidence come before it.
    fn begin_slice(&self, nth: usize, tree: Digest, seen: usize) -> Decided {
        let Some((id, planned)) = self.plan.get(nth) else { return Ok(vec![]) };
        let charter = slice::Charter {
            task: self.charter.id.clone(),
            id: *id,
            planned: planned.clone(),
            tree,
            parent: self.iteration,
            evidence_before: (self.evidence.len() + seen) as u32,
        };
        let begun = Slice::default().decide(&slice::Input::Begin { charter })?;
        Ok(begun.into_iter().map(|event| Event::Slice { slice: *id, event }).collect())
    }

    pub(super) fn slice_told(&self, input: &slice::Input) -> Decided {
        let Some(slice) = self.slices.last() else { return Err(Rejected::NoSlice) };
        let Some(id) = slice.charter().map(|charter| charter.id) else {
            return Err(Rejected::NoSlice);
        };
        let decided = slice.decide(input)?;
        let cheat = input.cheat();
        let led_to = match (cheat, decided.iter().any(slice::Event::is_end)) {
            (Some((cheat, what)), _) if self.heals >= HEALS_MAX => {
                let after = self.after_slice(id, &decided);
                after.halt(Phase::Implement, Cause::HardStop { cheat: *cheat, what: cut(what) })
            }
            // The slice itself sees to the honest redo.
            (Some(_) | None, true) => self.slice_ended(id, &decided)?,
            (Some(_) | None, false) => vec![],
        };
        let (learned, security) = match input.pass() {
            Some(pass) => learned(pass)?,
            None => (vec![], vec![]),
        };
        let led_to = if security.is_empty() {
            led_to
        } else {
            let after = self.after_slice(id, &decided);
            after.halt(Phase::Implement, Cause::Security { findings: security })
        };
        let confirmed =
            cheat.map(|(cheat, what)| Event::CheatConfirmed { cheat: *cheat, what: cut(what) });
        let told = decided.into_iter().map(|event| Event::Slice { slice: id, event });
        Ok(told.chain(confirmed).chain(learned).chain(led_to).collect())
    }

    /// Begins the next slice or leaves the phase once `decided` has ended the current slice.
    fn slice_ended(&self, id: SliceId, decided: &[slice::Event]) -> Decided {
        let after = self.after_slice(id, decided);
        let state = after.slices.last().map(Slice::state);
        if let Some(slice::State::Escalated { why }) = state {
            let why = why.clone();
            return Ok(after.halt(Phase::Implement, Cause::SliceStuck { slice: id, why }));
        }
        let Some(slice::State::Delivered { tree }) = state else { return Ok(vec![]) };
        if self.slices.len() < self.plan.len() {
            after.begin_slice(self.slices.len(), *tree, 0)
        } else {
            Ok(vec![entered(Phase::Verify)])
        }
    }

    fn after_slice(&self, id: SliceId, decided: &[slice::Event]) -> Self {
        let mut after = self.clone();
        decided.iter().for_each(|event| after.evolve_slice(id, event));
        after
    }

    fn probed(
        &self,
        results: &[(Probe, ProbeResult)],
        probe: &Probe,
        result: &ProbeResult,
    ) -> Decided {
        let tree = self.tree.unwrap_or(Digest::ZERO);
        match probe {
            Probe::Tripwire | Probe::Check(_) => result.evidence.supports(result.verdict, tree)?,
            Probe::Read(role) => result.evidence.is_word_of(*role, tree)?,
        }
        bounded(result.failed.len(), ITEMS_MAX, "failures")?;
        bounded(result.residue.len() + result.cheats.len(), ITEMS_MAX, "findings")?;
        let record = self.record(&probe.key(), result.verdict, &result.evidence);
        let last = (probe.clone(), result.clone());
        let all: Vec<&(Probe, ProbeResult)> = results.iter().chain([&last]).collect();
        let led_to = if all.len() < self.probes().len() {
            vec![]
        } else {
            self.seen(&record).conclude(tree, &all)
        };
        let probed =
            Event::Probed { probe: probe.clone(), evidence: record, result: result.clone() };
        Ok([probed].into_iter().chain(led_to).collect())
    }

    /// Every probe has answered: the gravest answer decides.
    fn conclude(&self, tree: Digest, all: &[&(Probe, ProbeResult)]) -> Vec<Event> {
        let halt = |cause| self.halt(Phase::Verify, cause);
        // Only the tripwire can tell that a person edited frozen files; a reader cannot.
        let edited = |(probe, result): &&&(Probe, ProbeResult)| match probe {
            Probe::Tripwire => result.frozen_edited.is_some(),
            Probe::Check(_) | Probe::Read(_) => false,
        };
        if let Some(what) = all.iter().find(edited).and_then(|(_, it)| it.frozen_edited.as_ref()) {
            return halt(Cause::FrozenEdited { what: cut(what) });
        }
        let residue = all.iter().flat_map(|(_, result)| &result.residue);
        let is_security = |kind| kind == ResidueKind::Security;
        let findings: Vec<String> =
            residue.filter(|it| is_security(it.kind)).map(|it| cut(&it.what)).collect();
        if let Some((cheat, what)) = all.iter().flat_map(|(_, result)| &result.cheats).next() {
            return self.cheated(Phase::Verify, *cheat, what, findings);
        }
        if !findings.is_empty() {
            return halt(Cause::Security { findings });
        }
        if let Some(question) = all.iter().find_map(|(_, result)| result.ambiguity.as_ref()) {
            return halt(Cause::Ambiguity { question: cut(question) });
        }
        let untold = |result: &ProbeResult| result.verdict == Verdict::CannotTell;
        if let Some((probe, result)) = all.iter().find(|(_, result)| untold(result)) {
            let why = result.failed.first().map_or("it could not be run", String::as_str);
            return halt(Cause::CannotTell { check: probe.key(), why: cut(why) });
        }
        let holds =
            |result: &ProbeResult| result.verdict == Verdict::Pass && result.failed.is_empty();
        let broken = all.iter().filter(|(_, result)| !holds(result));
        let failed: Vec<String> = broken.flat_map(|(probe, result)| named(probe, result)).collect();
        if failed.is_empty() {
            return vec![Event::Verified { tree }, entered(Phase::Review)];
        }
        let counted = Event::VerifyFailed { failed: failed.clone() };
        let next = match (&self.fix_by, self.verify_fails + 1 < VERIFY_FAILS_MAX) {
            (Some(_), _) => halt(Cause::FixFailed { failed }),
            (None, true) => vec![entered(Phase::Repair)],
            (None, false) => halt(Cause::ChecksFailed { failed }),
        };
        [counted].into_iter().chain(next).collect()
    }

    /// A confirmed cheat: an honest redo, or after three of them a hard stop. It is a
    /// person's own doing if a person's fix is being judged.
    ///
    /// A finding about security that came with it is not lost: then a person decides at once.
    pub(super) fn cheated(
        &self,
        from: Phase,
        cheat: Cheat,
        what: &str,
        security: Vec<String>,
    ) -> Vec<Event> {
        let what = cut(what);
        if self.fix_by.is_some() {
            return self.halt(from, Cause::FrozenEdited { what });
        }
        let confirmed = Event::CheatConfirmed { cheat, what: what.clone() };
        let next = match (self.heals < HEALS_MAX, security.is_empty()) {
            (false, _) => self.halt(from, Cause::HardStop { cheat, what }),
            (true, true) => vec![entered(Phase::Repair)],
            (true, false) => self.halt(from, Cause::Security { findings: security }),
        };
        [confirmed].into_iter().chain(next).collect()
    }

    fn challenged(&self, tree: Digest, challenge: &Challenge) -> Decided {
        let Challenge { evidence, compliance, failures, unmet, residue, cheats, tradeoff } =
            challenge;
        evidence.is_word_of(Role::Challenger, tree)?;
        bounded(failures.len() + residue.len() + cheats.len(), ITEMS_MAX, "findings")?;
        bounded(unmet.len(), ITEMS_MAX, "questions")?;
        let is_mild = *compliance == Compliance::Mild;
        let is_security = |it: &&Residue| it.kind == ResidueKind::Security;
        let security: Vec<String> =
            residue.iter().filter(is_security).map(|it| cut(&it.what)).collect();
        let is_grave = !cheats.is_empty() || !security.is_empty();
        if is_mild && !is_grave && self.mild < MILD_MAX {
            let evidence = self.record("challenge", Verdict::CannotTell, evidence);
            return Ok(vec![Event::ChallengeDropped { evidence }]);
        }
        let unmet = unmet.iter().map(|question| question.text().to_string());
        let mild = is_mild.then(|| "mild_review_violation".to_string());
        let failures: Vec<String> =
            failures.iter().map(|it| cut(it)).chain(unmet).chain(mild).collect();
        let verdict = if failures.is_empty() { Verdict::Pass } else { Verdict::Fail };
        let record = self.record("challenge", verdict, evidence);
        let after = self.seen(&record);
        let challenged = Event::Challenged {
            evidence: record,
            failures: failures.clone(),
            residue: residue.clone(),
        };
        let halt = |cause| after.halt(Phase::Review, cause);
        let led_to = match (cheats.first(), tradeoff) {
            (Some((cheat, what)), _) => after.cheated(Phase::Review, *cheat, what, security),
            (None, _) if !security.is_empty() => halt(Cause::Security { findings: security }),
            (None, Some(question)) => halt(Cause::Tradeoff { question: cut(question) }),
            (None, None) if !failures.is_empty() => match &self.fix_by {
                Some(_) => halt(Cause::FixFailed { failed: failures }),
                None if self.revisions < REVISIONS_MAX => {
                    send_back(failures, SentBackBy::Challenge)
                }
                None => halt(Cause::ChallengeFailed { failures }),
            },
            (None, None) => {
                if self.judges().contains(&Role::Arbiter) {
                    vec![]
                } else {
                    self.gate(tree, !residue.is_empty())
                }
            }
        };
        Ok([challenged].into_iter().chain(led_to).collect())
    }

    fn adjudicated(&self, tree: Digest, evidence: &Evidence, decision: &Adjudication) -> Decided {
        evidence.is_word_of(Role::Arbiter, tree)?;
        let verdict = match decision {
            Adjudication::Approve => Verdict::Pass,
            Adjudication::ApproveWithAmendments { .. } | Adjudication::Reject { .. } => {
                Verdict::Fail
            }
        };
        let evidence = self.record("adjudication", verdict, evidence);
        let after = self.seen(&evidence);
        let halt = |cause| after.halt(Phase::Review, cause);
        let led_to = match decision {
            Adjudication::Approve => self.gate(tree, false),
            Adjudication::ApproveWithAmendments { amendments } => {
                bounded(amendments.len(), ITEMS_MAX, "amendments")?;
                if amendments.iter().all(|amendment| amendment.trim().is_empty()) {
                    return Err(Rejected::NoReason);
                }
                match &self.fix_by {
                    Some(_) => halt(Cause::FixFailed { failed: amendments.clone() }),
                    None => send_back(amendments.clone(), SentBackBy::Amendments),
                }
            }
            Adjudication::Reject { rationale } => {
                halt(Cause::ArbiterRejected { rationale: cut(rationale) })
            }
        };
        let adjudicated = Event::Adjudicated { evidence, decision: decision.clone() };
        Ok([adjudicated].into_iter().chain(led_to).collect())
    }

    fn amendments_checked(
        &self,
        tree: Digest,
        evidence: &Evidence,
        verdict: Verdict,
        missing: &[String],
    ) -> Decided {
        evidence.supports(verdict, tree)?;
        bounded(missing.len(), ITEMS_MAX, "amendments")?;
        let evidence = self.record("amendments", verdict, evidence);
        let led_to = match (verdict, missing.is_empty()) {
            (Verdict::Pass, true) => self.gate(tree, false),
            (Verdict::Pass | Verdict::Fail | Verdict::CannotTell, _) => {
                let amendments =
                    if missing.is_empty() { self.amendments.clone() } else { missing.to_vec() };
                self.seen(&evidence).halt(Phase::Review, Cause::AmendmentsMissing { amendments })
            }
        };
        Ok([Event::AmendmentsChecked { evidence }].into_iter().chain(led_to).collect())
    }

    /// The last gate: the run opens it, a person is asked, or it is refused.
    fn gate(&self, tree: Digest, has_new_residue: bool) -> Vec<Event> {
        let is_left = has_new_residue || !self.residue.is_empty();
        let is_whole = self.verified == Some(tree) && self.frozen.is_some();
        let situation = Situation {
            gate: Gate::Review,
            mode: Mode::Auto,
            lane: self.charter.lane,
            header: self.charter.header,
            residue: if is_left { owner::OpenFindings::Left } else { owner::OpenFindings::Empty },
            evidence: if is_whole && self.drifted.is_none() {
                Completeness::Complete
            } else {
                Completeness::Incomplete
            },
        };
        match gate_owner(situation) {
            Owner::Machine => {
                let reason = "auto-resolved: every check holds and nothing is left".to_string();
                vec![self.pass(Completion::Pass, RecordOwner::Run, reason, tree)]
            }
            Owner::Human => {
                let item = format!("{}/{}/{tree}", self.charter.id, self.evidence.len());
                vec![Event::OwnerAsked { item: Digest::of(item.as_bytes()) }]
            }
            Owner::Refused => self.halt(Phase::Review, Cause::UnguardedHighRisk),
        }
    }

    pub(super) fn pass(
        &self,
        outcome: Completion,
        owner: RecordOwner,
        reason: String,
        tree: Digest,
    ) -> Event {
        let header = self.charter.header;
        Event::GatePassed { record: GateRecord { outcome, owner, reason, tree, header } }
    }

    fn repaired(&self, tree: Digest, outside: &[String], pass: &Pass) -> Decided {
        bounded(outside.len(), ITEMS_MAX, "places")?;
        if let Some(why) = pass.is_wasted(Phase::Repair) {
            return Ok(self.halt(Phase::Repair, Cause::NoProgress { why }));
        }
        if !outside.is_empty() {
            return Ok(self.halt(Phase::Repair, Cause::OutOfBounds { places: outside.to_vec() }));
        }
        let (learned, security) = learned(pass)?;
        let next = if security.is_empty() {
            learned.into_iter().chain([entered(Phase::Verify)]).collect()
        } else {
            let halted = self.halt(Phase::Repair, Cause::Security { findings: security });
            learned.into_iter().chain(halted).collect::<Vec<_>>()
        };
        Ok([Event::Repaired { tree }].into_iter().chain(next).collect())
    }

    fn ship_refused(&self, why: &ShipRefusal) -> Vec<Event> {
        match why {
            ShipRefusal::Fingerprint { what } => {
                self.halt(Phase::Review, Cause::FingerprintMismatch { what: cut(what) })
            }
            ShipRefusal::TreeChanged { .. } => {
                let what = "the tree changed after it was verified".to_string();
                if self.fix_by.is_none() && self.revisions < REVISIONS_MAX {
                    send_back(vec![what], SentBackBy::Ship)
                } else {
                    self.halt(Phase::Review, Cause::NoProgress { why: what })
                }
            }
        }
    }

    pub(super) fn halt(&self, from: Phase, cause: Cause) -> Vec<Event> {
        // The latest evidence is what the question is about.
        let first = self.evidence.len().saturating_sub(EVIDENCE_SHOWN_MAX);
        let escalation = Escalation {
            id: self.next_escalation(),
            attempt: self.attempt,
            from,
            options: cause.options(self.halt_context()),
            cause,
            evidence: self.evidence[first..].iter().map(|record| record.id).collect(),
        };
        vec![Event::Halted { escalation }]
    }

    pub(super) fn security(&self) -> Vec<String> {
        let is_security = |it: &&Residue| it.kind == ResidueKind::Security;
        self.residue.iter().filter(is_security).map(|it| it.what.clone()).collect()
    }

    /// The receipt of one call of a role, taken once.
    pub(super) fn spent(&self, receipt: &Receipt) -> Decided {
        if self.spending.has(receipt.invocation) {
            return Err(Rejected::SpentBefore { invocation: receipt.invocation });
        }
        let own = receipt.effect.as_str().strip_prefix(self.charter.id.as_str());
        if !own.is_some_and(|rest| rest.starts_with('/')) {
            return Err(Rejected::NotOwed { effect: receipt.effect.clone() });
        }
        let names = [&receipt.part, &receipt.agent, &receipt.model];
        let longest = names.iter().map(|name| name.len()).max().unwrap_or(0);
        bounded(longest, NAME_BYTES_MAX, "bytes in a name")?;
        bounded(self.spending.receipts.len() + 1, RECEIPTS_MAX, "receipts")?;
        Ok(vec![Event::Spent { receipt: receipt.clone() }])
    }

    fn judges(&self) -> &'static [Role] {
        self.charter.header.lane(self.charter.lane).duties().judges
    }

    /// The task with one more piece of evidence, which later events may cite.
    fn seen(&self, record: &EvidenceRecord) -> Self {
        let mut after = self.clone();
        after.evidence.push(record.clone());
        after
    }

    fn record(&self, subject: &str, verdict: Verdict, evidence: &Evidence) -> EvidenceRecord {
        EvidenceRecord {
            id: EvidenceId::new(self.evidence.len() as u32 + 1),
            subject: subject.to_string(),
            verdict,
            evidence: evidence.clone(),
        }
    }
}

impl Frame {
    fn is_bounded(&self) -> Result<(), Rejected> {
        let lists = [&self.done_gate, &self.not_doing, &self.reality, &self.validation];
        let items: usize = lists.iter().map(|list| list.len()).sum();
        bounded(items + self.features.len(), ITEMS_MAX, "lines in a frame")?;
        let bytes: usize = lists.iter().flat_map(|list| list.iter()).map(String::len).sum();
        Ok(bounded(bytes + self.objective.len(), FRAME_BYTES_MAX, "bytes in a frame")?)
    }
}

/// What a pass says beside its change: the event that keeps it, and its findings about security.
fn learned(pass: &Pass) -> Result<(Vec<Event>, Vec<String>), Rejected> {
    let Pass { residue, lessons, .. } = pass;
    bounded(residue.len() + lessons.len(), ITEMS_MAX, "findings")?;
    if residue.is_empty() && lessons.is_empty() {
        return Ok((vec![], vec![]));
    }
    let is_security = |it: &&Residue| it.kind == ResidueKind::Security;
    let security = residue.iter().filter(is_security).map(|it| cut(&it.what)).collect();
    let lessons = lessons.iter().map(|lesson| cut(lesson)).collect();
    Ok((vec![Event::Learned { residue: residue.clone(), lessons }], security))
}

pub(super) fn entered(phase: Phase) -> Event {
    Event::Entered { phase }
}

pub(super) fn send_back(items: Vec<String>, by: SentBackBy) -> Vec<Event> {
    vec![Event::SentBack { items, by }, entered(Phase::Repair)]
}

fn named(probe: &Probe, result: &ProbeResult) -> Vec<String> {
    if result.failed.is_empty() {
        vec![probe.key()]
    } else {
        result.failed.iter().map(|it| format!("{}: {}", probe.key(), cut(it))).collect()
    }
}

fn told(missing: &[Missing]) -> Vec<String> {
    missing.iter().map(|it| it.to_string()).collect()
}

pub(super) fn said(text: &str) -> Result<(), Rejected> {
    if text.trim().is_empty() {
        return Err(Rejected::NoReason);
    }
    Ok(bounded(text.len(), TEXT_BYTES_MAX, "bytes")?)
}

/// Cuts a text of a role to a readable length.
fn cut(text: &str) -> String {
    text.chars().take(TEXT_SHOWN_MAX).collect()
}

const ITEMS_MAX: usize = 256;
const NAME_BYTES_MAX: usize = 256;
const FRAME_BYTES_MAX: usize = 64 * 1024;
const TEXT_BYTES_MAX: usize = 4_096;
const TEXT_SHOWN_MAX: usize = 400;
const EVIDENCE_SHOWN_MAX: usize = 8;
