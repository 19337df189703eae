//! What follows from an input, stage by stage.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use sealwright_kernel::pack::RefKind;
use sealwright_kernel::task::slice::{self, Slice};
use sealwright_kernel::{Digest, EffectId, Machine as _, Ref, Role};

use super::adjudication::{
    Adjudication, AdjudicationAnswer, AmendmentAnswer, Decision, Observed, ShipDirective, Targets,
    unapplied,
};
use super::answer::{Defect, TEXT_BYTES_MAX, shown_chars};
use super::challenge::{
    Assessment, Challenge, ChallengeAnswer, ChallengeBasis, Criterion, Failure, PLAN_FAULT,
};
use super::dossier::{Dossier, mismatch};
use super::escalation::Cause;
use super::guards::{Guard, Rules};
use super::probe::{PROBES_MAX, ProbeResult, check_arguments};
use super::proposal::{Proposal, ProposalAnswer};
use super::round::{Proposer, Round, mint};
use super::ship::{ExecutionLog, LogVerdict};
use super::vocabulary::{Effect, Event, Input, Judge, Origin, Rejected, Report, SentBackBy, Want};
use super::{Module, ModuleData, Next, RETRIES_MAX, REVISIONS_MAX, Stage, route};

pub(super) type Decided = Result<Vec<Event>, Rejected>;

impl Module {
    pub(super) fn decide_by(&self, input: &Input, rules: Rules) -> Decided {
        let data = match (&self.data, input) {
            (None, Input::Create { charter }) => {
                charter.check()?;
                let data = ModuleData::new(charter.clone());
                let begun = data.begin_slice()?;
                let created = Event::Created { charter: charter.clone() };
                return Ok([created].into_iter().chain(begun).collect());
            }
            (None, _) => return Err(Rejected::NotCreated),
            (Some(data), _) => data,
        };
        match (&self.stage, input) {
            (_, Input::Create { .. }) => Err(Rejected::AlreadyCreated),
            (_, Input::Report { effect, round, attempt, report }) => {
                let want = self.named(effect, *round, *attempt, rules)?;
                data.reported(&want, effect, report, rules)
            }
            (Stage::Building, Input::Slice { input }) => data.slice_told(input),
            (_, Input::Slice { .. }) => Err(Rejected::NoSlice),
            (_, Input::Probe { effect, round, attempt, arguments }) => {
                let want = self.named(effect, *round, *attempt, rules)?;
                data.probe_asked(&want, effect, arguments)
            }
            (_, Input::Exception { effect, exception }) => {
                let asked = self.asked(effect, Rules::ALL)?;
                data.exception(&asked, effect, exception)
            }
            (Stage::Shipped { .. } | Stage::Abandoned, Input::Stop { .. }) => Err(Rejected::Over),
            (Stage::Shipped { .. } | Stage::Abandoned, Input::Resolve { .. }) => {
                Err(Rejected::Over)
            }
            (Stage::Halted { .. }, Input::Stop { .. }) => Err(Rejected::Over),
            (_, Input::Stop { why }) => Ok(data.halt(Cause::Stopped { why: said(why)? })),
            (stage, Input::Resolve { by, escalation, resolution }) => {
                data.resolved(stage, by, escalation, resolution, rules)
            }
        }
    }

    /// The want that a report names, by effect, round and attempt.
    fn named(
        &self,
        effect: &EffectId,
        round: u32,
        attempt: u32,
        rules: Rules,
    ) -> Result<Want, Rejected> {
        match self.asked(effect, rules)? {
            Effect::Slice { .. } => Err(Rejected::NoAnswer { effect: effect.clone() }),
            Effect::Module { round: expected, .. }
                if !rules.pass(Guard::SameRound, expected == round) =>
            {
                Err(Rejected::OtherRound { effect: effect.clone(), round, expected })
            }
            Effect::Module { attempt: expected, .. }
                if !rules.pass(Guard::SameAttempt, expected == attempt) =>
            {
                Err(Rejected::OtherAttempt { effect: effect.clone(), attempt, expected })
            }
            Effect::Module { want, .. } => Ok(want),
        }
    }
}

impl ModuleData {
    fn reported(&self, want: &Want, effect: &EffectId, report: &Report, rules: Rules) -> Decided {
        // The task's ear is no work that could fail.
        if let Want::Tell { news, .. } = want {
            return if let Report::Told = report {
                Ok(vec![Event::Told { news: *news }])
            } else {
                Err(Rejected::NoAnswer { effect: effect.clone() })
            };
        }
        let Some(round) = self.round() else {
            return Err(Rejected::NoAnswer { effect: effect.clone() });
        };
        match (want, report) {
            (Want::Propose { tree, .. }, Report::Proposed { tree: found, answer }) => {
                same_tree(*tree, *found, rules)?;
                self.proposed(round, *found, answer, rules)
            }
            (Want::Revise { .. }, Report::Proposed { tree, answer }) => {
                self.proposed(round, *tree, answer, rules)
            }
            (Want::Examine { tree }, Report::Dossier { dossier, files }) => {
                same_tree(*tree, dossier.tree, rules)?;
                examined(dossier, files)
            }
            (Want::Challenge { .. }, Report::Challenged { answer }) => {
                self.challenged(round, answer, rules)
            }
            (Want::RunProbe { arguments, .. }, Report::Probed { result }) => {
                probed(round, arguments, effect, result)
            }
            (Want::Adjudicate { .. }, Report::Adjudicated { answer }) => {
                self.adjudicated(round, answer, rules)
            }
            (Want::Amend { .. }, Report::Amended { tree, answer }) => {
                self.amended(round, *tree, answer, rules)
            }
            (
                Want::SeeAmendments { after, .. },
                Report::AmendmentsSeen { tree, observed, fingerprint },
            ) => {
                same_tree(*after, *tree, rules)?;
                self.amendments_seen(round, observed, *fingerprint, rules)
            }
            (
                Want::ReadSurface { tree: expected, .. },
                Report::SurfaceRead { tree, fingerprint, differing, observed },
            ) => {
                if differing.len() > DIMENSIONS_MAX || differing.iter().any(|it| it.len() > 64) {
                    return Err(Rejected::TooMany { what: "dimensions", most: DIMENSIONS_MAX });
                }
                if !rules.pass(Guard::ShipSameTree, tree == expected) {
                    return Ok(self.halt(Cause::TreeChanged { expected: *expected, found: *tree }));
                }
                self.surface_read(round, *fingerprint, differing, observed, rules)
            }
            (Want::RunTests { tree: expected }, Report::TestsRun { tree, log }) => {
                if !rules.pass(Guard::ShipSameTree, tree == expected) {
                    return Ok(self.halt(Cause::TreeChanged { expected: *expected, found: *tree }));
                }
                self.tests_run(log, rules)
            }
            (Want::Promote { tree: expected, .. }, Report::Promoted { tree, version }) => {
                if !rules.pass(Guard::PromotedTree, tree == expected) {
                    return Err(Rejected::OtherTree { expected: *expected, found: *tree });
                }
                Ok(vec![Event::Promoted { tree: *tree, version: *version }])
            }
            // A probe that cannot run has its own result.
            (Want::RunProbe { .. } | Want::Tell { .. }, _) => {
                Err(Rejected::NoAnswer { effect: effect.clone() })
            }
            (
                Want::Propose { .. }
                | Want::Revise { .. }
                | Want::Examine { .. }
                | Want::Challenge { .. }
                | Want::Adjudicate { .. }
                | Want::Amend { .. }
                | Want::SeeAmendments { .. }
                | Want::ReadSurface { .. }
                | Want::RunTests { .. }
                | Want::Promote { .. },
                report,
            ) => match report {
                Report::Impossible { why } => {
                    Ok(self.halt(Cause::Infrastructure { why: said(why)? }))
                }
                Report::OverBudget { why } => Ok(self.halt(Cause::Budget { why: said(why)? })),
                Report::Proposed { .. }
                | Report::Dossier { .. }
                | Report::Challenged { .. }
                | Report::Probed { .. }
                | Report::Adjudicated { .. }
                | Report::Amended { .. }
                | Report::AmendmentsSeen { .. }
                | Report::SurfaceRead { .. }
                | Report::TestsRun { .. }
                | Report::Promoted { .. }
                | Report::Told => Err(Rejected::NoAnswer { effect: effect.clone() }),
            },
        }
    }

    fn slice_told(&self, input: &slice::Input) -> Decided {
        let Some(slice) = &self.slice else { return Err(Rejected::NoSlice) };
        let decided = slice.decide(input)?;
        let mut after = self.clone();
        decided.iter().for_each(|event| after.evolve_slice(event));
        let mut events: Vec<Event> =
            decided.into_iter().map(|event| Event::Slice { event }).collect();
        match after.slice.as_ref().map(Slice::state) {
            Some(slice::State::Delivered { tree }) => {
                let begun = after.begin_slice()?;
                if begun.is_empty() {
                    events.push(Event::Built { tree: *tree });
                }
                events.extend(begun);
            }
            Some(slice::State::Escalated { why }) => {
                if let Some(charter) = after.slice.as_ref().and_then(Slice::charter) {
                    let cause = Cause::SliceStuck { slice: charter.id, why: why.clone() };
                    events.extend(after.halt(cause));
                }
            }
            Some(_) | None => {}
        }
        Ok(events)
    }

    /// Begins the next slice, if one is left.
    fn begin_slice(&self) -> Decided {
        let nth = usize::try_from(self.slices_begun).unwrap_or(usize::MAX);
        let Some(next) = self.charter.slices.get(nth) else { return Ok(vec![]) };
        let last = self.slice.as_ref();
        let charter = slice::Charter {
            task: self.charter.task.clone(),
            id: next.id,
            planned: next.planned.clone(),
            tree: self.tree,
            parent: last.and_then(Slice::snapshot).map(|it| it.header.iteration),
            evidence_before: self.gate_runs + last.map_or(0, Slice::gate_runs),
        };
        let begun = Slice::default().decide(&slice::Input::Begin { charter })?;
        Ok(begun.into_iter().map(|event| Event::Slice { event }).collect())
    }

    fn proposed(&self, round: &Round, tree: Digest, answer: &str, rules: Rules) -> Decided {
        let answer = match ProposalAnswer::read(answer) {
            Ok(answer) => answer,
            Err(defects) => return self.refused(Role::Builder, defects, rules),
        };
        let proposal = Proposal {
            proposal_id: mint(&self.charter, round.number, "PROP", "proposal"),
            target_artifact_id: round.implementation.id().to_string(),
            claim: answer.claim,
            deliverable_ref: round.implementation.clone(),
            acceptance_checks: answer.acceptance_checks,
        };
        Ok(vec![Event::Proposed { tree, proposal }])
    }

    fn probe_asked(&self, want: &Want, effect: &EffectId, arguments: &str) -> Decided {
        let (Want::Challenge { .. }, Some(round)) = (want, self.round()) else {
            return Err(Rejected::NoAnswer { effect: effect.clone() });
        };
        if round.probes.len() >= PROBES_MAX {
            return Err(Rejected::TooMany { what: "probes", most: PROBES_MAX });
        }
        check_arguments(&self.charter, arguments)
            .map_err(|defect| Rejected::BadProbe { defect })?;
        Ok(vec![Event::ProbeAsked { arguments: arguments.into() }])
    }

    fn exception(&self, asked: &Effect, effect: &EffectId, exception: &Ref) -> Decided {
        let may_raise = match asked {
            // Which role asks inside a slice is for the slice; all of them may.
            Effect::Slice { .. } => true,
            Effect::Module { want, .. } => {
                matches!(want.role(), Some(Role::Builder | Role::Challenger))
            }
        };
        if !may_raise {
            return Err(Rejected::NoAnswer { effect: effect.clone() });
        }
        if exception.kind() != RefKind::InterfaceChangeException {
            return Err(Rejected::NoException { reference: exception.clone() });
        }
        Ok(self.halt(Cause::InterfaceChange { exception: exception.clone() }))
    }

    fn challenged(&self, round: &Round, answer: &str, rules: Rules) -> Decided {
        let Some(dossier) = &round.dossier else { return Ok(vec![]) };
        let basis = ChallengeBasis {
            charter: &self.charter,
            locked: self.locked(),
            dossier,
            probes: &round.probes,
        };
        let id = mint(&self.charter, round.number, "CHAL", "challenge");
        let target = round.implementation.id().to_string();
        let read = ChallengeAnswer::read(answer);
        let defects = match &read {
            Ok(answer) => answer.defects(basis),
            Err(defects) => defects.clone(),
        };
        let is_kept = rules.pass(Guard::ChallengeGate, defects.is_empty());
        let (challenge, origin, refused) = match read {
            Ok(answer) if is_kept => (Challenge::of(answer, id, target), Origin::Challenger, None),
            Ok(_) | Err(_) => {
                let event = self.answer_refused(Role::Challenger, &defects);
                if rules.pass(Guard::RetriesBounded, self.attempt <= RETRIES_MAX) {
                    return Ok(vec![event]);
                }
                let reason = defects.first().map_or(String::new(), ToString::to_string);
                (Challenge::of_mild(&reason, id, target), Origin::Machine, Some(event))
            }
        };
        let mut after = self.clone();
        let mut events: Vec<Event> = refused.into_iter().collect();
        events.push(Event::Challenged { challenge: challenge.clone(), origin });
        events.iter().for_each(|event| drop(after.evolve(event)));
        events.extend(after.routed(&challenge, origin, rules));
        Ok(events)
    }

    /// What follows from a challenge that was recorded. Nothing means that the arbiter decides.
    fn routed(&self, challenge: &Challenge, origin: Origin, rules: Rules) -> Vec<Event> {
        let is_last = !self.may_revise(rules);
        let blames_plan = origin == Origin::Challenger
            && (challenge.failures.iter().any(|it| it.invariant.starts_with(PLAN_FAULT))
                || (is_last && challenge.assessment(Criterion::R6) == Some(Assessment::NotMet)));
        if blames_plan && !rules.pass(Guard::PlanFaultStops, false) {
            return self.halt(Cause::PlanFault { failures: challenge.failures.clone() });
        }
        let used = if is_last { REVISIONS_MAX } else { 0 };
        match route(challenge.verdict, used) {
            Next::Revise => self.sent_back(challenge.failures.clone(), SentBackBy::Challenge),
            Next::Adjudicate => vec![],
        }
    }

    fn adjudicated(&self, round: &Round, answer: &str, rules: Rules) -> Decided {
        let Some(dossier) = &round.dossier else { return Ok(vec![]) };
        let answer = match AdjudicationAnswer::read(answer) {
            Ok(answer) => answer,
            Err(defects) => return self.refused(Role::Arbiter, defects, rules),
        };
        let fields = answer.field_defects();
        let targets = Targets { charter: &self.charter, dossier, files: &round.files };
        let vague = answer.amendment_defects(targets);
        let mut defects = vec![];
        if !rules.pass(Guard::AdjudicationFields, fields.is_empty()) {
            defects.extend(fields);
        }
        if !rules.pass(Guard::AmendmentsPrecise, vague.is_empty()) {
            defects.extend(vague);
        }
        let approves_failure = answer.decision == Decision::Approve && round.has_failed();
        if !rules.pass(Guard::NoApproveAfterFail, !approves_failure) {
            let mend = "decide APPROVE_WITH_AMENDMENTS or REJECT";
            defects.push(Defect::new("decision", "the last challenge is FAIL", mend));
        }
        let approves = answer.decision != Decision::Reject;
        let is_tried = round.is_challenged() || !approves;
        if !rules.pass(Guard::NeedsChallenge, is_tried) {
            let wrong = "no challenger tried to disprove it";
            defects.push(Defect::new("decision", wrong, "only REJECT is possible"));
        }
        let id = mint(&self.charter, round.number, "ADJ", "adjudication");
        let target = round.implementation.id().to_string();
        if defects.is_empty() {
            let adjudication = Adjudication::of(answer, id, target);
            return Ok(self.judged(adjudication, Judge::Arbiter, vec![], rules));
        }
        let event = self.answer_refused(Role::Arbiter, &defects);
        if rules.pass(Guard::RetriesBounded, self.attempt <= RETRIES_MAX) {
            return Ok(vec![event]);
        }
        // An arbiter that cannot say what to change has not approved.
        let rejection = Adjudication {
            adjudication_id: id,
            target_artifact_id: target,
            decision: Decision::Reject,
            amendments: vec![],
            rationale: format!("the arbiter's answers were unusable: {}", defects[0]),
            ship_directive: ShipDirective::NoShip,
        };
        Ok(self.judged(rejection, Judge::Machine, vec![event], rules))
    }

    fn judged(
        &self,
        adjudication: Adjudication,
        by: Judge,
        mut events: Vec<Event>,
        rules: Rules,
    ) -> Vec<Event> {
        let (decision, rationale) = (adjudication.decision, adjudication.rationale.clone());
        events.push(Event::Adjudicated { adjudication, by });
        match decision {
            Decision::Approve | Decision::ApproveWithAmendments => return events,
            Decision::Reject => {}
        }
        let mut after = self.clone();
        events.iter().for_each(|event| drop(after.evolve(event)));
        let challenge = after.round().and_then(|it| it.challenge.clone());
        let mut failures = challenge.map_or(vec![], |(it, _)| it.failures);
        if after.may_revise(rules) {
            failures
                .insert(0, failure("adjudication", &rationale, "mend what the arbiter rejects"));
            events.extend(after.sent_back(failures, SentBackBy::Arbiter));
        } else {
            events.extend(after.halt(Cause::Rejected { rationale, failures }));
        }
        events
    }

    fn amended(&self, round: &Round, tree: Digest, answer: &str, rules: Rules) -> Decided {
        let amendments = round.amendments();
        let answer = match AmendmentAnswer::read(answer, amendments) {
            Ok(answer) => answer,
            Err(defects) => return self.refused(Role::Builder, defects, rules),
        };
        let open = answer.records.iter().zip(amendments).find(|(record, _)| !record.applied);
        let unapplied = open.map(|(record, amendment)| Cause::AmendmentNotApplied {
            amendment: amendment.clone(),
            note: record.note.clone(),
        });
        let mut events = vec![Event::Amended { tree, records: answer.records }];
        if let Some(cause) = unapplied
            && !rules.pass(Guard::EveryAmendmentApplied, false)
        {
            events.extend(self.halt(cause));
        }
        Ok(events)
    }

    fn amendments_seen(
        &self,
        round: &Round,
        observed: &[Observed],
        fingerprint: Digest,
        rules: Rules,
    ) -> Decided {
        if let Some(cause) = missing(round, observed)
            && !rules.pass(Guard::AmendmentsVerified, false)
        {
            return Ok(self.halt(cause));
        }
        let locked = self.locked();
        let may_change = round.adjudication.as_ref().is_some_and(|(it, _)| it.amends_contract());
        let is_lawful = may_change || fingerprint == locked;
        if !rules.pass(Guard::ContractUnchanged, is_lawful) {
            return Ok(self.halt(Cause::ContractChanged { locked, actual: fingerprint }));
        }
        let lock = (fingerprint != locked).then_some(fingerprint);
        Ok(vec![Event::AmendmentsVerified { lock }])
    }

    fn surface_read(
        &self,
        round: &Round,
        actual: Digest,
        differing: &[String],
        observed: &[Observed],
        rules: Rules,
    ) -> Decided {
        if let Some(cause) = missing(round, observed)
            && !rules.pass(Guard::ShipAmendments, false)
        {
            return Ok(self.halt(cause));
        }
        let locked = self.locked();
        if rules.pass(Guard::FingerprintEqual, actual == locked) {
            return Ok(vec![Event::SurfaceVerified { fingerprint: actual }]);
        }
        let required = format!("change the public surface back in: {}", differing.join(", "));
        let entry = failure("interface_fingerprint", &mismatch(locked, actual), &required);
        let cause = Cause::FingerprintMismatch { locked, actual, differing: differing.to_vec() };
        Ok(self.ship_failed(entry, SentBackBy::Surface, cause, rules))
    }

    fn tests_run(&self, log: &ExecutionLog, rules: Rules) -> Decided {
        let module = &self.charter.module;
        let verdict = log
            .check(module.id(), &module.version().to_string())
            .map_err(|defect| Rejected::BadLog { defect })?;
        let (evidence, required) = match verdict {
            LogVerdict::Passed => return Ok(vec![Event::Tested { log: log.clone() }]),
            LogVerdict::NoTests if !rules.pass(Guard::TestsExist, false) => {
                ("no test was run".to_string(), "write tests that the runner finds")
            }
            LogVerdict::Failed { tests } if !rules.pass(Guard::TestsPass, false) => {
                let shown: Vec<String> = tests.into_iter().take(FAILED_SHOWN_MAX).collect();
                (format!("failing: {}", shown.join(", ")), "make every test pass")
            }
            LogVerdict::NoTests | LogVerdict::Failed { .. } => {
                return Ok(vec![Event::Tested { log: log.clone() }]);
            }
        };
        let entry = failure("tests", &evidence, required);
        let cause = Cause::TestsFailed { log: log.clone() };
        Ok(self.ship_failed(entry, SentBackBy::Tests, cause, rules))
    }

    /// A failed ship check counts like a failed challenge.
    fn ship_failed(
        &self,
        entry: Failure,
        by: SentBackBy,
        cause: Cause,
        rules: Rules,
    ) -> Vec<Event> {
        if self.may_revise(rules) {
            return self.sent_back(vec![entry], by);
        }
        self.halt(cause)
    }

    fn sent_back(&self, failures: Vec<Failure>, by: SentBackBy) -> Vec<Event> {
        vec![Event::SentBack { failures, by }]
    }

    fn may_revise(&self, rules: Rules) -> bool {
        let is_fix = self.round().is_some_and(|it| it.proposer != Proposer::Builder);
        rules.pass(Guard::RevisionsBounded, self.retry_count < REVISIONS_MAX)
            && rules.pass(Guard::FixHasNoRevisions, !is_fix)
    }

    /// Sends an answer back, or halts once there are no more tries.
    fn refused(&self, role: Role, defects: Vec<Defect>, rules: Rules) -> Decided {
        let mut events = vec![self.answer_refused(role, &defects)];
        if !rules.pass(Guard::RetriesBounded, self.attempt <= RETRIES_MAX) {
            events.extend(self.halt(Cause::AgentOutputInvalid { role, defects }));
        }
        Ok(events)
    }

    fn answer_refused(&self, role: Role, defects: &[Defect]) -> Event {
        Event::AnswerRefused { role, attempt: self.attempt, defects: defects.to_vec() }
    }

    fn halt(&self, cause: Cause) -> Vec<Event> {
        vec![Event::Halted { id: self.next_escalation(), cause }]
    }
}

fn examined(dossier: &Dossier, files: &[String]) -> Decided {
    dossier.check()?;
    if files.len() > FILES_MAX || files.iter().any(|it| it.len() > 1024) {
        return Err(Rejected::TooMany { what: "files", most: FILES_MAX });
    }
    Ok(vec![Event::Examined { dossier: dossier.clone(), files: files.to_vec() }])
}

fn probed(round: &Round, arguments: &str, effect: &EffectId, result: &ProbeResult) -> Decided {
    if !result.is_bounded() {
        return Err(Rejected::BadText);
    }
    // The effect's id ends in the number of the probe.
    let is_asked = |nth: u32| effect.as_str().ends_with(&format!("/try-{nth}"));
    let open = round.probes.iter().filter(|it| it.result.is_none());
    let mut open = open.filter(|it| is_asked(it.nth) && it.arguments == arguments);
    match open.next() {
        Some(probe) => Ok(vec![Event::Probed { nth: probe.nth, result: result.clone() }]),
        None => Err(Rejected::NotOwed { effect: effect.clone() }),
    }
}

/// The amendments that the machine does not find in the tree.
fn missing(round: &Round, observed: &[Observed]) -> Option<Cause> {
    let amendments = round.amendments();
    let missing = unapplied(amendments, observed);
    let named = missing.iter().filter_map(|nth| amendments.get(usize::try_from(*nth).ok()?));
    (!missing.is_empty()).then(|| Cause::AmendmentsMissing { amendments: named.cloned().collect() })
}

fn same_tree(expected: Digest, found: Digest, rules: Rules) -> Result<(), Rejected> {
    if rules.pass(Guard::SameTree, expected == found) {
        return Ok(());
    }
    Err(Rejected::OtherTree { expected, found })
}

fn failure(invariant: &str, evidence: &str, required_change: &str) -> Failure {
    Failure {
        invariant: invariant.to_string(),
        evidence: evidence.to_string(),
        required_change: required_change.to_string(),
    }
}

fn said(why: &str) -> Result<String, Rejected> {
    if shown_chars(why) == 0 || why.len() > TEXT_BYTES_MAX {
        return Err(Rejected::BadText);
    }
    Ok(why.to_string())
}

pub(super) const FILES_MAX: usize = 4096;
const DIMENSIONS_MAX: usize = 5;
const FAILED_SHOWN_MAX: usize = 20;
