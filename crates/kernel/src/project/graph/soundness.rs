//! What has to hold of the graph after every change of it. Builds with debug assertions look after each event; a release
//! does not.
//!
//! *Blocked* is computed and never stored, so it cannot be wrong by itself. What is stored, and could be, is what makes a
//! task ready: which dependencies are met, and how many are left. So none that is ready has something halted, abandoned or
//! unfinished before it, and none that could be is left out. Only what an event can have changed is looked at: a look at
//! the whole graph would make a step cost more with every task.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Entry, is_blocker};
use crate::TaskId;
use crate::project::turns::is_legal;
use crate::project::{Event, Project};
use crate::task::Status;

impl Project {
    /// The tasks whose place in the graph an event changes, if the rules lead to it from here. A forged journal may have
    /// any event, and must not stop the process that reads it.
    pub(in crate::project) fn touched_by(&self, event: &Event) -> Vec<TaskId> {
        let is_there = |task: &TaskId| self.tasks.contains_key(task);
        let waits = |task: &TaskId| self.tasks.get(task).is_some_and(|it| !it.is_met);
        let may_hear = |task: &TaskId, status| {
            self.task(task).is_some_and(|it| is_legal(it.status, self.has_turn(task), status))
        };
        let has_turn_next = |task: &TaskId| {
            self.task(task).is_some_and(|it| self.ready.contains(&(it.order, task.clone())))
        };
        let may_be_rewired = |task: &TaskId| {
            !self.has_turn(task) && self.task(task).is_some_and(|it| it.status == Status::Pending)
        };
        if let Event::Admitted { charter, depends_on, .. } = event {
            let is_new = !is_there(&charter.id) && depends_on.iter().all(is_there);
            return is_new.then(|| charter.id.clone()).into_iter().collect();
        }
        if let Event::Superseded { task, parts, .. } = event {
            let is_led_to = waits(task) && parts.iter().all(waits);
            let all = parts.iter().chain([task]).cloned();
            return if is_led_to { all.collect() } else { Vec::new() };
        }
        let touched = if let Event::Heard { task, status, .. } = event {
            may_hear(task, *status).then_some(task)
        } else if let Event::TurnGiven { task } = event {
            has_turn_next(task).then_some(task)
        } else if let Event::Dispatched { task } = event {
            self.to_dispatch.contains(task).then_some(task)
        } else if let Event::Rewired { task, depends_on, .. } = event {
            (may_be_rewired(task) && depends_on.iter().all(is_there)).then_some(task)
        } else {
            None
        };
        touched.cloned().into_iter().collect()
    }

    /// Panics if the graph around these tasks is one that no rule leads to.
    pub(in crate::project) fn assert_sound(&self, touched: &[TaskId]) {
        let behind = touched.iter().flat_map(|it| self.behind(it));
        for task in touched.iter().chain(behind).collect::<BTreeSet<_>>() {
            if let Some((why, entry)) = self.tasks.get(task).and_then(|it| self.unsound(task, it)) {
                panic!("the graph is broken at {task}: {why}; {entry:?}");
            }
        }
    }

    fn unsound<'e>(&self, task: &TaskId, entry: &'e Entry) -> Option<(String, &'e Entry)> {
        let unmet = entry.depends_on.iter().filter(|it| !self.is_met(it)).count();
        let is_ready = self.ready.contains(&(entry.order, task.clone()));
        let could_be = entry.status == Status::Pending && unmet == 0 && !self.has_turn(task);
        let has_ended = match entry.status {
            Status::Shipped => true,
            Status::Abandoned => !entry.superseded_by.is_empty() && entry.parts_left == 0,
            Status::Pending | Status::InProgress | Status::Parked | Status::Halted => false,
        };
        let why = if is_ready && self.is_blocked_by_one(entry) {
            "it may begin, and waits for what is halted or abandoned".into()
        } else if entry.unmet as usize != unmet {
            format!("{unmet} dependencies are not met, and it says {}", entry.unmet)
        } else if is_ready != could_be {
            format!("it may begin: {could_be}, and it is among those that may: {is_ready}")
        } else if entry.is_met != has_ended {
            format!("it has ended: {has_ended}, and those behind it were told: {}", entry.is_met)
        } else {
            return None;
        };
        Some((why, entry))
    }

    /// Whether something that it depends on blocks it. What is further away blocks what lies between.
    fn is_blocked_by_one(&self, entry: &Entry) -> bool {
        let blocks = |it: &TaskId| self.tasks.get(it).is_some_and(is_blocker);
        entry.depends_on.iter().any(blocks)
    }
}
