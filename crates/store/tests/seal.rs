//! The seal, on a real disk and in memory: hostile callers, planted files, processes that die.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use fastrand::Rng;
use object_store::memory::InMemory;
use sealwright_store::state_store::hostile_callers::{Missing, Planted, Played, World};
use sealwright_store::state_store::{
    ModuleTree, ModuleVersion, ModuleVersions, Objects, PromotionError, StateStoreError, Step,
};
use sealwright_store::{Layout, LeafKind};

#[path = "seal/killing.rs"]
mod killing;

/// Proves in part: F-PATHS-001
///
/// `SEALWRIGHT_SEAL_SEQUENCES` sets how many sequences, `SEALWRIGHT_SEAL_SEED` repeats the first world of a run.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_callers_get_nothing_out_and_change_nothing_on_disk() {
    for (seed, count) in worlds() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path().join(".sealwright"));
        let mut world = World::new(Objects::local(&layout).unwrap(), seed).await;
        let played = world.play(count, &mut Folder::new(&layout)).await;
        report("disk", seed, count, &played);
        assert!(played.planted > 0 && played.promoted > 0, "{played:?}");
    }
}

#[tokio::test]
async fn hostile_callers_get_nothing_out_of_an_object_store() {
    for (seed, count) in worlds() {
        let mut world = World::new(Objects::new(Arc::new(InMemory::new())), seed).await;
        report("memory", seed, count, &world.play(count, &mut ()).await);
    }
}

/// A world that finds nothing must be one that could: without the guard it does.
#[tokio::test]
async fn without_the_guard_the_same_callers_find_what_is_sealed() {
    let mut world = World::new(Objects::new(Arc::new(InMemory::new())), 1).await;
    world.missing = Some(Missing::Opaque);
    let played = tokio::spawn(async move { world.play(100, &mut ()).await }).await;
    let broken = played.unwrap_err().into_panic();
    let told = broken.downcast_ref::<String>().map(String::as_str).unwrap_or_default();
    assert!(told.contains("SEALED_") || told.contains("sealed_name_"), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_written_through_a_planted_link_and_no_pipe_is_waited_for() {
    let places = [
        "store",
        "store/modules",
        "store/modules/MM-x",
        "store/module_names",
        "store/blobs/sha256",
    ];
    for place in places {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("root"), folder.path().join("outside"));
        std::fs::create_dir(&outside).unwrap();
        let link = root.join(place);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&outside, &link).unwrap();
        let promoted = match Objects::local(&Layout::new(&root)) {
            Ok(objects) => promote(&ModuleVersions::new(objects)).await,
            Err(error) => Err(error.into()),
        };
        assert!(matches!(promoted, Err(PromotionError::Store(_))), "{place}: {promoted:?}");
        let found: Vec<_> = std::fs::read_dir(&outside).unwrap().collect();
        assert!(found.is_empty(), "{place}: {found:?}");
    }
    for place in ["module_names/mm-x.json", "modules/MM-x/000001.json"] {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        let objects = Objects::local(&layout).unwrap();
        let pipe = layout.store().join(place);
        std::fs::create_dir_all(pipe.parent().unwrap()).unwrap();
        make_pipe(&pipe);
        let promoted = promote(&ModuleVersions::new(objects)).await;
        assert!(matches!(promoted, Err(PromotionError::Store(_))), "{place}: {promoted:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_edited_through_a_hard_link_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let layout = Layout::new(folder.path());
    let versions = ModuleVersions::new(Objects::local(&layout).unwrap());
    let version = promote(&versions).await.unwrap();
    let leaf = version.files["contract.json"];
    let edited = folder.path().join("edited");
    std::fs::hard_link(layout.blob(&leaf.content, leaf.bytes), &edited).unwrap();
    std::fs::write(&edited, "changed").unwrap();
    let read = versions.file(&version, "contract.json").await;
    assert!(matches!(read, Err(StateStoreError::Damaged { .. })), "{read:?}");
    // Shipping the same again does not hide it either.
    let again = killing::tree("a");
    let mut promotion =
        versions.begin(&"MM-y@1.0.0".parse().unwrap(), again.clone(), &again.digest()).unwrap();
    let mut end = Ok(Step::Named);
    while matches!(end, Ok(Step::Named | Step::Staged)) {
        end = promotion.step().await;
    }
    assert!(end.is_err(), "{end:?}");
}

async fn promote(versions: &ModuleVersions) -> Result<ModuleVersion, PromotionError> {
    let tree = killing::tree("a");
    let digest = tree.digest();
    versions.promote(&"MM-x@1.0.0".parse().unwrap(), tree, &digest).await
}

fn make_pipe(path: &Path) {
    let (mode, pipe) = (0o600.into(), rustix::fs::FileType::Fifo);
    rustix::fs::mknodat(rustix::fs::CWD, path, pipe, mode, 0).unwrap();
}

/// Plants links, hard links, folders and pipes in a store's folder.
struct Folder {
    layout: Layout,
    undo: Vec<(PathBuf, Option<PathBuf>)>,
}

impl Folder {
    fn new(layout: &Layout) -> Self {
        Self { layout: layout.clone(), undo: vec![] }
    }

    /// Moves what is at `path` aside.
    fn aside(&mut self, path: &Path) -> PathBuf {
        let aside = self.layout.root().join("aside").join(self.undo.len().to_string());
        std::fs::create_dir_all(aside.parent().unwrap()).unwrap();
        std::fs::rename(path, &aside).unwrap();
        self.undo.push((path.to_owned(), Some(aside.clone())));
        aside
    }
}

impl Planted for Folder {
    fn plant(&mut self, shipped: &[ModuleVersion], rng: &mut Rng) -> bool {
        let version = &shipped[rng.usize(..shipped.len())];
        let blob = |path: &str| {
            let leaf = version.files[path];
            self.layout.blob(&leaf.content, leaf.bytes)
        };
        let sealed = version.files.keys().find(|it| it.starts_with("implementation")).unwrap();
        let (public, sealed) = (blob("contract.json"), blob(sealed));
        let modules = self.layout.store().join("modules");
        let module = modules.join(version.module.id());
        match rng.u8(..8) {
            // A public file that is a link to a sealed one, or has its bytes, or is it.
            0 => {
                self.aside(&public);
                std::os::unix::fs::symlink(&sealed, &public).unwrap();
            }
            1 => {
                self.aside(&public);
                std::fs::copy(&sealed, &public).unwrap();
            }
            2 => {
                self.aside(&public);
                std::fs::hard_link(&sealed, &public).unwrap();
            }
            3 => {
                self.aside(&public);
                std::fs::create_dir(&public).unwrap();
                std::fs::copy(&sealed, public.join("contract.json")).unwrap();
            }
            // A pipe that no process writes to: opening it must not wait.
            4 => {
                self.aside(&public);
                make_pipe(&public);
            }
            // Names that lead to sealed files from where folders of modules stand.
            5 => {
                let stray = modules.join("MM-stray");
                std::os::unix::fs::symlink(&module, &stray).unwrap();
                self.undo.push((stray, None));
            }
            6 => {
                let stray = modules.join("MM-open");
                std::fs::create_dir(&stray).unwrap();
                std::fs::hard_link(&sealed, stray.join("000001.json")).unwrap();
                self.undo.push((stray, None));
            }
            _ => {
                let moved = self.aside(&module);
                std::os::unix::fs::symlink(moved, &module).unwrap();
            }
        }
        true
    }

    fn take_back(&mut self) {
        for (path, aside) in self.undo.drain(..).rev() {
            let is_folder = std::fs::symlink_metadata(&path).unwrap().is_dir();
            let removed = if is_folder {
                std::fs::remove_dir_all(&path)
            } else {
                std::fs::remove_file(&path)
            };
            removed.unwrap();
            if let Some(aside) = aside {
                std::fs::rename(aside, path).unwrap();
            }
        }
    }
}

/// A world ships more modules the longer it is played, so many short ones find more than a long one.
fn worlds() -> impl Iterator<Item = (u64, usize)> {
    let (seed, count) = (seed(), sequences());
    let begun = (0..count).step_by(SEQUENCES_PER_WORLD).zip(0..);
    begun.map(move |(from, nth)| (seed.wrapping_add(nth), SEQUENCES_PER_WORLD.min(count - from)))
}

const SEQUENCES_PER_WORLD: usize = 500;

fn sequences() -> usize {
    std::env::var("SEALWRIGHT_SEAL_SEQUENCES").map_or(500, |it| it.parse().unwrap())
}

fn seed() -> u64 {
    std::env::var("SEALWRIGHT_SEAL_SEED")
        .map_or_else(|_| fastrand::u64(..), |it| it.parse().unwrap())
}

#[expect(clippy::print_stderr, reason = "a run is repeated by its seed")]
fn report(place: &str, seed: u64, count: usize, played: &Played) {
    eprintln!("seal on {place}, seed {seed}: {played:?}");
    assert_eq!(played.sequences, count);
    assert!(played.public > 0 && played.denied > 0 && played.refused > 0, "{played:?}");
}
