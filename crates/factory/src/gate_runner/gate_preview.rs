//! A trial: one gate of a project, performed on a commit as it stands, so that people see what it would say.
//!
//! Nothing was built and nothing is expected beyond what the kind asks of every candidate, so the commit is compared
//! with itself and everything in it that decides how work is judged is frozen. All of it is read from the
//! repository's objects: the work tree has no say in it and is not touched.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use sealwright_gates::Toolchain;
use sealwright_gates::kinds::{Declared, Expected, Known, Paths};
use sealwright_gates::toolchain::Needed;
use sealwright_sandbox::Cancel;
use sealwright_store::{BlobError, Blobs, Layout};

use super::guarded_files::{GuardedFiles, Named, is_test_file};
use super::{Candidate, Frozen, GateRunner, GateRunnerError, Performed};
use sealwright_config::{Check, Config};
use sealwright_repo::GitError;
use sealwright_repo::git::objects;
use sealwright_repo::trees::{Base, Tree, TreeError, Trees};

#[derive(Clone, Debug)]
pub struct GatePreview {
    pub commit: String,
    /// What the gate said, and what was run for it.
    pub performed: Performed,
}

/// A trial that came to no judgement.
#[derive(Debug, thiserror::Error)]
pub enum GatePreviewError {
    /// No gate goes by that name.
    #[error("no gate is called `{name}`")]
    Unknown { name: String, known: Vec<String> },
    /// The repository has no such commit.
    #[error("there is no commit `{revision}`")]
    NoCommit { revision: String },
    /// What runs the tests is not on this machine.
    #[error("no {toolchain} was found on this machine")]
    NoToolchain { toolchain: &'static str, hint: &'static str },
    #[error(transparent)]
    GateRunner(#[from] GateRunnerError),
    #[error("the commit cannot be had")]
    Tree(#[from] TreeError),
    #[error("what the trial reads could not be kept")]
    Blob(#[from] BlobError),
    #[error("it could not be prepared")]
    Io(#[from] std::io::Error),
}

impl GatePreviewError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown { known, .. } if known.is_empty() => {
                Some("add a table [checks.NAME]; docs/gates.md names the kinds".to_owned())
            }
            Self::Unknown { known, .. } => Some(format!("there are {}", known.join(", "))),
            Self::NoCommit { .. } => {
                Some("name a commit, a branch or a tag of this repository".to_owned())
            }
            Self::NoToolchain { hint, .. } => Some((*hint).to_owned()),
            Self::GateRunner(error) => error.hint(),
            Self::Tree(error) => error.hint(),
            Self::Blob(_) | Self::Io(_) => None,
        }
    }
}

pub fn named<'c>(config: &'c Config, name: &str) -> Result<&'c Check, GatePreviewError> {
    let checks = config.checks();
    checks.iter().find(|check| check.name == name).ok_or_else(|| GatePreviewError::Unknown {
        name: name.to_owned(),
        known: checks.iter().map(|check| check.name.clone()).collect(),
    })
}

/// Performs `check` on the commit that `revision` stands for. What is read meanwhile is kept below `state`, and gone
/// afterwards.
pub async fn attempt(
    gates: &Arc<GateRunner>,
    config: &Config,
    check: &Check,
    (repository, revision): (&Path, &str),
    state: &Path,
) -> Result<GatePreview, GatePreviewError> {
    gates.has_what_runs(check)?;
    is_there(repository, revision)?;
    // A folder of its own: the trees of tasks that run meanwhile are theirs.
    let place = tempfile::Builder::new().prefix("trial-").tempdir_in(state)?;
    let blobs = Blobs::local(&Layout::new(place.path().join("store")))?;
    let trees = Trees::new(repository, &place.path().join("trees"), blobs);
    let base = trees.base(revision)?;
    let tree = trees.start(&base);
    let frozen = frozen(&trees, &base, &tree, config, check).await?;
    let expected = Expected { known: Known::AnySkipped, ..Expected::default() };
    let gate = check.gate(frozen.tests.clone(), expected, Declared::default());
    let commit = base.commit().to_owned();
    let before = tree.clone();
    let candidate = Candidate { trees, base, tree, before, frozen: Arc::new(frozen) };
    let performed = gates.perform(&*gate, &candidate, &Arc::new(Cancel::new()?)).await?;
    Ok(GatePreview { commit, performed })
}

impl GateRunner {
    /// Whether this machine has the tools for the clean room of this check. Without them the gate could not tell.
    fn has_what_runs(&self, check: &Check) -> Result<(), GatePreviewError> {
        let Some(language) = toolchain_of(check).map(Toolchain::language) else { return Ok(()) };
        if self.tools.can_make_rooms(language.name()) {
            return Ok(());
        }
        let Needed { name, hint } = language.facts().room_tool;
        Err(GatePreviewError::NoToolchain { toolchain: name, hint })
    }
}

fn is_there(repository: &Path, revision: &str) -> Result<(), GatePreviewError> {
    match objects::commit(repository, revision) {
        Ok(_) => Ok(()),
        // A repository that has commits has not this one; otherwise there is nothing to begin with.
        Err(GitError::Failed { .. }) if objects::commit(repository, "HEAD").is_ok() => {
            Err(GatePreviewError::NoCommit { revision: revision.to_owned() })
        }
        Err(error) => Err(TreeError::from(error).into()),
    }
}

/// Everything guarded in the tree and all its tests, with what the check says of tests and sources.
pub async fn frozen(
    trees: &Trees,
    base: &Base,
    tree: &Tree,
    config: &Config,
    check: &Check,
) -> Result<Frozen, TreeError> {
    let paths: BTreeSet<&str> = tree.leaves(base).map(|(path, _)| path).collect();
    let commands: Vec<Vec<String>> =
        config.checks().iter().map(|check| check.setting.command.clone()).collect();
    // A file that is named among the tests is one, whatever it is called.
    let leaf = |path: &String| Some((path.clone(), tree.leaf(base, path)?.content));
    let files = check.setting.tests.iter().filter_map(leaf).collect();
    let ground =
        GuardedFiles::of(trees, base, tree, &commands, Named { files, ..Named::default() });
    let GuardedFiles { toolchains, guarded, .. } = ground.await?;
    let mut frozen = Frozen::default();
    for (path, _) in guarded.overlay() {
        if let Some(content) = trees.read(base, tree, path).await? {
            frozen.files.insert(path.to_owned(), content);
        }
    }
    frozen.surround(&paths, &toolchains, &guarded);
    if toolchain_of(check).is_some() && !check.setting.sources.is_empty() {
        let places = places(&check.setting.sources);
        frozen.sources = check
            .setting
            .sources
            .iter()
            .filter(|it| !paths.contains(it.as_str()))
            .cloned()
            .collect();
        frozen.data.retain(|path| places.hold(path));
    }
    frozen.tests = tests(&frozen, &toolchains, check);
    // Tests among the sources run with any file of tests. Only a package at the top can take one.
    if let Some(language) = toolchain_of(check).map(Toolchain::language)
        && let Some(path) = language.facts().room_test.filter(|_| frozen.tests.is_empty())
    {
        let is_package = |(path, text): (&String, &Vec<u8>)| {
            (language.ecosystem().manifest)(path).is_some()
                && !language.module_names(&String::from_utf8_lossy(text)).is_empty()
        };
        if frozen.files.iter().any(is_package) {
            frozen.files.insert(path.to_owned(), Vec::new());
            frozen.tests.push(path.to_owned());
        }
    }
    Ok(frozen)
}

/// The test files that are run: those the check names, or else all of its language.
fn tests(frozen: &Frozen, toolchains: &[Toolchain], check: &Check) -> Vec<String> {
    let own = toolchain_of(check);
    let is_run = |path: &&String| {
        let mut languages = toolchains.iter().filter(|it| own.is_none_or(|own| own == **it));
        let is_test = languages.any(|it| is_test_file(*it, path));
        check.setting.tests.contains(path) || (is_test && names(check, path))
    };
    frozen.files.keys().filter(is_run).cloned().collect()
}

/// Whether a check runs this test file. Without a list it runs all of its language.
pub(crate) fn names(check: &Check, path: &str) -> bool {
    check.setting.tests.is_empty() || places(&check.setting.tests).hold(path)
}

fn places(paths: &[String]) -> Paths {
    Paths::Below(paths.iter().cloned().collect())
}

/// The language of the room that a check visits, if it visits any.
pub fn toolchain_of(check: &Check) -> Option<Toolchain> {
    Toolchain::of_room(check.kind.key)
}
