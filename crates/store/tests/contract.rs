//! The solo journal keeps the contract, on a real disk and on a simulated one.

use std::sync::atomic::{AtomicU32, Ordering};

use sealwright_store::disk::SimulatedDisk;
use sealwright_store::{FileJournal, Layout, contract};

#[tokio::test]
async fn files_keep_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let made = AtomicU32::new(0);
    contract::all(|| {
        let nth = made.fetch_add(1, Ordering::Relaxed);
        FileJournal::create(folder.path().join(nth.to_string())).unwrap()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_in_small_segments_keep_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let made = AtomicU32::new(0);
    contract::all(|| {
        let nth = made.fetch_add(1, Ordering::Relaxed);
        let root = folder.path().join(nth.to_string());
        FileJournal::create(root).unwrap().with_segments_of(1000)
    })
    .await;
}

#[tokio::test]
async fn a_simulated_disk_keeps_the_contract() {
    contract::all(|| FileJournal::on(SimulatedDisk::new(1), Layout::new(".sealwright"))).await;
}
