//! The seal, on a real disk and in memory: hostile callers, planted files, processes that die.

#![expect(clippy::unwrap_used, reason = "these are tests")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use fastrand::Rng;
use object_store::memory::InMemory;
use sealwright_store::state_store::hostile_callers::{Missing, Planted, Played, World};
use sealwright_store::state_store::{
    ModuleTree, ModuleVersion, ModuleVersions, Objects, PromotionError, Step,
};
use sealwright_store::{Layout, LeafKind};

#[path = "seal/killing.rs"]
mod killing;

/// Proves in part: F-PATHS-001
///
/// `SEALWRIGHT_SEAL_SEQUENCES` sets how many sequences, `SEALWRIGHT_SEAL_SEED` repeats a run.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_callers_get_nothing_out_and_change_nothing_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let layout = Layout::new(folder.path().join(".sealwright"));
    let seed = seed();
    let mut world = World::new(Objects::local(&layout).unwrap(), seed).await;
    let played = world.play(sequences(), &mut Folder::new(&layout)).await;
    report("disk", seed, &played);
    assert!(played.planted > 0 && played.promoted > 0, "{played:?}");
}

#[tokio::test]
async fn hostile_callers_get_nothing_out_of_an_object_store() {
    let seed = seed();
    let mut world = World::new(Objects::new(Arc::new(InMemory::new())), seed).await;
    report("memory", seed, &world.play(sequences(), &mut ()).await);
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
                let (mode, pipe) = (0o600.into(), rustix::fs::FileType::Fifo);
                rustix::fs::mknodat(rustix::fs::CWD, &public, pipe, mode, 0).unwrap();
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

fn sequences() -> usize {
    std::env::var("SEALWRIGHT_SEAL_SEQUENCES").map_or(500, |it| it.parse().unwrap())
}

fn seed() -> u64 {
    std::env::var("SEALWRIGHT_SEAL_SEED")
        .map_or_else(|_| fastrand::u64(..), |it| it.parse().unwrap())
}

#[expect(clippy::print_stderr, reason = "a run is repeated by its seed")]
fn report(place: &str, seed: u64, played: &Played) {
    eprintln!("seal on {place}, seed {seed}: {played:?}");
    assert_eq!(played.sequences, sequences());
    assert!(played.public > 0 && played.denied > 0 && played.refused > 0, "{played:?}");
}
