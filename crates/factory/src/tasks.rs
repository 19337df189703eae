//! What people do with tasks: create, look, decide.

use std::collections::BTreeSet;
use std::sync::Arc;

use sealwright_kernel::owner::Header;
use sealwright_kernel::task::escalation::Resolution;
use sealwright_kernel::task::{
    Budget, Charter, Event, Freeze, Input, Membership, Notice, PersonInput, Rejected, Status, Task,
};
use sealwright_kernel::{Actor, Cost, Digest, Lane, Machine as _, StreamId, TaskId, Timestamp};
use sealwright_store::{Anchor, BlobRef, Blobs, Catalog, Condition, FileJournal, Head, Rows};

use crate::{TaskError, TaskFolder};
use sealwright_host::{
    Clock as _, Ended, Host, Limits, NoPerformer, Performer, Replayed, SystemClock, replay,
};
use sealwright_views::task_file::{self, TaskFile};
use sealwright_views::{Glance, TaskRow};

#[derive(Clone, Debug)]
pub struct Tasks {
    journal: FileJournal,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTask {
    /// A sentence, or a complete task file.
    pub said: String,
    /// The process lane, unless the task file names one.
    pub lane: Lane,
    /// Risk and autonomy, unless the task file names them.
    pub header: Header,
    pub freeze: Freeze,
    pub checks: Vec<String>,
    /// The full hash of the commit the work starts from.
    pub base: Option<String>,
    /// What roles may spend before a person is asked.
    pub budget: Option<Budget>,
}

#[derive(Debug)]
pub struct TaskUpdate {
    pub task: Task,
    pub head: Head,
    pub events: Vec<Event>,
    /// Edits found in the task's folder.
    pub notices: Vec<Notice>,
    /// The anchor of the stream, if it ended.
    pub anchor: Option<Anchor>,
    /// Why views could not be written, if so.
    pub unwritten: Option<String>,
}

impl Tasks {
    pub fn of(journal: &FileJournal) -> Self {
        Self { journal: journal.clone() }
    }

    /// Creates a task in the name of `by`.
    pub async fn create(&self, by: &Actor, new: NewTask) -> Result<TaskUpdate, TaskError> {
        if new.said.trim().is_empty() {
            return Err(TaskError::NothingSaid);
        }
        let begins = new.said.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
        let text = if begins.starts_with("---") {
            new.said.clone()
        } else {
            TaskFile::draft(&new.said, new.lane, new.header)
        };
        let file = TaskFile::parse(&text, new.lane, new.header)?;
        let id = self.mint(by, &file.title)?;
        let blob = self.blobs()?.put(text.clone().into_bytes()).await?;
        let charter = Charter {
            id: id.clone(),
            title: file.title,
            text: blob.sha256,
            criteria: file.criteria,
            lane: file.lane,
            header: file.header,
            freeze: new.freeze,
            checks: new.checks,
            belongs: Membership::Alone,
            base: new.base,
            budget: new.budget,
        };
        let input = Input::Create { by: by.clone(), charter };
        let mut update = self.put(&id, by, input, vec![blob]).await?;
        // The task exists even if its text cannot be written.
        if let Err(error) = TaskFolder::new(&self.journal, &id).write_text(text.as_bytes()) {
            update.unwritten = Some(error.to_string());
        }
        Ok(update)
    }

    /// Creates a task of the project as a person admitted it. A task that is there stays as it is.
    pub(crate) async fn admit(&self, by: &Actor, charter: Charter) -> Result<(), TaskError> {
        let id = charter.id.clone();
        let input = Input::Create { by: by.clone(), charter };
        match self.put(&id, by, input, vec![]).await {
            Ok(_) | Err(TaskError::Refused(Rejected::AlreadyCreated)) => {}
            Err(other) => return Err(other),
        }
        let task = self.look(&id).await?.machine;
        TaskFolder::new(&self.journal, &id).restore_text(&task)
    }

    /// Starts a task of the project from a commit. A task that has begun goes on as it is.
    pub(crate) async fn start(&self, task: &TaskId, commit: &str) -> Result<(), TaskError> {
        for input in [Input::Base { commit: commit.to_owned() }, Input::Dispatch] {
            match self.put(task, &Actor::Machine, input, vec![]).await {
                Ok(_) | Err(TaskError::Refused(Rejected::NotPending | Rejected::Known)) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }

    /// Records what a person says about a task.
    pub async fn say(
        &self,
        task: &TaskId,
        by: &Actor,
        says: PersonInput,
        blobs: Vec<BlobRef>,
    ) -> Result<TaskUpdate, TaskError> {
        self.exists(task)?;
        let amended = self.amended_text(task, by, &says).await?;
        let update = self.put(task, by, Input::Person { by: by.clone(), says }, blobs).await?;
        let Some(text) = amended else { return Ok(update) };
        TaskFolder::new(&self.journal, task).replace_text(text.as_bytes())?;
        let adopted = self.adopt(task, by).await?;
        let (events, notices) = (update.events, update.notices);
        Ok(TaskUpdate {
            events: events.into_iter().chain(adopted.events).collect(),
            notices: notices.into_iter().chain(adopted.notices).collect(),
            ..adopted
        })
    }

    /// `TASK.md` with the criteria that a person resolves a halt with. A file that was edited by hand and not adopted
    /// stays as it is.
    async fn amended_text(
        &self,
        task: &TaskId,
        by: &Actor,
        says: &PersonInput,
    ) -> Result<Option<String>, TaskError> {
        let PersonInput::Resolve { resolution, .. } = says else { return Ok(None) };
        let Resolution::AmendSpec { amended_acceptance_criteria, amendment_rationale } = resolution
        else {
            return Ok(None);
        };
        let looked = self.look(task).await?.machine;
        let found = TaskFolder::new(&self.journal, task).text()?;
        let (Some(data), Some(found), Actor::Human(by)) = (looked.data(), found, by) else {
            return Ok(None);
        };
        if Digest::of(&found) != data.charter.text {
            return Ok(None);
        }
        let amendment = task_file::Amendment {
            criteria: amended_acceptance_criteria,
            because: amendment_rationale,
            by,
            former: &data.charter.criteria,
            attempt: data.attempt,
        };
        let text = task_file::amended(&String::from_utf8_lossy(&found), &amendment);
        TaskFile::parse(&text, data.charter.lane, data.charter.header)?;
        Ok(Some(text))
    }

    /// Adopts `TASK.md` as it is on disk.
    pub async fn adopt(&self, task: &TaskId, by: &Actor) -> Result<TaskUpdate, TaskError> {
        self.exists(task)?;
        let folder = TaskFolder::new(&self.journal, task);
        let text = folder.text()?.ok_or_else(|| TaskError::NoText { path: folder.text_path() })?;
        let Ok(text) = String::from_utf8(text) else { return Err(TaskError::NotText) };
        let state = self.look(task).await?.machine;
        let Some(charter) = state.data().map(|data| &data.charter) else {
            return Err(TaskError::NoTask { task: task.to_string() });
        };
        let TaskFile { title, header, lane, criteria } =
            TaskFile::parse(&text, charter.lane, charter.header)?;
        let blob = self.blobs()?.put(text.into_bytes()).await?;
        let says = PersonInput::Adopt { text: blob.sha256, title, criteria, lane, header };
        self.put(task, by, Input::Person { by: by.clone(), says }, vec![blob]).await
    }

    /// Runs a task until it is over, waits for a person, or cannot continue. Edits in its folder are recorded first.
    pub async fn run<P: Performer<Task>>(
        &self,
        task: &TaskId,
        performer: Arc<P>,
        limits: Limits,
    ) -> Result<Ended, TaskError> {
        self.run_until(task, performer, limits, std::future::pending()).await
    }

    /// The same, until `stop` is ready: then the host stops, and owed effects stay owed.
    pub async fn run_until<P: Performer<Task>>(
        &self,
        task: &TaskId,
        performer: Arc<P>,
        limits: Limits,
        stop: impl Future<Output = ()>,
    ) -> Result<Ended, TaskError> {
        self.exists(task)?;
        let (mut host, folder) = self.open(task, performer, limits).await?;
        self.notice(&mut host, &folder, Adopts::No).await?;
        folder.write()?;
        let handle = host.handle();
        let run = host.run();
        tokio::pin!(run, stop);
        tokio::select! {
            ended = &mut run => Ok(ended?),
            () = &mut stop => {
                handle.stop();
                Ok(run.await?)
            }
        }
    }

    /// Compares a task's folder with the journal and records edits.
    pub async fn check(&self, task: &TaskId) -> Result<TaskUpdate, TaskError> {
        self.exists(task)?;
        let (mut host, folder) = self.open_alone(task).await?;
        let notices = self.notice(&mut host, &folder, Adopts::No).await?;
        folder.write()?;
        self.finish(host, &folder, notices, vec![]).await
    }

    /// The current state of a task. Writes nothing.
    pub async fn look(&self, task: &TaskId) -> Result<Replayed<Task>, TaskError> {
        self.exists(task)?;
        Ok(replay(&self.journal, task.stream(), None).await?)
    }

    /// The names of those that shipped or were given up.
    pub(crate) fn over(&self) -> Result<BTreeSet<String>, TaskError> {
        let index = self.index()?;
        let is_over = |it: &Glance| matches!(it.status, Status::Shipped | Status::Abandoned);
        let over = index.streams().filter(|it| it.glance.as_ref().is_some_and(is_over));
        Ok(over.map(|it| it.stream.to_string()).collect())
    }

    /// The index of all tasks, brought up to date first.
    pub fn index(&self) -> Result<Catalog<Option<Glance>>, TaskError> {
        Ok(Catalog::refresh_rows(&self.journal, &Index { journal: &self.journal })?)
    }

    /// What roles have cost in all tasks, without damaged ones.
    pub fn spent(&self) -> Result<Cost, TaskError> {
        let index = self.index()?;
        let glances = index.streams().filter_map(|summary| summary.glance);
        Ok(glances.fold(Cost::default(), |sum, glance| sum.plus(glance.spent)))
    }

    pub async fn keep(&self, content: Vec<u8>) -> Result<BlobRef, TaskError> {
        Ok(self.blobs()?.put(content).await?)
    }

    async fn put(
        &self,
        task: &TaskId,
        by: &Actor,
        input: Input,
        blobs: Vec<BlobRef>,
    ) -> Result<TaskUpdate, TaskError> {
        let (mut host, folder) = self.open_alone(task).await?;
        let adopts = if matches!(&input, Input::Person { says: PersonInput::Adopt { .. }, .. }) {
            Adopts::Text
        } else {
            Adopts::No
        };
        let notices = if host.machine().data().is_some() {
            self.notice(&mut host, &folder, adopts).await?
        } else {
            vec![]
        };
        let events = host.tell(by.clone(), input, blobs).await?;
        self.finish(host, &folder, notices, events).await
    }

    async fn notice<P: Performer<Task>>(
        &self,
        host: &mut TaskHost<P>,
        folder: &TaskFolder,
        adopts: Adopts,
    ) -> Result<Vec<Notice>, TaskError> {
        if host.machine().is_over() {
            // A finished task takes no records; edits are saved and the views restored.
            return Ok(vec![]);
        }
        let blobs = self.blobs()?;
        folder.restore_text(host.machine())?;
        let mut noticed = folder.look(host.machine(), &blobs).await?;
        // A text that is being adopted is no drift.
        noticed.retain(|(notice, _)| match notice {
            Notice::TextDrifted { .. } | Notice::TextRestored => adopts == Adopts::No,
            Notice::ViewEdited { .. } | Notice::SnapshotTampered { .. } => true,
        });
        // No view is restored before all edits are recorded.
        let paused = folder.pause();
        for (notice, kept) in &noticed {
            let input = Input::Notice { notice: notice.clone() };
            host.tell(Actor::Machine, input, kept.iter().copied().collect()).await?;
        }
        drop(paused);
        if !noticed.is_empty() {
            folder.write()?;
        }
        Ok(noticed.into_iter().map(|(notice, _)| notice).collect())
    }

    async fn open<P: Performer<Task>>(
        &self,
        task: &TaskId,
        performer: Arc<P>,
        limits: Limits,
    ) -> Result<(TaskHost<P>, Arc<TaskFolder>), TaskError> {
        let folder = Arc::new(TaskFolder::new(&self.journal, task));
        let (journal, stream) = (self.journal.clone(), task.stream());
        // A task's stream is short. It is folded from its first record, so that no forged snapshot can change its state.
        let limits = Limits { snapshot_every: None, ..limits };
        let host = Host::open(journal, stream, performer, SystemClock, limits).await?;
        Ok((host.watched_by(folder.clone()), folder))
    }

    /// Opens a task to record something, without running it.
    async fn open_alone(
        &self,
        task: &TaskId,
    ) -> Result<(TaskHost<NoPerformer>, Arc<TaskFolder>), TaskError> {
        self.open(task, Arc::new(NoPerformer), Limits::default()).await
    }

    async fn finish(
        &self,
        host: TaskHost<NoPerformer>,
        folder: &TaskFolder,
        notices: Vec<Notice>,
        events: Vec<Event>,
    ) -> Result<TaskUpdate, TaskError> {
        let (task, head) = (host.machine().clone(), host.head());
        let anchor = host.close().await?;
        Ok(TaskUpdate { task, head, events, notices, anchor, unwritten: folder.failed() })
    }

    fn exists(&self, task: &TaskId) -> Result<(), TaskError> {
        if self.journal.layout().stream(task.stream()).is_dir() {
            Ok(())
        } else {
            Err(TaskError::NoTask { task: task.to_string() })
        }
    }

    fn blobs(&self) -> Result<Blobs, TaskError> {
        Ok(Blobs::local(self.journal.layout())?)
    }

    /// A unique name: two people may create tasks with the same title at the same time.
    fn mint(&self, by: &Actor, title: &str) -> Result<TaskId, TaskError> {
        let now = SystemClock.now().as_millis();
        for salt in 0..NAMES_TRIED_MAX {
            let seed = format!("{by:?} {title} {now} {} {salt}", std::process::id());
            let digest = Digest::of(seed.as_bytes()).to_string();
            let name = format!("T-{}-{}", slug(title), &digest[..6]);
            let id = TaskId::new(name).map_err(|_| TaskError::NoName)?;
            if !self.journal.layout().stream(id.stream()).exists() {
                return Ok(id);
            }
        }
        Err(TaskError::NoName)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Adopts {
    No,
    Text,
}

type TaskHost<P> = Host<Task, FileJournal, P, SystemClock>;

struct Index<'a> {
    journal: &'a FileJournal,
}

impl Rows for Index<'_> {
    type Glance = Option<Glance>;
    type Row = Option<TaskRow>;

    fn name(&self) -> &'static str {
        // Another row format needs another name.
        "tasks-2"
    }

    fn wants(&self, stream: &StreamId) -> bool {
        TaskId::new(stream.as_str()).is_ok()
    }

    fn unknown(&self) -> (Option<Glance>, Option<TaskRow>) {
        (None, None)
    }

    fn row(
        &self,
        stream: &StreamId,
        condition: Condition,
    ) -> Option<(Option<Glance>, Option<TaskRow>)> {
        if condition == Condition::Damaged {
            return Some((None, None));
        }
        let mut task = Task::default();
        let mut at = Timestamp::from_millis(0);
        let read = self.journal.read_blocking(stream, Head::START, &mut |entry| {
            at = entry.at()?;
            entry.events::<Event>()?.iter().for_each(|event| task.evolve(event));
            Ok(())
        });
        read.ok()?;
        let row = TaskRow::of(&task, at);
        Some((row.as_ref().map(TaskRow::glance), row))
    }
}

/// The title as part of a task id.
fn slug(title: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' };
    let words: String = title.chars().map(plain).collect();
    let mut slug = String::new();
    for word in words.split_whitespace() {
        if slug.len() + word.len() >= SLUG_BYTES_MAX {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(word);
    }
    if slug.is_empty() { "task".to_owned() } else { slug }
}

const SLUG_BYTES_MAX: usize = 40;
const NAMES_TRIED_MAX: u32 = 16;
