//! The names of the pipeline: states, phases, actions, and what a step carries. All of them are written as they are named.

use serde::{Deserialize, Serialize};

/// Where a run stands.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum State {
    /// Nothing runs; what is wanted may be gathered.
    #[default]
    Ideating,
    TemplateForked,
    RepoCloned,
    WorkspaceOpened,
    PreferencesConfigured,
    AuditingStack,
    Distilling,
    Expanding,
    ExpandGatePassed,
    ExpandRetrying,
    Designing,
    DesignGatePassed,
    DesignRetrying,
    Analyzing,
    AnalyzeGatePassed,
    AnalyzeRetrying,
    Building,
    BuildGatePassed,
    BuildRetrying,
    /// The build outgrew its design; a person decides.
    ComplexityBrakeTriggered,
    Reviewing,
    ReviewGatePassed,
    ReviewFixing,
    ReviewRetrying,
    /// Documents and code are compared: in turn, or because a person asked.
    Reconciling,
    /// Documents and code contradict each other; a person decides.
    ReconcileBlocked,
    Verifying,
    VerifyGatePassed,
    VerifyFixing,
    VerifyRetrying,
    Deploying,
    DeployRetrying,
    /// A version is delivered.
    PipelineComplete,
    /// A gate failed too often, or a STOP was raised; a person decides.
    BlockedOnGate,
    /// A gate passed in stepped mode; a person says when it goes on.
    SteppedModePaused,
    /// The process was lost while a role worked.
    SessionDropped,
    /// Every gated file is hashed again before work goes on.
    ContextRecovering,
    Iterating,
    IterationProposed,
    IterationConfirmed,
    ValidatingPMF,
}

/// A phase with its gate, in order. The pass of the last one is the delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Phase {
    Expand,
    Design,
    Analyze,
    Build,
    Review,
    Reconcile,
    Verify,
    Deploy,
}

/// What may happen to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Action {
    CommitToBuild,
    ReenterFromIdeation,
    DistillFromIdeating,
    CloneRepo,
    OpenInEditor,
    ConfigurePreferences,
    RequestBuild,
    AuditStackFromConfigured,
    DistillFromConfigured,
    StackAuditComplete,
    DropSession,
    DistillCompleteToExpand,
    DistillCompleteToIterate,
    DistillCompleteToIdeating,
    PassExpandGate,
    FailExpandGate,
    RetryExpand,
    BlockAfterThreeRetries,
    PassDesignGate,
    FailDesignGate,
    RetryDesign,
    PassAnalyzeGate,
    FailAnalyzeGate,
    RetryAnalyze,
    PassBuildGate,
    FailBuildGate,
    RetryBuild,
    TriggerComplexityBrake,
    PassReviewGate,
    FailReviewGate,
    FixReviewFindings,
    EscalateReviewFailure,
    RetryReview,
    ReconcileClean,
    ReconcileRepaired,
    ReconcileBlocked,
    ManualReconcileFromDesigning,
    ResumeAfterReconcileToDesigning,
    ManualReconcileFromAnalyzing,
    ResumeAfterReconcileToAnalyzing,
    ManualReconcileFromBuilding,
    ResumeAfterReconcileToBuilding,
    ManualReconcileFromReviewing,
    ResumeAfterReconcileToReviewing,
    ManualReconcileFromVerifying,
    ResumeAfterReconcileToVerifying,
    ResolveReconcileBlock,
    PassVerifyGate,
    FailVerifyGate,
    FixVerifyFailures,
    VerifyFixReconcile,
    FixVerifyNeedsReview,
    EscalateVerifyFailure,
    RetryVerify,
    PassDeployGate,
    FailDeployGate,
    RetryDeploy,
    DeployFixNeedsRework,
    AutoContinueToDesign,
    PauseForSteppedMode,
    DetectHandEdit,
    ResumeToDesign,
    AutoContinueToAnalyze,
    ResumeToAnalyze,
    AutoContinueToBuild,
    ResumeToBuild,
    AutoContinueToReview,
    ResumeToReview,
    AutoContinueToReconcile,
    ResumeToReconcile,
    AutoContinueToDeploy,
    ResumeToDeploy,
    RaiseStop,
    UnblockByUser,
    ResolveComplexityBrake,
    AbandonRun,
    StartContextRecovery,
    RecoverToExpand,
    RecoverToDesign,
    RecoverToAnalyze,
    RecoverToBuild,
    RecoverToReview,
    RecoverToReconcile,
    RecoverToVerify,
    RecoverToDeploy,
    RecoverToInterrupted,
    StartIteration,
    DistillFromComplete,
    StartPMFValidation,
    ProposeIteration,
    ConfirmIteration,
    RejectIteration,
    IterateDirectToAnalyze,
    IterateToDesign,
    IterateToExpand,
    PMFNeedsIteration,
    PMFValidated,
}

#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// It pauses for people only where they have to decide.
    #[default]
    Auto,
    /// It pauses after each gate.
    Stepped,
}

/// The earliest of what changed.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    #[default]
    Nothing,
    Scope,
    Design,
    Code,
}

/// One thing that happens to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Step {
    pub action: Action,
    /// What a person decided to change, or what was found changed.
    #[serde(default, skip_serializing_if = "Change::is_nothing")]
    pub change: Change,
    /// The mode of the run that begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
}

impl From<Action> for Step {
    fn from(action: Action) -> Self {
        Self { action, change: Change::Nothing, mode: None }
    }
}

impl Step {
    pub fn changing(action: Action, change: Change) -> Self {
        Self { change, ..Self::from(action) }
    }

    pub fn beginning(action: Action, mode: Mode) -> Self {
        Self { mode: Some(mode), ..Self::from(action) }
    }
}

impl Change {
    /// The first phase whose gate it makes stale.
    pub fn stale_from(self) -> Option<Phase> {
        match self {
            Self::Nothing => None,
            Self::Scope => Some(Phase::Expand),
            Self::Design => Some(Phase::Design),
            Self::Code => Some(Phase::Build),
        }
    }

    pub fn is_nothing(&self) -> bool {
        *self == Self::Nothing
    }
}

impl Action {
    /// What may have changed where it happens.
    pub fn changes(self) -> &'static [Change] {
        if matches!(
            self,
            Self::ResolveReconcileBlock | Self::UnblockByUser | Self::StartContextRecovery
        ) {
            &[Change::Nothing, Change::Scope, Change::Design, Change::Code]
        } else if self == Self::ResolveComplexityBrake {
            &[Change::Nothing, Change::Scope, Change::Design]
        } else if self == Self::DetectHandEdit {
            &[Change::Scope, Change::Design, Change::Code]
        } else {
            &[Change::Nothing]
        }
    }

    /// The modes that it may choose from.
    pub fn modes(self) -> &'static [Option<Mode>] {
        if matches!(self, Self::RequestBuild | Self::ConfirmIteration) {
            &[Some(Mode::Auto), Some(Mode::Stepped)]
        } else {
            &[None]
        }
    }
}

impl Phase {
    pub const ALL: [Self; 8] = [
        Self::Expand,
        Self::Design,
        Self::Analyze,
        Self::Build,
        Self::Review,
        Self::Reconcile,
        Self::Verify,
        Self::Deploy,
    ];

    /// Its name in ids and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Expand => "expand",
            Self::Design => "design",
            Self::Analyze => "analyze",
            Self::Build => "build",
            Self::Review => "review",
            Self::Reconcile => "reconcile",
            Self::Verify => "verify",
            Self::Deploy => "deploy",
        }
    }

    /// The state in which its work is done.
    pub fn working(self) -> State {
        match self {
            Self::Expand => State::Expanding,
            Self::Design => State::Designing,
            Self::Analyze => State::Analyzing,
            Self::Build => State::Building,
            Self::Review => State::Reviewing,
            Self::Reconcile => State::Reconciling,
            Self::Verify => State::Verifying,
            Self::Deploy => State::Deploying,
        }
    }
}

/// What goes on in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A person prepares a run, or decides about the next one.
    Between,
    /// A role works outside of the phases.
    Aside,
    /// The work of a phase.
    Working(Phase),
    /// What a gate found is mended.
    Fixing(Phase),
    Passed(Phase),
    /// A gate failed; it is tried again or given up.
    Retrying(Phase),
    /// A person has to decide before anything goes on.
    Waiting,
    /// Work was interrupted.
    Recovering,
}

impl State {
    /// Whether a run waits here for a person.
    pub fn is_waiting(self) -> bool {
        self.kind() == Kind::Waiting || self == Self::ReconcileBlocked
    }

    pub fn kind(self) -> Kind {
        match self {
            Self::Ideating
            | Self::TemplateForked
            | Self::RepoCloned
            | Self::WorkspaceOpened
            | Self::PreferencesConfigured
            | Self::PipelineComplete
            | Self::IterationProposed
            | Self::IterationConfirmed
            | Self::ValidatingPMF => Kind::Between,
            Self::AuditingStack | Self::Distilling | Self::Iterating => Kind::Aside,
            Self::Expanding => Kind::Working(Phase::Expand),
            Self::Designing => Kind::Working(Phase::Design),
            Self::Analyzing => Kind::Working(Phase::Analyze),
            Self::Building => Kind::Working(Phase::Build),
            Self::Reviewing => Kind::Working(Phase::Review),
            Self::Reconciling => Kind::Working(Phase::Reconcile),
            Self::Verifying => Kind::Working(Phase::Verify),
            Self::Deploying => Kind::Working(Phase::Deploy),
            Self::ReviewFixing => Kind::Fixing(Phase::Review),
            Self::VerifyFixing => Kind::Fixing(Phase::Verify),
            Self::ExpandGatePassed => Kind::Passed(Phase::Expand),
            Self::DesignGatePassed => Kind::Passed(Phase::Design),
            Self::AnalyzeGatePassed => Kind::Passed(Phase::Analyze),
            Self::BuildGatePassed => Kind::Passed(Phase::Build),
            Self::ReviewGatePassed => Kind::Passed(Phase::Review),
            Self::VerifyGatePassed => Kind::Passed(Phase::Verify),
            Self::ExpandRetrying => Kind::Retrying(Phase::Expand),
            Self::DesignRetrying => Kind::Retrying(Phase::Design),
            Self::AnalyzeRetrying => Kind::Retrying(Phase::Analyze),
            Self::BuildRetrying => Kind::Retrying(Phase::Build),
            Self::ReviewRetrying => Kind::Retrying(Phase::Review),
            Self::ReconcileBlocked => Kind::Retrying(Phase::Reconcile),
            Self::VerifyRetrying => Kind::Retrying(Phase::Verify),
            Self::DeployRetrying => Kind::Retrying(Phase::Deploy),
            Self::BlockedOnGate | Self::ComplexityBrakeTriggered | Self::SteppedModePaused => {
                Kind::Waiting
            }
            Self::SessionDropped | Self::ContextRecovering => Kind::Recovering,
        }
    }

    /// The phase that a role works for here, if one does.
    pub fn phase(self) -> Option<Phase> {
        match self.kind() {
            Kind::Working(phase) | Kind::Fixing(phase) => Some(phase),
            Kind::Between
            | Kind::Aside
            | Kind::Passed(_)
            | Kind::Retrying(_)
            | Kind::Waiting
            | Kind::Recovering => None,
        }
    }
}
