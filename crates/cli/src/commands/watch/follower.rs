//! The follower: reads the streams and transcripts that another process writes, and writes nothing.
//!
//! A task in the list is read again when the length or time of its last segment changes; the selected task is read on from
//! its last record. While a process writes, only records that the writer marked as durable are shown. A stream or file
//! that is missing, incomplete or damaged is shown as such and read again in the next sweep.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use sealwright_kernel::task::Event;
use sealwright_kernel::{Machine as _, StreamId, TaskId};
use sealwright_store::disk::{Disk as _, DiskFile as _, Look};
use sealwright_store::{Entry, FileJournal, Head, JournalError};
use sealwright_views::watch::{Call, Folded, RowState, Screenful, TaskDetail, TaskLine, in_order};
use sealwright_views::wire::WriterPlace;

use crate::commands::login;

use super::transcript::{self, BEGINNING_BYTES_MAX, END_BYTES_MAX, End};
use super::writer::writer_of;

pub(crate) struct Follower {
    root: PathBuf,
    /// Device and inode of the folder.
    place: Option<(u64, u64)>,
    journal: FileJournal,
    /// The stamp of the journal folder when it was last listed.
    listed: Option<Stamp>,
    streams: BTreeMap<TaskId, Stream>,
    showing: Option<Showing>,
    sweeps: u32,
    /// The last sweep did not get to every stream.
    is_behind: bool,
    sight: Screenful,
}

/// Whether the screen has to be drawn again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    Same,
    Changed,
}

/// How much one sweep reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reads {
    /// A few streams, to keep the keys responsive.
    Few,
    All,
}

/// Length and modification time of a file.
type Stamp = (u64, u128);

struct Stream {
    watched: Watched,
    told: RowState,
    is_over: bool,
}

/// The last segment of a stream, as last seen.
#[derive(Default)]
struct Watched {
    segment: Option<PathBuf>,
    stamp: Option<Stamp>,
    is_known: bool,
    again: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    /// Unchanged.
    Not,
    /// Unchanged, but records may have become durable.
    Again,
    /// Changed.
    New,
}

struct Read {
    told: RowState,
    is_over: bool,
    writer: WriterPlace,
}

struct Showing {
    task: TaskId,
    watched: Watched,
    head: Head,
    folded: Folded,
    files: BTreeMap<String, (Stamp, Call)>,
    writer: WriterPlace,
}

impl Follower {
    pub(crate) fn at(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            place: None,
            journal: FileJournal::at(root),
            listed: None,
            streams: BTreeMap::new(),
            showing: None,
            sweeps: 0,
            is_behind: true,
            sight: Screenful::default(),
        }
    }

    pub(crate) fn sight(&self) -> &Screenful {
        &self.sight
    }

    pub(crate) fn shows(&self) -> Option<&TaskId> {
        self.showing.as_ref().map(|showing| &showing.task)
    }

    pub(crate) fn is_behind(&self) -> bool {
        self.is_behind
    }

    pub(crate) fn sweep(&mut self, reads: Reads) -> News {
        self.sweeps = self.sweeps.wrapping_add(1);
        let mut news = self.settle();
        let trouble = match self.list() {
            Ok(listed) => {
                news = news.and(listed);
                let gone = || "`.sealwright` was removed".to_owned();
                self.place.is_none().then(gone)
            }
            Err(error) => Some(error.to_string()),
        };
        if trouble != self.sight.trouble {
            (self.sight.trouble, news) = (trouble, News::Changed);
        }
        let windows = login::window_lines();
        if windows != self.sight.windows {
            (self.sight.windows, news) = (windows, News::Changed);
        }
        news = news.and(self.read(reads));
        if news == News::Changed {
            let seen = self.streams.iter();
            let seen =
                seen.map(|(task, it)| TaskLine { task: task.clone(), told: it.told.clone() });
            self.sight.tasks = seen.collect();
            in_order(&mut self.sight.tasks);
        }
        news
    }

    pub(crate) fn show(&mut self, task: Option<&TaskId>) -> News {
        if self.shows() != task {
            self.showing = task.map(Showing::of);
        }
        let shown = self.showing.as_mut().and_then(|showing| showing.look(&self.journal));
        if shown.as_ref() == self.sight.shown.as_deref() {
            return News::Same;
        }
        self.sight.shown = shown.map(Box::new);
        News::Changed
    }

    /// Starts again if the folder was replaced.
    fn settle(&mut self) -> News {
        let place = std::fs::metadata(&self.root).ok().map(|it| (it.dev(), it.ino()));
        if place == self.place {
            return News::Same;
        }
        let root = self.root.clone();
        *self = Self {
            place,
            sweeps: self.sweeps,
            sight: std::mem::take(&mut self.sight),
            ..Self::at(&root)
        };
        News::Changed
    }

    /// Lists the tasks, if the journal folder changed.
    fn list(&mut self) -> Result<News, JournalError> {
        let folder = self.journal.layout().journal();
        let stamp = self.journal.disk().stat(&folder).ok();
        if stamp.is_some() && stamp == self.listed && !self.sweeps.is_multiple_of(THOROUGH_EVERY) {
            return Ok(News::Same);
        }
        let streams = self.journal.streams_blocking()?;
        self.listed = stamp;
        let tasks: Vec<TaskId> =
            streams.iter().filter_map(|stream| TaskId::new(stream.as_str()).ok()).collect();
        let before = self.streams.len();
        self.streams.retain(|task, _| tasks.binary_search(task).is_ok());
        let mut news = if self.streams.len() == before { News::Same } else { News::Changed };
        for task in tasks {
            self.streams.entry(task).or_insert_with(|| {
                news = News::Changed;
                Stream { watched: Watched::default(), told: RowState::Unread, is_over: false }
            });
        }
        Ok(news)
    }

    fn read(&mut self, reads: Reads) -> News {
        let mut left = match reads {
            Reads::Few => FEW,
            Reads::All => usize::MAX,
        };
        self.is_behind = false;
        // An ended stream changes only if its files are replaced.
        let is_thorough = self.sweeps.is_multiple_of(THOROUGH_EVERY);
        let mut news = News::Same;
        let look = self.journal.disk().looker();
        for (task, stream) in &mut self.streams {
            if left == 0 {
                self.is_behind = true;
                break;
            }
            if stream.is_over && !is_thorough {
                continue;
            }
            let due = stream.watched.due(&self.journal, task.stream(), &look);
            if due == Due::Not {
                continue;
            }
            left -= 1;
            let Read { told, is_over, writer } = read(&self.journal, task);
            stream.watched.was_read(due, writer);
            stream.is_over = is_over;
            if told != stream.told {
                (stream.told, news) = (told, News::Changed);
            }
        }
        news
    }
}

impl News {
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Same, Self::Same) => Self::Same,
            (Self::Changed, _) | (_, Self::Changed) => Self::Changed,
        }
    }
}

impl Watched {
    fn due(&mut self, journal: &FileJournal, stream: &StreamId, look: &Look<'_>) -> Due {
        let stat = |path: &PathBuf| look(path).ok();
        let mut found = self.segment.as_ref().and_then(stat);
        // A long or missing segment may have a successor.
        if found.is_none_or(|(bytes, _)| bytes >= LONG_BYTES) {
            let folder = journal.layout().stream(stream);
            let names = journal.disk().names(&folder).unwrap_or_default();
            self.segment = names.last().map(|name| folder.join(name));
            found = self.segment.as_ref().and_then(stat);
        }
        let is_new = !self.is_known || found != self.stamp;
        (self.stamp, self.is_known) = (found, true);
        match (is_new, self.again) {
            (true, _) => Due::New,
            (false, true) => Due::Again,
            (false, false) => Due::Not,
        }
    }

    /// While a process writes, a record appears before it is durable, and the stamp does not show when it becomes so.
    fn was_read(&mut self, due: Due, writer: WriterPlace) {
        self.again = due == Due::New && writer == WriterPlace::Here;
    }
}

impl Showing {
    fn of(task: &TaskId) -> Self {
        Self {
            task: task.clone(),
            watched: Watched::default(),
            head: Head::START,
            folded: Folded::default(),
            files: BTreeMap::new(),
            writer: WriterPlace::Unknown,
        }
    }

    fn look(&mut self, journal: &FileJournal) -> Option<TaskDetail> {
        let stream = self.task.stream();
        self.writer = writer_of(journal, stream);
        let due = self.watched.due(journal, stream, &journal.disk().looker());
        if due != Due::Not {
            self.watched.was_read(due, self.writer);
            if self.read_on(journal).is_err() {
                // The stream was replaced: read it from its first record.
                (self.head, self.folded) = (Head::START, Folded::default());
                // Show the records before the damage.
                let _ = self.read_on(journal);
            }
        }
        self.transcripts(journal);
        let calls: Vec<Call> = {
            let mut calls: Vec<&Call> = self.files.values().map(|(_, call)| call).collect();
            calls.sort_by_key(|call| call.number);
            calls.into_iter().cloned().collect()
        };
        TaskDetail::of(&self.folded, &calls, self.writer)
    }

    fn read_on(&mut self, journal: &FileJournal) -> Result<(), JournalError> {
        let (folded, head) = (&mut self.folded, &mut self.head);
        catch_up(journal, self.task.stream(), *head, self.writer, &mut |entry| {
            folded.take(entry.at()?, &entry.events::<Event>()?);
            *head = entry.head();
            Ok(())
        })
    }

    /// Reads the transcripts that changed; ended ones do not.
    fn transcripts(&mut self, journal: &FileJournal) {
        let folder = journal.layout().root().join("work").join(self.task.as_str());
        let disk = journal.disk();
        let names = disk.names(&folder).unwrap_or_default();
        let mut found: Vec<(u32, &str, &String)> = names
            .iter()
            .filter_map(|name| transcript::named(name).map(|(number, part)| (number, part, name)))
            .collect();
        found.sort_unstable();
        let found = &found[found.len().saturating_sub(CALLS_MAX)..];
        self.files.retain(|name, _| names.binary_search(name).is_ok());
        let last = found.last().map(|(number, _, _)| *number);
        for (number, part, name) in found {
            let known = self.files.get(*name);
            if known.is_some_and(|(_, call)| call.ended.is_some()) && Some(*number) != last {
                continue;
            }
            let path = folder.join(name);
            let Ok(stamp) = disk.stat(&path) else { continue };
            if known.is_some_and(|(before, _)| *before == stamp) {
                continue;
            }
            let Some(mut call) = read_call(journal, &path, *number, part) else { continue };
            if Some(*number) != last && call.ended.is_some() {
                // Only running calls and the last one are shown.
                call.tail = vec![];
            }
            self.files.insert((*name).clone(), (stamp, call));
        }
    }
}

fn read(journal: &FileJournal, task: &TaskId) -> Read {
    let mut folded = Folded::default();
    let (stream, writer) = (task.stream(), writer_of(journal, task.stream()));
    let read = catch_up(journal, stream, Head::START, writer, &mut |entry| {
        folded.take(entry.at()?, &entry.events::<Event>()?);
        Ok(())
    });
    let (told, is_over) = match (read, folded.row()) {
        (Ok(()), Some(row)) => (RowState::Row(row), folded.task.is_over()),
        (Ok(()), None) => (RowState::Nothing, false),
        (Err(_), _) => (RowState::Damaged, false),
    };
    Read { told, is_over, writer }
}

/// Reads the records after `since`.
fn catch_up(
    journal: &FileJournal,
    stream: &StreamId,
    since: Head,
    writer: WriterPlace,
    each: &mut (dyn FnMut(&Entry<'_>) -> Result<(), JournalError> + Send),
) -> Result<(), JournalError> {
    match writer {
        // Records behind the writer's mark may be incomplete.
        WriterPlace::Here => journal.follow(stream, since).catch_up(each).map(|_| ()),
        // Without a writer the mark may be older than the stream, for example after `git pull`.
        WriterPlace::Nobody | WriterPlace::Unknown => {
            journal.read_blocking(stream, since, each).map(|_| ())
        }
    }
}

fn read_call(journal: &FileJournal, path: &Path, number: u32, part: &str) -> Option<Call> {
    let file = journal.disk().open(path).ok()?;
    let size = file.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
    let mut end = vec![0; END_BYTES_MAX];
    let from = size.saturating_sub(END_BYTES_MAX as u64);
    let count = file.read_at(from, &mut end).ok()?;
    end.truncate(count);
    if from == 0 {
        return Some(transcript::read(number, part, &end, End::Whole(&end)));
    }
    let mut beginning = vec![0; BEGINNING_BYTES_MAX];
    let count = file.read_at(0, &mut beginning).ok()?;
    beginning.truncate(count);
    Some(transcript::read(number, part, &beginning, End::Part(&end)))
}

/// Streams per sweep before keys are read again.
const FEW: usize = 32;
/// Every so many sweeps all streams are checked.
const THOROUGH_EVERY: u32 = 16;
/// A longer segment may have a successor.
const LONG_BYTES: u64 = 2 * 1024 * 1024;
const CALLS_MAX: usize = 2_000;

#[cfg(test)]
mod tests;
