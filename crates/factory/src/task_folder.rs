//! A task's folder: its views on disk, and edits people made to them.
//!
//! Views are written after every record. Before a command acts on a task, it compares the folder with the journal: an
//! edited view is saved and reported, and never becomes state. A view may be old because a process died before writing
//! it; the folder finds that out by rendering the view again at the record its footer names. A view of another renderer
//! version cannot be rendered again; its own digest shows whether it was edited.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Mutex;

use sealwright_kernel::task::{Notice, Task};
use sealwright_kernel::{Digest, Seq, TaskId};
use sealwright_store::disk::{Disk as _, RealDisk};
use sealwright_store::{
    BlobRef, Blobs, FileJournal, Head, JournalError, read_blob, read_blob_text,
};

use crate::{TaskError, escalations};
use sealwright_host::Observer;
use sealwright_views::{
    self as views, OUTPUT_BYTES_MAX, TEXT_BYTES_MAX, VIEW_BYTES_MAX, View, ViewSource,
};

#[derive(Debug)]
pub struct TaskFolder {
    journal: FileJournal,
    disk: RealDisk,
    task: TaskId,
    state: Mutex<FolderState>,
}

#[derive(Debug, Default)]
struct FolderState {
    source: ViewSource,
    /// Why views could not be written the last time, if so.
    failed: Option<String>,
    /// The digest of each view as last written, or found to be unedited.
    written: BTreeMap<String, Digest>,
    /// The digests of edited views that were saved.
    kept: BTreeSet<Digest>,
    /// How many halts and resolutions have their files.
    told_halts: usize,
    paused: bool,
}

/// While this is held, records are made but no view is written.
#[derive(Debug)]
pub struct Pause<'a> {
    folder: &'a TaskFolder,
}

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        self.folder.with_state(|state| state.paused = false);
    }
}

impl TaskFolder {
    pub fn new(journal: &FileJournal, task: &TaskId) -> Self {
        let disk = RealDisk::new(journal.layout().root());
        let state = Mutex::default();
        Self { journal: journal.clone(), disk, task: task.clone(), state }
    }

    pub fn text_path(&self) -> PathBuf {
        self.journal.layout().task(&self.task).join("TASK.md")
    }

    /// `TASK.md` as it is on disk, if it exists.
    pub fn text(&self) -> Result<Option<Vec<u8>>, TaskError> {
        let path = self.text_path();
        let found = self.disk.read_if_there(&path, TEXT_BYTES_MAX);
        found.map_err(|source| TaskError::io("read", &path, source))
    }

    /// Writes `TASK.md` if it does not exist.
    pub fn write_text(&self, text: &[u8]) -> Result<(), TaskError> {
        if self.text()?.is_some() { Ok(()) } else { self.replace_text(text) }
    }

    pub(crate) fn replace_text(&self, text: &[u8]) -> Result<(), TaskError> {
        let path = self.text_path();
        let written = self.disk.replace(&path, text);
        written.map_err(|source| TaskError::io("write", &path, source))
    }

    /// Brings the views up to date. A view whose text did not change keeps its file: the footer names the record it was
    /// rendered at. A file that is not a known view is saved first, because a person may have edited it since the last
    /// comparison.
    pub fn write(&self) -> Result<(), TaskError> {
        self.catch_up()?;
        for view in self.rendered() {
            let path = self.path(&view);
            let found = self.disk.read(&path, VIEW_BYTES_MAX).ok();
            if found.as_deref() == Some(view.content.as_bytes()) {
                continue;
            }
            if let Some(found) = found {
                let is_ours =
                    self.is_ours(&view.name, &found) || self.is_unedited(&view.name, &found)?;
                if is_ours && views::says_the_same(&found, &view.content) {
                    self.with_state(|state| state.written.insert(view.name, Digest::of(&found)));
                    continue;
                }
                if !is_ours {
                    self.put_aside(&view.name, &found)?;
                }
            }
            let written = self.disk.replace(&path, view.content.as_bytes());
            written.map_err(|source| TaskError::io("write", &path, source))?;
            let digest = Digest::of(view.content.as_bytes());
            self.with_state(|state| state.written.insert(view.name, digest));
        }
        self.write_escalations()
    }

    /// The files of halts, if there is one more or another was resolved.
    fn write_escalations(&self) -> Result<(), TaskError> {
        let (halts, told, belongs) = self.with_state(|state| {
            let belongs = state.source.task.data().map(|it| it.charter.belongs);
            (state.source.halts().clone(), state.told_halts, belongs.unwrap_or_default())
        });
        if halts.count() > told && escalations::write(&self.journal, &self.task, &halts, belongs)? {
            self.with_state(|state| state.told_halts = halts.count());
        }
        Ok(())
    }

    /// Suspends writing of views until the guard is dropped.
    pub fn pause(&self) -> Pause<'_> {
        self.with_state(|state| state.paused = true);
        Pause { folder: self }
    }

    /// Restores `TASK.md` from the store if it is missing.
    pub fn restore_text(&self, task: &Task) -> Result<(), TaskError> {
        let Some(data) = task.data() else { return Ok(()) };
        match (self.text()?, self.stored(&data.charter.text)) {
            (None, Some(text)) => self.write_text(&text),
            (_, _) => Ok(()),
        }
    }

    /// Whether the file is the view last written here, or is saved already.
    fn is_ours(&self, name: &str, found: &[u8]) -> bool {
        let digest = Digest::of(found);
        self.with_state(|state| {
            state.written.get(name) == Some(&digest) || state.kept.contains(&digest)
        })
    }

    /// Takes the reason why views could not be written the last time, if so.
    pub fn failed(&self) -> Option<String> {
        self.with_state(|state| state.failed.take())
    }

    /// Finds edits of views and of `TASK.md`. Edited views are saved.
    pub async fn look(
        &self,
        task: &Task,
        blobs: &Blobs,
    ) -> Result<Vec<(Notice, Option<BlobRef>)>, TaskError> {
        let mut notices = Vec::new();
        for (view, found) in self.written_into()? {
            self.put_aside(&view.name, &found)?;
            let blob = blobs.put(found.clone()).await?;
            let (found, kept) = (String::from_utf8_lossy(&found), blob.sha256);
            let notice = match view.name.strip_prefix("context/") {
                Some(snapshot) => Notice::SnapshotTampered { snapshot: snapshot.to_owned(), kept },
                None => {
                    let views::Edits { notes, ignored } = views::edits(&view.content, &found);
                    Notice::ViewEdited { view: view.name, kept, notes, ignored }
                }
            };
            notices.push((notice, Some(blob)));
        }
        notices.extend(self.look_at_text(task)?.map(|notice| (notice, None)));
        Ok(notices)
    }

    /// The edited views: as rendered, and as found.
    fn written_into(&self) -> Result<Vec<(View, Vec<u8>)>, TaskError> {
        self.catch_up()?;
        let mut edited = Vec::new();
        for view in self.rendered() {
            let path = self.path(&view);
            let found = self.disk.read_if_there(&path, VIEW_BYTES_MAX);
            // A missing view is written again; that loses no edits.
            let Some(found) = found.map_err(|source| TaskError::io("read", &path, source))? else {
                continue;
            };
            if found == view.content.as_bytes() || self.is_unedited(&view.name, &found)? {
                self.with_state(|state| state.written.insert(view.name, Digest::of(&found)));
            } else {
                edited.push((view, found));
            }
        }
        Ok(edited)
    }

    fn look_at_text(&self, task: &Task) -> Result<Option<Notice>, TaskError> {
        let (Some(data), Some(text)) = (task.data(), self.text()?) else { return Ok(None) };
        let found = Digest::of(&text);
        Ok(match (found == data.charter.text, data.drifted) {
            (true, Some(_)) => Some(Notice::TextRestored),
            (true, None) => None,
            (false, drifted) if drifted == Some(found) => None,
            (false, _) => Some(Notice::TextDrifted { found }),
        })
    }

    /// Whether `found` is an older view that was not edited.
    fn is_unedited(&self, name: &str, found: &[u8]) -> Result<bool, TaskError> {
        let outputs = |digest: &Digest| self.output(digest);
        self.with_state(|state| state.source.is_unedited(name, found, |seq| self.at(seq), &outputs))
    }

    /// The view source after record `until`.
    fn at(&self, until: Seq) -> Result<ViewSource, TaskError> {
        let mut source = ViewSource::default();
        self.journal.read_blocking(self.task.stream(), Head::START, &mut |entry| {
            if entry.head().seq <= until { source.add(entry) } else { Ok(()) }
        })?;
        Ok(source)
    }

    fn put_aside(&self, name: &str, found: &[u8]) -> Result<(), TaskError> {
        let seq = self.with_state(|state| state.source.head().seq);
        let folder = self.journal.layout().hand_edits(seq);
        let path = folder.join(self.task.as_str()).join(name);
        let kept = self.disk.replace(&path, found);
        kept.map_err(|source| TaskError::io("write", &path, source))?;
        self.with_state(|state| state.kept.insert(Digest::of(found)));
        Ok(())
    }

    fn catch_up(&self) -> Result<(), JournalError> {
        self.with_state(|state| {
            let since = state.source.head();
            let source = &mut state.source;
            self.journal
                .read_blocking(self.task.stream(), since, &mut |entry| source.add(entry))?;
            Ok(())
        })
    }

    fn rendered(&self) -> Vec<View> {
        let outputs = |digest: &Digest| self.output(digest);
        self.with_state(|state| state.source.render(&outputs))
    }

    fn output(&self, digest: &Digest) -> Option<String> {
        read_blob_text(self.journal.layout(), digest, OUTPUT_BYTES_MAX)
    }

    /// The blob, if it is in the store, intact and not too long.
    fn stored(&self, digest: &Digest) -> Option<Vec<u8>> {
        read_blob(self.journal.layout(), digest, OUTPUT_BYTES_MAX)
    }

    fn path(&self, view: &View) -> PathBuf {
        self.journal.layout().task(&self.task).join(&view.name)
    }

    fn with_state<T>(&self, look: impl FnOnce(&mut FolderState) -> T) -> T {
        look(&mut self.state.lock().expect("no panic while the lock is held"))
    }
}

impl Observer<Task> for TaskFolder {
    /// A view that cannot be written does not stop the task; it is written after the next record.
    fn recorded(&self, _task: &Task, _head: Head) {
        if self.with_state(|state| state.paused) {
            return;
        }
        if let Err(error) = self.write() {
            self.with_state(|state| state.failed = Some(error.to_string()));
        }
    }
}
