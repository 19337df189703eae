------------------------------ MODULE Seed ------------------------------
\* The pipeline without memory: 41 states, 91 actions, 112 edges. Pipeline.tla refines it.
VARIABLE pipelineState

PipelineStages == {"Ideating",
  "TemplateForked",
  "RepoCloned",
  "WorkspaceOpened",
  "PreferencesConfigured",
  "AuditingStack",
  "Expanding",
  "ExpandGatePassed",
  "ExpandRetrying",
  "Designing",
  "DesignGatePassed",
  "DesignRetrying",
  "Analyzing",
  "AnalyzeGatePassed",
  "AnalyzeRetrying",
  "Building",
  "BuildGatePassed",
  "BuildRetrying",
  "Reviewing",
  "ReviewGatePassed",
  "ReviewFixing",
  "ReviewRetrying",
  "Verifying",
  "VerifyGatePassed",
  "VerifyFixing",
  "VerifyRetrying",
  "Deploying",
  "DeployRetrying",
  "PipelineComplete",
  "BlockedOnGate",
  "ComplexityBrakeTriggered",
  "SteppedModePaused",
  "SessionDropped",
  "ContextRecovering",
  "Reconciling",
  "ReconcileBlocked",
  "Distilling",
  "Iterating",
  "IterationProposed",
  "IterationConfirmed",
  "ValidatingPMF"}

Init == pipelineState = "Ideating"

CommitToBuild == pipelineState = "Ideating" /\ pipelineState' = "TemplateForked"
CloneRepo == pipelineState = "TemplateForked" /\ pipelineState' = "RepoCloned"
OpenInEditor == pipelineState = "RepoCloned" /\ pipelineState' = "WorkspaceOpened"
ConfigurePreferences == pipelineState = "WorkspaceOpened" /\ pipelineState' = "PreferencesConfigured"
RequestBuild == pipelineState = "PreferencesConfigured" /\ pipelineState' = "Expanding"
PassExpandGate == pipelineState = "Expanding" /\ pipelineState' = "ExpandGatePassed"
FailExpandGate == pipelineState = "Expanding" /\ pipelineState' = "ExpandRetrying"
RetryExpand == pipelineState = "ExpandRetrying" /\ pipelineState' = "Expanding"
AutoContinueToDesign == pipelineState = "ExpandGatePassed" /\ pipelineState' = "Designing"
PassDesignGate == pipelineState = "Designing" /\ pipelineState' = "DesignGatePassed"
FailDesignGate == pipelineState = "Designing" /\ pipelineState' = "DesignRetrying"
RetryDesign == pipelineState = "DesignRetrying" /\ pipelineState' = "Designing"
AutoContinueToAnalyze == pipelineState = "DesignGatePassed" /\ pipelineState' = "Analyzing"
PassAnalyzeGate == pipelineState = "Analyzing" /\ pipelineState' = "AnalyzeGatePassed"
FailAnalyzeGate == pipelineState = "Analyzing" /\ pipelineState' = "AnalyzeRetrying"
RetryAnalyze == pipelineState = "AnalyzeRetrying" /\ pipelineState' = "Analyzing"
AutoContinueToBuild == pipelineState = "AnalyzeGatePassed" /\ pipelineState' = "Building"
PassBuildGate == pipelineState = "Building" /\ pipelineState' = "BuildGatePassed"
FailBuildGate == pipelineState = "Building" /\ pipelineState' = "BuildRetrying"
RetryBuild == pipelineState = "BuildRetrying" /\ pipelineState' = "Building"
TriggerComplexityBrake == pipelineState = "Building" /\ pipelineState' = "ComplexityBrakeTriggered"
AutoContinueToReview == pipelineState = "BuildGatePassed" /\ pipelineState' = "Reviewing"
PassReviewGate == pipelineState = "Reviewing" /\ pipelineState' = "ReviewGatePassed"
FailReviewGate == pipelineState = "Reviewing" /\ pipelineState' = "ReviewFixing"
FixReviewFindings == pipelineState = "ReviewFixing" /\ pipelineState' = "Reviewing"
EscalateReviewFailure == pipelineState = "ReviewFixing" /\ pipelineState' = "ReviewRetrying"
RetryReview == pipelineState = "ReviewRetrying" /\ pipelineState' = "ReviewFixing"
AutoContinueToReconcile == pipelineState = "ReviewGatePassed" /\ pipelineState' = "Reconciling"
ReconcileClean == pipelineState = "Reconciling" /\ pipelineState' = "Verifying"
ReconcileRepaired == pipelineState = "Reconciling" /\ pipelineState' = "Verifying"
ReconcileBlocked == pipelineState = "Reconciling" /\ pipelineState' = "ReconcileBlocked"
ResolveReconcileBlock == pipelineState = "ReconcileBlocked" /\ pipelineState' = "Reconciling"
PassVerifyGate == pipelineState = "Verifying" /\ pipelineState' = "VerifyGatePassed"
FailVerifyGate == pipelineState = "Verifying" /\ pipelineState' = "VerifyFixing"
FixVerifyFailures == pipelineState = "VerifyFixing" /\ pipelineState' = "Verifying"
VerifyFixReconcile == pipelineState = "VerifyFixing" /\ pipelineState' = "Reconciling"
EscalateVerifyFailure == pipelineState = "VerifyFixing" /\ pipelineState' = "VerifyRetrying"
RetryVerify == pipelineState = "VerifyRetrying" /\ pipelineState' = "VerifyFixing"
AutoContinueToDeploy == pipelineState = "VerifyGatePassed" /\ pipelineState' = "Deploying"
PassDeployGate == pipelineState = "Deploying" /\ pipelineState' = "PipelineComplete"
FailDeployGate == pipelineState = "Deploying" /\ pipelineState' = "DeployRetrying"
RetryDeploy == pipelineState = "DeployRetrying" /\ pipelineState' = "Deploying"
BlockAfterThreeRetries == pipelineState \in {"ExpandRetrying", "DesignRetrying", "AnalyzeRetrying", "BuildRetrying", "ReviewRetrying", "VerifyRetrying", "DeployRetrying", "ReconcileBlocked"} /\ pipelineState' = "BlockedOnGate"
UnblockByUser == pipelineState = "BlockedOnGate" /\ pipelineState' = "ContextRecovering"
ResolveComplexityBrake == pipelineState = "ComplexityBrakeTriggered" /\ pipelineState' = "ContextRecovering"
PauseForSteppedMode == pipelineState \in {"ExpandGatePassed", "DesignGatePassed", "AnalyzeGatePassed", "BuildGatePassed", "ReviewGatePassed", "VerifyGatePassed"} /\ pipelineState' = "SteppedModePaused"
ResumeToDesign == pipelineState = "SteppedModePaused" /\ pipelineState' = "Designing"
ResumeToAnalyze == pipelineState = "SteppedModePaused" /\ pipelineState' = "Analyzing"
ResumeToBuild == pipelineState = "SteppedModePaused" /\ pipelineState' = "Building"
ResumeToReview == pipelineState = "SteppedModePaused" /\ pipelineState' = "Reviewing"
ResumeToVerify == pipelineState = "SteppedModePaused" /\ pipelineState' = "Verifying"
ResumeToDeploy == pipelineState = "SteppedModePaused" /\ pipelineState' = "Deploying"
ResumeToReconcile == pipelineState = "SteppedModePaused" /\ pipelineState' = "Reconciling"
DropSession == pipelineState \in {"Expanding", "Designing", "Analyzing", "Building", "Reviewing", "ReviewFixing", "Reconciling", "Verifying", "VerifyFixing", "Deploying"} /\ pipelineState' = "SessionDropped"
StartContextRecovery == pipelineState = "SessionDropped" /\ pipelineState' = "ContextRecovering"
RecoverToExpand == pipelineState = "ContextRecovering" /\ pipelineState' = "Expanding"
RecoverToDesign == pipelineState = "ContextRecovering" /\ pipelineState' = "Designing"
RecoverToAnalyze == pipelineState = "ContextRecovering" /\ pipelineState' = "Analyzing"
RecoverToBuild == pipelineState = "ContextRecovering" /\ pipelineState' = "Building"
RecoverToReview == pipelineState = "ContextRecovering" /\ pipelineState' = "Reviewing"
RecoverToVerify == pipelineState = "ContextRecovering" /\ pipelineState' = "Verifying"
RecoverToDeploy == pipelineState = "ContextRecovering" /\ pipelineState' = "Deploying"
RecoverToReconcile == pipelineState = "ContextRecovering" /\ pipelineState' = "Reconciling"
ManualReconcileFromDesigning == pipelineState = "Designing" /\ pipelineState' = "Reconciling"
ManualReconcileFromAnalyzing == pipelineState = "Analyzing" /\ pipelineState' = "Reconciling"
ManualReconcileFromBuilding == pipelineState = "Building" /\ pipelineState' = "Reconciling"
ManualReconcileFromReviewing == pipelineState = "Reviewing" /\ pipelineState' = "Reconciling"
ManualReconcileFromVerifying == pipelineState = "Verifying" /\ pipelineState' = "Reconciling"
ResumeAfterReconcileToDesigning == pipelineState = "Reconciling" /\ pipelineState' = "Designing"
ResumeAfterReconcileToAnalyzing == pipelineState = "Reconciling" /\ pipelineState' = "Analyzing"
ResumeAfterReconcileToBuilding == pipelineState = "Reconciling" /\ pipelineState' = "Building"
ResumeAfterReconcileToReviewing == pipelineState = "Reconciling" /\ pipelineState' = "Reviewing"
ResumeAfterReconcileToVerifying == pipelineState = "Reconciling" /\ pipelineState' = "Verifying"
DistillFromConfigured == pipelineState = "PreferencesConfigured" /\ pipelineState' = "Distilling"
DistillFromComplete == pipelineState = "PipelineComplete" /\ pipelineState' = "Distilling"
DistillFromIdeating == pipelineState = "Ideating" /\ pipelineState' = "Distilling"
DistillCompleteToExpand == pipelineState = "Distilling" /\ pipelineState' = "PreferencesConfigured"
DistillCompleteToIterate == pipelineState = "Distilling" /\ pipelineState' = "Iterating"
DistillCompleteToIdeating == pipelineState = "Distilling" /\ pipelineState' = "Ideating"
AuditStackFromConfigured == pipelineState = "PreferencesConfigured" /\ pipelineState' = "AuditingStack"
StackAuditComplete == pipelineState = "AuditingStack" /\ pipelineState' = "PreferencesConfigured"
StartIteration == pipelineState = "PipelineComplete" /\ pipelineState' = "Iterating"
ProposeIteration == pipelineState = "Iterating" /\ pipelineState' = "IterationProposed"
ConfirmIteration == pipelineState = "IterationProposed" /\ pipelineState' = "IterationConfirmed"
RejectIteration == pipelineState = "IterationProposed" /\ pipelineState' = "PipelineComplete"
IterateDirectToAnalyze == pipelineState = "IterationConfirmed" /\ pipelineState' = "Analyzing"
IterateToDesign == pipelineState = "IterationConfirmed" /\ pipelineState' = "Designing"
StartPMFValidation == pipelineState = "PipelineComplete" /\ pipelineState' = "ValidatingPMF"
PMFNeedsIteration == pipelineState = "ValidatingPMF" /\ pipelineState' = "Ideating"
PMFValidated == pipelineState = "ValidatingPMF" /\ pipelineState' = "PipelineComplete"
ReenterFromIdeation == pipelineState = "Ideating" /\ pipelineState' = "Iterating"

Next ==
  \/ CommitToBuild
  \/ CloneRepo
  \/ OpenInEditor
  \/ ConfigurePreferences
  \/ RequestBuild
  \/ PassExpandGate
  \/ FailExpandGate
  \/ RetryExpand
  \/ AutoContinueToDesign
  \/ PassDesignGate
  \/ FailDesignGate
  \/ RetryDesign
  \/ AutoContinueToAnalyze
  \/ PassAnalyzeGate
  \/ FailAnalyzeGate
  \/ RetryAnalyze
  \/ AutoContinueToBuild
  \/ PassBuildGate
  \/ FailBuildGate
  \/ RetryBuild
  \/ TriggerComplexityBrake
  \/ AutoContinueToReview
  \/ PassReviewGate
  \/ FailReviewGate
  \/ FixReviewFindings
  \/ EscalateReviewFailure
  \/ RetryReview
  \/ AutoContinueToReconcile
  \/ ReconcileClean
  \/ ReconcileRepaired
  \/ ReconcileBlocked
  \/ ResolveReconcileBlock
  \/ PassVerifyGate
  \/ FailVerifyGate
  \/ FixVerifyFailures
  \/ VerifyFixReconcile
  \/ EscalateVerifyFailure
  \/ RetryVerify
  \/ AutoContinueToDeploy
  \/ PassDeployGate
  \/ FailDeployGate
  \/ RetryDeploy
  \/ BlockAfterThreeRetries
  \/ UnblockByUser
  \/ ResolveComplexityBrake
  \/ PauseForSteppedMode
  \/ ResumeToDesign
  \/ ResumeToAnalyze
  \/ ResumeToBuild
  \/ ResumeToReview
  \/ ResumeToVerify
  \/ ResumeToDeploy
  \/ ResumeToReconcile
  \/ DropSession
  \/ StartContextRecovery
  \/ RecoverToExpand
  \/ RecoverToDesign
  \/ RecoverToAnalyze
  \/ RecoverToBuild
  \/ RecoverToReview
  \/ RecoverToVerify
  \/ RecoverToDeploy
  \/ RecoverToReconcile
  \/ ManualReconcileFromDesigning
  \/ ManualReconcileFromAnalyzing
  \/ ManualReconcileFromBuilding
  \/ ManualReconcileFromReviewing
  \/ ManualReconcileFromVerifying
  \/ ResumeAfterReconcileToDesigning
  \/ ResumeAfterReconcileToAnalyzing
  \/ ResumeAfterReconcileToBuilding
  \/ ResumeAfterReconcileToReviewing
  \/ ResumeAfterReconcileToVerifying
  \/ DistillFromConfigured
  \/ DistillFromComplete
  \/ DistillFromIdeating
  \/ DistillCompleteToExpand
  \/ DistillCompleteToIterate
  \/ DistillCompleteToIdeating
  \/ AuditStackFromConfigured
  \/ StackAuditComplete
  \/ StartIteration
  \/ ProposeIteration
  \/ ConfirmIteration
  \/ RejectIteration
  \/ IterateDirectToAnalyze
  \/ IterateToDesign
  \/ StartPMFValidation
  \/ PMFNeedsIteration
  \/ PMFValidated
  \/ ReenterFromIdeation

Spec == Init /\ [][Next]_pipelineState
TypeOK == pipelineState \in PipelineStages
==============================================================================
