//! Compares the files of a task that people read with its records.

use std::io;

use sealwright_kernel::task::Task;
use sealwright_kernel::{Digest, Seq, TaskId};
use sealwright_store::disk::{Disk as _, RealDisk};
use sealwright_store::{FileJournal, Head, JournalError, read_blob_text};
use sealwright_views::{OUTPUT_BYTES_MAX, TEXT_BYTES_MAX, VIEW_BYTES_MAX, ViewSource};

/// `TASK.md` of a task, if it exists.
pub(super) fn text(journal: &FileJournal, task: &TaskId) -> io::Result<Option<Vec<u8>>> {
    let path = journal.layout().task(task).join("TASK.md");
    RealDisk::new(journal.layout().root()).read_if_there(&path, TEXT_BYTES_MAX)
}

/// The views, and `TASK.md`, that differ from the journal. A missing view does not count as edited.
pub(super) fn edited(
    journal: &FileJournal,
    task: &TaskId,
    state: &Task,
) -> Result<Vec<String>, PagesError> {
    let disk = RealDisk::new(journal.layout().root());
    let source = source_at(journal, task, None)?;
    let outputs = |digest: &Digest| read_blob_text(journal.layout(), digest, OUTPUT_BYTES_MAX);
    let mut edited = Vec::new();
    for view in source.render(&outputs) {
        let path = journal.layout().task(task).join(&view.name);
        let Some(found) = disk.read_if_there(&path, VIEW_BYTES_MAX)? else { continue };
        let at = |seq| source_at(journal, task, Some(seq));
        if found != view.content.as_bytes()
            && !source.is_unedited(&view.name, &found, at, &outputs)?
        {
            edited.push(view.name);
        }
    }
    let accepted = state.data().map(|data| (data.charter.text, data.drifted));
    let found = text(journal, task)?.map(|text| Digest::of(&text));
    if let (Some((accepted, drifted)), Some(found)) = (accepted, found)
        && (if found == accepted { drifted.is_some() } else { drifted != Some(found) })
    {
        edited.push("TASK.md".to_owned());
    }
    Ok(edited)
}

/// Why views cannot be compared.
#[derive(Debug, thiserror::Error)]
pub(super) enum PagesError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Io(#[from] io::Error),
}

fn source_at(
    journal: &FileJournal,
    task: &TaskId,
    until: Option<Seq>,
) -> Result<ViewSource, JournalError> {
    let mut source = ViewSource::default();
    journal.read_blocking(task.stream(), Head::START, &mut |entry| {
        if until.is_none_or(|until| entry.head().seq <= until) { source.add(entry) } else { Ok(()) }
    })?;
    Ok(source)
}
