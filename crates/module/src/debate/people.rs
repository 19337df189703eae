//! What a person may answer to a halt, and what they are shown.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use sealwright_kernel::{Actor, EscalationId};

use super::adjudication::{Adjudication, Decision, ShipDirective};
use super::answer::{TEXT_BYTES_MAX, shown_chars};
use super::escalation::{Cause, Escalation, Resolution, ResolutionKind};
use super::guards::{Guard, Rules};
use super::proposal::Proposal;
use super::round::{Proposer, Round, eight, mint};
use super::steps::Decided;
use super::vocabulary::{Event, Rejected};
use super::{FIXES_MAX, ModuleData, Stage};

impl ModuleData {
    pub(super) fn resolved(
        &self,
        stage: &Stage,
        by: &Actor,
        escalation: &EscalationId,
        resolution: &Resolution,
        rules: Rules,
    ) -> Decided {
        let Stage::Halted { id, cause } = stage else { return Err(Rejected::NotHalted) };
        if !rules.pass(Guard::SameEscalation, id == escalation) {
            return Err(Rejected::OtherEscalation { escalation: escalation.clone() });
        }
        let is_named = by.person().is_some_and(|name| name.len() <= NAME_BYTES_MAX);
        if !rules.pass(Guard::PersonDecides, is_named) {
            return Err(Rejected::NotAPerson);
        }
        let by = String::from(by.person().unwrap_or_default());
        let (Resolution::ApproveOverride { rationale: text }
        | Resolution::AbandonModule { rationale: text }
        | Resolution::ProvideFix { fix_description: text, .. }) = resolution;
        if shown_chars(text) == 0 || text.len() > TEXT_BYTES_MAX {
            return Err(Rejected::BadText);
        }
        if !self.options_by(cause, rules).contains(&resolution.kind()) {
            return Err(Rejected::NotPossible { kind: resolution.kind() });
        }
        let charter = &self.charter;
        Ok(vec![match resolution {
            Resolution::ApproveOverride { rationale } => {
                let round = self.round().map_or(0, |it| it.number);
                let implementation = self.round().map(|it| it.implementation.id().into());
                let adjudication = Adjudication {
                    adjudication_id: mint(charter, round, "ADJ", "override"),
                    target_artifact_id: implementation.unwrap_or_default(),
                    decision: Decision::Approve,
                    amendments: vec![],
                    rationale: rationale.clone(),
                    ship_directive: ShipDirective::Ship,
                };
                Event::Overridden { adjudication, by }
            }
            Resolution::ProvideFix { fix_description, tree } => {
                let number = self.round_number() + 1;
                let proposer = Proposer::Person { name: by.clone() };
                let round = Round::new(charter, number, proposer, self.round(), *tree);
                let proposal = Proposal {
                    proposal_id: mint(charter, number, "PROP", "proposal"),
                    target_artifact_id: round.implementation.id().into(),
                    claim: fix_description.clone(),
                    deliverable_ref: round.implementation,
                    acceptance_checks: charter.criteria.clone(),
                };
                Event::FixProvided { tree: *tree, proposal, by }
            }
            Resolution::AbandonModule { rationale } => {
                Event::Abandoned { by, rationale: rationale.clone() }
            }
        }])
    }

    pub(super) fn escalation(&self, id: &EscalationId, cause: &Cause) -> Escalation {
        Escalation {
            escalation_id: id.clone(),
            module: self.charter.module.clone(),
            cause: cause.clone(),
            reach: cause.reach(),
            trail: self.rounds.clone(),
            failed_invariants: cause.failed_invariants(),
            minimal_decision_required: cause.decision().into(),
            mild_reviews: self.rounds.iter().map(Round::mild_reviews).sum(),
            options: self.options_by(cause, Rules::ALL),
        }
    }

    pub(super) fn next_escalation(&self) -> EscalationId {
        let Self { charter, escalations, .. } = self;
        let what = format!("escalation-{}", escalations + 1);
        let id = format!("ESC-{}", eight(&charter.task, &charter.module, 0, &what));
        EscalationId::try_from(id).expect("it is a prefix and eight hex digits")
    }

    /// The possible answers, the recommended one first.
    fn options_by(&self, cause: &Cause, rules: Rules) -> Vec<ResolutionKind> {
        let may_override = rules.pass(Guard::OverrideJudgement, cause.is_a_judgement())
            && rules.pass(Guard::OverrideVerified, self.is_verified())
            && self.round().is_some();
        let override_it = may_override.then_some(ResolutionKind::ApproveOverride);
        let fix = (self.fixes < FIXES_MAX).then_some(ResolutionKind::ProvideFix);
        let options = [override_it, fix, Some(ResolutionKind::AbandonModule)];
        options.into_iter().flatten().collect()
    }

    /// Whether the machine itself found nothing wrong with the current tree.
    pub(super) fn is_verified(&self) -> bool {
        let Some(round) = self.round() else { return false };
        let is_whole = |it: &super::dossier::Dossier| {
            it.tree == round.tree
                && it.findings(&self.charter, self.locked(), &round.probes).is_empty()
        };
        round.amended.is_none() && round.dossier.as_ref().is_some_and(is_whole)
    }
}

pub(super) const NAME_BYTES_MAX: usize = 256;
