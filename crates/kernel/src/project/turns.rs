//! Whose turn it is: after each step, the tasks that begin by it.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::{Counts, Entry, Event, Project};
use crate::TaskId;
use crate::task::Status;

impl Project {
    /// How many tasks have a turn. Few do, so they are looked at.
    pub(super) fn busy(&self) -> u32 {
        let told = self.to_dispatch.iter().filter(|it| !self.at_work.contains(*it));
        (self.at_work.len() + told.count()) as u32
    }

    /// The turns to give after a step, lowest declared first; and word to people if none can ever be given.
    pub(super) fn turns(&self, after: &Step<'_>) -> Vec<Event> {
        if after.is_planning || after.counts.halted > 0 || !after.lets_build {
            return Vec::new();
        }
        let free = after.at_once.saturating_sub(after.busy) as usize;
        let old = self.ready.iter().filter(|(_, task)| after.gone != Some(task));
        let mut first: Vec<&(u32, TaskId)> = old.take(free).chain(&after.freed).collect();
        first.sort();
        // One that has no stream yet keeps its place: which task begins does not depend on whose stream was opened first.
        let is_open =
            |task: &TaskId| after.opening == Some(task) || !self.to_open.contains_key(task);
        let turns = first.into_iter().take(free).filter(|(_, task)| is_open(task));
        let turns: Vec<Event> =
            turns.map(|(_, task)| Event::TurnGiven { task: task.clone() }).collect();
        let waits = after.counts.in_progress + after.counts.parked > 0 || after.busy > 0;
        let is_stuck = turns.is_empty() && !waits && after.opens == 0 && after.counts.pending > 0;
        let has_ready = self.ready.iter().any(|(_, task)| after.gone != Some(task));
        if is_stuck && !has_ready && after.freed.is_empty() && !self.is_stranded {
            let pending =
                |it: &(&TaskId, &Entry)| it.1.status == Status::Pending && after.gone != Some(it.0);
            let tasks = self.tasks.iter().filter(pending).take(STRANDED_SHOWN);
            let tasks = tasks.map(|(id, _)| id.clone()).collect();
            return vec![Event::Stranded { tasks }];
        }
        turns
    }
}

/// What turns depend on, after what was just decided.
pub(super) struct Step<'s> {
    /// Whether the phase is one in which tasks begin.
    pub(super) lets_build: bool,
    pub(super) at_once: u32,
    pub(super) is_planning: bool,
    pub(super) busy: u32,
    pub(super) counts: Counts,
    /// Those that can begin by it.
    pub(super) freed: BTreeSet<(u32, TaskId)>,
    /// The one that is not ready any more.
    pub(super) gone: Option<&'s TaskId>,
    /// The one whose stream is opened by it.
    pub(super) opening: Option<&'s TaskId>,
    /// How many streams are still to be opened.
    pub(super) opens: usize,
}

impl<'s> Step<'s> {
    pub(super) fn of(project: &Project) -> Self {
        Self {
            lets_build: project.run.lets_build(),
            at_once: project.at_once,
            is_planning: project.is_planning,
            busy: project.busy(),
            counts: project.counts,
            freed: BTreeSet::new(),
            gone: None,
            opening: None,
            opens: project.to_open.len(),
        }
    }

    pub(super) fn after_hearing(
        project: &Project,
        (task, entry): (&'s TaskId, &Entry),
        status: Status,
    ) -> Self {
        let mut step = Self::of(project);
        // One that has not confirmed its turn keeps it until then.
        if !project.to_dispatch.contains(task) {
            step.busy -= u32::from(project.at_work.contains(task));
            step.busy += u32::from(status == Status::InProgress);
        }
        step.counts.moved(entry.status, status);
        step.gone = (status != Status::Pending).then_some(task);
        if status == Status::Shipped {
            step.freed = project.release(task).ready;
        }
        step
    }
}

/// Whether a task may come from one status to another. One that skipped a message may skip a status, but none begins
/// without its turn, goes back to where it had not begun, or leaves its end.
pub(super) fn is_legal(from: Status, has_turn: bool, to: Status) -> bool {
    match from {
        Status::Pending if !has_turn => match to {
            Status::Pending | Status::Abandoned => true,
            Status::InProgress | Status::Parked | Status::Halted | Status::Shipped => false,
        },
        Status::Pending | Status::InProgress | Status::Parked | Status::Halted => {
            to != Status::Pending
        }
        Status::Shipped | Status::Abandoned => false,
    }
}

const STRANDED_SHOWN: usize = 100;
