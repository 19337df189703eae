//! Both sides of a change, and the trees that lie between them: the tests of now on the source of before, and the
//! tests of before on the source of now.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use sealwright_gates::kinds::{Kind, Setting};
use sealwright_gates::toolchain::Part;
use sealwright_gates::tripwire::{self, Guarded};
use sealwright_gates::{Listed, Toolchain};
use sealwright_store::{Blobs, Layout};

use super::EvaluateError;
use super::history::Change;
use sealwright_config::{Check, Config, Set};
use sealwright_factory::gate_runner::gate_preview::{frozen, toolchain_of};
use sealwright_factory::gate_runner::guarded_files::{GuardedFiles, Named, part, text};
use sealwright_factory::gate_runner::{Candidate, listing};
use sealwright_repo::git::objects::{self, Contents, Entry};
use sealwright_repo::trees::{Base, Changes, LeafKind, Tree, TreeError, Trees};

pub(super) struct Sides {
    trees: Trees,
    base: Arc<Base>,
    pub(super) before: Tree,
    pub(super) now: Tree,
    /// The languages of either.
    pub(super) toolchains: Vec<Toolchain>,
    pub(super) changed: Vec<Listed>,
    /// The names under which tests import what they test, on either side.
    pub(super) modules: Vec<String>,
    was_guarded: Guarded,
    is_guarded: Guarded,
    // Both sides stand in here, and are gone with it.
    _place: tempfile::TempDir,
}

impl Sides {
    /// Reads both sides from the repository's objects. They stand below `place` for as long as they are looked at.
    pub(super) async fn read(
        repository: &Path,
        place: &Path,
        change: &Change,
        config: &Config,
    ) -> Result<Self, EvaluateError> {
        let place = tempfile::Builder::new().prefix("change-").tempdir_in(place)?;
        let blobs = Blobs::local(&Layout::new(place.path().join("store")))?;
        let trees = Trees::new(repository, &place.path().join("trees"), blobs);
        let (reading, commit, since) =
            (trees.clone(), change.commit.clone(), change.before.clone());
        let repository = repository.to_owned();
        let read = tokio::task::spawn_blocking(move || {
            let base = reading.base(&since)?;
            Ok::<_, TreeError>((base, differences(&repository, &since, &commit)?))
        });
        let (base, changes) = read.await.map_err(|_| EvaluateError::Died)??;
        let before = trees.start(&base);
        let (now, _) = trees.after(&base, &before, &changes).await?;
        let commands: Vec<Vec<String>> =
            config.checks().iter().map(|check| check.setting.command.clone()).collect();
        let was = GuardedFiles::of(&trees, &base, &before, &commands, Named::default()).await?;
        let is = GuardedFiles::of(&trees, &base, &now, &commands, Named::default()).await?;
        let listing = listing(&now, &base, &before);
        let toolchains = Toolchain::found(listing.iter().map(|it| it.path.as_str()));
        let changed = listing.into_iter().filter(Listed::is_changed).collect();
        Ok(Self {
            trees,
            base,
            before,
            now,
            toolchains,
            changed,
            modules: was.under_test.into_iter().chain(is.under_test).collect(),
            was_guarded: was.guarded,
            is_guarded: is.guarded,
            _place: place,
        })
    }

    /// What of everything that decides how work is judged is not as it was.
    pub(super) fn tripped(&self) -> Vec<tripwire::Change> {
        let listing = listing(&self.now, &self.base, &self.before);
        self.was_guarded.compare(&tripwire::present(&listing), &self.toolchains, &[])
    }

    /// Whether a file decides how work is judged, and is no part of the work.
    pub(super) fn judges(&self, path: &str) -> bool {
        let is_guarded = |guarded: &Guarded| {
            guarded.files().any(|(guarded, kept)| guarded == path && kept.digest.is_some())
        };
        part(&self.toolchains, path) == Some(Part::Test)
            || is_guarded(&self.was_guarded)
            || is_guarded(&self.is_guarded)
    }

    /// The code of one language that changed and is part of the work.
    pub(super) fn product(&self, toolchain: Toolchain) -> Vec<&Listed> {
        let is_product = |it: &&Listed| {
            let path = it.path.as_str();
            toolchain.language().is_written(path)
                && part(&[toolchain], path) == Some(Part::Source)
                && !self.judges(path)
        };
        self.changed.iter().filter(is_product).collect()
    }

    /// The code of one language that changed and belongs to tests.
    pub(super) fn tests(&self, toolchain: Toolchain) -> Vec<&Listed> {
        let is_test = |it: &&Listed| {
            let path = it.path.as_str();
            toolchain.language().is_written(path) && part(&[toolchain], path) == Some(Part::Test)
        };
        self.changed.iter().filter(is_test).collect()
    }

    /// Whether something changed that only tests use and that is no code: a fixture, a picture of what is expected.
    pub(super) fn has_new_fixtures(&self, toolchain: Toolchain) -> bool {
        self.changed.iter().any(|it| {
            let path = it.path.as_str();
            !toolchain.language().is_written(path) && part(&[toolchain], path) == Some(Part::Test)
        })
    }

    /// What a file says in one of the trees. Nothing, where there is no such file or where it is no text.
    pub(super) async fn text(&self, tree: &Tree, path: &str) -> Result<Option<String>, TreeError> {
        Ok(self.trees.read(&self.base, tree, path).await?.and_then(text))
    }

    /// The work of before under the tests of now: everything is as it is now but for what is judged.
    pub(super) async fn without_the_change(&self) -> Result<Tree, TreeError> {
        let mut changes = Changes::new();
        for Listed { path, .. } in self.changed.iter().filter(|it| !self.judges(&it.path)) {
            let was = self.trees.read(&self.base, &self.before, path).await?;
            let leaf = self.before.leaf(&self.base, path);
            let mut back = leaf.map(|leaf| leaf.kind).zip(was);
            if let Some((LeafKind::Plain, content)) = &mut back
                && let Some(language) = Toolchain::of_file(path).map(Toolchain::language)
                && let Some(inner) = language.inner_tests()
                && let Some(now) = self.text(&self.now, path).await?
                && let Some(was) = text(content.clone())
            {
                *content = (inner.without_the_change)(&was, &now).into_bytes();
            }
            changes.insert(path.clone(), back);
        }
        Ok(self.trees.after(&self.base, &self.now, &changes).await?.0)
    }

    /// Whether a clean room can be made for the tests of a language.
    pub(super) fn has_room(&self, toolchain: Toolchain) -> bool {
        let paths = self.now.leaves(&self.base).map(|(path, _)| path).collect();
        toolchain.language().has_room(&paths)
    }

    /// The work of now under these test files of before.
    pub(super) async fn with_old(&self, tests: &[String]) -> Result<Tree, TreeError> {
        let mut changes = Changes::new();
        for path in tests {
            let was = self.trees.read(&self.base, &self.before, path).await?;
            let leaf = self.before.leaf(&self.base, path);
            changes.insert(path.clone(), leaf.map(|leaf| leaf.kind).zip(was));
        }
        Ok(self.trees.after(&self.base, &self.now, &changes).await?.0)
    }

    /// One of the trees, with everything in it frozen that decides how work is judged.
    pub(super) async fn candidate(
        &self,
        tree: &Tree,
        config: &Config,
        check: &Check,
    ) -> Result<Candidate, TreeError> {
        let paths: BTreeSet<&str> = tree.leaves(&self.base).map(|(path, _)| path).collect();
        let check = fitting(check, &paths);
        let mut frozen = frozen(&self.trees, &self.base, tree, config, &check).await?;
        // A clean room is entered by a test file, so a project whose tests all stand inside the source is given one.
        if let Some(toolchain) = toolchain_of(&check).filter(|_| frozen.tests.is_empty())
            && let Some((path, text)) = toolchain.language().room_entry(&paths)
        {
            frozen.files.insert(path.clone(), text.as_bytes().to_vec());
            frozen.tests.push(path);
        }
        Ok(Candidate {
            trees: self.trees.clone(),
            base: self.base.clone(),
            tree: tree.clone(),
            before: self.before.clone(),
            frozen: Arc::new(frozen),
        })
    }
}

/// The check that runs the tests of a language in a clean room: all of the project's own in one, or a plain one.
pub(super) fn room_check(config: &Config, toolchain: Toolchain) -> Option<Check> {
    let own = config.checks().iter().filter(|check| toolchain_of(check) == Some(toolchain));
    let own = own.cloned().reduce(|mut all, other| {
        // One that names nothing means everything.
        let both = |these: &mut Vec<String>, those: Vec<String>| match these.is_empty() {
            false if !those.is_empty() => these.extend(those),
            _ => these.clear(),
        };
        both(&mut all.setting.tests, other.setting.tests);
        both(&mut all.setting.sources, other.setting.sources);
        all.setting.timeout_s += other.setting.timeout_s;
        all
    });
    let plain = || {
        let kind = Kind::of(toolchain.language().room_kind())?;
        Some(Check {
            name: "tests".to_owned(),
            kind,
            sets: Set::ALL.into(),
            setting: Setting { timeout_s: TESTS_S, ..Setting::default() },
        })
    };
    own.or_else(plain)
}

/// What differs between two commits, with the contents of the second.
fn differences(repository: &Path, before: &str, now: &str) -> Result<Changes, TreeError> {
    let by_path = |entries: Vec<Entry>| -> BTreeMap<String, Entry> {
        entries.into_iter().map(|entry| (entry.path.clone(), entry)).collect()
    };
    let was = by_path(objects::entries(repository, before)?);
    let is = by_path(objects::entries(repository, now)?);
    let mut contents = Contents::open(repository)?;
    let mut changes = Changes::new();
    let mut total = 0_u64;
    for (path, entry) in &is {
        if was.get(path) == Some(entry) {
            continue;
        }
        let content = contents.read(entry, FILE_BYTES_MAX)?;
        total = total.saturating_add(content.len() as u64);
        if total > BYTES_MAX {
            return Err(TreeError::TooMuch { what: "changed bytes", most: BYTES_MAX });
        }
        changes.insert(path.clone(), Some((entry.kind, content)));
    }
    changes.extend(was.into_keys().filter(|path| !is.contains_key(path)).map(|path| (path, None)));
    Ok(changes)
}

/// Today's check, for a tree of another day: what it names and is not there yet is not asked for.
fn fitting(check: &Check, paths: &BTreeSet<&str>) -> Check {
    let is_there = |named: &String| {
        let below = format!("{named}/");
        paths.contains(named.as_str()) || paths.iter().any(|path| path.starts_with(&below))
    };
    let mut check = check.clone();
    check.setting.tests.retain(is_there);
    check.setting.sources.retain(is_there);
    check
}

const TESTS_S: u32 = 600;
const FILE_BYTES_MAX: u64 = 64 << 20;
const BYTES_MAX: u64 = 1 << 30;
