//! Rows of the table: what a step needs, and what it changes. Both are closed sets, so that a row is data.

use super::Pipeline;
use super::fresh::Fresh;
use super::vocabulary::{Action, Change, Kind, Mode, Phase, State, Step};

/// One step that is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub from: State,
    pub action: Action,
    pub by: Party,
    /// All of them have to hold.
    pub guards: &'static [Guard],
    pub to: State,
    /// What it changes besides the state, in this order.
    pub sets: &'static [Set],
}

/// Whose step it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    Human,
    /// A role that worked, as far as the engine saw it.
    Agent,
    Machine,
    Environment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    Delivered,
    NotDelivered,
    In(Mode),
    /// The gate may fail once more.
    BelowCap(Phase),
    AtCap(Phase),
    /// The state that the distillation was asked for in.
    DistilledFor(State),
    /// The reconcile belongs to the pipeline.
    ReconcilesInTurn,
    /// A person asked for the reconcile in this state.
    ReconcilesFor(State),
    PausedBefore(State),
    Unchanged,
    /// Something changed, and the resume rule leads here.
    ChangeLeadsTo(State),
    /// A gate that was fresh is not any more.
    MakesStale,
    /// What lies beside the phases has no gated files.
    SideStepUnchanged,
    RecoversTo(State),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    AddFresh(Phase),
    /// The phase and all later ones are stale.
    DropFresh(Phase),
    ClearFresh,
    AllFresh,
    /// What the step says has changed makes gates stale.
    Invalidate,
    CountFail(Phase),
    ClearFails(Phase),
    ClearBlockedFails,
    ClearAllFails,
    SetMode,
    Deliver,
    BlockAt(Phase),
    ForgetBlock,
    RememberPause,
    ForgetPause,
    RememberDistillation,
    ForgetDistillation,
    RememberReconcile,
    ForgetReconcile,
    /// A reconcile that was asked for during verify and finds drift becomes the pipeline's.
    ReconcileInTurnIfVerifying,
    RememberInterruption,
    ForgetInterruption,
}

impl Guard {
    pub(super) fn holds(self, at: &Pipeline, step: &Step, fails_max: u8) -> bool {
        let changed = || at.fresh.without(step.change);
        match self {
            Self::Delivered => at.is_delivered,
            Self::NotDelivered => !at.is_delivered,
            Self::In(mode) => at.mode == mode,
            Self::BelowCap(phase) => at.fails.of(phase) < fails_max,
            Self::AtCap(phase) => at.fails.of(phase) == fails_max,
            Self::DistilledFor(state) => at.history.distill_return == Some(state),
            Self::ReconcilesInTurn => at.history.reconcile_return.is_none(),
            Self::ReconcilesFor(state) => at.history.reconcile_return == Some(state),
            Self::PausedBefore(state) => at.history.pause_next == Some(state),
            Self::Unchanged => step.change == Change::Nothing,
            Self::ChangeLeadsTo(state) => {
                step.change != Change::Nothing && changed().resume() == state
            }
            Self::MakesStale => changed() != at.fresh,
            Self::SideStepUnchanged => {
                let is_aside = at.history.interrupted.is_some_and(|it| it.kind() == Kind::Aside);
                !is_aside || step.change == Change::Nothing
            }
            Self::RecoversTo(state) => at.recovers_to() == state,
        }
    }

    /// What a person is told where it does not hold.
    pub(super) fn unmet(self) -> &'static str {
        match self {
            Self::Delivered => "no version was delivered yet",
            Self::NotDelivered => "a version was delivered; start an iteration",
            Self::In(Mode::Auto) => "the run is in stepped mode",
            Self::In(Mode::Stepped) => "the run is in auto mode",
            Self::BelowCap(_) => "the gate has failed too often",
            Self::AtCap(_) => "the gate may be tried again",
            Self::DistilledFor(_) => "the distillation was asked for elsewhere",
            Self::ReconcilesInTurn => "a person asked for this reconcile",
            Self::ReconcilesFor(_) => "the reconcile was not asked for in that phase",
            Self::PausedBefore(_) => "the run is paused before another phase",
            Self::Unchanged | Self::ChangeLeadsTo(_) => "the change leads elsewhere",
            Self::MakesStale => "no gate depends on what changed",
            Self::SideStepUnchanged => "nothing that is gated was worked on",
            Self::RecoversTo(_) => "the run goes on elsewhere",
        }
    }
}

impl Set {
    /// Applies it. `from` is the state that is left.
    pub(super) fn apply(self, at: &mut Pipeline, step: &Step, from: State, fails_max: u8) {
        let history = &mut at.history;
        match self {
            Self::AddFresh(phase) => at.fresh.add(phase),
            Self::DropFresh(phase) => at.fresh = at.fresh.before(phase),
            Self::ClearFresh => at.fresh = Fresh::NONE,
            Self::AllFresh => at.fresh = Fresh::ALL,
            Self::Invalidate => at.fresh = at.fresh.without(step.change),
            Self::CountFail(phase) => {
                at.fails.set(phase, at.fails.of(phase).saturating_add(1).min(fails_max));
            }
            Self::ClearFails(phase) => at.fails.set(phase, 0),
            Self::ClearBlockedFails => {
                if let Some(phase) = history.blocked_at {
                    at.fails.set(phase, 0);
                }
            }
            Self::ClearAllFails => at.fails = super::Fails::default(),
            Self::SetMode => at.mode = step.mode.unwrap_or(at.mode),
            Self::Deliver => at.is_delivered = true,
            Self::BlockAt(phase) => history.blocked_at = Some(phase),
            Self::ForgetBlock => history.blocked_at = None,
            Self::RememberPause => history.pause_next = Some(at.fresh.resume()),
            Self::ForgetPause => history.pause_next = None,
            Self::RememberDistillation => history.distill_return = Some(from),
            Self::ForgetDistillation => history.distill_return = None,
            Self::RememberReconcile => history.reconcile_return = Some(from),
            Self::ForgetReconcile => history.reconcile_return = None,
            Self::ReconcileInTurnIfVerifying => {
                if history.reconcile_return == Some(State::Verifying) {
                    history.reconcile_return = None;
                }
            }
            Self::RememberInterruption => history.interrupted = Some(from),
            Self::ForgetInterruption => history.interrupted = None,
        }
    }
}
