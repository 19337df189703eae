//! Restoring: a tree that a task once had, as a new commit on a branch of its own. Nothing is rewritten and nobody's
//! files are touched; every tree that a gate ever judged is in the store, so there is always something to go back to.

use std::path::Path;

use sealwright_kernel::task::Task;
use sealwright_kernel::{Digest, Seq, TaskId};
use sealwright_store::{BlobError, Blobs, FileJournal};

use sealwright_host::{Clock as _, HostError, SystemClock, replay};
use sealwright_repo::GitError;
use sealwright_repo::git::commits;
use sealwright_repo::trees::{TreeError, Trees};

/// A tree that is a commit again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The branch that leads there.
    pub branch: String,
    /// The commit.
    pub commit: String,
    /// The tree.
    pub tree: Digest,
    /// The record it was taken after.
    pub after: Seq,
}

/// Why a tree could not be restored.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The task had no tree of its own at that record.
    #[error("{task} had built nothing at record {at}")]
    NothingYet {
        /// The task.
        task: TaskId,
        /// The record.
        at: Seq,
    },
    /// There are fewer records.
    #[error("{task} has no record {at}; it ends at {end}")]
    NoRecord {
        /// The task.
        task: TaskId,
        /// What was asked for.
        at: Seq,
        /// The last one.
        end: Seq,
    },
    /// The tree cannot be had.
    #[error("the tree cannot be had")]
    Tree(#[from] TreeError),
    /// The store cannot be used.
    #[error("the store could not be used")]
    Blob(#[from] BlobError),
    /// The journal cannot be read.
    #[error("the journal could not be read")]
    Engine(#[from] HostError),
    /// The repository cannot be used.
    #[error("the repository could not be used")]
    Git(#[from] GitError),
    /// The system refused something.
    #[error("a place to work could not be had")]
    Io(#[from] std::io::Error),
}

impl RestoreError {
    /// What a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NothingYet { task, .. } | Self::NoRecord { task, .. } => {
                Some(format!("`sealwright log {task}` says what happened at which record"))
            }
            Self::Tree(error) => error.hint(),
            Self::Blob(_) | Self::Engine(_) | Self::Git(_) | Self::Io(_) => None,
        }
    }
}

/// Makes the tree that `task` had after record `at`, or has now, a commit on a branch of its own.
pub async fn restore(
    repository: &Path,
    journal: &FileJournal,
    task: &TaskId,
    at: Option<Seq>,
) -> Result<Restored, RestoreError> {
    let folded = replay::<Task, _>(journal, task.stream(), at).await?;
    let after = folded.head.seq;
    if let Some(at) = at.filter(|at| after < *at) {
        return Err(RestoreError::NoRecord { task: task.clone(), at, end: after });
    }
    let digest = folded.machine.data().and_then(|known| known.tree);
    let nothing = || RestoreError::NothingYet { task: task.clone(), at: after };
    let digest = digest.filter(|digest| *digest != Digest::ZERO).ok_or_else(nothing)?;
    let place = tempfile::tempdir()?;
    let trees = Trees::new(repository, place.path(), Blobs::local(journal.layout())?);
    let tree = trees.get(digest).await?;
    let message = format!(
        "What {task} had built at record {after}\n\nSealwright-Task: {task}\nSealwright-Tree: {digest}\n"
    );
    let at_s = SystemClock.now().as_millis() / 1000;
    let commit = trees.commit(&tree, place.path(), &message, at_s).await?;
    let branch = format!("sealwright/restored/{task}-{after}");
    commits::branch(repository, &branch, &commit)?;
    Ok(Restored { branch, commit, tree: digest, after })
}
