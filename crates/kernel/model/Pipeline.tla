------------------------------- MODULE Pipeline -------------------------------
\* The project pipeline: 41 states, and what is remembered between them.
\*
\* Seed is the machine without memory that this one refines. It cannot remember which
\* phase it left, so a pause, a drop, an unblock or a reconcile may continue anywhere in
\* it; the history variables below remove that freedom. Every transition that Seed does not
\* have is listed in ExtEdges, and RefinesSeed says that there is no other one.
\*
\* `cargo xtask prove pipeline` runs TLC on this and compares it with the table in Rust.
EXTENDS Naturals, FiniteSets

CONSTANT Cap                    \* failed evaluations of one gate before a block: 3

VARIABLES
  pipelineState,                \* one of the 41 states
  fresh,                        \* gates whose evidence matches the artifacts as they are now
  fails,                        \* phase -> failed evaluations since that gate last passed, 0..Cap
  mode,                         \* "auto" | "stepped"
  pauseNext,                    \* history: phase to enter after a stepped pause
  reconRet,                     \* history: phase that asked for an on-demand reconcile
  interrupted,                  \* history: state that a session drop cut short
  distillRet,                   \* history: state that asked for a distillation
  blockedAt,                    \* history: phase whose gate (or STOP) blocked the run
  delivered                     \* this project has passed the Deploy gate at least once

hist == <<pauseNext, reconRet, interrupted, distillRet, blockedAt>>
vars == <<pipelineState, fresh, fails, mode, pauseNext, reconRet, interrupted,
          distillRet, blockedAt, delivered>>

Origin == INSTANCE Seed WITH pipelineState <- pipelineState

-------------------------------------------------------------------------------
\* Static structure

States == Origin!PipelineStages
None   == "None"
Modes  == {"auto", "stepped"}

\* Gates in pipeline order.  Deploy is last; its pass is the delivery itself.
Order  == <<"Expand", "Design", "Analyze", "Build", "Review", "Reconcile", "Verify", "Deploy">>
Phases == {Order[i] : i \in 1..8}
Gates  == Phases \ {"Deploy"}
Idx(p) == CHOOSE i \in 1..8 : Order[i] = p
Before(p)   == {Order[i] : i \in 1..(Idx(p) - 1)}
FromOn(p)   == {Order[i] : i \in Idx(p)..8}

Active(p) == CASE p = "Expand"    -> "Expanding"
               [] p = "Design"    -> "Designing"
               [] p = "Analyze"   -> "Analyzing"
               [] p = "Build"     -> "Building"
               [] p = "Review"    -> "Reviewing"
               [] p = "Reconcile" -> "Reconciling"
               [] p = "Verify"    -> "Verifying"
               [] p = "Deploy"    -> "Deploying"
ActiveStates == {Active(p) : p \in Phases}
PhaseOf(s) == CASE s = "ReviewFixing" -> "Review"
                [] s = "VerifyFixing" -> "Verify"
                [] OTHER -> CHOOSE p \in Phases : Active(p) = s

\* What a change invalidates.  A gate is stale as soon as one of its inputs is.
Mutations == {"none", "scope", "design", "code", "docs"}
Invalidate(f, m) == CASE m = "none"   -> f
                      [] m = "scope"  -> f \ FromOn("Expand")
                      [] m = "design" -> f \ FromOn("Design")
                      [] m = "code"   -> f \ FromOn("Build")
                      [] m = "docs"   -> f \ FromOn("Reconcile")

\* THE resume rule: continue at the earliest phase whose gate is not fresh.
ResumePhase(f) ==
  LET stale == {i \in 1..8 : Order[i] \notin f}
  IN  Active(Order[CHOOSE i \in stale : \A j \in stale : i <= j])

Bump(p)  == [fails EXCEPT ![p] = IF @ < Cap THEN @ + 1 ELSE Cap]
Clear(p) == [fails EXCEPT ![p] = 0]
NoFails  == [p \in Phases |-> 0]

At(s)    == pipelineState = s
Go(s)    == pipelineState' = s
Keep     == UNCHANGED <<fresh, fails, mode, delivered>>       \* everything but state and history

Init ==
  /\ pipelineState = "Ideating"
  /\ fresh = {}            /\ fails = NoFails
  /\ mode = "auto"         /\ delivered = FALSE
  /\ pauseNext = None      /\ reconRet = None   /\ interrupted = None
  /\ distillRet = None     /\ blockedAt = None

-------------------------------------------------------------------------------
\* Setup (human)

CommitToBuild        == At("Ideating") /\ ~delivered /\ Go("TemplateForked") /\ Keep /\ UNCHANGED hist
CloneRepo            == At("TemplateForked")  /\ Go("RepoCloned")            /\ Keep /\ UNCHANGED hist
OpenInEditor         == At("RepoCloned")      /\ Go("WorkspaceOpened")       /\ Keep /\ UNCHANGED hist
ConfigurePreferences == At("WorkspaceOpened") /\ Go("PreferencesConfigured") /\ Keep /\ UNCHANGED hist
RequestBuild ==
  /\ At("PreferencesConfigured") /\ ~delivered /\ Go("Expanding")
  /\ mode' \in Modes /\ fresh' = {} /\ fails' = NoFails
  /\ UNCHANGED <<delivered>> /\ UNCHANGED hist

AuditStackFromConfigured == At("PreferencesConfigured") /\ Go("AuditingStack") /\ Keep /\ UNCHANGED hist
StackAuditComplete       == At("AuditingStack") /\ Go("PreferencesConfigured") /\ Keep /\ UNCHANGED hist

DistillFrom(s) ==
  /\ At(s) /\ Go("Distilling") /\ distillRet' = s /\ Keep
  /\ UNCHANGED <<pauseNext, reconRet, interrupted, blockedAt>>
DistillFromConfigured == DistillFrom("PreferencesConfigured")
DistillFromComplete   == DistillFrom("PipelineComplete")
DistillFromIdeating   == DistillFrom("Ideating")
DistillTo(from, to) ==
  /\ At("Distilling") /\ distillRet = from /\ Go(to) /\ distillRet' = None /\ Keep
  /\ UNCHANGED <<pauseNext, reconRet, interrupted, blockedAt>>
DistillCompleteToExpand   == DistillTo("PreferencesConfigured", "PreferencesConfigured")
DistillCompleteToIterate  == DistillTo("PipelineComplete", "Iterating")
DistillCompleteToIdeating == DistillTo("Ideating", "Ideating")

-------------------------------------------------------------------------------
\* Plain gated phases: Expand, Design, Analyze, Build

PassGate(p, to) ==
  /\ At(Active(p)) /\ Go(to)
  /\ fresh' = fresh \cup {p} /\ fails' = Clear(p)
  /\ UNCHANGED <<mode, delivered>> /\ UNCHANGED hist
FailGate(p, to) ==
  /\ At(Active(p)) /\ Go(to) /\ fails' = Bump(p)
  /\ UNCHANGED <<fresh, mode, delivered>> /\ UNCHANGED hist
Retry(p, from, to) ==
  /\ At(from) /\ fails[p] < Cap /\ Go(to) /\ Keep /\ UNCHANGED hist
Continue(from, to) ==
  /\ At(from) /\ mode = "auto" /\ Go(to) /\ Keep /\ UNCHANGED hist

PassExpandGate  == PassGate("Expand", "ExpandGatePassed")
FailExpandGate  == FailGate("Expand", "ExpandRetrying")
RetryExpand     == Retry("Expand", "ExpandRetrying", "Expanding")
AutoContinueToDesign == Continue("ExpandGatePassed", "Designing")

PassDesignGate  == PassGate("Design", "DesignGatePassed")
FailDesignGate  == FailGate("Design", "DesignRetrying")
RetryDesign     == Retry("Design", "DesignRetrying", "Designing")
AutoContinueToAnalyze == Continue("DesignGatePassed", "Analyzing")

PassAnalyzeGate == PassGate("Analyze", "AnalyzeGatePassed")
FailAnalyzeGate == FailGate("Analyze", "AnalyzeRetrying")
RetryAnalyze    == Retry("Analyze", "AnalyzeRetrying", "Analyzing")
AutoContinueToBuild == Continue("AnalyzeGatePassed", "Building")

PassBuildGate   == PassGate("Build", "BuildGatePassed")
FailBuildGate   == FailGate("Build", "BuildRetrying")
RetryBuild      == Retry("Build", "BuildRetrying", "Building")
TriggerComplexityBrake ==
  At("Building") /\ Go("ComplexityBrakeTriggered") /\ Keep /\ UNCHANGED hist
AutoContinueToReview == Continue("BuildGatePassed", "Reviewing")

-------------------------------------------------------------------------------
\* Review

PassReviewGate == PassGate("Review", "ReviewGatePassed")
FailReviewGate == FailGate("Review", "ReviewFixing")
\* The fix is admitted only after the Build gate was re-evaluated in place on the
\* fixed tree and passed; that is why Build may stay in fresh.
FixReviewFindings ==
  /\ At("ReviewFixing") /\ fails["Review"] < Cap /\ Go("Reviewing") /\ Keep /\ UNCHANGED hist
Escalate(p, from, to) ==
  /\ At(from) /\ Go(to) /\ fails' = Bump(p)
  /\ UNCHANGED <<fresh, mode, delivered>> /\ UNCHANGED hist
EscalateReviewFailure == Escalate("Review", "ReviewFixing", "ReviewRetrying")
RetryReview == Retry("Review", "ReviewRetrying", "ReviewFixing")
AutoContinueToReconcile == Continue("ReviewGatePassed", "Reconciling")

-------------------------------------------------------------------------------
\* Reconcile (pipeline step when reconRet = None, on demand otherwise)

PipelineReconcileDone ==
  /\ At("Reconciling") /\ reconRet = None /\ Go("Verifying")
  /\ fresh' = fresh \cup {"Reconcile"} /\ fails' = Clear("Reconcile")
  /\ UNCHANGED <<mode, delivered>> /\ UNCHANGED hist
ReconcileClean    == PipelineReconcileDone
ReconcileRepaired == PipelineReconcileDone       \* documents repaired, Design and Analyze gates re-passed in place
\* A drift that was found must not be forgotten: it makes Reconcile (and Verify) stale,
\* and a reconcile asked for during Verify becomes the pipeline reconcile.
ReconcileBlocked ==
  /\ At("Reconciling") /\ Go("ReconcileBlocked") /\ fails' = Bump("Reconcile")
  /\ fresh' = fresh \ FromOn("Reconcile")
  /\ reconRet' = IF reconRet = "Verifying" THEN None ELSE reconRet
  /\ UNCHANGED <<mode, delivered, pauseNext, interrupted, distillRet, blockedAt>>
ResolveReconcileBlock(m) ==
  /\ At("ReconcileBlocked") /\ fails["Reconcile"] < Cap
  /\ fresh' = Invalidate(fresh, m)
  /\ IF m = "none" THEN Go("Reconciling") /\ UNCHANGED reconRet
                   ELSE Go(ResumePhase(fresh')) /\ reconRet' = None
  /\ UNCHANGED <<fails, mode, delivered, pauseNext, interrupted, distillRet, blockedAt>>

ManualReconcile(s) ==
  /\ At(s) /\ Go("Reconciling") /\ reconRet' = s /\ Keep
  /\ UNCHANGED <<pauseNext, interrupted, distillRet, blockedAt>>
ManualReconcileFromDesigning == ManualReconcile("Designing")
ManualReconcileFromAnalyzing == ManualReconcile("Analyzing")
ManualReconcileFromBuilding  == ManualReconcile("Building")
ManualReconcileFromReviewing == ManualReconcile("Reviewing")
ManualReconcileFromVerifying == ManualReconcile("Verifying")

ResumeAfterReconcile(s) ==
  /\ At("Reconciling") /\ reconRet = s /\ Go(s) /\ reconRet' = None
  /\ fails' = Clear("Reconcile")
  /\ UNCHANGED <<fresh, mode, delivered, pauseNext, interrupted, distillRet, blockedAt>>
ResumeAfterReconcileToDesigning == ResumeAfterReconcile("Designing")
ResumeAfterReconcileToAnalyzing == ResumeAfterReconcile("Analyzing")
ResumeAfterReconcileToBuilding  == ResumeAfterReconcile("Building")
ResumeAfterReconcileToReviewing == ResumeAfterReconcile("Reviewing")
ResumeAfterReconcileToVerifying == ResumeAfterReconcile("Verifying")

-------------------------------------------------------------------------------
\* Verify

PassVerifyGate == PassGate("Verify", "VerifyGatePassed")
FailVerifyGate == FailGate("Verify", "VerifyFixing")
\* The machine classifies the fix by its diff; the fixer does not choose.
FixVerifyFailures ==                            \* nothing inside the reviewed tree changed
  /\ At("VerifyFixing") /\ fails["Verify"] < Cap /\ Go("Verifying") /\ Keep /\ UNCHANGED hist
VerifyFixWith(m, to) ==
  /\ At("VerifyFixing") /\ fails["Verify"] < Cap /\ Go(to)
  /\ fresh' = Invalidate(fresh, m)
  /\ UNCHANGED <<fails, mode, delivered>> /\ UNCHANGED hist
VerifyFixReconcile == VerifyFixWith("docs", "Reconciling")      \* documents changed
FixVerifyNeedsReview ==                         \* EXT: code changed; Build gate re-passed in place
  /\ At("VerifyFixing") /\ fails["Verify"] < Cap /\ Go("Reviewing")
  /\ fresh' = fresh \ FromOn("Review")
  /\ UNCHANGED <<fails, mode, delivered>> /\ UNCHANGED hist
EscalateVerifyFailure == Escalate("Verify", "VerifyFixing", "VerifyRetrying")
RetryVerify == Retry("Verify", "VerifyRetrying", "VerifyFixing")
AutoContinueToDeploy == Continue("VerifyGatePassed", "Deploying")

-------------------------------------------------------------------------------
\* Deploy

PassDeployGate ==
  /\ At("Deploying") /\ Go("PipelineComplete")
  /\ delivered' = TRUE /\ fails' = Clear("Deploy")
  /\ UNCHANGED <<fresh, mode>> /\ UNCHANGED hist
FailDeployGate == FailGate("Deploy", "DeployRetrying")
RetryDeploy    == Retry("Deploy", "DeployRetrying", "Deploying")
DeployFixNeedsRework ==                         \* EXT: the deploy fix touched the verified tree
  /\ At("DeployRetrying") /\ fails["Deploy"] < Cap
  /\ fresh' = Invalidate(fresh, "code") /\ Go(ResumePhase(fresh'))
  /\ UNCHANGED <<fails, mode, delivered>> /\ UNCHANGED hist

-------------------------------------------------------------------------------
\* Blocks, brake, stop, abandon

RetryingOf == [s \in {"ExpandRetrying", "DesignRetrying", "AnalyzeRetrying", "BuildRetrying",
                      "ReviewRetrying", "VerifyRetrying", "DeployRetrying", "ReconcileBlocked"} |->
  CASE s = "ExpandRetrying"  -> "Expand"  [] s = "DesignRetrying" -> "Design"
    [] s = "AnalyzeRetrying" -> "Analyze" [] s = "BuildRetrying"  -> "Build"
    [] s = "ReviewRetrying"  -> "Review"  [] s = "VerifyRetrying" -> "Verify"
    [] s = "DeployRetrying"  -> "Deploy"  [] s = "ReconcileBlocked" -> "Reconcile"]

BlockAfterThreeRetries ==
  /\ pipelineState \in DOMAIN RetryingOf
  /\ fails[RetryingOf[pipelineState]] = Cap
  /\ Go("BlockedOnGate") /\ blockedAt' = RetryingOf[pipelineState] /\ Keep
  /\ UNCHANGED <<pauseNext, reconRet, interrupted, distillRet>>

WorkStates == ActiveStates \cup {"ReviewFixing", "VerifyFixing"}
RaiseStop ==                                    \* EXT: STOP condition met inside a phase
  /\ pipelineState \in WorkStates
  /\ Go("BlockedOnGate") /\ blockedAt' = PhaseOf(pipelineState) /\ Keep
  /\ UNCHANGED <<pauseNext, reconRet, interrupted, distillRet>>

UnblockByUser(m) ==
  /\ At("BlockedOnGate") /\ Go("ContextRecovering")
  /\ fresh' = Invalidate(fresh, m)
  /\ fails' = Clear(blockedAt) /\ blockedAt' = None /\ reconRet' = None
  /\ UNCHANGED <<mode, delivered, pauseNext, interrupted, distillRet>>

ResolveComplexityBrake(m) ==
  /\ At("ComplexityBrakeTriggered") /\ Go("ContextRecovering")
  /\ fresh' = Invalidate(fresh, m)
  /\ UNCHANGED <<fails, mode, delivered>> /\ UNCHANGED hist

AbandonRun ==                                   \* EXT: human gives this run up
  /\ pipelineState \in {"BlockedOnGate", "ReconcileBlocked", "ComplexityBrakeTriggered", "SteppedModePaused"}
  /\ Go(IF delivered THEN "PipelineComplete" ELSE "Ideating")
  /\ fresh' = IF delivered THEN Gates ELSE {}   \* delivered tree restored, its evidence is valid again
  /\ fails' = NoFails
  /\ pauseNext' = None /\ reconRet' = None /\ blockedAt' = None
  /\ UNCHANGED <<mode, delivered, interrupted, distillRet>>

-------------------------------------------------------------------------------
\* Stepped mode

GatePassedStates == {"ExpandGatePassed", "DesignGatePassed", "AnalyzeGatePassed",
                     "BuildGatePassed", "ReviewGatePassed", "VerifyGatePassed"}
PauseForSteppedMode ==
  /\ pipelineState \in GatePassedStates /\ mode = "stepped"
  /\ Go("SteppedModePaused") /\ pauseNext' = ResumePhase(fresh) /\ Keep
  /\ UNCHANGED <<reconRet, interrupted, distillRet, blockedAt>>
ResumeTo(s) ==
  /\ At("SteppedModePaused") /\ pauseNext = s /\ Go(s) /\ pauseNext' = None /\ Keep
  /\ UNCHANGED <<reconRet, interrupted, distillRet, blockedAt>>
ResumeToDesign    == ResumeTo("Designing")
ResumeToAnalyze   == ResumeTo("Analyzing")
ResumeToBuild     == ResumeTo("Building")
ResumeToReview    == ResumeTo("Reviewing")
ResumeToVerify    == ResumeTo("Verifying")      \* never enabled: no gate is followed directly by Verify
ResumeToDeploy    == ResumeTo("Deploying")
ResumeToReconcile == ResumeTo("Reconciling")

-------------------------------------------------------------------------------
\* Session drop, hand edits, recovery

SideStates == {"Distilling", "AuditingStack", "Iterating"}      \* EXT: drops here as well
DropSession ==
  /\ pipelineState \in WorkStates \cup SideStates
  /\ Go("SessionDropped") /\ interrupted' = pipelineState /\ Keep
  /\ UNCHANGED <<pauseNext, reconRet, distillRet, blockedAt>>
\* On restart the machine re-hashes every gated artifact; m is what it finds changed.
StartContextRecovery(m) ==
  /\ At("SessionDropped") /\ Go("ContextRecovering")
  /\ (interrupted \in SideStates => m = "none")
  /\ fresh' = Invalidate(fresh, m)
  /\ UNCHANGED <<fails, mode, delivered>> /\ UNCHANGED hist
DetectHandEdit(m) ==                            \* EXT: digest mismatch found at a boundary
  /\ pipelineState \in GatePassedStates \cup {"SteppedModePaused"}
  /\ Invalidate(fresh, m) # fresh
  /\ fresh' = Invalidate(fresh, m) /\ Go("ContextRecovering") /\ pauseNext' = None
  /\ UNCHANGED <<fails, mode, delivered, reconRet, interrupted, distillRet, blockedAt>>

RecoverTarget ==
  IF interrupted \in SideStates THEN interrupted
  ELSE IF interrupted = "ReviewFixing" /\ ResumePhase(fresh) = "Reviewing" THEN "ReviewFixing"
  ELSE IF interrupted = "VerifyFixing" /\ ResumePhase(fresh) = "Verifying" THEN "VerifyFixing"
  ELSE ResumePhase(fresh)
RecoverTo(s) ==
  /\ At("ContextRecovering") /\ RecoverTarget = s /\ Go(s)
  /\ interrupted' = None /\ reconRet' = None /\ Keep
  /\ UNCHANGED <<pauseNext, distillRet, blockedAt>>
RecoverToExpand    == RecoverTo("Expanding")
RecoverToDesign    == RecoverTo("Designing")
RecoverToAnalyze   == RecoverTo("Analyzing")
RecoverToBuild     == RecoverTo("Building")
RecoverToReview    == RecoverTo("Reviewing")
RecoverToVerify    == RecoverTo("Verifying")
RecoverToDeploy    == RecoverTo("Deploying")
RecoverToReconcile == RecoverTo("Reconciling")
RecoverToInterrupted ==                         \* EXT: fix loops and side states
  \E s \in SideStates \cup {"ReviewFixing", "VerifyFixing"} : RecoverTo(s)

-------------------------------------------------------------------------------
\* Iteration and the outer human loop

StartIteration   == At("PipelineComplete") /\ Go("Iterating") /\ Keep /\ UNCHANGED hist
ProposeIteration == At("Iterating") /\ Go("IterationProposed") /\ Keep /\ UNCHANGED hist
ConfirmIteration ==
  /\ At("IterationProposed") /\ Go("IterationConfirmed")
  /\ fresh' = {} /\ fails' = NoFails /\ mode' \in Modes     \* scope v[N+1] is written here
  /\ UNCHANGED delivered /\ UNCHANGED hist
RejectIteration  == At("IterationProposed") /\ Go("PipelineComplete") /\ Keep /\ UNCHANGED hist
IterateWith(to, f) ==
  /\ At("IterationConfirmed") /\ Go(to) /\ fresh' = f
  /\ UNCHANGED <<fails, mode, delivered>> /\ UNCHANGED hist
IterateDirectToAnalyze == IterateWith("Analyzing", {"Expand", "Design"})  \* both gates re-passed in place
IterateToDesign        == IterateWith("Designing", {"Expand"})            \* Expand gate re-passed in place
IterateToExpand        == IterateWith("Expanding", {})                    \* EXT: Expand gate did not re-pass

StartPMFValidation  == At("PipelineComplete") /\ Go("ValidatingPMF")   /\ Keep /\ UNCHANGED hist
PMFNeedsIteration   == At("ValidatingPMF")    /\ Go("Ideating")        /\ Keep /\ UNCHANGED hist
PMFValidated        == At("ValidatingPMF")    /\ Go("PipelineComplete") /\ Keep /\ UNCHANGED hist
ReenterFromIdeation == At("Ideating") /\ delivered /\ Go("Iterating")  /\ Keep /\ UNCHANGED hist

-------------------------------------------------------------------------------

Next ==
  \/ CommitToBuild \/ CloneRepo \/ OpenInEditor \/ ConfigurePreferences \/ RequestBuild
  \/ AuditStackFromConfigured \/ StackAuditComplete
  \/ DistillFromConfigured \/ DistillFromComplete \/ DistillFromIdeating
  \/ DistillCompleteToExpand \/ DistillCompleteToIterate \/ DistillCompleteToIdeating
  \/ PassExpandGate \/ FailExpandGate \/ RetryExpand \/ AutoContinueToDesign
  \/ PassDesignGate \/ FailDesignGate \/ RetryDesign \/ AutoContinueToAnalyze
  \/ PassAnalyzeGate \/ FailAnalyzeGate \/ RetryAnalyze \/ AutoContinueToBuild
  \/ PassBuildGate \/ FailBuildGate \/ RetryBuild \/ TriggerComplexityBrake \/ AutoContinueToReview
  \/ PassReviewGate \/ FailReviewGate \/ FixReviewFindings \/ EscalateReviewFailure \/ RetryReview
  \/ AutoContinueToReconcile \/ ReconcileClean \/ ReconcileRepaired \/ ReconcileBlocked
  \/ \E m \in {"none", "scope", "design", "code"} : ResolveReconcileBlock(m)
  \/ ManualReconcileFromDesigning \/ ManualReconcileFromAnalyzing \/ ManualReconcileFromBuilding
  \/ ManualReconcileFromReviewing \/ ManualReconcileFromVerifying
  \/ ResumeAfterReconcileToDesigning \/ ResumeAfterReconcileToAnalyzing \/ ResumeAfterReconcileToBuilding
  \/ ResumeAfterReconcileToReviewing \/ ResumeAfterReconcileToVerifying
  \/ PassVerifyGate \/ FailVerifyGate \/ FixVerifyFailures \/ VerifyFixReconcile \/ FixVerifyNeedsReview
  \/ EscalateVerifyFailure \/ RetryVerify \/ AutoContinueToDeploy
  \/ PassDeployGate \/ FailDeployGate \/ RetryDeploy \/ DeployFixNeedsRework
  \/ BlockAfterThreeRetries \/ RaiseStop \/ AbandonRun
  \/ \E m \in {"none", "scope", "design", "code"} : UnblockByUser(m)
  \/ \E m \in {"none", "scope", "design"} : ResolveComplexityBrake(m)
  \/ PauseForSteppedMode
  \/ ResumeToDesign \/ ResumeToAnalyze \/ ResumeToBuild \/ ResumeToReview \/ ResumeToVerify
  \/ ResumeToDeploy \/ ResumeToReconcile
  \/ DropSession
  \/ \E m \in {"none", "scope", "design", "code"} : StartContextRecovery(m)
  \/ \E m \in {"scope", "design", "code"} : DetectHandEdit(m)
  \/ RecoverToExpand \/ RecoverToDesign \/ RecoverToAnalyze \/ RecoverToBuild \/ RecoverToReview
  \/ RecoverToVerify \/ RecoverToDeploy \/ RecoverToReconcile \/ RecoverToInterrupted
  \/ StartIteration \/ ProposeIteration \/ ConfirmIteration \/ RejectIteration
  \/ IterateDirectToAnalyze \/ IterateToDesign \/ IterateToExpand
  \/ StartPMFValidation \/ PMFNeedsIteration \/ PMFValidated \/ ReenterFromIdeation

Spec == Init /\ [][Next]_vars

-------------------------------------------------------------------------------
\* Safety

TypeOK ==
  /\ pipelineState \in States       /\ fresh \subseteq Gates
  /\ fails \in [Phases -> 0..Cap]   /\ mode \in Modes /\ delivered \in BOOLEAN
  /\ pauseNext \in ActiveStates \cup {None}
  /\ reconRet \in {"Designing", "Analyzing", "Building", "Reviewing", "Verifying", None}
  /\ interrupted \in WorkStates \cup SideStates \cup {None}
  /\ distillRet \in {"PreferencesConfigured", "PipelineComplete", "Ideating", None}
  /\ blockedAt \in Phases \cup {None}

\* Evidence is always a prefix of the gate order: nothing is fresh behind something stale.
FreshIsPrefix == \A g \in fresh : \A h \in Before(g) : h \in fresh

\* No phase is active unless every earlier gate is fresh (covers Building/Analyze, Deploying/Verify).
NoGateBypass ==
  \A p \in Phases : At(Active(p)) /\ (p = "Reconcile" => reconRet = None) => Before(p) \subseteq fresh
BuildNeedsAnalyze  == At("Building")  => {"Expand", "Design", "Analyze"} \subseteq fresh
DeployNeedsVerify  == At("Deploying") => fresh = Gates
FixingIsGated ==
  /\ At("ReviewFixing") => Before("Review") \subseteq fresh
  /\ At("VerifyFixing") => Before("Verify") \subseteq fresh
\* An active phase is exactly the one the resume rule names: the history variables are redundant.
ActiveIsResume ==
  /\ pipelineState \in ActiveStates \ {"Reconciling"} => pipelineState = ResumePhase(fresh)
  /\ At("Reconciling") => (IF reconRet = None THEN "Reconciling" ELSE reconRet) = ResumePhase(fresh)
  /\ At("SteppedModePaused") => pauseNext = ResumePhase(fresh)

CompleteIsDelivered == At("PipelineComplete") => delivered /\ fresh = Gates /\ fails = NoFails
IterationIsDelivered ==
  pipelineState \in {"Iterating", "IterationProposed", "IterationConfirmed", "ValidatingPMF"} => delivered

\* A project is set up before its first version, never again.
SetupIsFirst ==
  pipelineState \in {"TemplateForked", "RepoCloned", "WorkspaceOpened", "PreferencesConfigured", "AuditingStack"} => ~delivered

\* History is set exactly while it is needed.
HistoryTidy ==
  /\ (pauseNext # None)   <=> At("SteppedModePaused")
  /\ (distillRet # None)  <=> (At("Distilling") \/ (pipelineState \in {"SessionDropped", "ContextRecovering"} /\ interrupted = "Distilling"))
  /\ (blockedAt # None)   <=> At("BlockedOnGate")
  /\ (interrupted # None) => pipelineState \in {"SessionDropped", "ContextRecovering"}
  /\ At("SessionDropped") => interrupted # None
  /\ (reconRet # None)    => pipelineState \in {"Reconciling", "ReconcileBlocked", "BlockedOnGate", "SessionDropped", "ContextRecovering"}

\* At a waypoint there is exactly one way on (pause, recovery, distillation, retry).
One(S) == Cardinality(S) = 1
DeterministicResume ==
  /\ At("SteppedModePaused") => One({s \in ActiveStates : pauseNext = s})
  /\ At("ContextRecovering") => One({s \in States : RecoverTarget = s})
  /\ pipelineState \in DOMAIN RetryingOf =>
        ((ENABLED BlockAfterThreeRetries) <=>
         ~(ENABLED (RetryExpand \/ RetryDesign \/ RetryAnalyze \/ RetryBuild \/ RetryReview
                    \/ RetryVerify \/ RetryDeploy \/ ResolveReconcileBlock("none"))))
  /\ pipelineState \in GatePassedStates =>
        /\ (ENABLED PauseForSteppedMode) <=> mode = "stepped"
        /\ (ENABLED (AutoContinueToDesign \/ AutoContinueToAnalyze \/ AutoContinueToBuild \/ AutoContinueToReview
                     \/ AutoContinueToReconcile \/ AutoContinueToDeploy)) <=> mode = "auto"

-------------------------------------------------------------------------------
\* Step properties

\* The only ways into PipelineComplete.
CompletionDoors ==
  [][ (~At("PipelineComplete") /\ pipelineState' = "PipelineComplete")
      => \/ pipelineState = "Deploying" /\ fresh = Gates
         \/ pipelineState \in {"IterationProposed", "ValidatingPMF"} /\ delivered
         \/ delivered /\ pipelineState \in {"BlockedOnGate", "ReconcileBlocked", "ComplexityBrakeTriggered", "SteppedModePaused"} ]_vars

\* Counters only fall on a pass, a human unblock, an abandon or a new version; never on a drop.
CountersNotLaundered ==
  [][ \A p \in Phases : fails'[p] < fails[p] =>
        \/ pipelineState = Active(p)
        \/ pipelineState \in {"BlockedOnGate", "ReconcileBlocked", "ComplexityBrakeTriggered", "SteppedModePaused"}
        \/ pipelineState \in {"PreferencesConfigured", "IterationProposed"}
        \/ p = "Reconcile" /\ At("Reconciling") ]_vars

\* Freshness grows only by passing that gate, by re-passing it in place when an
\* iteration starts, or by restoring the delivered tree.
FreshnessEarned ==
  [][ \A g \in fresh' \ fresh :
        \/ pipelineState = Active(g)
        \/ pipelineState = "IterationConfirmed" /\ g \in {"Expand", "Design"}
        \/ delivered /\ pipelineState' = "PipelineComplete" ]_vars

\* A gate that failed as often as it may is not worked on again before a person decides.
CapIsFinal ==
  [][ \A p \in Phases :
        /\ fails[p] = Cap
        /\ \/ pipelineState \in DOMAIN RetryingOf /\ RetryingOf[pipelineState] = p
           \/ pipelineState \in {"ReviewFixing", "VerifyFixing"} /\ PhaseOf(pipelineState) = p
        => pipelineState' \notin ActiveStates ]_vars

\* A distillation ends where it was asked for; behind a delivery, in an iteration.
DistillationReturns ==
  [][ (At("Distilling") /\ pipelineState' # "SessionDropped")
      => pipelineState' = (IF distillRet = "PipelineComplete" THEN "Iterating" ELSE distillRet) ]_vars

\* A boundary is left for recovery only if a gate became stale: a pause is not skipped by an edit of nothing.
EditsAreReal ==
  [][ (pipelineState \in GatePassedStates \cup {"SteppedModePaused"} /\ pipelineState' = "ContextRecovering")
      => fresh' # fresh ]_vars

ExtEdges ==
     {<<"VerifyFixing", "Reviewing">>, <<"DeployRetrying", "Building">>, <<"IterationConfirmed", "Expanding">>}
  \cup {<<s, "BlockedOnGate">> : s \in WorkStates}
  \cup {<<s, "SessionDropped">> : s \in SideStates}
  \cup {<<s, "ContextRecovering">> : s \in GatePassedStates \cup {"SteppedModePaused"}}
  \cup {<<"ContextRecovering", s>> : s \in SideStates \cup {"ReviewFixing", "VerifyFixing"}}
  \cup {<<"ReconcileBlocked", s>> : s \in {"Expanding", "Designing", "Analyzing", "Building"}}
  \cup {<<s, t>> : s \in {"BlockedOnGate", "ReconcileBlocked", "ComplexityBrakeTriggered", "SteppedModePaused"},
                   t \in {"PipelineComplete", "Ideating"}}
RefinesSeed == [][Origin!Next \/ <<pipelineState, pipelineState'>> \in ExtEdges]_pipelineState
===============================================================================
