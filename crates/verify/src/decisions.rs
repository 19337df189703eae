//! Decisions: every decision was made by a person, in a record of that person.
//!
//! This check does not use `decide`. Rules may change between versions, but never this one: nothing is decided in a
//! person's name that the person did not say.

use sealwright_kernel::Actor;
use sealwright_kernel::task::{
    Charter, Completion, Event, Freeze, Input, PersonInput, RecordOwner, SentBackBy,
};
use sealwright_store::Record;

/// The person's input that an event requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    Create,
    Decide,
    Resolve,
    Adopt,
    Acknowledge,
    Note,
    Budget,
    Cancel,
    /// A task that was cancelled, a halt resolved by giving up, or a budget that was not raised.
    GiveUp,
}

/// The task before an event, as far as decisions need it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before<'a> {
    /// The creator and the charter.
    pub(super) created: Option<(&'a str, &'a Charter)>,
}

/// Checks the person behind `event`. `None` if the event carries no decision.
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
                return Some(Err("a risk was accepted without a person".to_owned()));
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
        | Event::Based { .. }
        | Event::Dispatched
        | Event::Entered { .. }
        | Event::Framed { .. }
        | Event::DraftRefused { .. }
        | Event::Bundled { .. }
        | Event::PlanLocked { .. }
        | Event::TestsWritten { .. }
        | Event::SeenRed { .. }
        | Event::SeenKept { .. }
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
        | Event::Learned { .. }
        | Event::ViewEdited { .. }
        | Event::SnapshotTampered { .. }
        | Event::TextDrifted { .. }
        | Event::TextRestored
        | Event::Told { .. }
        | Event::Spent { .. } => return None,
    };
    Some(said(record, due, by.map(String::as_str)))
}

/// The actor of a record must be the signer of its cause. A person may only be the actor if the cause is a person's
/// input. That holds in every stream, whatever machine keeps it.
pub(super) fn signer<I: sealwright_kernel::Input>(
    record: &Record,
    cause: Option<&I>,
) -> Result<(), String> {
    let signed_by = cause.and_then(I::signed_by);
    match (signed_by, &record.actor) {
        (Some(by), actor) if by == actor => Ok(()),
        (Some(_), _) => Err("the cause is signed by another actor than the record's".to_owned()),
        (None, Actor::Human(_)) => {
            Err("the actor is a person, but the cause is no input of a person".to_owned())
        }
        (None, Actor::Role(..) | Actor::Machine | Actor::Environment) => Ok(()),
    }
}

fn said(record: &Record, due: Due, by: Option<&str>) -> Result<(), String> {
    let Actor::Human(actor) = &record.actor else {
        return Err(format!("a decision{}, but the actor is not a person", of(by)));
    };
    if by.is_some_and(|by| by != actor) {
        return Err(format!("a decision{}, but the actor is {actor}", of(by)));
    }
    let cause: Option<Input> = serde_json::from_value(record.cause.clone()).ok();
    let (signed, spoken) = match &cause {
        Some(Input::Create { by, .. }) => (by, Due::Create),
        Some(Input::Person { by, says }) => (by, spoken(says)),
        Some(
            Input::Base { .. }
            | Input::Dispatch
            | Input::Report { .. }
            | Input::Slice { .. }
            | Input::Notice { .. }
            | Input::Spend { .. },
        )
        | None => return Err(format!("a decision{} without an input of a person", of(by))),
    };
    let is_due = match due {
        Due::GiveUp => matches!(spoken, Due::Resolve | Due::Decide | Due::Cancel),
        due => spoken == due,
    };
    if is_due && *signed == record.actor {
        Ok(())
    } else {
        Err(format!("a decision{}, but the cause is another decision", of(by)))
    }
}

fn spoken(says: &PersonInput) -> Due {
    match says {
        PersonInput::Decide { .. } => Due::Decide,
        PersonInput::Resolve { .. } => Due::Resolve,
        PersonInput::Adopt { .. } => Due::Adopt,
        PersonInput::Acknowledge { .. } => Due::Acknowledge,
        PersonInput::RaiseBudget { .. } => Due::Budget,
        PersonInput::Cancel { .. } => Due::Cancel,
        // No decision depends on who reports a cheat; the record holds the report itself.
        PersonInput::Note { .. } | PersonInput::Heal { .. } => Due::Note,
    }
}

/// A freeze in advance is decided when the task is created, by its creator.
fn in_advance(by: &str, before: Before<'_>) -> Result<(), String> {
    match before.created {
        Some((creator, charter)) if creator == by && charter.freeze == Freeze::InAdvance => Ok(()),
        Some(_) | None => Err(format!("frozen in advance by {by}, who did not ask for it")),
    }
}

fn of(by: Option<&str>) -> String {
    by.map_or_else(String::new, |by| format!(" of {by}"))
}
