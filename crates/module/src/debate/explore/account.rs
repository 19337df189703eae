//! A second account of the rules, kept from the answers alone: where each must lead, and what holds everywhere.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use sealwright_kernel::{Digest, Machine as _, Role};

use super::world::{Move, Truth};
use crate::debate::adjudication::Decision;
use crate::debate::challenge::{Assessment, ChallengeVerdict, Criterion, MILD};
use crate::debate::round::Round;
use crate::debate::vocabulary::Effect;
use crate::debate::vocabulary::{Event, Judge, Origin, Want};
use crate::debate::{Module, Stage};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) revisions: u32,
    pub(super) fixes: u32,
    /// Whether a person proposes in this round.
    is_fix: bool,
    /// Unusable answers to the current call.
    refused: u32,
    pub(super) is_clean: bool,
    pub(super) probes: u32,
    /// A challenge that counts: about which tree, and whether it passes.
    pub(super) challenged: Option<(Digest, bool)>,
    /// The tree that an arbiter or a person approved.
    approved: Option<Digest>,
    pub(super) amends_contract: bool,
    /// The tree with verified amendments.
    amended: Option<Digest>,
    surface: Option<Digest>,
    tests: Option<Digest>,
    pub(super) may_override: bool,
}

pub(super) struct Step<'s> {
    pub(super) before: &'s Module,
    pub(super) made: &'s Move,
    pub(super) events: &'s [Event],
    pub(super) after: &'s Module,
}

impl Account {
    pub(super) fn step(&self, step: &Step<'_>) -> Result<Self, String> {
        history_is_kept(step)?;
        let mut next = *self;
        let stage = step.after.stage();
        let expected = self.expected(step);
        if !expected.is_empty() && !expected.contains(&name(stage)) {
            return Err(format!("led to {} instead of {expected:?}", name(stage)));
        }
        next.note(step);
        for event in step.events {
            if let Event::Promoted { tree, .. } = event {
                self.may_ship(*tree)?;
            }
        }
        Ok(next)
    }

    /// What holds in every state.
    pub(super) fn state(&self, module: &Module) -> Result<(), String> {
        let Some(data) = module.data() else { return Ok(()) };
        let fail = |why: &str| Err(format!("{why} in {:?}", module.stage()));
        if data.retry_count > 2 || data.retry_count != self.revisions {
            return fail("more revisions than there are");
        }
        if data.rounds.len() > 3 + data.fixes as usize {
            return fail("more rounds than revisions and fixes");
        }
        if self.refused > 2 {
            return fail("a call is tried more than three times");
        }
        for effect in module.owed() {
            if let Effect::Module { attempt, want, .. } = effect {
                let is_call = want.role().is_some();
                if is_call && attempt != self.refused + 1 {
                    return fail("the attempt is not the number of unusable answers");
                }
                if let Want::Promote { tree, .. } = want {
                    self.may_ship(tree)?;
                }
            }
        }
        match (module.stage(), module.escalation()) {
            (Stage::Halted { .. }, Some(it))
                if it.trail == data.rounds && !it.options.is_empty() => {}
            (Stage::Halted { .. }, _) => return fail("a halt without its whole trail"),
            (_, Some(_)) => return fail("an escalation without a halt"),
            (_, None) => {}
        }
        for round in &data.rounds {
            round_is_right(round)?;
        }
        let waits = !module.owed().is_empty() || matches!(module.stage(), Stage::Halted { .. });
        if module.is_over() && waits {
            return fail("an ended module owes something");
        }
        if !module.is_over() && !waits {
            return fail("nothing is owed and nothing has ended");
        }
        Ok(())
    }

    /// Nothing ships without a challenge, an approval and a ship check, all of one tree.
    fn may_ship(&self, tree: Digest) -> Result<(), String> {
        let approved = self.amended.or(self.approved);
        let is_checked = self.surface == Some(tree) && self.tests == Some(tree);
        let is_challenged = match self.challenged {
            Some((of, passes)) => {
                self.approved == Some(of) && (passes || self.amended.is_some() || self.may_override)
            }
            None => self.may_override,
        };
        if approved == Some(tree) && is_checked && is_challenged {
            return Ok(());
        }
        Err(format!("it ships without proof: {self:?}"))
    }

    fn may_revise(&self) -> bool {
        self.revisions < 2 && !self.is_fix
    }

    /// Where a move has to lead. Nothing means anywhere.
    fn expected(&self, step: &Step<'_>) -> Vec<&'static str> {
        let here = name(step.before.stage());
        let last = self.refused == 2;
        let revise_or = |other| if self.may_revise() { "proposing" } else { other };
        let to = match step.made.truth {
            Truth::Lie => "nowhere",
            Truth::Unknown | Truth::Plain => return Vec::new(),
            Truth::Stops => "halted",
            Truth::Unusable { is_read } => match step.before.stage() {
                _ if !last => here,
                Stage::Challenging => revise_or("adjudicating"),
                Stage::Adjudicating if is_read => revise_or("halted"),
                _ => "halted",
            },
            Truth::Proposal | Truth::Fix => "examining",
            Truth::Dossier { .. } => "challenging",
            Truth::Challenge { passes: true, .. } => "adjudicating",
            Truth::Challenge { blames_plan: true, .. } => "halted",
            Truth::Challenge { splits: true, .. } if !self.may_revise() => "halted",
            Truth::Challenge { .. } => revise_or("adjudicating"),
            Truth::Adjudication(Decision::Approve) | Truth::Override => "reading surface",
            Truth::Adjudication(Decision::ApproveWithAmendments) => "amending",
            Truth::Adjudication(Decision::Reject) => revise_or("halted"),
            Truth::Applied { is_all: true } => "seeing amendments",
            Truth::Applied { is_all: false } => "halted",
            Truth::Seen { is_there: true, is_lawful: true } => "reading surface",
            Truth::Seen { .. } => "halted",
            Truth::Surface { same_tree: true, is_there: true, is_equal: true } => "testing",
            Truth::Surface { same_tree: true, is_there: true, is_equal: false } => {
                revise_or("halted")
            }
            Truth::Surface { .. } | Truth::Tests { same_tree: false, .. } => "halted",
            Truth::Tests { passes: true, .. } => "promoting",
            Truth::Tests { passes: false, .. } => revise_or("halted"),
            Truth::Promoted => "shipped",
            Truth::Abandon => "abandoned",
        };
        [to].to_vec()
    }

    fn note(&mut self, step: &Step<'_>) {
        if name(step.before.stage()) != name(step.after.stage()) {
            self.refused = 0;
        }
        let round = step.after.data().and_then(|data| data.round());
        let tree = round.map_or(Digest::ZERO, |it| it.tree);
        match step.made.truth {
            Truth::Unusable { .. } if name(step.before.stage()) == name(step.after.stage()) => {
                self.refused += 1;
            }
            Truth::Dossier { is_clean } => self.is_clean = is_clean,
            Truth::Challenge { passes, .. } => self.challenged = Some((of(step), passes)),
            Truth::Adjudication(Decision::Approve | Decision::ApproveWithAmendments) => {
                self.approved = Some(tree);
                self.amends_contract = round.is_some_and(|it| {
                    it.amendments().iter().any(|it| it.target.starts_with("contract:"))
                });
            }
            Truth::Override => self.approved = Some(tree),
            Truth::Seen { is_there: true, is_lawful: true } => {
                self.amended = round.map(Round::deliverable);
            }
            Truth::Surface { same_tree: true, is_there: true, is_equal: true } => {
                self.surface = round.map(Round::deliverable);
            }
            Truth::Tests { same_tree: true, passes: true } => {
                self.tests = round.map(Round::deliverable);
            }
            Truth::Unknown => self.note_unknown(step),
            _ => {}
        }
        if step.events.iter().any(|it| matches!(it, Event::ProbeAsked { .. })) {
            self.probes += 1;
        }
        let before = step.before.data().map_or(0, |it| it.rounds.len());
        let after = step.after.data().map_or(0, |it| it.rounds.len());
        if after > before {
            let is_fix = step.made.truth == Truth::Fix;
            *self = Self {
                revisions: self.revisions + u32::from(!is_fix && before > 0),
                fixes: self.fixes + u32::from(is_fix),
                is_fix,
                ..Self::default()
            };
        }
        if let Stage::Halted { .. } = step.after.stage()
            && let Stage::Challenging | Stage::Adjudicating | Stage::Amending = step.before.stage()
        {
            let is_rejection = round.and_then(|it| it.adjudication.as_ref());
            let is_rejection = is_rejection.is_some_and(|(it, _)| it.decision == Decision::Reject);
            self.may_override = self.is_clean && is_rejection;
        } else if let Stage::Halted { .. } = step.after.stage()
            && !matches!(step.before.stage(), Stage::Halted { .. })
        {
            self.may_override = false;
        }
    }

    /// After a bent answer the account follows the machine, which has kept its own rules about the content.
    fn note_unknown(&mut self, step: &Step<'_>) {
        for event in step.events {
            match event {
                Event::AnswerRefused { .. } => self.refused += 1,
                Event::Challenged { challenge, origin: Origin::Challenger } => {
                    let passes = challenge.verdict == ChallengeVerdict::Pass;
                    self.challenged = Some((of(step), passes));
                }
                Event::Adjudicated { adjudication, .. }
                    if adjudication.decision != Decision::Reject =>
                {
                    self.approved = Some(of(step));
                    self.amends_contract = adjudication.amends_contract();
                }
                _ => {}
            }
        }
        if name(step.before.stage()) != name(step.after.stage()) {
            self.refused = 0;
        }
    }
}

/// The tree that was under debate before the step.
fn of(step: &Step<'_>) -> Digest {
    step.before.data().and_then(|data| data.round()).map_or(Digest::ZERO, |it| it.tree)
}

/// Rounds are only added to: what was recorded stays as it was.
fn history_is_kept(step: &Step<'_>) -> Result<(), String> {
    let rounds = |module: &Module| module.data().map_or(Vec::new(), |it| it.rounds.clone());
    let (before, after) = (rounds(step.before), rounds(step.after));
    let is_kept = |(one, other): (&Round, &Round)| {
        let settled = |was: bool, is_same: bool| !was || is_same;
        one.number == other.number
            && one.implementation == other.implementation
            && settled(one.proposal.is_some(), one.proposal == other.proposal)
            && settled(one.dossier.is_some(), one.dossier == other.dossier)
            && settled(one.challenge.is_some(), one.challenge == other.challenge)
            && other.refusals.starts_with(&one.refusals)
            && other.probes.len() >= one.probes.len()
            && settled(one.amended.is_some(), one.amended == other.amended)
            && settled(one.surface.is_some(), one.surface == other.surface)
            && settled(one.log.is_some(), one.log == other.log)
    };
    let earlier = before.len().saturating_sub(1);
    let are_kept = before.len() <= after.len()
        && before.iter().zip(&after).all(is_kept)
        && before.iter().take(earlier).eq(after.iter().take(earlier));
    if are_kept { Ok(()) } else { Err("a round was changed afterwards".to_string()) }
}

/// What holds of a round, read off its records alone.
fn round_is_right(round: &Round) -> Result<(), String> {
    let fail = |why: &str| Err(format!("{why} in round {}", round.number));
    if let Some((challenge, origin)) = &round.challenge {
        let entries = &challenge.rubric_assessments;
        let is_once =
            |it: &Criterion| entries.iter().filter(|entry| entry.criterion == *it).count() == 1;
        let all_met = entries.iter().all(|it| it.assessment == Assessment::Met);
        let passes = challenge.verdict == ChallengeVerdict::Pass;
        if entries.len() != 6 || !Criterion::ALL.iter().all(is_once) {
            return fail("a challenge without six criteria");
        }
        if passes != challenge.failures.is_empty() || passes != all_met {
            return fail("a verdict that does not follow");
        }
        let is_mild = challenge.failures.iter().any(|it| it.invariant == MILD);
        if (*origin == Origin::Machine) != is_mild || (is_mild && round.mild_reviews() != 3) {
            return fail("a mild review that was not tried three times");
        }
    }
    if let Some((adjudication, by)) = &round.adjudication {
        let amends = adjudication.decision == Decision::ApproveWithAmendments;
        if amends == adjudication.amendments.is_empty() {
            return fail("amendments that do not belong to the decision");
        }
        let is_plain = adjudication.decision == Decision::Approve && *by == Judge::Arbiter;
        if is_plain && round.has_failed() {
            return fail("a failed challenge was approved");
        }
        if *by == Judge::Arbiter && round.is_approved() && !round.is_challenged() {
            return fail("something was approved that no challenge tried to disprove");
        }
    }
    let calls = |role| round.refusals.iter().filter(|it| it.role == role).count();
    if calls(Role::Challenger) > 3 || calls(Role::Arbiter) > 3 || calls(Role::Builder) > 6 {
        return fail("more tries than there are");
    }
    Ok(())
}

fn name(stage: &Stage) -> &'static str {
    match stage {
        Stage::Unborn => "unborn",
        Stage::Building => "building",
        Stage::Proposing => "proposing",
        Stage::Examining => "examining",
        Stage::Challenging => "challenging",
        Stage::Adjudicating => "adjudicating",
        Stage::Amending => "amending",
        Stage::SeeingAmendments => "seeing amendments",
        Stage::ReadingSurface => "reading surface",
        Stage::Testing => "testing",
        Stage::Promoting => "promoting",
        Stage::Shipped { .. } => "shipped",
        Stage::Halted { .. } => "halted",
        Stage::Abandoned => "abandoned",
    }
}
