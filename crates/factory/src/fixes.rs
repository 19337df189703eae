//! A person's fix of a halted task: a git patch, from a file, a branch or a commit.

use std::path::Path;

use sealwright_kernel::task::TaskData;
use sealwright_kernel::{Digest, EvidenceRecord, Verdict};
use sealwright_repo::PatchError;
use sealwright_repo::git::patches;
use sealwright_repo::trees::{Tree, TreeError, Trees};
use sealwright_store::{BlobError, Blobs, FileJournal};

/// Where the patch comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FixSource {
    Patch(Vec<u8>),
    /// A local branch: what it changed since it left the history of the task's base.
    Branch(String),
    /// The same for any commit.
    Commit(String),
}

/// A patch that applies, and the files it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    pub patch: Vec<u8>,
    pub places: Vec<String>,
}

/// Why a fix is refused before it is recorded.
#[derive(Debug, thiserror::Error)]
pub enum FixError {
    #[error("nothing was built yet; there is nothing to fix")]
    NothingBuilt,
    #[error(transparent)]
    Patch(#[from] PatchError),
    #[error("cannot load the candidate tree")]
    Tree(#[from] TreeError),
    #[error("cannot use the store")]
    Blob(#[from] BlobError),
}

impl FixError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Patch(error) => error.hint(),
            Self::Tree(error) => error.hint(),
            Self::NothingBuilt => Some("`sealwright show TASK` lists the other actions".to_owned()),
            Self::Blob(_) => None,
        }
    }
}

/// Takes the patch and tries it on the trees of the task.
pub async fn prepare(
    repository: &Path,
    journal: &FileJournal,
    data: &TaskData,
    source: FixSource,
) -> Result<Fix, FixError> {
    let trees = Trees::new(repository, Path::new(""), Blobs::local(journal.layout())?);
    let starts = starts(&trees, data).await?;
    let base = starts.first().map(|tree| tree.commit.clone()).ok_or(FixError::NothingBuilt)?;
    let patch = match source {
        FixSource::Patch(patch) => patch,
        FixSource::Branch(name) => {
            patches::since(repository, &base, &patches::branch(repository, &name)?)?
        }
        FixSource::Commit(revision) => patches::since(repository, &base, &revision)?,
    };
    let (_, changes) = trees.patched(&starts, &patch).await?;
    Ok(Fix { patch, places: changes.into_keys().collect() })
}

/// The trees that a patch may be made for, the most likely first: the candidate, the tree of the red run, the commit
/// that the task started from. The tree of the red run holds the frozen tests and nothing else that was built.
pub(crate) async fn starts(trees: &Trees, data: &TaskData) -> Result<Vec<Tree>, TreeError> {
    let red = red_run(data).map(|record| record.evidence.tree);
    let mut starts: Vec<Tree> = Vec::new();
    for digest in [data.tree, red].into_iter().flatten().filter(|it| *it != Digest::ZERO) {
        let tree = trees.get(digest).await?;
        if !starts.contains(&tree) {
            starts.push(tree);
        }
    }
    let unchanged = starts.first().map(Tree::unchanged);
    starts.extend(unchanged);
    Ok(starts)
}

/// The run in which the tests were accepted: they failed, or passed if nothing observable changes.
pub(crate) fn red_run(data: &TaskData) -> Option<&EvidenceRecord> {
    let keeps_behaviour = data.bundle.as_ref().is_some_and(|bundle| bundle.keeps_behaviour);
    let verdict = if keeps_behaviour { Verdict::Pass } else { Verdict::Fail };
    let is_it = |record: &&EvidenceRecord| record.subject == RED_RUN && record.verdict == verdict;
    data.evidence.iter().rev().find(is_it)
}

const RED_RUN: &str = "red run";
