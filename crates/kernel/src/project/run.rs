//! The run of a project: which phase of a version it is in, and what it waits for.
//!
//! ```text
//!  work ─handed in─▶ examine ─▶ pass ─▶ keep ─▶ the next phase, or a pause
//!   ▲                   │
//!   │                   ├─▶ fail ─▶ work again; after three times: restore, and a person decides
//!   └─── cannot tell ◀──┘
//! ```
//!
//! What may follow is for the table of [`crate::pipeline`]. This part says when a step is taken: a gate passes on what an
//! examination reported, never on what was handed in. One thing is due at a time. Tasks begin only while the run builds.

mod decision;
mod steps;
mod words;

use alloc::collections::BTreeSet;
use alloc::string::String;

use serde::{Deserialize, Serialize};

use crate::Digest;
use crate::pipeline::{Action, Change, Kind, Phase, Pipeline, State, Step};

pub use decision::Decision;
pub use words::{
    Architecture, Document, Documents, Drift, Effect, Event, Examination, Fixed, Freeze, Input,
    Job, Signal, StopReason, Tells,
};

/// The run of a project, at rest between two inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Run {
    pub pipeline: Pipeline,
    /// The version that is worked on; 0 before the first request.
    pub version: u32,
    pub request: String,
    /// What each document was when the gate that depends on it passed.
    pub gated: Documents,
    /// What a person approved before anything is built.
    pub frozen: Option<Freeze>,
    /// The last commit of a passed gate.
    pub kept: Option<String>,
    /// The commit of the version that was delivered last.
    pub delivered: Option<String>,
    /// The commit of what failed too often, until a person lets the run go on.
    pub broken: Option<String>,
    /// The examination that was reported last.
    pub last: Option<Examined>,
    /// What outgrew the design, until a person decides about it.
    pub brakes: BTreeSet<String>,
    /// What a person allowed to outgrow the design.
    pub authorised: BTreeSet<String>,
    /// What people said of the product since the last iteration began.
    pub signals: u32,
    /// How to undo the deployment that is under way.
    pub rollback: Option<String>,
    /// Why the run waits for a person, if a step led there.
    pub why: String,
    /// What the gate of the build failed on last, and how many approaches to it failed in a row.
    problem: String,
    approaches: u8,
    /// What each document was when its gate passed in this version, also if the gate is not fresh any more.
    passed: Documents,
    /// Nothing but the readiness has changed, so that the gate of the design is examined again without anybody's work.
    design_holds: bool,
    /// A recorded step does not follow from the one before.
    is_bent: bool,
    /// Reports of effects so far: what an effect of the run is told apart by.
    nth: u32,
    is_handed_in: bool,
    is_begun: bool,
    is_held: bool,
    aborted: u8,
    must_keep: bool,
    must_restore: bool,
    is_recovered: bool,
}

/// The last examination of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Examined {
    pub job: Job,
    pub report: Examination,
}

impl Run {
    /// Whether tasks may have turns: while the run builds, or where a project has no phases.
    pub fn lets_build(&self) -> bool {
        self.version == 0 || self.pipeline.state == State::Building
    }

    /// Whether what was approved is being built, or was.
    pub fn has_built(&self) -> bool {
        self.frozen.is_some() || self.pipeline.fresh.has(Phase::Build)
    }

    /// Whether a step was recorded that the table does not lead to: somebody bent the records.
    pub fn is_bent(&self) -> bool {
        self.is_bent
    }

    /// How many effects were answered.
    pub fn answered(&self) -> u32 {
        self.nth
    }

    /// The work that has to be handed in here.
    pub fn job(&self) -> Option<Job> {
        match self.pipeline.state.kind() {
            Kind::Working(phase) => Some(Job::Phase(phase)),
            Kind::Fixing(phase) => Some(Job::Fix(phase)),
            Kind::Aside if self.pipeline.state == State::AuditingStack => Some(Job::Audit),
            Kind::Aside if self.pipeline.state == State::Distilling => Some(Job::Distill),
            Kind::Aside => Some(Job::Propose),
            Kind::Between if self.pipeline.state == State::IterationConfirmed => Some(Job::Confirm),
            Kind::Between
            | Kind::Passed(_)
            | Kind::Retrying(_)
            | Kind::Waiting
            | Kind::Recovering => None,
        }
    }

    /// The one thing that is due. `is_built`: every task of the project has ended.
    pub fn due(&self, is_built: bool) -> Option<Effect> {
        let (nth, state) = (self.nth, self.pipeline.state);
        if self.must_keep {
            return Some(Effect::Keep { nth });
        }
        if self.must_restore {
            return Some(Effect::Restore { nth });
        }
        if state == State::ContextRecovering && !self.is_recovered {
            return Some(Effect::Recover { nth });
        }
        let job = self.job()?;
        if job == Job::Phase(Phase::Build) && !is_built {
            return None;
        }
        Some(match self.is_handed_in {
            true => Effect::Examine { nth, job },
            false => Effect::Work { nth, job },
        })
    }

    /// Whether the freeze is what the run waits for.
    pub fn waits_for_freeze(&self) -> bool {
        let state = self.pipeline.state;
        let is_before = state == State::AnalyzeGatePassed
            || state == State::SteppedModePaused
                && self.pipeline.history.pause_next == Some(State::Building);
        is_before && !self.must_keep && !self.is_frozen()
    }

    /// Whether a person approved the documents as they are.
    pub fn is_frozen(&self) -> bool {
        let kept = |freeze: &Freeze| freeze.documents == self.frozen_part();
        self.frozen.as_ref().is_some_and(kept)
    }

    /// The documents that are frozen before anything is built.
    pub fn frozen_part(&self) -> Documents {
        let is_frozen = |document: &Document| *document != Document::Code;
        let part = self.gated.iter().filter(|(document, _)| is_frozen(document));
        part.map(|(document, digest)| (*document, *digest)).collect()
    }

    /// The earliest of what fresh gates depend on that is not as it was.
    pub fn change(&self, seen: &Documents) -> Change {
        self.change_of(seen, |_| true)
    }

    /// The same, but for what the work that is due here is there to change.
    fn change_by_hand(&self, seen: &Documents) -> Change {
        let job = self.job();
        self.change_of(seen, |document| job.is_none_or(|it| !it.may_change(document)))
    }

    fn change_of(&self, seen: &Documents, counts: impl Fn(Document) -> bool) -> Change {
        let differs = |it: &(&Document, &Digest)| seen.get(it.0) != Some(it.1);
        let counted = self.gated.iter().filter(|it| counts(*it.0)).filter(differs);
        counted
            .map(|(document, _)| document.change())
            .min_by_key(|it| it.stale_from())
            .unwrap_or_default()
    }

    /// What is not as it was when its gate passed, as an examination of a later one found it.
    fn change_under(&self, job: Job, report: &Examination) -> Change {
        if !matches!(job, Job::Phase(_) | Job::Fix(_)) {
            return Change::Nothing;
        }
        self.change_of(&report.read, |document| !job.binds(report.tells, document))
    }

    /// Whether a person who returns finds work that was cut off, or files that were changed.
    pub fn was_disturbed(&self, seen: &Documents) -> bool {
        let can_tell = match self.pipeline.state.kind() {
            Kind::Working(_) | Kind::Fixing(_) | Kind::Passed(_) => true,
            Kind::Waiting => self.pipeline.state == State::SteppedModePaused,
            Kind::Between | Kind::Aside | Kind::Retrying(_) | Kind::Recovering => false,
        };
        self.is_begun || can_tell && !self.must_keep && self.change_by_hand(seen) != Change::Nothing
    }

    /// The step by which a person lets the run go on where it waits for one.
    pub fn goes_on(&self) -> Option<Action> {
        let pause_next = self.pipeline.history.pause_next;
        let waits = [
            (State::BlockedOnGate, Action::UnblockByUser),
            (State::ReconcileBlocked, Action::ResolveReconcileBlock),
            (State::ComplexityBrakeTriggered, Action::ResolveComplexityBrake),
            (State::SessionDropped, Action::StartContextRecovery),
        ];
        let action = waits.into_iter().find(|(state, _)| *state == self.pipeline.state);
        if self.pipeline.state != State::SteppedModePaused {
            return action.map(|(_, action)| action);
        }
        match pause_next?.kind() {
            Kind::Working(phase) => phase.resume(),
            Kind::Between
            | Kind::Aside
            | Kind::Fixing(_)
            | Kind::Passed(_)
            | Kind::Retrying(_)
            | Kind::Waiting
            | Kind::Recovering => None,
        }
    }

    /// Whether what was cut off lies beside the phases.
    fn recovers_aside(&self) -> bool {
        self.pipeline.history.interrupted.is_some_and(|it| it.kind() == Kind::Aside)
    }

    /// Whether a person stopped the work, or a brake did. A task that halted stops no other one that was begun.
    pub fn is_stopped(&self) -> bool {
        self.is_held || self.pipeline.state == State::ComplexityBrakeTriggered
    }

    pub(super) fn evolve(&mut self, event: &Event) {
        match event {
            Event::Requested { request, .. } => {
                self.request.clone_from(request);
                // A version that was given up keeps its number.
                self.version = self.version.saturating_add(1);
            }
            Event::Stepped { step, to, by, why } => {
                self.is_bent |= self.pipeline.step(step, by).as_ref() != Ok(to);
                self.stepped(step, to, why);
            }
            // The step says what follows from it.
            Event::Resolved { .. } => {}
            Event::WorkBegun { .. } => self.is_begun = true,
            Event::HandedIn { .. } => {
                (self.is_handed_in, self.is_begun, self.aborted) = (true, false, 0);
            }
            Event::WorkAborted { .. } => {
                (self.is_begun, self.aborted) = (false, self.aborted.saturating_add(1));
                self.nth = self.nth.saturating_add(1);
            }
            Event::GateExamined { job, report } => {
                if report.verdict == crate::Verdict::Pass {
                    let bound = report.read.iter().filter(|it| job.binds(report.tells, *it.0));
                    let bound: Documents = bound.map(|(it, digest)| (*it, *digest)).collect();
                    self.gated.extend(bound.clone());
                    self.passed.extend(bound);
                }
                if *job == Job::Phase(Phase::Build) {
                    self.approached(report);
                }
                self.is_handed_in = false;
                self.brakes = report.brakes.difference(&self.authorised).cloned().collect();
                self.last = Some(Examined { job: *job, report: report.clone() });
                self.nth = self.nth.saturating_add(1);
            }
            Event::Kept { commit } => {
                (self.must_keep, self.kept) = (false, Some(commit.clone()));
                if self.pipeline.state == State::PipelineComplete {
                    self.delivered = Some(commit.clone());
                }
                self.nth = self.nth.saturating_add(1);
            }
            Event::Restored { broken, commit } => {
                self.must_restore = false;
                if self.pipeline.state == State::PipelineComplete {
                    // What was given up is not taken up again.
                    self.kept = Some(commit.clone());
                } else {
                    self.broken = Some(broken.clone());
                }
                self.nth = self.nth.saturating_add(1);
            }
            Event::Recovered { seen } => {
                (self.is_recovered, self.broken) = (true, None);
                let is_as_passed =
                    |it: Document| self.passed.get(&it).map(|passed| seen.get(&it) == Some(passed));
                self.design_holds = is_as_passed(Document::Design) == Some(true)
                    && is_as_passed(Document::Readiness) == Some(false);
                self.nth = self.nth.saturating_add(1);
            }
            Event::Frozen { freeze } => self.frozen = Some(freeze.clone()),
            Event::Signalled { .. } => self.signals = self.signals.saturating_add(1),
            Event::StopRaised { reason, .. } => {
                self.is_held = true;
                if self.pipeline.state == State::ComplexityBrakeTriggered {
                    self.brakes = BTreeSet::from([String::from(reason.words())]);
                }
            }
            Event::RollbackRecorded { command, .. } => self.rollback = Some(command.clone()),
        }
    }

    /// Counts the approaches to what the gate of the build failed on. What cannot be told is none.
    fn approached(&mut self, report: &Examination) {
        match report.verdict {
            crate::Verdict::Pass => (self.approaches, self.problem) = (0, String::new()),
            crate::Verdict::Fail if report.first == self.problem => {
                self.approaches = self.approaches.saturating_add(1);
            }
            crate::Verdict::Fail => (self.approaches, self.problem) = (1, report.first.clone()),
            crate::Verdict::CannotTell => {}
        }
    }

    /// The approach that would begin now, if a person has to be asked first.
    fn brakes_before_approach(&self) -> Option<String> {
        let is_next = self.approaches.saturating_add(1) >= APPROACHES_MAX;
        let said =
            alloc::format!("approach {} to the same problem: {}", APPROACHES_MAX, self.problem);
        let is_asked = self.pipeline.state == State::Building
            && is_next
            && !self.problem.is_empty()
            && !self.authorised.contains(&said);
        is_asked.then_some(said)
    }

    fn stepped(&mut self, step: &Step, to: &Pipeline, why: &str) {
        let from = self.pipeline.state;
        self.pipeline = *to;
        (self.is_begun, self.is_held) = (false, false);
        if begins_anew(step) {
            (self.approaches, self.problem) = (0, String::new());
        }
        if begins_anew(step) && step.change != Change::Nothing {
            // A person said that it has to be other than it was when it passed.
            self.passed.clear();
        }
        // Tasks are the work of the build, and nobody writes what a confirmed iteration keeps. What failed is worked on.
        self.is_handed_in = to.state == State::IterationConfirmed
            || to.state == State::Building
                && !matches!(step.action, Action::RetryBuild | Action::ResolveReconcileBlock)
                && self.approaches == 0
            || step.action == Action::RecoverToDesign && self.design_holds;
        self.why = why.into();
        if step.action.is_pass() {
            self.must_keep = true;
        }
        if step.action == Action::BlockAfterThreeRetries {
            self.must_restore = true;
        }
        if step.action == Action::AbandonRun && to.is_delivered {
            self.must_restore = self.delivered.is_some();
        }
        if step.action == Action::ConfirmIteration {
            self.version = self.version.saturating_add(1);
            self.signals = 0;
            self.passed.clear();
        }
        if step.action == Action::TriggerComplexityBrake && self.brakes.is_empty() {
            self.brakes.insert(why.into());
        }
        if step.action == Action::ResolveComplexityBrake {
            let brakes = core::mem::take(&mut self.brakes);
            if step.change == Change::Nothing {
                self.authorised.extend(brakes);
            }
        }
        if to.state == State::Deploying {
            self.rollback = None;
        }
        if to.state == State::ContextRecovering {
            self.is_recovered = false;
        } else if to.state != State::SessionDropped && from != State::ContextRecovering {
            // Only a drop and what follows it count as the same step.
            self.aborted = 0;
        }
        self.gated.retain(|document, _| to.fresh.has(document.gate()));
        if !to.fresh.has(Phase::Analyze) {
            self.frozen = None;
        }
    }
}

/// Whether what a person decided by a step makes earlier approaches to the build void.
fn begins_anew(step: &Step) -> bool {
    let is_decision = matches!(
        step.action,
        Action::UnblockByUser
            | Action::ResolveComplexityBrake
            | Action::ResolveReconcileBlock
            | Action::ConfirmIteration
            | Action::RequestBuild
    );
    let goes_on_as_it_was =
        step.action == Action::ResolveComplexityBrake && step.change == Change::Nothing;
    is_decision && !goes_on_as_it_was
}

/// The approach to one problem that a person is asked about before it begins.
pub const APPROACHES_MAX: u8 = 3;

/// After so many aborted calls of one step in a row the run stops and asks a person.
pub const ABORTS_MAX: u8 = 3;

#[cfg(test)]
mod tests;
