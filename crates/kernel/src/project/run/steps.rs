//! What follows from what a run is told.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::super::{Event as ProjectEvent, Project, Rejected, person};
use super::{
    ABORTS_MAX, Architecture, Decision, Documents, Drift, Effect, Event, Examination, Fixed,
    Freeze, Input, Job, Run, StopReason, Tells,
};
use crate::pipeline::{Action, Change, Kind, Mode, Phase, State, Step};
use crate::{Actor, Digest, EffectId, Verdict};

impl Project {
    /// What a run is told, and the turns that tasks have by it.
    pub(in crate::project) fn run_told(
        &self,
        input: &Input,
    ) -> Result<Vec<ProjectEvent>, Rejected> {
        let mut steps = Steps { project: self, run: self.run.clone(), events: Vec::new() };
        steps.told(input)?;
        Ok(steps.with_turns())
    }

    /// What a halted task means for the run that builds it.
    pub(in crate::project) fn run_halts(&self, why: String) -> Vec<ProjectEvent> {
        let mut steps = Steps { project: self, run: self.run.clone(), events: Vec::new() };
        let is_building = self.run.pipeline.state == State::Building;
        // The table has the row: a run that builds may be stopped.
        if is_building && steps.take(Action::RaiseStop.into(), &Actor::Machine, &why).is_ok() {
            return steps.with_turns();
        }
        Vec::new()
    }
}

/// Steps that are taken one after the other, before any of them is true.
struct Steps<'p> {
    project: &'p Project,
    run: Run,
    events: Vec<Event>,
}

impl Steps<'_> {
    fn told(&mut self, input: &Input) -> Result<(), Rejected> {
        match input {
            Input::Begin { by, request, mode, settings } => {
                self.begin(by, request, *mode, *settings)
            }
            Input::Stop { by, reason, why } => self.stop(by, *reason, why),
            Input::Rollback { by, command } => self.rollback(by, command),
            Input::Step { by, step, why, seen } => self.person_steps(by, *step, why, seen),
            Input::Resolve { by, decision, why, seen } => self.resolves(by, *decision, why, seen),
            Input::Return { by, seen } => self.returns(by, seen),
            Input::Freeze { by, documents, spec } => self.freeze(by, documents, *spec),
            Input::HandIn { by } => {
                person(by)?;
                let Some(Effect::Work { job, .. }) = self.due() else {
                    return Err(Rejected::NotNow { why: "nothing is waited for here" });
                };
                self.handed_in(job, by)
            }
            Input::Tell { by, signal } => {
                let by = person(by)?.into();
                if self.run.pipeline.state != State::ValidatingPMF {
                    return Err(Rejected::NotNow {
                        why: "what users say is recorded while a delivered version is validated",
                    });
                }
                bounded("bytes of what was said", &signal.text, TEXT_MAX)?;
                bounded("bytes of a source", &signal.source, TEXT_MAX)?;
                if signal.text.trim().is_empty() || signal.source.trim().is_empty() {
                    return Err(Rejected::NotNow { why: "say what was learned, and from whom" });
                }
                if self.run.signals >= SIGNALS_MAX {
                    let (what, max) = ("signals of a version", SIGNALS_MAX as usize);
                    return Err(Rejected::TooMany { what, max });
                }
                self.add(Event::Signalled { signal: signal.clone(), by });
                Ok(())
            }
            Input::Begun { effect } => {
                let job = self.work_asked(effect)?;
                self.can_be_undone(job)?;
                self.add(Event::WorkBegun { job });
                Ok(())
            }
            Input::Worked { effect } => {
                let job = self.work_asked(effect)?;
                self.handed_in(job, &Actor::Machine)
            }
            Input::Aborted { effect, why } => {
                let job = self.work_asked(effect)?;
                self.aborted(job, why)
            }
            Input::Examined { effect, report } => {
                let Effect::Examine { job, .. } = self.asked(effect)? else {
                    return Err(no_answer(effect));
                };
                self.examined(job, report)
            }
            Input::Kept { effect, commit, seen } => {
                let Effect::Keep { .. } = self.asked(effect)? else {
                    return Err(no_answer(effect));
                };
                self.kept(commit, seen)
            }
            Input::Restored { effect, broken, commit } => {
                let Effect::Restore { .. } = self.asked(effect)? else {
                    return Err(no_answer(effect));
                };
                let (broken, commit) = (broken.clone(), commit.clone());
                self.add(Event::Restored { broken, commit });
                Ok(())
            }
            Input::Recovered { effect, seen } => {
                let Effect::Recover { .. } = self.asked(effect)? else {
                    return Err(no_answer(effect));
                };
                self.recovered(seen)
            }
        }
    }

    /// A passed gate is a commit; what was changed by hand meanwhile is seen here.
    fn kept(&mut self, commit: &str, seen: &Documents) -> Result<(), Rejected> {
        self.add(Event::Kept { commit: commit.into() });
        let change = self.run.change(seen);
        let is_at_gate = matches!(self.run.pipeline.state.kind(), Kind::Passed(_));
        if is_at_gate && change != Change::Nothing {
            let step = Step::changing(Action::DetectHandEdit, change);
            return self.take(step, &Actor::Environment, FILES_CHANGED);
        }
        self.settle()
    }

    /// The first version is asked for. What the steps before it stand for was found in order.
    fn begin(
        &mut self,
        by: &Actor,
        request: &str,
        mode: Mode,
        settings: Option<Digest>,
    ) -> Result<(), Rejected> {
        let name = person(by)?;
        bounded("bytes of a request", request, TEXT_MAX)?;
        if request.trim().is_empty() || request.trim().contains(['\n', '\r']) {
            return Err(Rejected::NotNow { why: "say in one line what to build" });
        }
        let setup = [
            (State::Ideating, Action::CommitToBuild),
            (State::TemplateForked, Action::CloneRepo),
            (State::RepoCloned, Action::OpenInEditor),
            (State::WorkspaceOpened, Action::ConfigurePreferences),
        ];
        for (state, action) in setup {
            if self.run.pipeline.state == state {
                self.take(action.into(), by, "")?;
            }
        }
        self.take(Step::beginning(Action::RequestBuild, mode), by, "")?;
        self.add(Event::Requested { request: request.into(), by: name.into(), settings });
        Ok(())
    }

    fn person_steps(
        &mut self,
        by: &Actor,
        step: Step,
        why: &str,
        seen: &Documents,
    ) -> Result<(), Rejected> {
        person(by)?;
        bounded("bytes of a reason", why, TEXT_MAX)?;
        if self.run.must_keep || self.run.must_restore {
            return Err(Rejected::NotNow { why: "the last gate is still being recorded" });
        }
        if matches!(step.action, Action::RequestBuild) {
            return Err(Rejected::NotNow { why: "say what to build" });
        }
        if must_say_why(step.action) && why.trim().is_empty() {
            return Err(Rejected::NotNow { why: "say why" });
        }
        // What was changed by hand counts beside what the person says has changed.
        let changed = self.run.change(seen);
        let mut step = step;
        if step.action.changes().contains(&changed) {
            step.change = earliest(step.change, changed);
        } else if changed != Change::Nothing && self.run.goes_on() == Some(step.action) {
            let step = Step::changing(Action::DetectHandEdit, changed);
            return self.take(step, &Actor::Environment, FILES_CHANGED);
        }
        // Where somebody works, the run is stopped first.
        if step.action == Action::AbandonRun && self.run.pipeline.state.phase().is_some() {
            self.take(Action::RaiseStop.into(), &Actor::Machine, why)?;
            return self.take(step, by, why);
        }
        if step.action == Action::ResumeToBuild && !self.run.is_frozen() {
            return Err(Rejected::NotNow { why: "what will be built is not approved yet" });
        }
        self.take(step, by, why)?;
        self.settle()
    }

    /// A person is back. Work that was cut off is begun again, and what was changed makes gates stale.
    fn returns(&mut self, by: &Actor, seen: &Documents) -> Result<(), Rejected> {
        person(by)?;
        if !self.run.was_disturbed(seen) {
            return Err(Rejected::NotNow { why: "nothing was cut off and nothing has changed" });
        }
        let change = self.run.change_by_hand(seen);
        if self.run.is_begun {
            let job = self.run.job().ok_or(Rejected::NotNow { why: "nothing was begun" })?;
            self.add(Event::WorkAborted { job, why: "the process ended".into() });
            if self.run.aborted >= ABORTS_MAX {
                return self.stop_for_aborts("the process ended");
            }
        } else if matches!(self.run.pipeline.state.kind(), Kind::Passed(_) | Kind::Waiting) {
            let step = Step::changing(Action::DetectHandEdit, change);
            return self.take(step, &Actor::Environment, FILES_CHANGED);
        }
        self.take(Action::DropSession.into(), &Actor::Environment, "")?;
        let is_aside = self.run.recovers_aside();
        let change = if is_aside { Change::Nothing } else { change };
        self.take(Step::changing(Action::StartContextRecovery, change), by, "")
    }

    fn freeze(&mut self, by: &Actor, documents: &Documents, spec: Digest) -> Result<(), Rejected> {
        let name = person(by)?;
        if !self.run.waits_for_freeze() {
            return Err(Rejected::NotNow { why: "nothing waits to be approved before the build" });
        }
        if *documents != self.run.frozen_part() {
            return Err(Rejected::NotNow { why: "the documents are others by now" });
        }
        if self.project.product.approved().is_none_or(|it| it.text != spec) {
            return Err(Rejected::NotNow { why: "the spec is not the one that was approved" });
        }
        if self.project.is_planning || self.project.tasks.is_empty() {
            return Err(Rejected::NotNow { why: "the tasks are not planned yet" });
        }
        let freeze = Freeze { documents: documents.clone(), spec, by: name.into() };
        self.add(Event::Frozen { freeze });
        self.settle()
    }

    fn handed_in(&mut self, job: Job, by: &Actor) -> Result<(), Rejected> {
        self.can_be_undone(job)?;
        self.add(Event::HandedIn { job, by: by.clone() });
        Ok(())
    }

    /// Nothing is deployed before it is recorded how to undo it.
    fn can_be_undone(&self, job: Job) -> Result<(), Rejected> {
        if job == Job::Phase(Phase::Deploy) && self.run.rollback.is_none() {
            return Err(Rejected::NotNow { why: "record first how to roll the deployment back" });
        }
        Ok(())
    }

    /// A person answers a brake or a contradiction by one of the answers that there are.
    fn resolves(
        &mut self,
        by: &Actor,
        decision: Decision,
        why: &str,
        seen: &Documents,
    ) -> Result<(), Rejected> {
        let name = person(by)?.into();
        let is_answer = Decision::of(self.run.pipeline.state).contains(&decision);
        let Some(action) = self.run.goes_on().filter(|_| is_answer) else {
            return Err(Rejected::NotNow { why: "that is no answer to what is waited for" });
        };
        self.person_steps(by, Step::changing(action, decision.change()), why, seen)?;
        self.add(Event::Resolved { decision, by: name });
        Ok(())
    }

    /// Work stops where it is. A question about the shape of a build is a brake; everything else is a block.
    fn stop(&mut self, by: &Actor, reason: StopReason, why: &str) -> Result<(), Rejected> {
        let name = person(by)?.into();
        bounded("bytes of a reason", why, TEXT_MAX)?;
        if why.trim().is_empty() {
            return Err(Rejected::NotNow { why: "say why" });
        }
        let is_brake = self.run.pipeline.state == State::Building && reason.is_structural();
        let action = if is_brake { Action::TriggerComplexityBrake } else { Action::RaiseStop };
        let why = alloc::format!("{}: {why}", reason.words());
        self.take(action.into(), &Actor::Machine, &why)?;
        self.add(Event::StopRaised { reason, by: name });
        Ok(())
    }

    fn rollback(&mut self, by: &Actor, command: &str) -> Result<(), Rejected> {
        let by = person(by)?.into();
        bounded("bytes of a command", command, TEXT_MAX)?;
        if self.run.pipeline.state != State::Deploying {
            return Err(Rejected::NotNow { why: "nothing is about to be deployed" });
        }
        if command.trim().is_empty() {
            return Err(Rejected::NotNow { why: "name the command that undoes the deployment" });
        }
        self.add(Event::RollbackRecorded { command: command.into(), by });
        Ok(())
    }

    fn aborted(&mut self, job: Job, why: &str) -> Result<(), Rejected> {
        let why: String = why.chars().take(WHY_MAX).collect();
        self.add(Event::WorkAborted { job, why: why.clone() });
        if self.run.aborted >= ABORTS_MAX { self.stop_for_aborts(&why) } else { Ok(()) }
    }

    /// The run stops where a role works; beside the phases it only waits.
    fn stop_for_aborts(&mut self, why: &str) -> Result<(), Rejected> {
        if self.run.pipeline.state.phase().is_none() {
            return Ok(());
        }
        let why = alloc::format!("three calls in a row were cut off: {why}");
        self.take(Action::RaiseStop.into(), &Actor::Machine, &why)
    }

    fn examined(&mut self, job: Job, report: &Examination) -> Result<(), Rejected> {
        bounded("bytes of a finding", &report.first, TEXT_MAX)?;
        let tells = report.tells;
        if self.run.change_under(job, report) != Change::Nothing {
            // No verdict on one state of the files counts for another: a person is back, and looks.
            return self.take(Action::DropSession.into(), &Actor::Environment, FILES_CHANGED);
        }
        self.add(Event::GateExamined { job, report: report.clone() });
        let why = report.first.as_str();
        // How much was built can be told also where nothing else can.
        if job == Job::Phase(Phase::Build) && !self.run.brakes.is_empty() {
            return self.take(Action::TriggerComplexityBrake.into(), &Actor::Machine, why);
        }
        if report.verdict == Verdict::CannotTell {
            // Neither a pass nor a failure: somebody has to look.
            return Ok(());
        }
        let passes = report.verdict == Verdict::Pass;
        let action = match (job, passes) {
            (Job::Phase(Phase::Reconcile), _) => {
                return self
                    .reconciled(if passes { tells } else { Tells::Drift(Drift::Blocked) }, why);
            }
            (Job::Phase(phase), true) => phase.pass(),
            (Job::Phase(phase), false) => phase.fail(),
            (Job::Fix(Phase::Review), true) => Action::FixReviewFindings,
            (Job::Fix(Phase::Review), false) => Action::EscalateReviewFailure,
            (Job::Fix(_), true) => match tells {
                Tells::Fixed(Fixed::Nothing) => Action::FixVerifyFailures,
                Tells::Fixed(Fixed::Documents) => Action::VerifyFixReconcile,
                // Where nothing says otherwise, everything that was reviewed may have changed.
                Tells::Fixed(Fixed::Code)
                | Tells::Nothing
                | Tells::Drift(_)
                | Tells::Architecture(_) => Action::FixVerifyNeedsReview,
            },
            (Job::Fix(_), false) => Action::EscalateVerifyFailure,
            (Job::Audit, true) => Action::StackAuditComplete,
            (Job::Distill, true) => {
                let asked_in = self.run.pipeline.history.distill_return;
                if asked_in == Some(State::PipelineComplete) {
                    Action::DistillCompleteToIterate
                } else if asked_in == Some(State::Ideating) {
                    Action::DistillCompleteToIdeating
                } else {
                    Action::DistillCompleteToExpand
                }
            }
            (Job::Propose, true) => Action::ProposeIteration,
            (Job::Confirm, _) => match tells {
                Tells::Architecture(Architecture::Unchanged) if passes => {
                    Action::IterateDirectToAnalyze
                }
                Tells::Architecture(Architecture::Changed) if passes => Action::IterateToDesign,
                Tells::Architecture(_) | Tells::Nothing | Tells::Fixed(_) | Tells::Drift(_) => {
                    Action::IterateToExpand
                }
            },
            // What lies beside the phases has no counter: it is handed in again.
            (Job::Audit | Job::Distill | Job::Propose, false) => return Ok(()),
        };
        self.take(action.into(), &Actor::Machine, why)?;
        self.settle()?;
        // A person is asked before the same thing is tried again and again.
        match self.run.brakes_before_approach().filter(|_| job == Job::Phase(Phase::Build)) {
            Some(said) => self.take(Action::TriggerComplexityBrake.into(), &Actor::Machine, &said),
            None => Ok(()),
        }
    }

    fn reconciled(&mut self, tells: Tells, why: &str) -> Result<(), Rejected> {
        let asked_in = self.run.pipeline.history.reconcile_return;
        let action = match tells {
            Tells::Drift(Drift::Blocked) => Action::ReconcileBlocked,
            Tells::Drift(Drift::Clean | Drift::Repaired) | Tells::Nothing if asked_in.is_some() => {
                let phase = asked_in.and_then(State::phase).unwrap_or(Phase::Verify);
                phase.resume_after_reconcile().unwrap_or(Action::ResumeAfterReconcileToVerifying)
            }
            Tells::Drift(Drift::Repaired) => Action::ReconcileRepaired,
            Tells::Drift(Drift::Clean)
            | Tells::Nothing
            | Tells::Fixed(_)
            | Tells::Architecture(_) => Action::ReconcileClean,
        };
        self.take(action.into(), &Actor::Machine, why)?;
        self.settle()
    }

    fn recovered(&mut self, seen: &Documents) -> Result<(), Rejected> {
        self.add(Event::Recovered { seen: seen.clone() });
        let action = match self.run.pipeline.recovers_to().kind() {
            Kind::Working(phase) => phase.recover(),
            Kind::Between
            | Kind::Aside
            | Kind::Fixing(_)
            | Kind::Passed(_)
            | Kind::Retrying(_)
            | Kind::Waiting
            | Kind::Recovering => Action::RecoverToInterrupted,
        };
        self.take(action.into(), &Actor::Machine, "")
    }

    /// Steps that need nobody: on from a gate that is kept, again after a failure, or to a person after the third.
    fn settle(&mut self) -> Result<(), Rejected> {
        for _ in 0..SETTLED_MAX {
            let Some(action) = self.follows() else { return Ok(()) };
            let why = self.run.why.clone();
            self.take(action.into(), &Actor::Machine, &why)?;
        }
        Ok(())
    }

    fn follows(&self) -> Option<Action> {
        let run = &self.run;
        let at_cap = |phase: Phase| run.pipeline.fails.of(phase) >= crate::pipeline::FAILS_MAX;
        match run.pipeline.state.kind() {
            Kind::Passed(_) if run.must_keep => None,
            Kind::Passed(_) if run.pipeline.mode == Mode::Stepped => {
                Some(Action::PauseForSteppedMode)
            }
            Kind::Passed(Phase::Analyze) if !run.is_frozen() => None,
            Kind::Passed(phase) => phase.goes_on(),
            Kind::Retrying(phase) if at_cap(phase) => Some(Action::BlockAfterThreeRetries),
            Kind::Retrying(phase) => phase.retry(),
            Kind::Between
            | Kind::Aside
            | Kind::Working(_)
            | Kind::Fixing(_)
            | Kind::Waiting
            | Kind::Recovering => None,
        }
    }

    fn take(&mut self, step: Step, by: &Actor, why: &str) -> Result<(), Rejected> {
        let to = self.run.pipeline.step(&step, by).map_err(Box::new)?;
        self.add(Event::Stepped { step, to, by: by.clone(), why: why.into() });
        Ok(())
    }

    fn add(&mut self, event: Event) {
        self.run.evolve(&event);
        self.events.push(event);
    }

    fn due(&self) -> Option<Effect> {
        self.run.due(self.project.is_built())
    }

    /// The effect that is due, if this is its id.
    fn asked(&self, id: &EffectId) -> Result<Effect, Rejected> {
        let due = self.due().filter(|it| it.id() == *id);
        due.ok_or_else(|| Rejected::NotOwed { effect: id.clone() })
    }

    /// The work that is due, if this is its id.
    fn work_asked(&self, id: &EffectId) -> Result<Job, Rejected> {
        match self.asked(id)? {
            Effect::Work { job, .. } => Ok(job),
            Effect::Examine { .. }
            | Effect::Keep { .. }
            | Effect::Restore { .. }
            | Effect::Recover { .. } => Err(no_answer(id)),
        }
    }

    fn with_turns(self) -> Vec<ProjectEvent> {
        let lets_build = self.run.lets_build();
        let turns = if lets_build && !self.project.run.lets_build() {
            self.project
                .turns(&super::super::Step { lets_build, ..super::super::Step::of(self.project) })
        } else {
            Vec::new()
        };
        self.events.into_iter().map(ProjectEvent::Run).chain(turns).collect()
    }
}

/// Decisions that a reader of the log has to understand.
fn must_say_why(action: Action) -> bool {
    matches!(
        action,
        Action::ResolveComplexityBrake
            | Action::ResolveReconcileBlock
            | Action::AbandonRun
            | Action::RejectIteration
            | Action::PMFNeedsIteration
    )
}

fn earliest(one: Change, other: Change) -> Change {
    match (one.stale_from(), other.stale_from()) {
        (None, _) => other,
        (_, None) => one,
        (Some(first), Some(second)) => {
            if second < first {
                other
            } else {
                one
            }
        }
    }
}

fn bounded(what: &'static str, text: &str, max: usize) -> Result<(), Rejected> {
    if text.len() > max { Err(Rejected::TooMany { what, max }) } else { Ok(()) }
}

fn no_answer(effect: &EffectId) -> Rejected {
    Rejected::NoAnswer { effect: effect.clone() }
}

const FILES_CHANGED: &str = "files that a gate depends on were changed";
const TEXT_MAX: usize = 4_096;
const WHY_MAX: usize = 500;
const SIGNALS_MAX: u32 = 1_000;
/// More steps than any gate takes by itself.
const SETTLED_MAX: usize = 8;
