//! The time to open a stream, compared with reading and hashing the same bytes.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use sealwright_host::{Host, Limits, NotPerformed, Recording, SystemClock};
use sealwright_kernel::{Access, Actor, Digest, Hasher, InvocationId, Role, StreamId, Timestamp};
use sealwright_sample_machine::{Brief, Effect, Errand, Event, Input, stream_of};
use sealwright_store::{Draft, FileJournal, Head, Layout, Writer as _};
use serde_json::json;

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::prove::unsynced::unsynced;

pub(super) fn run(size: Size, folder: &Path, figures: &mut Figures) -> Result<()> {
    let (long, short) = (size.choose(100_000, 1_000_000), 10_000);
    let layout = Layout::new(folder.join(".sealwright"));
    let long_stream = make(&layout, 1, long)?;
    let short_stream = make(&layout, 2, short)?;
    let journal = FileJournal::at(layout.root());

    let segments = segments(&layout.stream(&long_stream))?;
    figures.hold_measured(|| {
        let (mut hashing, mut checking, mut opening) = (FOREVER, FOREVER, FOREVER);
        let mut bytes = 0;
        for _ in 0..ROUNDS {
            let (read, took) = read_and_hash(&segments)?;
            (bytes, hashing) = (read, hashing.min(took));
            let begun = Instant::now();
            journal.read_blocking(&long_stream, Head::START, &mut |_| Ok(()))?;
            checking = checking.min(begun.elapsed());
            drop_snapshot(&layout, &long_stream)?;
            opening = opening.min(open(&journal, &long_stream, long)?);
        }
        let ratio = opening.as_secs_f64() / hashing.as_secs_f64();
        let text = format!(
            "opening {long} records ({:.0} MB), checked and folded, {:.2} s ÷ reading and hashing \
             {:.2} s = {ratio:.2} (≤ 3); checking alone {:.2} s",
            bytes as f64 / 1e6,
            opening.as_secs_f64(),
            hashing.as_secs_f64(),
            checking.as_secs_f64(),
        );
        Ok((text, ratio <= 3.0))
    })?;

    keep_snapshot(&journal, &long_stream)?;
    keep_snapshot(&journal, &short_stream)?;
    figures.hold_measured(|| {
        let (mut long_took, mut short_took) = (FOREVER, FOREVER);
        for _ in 0..10 * ROUNDS {
            long_took = long_took.min(open(&journal, &long_stream, long)?);
            short_took = short_took.min(open(&journal, &short_stream, short)?);
        }
        let ratio = long_took.as_secs_f64() / short_took.as_secs_f64();
        let text = format!(
            "with a snapshot {:.2} ms at {long} records ÷ {:.2} ms at {short} = {ratio:.2} (≤ 2)",
            long_took.as_secs_f64() * 1e3,
            short_took.as_secs_f64() * 1e3,
        );
        Ok((text, ratio <= 2.0))
    })
}

/// A stream of an errand whose context is built repeatedly.
fn make(layout: &Layout, number: u32, records: u64) -> Result<StreamId> {
    let journal = unsynced(layout);
    let id = InvocationId::new(number);
    let mut writer = journal.open_blocking(&stream_of(id), Head::START, &mut |_| Ok(()))?;
    let task = Digest::of(b"task");
    let brief = Brief { id, role: Role::Builder, access: Access::Write, task };
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(async {
        for number in 0..records {
            let context = Digest::of(&number.to_be_bytes());
            let (effect, event) = match number {
                0 => (stream_of(id).to_string(), Event::Requested { brief: brief.clone() }),
                _ => (format!("{id}/context/try-{number}"), Event::ContextBuilt { context }),
            };
            writer
                .append(Draft {
                    at: Timestamp::from_millis(1_767_225_600_000 + number),
                    actor: Actor::Environment,
                    cause: json!({"context_built": {"context": context, "effect": effect}}),
                    events: vec![serde_json::to_value(event)?],
                    blobs: vec![],
                })
                .await?;
        }
        anyhow::Ok(())
    })?;
    Ok(stream_of(id))
}

/// Opens a stream as the engine does, and closes it.
fn open(journal: &FileJournal, stream: &StreamId, records: u64) -> Result<Duration> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let idle = |_: &Effect| -> Result<Input, NotPerformed> { Err(NotPerformed::Cancelled) };
    let performer = Arc::new(Recording::new(idle));
    let begun = Instant::now();
    let host: Host<Errand, _, _, _> = runtime.block_on(Host::open(
        journal.clone(),
        stream,
        performer,
        SystemClock,
        Limits::default(),
    ))?;
    let took = begun.elapsed();
    ensure!(host.head().seq.get() == records, "{} of {records} records", host.head().seq);
    Ok(took)
}

fn keep_snapshot(journal: &FileJournal, stream: &StreamId) -> Result<()> {
    use sealwright_store::{Journal as _, Snapshot};
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(async {
        let replayed = sealwright_host::replay::<Errand, _>(journal, stream, None).await?;
        let state = sealwright_host::state_of(&replayed.machine)?;
        let snapshot = Snapshot { stream: stream.clone(), head: replayed.head, state };
        Ok(journal.keep_snapshot(&snapshot).await?)
    })
}

fn drop_snapshot(layout: &Layout, stream: &StreamId) -> Result<()> {
    let path = layout.snapshot(stream);
    if path.exists() {
        std::fs::remove_file(path)?;
    }
    Ok(())
}

fn segments(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    Ok(paths)
}

fn read_and_hash(paths: &[PathBuf]) -> Result<(u64, Duration)> {
    let begun = Instant::now();
    let mut buffer = vec![0; 256 * 1024];
    let (mut hasher, mut bytes) = (Hasher::default(), 0);
    for path in paths {
        let mut file = File::open(path)?;
        loop {
            let count = file.read(&mut buffer)?;
            if count == 0 {
                break;
            }
            hasher.update(&buffer[..count]);
            bytes += count as u64;
        }
    }
    std::hint::black_box(hasher.finish());
    Ok((bytes, begun.elapsed()))
}

const ROUNDS: u32 = 5;
const FOREVER: Duration = Duration::MAX;
