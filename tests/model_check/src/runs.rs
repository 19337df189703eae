//! A careless world for whole projects: people who hand in too early, edit files, decide at random and say things twice;
//! programs that are cut off; gates that pass, fail and cannot tell. What holds is checked after every event.

use std::collections::BTreeSet;

use sealwright_kernel::pipeline::properties::{INVARIANTS, STEP_PROPERTIES, Taken};
use sealwright_kernel::pipeline::{Action, Change, Mode, Party, Phase, Rules, State, Step, table};
use sealwright_kernel::project::run::{
    Architecture, Decision, Document, Documents, Drift, Effect, Event, Examination, Fixed, Input,
    Job, Run, Signal, StopReason, Tells,
};
use sealwright_kernel::project::{
    Effect as Owed, Event as ProjectEvent, Input as ProjectInput, Outcome, Project,
};
use sealwright_kernel::scripted::project::{approval, planned};
use sealwright_kernel::task::Status;
use sealwright_kernel::{
    Actor, Digest, Effect as _, EffectId, InvocationId, Machine as _, Role, TaskId, Verdict,
    scripted,
};

use crate::graphs::Dice;

/// What happened in a world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Played {
    pub steps: u64,
    pub refused: u64,
    pub delivered: u64,
    pub blocked: u64,
    pub edited: u64,
    pub dropped: u64,
    pub braked: u64,
    pub iterated: u64,
    pub abandoned: u64,
}

impl Played {
    /// Adds what happened in another world.
    pub fn add(&mut self, other: &Self) {
        let Self {
            steps,
            refused,
            delivered,
            blocked,
            edited,
            dropped,
            braked,
            iterated,
            abandoned,
        } = *other;
        self.steps += steps;
        self.refused += refused;
        self.delivered += delivered;
        self.blocked += blocked;
        self.edited += edited;
        self.dropped += dropped;
        self.braked += braked;
        self.iterated += iterated;
        self.abandoned += abandoned;
    }

    /// Whether everything that can happen to a run did.
    pub fn is_lively(&self) -> bool {
        let Self {
            steps,
            refused,
            delivered,
            blocked,
            edited,
            dropped,
            braked,
            iterated,
            abandoned,
        } = *self;
        [steps, refused, delivered, blocked, edited, dropped, braked, iterated, abandoned]
            .iter()
            .all(|it| *it > 0)
    }
}

/// Plays one project: carelessly first, then as a diligent person would end it. The same seed plays the same world.
pub fn play(seed: u64) -> Result<Played, String> {
    let mut world = World::new(seed);
    world.play().map_err(|why| format!("seed {seed}: {why}"))?;
    Ok(world.played)
}

struct World {
    dice: Dice,
    project: Project,
    events: Vec<ProjectEvent>,
    /// The gated files as they are.
    files: Documents,
    /// What each gate last passed on, as the world reported it.
    passed: Documents,
    /// Passes that are not yet a commit.
    unkept: u64,
    answered: BTreeSet<EffectId>,
    news: u32,
    edits: u32,
    is_diligent: bool,
    played: Played,
}

impl World {
    fn new(seed: u64) -> Self {
        let files =
            Document::ALL.into_iter().map(|it| (it, Digest::of(it.gate().name().as_bytes())));
        Self {
            dice: Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            project: Project::default(),
            events: Vec::new(),
            files: files.collect(),
            passed: Documents::new(),
            unkept: 0,
            answered: BTreeSet::new(),
            news: 0,
            edits: 0,
            is_diligent: false,
            played: Played::default(),
        }
    }

    fn play(&mut self) -> Result<(), String> {
        for input in approval() {
            self.tell(input)?;
        }
        let tasks =
            (0..=self.dice.below(3)).map(|nth| planned(&format!("T-{nth}"), None, Vec::new()));
        let tasks = tasks.collect();
        self.tell(ProjectInput::Plan { by: scripted::ada(), tasks, is_last: true })?;
        let mode = if self.dice.below(2) == 0 { Mode::Auto } else { Mode::Stepped };
        let request = "Parking for residents".to_string();
        self.run(Input::Begin { by: scripted::ada(), request, mode, settings: None })?;
        self.live()?;
        if self.project.run().pipeline.state == State::PipelineComplete {
            let (by, seen) = (scripted::ada(), self.files.clone());
            let (step, why) = (Action::StartIteration.into(), String::new());
            self.run(Input::Step { by, step, why, seen })?;
            self.live()?;
        }
        self.ended()
    }

    /// Carelessly for a while, then until the version is delivered.
    fn live(&mut self) -> Result<(), String> {
        self.is_diligent = false;
        for _ in 0..CARELESS_STEPS {
            let input = self.carelessly();
            self.tell(input)?;
        }
        self.is_diligent = true;
        for _ in 0..DILIGENT_STEPS {
            let state = self.project.run().pipeline.state;
            let is_over = state == State::PipelineComplete && self.project.owed().is_empty();
            if is_over || self.project.outcome() == Outcome::Stalled {
                return Ok(());
            }
            let input = self.diligently();
            self.tell(input)?;
        }
        Err(format!("a diligent person does not get on from {:?}", self.project.run()))
    }

    fn ended(&self) -> Result<(), String> {
        if sealwright_kernel::fold::<Project>(&self.events) == self.project {
            Ok(())
        } else {
            Err("the journal rebuilds another project".to_string())
        }
    }

    fn run(&mut self, input: Input) -> Result<(), String> {
        self.tell(ProjectInput::Run(input))
    }

    fn tell(&mut self, input: ProjectInput) -> Result<(), String> {
        let Ok(events) = self.project.decide(&input) else {
            self.played.refused += 1;
            return Ok(());
        };
        if let Some(id) = sealwright_kernel::Input::answers(&input)
            && !matches!(input, ProjectInput::Run(Input::Begun { .. }))
            && !self.answered.insert(id.clone())
        {
            return Err(format!("{id} was answered twice"));
        }
        for event in &events {
            let before = self.project.run().clone();
            self.project.evolve(event);
            let said = self.check(&before, event);
            said.map_err(|why| format!("{why}, after {input:?} in {before:?}"))?;
        }
        self.played.steps += 1;
        self.events.extend(events);
        Ok(())
    }

    /// Something that happens, possible or not.
    fn carelessly(&mut self) -> ProjectInput {
        if self.dice.below(12) == 0 {
            self.edits += 1;
            let document = Document::ALL[self.dice.below(5) as usize];
            self.files.insert(document, Digest::of(format!("edit {}", self.edits).as_bytes()));
        }
        let owed = self.project.owed();
        match self.dice.below(10) {
            0..=6 if !owed.is_empty() => {
                let nth = self.dice.below(owed.len() as u64) as usize;
                self.answer(&owed[nth])
            }
            0..=6 => self.hear(),
            7 => self.decide(),
            8 => ProjectInput::Run(self.nonsense()),
            _ => self.hear(),
        }
    }

    fn answer(&mut self, owed: &Owed) -> ProjectInput {
        let effect = owed.id();
        match owed {
            Owed::Open { .. } => ProjectInput::Opened { effect },
            Owed::Dispatch { .. } => ProjectInput::Dispatched { effect },
            Owed::Run(due) => ProjectInput::Run(self.answer_run(due, effect)),
        }
    }

    fn answer_run(&mut self, due: &Effect, effect: EffectId) -> Input {
        let seen = self.files.clone();
        let can_undo = self.project.run().rollback.is_some();
        match due {
            Effect::Work { job: Job::Phase(Phase::Deploy), .. }
                if !can_undo && self.is_diligent =>
            {
                Input::Rollback { by: scripted::ada(), command: "git revert".to_string() }
            }
            Effect::Work { .. } => match if self.is_diligent { 0 } else { self.dice.below(8) } {
                0..=3 => Input::HandIn { by: scripted::ada() },
                4 => Input::Worked { effect },
                5 => Input::Begun { effect },
                _ => Input::Aborted { effect, why: "the process ended".to_string() },
            },
            Effect::Examine { job, .. } => Input::Examined { effect, report: self.report(*job) },
            Effect::Keep { .. } => {
                let commit = format!("c{}", self.events.len());
                Input::Kept { effect, commit, seen }
            }
            Effect::Restore { .. } => {
                let commit = format!("r{}", self.events.len());
                Input::Restored { effect, broken: "b".to_string(), commit }
            }
            Effect::Recover { .. } => Input::Recovered { effect, seen },
        }
    }

    fn report(&mut self, job: Job) -> Examination {
        let roll = if self.is_diligent { 9 } else { self.dice.below(10) };
        let verdict = match roll {
            0..=1 => Verdict::Fail,
            2 => Verdict::CannotTell,
            _ => Verdict::Pass,
        };
        let read = match job {
            Job::Phase(phase) => self.part(|it| it.gate() <= phase),
            Job::Confirm => self.part(|it| it.gate() <= Phase::Design),
            Job::Fix(_) => self.part(|it| it.gate() <= Phase::Build),
            Job::Audit | Job::Distill | Job::Propose => Documents::new(),
        };
        let is_brake =
            job == Job::Phase(Phase::Build) && !self.is_diligent && self.dice.below(4) == 0;
        let brakes = is_brake.then(|| "files".to_string()).into_iter().collect();
        let tells = match (job, self.dice.below(3)) {
            (Job::Fix(_), 0) => Tells::Fixed(Fixed::Nothing),
            (Job::Fix(_), 1) => Tells::Fixed(Fixed::Documents),
            (Job::Fix(_), _) => Tells::Fixed(Fixed::Code),
            (Job::Phase(Phase::Reconcile), 0) => Tells::Drift(Drift::Repaired),
            (Job::Confirm, 0) => Tells::Architecture(Architecture::Unchanged),
            (Job::Confirm, 1) => Tells::Architecture(Architecture::Changed),
            _ => Tells::Nothing,
        };
        let first = match verdict {
            // The same problem again, more often than not.
            Verdict::Fail => format!("problem {}", self.dice.below(4) / 3),
            Verdict::Pass | Verdict::CannotTell => String::new(),
        };
        let report = Digest::of(b"report");
        let said = BTreeSet::new();
        Examination { verdict, read, report, findings: 0, first, brakes, said, tells }
    }

    fn part(&self, is_in: impl Fn(Document) -> bool) -> Documents {
        let part = self.files.iter().filter(|(document, _)| is_in(**document));
        part.map(|(document, digest)| (*document, *digest)).collect()
    }

    /// A task moves on.
    fn hear(&mut self) -> ProjectInput {
        let tasks: Vec<TaskId> = self.project.tasks().map(|(id, _)| id.clone()).collect();
        let task = tasks[self.dice.below(tasks.len() as u64) as usize].clone();
        let status = self.project.task(&task).map(|it| it.status);
        let status = match (status, self.dice.below(12)) {
            (Some(Status::Halted), 0) if !self.is_diligent => Status::Abandoned,
            (Some(Status::InProgress), 0) if !self.is_diligent => Status::Halted,
            (Some(Status::InProgress | Status::Parked), _) => Status::Shipped,
            (Some(Status::Pending), _) if !self.project.has_turn(&task) => Status::Pending,
            _ => Status::InProgress,
        };
        self.news += 1;
        ProjectInput::Heard { task, news: self.news, status, phase: None }
    }

    /// A person decides something that may be possible.
    fn decide(&mut self) -> ProjectInput {
        let (by, seen) = (scripted::ada(), self.files.clone());
        let run = self.project.run();
        let spec = Digest::of(b"a spec");
        let input = match self.dice.below(8) {
            0..=1 => {
                let step = run.goes_on().map(Step::from);
                let change = self.dice.below(6);
                let change = [Change::Nothing, Change::Scope, Change::Design, Change::Code]
                    .get(change as usize)
                    .copied()
                    .unwrap_or_default();
                let step = step.map(|it| match it.action.changes().contains(&change) {
                    true => Step { change, ..it },
                    false => it,
                });
                let step = step.unwrap_or_else(|| Action::StartIteration.into());
                Input::Step { by, step, why: "go on".to_string(), seen }
            }
            2 if self.dice.below(2) == 0 => {
                let decision = Decision::ALL[self.dice.below(6) as usize];
                Input::Resolve { by, decision, why: "go on".to_string(), seen }
            }
            2 => Input::Return { by, seen },
            3 => Input::Freeze { by, documents: run.frozen_part(), spec },
            4 => {
                let step = Step::beginning(Action::ConfirmIteration, Mode::Auto);
                Input::Step { by, step, why: String::new(), seen }
            }
            5 => {
                let phase = run.pipeline.state.phase().unwrap_or(Phase::Design);
                let action = phase.ask_reconcile().unwrap_or(Action::StartPMFValidation);
                Input::Step { by, step: action.into(), why: String::new(), seen }
            }
            6 => {
                let signal = Signal { text: "slow".to_string(), source: "a driver".to_string() };
                Input::Tell { by, signal }
            }
            _ if self.dice.below(8) > 0 => Input::Return { by, seen },
            _ => {
                let (step, why) = (Action::AbandonRun.into(), "enough".to_string());
                Input::Step { by, step, why, seen }
            }
        };
        ProjectInput::Run(input)
    }

    /// Things that nobody may say, or not now.
    fn nonsense(&mut self) -> Input {
        let row = &table::ROWS[self.dice.below(table::ROWS.len() as u64) as usize];
        let role = Actor::Role(Role::Builder, InvocationId::new(1));
        let (seen, why) = (self.files.clone(), "because".to_string());
        let reason = StopReason::ALL[self.dice.below(4) as usize];
        let stale = self.answered.iter().nth(self.dice.below(40) as usize).cloned();
        match (self.dice.below(7), stale) {
            (5, _) if self.dice.below(4) == 0 => Input::Stop { by: scripted::ada(), reason, why },
            (6, _) => Input::Rollback { by: scripted::ada(), command: why },
            (0, Some(effect)) => Input::Examined { effect, report: self.report(Job::Propose) },
            (1, Some(effect)) => Input::Kept { effect, commit: "x".to_string(), seen },
            (2, _) => {
                Input::Freeze { by: scripted::ada(), documents: seen, spec: Digest::of(b"x") }
            }
            (3, _) => Input::Step { by: role, step: row.action.into(), why, seen },
            _ => Input::Step { by: scripted::ada(), step: row.action.into(), why, seen },
        }
    }

    /// What somebody does who wants the version delivered.
    fn diligently(&mut self) -> ProjectInput {
        let owed = self.project.owed();
        if let Some(first) = owed.first().filter(|_| self.dice.below(4) > 0).cloned() {
            return self.answer(&first);
        }
        let run = self.project.run();
        let (by, seen) = (scripted::ada(), self.files.clone());
        let step = |action: Action| Step { mode: action.modes()[0], ..action.into() };
        let input = if run.waits_for_freeze() {
            Input::Freeze { by, documents: run.frozen_part(), spec: Digest::of(b"a spec") }
        } else if run.was_disturbed(&seen) {
            Input::Return { by, seen }
        } else if let Some(action) = run.goes_on() {
            Input::Step { by, step: step(action), why: "go on".to_string(), seen }
        } else if run.pipeline.state < State::AuditingStack && !run.pipeline.is_delivered {
            let request = "again".to_string();
            Input::Begin { by, request, mode: Mode::Auto, settings: None }
        } else {
            let on = [
                (State::Ideating, Action::ReenterFromIdeation),
                (State::IterationProposed, Action::ConfirmIteration),
                (State::ValidatingPMF, Action::PMFValidated),
            ];
            let action = on.into_iter().find(|(state, _)| *state == run.pipeline.state);
            let Some((_, action)) = action else { return self.hear() };
            Input::Step { by, step: step(action), why: String::new(), seen }
        };
        ProjectInput::Run(input)
    }

    fn check(&mut self, before: &Run, event: &ProjectEvent) -> Result<(), String> {
        let run = self.project.run();
        if matches!(event, ProjectEvent::TurnGiven { .. }) && !run.lets_build() {
            return Err("a turn outside of the build".to_string());
        }
        let ProjectEvent::Run(event) = event else { return Ok(()) };
        match event {
            Event::GateExamined { report, .. } if report.verdict == Verdict::Pass => {
                self.passed.extend(&report.read);
            }
            Event::HandedIn { job: Job::Phase(Phase::Deploy), .. } if before.rollback.is_none() => {
                return Err("a deployment that cannot be undone".to_string());
            }
            Event::HandedIn { .. } => {}
            Event::Kept { .. } => self.unkept -= 1,
            Event::Stepped { step, to, by, .. } => {
                check_step(before, *step, run)?;
                // A stop is heard at any time, and the gate is kept all the same.
                let is_stop = step.action == Action::RaiseStop;
                let is_owed = matches!(run.due(true), Some(Effect::Keep { .. }));
                if self.unkept > 0 && !(is_stop && is_owed) {
                    return Err("a step before the last gate is kept".to_string());
                }
                self.unkept += u64::from(step.action.is_pass());
                let is_person = by.person().is_some();
                let rows = table::ROWS.iter().filter(|it| it.action == step.action);
                let needs_person = rows.map(|it| it.by).next() == Some(Party::Human);
                if needs_person != is_person {
                    return Err(format!("{by:?} took {:?}", step.action));
                }
                if to.state == State::Building
                    && before.pipeline.state != State::Building
                    && run.frozen.is_none()
                {
                    return Err("a build that nobody approved".to_string());
                }
                self.count(*step, to.state);
            }
            Event::Requested { .. }
            | Event::WorkBegun { .. }
            | Event::WorkAborted { .. }
            | Event::GateExamined { .. }
            | Event::Restored { .. }
            | Event::Recovered { .. }
            | Event::Frozen { .. }
            | Event::StopRaised { .. }
            | Event::Resolved { .. }
            | Event::Signalled { .. } => {}
            Event::RollbackRecorded { .. } if run.pipeline.state != State::Deploying => {
                return Err("a rollback of nothing".to_string());
            }
            Event::RollbackRecorded { .. } => {}
        }
        if self.project.run().is_bent() {
            return Err("a step that the table does not lead to".to_string());
        }
        for (document, digest) in &self.project.run().gated {
            if self.passed.get(document) != Some(digest) {
                return Err(format!("the gate of {document:?} rests on what it never passed on"));
            }
        }
        Ok(())
    }

    fn count(&mut self, step: Step, to: State) {
        let played = &mut self.played;
        played.delivered += u64::from(step.action == Action::PassDeployGate);
        played.blocked += u64::from(to == State::BlockedOnGate);
        played.edited += u64::from(step.action == Action::DetectHandEdit);
        played.dropped += u64::from(step.action == Action::DropSession);
        played.braked += u64::from(step.action == Action::TriggerComplexityBrake);
        played.iterated += u64::from(step.action == Action::ConfirmIteration);
        played.abandoned += u64::from(step.action == Action::AbandonRun);
    }
}

/// Holds a step against the properties that every run of the table has.
fn check_step(before: &Run, step: Step, run: &Run) -> Result<(), String> {
    let rules = Rules::OURS;
    let taken = Taken { before: &before.pipeline, step, after: &run.pipeline, rules };
    let broken = STEP_PROPERTIES.iter().find(|(_, holds)| !holds(&taken)).map(|(name, _)| *name);
    let broken = broken.or_else(|| {
        let broken = INVARIANTS.iter().find(|(_, holds)| !holds(&run.pipeline, rules));
        broken.map(|(name, _)| *name)
    });
    broken.map_or(Ok(()), |name| Err(format!("{name} does not hold")))
}

const CARELESS_STEPS: u32 = 160;
const DILIGENT_STEPS: u32 = 600;

#[cfg(test)]
mod tests {
    use super::*;

    /// Proves: L-003
    #[test]
    fn careless_worlds_break_nothing_and_can_be_ended() {
        let mut all = Played::default();
        for seed in 0..300 {
            all.add(&play(seed).unwrap());
        }
        assert!(all.is_lively(), "{all:?}");
    }
}
