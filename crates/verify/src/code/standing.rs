//! How a commit stands to what was proven before it.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::TaskId;

use super::claims::Claims;
use super::{History, Proven};
use crate::git::{GitObjects, GitReadError, Oid};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its files are exactly what this task proved.
    Proven(Proven),
    /// Everything in it was proven, by several tasks; the whole was not tested together.
    Joined { from: Vec<Proven> },
    /// Files changed since the last proofs.
    Changed { from: Vec<Proven>, files: Vec<ChangedFile> },
    /// Nothing in its history was proven.
    Never,
}

/// A file that is not as it was proven, and the commits that changed it since, the newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    pub path: String,
    pub commits: Vec<Oid>,
}

pub(super) fn of(
    git: &GitObjects,
    history: &History,
    exact: &BTreeMap<Oid, TaskId>,
    claims: &mut Claims<'_>,
) -> Result<Standing, GitReadError> {
    let target = history.target();
    let front = front(history, exact);
    let mut from = Vec::new();
    for commit in &front {
        let (Some(step), Some(task)) = (history.step(*commit), exact.get(commit)) else { continue };
        // What the answer rests on is read in full.
        if !claims.is_whole(step, task)? {
            return Err(GitReadError::Broken {
                what: format!("commit {commit}"),
                why: "its files are not those that its name stands for".to_owned(),
            });
        }
        from.push(Proven { task: task.clone(), commit: *commit });
    }
    if from.is_empty() {
        return Ok(Standing::Never);
    }
    let tree = |commit: Oid| git.commit(commit).map(|it| it.tree);
    let now = tree(target)?;
    let mut sides = Vec::new();
    for proven in &from {
        let then = tree(proven.commit)?;
        let changed = claims.code_changes(Some(then), now)?;
        if changed.is_empty() {
            return Ok(Standing::Proven(proven.clone()));
        }
        sides.push((proven.commit, then, changed));
    }
    let mut differs: BTreeSet<String> = BTreeSet::new();
    for (nth, (commit, _, changed)) in sides.iter().enumerate() {
        let mut left: BTreeSet<&String> = changed.keys().collect();
        let others = sides.iter().enumerate().filter(|(other, _)| *other != nth);
        for (_, (other, then, _)) in others {
            let Some(base) = common(history, *commit, *other) else { continue };
            // What the other side changed since they parted, and is now as there, was proven there.
            let theirs = claims.code_changes(Some(tree(base)?), *then)?;
            left.retain(|path| {
                let is_theirs = theirs.get(*path).is_some_and(|(_, there)| {
                    changed.get(*path).is_some_and(|(_, here)| here == there)
                });
                !is_theirs
            });
        }
        differs.extend(left.into_iter().cloned());
    }
    if differs.is_empty() {
        return Ok(Standing::Joined { from });
    }
    let files = blamed(git, history, claims, &front, differs)?;
    Ok(Standing::Changed { from, files })
}

/// The proven commits that are nearest: every way back meets one of them, or none at all.
fn front(history: &History, exact: &BTreeMap<Oid, TaskId>) -> BTreeSet<Oid> {
    let (mut front, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut due = vec![history.target()];
    while let Some(commit) = due.pop() {
        if !seen.insert(commit) {
            continue;
        }
        if exact.contains_key(&commit) {
            front.insert(commit);
        } else {
            due.extend(history.parents(commit));
        }
    }
    // One that another rests on says nothing more.
    let behind: BTreeSet<Oid> =
        front.iter().flat_map(|commit| history.with_ancestors(history.parents(*commit))).collect();
    front.difference(&behind).copied().collect()
}

/// The newest commit that both rest on.
fn common(history: &History, one: Oid, other: Oid) -> Option<Oid> {
    let (mine, theirs) = (history.with_ancestors(vec![one]), history.with_ancestors(vec![other]));
    let at = |commit: &&Oid| history.step(**commit).map(|step| step.commit.at_s);
    mine.intersection(&theirs).max_by_key(at).copied()
}

/// Which commits since the proofs changed these files.
fn blamed(
    git: &GitObjects,
    history: &History,
    claims: &Claims<'_>,
    front: &BTreeSet<Oid>,
    paths: BTreeSet<String>,
) -> Result<Vec<ChangedFile>, GitReadError> {
    let behind = history.with_ancestors(front.iter().copied().collect());
    let since = history.steps().filter(|step| !behind.contains(&step.commit.id));
    let mut commits: BTreeMap<String, Vec<Oid>> =
        paths.into_iter().map(|path| (path, Vec::new())).collect();
    for step in since.take(BLAMED_COMMITS_MAX) {
        let commit = &step.commit;
        for parent in &commit.parents {
            let Ok(parent) = git.commit(*parent) else { continue };
            for path in claims.code_changes(Some(parent.tree), commit.tree)?.into_keys() {
                let Some(commits) = commits.get_mut(&path) else { continue };
                if commits.len() < COMMITS_SHOWN_MAX && commits.last() != Some(&commit.id) {
                    commits.push(commit.id);
                }
            }
        }
    }
    // A merge differs from its parents in what the other side brought: it stands for a file only if nothing else does.
    for found in commits.values_mut() {
        let is_merge = |id: &Oid| history.step(*id).is_some_and(|it| it.commit.parents.len() > 1);
        if found.iter().any(|id| !is_merge(id)) {
            found.retain(|id| !is_merge(id));
        }
    }
    Ok(commits.into_iter().map(|(path, commits)| ChangedFile { path, commits }).collect())
}

/// How many commits since the last proof are looked through for who changed a file.
const BLAMED_COMMITS_MAX: usize = 5_000;
const COMMITS_SHOWN_MAX: usize = 20;
