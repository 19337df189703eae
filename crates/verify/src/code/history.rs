//! All commits that one commit rests on.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use sealwright_kernel::{Digest, TaskId};
use sealwright_store::Anchor;

use super::claims::RECORDS;
use crate::git::{Commit, GitObjects, GitReadError, Oid};

/// A commit and what it says of tasks.
#[derive(Clone, Debug)]
pub struct Step {
    pub commit: Commit,
    pub says: Vec<(TaskId, Option<Digest>)>,
}

#[derive(Debug)]
pub struct History {
    target: Oid,
    steps: BTreeMap<Oid, Step>,
    /// By the time of the commit, the newest first.
    order: Vec<Oid>,
    /// Older commits are missing in this clone.
    is_cut: bool,
}

impl Step {
    pub fn of(git: &GitObjects, id: Oid) -> Result<Self, GitReadError> {
        let commit = git.commit(id)?;
        let says = said(&commit.message);
        Ok(Self { commit, says })
    }
}

impl History {
    pub fn of(git: &GitObjects, target: Oid) -> Result<Self, GitReadError> {
        let is_shallow = git.is_shallow();
        let mut history =
            Self { target, steps: BTreeMap::new(), order: Vec::new(), is_cut: is_shallow };
        let mut due = BinaryHeap::new();
        let first = Step::of(git, target)?;
        due.push((first.commit.at_s, target));
        history.steps.insert(target, first);
        while let Some((_, id)) = due.pop() {
            history.order.push(id);
            if history.steps.len() > COMMITS_MAX {
                let most = COMMITS_MAX as u64;
                return Err(GitReadError::TooMuch { what: "commits", most });
            }
            for parent in history.parents(id) {
                if history.steps.contains_key(&parent) {
                    continue;
                }
                match Step::of(git, parent) {
                    Ok(step) => {
                        due.push((step.commit.at_s, parent));
                        history.steps.insert(parent, step);
                    }
                    Err(GitReadError::Missing { .. }) if is_shallow => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(history)
    }

    pub fn target(&self) -> Oid {
        self.target
    }

    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    pub fn has(&self, commit: Oid) -> bool {
        self.steps.contains_key(&commit)
    }

    pub fn step(&self, commit: Oid) -> Option<&Step> {
        self.steps.get(&commit)
    }

    /// All steps, the newest first.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.order.iter().filter_map(|id| self.steps.get(id))
    }

    /// Whether `commit` is the work of `task`, or rests on it.
    pub(super) fn is_on_top(
        &self,
        commit: Oid,
        task: &TaskId,
        exact: &BTreeMap<Oid, TaskId>,
    ) -> bool {
        let behind = self.with_ancestors(vec![commit]);
        behind.iter().any(|it| exact.get(it) == Some(task))
    }

    /// These commits and everything they rest on.
    pub(super) fn with_ancestors(&self, of: Vec<Oid>) -> BTreeSet<Oid> {
        let mut seen = BTreeSet::new();
        let mut due = of;
        while let Some(commit) = due.pop() {
            if self.has(commit) && seen.insert(commit) {
                due.extend(self.parents(commit));
            }
        }
        seen
    }

    pub(super) fn parents(&self, commit: Oid) -> Vec<Oid> {
        self.steps.get(&commit).map(|step| step.commit.parents.clone()).unwrap_or_default()
    }

    /// The ends of streams that commits name. A repository may hold several projects: only commits that change this
    /// one's `.sealwright` count.
    pub fn anchors(&self, git: &GitObjects) -> Result<Vec<Anchor>, GitReadError> {
        let place = format!("{}{RECORDS}", git.below());
        let records = |commit: &Commit| git.entry(commit.tree, &place);
        let mut anchors = Vec::new();
        for Step { commit, .. } in self.steps() {
            let lines = unfolded(&commit.message);
            let values = lines.iter().filter_map(|line| value(line, Anchor::TRAILER));
            let named: Vec<Anchor> = values.filter_map(Anchor::parse).collect();
            if named.is_empty() {
                continue;
            }
            let mine = records(commit)?;
            let mut is_change = true;
            for parent in &commit.parents {
                let Some(parent) = self.steps.get(parent) else { continue };
                is_change &= records(&parent.commit)? != mine;
            }
            if is_change {
                anchors.extend(named);
            }
        }
        Ok(anchors)
    }
}

/// Which tasks a message says it ships, with the tree it names for each.
fn said(message: &str) -> Vec<(TaskId, Option<Digest>)> {
    let mut said: Vec<(TaskId, Option<Digest>)> = Vec::new();
    for line in unfolded(message) {
        if let Some(task) = value(&line, TASK) {
            said.extend(TaskId::new(task).ok().map(|task| (task, None)));
        } else if let Some(tree) = value(&line, TREE)
            && let Some((_, named @ None)) = said.last_mut()
        {
            *named = tree.parse().ok();
        }
    }
    said.dedup();
    said.truncate(CLAIMS_MAX);
    said
}

/// The lines of a message, as git reads trailers: one that begins with a space goes on with the line above it.
fn unfolded(message: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in message.lines() {
        let is_more = line.starts_with([' ', '\t']) && !line.trim().is_empty();
        match lines.last_mut().filter(|last| is_more && !last.is_empty()) {
            Some(last) => {
                last.push(' ');
                last.push_str(line.trim());
            }
            None => lines.push(line.to_owned()),
        }
    }
    lines
}

/// The value of a trailer with this key, in whatever case the key is written, as git has it.
fn value<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    let (name, value) = line.split_once(':')?;
    name.trim_end_matches([' ', '\t']).eq_ignore_ascii_case(key).then(|| value.trim())
}

const TASK: &str = "Sealwright-Task";
const TREE: &str = "Sealwright-Tree";
const COMMITS_MAX: usize = 2_000_000;
const CLAIMS_MAX: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_squashed_message_names_each_task_with_its_tree() {
        let (one, two) = (Digest::of(b"1"), Digest::of(b"2"));
        let text = format!(
            "Two tasks\n\n* First\n\nSealwright-Task: T-a-001\nSealwright-Tree: {one}\n\n* Second\n\n\
             Sealwright-Task: T-b-001\nSealwright-Tree: {two}\nSealwright-Task: not one\nSealwright-Tree: {one}\n"
        );
        let [a, b] = ["T-a-001", "T-b-001"].map(|it| TaskId::new(it).unwrap());
        assert_eq!(said(&text), [(a, Some(one)), (b, Some(two))]);
        assert_eq!(said("Fix\n\nnot a Sealwright-Task: T-a-001\n"), []);
    }

    #[test]
    fn trailers_are_read_as_git_reads_them() {
        let (task, tree) = (TaskId::new("T-a-001").unwrap(), Digest::of(b"1"));
        for text in [
            format!("Fix\n\nsealwright-task: T-a-001\nSEALWRIGHT-TREE:{tree}\n"),
            format!("Fix\n\nSealwright-Task:\n T-a-001\nSealwright-Tree :\n\t{tree}\n"),
        ] {
            assert_eq!(said(&text), [(task.clone(), Some(tree))], "{text}");
        }
        // A line that goes on is another value.
        assert_eq!(said("Fix\n\nSealwright-Task: T-a-001\n and more\n"), []);
        assert_eq!(said("Fix\n\n Sealwright-Task: T-a-001\n"), []);
    }
}
