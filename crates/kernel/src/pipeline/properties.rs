//! What holds of every run that the table allows: checked on every reachable state by `cargo xtask prove pipeline`, and on
//! every run that is read from a snapshot.

use super::{Action, Fails, Fresh, Kind, Mode, Phase, Pipeline, Rules, State, Step};

/// A property of a run.
pub type Invariant = (&'static str, fn(&Pipeline, Rules<'_>) -> bool);

/// A property of a step.
pub type StepProperty = (&'static str, fn(&Taken<'_>) -> bool);

/// A step, with the runs before and after it.
#[derive(Clone, Copy, Debug)]
pub struct Taken<'t> {
    pub before: &'t Pipeline,
    pub step: Step,
    pub after: &'t Pipeline,
    pub rules: Rules<'t>,
}

pub const INVARIANTS: [Invariant; 12] = [
    ("TypeOK", |it, rules| is_typed(it, rules)),
    ("FreshIsPrefix", |it, _| {
        let mut fresh = it.fresh.phases();
        fresh.all(|phase| it.fresh.reaches(phase))
    }),
    ("NoGateBypass", |it, _| {
        let is_asked = it.history.reconcile_return.is_some();
        let mut active = Phase::ALL.into_iter().filter(|phase| it.state == phase.working());
        active.all(|phase| (phase == Phase::Reconcile && is_asked) || it.fresh.reaches(phase))
    }),
    ("BuildNeedsAnalyze", |it, _| it.state != State::Building || it.fresh.reaches(Phase::Build)),
    ("DeployNeedsVerify", |it, _| it.state != State::Deploying || it.fresh == Fresh::ALL),
    ("FixingIsGated", |it, _| {
        let Kind::Fixing(phase) = it.state.kind() else { return true };
        it.fresh.reaches(phase)
    }),
    ("ActiveIsResume", |it, _| is_where_it_resumes(it)),
    ("CompleteIsDelivered", |it, _| {
        let is_clean = it.is_delivered && it.fresh == Fresh::ALL && it.fails == Fails::default();
        it.state != State::PipelineComplete || is_clean
    }),
    ("IterationIsDelivered", |it, _| {
        let is_later = matches!(
            it.state,
            State::Iterating
                | State::IterationProposed
                | State::IterationConfirmed
                | State::ValidatingPMF
        );
        !is_later || it.is_delivered
    }),
    ("SetupIsFirst", |it, _| {
        let prepares = matches!(
            it.state,
            State::TemplateForked
                | State::RepoCloned
                | State::WorkspaceOpened
                | State::PreferencesConfigured
                | State::AuditingStack
        );
        !prepares || !it.is_delivered
    }),
    ("HistoryTidy", |it, _| is_tidy(it)),
    ("DeterministicResume", |it, rules| has_one_way_on(it, rules)),
];

pub const STEP_PROPERTIES: [StepProperty; 7] = [
    ("CompletionDoors", |Taken { before, after, .. }| {
        let enters =
            before.state != State::PipelineComplete && after.state == State::PipelineComplete;
        let deploys = before.state == State::Deploying && before.fresh == Fresh::ALL;
        let returns = matches!(before.state, State::IterationProposed | State::ValidatingPMF)
            || before.state.is_waiting();
        !enters || deploys || (before.is_delivered && returns)
    }),
    ("CountersNotLaundered", |Taken { before, step, after, .. }| {
        let begins_anew = matches!(
            step.action,
            Action::AbandonRun | Action::RequestBuild | Action::ConfirmIteration
        );
        let may_fall = |phase: Phase| {
            let is_freed =
                step.action == Action::UnblockByUser && before.history.blocked_at == Some(phase);
            begins_anew || is_freed || before.state == phase.working()
        };
        let fell = |phase: &Phase| after.fails.of(*phase) < before.fails.of(*phase);
        Phase::ALL.into_iter().filter(fell).all(may_fall)
    }),
    ("FreshnessEarned", |Taken { before, after, .. }| {
        let is_earned = |phase: Phase| {
            let in_place = before.state == State::IterationConfirmed && phase <= Phase::Design;
            let restored = before.is_delivered && after.state == State::PipelineComplete;
            before.state == phase.working() || in_place || restored
        };
        let mut new = after.fresh.phases().filter(|it| !before.fresh.has(*it));
        new.all(is_earned)
    }),
    ("CapIsFinal", |Taken { before, after, rules, .. }| {
        let failed = match before.state.kind() {
            Kind::Retrying(phase) | Kind::Fixing(phase) => phase,
            Kind::Between
            | Kind::Aside
            | Kind::Working(_)
            | Kind::Passed(_)
            | Kind::Waiting
            | Kind::Recovering => return true,
        };
        before.fails.of(failed) < rules.fails_max || !is_active(after.state)
    }),
    ("DistillationReturns", |Taken { before, after, .. }| {
        let due = before
            .history
            .distill_return
            .map(|asked| if asked == State::PipelineComplete { State::Iterating } else { asked });
        let ends = before.state == State::Distilling && after.state != State::SessionDropped;
        !ends || due == Some(after.state)
    }),
    ("ChangesCount", |Taken { before, step, after, .. }| {
        let left = before.fresh.without(step.change);
        step.change.is_nothing() || after.fresh == left
    }),
    ("EditsAreReal", |Taken { before, after, .. }| {
        let is_boundary = matches!(before.state.kind(), Kind::Passed(_))
            || before.state == State::SteppedModePaused;
        let recovers = is_boundary && after.state == State::ContextRecovering;
        !recovers || after.fresh != before.fresh
    }),
];

impl Pipeline {
    /// The first property that does not hold of a run that was stored: it was bent by hand.
    pub fn broken(&self) -> Option<&'static str> {
        let mut broken = INVARIANTS.iter().filter(|(_, holds)| !holds(self, Rules::OURS));
        broken.next().map(|(name, _)| *name)
    }
}

fn is_typed(it: &Pipeline, rules: Rules<'_>) -> bool {
    let history = &it.history;
    let asks = |state: State| {
        is_active(state)
            && !matches!(state, State::Expanding | State::Reconciling | State::Deploying)
    };
    let distils = |state: State| {
        matches!(state, State::PreferencesConfigured | State::PipelineComplete | State::Ideating)
    };
    let is_cut = |state: State| state.phase().is_some() || state.kind() == Kind::Aside;
    !it.fresh.has(Phase::Deploy)
        && Phase::ALL.iter().all(|phase| it.fails.of(*phase) <= rules.fails_max)
        && history.pause_next.is_none_or(is_active)
        && history.reconcile_return.is_none_or(asks)
        && history.interrupted.is_none_or(is_cut)
        && history.distill_return.is_none_or(distils)
}

/// An active phase is exactly the one that the resume rule names.
fn is_where_it_resumes(it: &Pipeline) -> bool {
    let resume = it.fresh.resume();
    if it.state == State::SteppedModePaused {
        return it.history.pause_next == Some(resume);
    }
    // A reconcile that a person asked for stands for the phase that it returns to.
    let stands_for = match it.history.reconcile_return {
        Some(asked) if it.state == State::Reconciling => asked,
        Some(_) | None => it.state,
    };
    !is_active(it.state) || stands_for == resume
}

/// History is there exactly while it is needed.
fn is_tidy(it: &Pipeline) -> bool {
    let (state, history) = (it.state, &it.history);
    let recovers = matches!(state, State::SessionDropped | State::ContextRecovering);
    let distils =
        state == State::Distilling || (recovers && history.interrupted == Some(State::Distilling));
    let reconciles = recovers
        || matches!(state, State::Reconciling | State::ReconcileBlocked | State::BlockedOnGate);
    history.pause_next.is_some() == (state == State::SteppedModePaused)
        && history.distill_return.is_some() == distils
        && history.blocked_at.is_some() == (state == State::BlockedOnGate)
        && (history.interrupted.is_none() || recovers)
        && (history.interrupted.is_some() || state != State::SessionDropped)
        && (history.reconcile_return.is_none() || reconciles)
}

/// At a pause, a recovery, a retry and behind a gate there is one way on.
fn has_one_way_on(it: &Pipeline, rules: Rules<'_>) -> bool {
    let (blocks, retries) = (
        || rules.allows(it, |action| action == Action::BlockAfterThreeRetries),
        || rules.steps(*it).any(|(row, step, _)| is_retry(row.action) && step.change.is_nothing()),
    );
    let (pauses, continues) = (
        || rules.allows(it, |action| action == Action::PauseForSteppedMode),
        || rules.allows(it, is_continue),
    );
    let kind = it.state.kind();
    if matches!(kind, Kind::Retrying(_)) {
        blocks() != retries()
    } else if matches!(kind, Kind::Passed(_)) {
        pauses() == (it.mode == Mode::Stepped) && continues() == (it.mode == Mode::Auto)
    } else if it.state == State::ContextRecovering {
        rules.steps(*it).count() == 1
    } else {
        it.state != State::SteppedModePaused || it.history.pause_next.is_some()
    }
}

fn is_active(state: State) -> bool {
    matches!(state.kind(), Kind::Working(_))
}

fn is_retry(action: Action) -> bool {
    matches!(
        action,
        Action::RetryExpand
            | Action::RetryDesign
            | Action::RetryAnalyze
            | Action::RetryBuild
            | Action::RetryReview
            | Action::RetryVerify
            | Action::RetryDeploy
            | Action::ResolveReconcileBlock
    )
}

fn is_continue(action: Action) -> bool {
    matches!(
        action,
        Action::AutoContinueToDesign
            | Action::AutoContinueToAnalyze
            | Action::AutoContinueToBuild
            | Action::AutoContinueToReview
            | Action::AutoContinueToReconcile
            | Action::AutoContinueToDeploy
    )
}
