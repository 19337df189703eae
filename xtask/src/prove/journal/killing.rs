//! A writer process killed at random moments; and a second writer, refused.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use sealwright_kernel::StreamId;
use sealwright_store::{FileJournal, Head, JournalError, Writer as _};

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::prove::writer::{draft, number_of};

pub(super) fn run(size: Size, folder: &Path, figures: &mut Figures) -> Result<()> {
    let kills: u64 = size.choose(40, 500);
    let root = folder.join(".sealwright");
    let journal = FileJournal::create(&root)?;
    let stream: StreamId = "T-killed".parse()?;
    let mut dice = fastrand::Rng::with_seed(4);
    let (mut lost, mut doubled, mut accepted, mut unacknowledged) = (0, 0, 0, 0);
    for _ in 0..kills {
        let mut writer = WriterProcess::start(&root, &stream)?;
        std::thread::sleep(Duration::from_micros(dice.u64(0..20_000)));
        let acknowledged = writer.kill()?.unwrap_or(accepted);
        let found = numbers(&journal, &stream)?;
        // Numbers count up by one; each acknowledged one is there, and at most one more.
        doubled += found.windows(2).filter(|pair| pair[1] != pair[0] + 1).count();
        let last = found.last().copied().unwrap_or_default();
        lost += acknowledged.saturating_sub(last);
        ensure!(last <= acknowledged + 1, "record {last} exists before it was written");
        unacknowledged += last.saturating_sub(acknowledged);
        accepted = last;
    }
    figures.hold(
        format!(
            "{kills} × kill -9 of a writer process over {accepted} records: {lost} lost, {doubled} \
             doubled ({unacknowledged} durable but not yet acknowledged)"
        ),
        lost == 0 && doubled == 0 && accepted > kills,
    );

    let mut holder = WriterProcess::start(&root, &stream)?;
    let refused = journal.open_blocking(&stream, Head::START, &mut |_| Ok(()));
    let (is_held, hint) = match &refused {
        Err(error @ JournalError::Held { .. }) => (true, error.hint().unwrap_or_default()),
        _ => (false, String::new()),
    };
    let second = WriterProcess::command(&root, &stream).stdout(Stdio::null()).status()?;
    let readable = !numbers(&journal, &stream)?.is_empty();
    let mut other = journal.open_blocking(&"T-other".parse()?, Head::START, &mut |_| Ok(()))?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let other_goes_on = runtime.block_on(other.append(draft(1))).is_ok();
    let still_writing = holder.kill()?.is_some();
    figures.hold(
        format!("a second writer is refused (hint: {hint}); readers and other streams go on"),
        is_held
            && !hint.is_empty()
            && !second.success()
            && readable
            && other_goes_on
            && still_writing,
    );
    Ok(())
}

struct WriterProcess {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl WriterProcess {
    fn command(root: &Path, stream: &StreamId) -> Command {
        let this = std::env::current_exe().unwrap_or_else(|_| "xtask".into());
        let mut command = Command::new(this);
        command.arg("writer").arg(root).arg(stream.as_str());
        command
    }

    /// Starts it and waits until it holds the stream.
    fn start(root: &Path, stream: &StreamId) -> Result<Self> {
        let mut child = Self::command(root, stream).stdout(Stdio::piped()).spawn()?;
        let mut output = BufReader::new(child.stdout.take().context("its output is piped")?);
        let mut line = String::new();
        output.read_line(&mut line)?;
        ensure!(line == "open\n", "the writer did not open the stream: {line}");
        Ok(Self { child, output })
    }

    /// Kills it and returns the last number that it acknowledged.
    fn kill(&mut self) -> Result<Option<u64>> {
        self.child.kill()?;
        self.child.wait()?;
        let mut last = None;
        for line in self.output.by_ref().lines() {
            last = line?.parse().ok().or(last);
        }
        Ok(last)
    }
}

fn numbers(journal: &FileJournal, stream: &StreamId) -> Result<Vec<u64>> {
    let mut numbers = Vec::new();
    journal.read_blocking(stream, Head::START, &mut |entry| {
        numbers.extend(number_of(&entry.record()?.events));
        Ok(())
    })?;
    Ok(numbers)
}
