//! The project machine: dispatches tasks, each after those it depends on.
//!
//! A project knows its tasks only by the messages they send, and tells them only by the
//! messages it owes them. It never looks at all of its tasks: what may be dispatched and what
//! is at work are kept apart, so a step costs the same with ten tasks and with a hundred
//! thousand.
//!
//! ```text
//!  admit, plan ─▶ owed: open ─▶ opened, ready ─turn─▶ owed: dispatch ─▶ at work ─▶ shipped, abandoned
//!                                                                        │  ▲
//!                                                          parked, halted ◀──┘ (as the task tells)
//! ```
//!
//! As many tasks have a turn as the project allows, the lowest declared first. While one is halted, no other gets one; a
//! parked task holds up no other. A plan of many tasks comes in parts, and no task has a turn before its last one.

mod graph;
mod product;
pub mod run;
mod turns;

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::order::in_order;
use crate::task::{Charter, Choice, Membership, Phase, Status};
use crate::{Actor, Digest, EffectId, Machine, TaskId};

pub use graph::{Counts, Entry, Outcome};
pub use product::{Emitted, Product};
use turns::{Step, is_legal};

/// One project, at rest between two inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    product: Product,
    /// The phases of the version that is built, if it has any.
    run: run::Run,
    tasks: BTreeMap<TaskId, Entry>,
    /// Admitted; their streams have to be opened.
    to_open: BTreeMap<TaskId, ToOpen>,
    /// Not yet begun, and everything they depend on is done, in the order they were declared.
    ready: BTreeSet<(u32, TaskId)>,
    /// Given a turn; their streams have to be told.
    to_dispatch: BTreeSet<TaskId>,
    at_work: BTreeSet<TaskId>,
    counts: Counts,
    declared: u32,
    /// How many tasks may have a turn at a time.
    at_once: u32,
    /// More of a plan is to come.
    is_planning: bool,
    /// People were told that nothing can begin.
    is_stranded: bool,
}

/// A task whose stream has to be opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ToOpen {
    charter: Charter,
    by: String,
}

/// A task of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planned {
    pub charter: Charter,
    /// Its place in the order of declaration; behind all others, if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<TaskId>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// A spec without errors is there for a person to decide about.
    Emit {
        by: Actor,
        spec: Emitted,
    },
    /// A person decides about the spec that they were shown, by its digest.
    Decide {
        by: Actor,
        spec: Digest,
        choice: Choice,
        rationale: String,
    },
    Admit {
        by: Actor,
        charter: Charter,
    },
    /// The next part of a plan: what its tasks depend on is in it or there already.
    Plan {
        by: Actor,
        tasks: Vec<Planned>,
        is_last: bool,
    },
    /// An abandoned task is replaced by others, which the changed spec has.
    Split {
        by: Actor,
        task: TaskId,
        into: Vec<Planned>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spec: Option<Emitted>,
    },
    /// What is wanted of a task was amended, so the spec has a new version.
    Amend {
        by: Actor,
        task: TaskId,
        spec: Emitted,
    },
    /// A task that cannot begin depends on others from now on.
    Rewire {
        by: Actor,
        task: TaskId,
        depends_on: Vec<TaskId>,
    },
    /// So many tasks may have a turn at a time.
    Parallel {
        by: Actor,
        at_once: u32,
    },
    Opened {
        effect: EffectId,
    },
    Dispatched {
        effect: EffectId,
    },
    Heard {
        task: TaskId,
        news: u32,
        status: Status,
        phase: Option<Phase>,
    },
    /// Something happens to the phases.
    Run(run::Input),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    SpecEmitted {
        spec: Emitted,
        by: String,
    },
    SpecDecided {
        spec: Digest,
        choice: Choice,
        rationale: String,
        by: String,
    },
    Admitted {
        charter: Charter,
        order: u32,
        by: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        depends_on: Vec<TaskId>,
    },
    PlanOpened,
    PlanClosed,
    Superseded {
        task: TaskId,
        parts: Vec<TaskId>,
        by: String,
    },
    /// The approved spec has another version, because a person resolved a task.
    SpecAmended {
        spec: Emitted,
        task: TaskId,
        by: String,
    },
    Rewired {
        task: TaskId,
        depends_on: Vec<TaskId>,
        by: String,
    },
    ParallelSet {
        at_once: u32,
        by: String,
    },
    /// Tasks are left, and what they depend on was abandoned: a person decides. The first of them.
    Stranded {
        tasks: Vec<TaskId>,
    },
    Opened {
        task: TaskId,
    },
    TurnGiven {
        task: TaskId,
    },
    Dispatched {
        task: TaskId,
    },
    Heard {
        task: TaskId,
        news: u32,
        status: Status,
        phase: Option<Phase>,
    },
    Run(run::Event),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Create the task in a stream of its own, as the person said who admitted it.
    Open { charter: Box<Charter>, by: String },
    /// Dispatch the task.
    Dispatch { task: TaskId },
    /// What the phases wait for.
    Run(run::Effect),
}

/// Why an input was rejected. The project is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// Only a person adds tasks and decides.
    #[error("only a person may add a task or decide")]
    NotAPerson,
    /// A name is used once.
    #[error("{task} already exists")]
    AlreadyThere { task: TaskId },
    /// No task can be created like this.
    #[error("the task cannot be created: {why}")]
    Charter { why: &'static str },
    /// The task says it stands alone.
    #[error("{task} does not belong to a project")]
    Alone { task: TaskId },
    /// The report answers an effect that is not, or no longer, owed.
    #[error("{effect} is not owed")]
    NotOwed { effect: EffectId },
    /// The effect is owed, but this is no answer to it.
    #[error("the report does not answer {effect}")]
    NoAnswer { effect: EffectId },
    /// The task was not admitted to this project.
    #[error("the project has no task {task}")]
    Unknown { task: TaskId },
    #[error("{task} depends on {on}, which the project does not have")]
    NoSuchDependency { task: TaskId, on: TaskId },
    #[error("{task} would depend on itself")]
    Circle { task: TaskId },
    #[error("{what}: at most {max}")]
    TooMany { what: &'static str, max: usize },
    /// A part of a plan is missing, or nothing is left to change.
    #[error("{why}")]
    NotNow { why: &'static str },
    /// The message was heard before, or a newer one was.
    #[error("the message was already heard")]
    AlreadyHeard,
    /// The table has no such step here.
    #[error(transparent)]
    Step(#[from] Box<crate::pipeline::Refused>),
}

impl Machine for Project {
    type Input = Input;
    type Event = Event;
    type Effect = Effect;
    type Rejected = Rejected;

    fn decide(&self, input: &Input) -> Result<Vec<Event>, Rejected> {
        match input {
            Input::Emit { by, spec } => Ok(vec![self.emitted(spec, person(by)?)?]),
            Input::Decide { by, spec, choice, rationale } => {
                Ok(vec![self.decided((*spec, *choice), rationale, person(by)?)?])
            }
            Input::Admit { by, charter } => {
                let by = person(by)?;
                let (charter, depends_on) = (charter.clone(), Vec::new());
                self.admitted(&[Planned { charter, order: None, depends_on }], by)
            }
            Input::Plan { by, tasks, is_last } => {
                let by = person(by)?;
                if self.product.approved().is_none() {
                    return Err(Rejected::NotNow { why: "no spec is approved" });
                }
                let opened = (!self.is_planning).then_some(Event::PlanOpened);
                let mut events: Vec<Event> = opened.into_iter().collect();
                events.extend(self.admitted(tasks, by)?);
                if *is_last {
                    let mut after = Step { is_planning: false, ..Step::of(self) };
                    after.opens += tasks.len();
                    events.push(Event::PlanClosed);
                    events.extend(self.turns(&after));
                }
                Ok(events)
            }
            Input::Amend { by, task, spec } => {
                let by = person(by)?;
                self.entry(task)?;
                Ok(vec![self.spec_amended(spec, task, by)?])
            }
            Input::Split { by, task, into, spec } => {
                let by = person(by)?;
                let entry = self.entry(task)?;
                if entry.status != Status::Abandoned || !entry.superseded_by.is_empty() {
                    return Err(Rejected::NotNow { why: "only an abandoned task is split, once" });
                }
                if into.is_empty() {
                    return Err(Rejected::NotNow { why: "a task is split into others" });
                }
                // Parts stand behind all others.
                let last = |it: &Planned| Planned { order: None, ..it.clone() };
                let into: Vec<Planned> = into.iter().map(last).collect();
                let mut events = self.admitted(&into, by)?;
                let is_behind = |on: &TaskId| on == task || self.closure(on).contains(task);
                if let Some(part) = into.iter().find(|it| it.depends_on.iter().any(is_behind)) {
                    return Err(Rejected::Circle { task: part.charter.id.clone() });
                }
                if let Some(spec) = spec {
                    events.push(self.spec_amended(spec, task, by)?);
                }
                let parts = into.iter().map(|it| it.charter.id.clone()).collect();
                let (task, by) = (task.clone(), by.into());
                events.push(Event::Superseded { task, parts, by });
                Ok(events)
            }
            Input::Rewire { by, task, depends_on } => {
                let by = person(by)?;
                let entry = self.entry(task)?;
                if entry.status != Status::Pending || self.has_turn(task) {
                    return Err(Rejected::NotNow { why: "the task has begun" });
                }
                few(depends_on)?;
                for on in depends_on {
                    if on == task || self.closure(on).contains(task) {
                        return Err(Rejected::Circle { task: task.clone() });
                    }
                    if !self.tasks.contains_key(on) {
                        let (task, on) = (task.clone(), on.clone());
                        return Err(Rejected::NoSuchDependency { task, on });
                    }
                }
                let rewired = Event::Rewired {
                    task: task.clone(),
                    depends_on: depends_on.clone(),
                    by: by.into(),
                };
                let mut step = Step { gone: Some(task), ..Step::of(self) };
                if self.are_met(depends_on) {
                    step.freed.insert((entry.order, task.clone()));
                }
                let turns = self.turns(&step);
                Ok([rewired].into_iter().chain(turns).collect())
            }
            Input::Parallel { by, at_once } => {
                let by = person(by)?.into();
                if *at_once == 0 || *at_once > AT_ONCE_MAX {
                    let (what, max) = ("tasks at a time, and one at least", AT_ONCE_MAX as usize);
                    return Err(Rejected::TooMany { what, max });
                }
                let turns = self.turns(&Step { at_once: *at_once, ..Step::of(self) });
                let set = Event::ParallelSet { at_once: *at_once, by };
                Ok([set].into_iter().chain(turns).collect())
            }
            Input::Opened { effect } => match self.asked(effect) {
                Some((OwedKind::Open, task)) => {
                    let mut step = Step { opening: Some(&task), ..Step::of(self) };
                    step.opens -= 1;
                    let turns = self.turns(&step);
                    let opened = Event::Opened { task: task.clone() };
                    Ok([opened].into_iter().chain(turns).collect())
                }
                Some((OwedKind::Dispatch, _)) => Err(Rejected::NoAnswer { effect: effect.clone() }),
                None => Err(Rejected::NotOwed { effect: effect.clone() }),
            },
            Input::Dispatched { effect } => match self.asked(effect) {
                Some((OwedKind::Dispatch, task)) => {
                    // The task may already have reported that it is done or parked; then others get a turn.
                    let status = self.tasks.get(&task).map_or(Status::Pending, |it| it.status);
                    let works = status == Status::Pending || self.at_work.contains(&task);
                    let mut step = Step::of(self);
                    step.busy -= u32::from(!works);
                    let turns = self.turns(&step);
                    Ok([Event::Dispatched { task }].into_iter().chain(turns).collect())
                }
                Some((OwedKind::Open, _)) => Err(Rejected::NoAnswer { effect: effect.clone() }),
                None => Err(Rejected::NotOwed { effect: effect.clone() }),
            },
            Input::Heard { task, news, status, phase } => {
                let entry = self.entry(task)?;
                if *news <= entry.heard {
                    return Err(Rejected::AlreadyHeard);
                }
                if matches!(entry.status, Status::Shipped | Status::Abandoned) {
                    return Err(Rejected::NotNow { why: "the task has ended" });
                }
                // A pending status is older than the task's turn.
                let is_old = *status == Status::Pending && self.has_turn(task);
                let status = if is_old { Status::InProgress } else { *status };
                if !is_legal(entry.status, self.has_turn(task), status) {
                    return Err(Rejected::NotNow { why: "a task that has no turn has not begun" });
                }
                let step = Step::after_hearing(self, (task, entry), status);
                let turns = self.turns(&step);
                let (task, news) = (task.clone(), *news);
                let stopped = match status {
                    Status::Halted => self.run_halts(alloc::format!("{task} is halted")),
                    Status::Pending
                    | Status::InProgress
                    | Status::Parked
                    | Status::Shipped
                    | Status::Abandoned => Vec::new(),
                };
                let heard = Event::Heard { task, news, status, phase: *phase };
                Ok([heard].into_iter().chain(turns).chain(stopped).collect())
            }
            Input::Run(input) => self.run_told(input),
        }
    }

    fn evolve(&mut self, event: &Event) {
        #[cfg(debug_assertions)]
        let touched = self.touched_by(event);
        match event.clone() {
            Event::SpecEmitted { spec, .. } => self.product.emit(spec, self.run.version),
            Event::SpecDecided { choice, .. } => self.product.decide(choice),
            Event::Admitted { charter, order, depends_on, by } => {
                self.declared = self.declared.max(order.saturating_add(1));
                self.add(&charter.id, order, &depends_on);
                self.to_open.insert(charter.id.clone(), ToOpen { charter, by });
                self.is_stranded = false;
            }
            Event::PlanOpened => self.is_planning = true,
            Event::PlanClosed => self.is_planning = false,
            Event::Superseded { task, parts, .. } => self.supersede(&task, &parts),
            Event::SpecAmended { spec, .. } => self.product.amend(spec),
            Event::Rewired { task, depends_on, .. } => self.rewire(&task, &depends_on),
            Event::ParallelSet { at_once, .. } => self.at_once = at_once,
            Event::Stranded { .. } => self.is_stranded = true,
            Event::Opened { task } => drop(self.to_open.remove(&task)),
            Event::TurnGiven { task } => {
                let order = self.tasks.get(&task).map_or(0, |entry| entry.order);
                self.ready.remove(&(order, task.clone()));
                self.to_dispatch.insert(task);
                self.is_stranded = false;
            }
            Event::Dispatched { task } => {
                self.to_dispatch.remove(&task);
                // The task may have reported its status before it confirmed its dispatch.
                let has_begun = |entry: &Entry| entry.status != Status::Pending;
                if !self.tasks.get(&task).is_some_and(has_begun) {
                    self.at_work.insert(task);
                }
            }
            Event::Heard { task, news, status, phase } => {
                self.at_work.remove(&task);
                if status == Status::InProgress {
                    self.at_work.insert(task.clone());
                }
                if let Some(entry) = self.tasks.get_mut(&task) {
                    self.counts.moved(entry.status, status);
                    (entry.heard, entry.status, entry.phase) = (news, status, phase);
                    let place = (entry.order, task.clone());
                    if status != Status::Pending {
                        self.ready.remove(&place);
                    }
                }
                if status == Status::Shipped {
                    let release = self.release(&task);
                    self.apply(release);
                }
            }
            Event::Run(event) => self.run.evolve(&event),
        }
        #[cfg(debug_assertions)]
        self.assert_sound(&touched);
    }

    fn owed(&self) -> Vec<Effect> {
        let open = self.to_open.values().cloned();
        let open =
            open.map(|ToOpen { charter, by }| Effect::Open { charter: Box::new(charter), by });
        let dispatch = self.to_dispatch.iter().cloned().map(|task| Effect::Dispatch { task });
        open.chain(dispatch).chain(self.run_due()).collect()
    }

    fn is_over(&self) -> bool {
        // A project ends with its repository.
        false
    }

    fn owed_after(&self, events: &[Event]) -> Vec<Effect> {
        let added = |event: &Event| match event {
            Event::Admitted { charter, by, .. } => {
                Some(Effect::Open { charter: Box::new(charter.clone()), by: by.clone() })
            }
            Event::TurnGiven { task } => Some(Effect::Dispatch { task: task.clone() }),
            Event::SpecEmitted { .. }
            | Event::SpecDecided { .. }
            | Event::PlanOpened
            | Event::PlanClosed
            | Event::Superseded { .. }
            | Event::SpecAmended { .. }
            | Event::Rewired { .. }
            | Event::ParallelSet { .. }
            | Event::Stranded { .. }
            | Event::Opened { .. }
            | Event::Dispatched { .. }
            | Event::Heard { .. }
            | Event::Run(_) => None,
        };
        // One thing at most, which any event may have made due.
        events.iter().filter_map(added).chain(self.run_due()).collect()
    }

    fn owes(&self, id: &EffectId) -> bool {
        self.asked(id).is_some() || self.run.due(self.is_built()).is_some_and(|due| due.id() == *id)
    }
}

/// The kinds of effect that a project owes a task.
enum OwedKind {
    Open,
    Dispatch,
}

impl Project {
    pub fn product(&self) -> &Product {
        &self.product
    }

    pub fn run(&self) -> &run::Run {
        &self.run
    }

    /// Whether every task has ended, and one shipped.
    fn is_built(&self) -> bool {
        self.outcome() == Outcome::Complete
    }

    fn run_due(&self) -> Option<Effect> {
        self.run.due(self.is_built()).map(Effect::Run)
    }

    pub fn tasks(&self) -> impl Iterator<Item = (&TaskId, &Entry)> {
        self.tasks.iter()
    }

    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Not yet begun, and everything they depend on is done, in the order they were declared.
    pub fn ready(&self) -> &BTreeSet<(u32, TaskId)> {
        &self.ready
    }

    /// Whether people were told that nothing can begin.
    pub fn is_stranded(&self) -> bool {
        self.is_stranded
    }

    /// Whether more of a plan is to come.
    pub fn is_planning(&self) -> bool {
        self.is_planning
    }

    /// The tasks that have their turn.
    pub fn at_work(&self) -> impl Iterator<Item = &TaskId> {
        self.at_work.iter()
    }

    pub fn task(&self, task: &TaskId) -> Option<&Entry> {
        self.tasks.get(task)
    }

    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// The owed effect with this id, found without a scan.
    fn asked(&self, id: &EffectId) -> Option<(OwedKind, TaskId)> {
        let mut parts = id.as_str().split('/');
        let (Some("project"), Some(task), Some(due), Some("try-1"), None) =
            (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return None;
        };
        let task = TaskId::new(task).ok()?;
        match due {
            "open" => self.to_open.contains_key(&task).then_some((OwedKind::Open, task)),
            "dispatch" => self.to_dispatch.contains(&task).then_some((OwedKind::Dispatch, task)),
            _ => None,
        }
    }

    fn entry(&self, task: &TaskId) -> Result<&Entry, Rejected> {
        self.tasks.get(task).ok_or_else(|| Rejected::Unknown { task: task.clone() })
    }

    /// The tasks of a plan, checked, each behind those it depends on.
    fn admitted(&self, tasks: &[Planned], by: &str) -> Result<Vec<Event>, Rejected> {
        if tasks.len() > PLANNED_MAX {
            return Err(Rejected::TooMany { what: "tasks in a part of a plan", max: PLANNED_MAX });
        }
        let mut new: BTreeMap<&TaskId, (u32, &Planned)> = BTreeMap::new();
        for (behind, planned) in (self.declared..).zip(tasks) {
            let Planned { charter, order, depends_on } = planned;
            if let Some(why) = charter.check() {
                return Err(Rejected::Charter { why });
            }
            let (task, order) = (&charter.id, order.unwrap_or(behind));
            if self.tasks.contains_key(task) || new.insert(task, (order, planned)).is_some() {
                return Err(Rejected::AlreadyThere { task: task.clone() });
            }
            if charter.belongs == Membership::Alone {
                return Err(Rejected::Alone { task: task.clone() });
            }
            few(depends_on)?;
        }
        for (task, (_, planned)) in &new {
            let is_there = |on: &&TaskId| self.tasks.contains_key(on) || new.contains_key(on);
            if let Some(on) = planned.depends_on.iter().find(|on| !is_there(on)) {
                let (task, on) = ((*task).clone(), on.clone());
                return Err(Rejected::NoSuchDependency { task, on });
            }
        }
        let event = |task: &TaskId| {
            let (order, planned) = new.get(task)?;
            let Planned { charter, depends_on, .. } = (*planned).clone();
            Some(Event::Admitted { charter, order: *order, by: by.into(), depends_on })
        };
        let depends_on = new.iter().map(|(id, (_, it))| (*id, it.depends_on.iter().collect()));
        match in_order(&depends_on.collect()) {
            Ok(order) => Ok(order.into_iter().filter_map(event).collect()),
            Err(round) => Err(Rejected::Circle { task: round[0].clone() }),
        }
    }
}

/// The dependencies of a task are bounded.
fn few(depends_on: &[TaskId]) -> Result<(), Rejected> {
    if depends_on.len() > DEPENDENCIES_MAX {
        let (what, max) = ("dependencies of a task", DEPENDENCIES_MAX);
        return Err(Rejected::TooMany { what, max });
    }
    Ok(())
}

/// The name of the person; any other actor is rejected.
fn person(by: &Actor) -> Result<&str, Rejected> {
    by.person().ok_or(Rejected::NotAPerson)
}

impl Default for Project {
    fn default() -> Self {
        Self {
            product: Product::default(),
            run: run::Run::default(),
            tasks: BTreeMap::new(),
            to_open: BTreeMap::new(),
            ready: BTreeSet::new(),
            to_dispatch: BTreeSet::new(),
            at_work: BTreeSet::new(),
            counts: Counts::default(),
            declared: 0,
            at_once: 1,
            is_planning: false,
            is_stranded: false,
        }
    }
}

impl crate::Input for Input {
    fn answers(&self) -> Option<&EffectId> {
        match self {
            Self::Emit { .. }
            | Self::Decide { .. }
            | Self::Admit { .. }
            | Self::Plan { .. }
            | Self::Split { .. }
            | Self::Amend { .. }
            | Self::Rewire { .. }
            | Self::Parallel { .. }
            | Self::Heard { .. } => None,
            Self::Opened { effect } | Self::Dispatched { effect } => Some(effect),
            Self::Run(input) => input.answers(),
        }
    }

    fn signed_by(&self) -> Option<&Actor> {
        match self {
            Self::Emit { by, .. }
            | Self::Decide { by, .. }
            | Self::Admit { by, .. }
            | Self::Plan { by, .. }
            | Self::Split { by, .. }
            | Self::Amend { by, .. }
            | Self::Rewire { by, .. }
            | Self::Parallel { by, .. } => Some(by),
            Self::Opened { .. } | Self::Dispatched { .. } | Self::Heard { .. } => None,
            Self::Run(input) => input.signed_by(),
        }
    }
}

impl crate::Effect for Effect {
    fn id(&self) -> EffectId {
        let (task, due) = match self {
            Self::Open { charter, .. } => (&charter.id, "open"),
            Self::Dispatch { task } => (task, "dispatch"),
            Self::Run(effect) => return effect.id(),
        };
        EffectId::of(format_args!("project/{task}"), due, 1)
    }
}

/// The most tasks that may have a turn at a time.
pub const AT_ONCE_MAX: u32 = 64;
/// The most tasks in one part of a plan.
pub const PLANNED_MAX: usize = 1_000;
pub const DEPENDENCIES_MAX: usize = 100;

#[cfg(test)]
mod tests;
