//! How a task decides on input of people and on notices about its files.

use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

use super::charter::{CRITERIA_MAX, TITLE_BYTES_MAX};
use super::escalation::{Cause, Escalation, Resolution};
use super::steps::{said, send_back};
use super::{
    Budget, Bundle, Charter, Choice, Completion, Event, Freeze, Notice, PersonInput, Phase,
    Question, QuestionSubject, RecordOwner, Rejected, SentBackBy, Stage, Task, TaskData, slice,
};
use crate::bounds::bounded;
use crate::owner::Guard;
use crate::{Actor, Digest};

type Decided = Result<Vec<Event>, Rejected>;

pub(super) fn create(by: &Actor, charter: &Charter) -> Decided {
    let by = person(by)?.to_string();
    match charter.check() {
        Some(why) => Err(Rejected::Charter { why }),
        None => Ok(vec![Event::Created { charter: charter.clone(), by }]),
    }
}

/// The name of the person; any other actor is rejected.
pub(super) fn person(by: &Actor) -> Result<&str, Rejected> {
    by.person().ok_or(Rejected::NotAPerson)
}

impl TaskData {
    pub(super) fn person(
        &self,
        task: &Task,
        stage: &Stage,
        by: &str,
        says: &PersonInput,
    ) -> Decided {
        let by = by.to_string();
        match says {
            PersonInput::Decide { question, item, choice, rationale } => {
                let Some((open, asked)) = task.question() else { return Err(Rejected::Stale) };
                if open != *question {
                    return Err(Rejected::Stale);
                }
                if asked.item != *item {
                    return Err(Rejected::OtherItem);
                }
                bounded(rationale.len(), TEXT_BYTES_MAX, "bytes")?;
                self.decided(&asked, by, *choice, rationale)
            }
            PersonInput::Resolve { escalation, resolution } => {
                let Stage::Halted { escalation: open } = stage else { return Err(Rejected::Stale) };
                if open.id != *escalation {
                    return Err(Rejected::Stale);
                }
                self.resolve(open, resolution, by)
            }
            PersonInput::Heal { cheat, reason } => {
                said(reason)?;
                let Some(phase @ (Phase::Verify | Phase::Review)) = stage.phase() else {
                    return Err(Rejected::NothingToHeal);
                };
                Ok(self.cheated(phase, *cheat, reason, self.security()))
            }
            PersonInput::Adopt { text, title, criteria, lane, header } => {
                if title.trim().is_empty() || title.len() > TITLE_BYTES_MAX {
                    return Err(Rejected::Charter { why: "the title is missing or too long" });
                }
                bounded(criteria.len(), CRITERIA_MAX, "criteria")?;
                let (text, title, criteria) = (*text, title.clone(), criteria.clone());
                let (lane, header) = (*lane, *header);
                let mut after = self.clone();
                (after.charter.text, after.charter.lane, after.charter.header) =
                    (text, lane, header);
                after.charter.criteria.clone_from(&criteria);
                let adopted = Event::Adopted { text, title, criteria, lane, header, by };
                let led_to = match (stage, &self.bundle) {
                    // The drafted bundle is offered again under the new header.
                    (Stage::AwaitingFreeze { .. }, Some(bundle)) => {
                        let item = bundle.item(&after.charter);
                        vec![Event::Bundled { bundle: bundle.clone(), item }]
                    }
                    (_, _) => after.void(stage, "the task was edited and adopted"),
                };
                Ok([adopted].into_iter().chain(led_to).collect())
            }
            PersonInput::Acknowledge { what } => {
                if self.tampered.contains(what) {
                    Ok(vec![Event::Acknowledged { by, what: what.clone() }])
                } else {
                    Err(Rejected::Stale)
                }
            }
            PersonInput::Note { text } => {
                said(text)?;
                bounded(self.notes.len() + 1, NOTES_MAX, "notes")?;
                Ok(vec![Event::Noted { by, text: text.clone() }])
            }
            PersonInput::RaiseBudget { budget } => self.raised(by, budget),
            PersonInput::Cancel { rationale } => {
                said(rationale)?;
                bounded(rationale.len(), TEXT_BYTES_MAX, "bytes")?;
                Ok(vec![Event::Abandoned { by, rationale: rationale.clone() }])
            }
        }
    }

    fn decided(&self, asked: &Question, by: String, choice: Choice, rationale: &str) -> Decided {
        let tree = self.tree.unwrap_or(Digest::ZERO);
        match (&asked.about, choice) {
            (QuestionSubject::Freeze, Choice::Approve) => {
                self.may_open()?;
                let Some(bundle) = &self.bundle else { return Err(Rejected::Stale) };
                Ok(self.freeze(bundle, asked.item, by, Freeze::Asked))
            }
            (QuestionSubject::Freeze, Choice::Reject | Choice::Amend) => {
                said(rationale)?;
                Ok(vec![Event::FreezeDeclined { by, choice, rationale: rationale.to_string() }])
            }
            (QuestionSubject::Done { .. }, Choice::Approve) => {
                self.may_open()?;
                said(rationale)?;
                if self.verified != Some(tree) {
                    return Err(Rejected::OtherTree);
                }
                let owner = RecordOwner::Person(by);
                Ok(vec![self.pass(Completion::Pass, owner, rationale.to_string(), tree)])
            }
            (QuestionSubject::Done { .. }, Choice::Reject | Choice::Amend) => {
                said(rationale)?;
                Ok(send_back(vec![rationale.to_string()], SentBackBy::Person))
            }
            (QuestionSubject::Budget { .. }, Choice::Approve | Choice::Amend) => {
                Err(Rejected::NoAmount)
            }
            // Declining a larger budget abandons the task.
            (QuestionSubject::Budget { .. }, Choice::Reject) => {
                said(rationale)?;
                Ok(vec![Event::Abandoned { by, rationale: rationale.to_string() }])
            }
            // A halt needs a resolution with a payload, not an approval.
            (QuestionSubject::Halt { .. }, Choice::Approve | Choice::Reject | Choice::Amend) => {
                Err(Rejected::Stale)
            }
        }
    }

    fn raised(&self, by: String, budget: &Budget) -> Decided {
        if let Some(bound) = budget.reached(self.spending.all().cost) {
            return Err(Rejected::SpentAlready { bound });
        }
        if self.charter.budget.unwrap_or_default() == *budget {
            return Err(Rejected::Known);
        }
        Ok(vec![Event::BudgetRaised { by, budget: *budget }])
    }

    /// Conditions that an approval cannot override.
    fn may_open(&self) -> Result<(), Rejected> {
        if self.charter.header.is_guarded() == Guard::Missing {
            return Err(Rejected::Unguarded);
        }
        if self.drifted.is_some() {
            return Err(Rejected::Unadopted);
        }
        Ok(())
    }

    fn resolve(&self, open: &Escalation, resolution: &Resolution, by: String) -> Decided {
        resolution.check()?;
        let kind = resolution.kind();
        if !open.cause.options(self.halt_context()).contains(&kind) {
            return Err(Rejected::NotAdmitted { kind });
        }
        let post_mortem = open.post_mortem(resolution);
        let resolved = Event::Resolved {
            escalation: open.id.clone(),
            resolution: resolution.clone(),
            by: by.clone(),
        };
        let reopened = |at| Event::Reopened { attempt: self.attempt + 1, at, post_mortem };
        let led_to = match resolution {
            Resolution::AmendSpec { .. } => vec![reopened(Phase::Intake)],
            Resolution::RevisePlan { revised_plan, .. } => {
                revised_plan.iter().try_for_each(slice::Planned::check)?;
                let Some(bundle) = &self.bundle else { return Err(Rejected::NotAdmitted { kind }) };
                let bundle = Bundle { plan: revised_plan.clone(), ..bundle.clone() };
                let item = bundle.item(&self.charter);
                vec![reopened(Phase::Shape), Event::Bundled { bundle, item }]
            }
            Resolution::ProvideFix { .. } => vec![reopened(Phase::Verify)],
            Resolution::ApproveOverride { rationale } => {
                let tree = self.tree.unwrap_or(Digest::ZERO);
                let owner = RecordOwner::Person(by);
                vec![self.pass(Completion::RiskAccepted, owner, rationale.clone(), tree)]
            }
            Resolution::SplitTask { rationale, .. } | Resolution::AbandonTask { rationale } => {
                vec![Event::Abandoned { by, rationale: rationale.clone() }]
            }
        };
        Ok([resolved].into_iter().chain(led_to).collect())
    }

    pub(super) fn noticed(&self, stage: &Stage, notice: &Notice) -> Decided {
        match notice {
            Notice::ViewEdited { view, kept, notes, ignored } => {
                // Notes beyond the limit are dropped; the edited file is kept whole in the store.
                let room = NOTES_MAX.saturating_sub(self.notes.len());
                let (view, kept) = (view.clone(), *kept);
                let notes = notes.iter().take(room).cloned().collect();
                let ignored = ignored.iter().take(NOTES_MAX).cloned().collect();
                Ok(vec![Event::ViewEdited { view, kept, notes, ignored }])
            }
            Notice::SnapshotTampered { snapshot, kept } => {
                bounded(self.tampered.len() + 1, NOTES_MAX, "snapshots")?;
                Ok(vec![Event::SnapshotTampered { snapshot: snapshot.clone(), kept: *kept }])
            }
            Notice::TextDrifted { found } if self.drifted == Some(*found) => Err(Rejected::Known),
            Notice::TextDrifted { found } => {
                let drifted = Event::TextDrifted { found: *found };
                let void = self.void(stage, "the task's text was edited by hand");
                Ok([drifted].into_iter().chain(void).collect())
            }
            Notice::TextRestored => match self.drifted {
                Some(_) => Ok(vec![Event::TextRestored]),
                None => Err(Rejected::Known),
            },
        }
    }

    /// Voids the freeze and halts work that depends on it.
    fn void(&self, stage: &Stage, what: &str) -> Vec<Event> {
        if self.frozen.is_none() {
            return vec![];
        }
        let voided = Event::FreezeVoided { what: what.to_string() };
        if matches!(stage, Stage::Halted { .. }) {
            return vec![voided];
        }
        let mut after = self.clone();
        (after.frozen, after.guarded) = (None, None);
        let from = stage.phase().unwrap_or(Phase::Shape);
        let halted = after.halt(from, Cause::FreezeVoid { what: what.to_string() });
        [voided].into_iter().chain(halted).collect()
    }
}

const NOTES_MAX: usize = 1_024;
const TEXT_BYTES_MAX: usize = 4_096;
