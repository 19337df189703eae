//! Decisions: every one was made by a person, in their own record and in their own words.
//!
//! This does not lean on what `decide` would say: a rule may change, but never the one that nothing is decided in a
//! person's name that the person did not say.

use sealwright_kernel::Actor;
use sealwright_kernel::task::{
    Charter, Completion, Event, Freeze, Input, PersonInput, RecordOwner, SentBackBy,
};
use sealwright_store::Record;

/// What a person has to have said for an event to be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    Create,
    Decide,
    Resolve,
    Adopt,
    Acknowledge,
    Note,
    Budget,
    /// A halt that is resolved like that, or a budget that is not raised.
    GiveUp,
}

/// A task before the event, as far as decisions go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before<'a> {
    /// Who created it, and what was fixed then.
    pub(super) created: Option<(&'a str, &'a Charter)>,
}

/// Whether `event` carries a decision, and what is wrong with who made it.
pub(super) fn check(
    record: &Record,
    event: &Event,
    before: Before<'_>,
) -> Option<Result<(), String>> {
    let (due, by) = match event {
        Event::Created { by, .. } => (Due::Create, Some(by)),
        Event::Frozen { by, when: Freeze::InAdvance, .. } => {
            return Some(in_advance(by, before));
        }
        Event::Frozen { by, when: Freeze::Asked, .. } => (Due::Decide, Some(by)),
        Event::FreezeDeclined { by, .. } => (Due::Decide, Some(by)),
        Event::SentBack { by: SentBackBy::Person, .. } => (Due::Decide, None),
        Event::GatePassed { record } => match (&record.owner, record.outcome) {
            (RecordOwner::Run, Completion::Pass) => return None,
            (RecordOwner::Run, Completion::RiskAccepted) => {
                return Some(Err("a risk was accepted in nobody's name".to_owned()));
            }
            (RecordOwner::Person(by), Completion::Pass) => (Due::Decide, Some(by)),
            (RecordOwner::Person(by), Completion::RiskAccepted) => (Due::Resolve, Some(by)),
        },
        Event::Resolved { by, .. } => (Due::Resolve, Some(by)),
        Event::Abandoned { by, .. } => (Due::GiveUp, Some(by)),
        Event::BudgetRaised { by, .. } => (Due::Budget, Some(by)),
        Event::Adopted { by, .. } => (Due::Adopt, Some(by)),
        Event::Noted { by, .. } => (Due::Note, Some(by)),
        Event::Acknowledged { by, .. } => (Due::Acknowledge, Some(by)),
        Event::SentBack {
            by: SentBackBy::Challenge | SentBackBy::Amendments | SentBackBy::Ship,
            ..
        }
        | Event::Dispatched
        | Event::Entered { .. }
        | Event::Framed { .. }
        | Event::DraftRefused { .. }
        | Event::Bundled { .. }
        | Event::PlanLocked { .. }
        | Event::TestsWritten { .. }
        | Event::SeenRed { .. }
        | Event::SeenGreen { .. }
        | Event::Slice { .. }
        | Event::FixApplied { .. }
        | Event::Probed { .. }
        | Event::Verified { .. }
        | Event::VerifyFailed { .. }
        | Event::CheatConfirmed { .. }
        | Event::ChallengeDropped { .. }
        | Event::Challenged { .. }
        | Event::Adjudicated { .. }
        | Event::AmendmentsChecked { .. }
        | Event::OwnerAsked { .. }
        | Event::Repaired { .. }
        | Event::Shipped { .. }
        | Event::Halted { .. }
        | Event::Reopened { .. }
        | Event::FreezeVoided { .. }
        | Event::ViewEdited { .. }
        | Event::SnapshotTampered { .. }
        | Event::TextDrifted { .. }
        | Event::TextRestored
        | Event::Told { .. }
        | Event::Spent { .. } => return None,
    };
    Some(said(record, due, by.map(String::as_str)))
}

/// Whether whoever stands behind a record is who its cause says, and a person only where a person spoke.
pub(super) fn signer(record: &Record, cause: Option<&Input>) -> Result<(), String> {
    let signed_by = cause.and_then(sealwright_kernel::Input::signed_by);
    match (signed_by, &record.actor) {
        (Some(by), actor) if by == actor => Ok(()),
        (Some(_), _) => {
            Err("its cause is signed by somebody else than who stands behind it".to_owned())
        }
        (None, Actor::Human(_)) => Err("a person stands behind what no person said".to_owned()),
        (None, Actor::Role(..) | Actor::Machine | Actor::Environment) => Ok(()),
    }
}

fn said(record: &Record, due: Due, by: Option<&str>) -> Result<(), String> {
    let Actor::Human(actor) = &record.actor else {
        return Err(format!("it carries a decision{}, but no person stands behind it", of(by)));
    };
    if by.is_some_and(|by| by != actor) {
        return Err(format!("it carries a decision{}, but {actor} stands behind it", of(by)));
    }
    let cause: Option<Input> = serde_json::from_value(record.cause.clone()).ok();
    let (signed, spoken) = match &cause {
        Some(Input::Create { by, .. }) => (by, Due::Create),
        Some(Input::Person { by, says }) => (by, spoken(says)),
        Some(
            Input::Dispatch
            | Input::Report { .. }
            | Input::Slice { .. }
            | Input::Notice { .. }
            | Input::Spend { .. },
        )
        | None => return Err(format!("it carries a decision{} that nobody said", of(by))),
    };
    let is_due = match due {
        Due::GiveUp => matches!(spoken, Due::Resolve | Due::Decide),
        due => spoken == due,
    };
    match is_due && *signed == record.actor {
        true => Ok(()),
        false => Err(format!("it carries a decision{}, but its cause is another one", of(by))),
    }
}

fn spoken(says: &PersonInput) -> Due {
    match says {
        PersonInput::Decide { .. } => Due::Decide,
        PersonInput::Resolve { .. } => Due::Resolve,
        PersonInput::Adopt { .. } => Due::Adopt,
        PersonInput::Acknowledge { .. } => Due::Acknowledge,
        PersonInput::RaiseBudget { .. } => Due::Budget,
        // Nothing rests on who reported a cheat; that it was reported is in the record.
        PersonInput::Note { .. } | PersonInput::Heal { .. } => Due::Note,
    }
}

/// What is frozen in advance was decided when the task was created, by whoever created it.
fn in_advance(by: &str, before: Before<'_>) -> Result<(), String> {
    match before.created {
        Some((creator, charter)) if creator == by && charter.freeze == Freeze::InAdvance => Ok(()),
        Some(_) | None => {
            Err(format!("it was frozen in advance{}, who did not say so", of(Some(by))))
        }
    }
}

fn of(by: Option<&str>) -> String {
    by.map_or_else(String::new, |by| format!(" of {by}"))
}
