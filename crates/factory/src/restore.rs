//! Restores an earlier tree of a task as a new commit on a branch of its own. Every tree that a gate judged is in the
//! store. Nothing is rewritten, and no file of the user changes.

use std::path::Path;

use sealwright_kernel::task::Task;
use sealwright_kernel::{Digest, Seq, TaskId};
use sealwright_store::{BlobError, Blobs, FileJournal};

use sealwright_host::{Clock as _, HostError, SystemClock, replay};
use sealwright_repo::GitError;
use sealwright_repo::git::commits;
use sealwright_repo::trees::{TreeError, Trees};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    pub branch: String,
    pub commit: String,
    pub tree: Digest,
    /// The record after which the task had this tree.
    pub after: Seq,
}

/// Why a tree cannot be restored.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The task had no tree at that record.
    #[error("{task} had no tree at record {at}")]
    NothingYet { task: TaskId, at: Seq },
    /// The task has fewer records.
    #[error("{task} has no record {at}; it ends at {end}")]
    NoRecord { task: TaskId, at: Seq, end: Seq },
    #[error("cannot load the tree")]
    Tree(#[from] TreeError),
    #[error("cannot use the store")]
    Blob(#[from] BlobError),
    #[error("cannot read the journal")]
    Engine(#[from] HostError),
    #[error("cannot use the repository")]
    Git(#[from] GitError),
    #[error("cannot create a scratch folder")]
    Io(#[from] std::io::Error),
}

impl RestoreError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NothingYet { task, .. } | Self::NoRecord { task, .. } => {
                Some(format!("`sealwright log {task}` lists the records"))
            }
            Self::Tree(error) => error.hint(),
            Self::Blob(_) | Self::Engine(_) | Self::Git(_) | Self::Io(_) => None,
        }
    }
}

/// Writes the tree that `task` had after record `at`, or has now, as a commit on a branch of its own.
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
    let digest = folded.machine.data().and_then(|data| data.tree);
    let nothing = || RestoreError::NothingYet { task: task.clone(), at: after };
    let digest = digest.filter(|digest| *digest != Digest::ZERO).ok_or_else(nothing)?;
    let place = tempfile::tempdir()?;
    let trees = Trees::new(repository, place.path(), Blobs::local(journal.layout())?);
    let tree = trees.get(digest).await?;
    let message = format!(
        "What {task} had built at record {after}\n\nSealwright-Restored: {task} {digest}\n"
    );
    let at_s = SystemClock.now().as_millis() / 1000;
    let commit = trees.commit(&tree, &[], place.path(), &message, at_s).await?;
    let branch = format!("sealwright/restored/{task}-{after}");
    commits::branch(repository, &branch, &commit)?;
    Ok(Restored { branch, commit, tree: digest, after })
}
