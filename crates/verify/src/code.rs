//! The code of a commit: which task proved it, and what changed since.
//!
//! ```text
//! commits ──▶ claims: "Sealwright-Task: T" ──▶ held against the tree that T's gate was opened for
//!                                                   │ exact: the same files
//! the commit asked about ◀── what differs since ────┘
//! ```
//!
//! A commit is what a task proved if its files are: all files of the commit the work started from, by the digest in the
//! records, with the changes in the records. Neither its message nor its name counts.

mod claims;
mod history;
mod standing;

use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::{Digest, StreamId, TaskId};

use crate::Found;
use crate::git::{GitObjects, GitReadError, Oid};
use claims::Claims;
pub use history::{History, Step};
pub use standing::{ChangedFile, Standing};

/// What the records say was proven.
pub struct Records<'r> {
    /// Every task with records, and its last gate if that was opened.
    pub gates: &'r BTreeMap<TaskId, Option<Gate>>,
    /// Streams with a finding: nothing is proven by them.
    pub faulty: &'r BTreeSet<StreamId>,
    /// Content by its digest, checked.
    pub blob: &'r dyn Fn(&Digest) -> Option<Vec<u8>>,
}

/// The last gate of a task, as it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    pub tree: Digest,
    /// A person accepted a risk, so not every check passed.
    pub is_risky: bool,
    /// Its last record is that it shipped.
    pub is_shipped: bool,
}

/// A commit, and the task that proved exactly its files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Proven {
    pub task: TaskId,
    pub commit: Oid,
}

/// The answer about the code.
#[derive(Debug)]
pub struct CodeReport {
    pub commit: Oid,
    pub standing: Standing,
    /// Commits of tasks on another base: the change is as proven, the whole was not tested.
    pub moved: Vec<Proven>,
    /// Commits of tasks that cannot be compared, because the clone is shallow.
    pub unknown: Vec<Proven>,
    /// All commits in the history with the work of a task, on its own base or another, the newest first.
    pub works: Vec<Proven>,
    /// Branches of shipped tasks that are exactly what was proven and not part of the history.
    pub branches: Vec<Proven>,
    /// Tasks that shipped and whose work is neither in the history nor on its branch.
    pub elsewhere: Vec<TaskId>,
    /// Commits that were looked at.
    pub commits: u64,
    pub findings: Vec<Found>,
}

/// Says what `history` holds against `records`.
pub fn look(
    git: &GitObjects,
    history: &History,
    records: &Records<'_>,
) -> Result<CodeReport, GitReadError> {
    let mut claims = Claims::new(git, records);
    let mut findings = Vec::new();
    let mut exact: BTreeMap<Oid, TaskId> = BTreeMap::new();
    let (mut moved, mut unknown) = (Vec::new(), Vec::new());
    let mut works = Vec::new();
    let mut found_tasks = BTreeSet::new();
    for step in history.steps() {
        let all = claims.of(step)?;
        // In a squashed commit the last task proved the whole.
        let is_exact = all.iter().any(|it| it.state == claims::State::Exact);
        for judged in all {
            let proven = Proven { task: judged.task.clone(), commit: step.commit.id };
            match judged.state {
                claims::State::Exact => {
                    works.push(proven);
                    found_tasks.insert(judged.task.clone());
                    exact.insert(step.commit.id, judged.task);
                }
                claims::State::Moved => {
                    works.push(proven.clone());
                    found_tasks.insert(judged.task);
                    moved.extend((!is_exact).then_some(proven));
                }
                claims::State::Cut => unknown.push(proven),
                state => findings.extend(claims::finding(&proven, &state)),
            }
        }
    }
    let (mut elsewhere, mut branches) = (Vec::new(), Vec::new());
    let is_shipped = |gate: &Option<Gate>| gate.is_some_and(|gate| gate.is_shipped);
    for (task, _) in records.gates.iter().filter(|(_, gate)| is_shipped(gate)) {
        if records.faulty.contains(task.stream()) {
            continue;
        }
        match git.branch(&task.branch()) {
            // A person may commit on top of it.
            Some(tip) if history.has(tip) && history.is_on_top(tip, task, &exact) => {}
            Some(tip) => {
                let step = Step::of(git, tip)?;
                let judged = claims.against(&step, task)?;
                let proven = Proven { task: task.clone(), commit: tip };
                match judged {
                    // What is proven is in the history under another message.
                    claims::State::Exact if history.has(tip) => {
                        works.push(proven);
                        exact.insert(tip, task.clone());
                    }
                    claims::State::Exact => branches.push(proven),
                    state => findings.extend(claims::branch_finding(&proven, &state)),
                }
            }
            None if !found_tasks.contains(task) => elsewhere.push(task.clone()),
            None => {}
        }
    }
    let standing = standing::of(git, history, &exact, &mut claims)?;
    Ok(CodeReport {
        commit: history.target(),
        standing,
        moved,
        unknown,
        works,
        branches,
        elsewhere,
        commits: history.len() as u64,
        findings,
    })
}
