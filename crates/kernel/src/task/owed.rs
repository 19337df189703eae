//! Which effects a task owes, and which of them it withholds.
//!
//! Once the budget is reached, no further role is called until a person raises it. The machine's own checks go on, and
//! the answer of a role that was called before is still taken.
//!
//! ```text
//! due ─┬─ calls no role, or the budget is not reached ─▶ owed
//!      └─ calls a role and the budget is reached ──────▶ withheld; a person is asked instead
//! ```

use alloc::vec;
use alloc::vec::Vec;

use super::escalation::Escalation;
use super::{
    Bound, Bundle, Effect, Membership, Probe, Question, QuestionSubject, Rejected, Stage, Status,
    Task, TaskData, Want, slice, steps,
};
use crate::{Digest, EffectId, Machine as _};

impl Task {
    /// The effects that call a role and wait until a person raises the budget.
    pub fn withheld(&self) -> Vec<Effect> {
        let Some(data) = &self.data else { return vec![] };
        match data.out_of_budget() {
            Some(_) => self.due(data).into_iter().filter(Effect::asks_a_role).collect(),
            None => vec![],
        }
    }

    /// The open question to a person, with its effect id.
    pub fn question(&self) -> Option<(EffectId, Question)> {
        self.owed().into_iter().find_map(|effect| {
            let id = crate::Effect::id(&effect);
            match effect {
                Effect::Task { want: Want::Ask { question }, .. } => Some((id, question)),
                Effect::Task { .. } | Effect::Slice { .. } => None,
            }
        })
    }

    /// The effects that may be started now.
    pub(super) fn may_be_begun(&self) -> Vec<Effect> {
        let Some(data) = &self.data else { return vec![] };
        let mut due = self.due(data);
        if data.out_of_budget().is_none() {
            return due;
        }
        let all = due.len();
        due.retain(|effect| !effect.asks_a_role());
        if due.len() < all {
            due.extend(data.budget_question());
        }
        due
    }

    /// All effects whose report would be heard, whether or not they may be started.
    pub(super) fn waited_for(&self) -> Vec<Effect> {
        self.withheld().into_iter().chain(self.may_be_begun()).collect()
    }

    /// The pending effect with this id.
    pub(super) fn asked(&self, id: &EffectId) -> Result<Effect, Rejected> {
        let all = self.waited_for().into_iter();
        let mut named = all.filter(|effect| crate::Effect::id(effect) == *id);
        named.next().ok_or_else(|| Rejected::NotOwed { effect: id.clone() })
    }

    /// Whether the task can only go on after a person raises the budget.
    pub(super) fn is_held_up(&self) -> bool {
        let Some(data) = &self.data else { return false };
        if data.out_of_budget().is_none() {
            return false;
        }
        let own = self.wants(data).into_iter().map(|want| data.effect(want));
        let work: Vec<Effect> = own.chain(self.slice_owes(data)).collect();
        !work.is_empty() && work.iter().all(Effect::asks_a_role)
    }

    /// All effects of the current state, ignoring the budget.
    fn due(&self, data: &TaskData) -> Vec<Effect> {
        let own = self.wants(data).into_iter().chain(data.tell(self));
        own.map(|want| data.effect(want)).chain(self.slice_owes(data)).collect()
    }

    fn slice_owes(&self, data: &TaskData) -> Vec<Effect> {
        let owed = if matches!(self.stage, Stage::Implement) {
            data.slices.last().map(crate::Machine::owed).unwrap_or_default()
        } else {
            vec![]
        };
        owed.into_iter().map(|effect| Effect::Slice { effect }).collect()
    }

    fn wants(&self, data: &TaskData) -> Vec<Want> {
        let tree = data.tree.unwrap_or(Digest::ZERO);
        let ask =
            |about, item, confidence| Want::Ask { question: Question { about, item, confidence } };
        match &self.stage {
            Stage::Pending => match data.charter.belongs {
                Membership::Alone => vec![Want::Lease],
                Membership::Project => vec![],
            },
            Stage::Intake => vec![Want::Frame],
            Stage::Drafting { declined, missing } => {
                vec![Want::Shape { declined: declined.clone(), missing: missing.clone() }]
            }
            Stage::AwaitingFreeze { item } => {
                let confidence = data.bundle.as_ref().map_or(0, Bundle::confidence);
                vec![ask(QuestionSubject::Freeze, *item, confidence)]
            }
            Stage::WritingTests { vacuous } => {
                vec![Want::WriteTests { vacuous: vacuous.clone() }]
            }
            Stage::RedRun { tests, tree } => vec![Want::RunRed { tests: *tests, tree: *tree }],
            Stage::ApplyingFix { patch, places } => {
                vec![Want::ApplyFix { patch: *patch, places: places.clone() }]
            }
            Stage::Probing { results } => {
                let is_open = |probe: &Probe| !results.iter().any(|(done, _)| done == probe);
                let open = data.probes().into_iter().filter(is_open);
                open.map(|probe| Want::Probe { probe, tree }).collect()
            }
            Stage::Challenging => vec![Want::Challenge { tree, nth: data.revisions + 1 }],
            Stage::Adjudicating => vec![Want::Adjudicate { tree }],
            Stage::CheckingAmendments => {
                vec![Want::CheckAmendments { amendments: data.amendments.clone(), tree }]
            }
            Stage::AwaitingOwner { item } => {
                let residue = data.residue.clone();
                let confidence = if residue.is_empty() { 90 } else { 50 };
                vec![ask(QuestionSubject::Done { residue }, *item, confidence)]
            }
            Stage::Shipping => vec![Want::Ship { tree }],
            Stage::Repair => vec![Want::Repair { items: data.to_mend.clone(), tree }],
            Stage::Halted { escalation } => {
                let escalation = Escalation {
                    options: escalation.cause.options(data.halt_context()),
                    ..escalation.clone()
                };
                let item = steps::item_of(&escalation.id);
                vec![ask(QuestionSubject::Halt { escalation }, item, 0)]
            }
            Stage::Unborn | Stage::Implement | Stage::Done | Stage::Abandoned => vec![],
        }
    }
}

impl TaskData {
    /// The bound of the budget that is reached, if one is.
    pub fn out_of_budget(&self) -> Option<Bound> {
        self.charter.budget?.reached(self.spending.all().cost)
    }

    /// The status message to the project, if the project has not acknowledged the latest one.
    pub(super) fn tell(&self, task: &Task) -> Option<Want> {
        let is_due = self.charter.belongs == Membership::Project && self.told < self.news;
        let (news, status, phase) = (self.news, task.status(), task.phase());
        is_due.then_some(Want::Tell { news, status, phase })
    }

    fn effect(&self, want: Want) -> Effect {
        Effect::Task { task: self.charter.id.clone(), visit: self.visit, want }
    }

    /// The question changes with each receipt, because the amount spent does.
    fn budget_question(&self) -> Option<Effect> {
        let (budget, all) = (self.charter.budget?, self.spending.all());
        let about = QuestionSubject::Budget { spent: all.cost, calls: all.calls, budget };
        let item =
            Digest::of(alloc::format!("{}/budget/{}", self.charter.id, all.calls).as_bytes());
        let question = Question { about, item, confidence: 0 };
        Some(self.effect(Want::Ask { question }))
    }
}

impl Effect {
    /// Whether performing it calls a role and so costs money.
    pub fn asks_a_role(&self) -> bool {
        match self {
            Self::Task { want, .. } => match want {
                Want::Frame
                | Want::Shape { .. }
                | Want::WriteTests { .. }
                | Want::Probe { probe: Probe::Read(_), .. }
                | Want::Challenge { .. }
                | Want::Adjudicate { .. }
                | Want::Repair { .. } => true,
                Want::Lease
                | Want::Ask { .. }
                | Want::RunRed { .. }
                | Want::ApplyFix { .. }
                | Want::Probe { probe: Probe::Tripwire | Probe::Check(_), .. }
                | Want::CheckAmendments { .. }
                | Want::Ship { .. }
                | Want::Tell { .. } => false,
            },
            Self::Slice { effect } => match &effect.want {
                slice::Want::Scout { .. }
                | slice::Want::Consolidate { .. }
                | slice::Want::Plan
                | slice::Want::Edit { .. }
                | slice::Want::Audit
                | slice::Want::ChooseRung => true,
                slice::Want::RunGate { .. } => false,
            },
        }
    }
}

impl Status {
    /// The status of a working stage: parked while only a person can let it go on.
    pub(super) fn at_work(task: &Task) -> Self {
        if task.is_held_up() { Self::Parked } else { Self::InProgress }
    }
}
