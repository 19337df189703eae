//! A task's folder: its views on disk, and what people did to them.
//!
//! Views are written after every record. Before anybody acts on a task its folder is looked
//! at: a view that is not what the journal says is kept aside and told of, never believed. A
//! view may be old, because a process died before it could write it; that is found out by
//! rendering it again at the record its footer names. What another renderer made cannot be
//! rendered again: there its own digest says whether it was edited.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Mutex;

use sealwright_kernel::task::{Notice, Task};
use sealwright_kernel::{Digest, Seq, TaskId};
use sealwright_store::disk::{Disk as _, RealDisk};
use sealwright_store::{BlobRef, Blobs, FileJournal, Head, JournalError};

use crate::TaskError;
use sealwright_host::Observer;
use sealwright_views::{self as views, View, ViewSource};

/// The folder of one task.
#[derive(Debug)]
pub struct TaskFolder {
    journal: FileJournal,
    disk: RealDisk,
    task: TaskId,
    told: Mutex<FolderState>,
}

/// What is known of the stream, up to a record.
#[derive(Debug)]
struct FolderState {
    source: ViewSource,
    /// Why views could not be written the last time, if they could not.
    failed: Option<String>,
    /// Each view as it was last written, or found to be one of ours.
    written: BTreeMap<String, Digest>,
    /// What was kept aside.
    kept: BTreeSet<Digest>,
    paused: bool,
}

/// While this is held, records are made and no view is written.
#[derive(Debug)]
pub struct Pause<'a> {
    folder: &'a TaskFolder,
}

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        self.folder.told(|told| told.paused = false);
    }
}

impl TaskFolder {
    /// The folder of `task` in the repository of `journal`.
    pub fn new(journal: &FileJournal, task: &TaskId) -> Self {
        let disk = RealDisk::new(journal.layout().root());
        let told = Mutex::new(FolderState::start());
        Self { journal: journal.clone(), disk, task: task.clone(), told }
    }

    /// Where the task's own text stands.
    pub fn text_path(&self) -> PathBuf {
        self.journal.layout().task(&self.task).join("TASK.md")
    }

    /// The task's text as it stands on disk, if it is there.
    pub fn text(&self) -> Result<Option<Vec<u8>>, TaskError> {
        match self.disk.read(&self.text_path(), TEXT_BYTES_MAX) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(TaskError::io("read", &self.text_path(), source)),
        }
    }

    /// Writes the task's text, if it is not there.
    pub fn write_text(&self, text: &[u8]) -> Result<(), TaskError> {
        let path = self.text_path();
        if self.text()?.is_some() {
            return Ok(());
        }
        let written = self.disk.replace(&path, text);
        written.map_err(|source| TaskError::io("write", &path, source))
    }

    /// Brings the views up to date. A view whose text did not change is left as it is: its footer names the record it
    /// was rendered at. A file that is not known to be a view of ours is kept aside first: a person may have written
    /// into it since the folder was looked at.
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
                    self.told(|told| told.written.insert(view.name, Digest::of(&found)));
                    continue;
                }
                if !is_ours {
                    self.put_aside(&view.name, &found)?;
                }
            }
            let written = self.disk.replace(&path, view.content.as_bytes());
            written.map_err(|source| TaskError::io("write", &path, source))?;
            let digest = Digest::of(view.content.as_bytes());
            self.told(|told| told.written.insert(view.name, digest));
        }
        Ok(())
    }

    /// Lets nothing be written by the way until what this gives is dropped.
    pub fn pause(&self) -> Pause<'_> {
        self.told(|told| told.paused = true);
        Pause { folder: self }
    }

    /// Writes the text of `task` again from the store, if it is gone.
    pub fn restore_text(&self, task: &Task) -> Result<(), TaskError> {
        let Some(known) = task.known() else { return Ok(()) };
        match (self.text()?, self.stored(&known.charter.text)) {
            (None, Some(text)) => self.write_text(&text),
            (_, _) => Ok(()),
        }
    }

    /// Whether it is what this folder wrote last, or had kept aside already.
    fn is_ours(&self, name: &str, found: &[u8]) -> bool {
        let digest = Digest::of(found);
        self.told(|told| told.written.get(name) == Some(&digest) || told.kept.contains(&digest))
    }

    /// Why views could not be written the last time, if they could not.
    pub fn failed(&self) -> Option<String> {
        self.told(|told| told.failed.take())
    }

    /// What people did to the folder since it was written. Edited files are kept aside.
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

    /// The views somebody wrote into, as they should be and as they are found.
    fn written_into(&self) -> Result<Vec<(View, Vec<u8>)>, TaskError> {
        self.catch_up()?;
        let mut edited = Vec::new();
        for view in self.rendered() {
            let path = self.path(&view);
            let found = match self.disk.read(&path, VIEW_BYTES_MAX) {
                Ok(found) => found,
                // A view that is gone is written again; nobody's words are lost by that.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(source) => return Err(TaskError::io("read", &path, source)),
            };
            if found == view.content.as_bytes() || self.is_unedited(&view.name, &found)? {
                self.told(|told| told.written.insert(view.name, Digest::of(&found)));
            } else {
                edited.push((view, found));
            }
        }
        Ok(edited)
    }

    fn look_at_text(&self, task: &Task) -> Result<Option<Notice>, TaskError> {
        let (Some(known), Some(text)) = (task.known(), self.text()?) else { return Ok(None) };
        let found = Digest::of(&text);
        Ok(match (found == known.charter.text, known.drifted) {
            (true, Some(_)) => Some(Notice::TextRestored),
            (true, None) => None,
            (false, drifted) if drifted == Some(found) => None,
            (false, _) => Some(Notice::TextDrifted { found }),
        })
    }

    /// Whether `found` is an earlier view that was not edited.
    fn is_unedited(&self, name: &str, found: &[u8]) -> Result<bool, TaskError> {
        let outputs = |digest: &Digest| self.output(digest);
        self.told(|told| told.source.is_unedited(name, found, |seq| self.at(seq), &outputs))
    }

    /// Everything as it was after record `until`.
    fn at(&self, until: Seq) -> Result<ViewSource, TaskError> {
        let mut source = ViewSource::default();
        self.journal.read_blocking(self.task.stream(), Head::START, &mut |entry| {
            if entry.head().seq <= until { source.add(entry) } else { Ok(()) }
        })?;
        Ok(source)
    }

    /// Keeps what somebody wrote, word for word.
    fn put_aside(&self, name: &str, found: &[u8]) -> Result<(), TaskError> {
        let seq = self.told(|told| told.source.head().seq);
        let folder = self.journal.layout().hand_edits(seq);
        let path = folder.join(self.task.as_str()).join(name);
        let kept = self.disk.replace(&path, found);
        kept.map_err(|source| TaskError::io("write", &path, source))?;
        self.told(|told| told.kept.insert(Digest::of(found)));
        Ok(())
    }

    fn catch_up(&self) -> Result<(), JournalError> {
        self.told(|told| {
            let since = told.source.head();
            let source = &mut told.source;
            self.journal
                .read_blocking(self.task.stream(), since, &mut |entry| source.add(entry))?;
            Ok(())
        })
    }

    fn rendered(&self) -> Vec<View> {
        let outputs = |digest: &Digest| self.output(digest);
        self.told(|told| told.source.render(&outputs))
    }

    fn output(&self, digest: &Digest) -> Option<String> {
        let found = self.stored(digest)?;
        Some(String::from_utf8_lossy(&found).into_owned())
    }

    /// What stands in the store, if it is there, is what it should be, and is not too long.
    fn stored(&self, digest: &Digest) -> Option<Vec<u8>> {
        let places = [0, u64::MAX].map(|size| self.journal.layout().blob(digest, size));
        let found = places.iter().find_map(|path| self.disk.read(path, OUTPUT_BYTES_MAX).ok())?;
        (Digest::of(&found) == *digest).then_some(found)
    }

    fn path(&self, view: &View) -> PathBuf {
        self.journal.layout().task(&self.task).join(&view.name)
    }

    fn told<T>(&self, look: impl FnOnce(&mut FolderState) -> T) -> T {
        look(&mut self.told.lock().expect("nobody panics while telling"))
    }
}

impl Observer<Task> for TaskFolder {
    /// A view that cannot be written costs nobody their work: it is written next time.
    fn recorded(&self, _task: &Task, _head: Head) {
        if self.told(|told| told.paused) {
            return;
        }
        if let Err(error) = self.write() {
            self.told(|told| told.failed = Some(error.to_string()));
        }
    }
}

impl FolderState {
    fn start() -> Self {
        Self {
            source: ViewSource::default(),
            failed: None,
            written: BTreeMap::new(),
            kept: BTreeSet::new(),
            paused: false,
        }
    }
}

const TEXT_BYTES_MAX: u64 = 1024 * 1024;
const VIEW_BYTES_MAX: u64 = 64 * 1024 * 1024;
const OUTPUT_BYTES_MAX: u64 = 1024 * 1024;
