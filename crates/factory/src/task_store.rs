//! The storage a performer needs: a journal, blobs, the views of tasks, and the project's spending.
//!
//! [`LocalTaskStore`] stores the tasks of a repository on this machine. A fleet brings its own.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use sealwright_kernel::task::{Phase, Status};
use sealwright_kernel::{Cost, TaskId, Timestamp};
use sealwright_store::attest::keys::Keys;
use sealwright_store::attest::{PrivateKeys, task_statements};
use sealwright_store::{Blobs, FileJournal, Head, Journal, ProofFile};
use serde::{Deserialize, Serialize};

use crate::project::{ProjectError, ProjectStream};
use crate::tasks::Tasks;
use crate::{TaskError, TaskFolder};

pub trait TaskStore: Send + Sync + 'static {
    type Journal: Journal;

    fn journal(&self) -> &Self::Journal;

    fn blobs(&self) -> &Blobs;

    /// Brings the views of `task` up to date.
    fn write_views(&self, task: &TaskId) -> Result<(), TaskError>;

    /// What travels with the commit of `task`, so that a clone can be verified: its records up to `head`, and what they
    /// name. `None` if that is too much.
    fn proof(&self, task: &TaskId, head: Head) -> Result<Option<Vec<u8>>, TaskError>;

    /// What the latest shipped tasks but `task` say later ones should know, the newest first.
    fn lessons(
        &self,
        task: &TaskId,
    ) -> impl Future<Output = Result<Vec<(TaskId, String)>, TaskError>> + Send;

    fn project_spent(&self) -> Result<Cost, TaskError>;

    /// Tells the project how `task` stands, and what a person decided about it.
    fn tell_project(
        &self,
        task: &TaskId,
        news: (u32, Status, Option<Phase>),
    ) -> impl Future<Output = Result<(), ProjectError>> + Send;

    /// Notes the total cost of `task` after one of its receipts is durable.
    fn spent(&self, task: &TaskId, total: Cost);
}

/// The tasks of one repository on this machine.
///
/// The project's cost is summed once from the index of all tasks. From then on it is a running total: every process
/// appends the new total of a task to a ledger in the state folder and reads what others appended. The ledger is a
/// cache: totals never decrease, so reading a line twice changes nothing, and without the file the sum is made again.
#[derive(Debug)]
pub struct LocalTaskStore {
    journal: FileJournal,
    blobs: Blobs,
    ledger: PathBuf,
    totals: Mutex<Option<Totals>>,
    keys: Option<PrivateKeys>,
}

#[derive(Debug, Default)]
struct Totals {
    tasks: BTreeMap<TaskId, Cost>,
    sum: Cost,
    /// How many bytes of the ledger are in the sum.
    read: u64,
}

#[derive(Serialize, Deserialize)]
struct Line {
    task: TaskId,
    total: Cost,
}

impl LocalTaskStore {
    /// `state` is the folder for Sealwright's own files about this repository.
    pub fn open(journal: FileJournal, state: &Path) -> Result<Self, TaskError> {
        let blobs = Blobs::local(journal.layout())?;
        let (ledger, totals) = (state.join("spending.jsonl"), Mutex::default());
        Ok(Self { journal, blobs, ledger, totals, keys: None })
    }

    /// Signs what travels with a commit, if the repository has the key of this installation.
    #[must_use]
    pub fn signing_with(self, keys: PrivateKeys) -> Self {
        Self { keys: Some(keys), ..self }
    }

    fn summed(&self) -> Result<Totals, TaskError> {
        let mut totals = Totals { read: self.ledger_length(), ..Totals::default() };
        let index = Tasks::of(&self.journal).index()?;
        for summary in index.streams() {
            let task = TaskId::new(summary.stream.as_str());
            if let (Ok(task), Some(glance)) = (task, &summary.glance) {
                totals.set(task, glance.spent);
            }
        }
        Ok(totals)
    }

    /// The length of the ledger. A ledger that is too long is removed; other processes notice and sum again.
    fn ledger_length(&self) -> u64 {
        let length = std::fs::metadata(&self.ledger).map_or(0, |it| it.len());
        if length > LEDGER_BYTES_MAX && std::fs::remove_file(&self.ledger).is_ok() {
            return 0;
        }
        length
    }

    /// What was appended after `read` bytes. `None` if the ledger was restarted since.
    fn appended(&self, read: u64) -> io::Result<Option<String>> {
        let mut file = match File::open(&self.ledger) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound && read == 0 => {
                return Ok(Some(String::new()));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if file.metadata()?.len() < read {
            return Ok(None);
        }
        file.seek(SeekFrom::Start(read))?;
        let mut text = String::new();
        file.take(LEDGER_BYTES_MAX * 2).read_to_string(&mut text)?;
        Ok(Some(text))
    }
}

impl TaskStore for LocalTaskStore {
    type Journal = FileJournal;

    fn journal(&self) -> &FileJournal {
        &self.journal
    }

    fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    fn write_views(&self, task: &TaskId) -> Result<(), TaskError> {
        TaskFolder::new(&self.journal, task).write()
    }

    fn proof(&self, task: &TaskId, head: Head) -> Result<Option<Vec<u8>>, TaskError> {
        if let Some(keys) = &self.keys
            && let Ok(key) = Keys::of(&self.journal, keys.clone()).signing()
        {
            task_statements::attest(&self.journal, task, &key)
                .map_err(|source| TaskError::Proof(source.to_string()))?;
        }
        let proof = ProofFile::of(&self.journal, task, head)
            .map_err(|source| TaskError::Proof(source.to_string()))?;
        Ok(proof.map(|proof| proof.to_bytes()))
    }

    async fn lessons(&self, task: &TaskId) -> Result<Vec<(TaskId, String)>, TaskError> {
        let tasks = Tasks::of(&self.journal);
        let mut shipped: Vec<(Timestamp, TaskId)> = Vec::new();
        for summary in tasks.index()?.streams() {
            let id = TaskId::new(summary.stream.as_str()).ok().filter(|id| id != task);
            let glance = summary.glance.as_ref().filter(|it| it.status == Status::Shipped);
            shipped.extend(glance.and_then(|glance| Some((glance.at, id?))));
        }
        shipped.sort_by(|(a, first), (b, second)| (b, second).cmp(&(a, first)));
        let mut lessons = Vec::new();
        for (_, id) in shipped.into_iter().take(TEACHING_TASKS_MAX) {
            // A damaged journal of another task is found by `verify`.
            let Ok(look) = tasks.look(&id).await else { continue };
            let told = look.machine.data().map(|data| data.lessons.clone()).unwrap_or_default();
            lessons.extend(told.into_iter().map(|lesson| (id.clone(), lesson)));
        }
        lessons.truncate(LESSONS_MAX);
        Ok(lessons)
    }

    fn project_spent(&self) -> Result<Cost, TaskError> {
        let mut kept = self.totals.lock().expect("no panic while the lock is held");
        let mut totals = match kept.take() {
            Some(totals) => totals,
            None => self.summed()?,
        };
        let unreadable =
            |source| TaskError::Io { what: "read the spending ledger".to_owned(), source };
        match self.appended(totals.read).map_err(unreadable)? {
            Some(text) => totals.add(&text),
            None => totals = self.summed()?,
        }
        Ok(kept.insert(totals).sum)
    }

    async fn tell_project(
        &self,
        task: &TaskId,
        news: (u32, Status, Option<Phase>),
    ) -> Result<(), ProjectError> {
        let project = ProjectStream::of(&self.journal);
        project.hear(task, news).await?;
        match Tasks::of(&self.journal).look(task).await?.machine.data() {
            Some(data) => project.follow(data).await,
            None => Ok(()),
        }
    }

    fn spent(&self, task: &TaskId, total: Cost) {
        let line = Line { task: task.clone(), total };
        // The journal has the receipt. If the line cannot be written, other processes miss it until they sum again;
        // this process counts it anyway.
        if let Ok(mut text) = serde_json::to_string(&line) {
            text.push('\n');
            let file = OpenOptions::new().append(true).create(true).open(&self.ledger);
            let _ = file.and_then(|mut file| file.write_all(text.as_bytes()));
        }
        let mut kept = self.totals.lock().expect("no panic while the lock is held");
        if let Some(totals) = kept.as_mut() {
            totals.set(task.clone(), total);
        }
    }
}

impl Totals {
    /// Takes complete lines. An incomplete last line is read next time.
    fn add(&mut self, text: &str) {
        let Some(end) = text.rfind('\n') else { return };
        let complete = &text[..=end];
        self.read += complete.len() as u64;
        for line in complete.lines() {
            if let Ok(Line { task, total }) = serde_json::from_str(line) {
                self.set(task, total);
            }
        }
    }

    fn set(&mut self, task: TaskId, total: Cost) {
        let kept = self.tasks.entry(task).or_default();
        let grown = Cost {
            millis: kept.millis.max(total.millis),
            tokens: kept.tokens.max(total.tokens),
            micro_dollars: kept.micro_dollars.max(total.micro_dollars),
        };
        let more = Cost {
            millis: grown.millis - kept.millis,
            tokens: grown.tokens - kept.tokens,
            micro_dollars: grown.micro_dollars - kept.micro_dollars,
        };
        *kept = grown;
        self.sum = self.sum.plus(more);
    }
}

/// Older tasks teach nothing: a brief is read with every call.
const TEACHING_TASKS_MAX: usize = 8;
const LESSONS_MAX: usize = 12;
/// A longer ledger is restarted.
const LEDGER_BYTES_MAX: u64 = 1 << 20;

#[cfg(test)]
mod tests;
