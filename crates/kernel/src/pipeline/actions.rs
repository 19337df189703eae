//! Which action a phase has for what happens to its gate.

use super::vocabulary::{Action, Phase};

impl Action {
    /// Whether a gate passes by it.
    pub fn is_pass(self) -> bool {
        self == Self::ReconcileRepaired || Phase::ALL.into_iter().any(|it| it.pass() == self)
    }
}

impl Phase {
    /// Its gate passes. A reconcile that finds nothing is the pass of its gate.
    pub fn pass(self) -> Action {
        match self {
            Self::Expand => Action::PassExpandGate,
            Self::Design => Action::PassDesignGate,
            Self::Analyze => Action::PassAnalyzeGate,
            Self::Build => Action::PassBuildGate,
            Self::Review => Action::PassReviewGate,
            Self::Reconcile => Action::ReconcileClean,
            Self::Verify => Action::PassVerifyGate,
            Self::Deploy => Action::PassDeployGate,
        }
    }

    /// Its gate fails.
    pub fn fail(self) -> Action {
        match self {
            Self::Expand => Action::FailExpandGate,
            Self::Design => Action::FailDesignGate,
            Self::Analyze => Action::FailAnalyzeGate,
            Self::Build => Action::FailBuildGate,
            Self::Review => Action::FailReviewGate,
            Self::Reconcile => Action::ReconcileBlocked,
            Self::Verify => Action::FailVerifyGate,
            Self::Deploy => Action::FailDeployGate,
        }
    }

    /// Its gate is tried again. What a reconcile found is for a person.
    pub fn retry(self) -> Option<Action> {
        match self {
            Self::Expand => Some(Action::RetryExpand),
            Self::Design => Some(Action::RetryDesign),
            Self::Analyze => Some(Action::RetryAnalyze),
            Self::Build => Some(Action::RetryBuild),
            Self::Review => Some(Action::RetryReview),
            Self::Reconcile => None,
            Self::Verify => Some(Action::RetryVerify),
            Self::Deploy => Some(Action::RetryDeploy),
        }
    }

    /// The run goes on from its gate by itself.
    pub fn goes_on(self) -> Option<Action> {
        match self {
            Self::Expand => Some(Action::AutoContinueToDesign),
            Self::Design => Some(Action::AutoContinueToAnalyze),
            Self::Analyze => Some(Action::AutoContinueToBuild),
            Self::Build => Some(Action::AutoContinueToReview),
            Self::Review => Some(Action::AutoContinueToReconcile),
            Self::Verify => Some(Action::AutoContinueToDeploy),
            Self::Reconcile | Self::Deploy => None,
        }
    }

    /// A person lets a paused run go on to it.
    pub fn resume(self) -> Option<Action> {
        match self {
            Self::Design => Some(Action::ResumeToDesign),
            Self::Analyze => Some(Action::ResumeToAnalyze),
            Self::Build => Some(Action::ResumeToBuild),
            Self::Review => Some(Action::ResumeToReview),
            Self::Reconcile => Some(Action::ResumeToReconcile),
            Self::Deploy => Some(Action::ResumeToDeploy),
            Self::Expand | Self::Verify => None,
        }
    }

    /// A run that was interrupted goes on with it.
    pub fn recover(self) -> Action {
        match self {
            Self::Expand => Action::RecoverToExpand,
            Self::Design => Action::RecoverToDesign,
            Self::Analyze => Action::RecoverToAnalyze,
            Self::Build => Action::RecoverToBuild,
            Self::Review => Action::RecoverToReview,
            Self::Reconcile => Action::RecoverToReconcile,
            Self::Verify => Action::RecoverToVerify,
            Self::Deploy => Action::RecoverToDeploy,
        }
    }

    /// A person asks in it for a reconcile.
    pub fn ask_reconcile(self) -> Option<Action> {
        match self {
            Self::Design => Some(Action::ManualReconcileFromDesigning),
            Self::Analyze => Some(Action::ManualReconcileFromAnalyzing),
            Self::Build => Some(Action::ManualReconcileFromBuilding),
            Self::Review => Some(Action::ManualReconcileFromReviewing),
            Self::Verify => Some(Action::ManualReconcileFromVerifying),
            Self::Expand | Self::Reconcile | Self::Deploy => None,
        }
    }

    /// It goes on after a reconcile that a person asked for in it.
    pub fn resume_after_reconcile(self) -> Option<Action> {
        match self {
            Self::Design => Some(Action::ResumeAfterReconcileToDesigning),
            Self::Analyze => Some(Action::ResumeAfterReconcileToAnalyzing),
            Self::Build => Some(Action::ResumeAfterReconcileToBuilding),
            Self::Review => Some(Action::ResumeAfterReconcileToReviewing),
            Self::Verify => Some(Action::ResumeAfterReconcileToVerifying),
            Self::Expand | Self::Reconcile | Self::Deploy => None,
        }
    }
}
