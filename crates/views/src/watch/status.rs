//! Status, phase and slices of a task in words.

use sealwright_kernel::task::{Phase, Stage, Status, slice};

pub fn name(status: Status) -> &'static str {
    match status {
        Status::Pending => "pending",
        Status::InProgress => "in progress",
        Status::Parked => "parked",
        Status::Halted => "halted",
        Status::Shipped => "done",
        Status::Abandoned => "abandoned",
    }
}

/// The order in lists: what waits for a person first.
pub fn urgency(status: Status) -> u8 {
    match status {
        Status::Halted => 0,
        Status::Parked => 1,
        Status::InProgress => 2,
        Status::Pending => 3,
        Status::Shipped => 4,
        Status::Abandoned => 5,
    }
}

/// The phase, to follow a status.
pub fn phase(phase: Option<Phase>) -> String {
    phase.map(|phase| format!(", phase {phase}")).unwrap_or_default()
}

/// The state of a slice in a task at `stage`.
pub fn slice_name(state: &slice::State, stage: &Stage) -> &'static str {
    match state {
        slice::State::Idle => "waiting",
        slice::State::Scouting { .. } => "scouting",
        slice::State::Consolidating { .. } => "consolidating",
        slice::State::Planning => "planning",
        slice::State::Editing { .. } => "editing",
        slice::State::IterGate { .. } => "iteration gate",
        slice::State::ExitGate => "exit gate",
        slice::State::Ladder => "ladder",
        slice::State::AuditDue => "audit due",
        slice::State::AuditConsolidating { .. } => "consolidating the audit",
        slice::State::Delivered { .. } => "delivered",
        slice::State::Escalated { .. } if is_left_to_a_person(stage) => LEFT_TO_A_PERSON,
        slice::State::Escalated { .. } => "stuck",
    }
}

/// Whether a task at `stage` has gone on after a slice was stuck: only a person's fix leads there.
pub(crate) fn is_left_to_a_person(stage: &Stage) -> bool {
    match stage {
        Stage::Halted { escalation } => escalation.from != Phase::Implement,
        Stage::Implement | Stage::Abandoned => false,
        _ => true,
    }
}

pub(crate) const LEFT_TO_A_PERSON: &str = "left to a person's fix";

#[cfg(test)]
mod tests {
    use sealwright_kernel::task::slice::{State, Stuck};

    use super::*;

    #[test]
    fn a_slice_is_stuck_only_until_a_person_has_fixed_it() {
        let state = State::Escalated { why: Stuck::RunsUsedUp };
        assert_eq!(slice_name(&state, &Stage::Implement), "stuck");
        assert_eq!(slice_name(&state, &Stage::Abandoned), "stuck");
        assert_eq!(slice_name(&state, &Stage::Done), LEFT_TO_A_PERSON);
    }
}
