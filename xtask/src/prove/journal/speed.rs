//! Durable appends per second, compared with bare writes of the same bytes.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use sealwright_kernel::StreamId;
use sealwright_store::disk::RealDisk;
use sealwright_store::{FileJournal, FileWriter, Head, Writer as _};

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::prove::writer::draft;

pub(super) fn run(size: Size, folder: &Path, figures: &mut Figures) -> Result<()> {
    let rounds: usize = size.choose(100, 500);
    let journal = FileJournal::create(folder.join(".sealwright"))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build()?;
    let mut writer = open(&journal, "T-speed")?;
    let mut bare = Bare::create(&folder.join("bare"))?;
    let lines = sample_lines(&journal)?;
    let mut one = Rates { journal: 0.0, bare: 0.0 };
    figures.hold_measured(|| {
        let (rates, ratio) = in_turns(rounds, &runtime, &mut writer, &mut bare, &lines)?;
        one = rates;
        let text = format!(
            "{:.0} durable appends/s ÷ {:.0} bare write+fdatasync/s = {ratio:.2} in the median of \
             {rounds} rounds (≥ 0.85; above 1.3 something was not synced)",
            one.journal, one.bare,
        );
        Ok((text, (0.85..=1.3).contains(&ratio)))
    })?;
    let times = rounds as u64 * PER_ROUND / 8;
    figures.hold_measured(|| {
        let eight = at_once(times, |nth| {
            let mut writer = open(&journal, &format!("T-speed-{nth}"))?;
            Ok(move |number| append(&mut writer, number))
        })?;
        let bare_eight = at_once(times, |nth| {
            let mut bare = Bare::create(&folder.join(format!("bare-{nth}")))?;
            let line = lines[0].clone();
            Ok(move |_| bare.append(&line))
        })?;
        let (gain, bare_gain) = (eight / one.journal, bare_eight / one.bare);
        let text = format!(
            "8 writers on 8 streams: {eight:.0}/s = {gain:.1} × one writer (≥ 3, or what the disk \
             gives: 8 bare writers make {bare_gain:.1} ×)"
        );
        Ok((text, gain >= 3.0 || gain >= 0.85 * bare_gain))
    })
}

/// Appends per second.
struct Rates {
    journal: f64,
    bare: f64,
}

/// Disk latency varies, so runs are interleaved. The ratio is the median of the rounds.
fn in_turns(
    rounds: usize,
    runtime: &tokio::runtime::Runtime,
    writer: &mut FileWriter<RealDisk>,
    bare: &mut Bare,
    lines: &[Vec<u8>],
) -> Result<(Rates, f64)> {
    let (mut journal_time, mut bare_time) = (Duration::ZERO, Duration::ZERO);
    let mut ratios = Vec::new();
    for _ in 0..rounds {
        let drafts: Vec<_> = (0..PER_ROUND).map(draft).collect();
        let begun = Instant::now();
        runtime.block_on(async {
            for draft in drafts {
                writer.append(draft).await?;
            }
            anyhow::Ok(())
        })?;
        let journal_took = begun.elapsed();
        let begun = Instant::now();
        for line in lines {
            bare.append(line)?;
        }
        let bare_took = begun.elapsed();
        journal_time += journal_took;
        bare_time += bare_took;
        ratios.push(bare_took.as_secs_f64() / journal_took.as_secs_f64());
    }
    ratios.sort_by(f64::total_cmp);
    let rate = |time: Duration| (rounds as u64 * PER_ROUND) as f64 / time.as_secs_f64();
    Ok((Rates { journal: rate(journal_time), bare: rate(bare_time) }, ratios[rounds / 2]))
}

/// The total rate of eight threads that each call their worker `times` times.
fn at_once<W: FnMut(u64) -> Result<()> + Send>(
    times: u64,
    make: impl Fn(u64) -> Result<W>,
) -> Result<f64> {
    let mut workers: Vec<W> = (0..8).map(&make).collect::<Result<_>>()?;
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let running: Vec<_> = workers
            .iter_mut()
            .map(|work| scope.spawn(move || (0..times).try_for_each(work)))
            .collect();
        running.into_iter().try_for_each(|run| run.join().expect("a worker does not panic"))
    })?;
    Ok((8 * times) as f64 / begun.elapsed().as_secs_f64())
}

/// A file journal waits only for the disk, so one poll completes the append.
fn append(writer: &mut FileWriter<RealDisk>, number: u64) -> Result<()> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(writer.append(draft(number))).poll(&mut context) {
        std::task::Poll::Ready(appended) => Ok(appended.map(|_| ())?),
        std::task::Poll::Pending => anyhow::bail!("an append waited for something else"),
    }
}

fn open(journal: &FileJournal, name: &str) -> Result<FileWriter<RealDisk>> {
    let stream: StreamId = name.parse()?;
    Ok(journal.open_blocking(&stream, Head::START, &mut |_| Ok(()))?)
}

/// The lines of one round, as the journal writes them.
fn sample_lines(journal: &FileJournal) -> Result<Vec<Vec<u8>>> {
    let mut writer = open(journal, "T-sample")?;
    for number in 0..PER_ROUND {
        append(&mut writer, number)?;
    }
    let mut lines = Vec::new();
    journal.read_blocking(writer.stream(), Head::START, &mut |entry| {
        lines.push([entry.line(), b"\n"].concat());
        Ok(())
    })?;
    Ok(lines)
}

struct Bare {
    file: File,
    len: u64,
}

impl Bare {
    fn create(path: &Path) -> Result<Self> {
        Ok(Self { file: File::create(path)?, len: 0 })
    }

    fn append(&mut self, line: &[u8]) -> Result<()> {
        self.file.write_all_at(line, self.len)?;
        self.len += line.len() as u64;
        Ok(self.file.sync_data()?)
    }
}

const PER_ROUND: u64 = 20;
