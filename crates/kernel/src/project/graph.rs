//! The task graph: which task waits for which.
//!
//! A dependency is met by a task that shipped, or that was split and whose parts have all met it. What is ready is kept as
//! tasks end, so that nothing is looked for; what is blocked follows from the graph and is never stored.

#[cfg(debug_assertions)]
mod soundness;

use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::Project;
use crate::TaskId;
use crate::task::{Phase, Status};

/// The project's view of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its place in the order of declaration.
    pub order: u32,
    pub status: Status,
    pub phase: Option<Phase>,
    /// The number of its last message.
    pub heard: u32,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub depends_on: BTreeSet<TaskId>,
    /// The tasks that it was split into.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub superseded_by: BTreeSet<TaskId>,
    /// The task that it is a part of, which was split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replaces: Option<TaskId>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    dependents: BTreeSet<TaskId>,
    /// How many of its dependencies are not met.
    #[serde(default)]
    unmet: u32,
    /// How many of its parts have not met what it was to meet.
    #[serde(default)]
    parts_left: u32,
    /// Whether those that depend on it were told.
    #[serde(default)]
    is_met: bool,
}

/// How a project stands that gives no task a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Tasks are at work, or have to be planned, opened or told.
    Running,
    /// Every task ended, and one shipped.
    Complete,
    /// A task is halted; no other has a turn before a person decides.
    Suspended,
    /// Tasks are left and none of them can begin.
    Stalled,
}

/// What becomes of the graph when a dependency is met.
#[derive(Debug, Default)]
pub(super) struct Release {
    met: Vec<TaskId>,
    unmet: BTreeMap<TaskId, u32>,
    parts_left: BTreeMap<TaskId, u32>,
    /// Those that can begin now.
    pub(super) ready: BTreeSet<(u32, TaskId)>,
}

impl Project {
    /// Those that can never begin as things are: something they depend on is halted or was abandoned.
    ///
    /// One walk forward from what blocks: every task is looked at once, every dependency at most once.
    pub fn blocked(&self) -> BTreeSet<TaskId> {
        self.cascade().0
    }

    /// Which are blocked, and how many dependencies were looked at to find out.
    pub fn cascade(&self) -> (BTreeSet<TaskId>, usize) {
        let mut looked_at = 0;
        let blocks = self.tasks.iter().filter(|(_, it)| is_blocker(it)).map(|(id, _)| id.clone());
        let mut open: VecDeque<TaskId> = blocks.collect();
        let mut marked: BTreeSet<TaskId> = open.iter().cloned().collect();
        let mut blocked = BTreeSet::new();
        while let Some(task) = open.pop_front() {
            for behind in self.behind(&task) {
                looked_at += 1;
                // Marked where it is put in line: a second way to it adds nothing.
                if marked.insert(behind.clone()) {
                    open.push_back(behind.clone());
                }
                if self.tasks.get(behind).is_some_and(|it| it.status == Status::Pending) {
                    blocked.insert(behind.clone());
                }
            }
        }
        (blocked, looked_at)
    }

    pub fn is_blocked(&self, task: &TaskId) -> bool {
        let is_pending = self.tasks.get(task).is_some_and(|it| it.status == Status::Pending);
        is_pending && self.closure(task).iter().any(|it| self.tasks.get(it).is_some_and(is_blocker))
    }

    pub fn outcome(&self) -> Outcome {
        let counts = &self.counts;
        let is_busy = !self.to_open.is_empty()
            || !self.to_dispatch.is_empty()
            || !self.at_work.is_empty()
            || counts.in_progress + counts.parked > 0
            || self.is_planning;
        if counts.halted > 0 {
            Outcome::Suspended
        } else if is_busy || !self.ready.is_empty() || self.tasks.is_empty() {
            Outcome::Running
        } else if counts.pending == 0 && counts.shipped > 0 {
            Outcome::Complete
        } else {
            Outcome::Stalled
        }
    }

    /// Everything that a task depends on, through what was split too.
    pub(super) fn closure(&self, task: &TaskId) -> BTreeSet<TaskId> {
        let mut open: Vec<&TaskId> =
            self.tasks.get(task).into_iter().flat_map(|it| &it.depends_on).collect();
        let mut seen = BTreeSet::new();
        while let Some(task) = open.pop() {
            if seen.insert(task.clone()) {
                let entry = self.tasks.get(task).into_iter();
                open.extend(entry.flat_map(|it| it.depends_on.iter().chain(&it.superseded_by)));
            }
        }
        seen
    }

    /// Adds a task. What it depends on is there.
    pub(super) fn add(&mut self, task: &TaskId, order: u32, depends_on: &[TaskId]) {
        let entry = Entry {
            order,
            status: Status::Pending,
            phase: None,
            heard: 0,
            depends_on: BTreeSet::new(),
            superseded_by: BTreeSet::new(),
            replaces: None,
            dependents: BTreeSet::new(),
            unmet: 0,
            parts_left: 0,
            is_met: false,
        };
        self.tasks.insert(task.clone(), entry);
        self.counts.pending += 1;
        self.link(task, depends_on);
    }

    /// Notes that a task was split.
    pub(super) fn supersede(&mut self, task: &TaskId, parts: &[TaskId]) {
        for part in parts {
            if let Some(entry) = self.tasks.get_mut(part) {
                entry.replaces = Some(task.clone());
            }
        }
        if let Some(entry) = self.tasks.get_mut(task) {
            entry.superseded_by = parts.iter().cloned().collect();
            entry.parts_left = parts.len() as u32;
        }
    }

    /// Makes a task depend on others than before.
    pub(super) fn rewire(&mut self, task: &TaskId, depends_on: &[TaskId]) {
        let Some(entry) = self.tasks.get_mut(task) else { return };
        let before = core::mem::take(&mut entry.depends_on);
        for on in &before {
            if let Some(entry) = self.tasks.get_mut(on) {
                entry.dependents.remove(task);
            }
        }
        self.link(task, depends_on);
    }

    /// Puts a task behind those it depends on.
    fn link(&mut self, task: &TaskId, depends_on: &[TaskId]) {
        let depends_on: BTreeSet<TaskId> = depends_on.iter().cloned().collect();
        let mut unmet = 0;
        for on in &depends_on {
            if let Some(entry) = self.tasks.get_mut(on) {
                entry.dependents.insert(task.clone());
                unmet += u32::from(!entry.is_met);
            }
        }
        if let Some(entry) = self.tasks.get_mut(task) {
            (entry.depends_on, entry.unmet) = (depends_on, unmet);
            let place = (entry.order, task.clone());
            if unmet == 0 {
                self.ready.insert(place);
            } else {
                self.ready.remove(&place);
            }
        }
    }

    /// What becomes of the graph if a task ships, or is abandoned for parts that have all shipped.
    pub(super) fn release(&self, task: &TaskId) -> Release {
        let mut release = Release::default();
        let mut open: Vec<TaskId> = [task.clone()].into();
        while let Some(task) = open.pop() {
            let Some(entry) = self.tasks.get(&task).filter(|it| !it.is_met) else { continue };
            for behind in &entry.dependents {
                let Some(other) = self.tasks.get(behind) else { continue };
                let left = release.unmet.entry(behind.clone()).or_insert(other.unmet);
                *left = left.saturating_sub(1);
                if *left == 0 && other.status == Status::Pending && !self.has_turn(behind) {
                    release.ready.insert((other.order, behind.clone()));
                }
            }
            if let Some(whole) = &entry.replaces
                && let Some(other) = self.tasks.get(whole)
            {
                let left = release.parts_left.entry(whole.clone()).or_insert(other.parts_left);
                *left = left.saturating_sub(1);
                if *left == 0 {
                    open.push(whole.clone());
                }
            }
            release.met.push(task);
        }
        release
    }

    pub(super) fn apply(&mut self, release: Release) {
        for task in release.met {
            if let Some(entry) = self.tasks.get_mut(&task) {
                entry.is_met = true;
            }
        }
        for (task, left) in release.unmet {
            if let Some(entry) = self.tasks.get_mut(&task) {
                entry.unmet = left;
            }
        }
        for (task, left) in release.parts_left {
            if let Some(entry) = self.tasks.get_mut(&task) {
                entry.parts_left = left;
            }
        }
        self.ready.extend(release.ready);
    }

    pub(super) fn are_met(&self, tasks: &[TaskId]) -> bool {
        tasks.iter().all(|it| self.is_met(it))
    }

    fn is_met(&self, task: &TaskId) -> bool {
        self.tasks.get(task).is_some_and(|it| it.is_met)
    }

    pub fn has_turn(&self, task: &TaskId) -> bool {
        self.at_work.contains(task) || self.to_dispatch.contains(task)
    }

    /// Those that wait for a task: what depends on it, and on what it is a part of.
    fn behind<'t>(&'t self, task: &TaskId) -> impl Iterator<Item = &'t TaskId> {
        let entry = self.tasks.get(task);
        let own = entry.into_iter().flat_map(|it| &it.dependents);
        let whole = entry.and_then(|it| it.replaces.as_ref()).and_then(|it| self.tasks.get(it));
        own.chain(whole.into_iter().flat_map(|it| &it.dependents))
    }
}

/// Whether nothing behind it can begin before a person decides.
fn is_blocker(entry: &Entry) -> bool {
    match entry.status {
        Status::Halted => true,
        Status::Abandoned => !entry.is_met,
        Status::Pending | Status::InProgress | Status::Parked | Status::Shipped => false,
    }
}

/// How many tasks stand how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub pending: u32,
    pub in_progress: u32,
    pub parked: u32,
    pub shipped: u32,
    pub halted: u32,
    pub abandoned: u32,
}

impl Counts {
    pub(super) fn moved(&mut self, from: Status, to: Status) {
        let before = self.of(from);
        *before = before.saturating_sub(1);
        *self.of(to) += 1;
    }

    fn of(&mut self, status: Status) -> &mut u32 {
        match status {
            Status::Pending => &mut self.pending,
            Status::InProgress => &mut self.in_progress,
            Status::Parked => &mut self.parked,
            Status::Shipped => &mut self.shipped,
            Status::Halted => &mut self.halted,
            Status::Abandoned => &mut self.abandoned,
        }
    }
}
