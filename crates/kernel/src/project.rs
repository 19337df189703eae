//! The project machine: dispatches tasks one at a time.
//!
//! A project knows its tasks only by the messages they send, and tells them only by the
//! messages it owes them. It never looks at all of its tasks: what may be dispatched, what
//! is at work and what has halted are kept apart, so a step costs the same with ten tasks
//! and with a hundred thousand.
//!
//! ```text
//!  admit ─▶ owed: open ─▶ opened ─▶ waiting ─turn─▶ owed: dispatch ─▶ at work ─▶ shipped, abandoned
//!                                                                      │  ▲
//!                                                        parked, halted ◀──┘ (as the task tells)
//! ```
//!
//! One task at a time is dispatched. While one is halted, no other is; a parked task holds up no
//! other.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::task::{Charter, Membership, Phase, Status};
use crate::{Actor, EffectId, Machine, TaskId};

/// One project, at rest between two inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    tasks: BTreeMap<TaskId, Entry>,
    /// Admitted; their streams have to be opened.
    to_open: BTreeMap<TaskId, Charter>,
    /// Opened and not yet begun, in the order they were declared.
    waiting: BTreeSet<(u32, TaskId)>,
    /// Given a turn; their streams have to be told.
    to_dispatch: BTreeSet<TaskId>,
    at_work: BTreeSet<TaskId>,
    halted: BTreeSet<TaskId>,
    declared: u32,
}

/// The project's view of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its place in the order of declaration.
    pub order: u32,
    pub status: Status,
    pub phase: Option<Phase>,
    /// The number of its last message.
    pub heard: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    Admit { by: Actor, charter: Charter },
    Opened { effect: EffectId },
    Dispatched { effect: EffectId },
    Heard { task: TaskId, news: u32, status: Status, phase: Option<Phase> },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(
    clippy::large_enum_variant,
    reason = "one in the life of a task, and gone once it is recorded"
)]
pub enum Event {
    Admitted { charter: Charter, order: u32, by: String },
    Opened { task: TaskId },
    TurnGiven { task: TaskId },
    Dispatched { task: TaskId },
    Heard { task: TaskId, news: u32, status: Status, phase: Option<Phase> },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Create the task in a stream of its own.
    Open { charter: Charter },
    /// Dispatch the task.
    Dispatch { task: TaskId },
}

/// Why an input was rejected. The project is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// Only a person adds tasks.
    #[error("only a person may add a task")]
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
    /// The message was heard before, or a newer one was.
    #[error("the message was already heard")]
    AlreadyHeard,
}

impl Machine for Project {
    type Input = Input;
    type Event = Event;
    type Effect = Effect;
    type Rejected = Rejected;

    fn decide(&self, input: &Input) -> Result<Vec<Event>, Rejected> {
        match input {
            Input::Admit { by, charter } => {
                let Actor::Human(by) = by else { return Err(Rejected::NotAPerson) };
                if by.trim().is_empty() {
                    return Err(Rejected::NotAPerson);
                }
                if let Some(why) = charter.check() {
                    return Err(Rejected::Charter { why });
                }
                let task = charter.id.clone();
                match (self.tasks.contains_key(&task), charter.belongs) {
                    (true, _) => Err(Rejected::AlreadyThere { task }),
                    (false, Membership::Alone) => Err(Rejected::Alone { task }),
                    (false, Membership::Project) => {
                        let (charter, order) = (charter.clone(), self.declared);
                        Ok(vec![Event::Admitted { charter, order, by: by.clone() }])
                    }
                }
            }
            Input::Opened { effect } => match self.asked(effect) {
                Some((OwedKind::Open, task)) => {
                    let order = self.tasks.get(&task).map_or(0, |entry| entry.order);
                    let next = self.next_turn(Some((order, &task)), None);
                    Ok([Event::Opened { task }].into_iter().chain(next).collect())
                }
                Some((OwedKind::Dispatch, _)) => Err(Rejected::NoAnswer { effect: effect.clone() }),
                None => Err(Rejected::NotOwed { effect: effect.clone() }),
            },
            Input::Dispatched { effect } => match self.asked(effect) {
                Some((OwedKind::Dispatch, task)) => {
                    // The task may already have reported that it is done or parked; then the next
                    // one is dispatched.
                    let status = self.tasks.get(&task).map_or(Status::Pending, |it| it.status);
                    let has_begun = status != Status::Pending;
                    let now = if has_begun { status } else { Status::InProgress };
                    let mut after = self.clone_turns();
                    after.to_dispatch.remove(&task);
                    let next = after.next_turn(None, Some((&task, now)));
                    Ok([Event::Dispatched { task }].into_iter().chain(next).collect())
                }
                Some((OwedKind::Open, _)) => Err(Rejected::NoAnswer { effect: effect.clone() }),
                None => Err(Rejected::NotOwed { effect: effect.clone() }),
            },
            Input::Heard { task, news, status, phase } => {
                let Some(entry) = self.tasks.get(task) else {
                    return Err(Rejected::Unknown { task: task.clone() });
                };
                if *news <= entry.heard {
                    return Err(Rejected::AlreadyHeard);
                }
                // A pending status is older than the task's turn.
                let has_turn = self.at_work.contains(task) || self.to_dispatch.contains(task);
                let is_old = *status == Status::Pending && has_turn;
                let status = if is_old { &Status::InProgress } else { status };
                let next = self.next_turn(None, Some((task, *status)));
                let (task, news) = (task.clone(), *news);
                let heard = Event::Heard { task, news, status: *status, phase: *phase };
                Ok([heard].into_iter().chain(next).collect())
            }
        }
    }

    fn evolve(&mut self, event: &Event) {
        match event.clone() {
            Event::Admitted { charter, order, .. } => {
                self.declared = order + 1;
                let entry = Entry { order, status: Status::Pending, phase: None, heard: 0 };
                self.tasks.insert(charter.id.clone(), entry);
                self.to_open.insert(charter.id.clone(), charter);
            }
            Event::Opened { task } => {
                self.to_open.remove(&task);
                let order = self.tasks.get(&task).map_or(0, |entry| entry.order);
                self.waiting.insert((order, task));
            }
            Event::TurnGiven { task } => {
                let order = self.tasks.get(&task).map_or(0, |entry| entry.order);
                self.waiting.remove(&(order, task.clone()));
                self.to_dispatch.insert(task);
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
                self.halted.remove(&task);
                match status {
                    Status::InProgress => drop(self.at_work.insert(task.clone())),
                    Status::Halted => drop(self.halted.insert(task.clone())),
                    Status::Pending | Status::Parked | Status::Shipped | Status::Abandoned => {}
                }
                if let Some(entry) = self.tasks.get_mut(&task) {
                    (entry.heard, entry.status, entry.phase) = (news, status, phase);
                }
            }
        }
    }

    fn owed(&self) -> Vec<Effect> {
        let open = self.to_open.values().cloned().map(|charter| Effect::Open { charter });
        let dispatch = self.to_dispatch.iter().cloned().map(|task| Effect::Dispatch { task });
        open.chain(dispatch).collect()
    }

    fn is_over(&self) -> bool {
        // A project ends with its repository.
        false
    }

    fn owed_after(&self, events: &[Event]) -> Vec<Effect> {
        let added = |event: &Event| match event {
            Event::Admitted { charter, .. } => Some(Effect::Open { charter: charter.clone() }),
            Event::TurnGiven { task } => Some(Effect::Dispatch { task: task.clone() }),
            Event::Opened { .. } | Event::Dispatched { .. } | Event::Heard { .. } => None,
        };
        events.iter().filter_map(added).collect()
    }

    fn owes(&self, id: &EffectId) -> bool {
        self.asked(id).is_some()
    }
}

/// The kinds of effect that a project owes a task.
enum OwedKind {
    Open,
    Dispatch,
}

impl Project {
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

    /// A copy of the fields that dispatching depends on; it stays small in a large project.
    fn clone_turns(&self) -> Self {
        Self {
            to_dispatch: self.to_dispatch.clone(),
            at_work: self.at_work.clone(),
            halted: self.halted.clone(),
            waiting: self.waiting.iter().take(1).cloned().collect(),
            ..Self::default()
        }
    }

    /// The next task to dispatch after one was opened or reported its status.
    fn next_turn(
        &self,
        opened: Option<(u32, &TaskId)>,
        heard: Option<(&TaskId, Status)>,
    ) -> Option<Event> {
        let (mut busy, mut halted) =
            (self.at_work.len() + self.to_dispatch.len(), self.halted.len());
        if let Some((task, status)) = heard {
            busy -= usize::from(self.at_work.contains(task));
            halted -= usize::from(self.halted.contains(task));
            // A task in `to_dispatch` is counted already.
            let is_new = status == Status::InProgress && !self.to_dispatch.contains(task);
            busy += usize::from(is_new);
            halted += usize::from(status == Status::Halted);
        }
        if busy >= AT_ONCE_MAX || halted > 0 {
            return None;
        }
        let first = self.waiting.first().map(|(order, task)| (*order, task));
        let next = match (first, opened) {
            (Some(first), Some(opened)) => Some(first.min(opened)),
            (first, opened) => first.or(opened),
        };
        next.map(|(_, task)| Event::TurnGiven { task: task.clone() })
    }
}

impl crate::Input for Input {
    fn answers(&self) -> Option<&EffectId> {
        match self {
            Self::Admit { .. } | Self::Heard { .. } => None,
            Self::Opened { effect } | Self::Dispatched { effect } => Some(effect),
        }
    }

    fn signed_by(&self) -> Option<&Actor> {
        match self {
            Self::Admit { by, .. } => Some(by),
            Self::Opened { .. } | Self::Dispatched { .. } | Self::Heard { .. } => None,
        }
    }
}

impl crate::Effect for Effect {
    fn id(&self) -> EffectId {
        let (task, due) = match self {
            Self::Open { charter } => (&charter.id, "open"),
            Self::Dispatch { task } => (task, "dispatch"),
        };
        EffectId::of(format_args!("project/{task}"), due, 1)
    }
}

/// How many tasks have their turn at a time.
pub const AT_ONCE_MAX: usize = 1;

#[cfg(test)]
mod tests;
