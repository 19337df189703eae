//! Many small streams: the time to verify all, compared with reading and hashing their bytes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use sealwright_kernel::{Digest, StreamId};
use sealwright_store::{Catalog, FileJournal, Head, Layout, Writer as _, verify};

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::prove::unsynced::unsynced;
use crate::prove::writer::draft;

pub(super) fn run(size: Size, folder: &Path, figures: &mut Figures) -> Result<()> {
    let streams: u64 = size.choose(5_000, 100_000);
    let layout = Layout::new(folder.join(".sealwright"));
    let paths = make(&layout, streams)?;
    let journal = FileJournal::at(layout.root());
    figures.hold_measured(|| {
        let mut hashing = Duration::MAX;
        let mut checking = [Duration::MAX; 2];
        for _ in 0..ROUNDS {
            hashing = hashing.min(read_and_hash(&paths)?);
            for (took, threads) in checking.iter_mut().zip([1, 2]) {
                let begun = Instant::now();
                let verified = verify(&journal, &[], threads)?;
                *took = (*took).min(begun.elapsed());
                let is_sound = verified.findings.is_empty() && verified.records == streams * 10;
                ensure!(is_sound, "{:?}", verified.findings);
            }
        }
        let ratio = checking[0].as_secs_f64() / hashing.as_secs_f64();
        let text = format!(
            "verifying {streams} streams of 10 records on one thread {:.2} s ÷ reading and hashing \
             {:.2} s = {ratio:.2} (≤ 3); on two {:.2} s",
            checking[0].as_secs_f64(),
            hashing.as_secs_f64(),
            checking[1].as_secs_f64(),
        );
        Ok((text, ratio <= 3.0))
    })?;
    let begun = Instant::now();
    Catalog::refresh(&journal)?;
    let cold = begun.elapsed();
    let begun = Instant::now();
    let catalog = Catalog::refresh(&journal)?;
    let warm = begun.elapsed();
    ensure!(catalog.refreshed() == 0 && catalog.streams().len() as u64 == streams, "not warm");
    figures.tell(format!(
        "catalog of {streams} streams: {:.0} ms rebuilt, {:.0} ms warm",
        cold.as_secs_f64() * 1e3,
        warm.as_secs_f64() * 1e3,
    ));
    Ok(())
}

fn make(layout: &Layout, streams: u64) -> Result<Vec<PathBuf>> {
    let journal = unsynced(layout);
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let mut paths = Vec::new();
    for nth in 0..streams {
        let stream: StreamId = format!("T-many-{nth:06}").parse()?;
        let mut writer = journal.open_blocking(&stream, Head::START, &mut |_| Ok(()))?;
        for number in 0..10 {
            runtime.block_on(writer.append(draft(number)))?;
        }
        paths.push(layout.stream(&stream).join("000000000001.jsonl"));
    }
    Ok(paths)
}

fn read_and_hash(paths: &[PathBuf]) -> Result<Duration> {
    let begun = Instant::now();
    for path in paths {
        std::hint::black_box(Digest::of(&std::fs::read(path)?));
    }
    Ok(begun.elapsed())
}

const ROUNDS: u32 = 7;
