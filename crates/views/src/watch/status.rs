//! Status, phase and slices of a task in words.

use sealwright_kernel::task::{Phase, Status, slice};

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

pub fn slice_name(state: &slice::State) -> &'static str {
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
        slice::State::Escalated { .. } => "stuck",
    }
}
