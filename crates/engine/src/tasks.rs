//! What people do with tasks: create them, look at them, decide.

use std::sync::Arc;

use sealwright_kernel::owner::Header;
use sealwright_kernel::task::{
    Budget, Charter, Event, Freeze, Input, Membership, Notice, PersonInput, Phase, QuestionSubject,
    Status, Task,
};
use sealwright_kernel::{
    Actor, Cost, Digest, EffectId, Lane, Machine as _, StreamId, TaskId, Timestamp, goal,
};
use sealwright_store::{Anchor, BlobRef, Blobs, Catalog, Condition, FileJournal, Head, Rows};
use serde::{Deserialize, Serialize};

use crate::cost_report::{self, Offer};
use crate::task_file::TaskFile;
use crate::{
    Clock as _, Ended, Host, Limits, Nobody, Performer, Replayed, SystemClock, TaskError,
    TaskFolder, replay,
};

/// The tasks of one repository.
#[derive(Clone, Debug)]
pub struct Tasks {
    journal: FileJournal,
}

/// What somebody wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTask {
    /// A sentence, or a whole task file.
    pub said: String,
    /// How much ceremony it owes, unless the file says so.
    pub lane: Lane,
    /// Who may let it through, unless the file says so.
    pub header: Header,
    /// When its contract is approved.
    pub freeze: Freeze,
    /// The checks that must pass.
    pub checks: Vec<String>,
    /// The commit that work begins at, by its full name.
    pub base: Option<String>,
    /// What roles may cost before a person is asked.
    pub budget: Option<Budget>,
}

/// What came of telling a task something.
#[derive(Debug)]
pub struct TaskUpdate {
    /// The task afterwards.
    pub task: Task,
    /// The last record.
    pub head: Head,
    /// What became true.
    pub events: Vec<Event>,
    /// What was noticed about its files on the way.
    pub notices: Vec<Notice>,
    /// How the ended stream can be anchored, if it ended.
    pub anchor: Option<Anchor>,
    /// Why views could not be written, if they could not.
    pub unwritten: Option<String>,
}

/// What `status` and `inbox` need to know of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRow {
    /// The task in one line.
    pub title: String,
    /// How it stands.
    pub status: Status,
    /// Its phase.
    pub phase: Option<Phase>,
    /// Which attempt it is.
    pub attempt: u32,
    /// How much ceremony it owes.
    pub lane: Lane,
    /// When something last happened to it.
    pub at: Timestamp,
    /// What a person has to answer.
    pub question: Option<OpenQuestion>,
    /// Whether it has criteria and every one cites how it is verified.
    pub goal_ready: bool,
    /// Whether a person has to look at its files: an unadopted text, tampered snapshots.
    pub red: Vec<String>,
    /// What roles have cost.
    pub spent: Cost,
}

/// What is seen of all tasks at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Glance {
    /// How it stands.
    pub status: Status,
    /// When something last happened to it.
    pub at: Timestamp,
    /// How sure the work is of itself, if it asks somebody, in percent.
    pub asks: Option<u8>,
    /// Whether it has criteria and every one cites how it is verified.
    pub goal_ready: bool,
    /// What roles have cost.
    pub spent: Cost,
}

/// A question people have not answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestion {
    /// Its name.
    pub id: EffectId,
    /// The item to be decided.
    pub item: Digest,
    /// What is asked.
    pub text: String,
    /// What may be answered.
    pub options: Vec<String>,
    /// What is recommended.
    pub recommendation: String,
    /// How sure the work is of itself, in percent.
    pub confidence: u8,
}

impl Tasks {
    /// The tasks of the repository of `journal`.
    pub fn of(journal: &FileJournal) -> Self {
        Self { journal: journal.clone() }
    }

    /// Creates a task from what `by` wants, and gives its name.
    pub async fn create(&self, by: &Actor, new: NewTask) -> Result<TaskUpdate, TaskError> {
        let begins = new.said.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
        let text = match begins.starts_with("---") {
            true => new.said.clone(),
            false => TaskFile::draft(&new.said, new.lane, new.header),
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
        let mut told = self.put(&id, by, input, vec![blob]).await?;
        // The task is there, whether or not its text could be written beside it.
        if let Err(error) = TaskFolder::new(&self.journal, &id).write_text(text.as_bytes()) {
            told.unwritten = Some(error.to_string());
        }
        Ok(told)
    }

    /// Tells a task what a person says.
    pub async fn say(
        &self,
        task: &TaskId,
        by: &Actor,
        says: PersonInput,
        blobs: Vec<BlobRef>,
    ) -> Result<TaskUpdate, TaskError> {
        self.is_there(task)?;
        self.put(task, by, Input::Person { by: by.clone(), says }, blobs).await
    }

    /// Takes the text of a task over as it stands on disk.
    pub async fn adopt(&self, task: &TaskId, by: &Actor) -> Result<TaskUpdate, TaskError> {
        self.is_there(task)?;
        let folder = TaskFolder::new(&self.journal, task);
        let text = folder.text()?.ok_or_else(|| TaskError::NoText { path: folder.text_path() })?;
        let Ok(text) = String::from_utf8(text) else { return Err(TaskError::NotText) };
        let known = self.look(task).await?.machine;
        let Some(charter) = known.data().map(|known| &known.charter) else {
            return Err(TaskError::NoTask { task: task.to_string() });
        };
        let TaskFile { title, header, lane, criteria } =
            TaskFile::parse(&text, charter.lane, charter.header)?;
        let blob = self.blobs()?.put(text.into_bytes()).await?;
        let says = PersonInput::Adopt { text: blob.sha256, title, criteria, lane, header };
        self.put(task, by, Input::Person { by: by.clone(), says }, vec![blob]).await
    }

    /// Runs a task until it is over, waits for a person, or cannot go on. Its folder is looked
    /// at first.
    pub async fn run<P: Performer<Task>>(
        &self,
        task: &TaskId,
        performer: Arc<P>,
        limits: Limits,
    ) -> Result<Ended, TaskError> {
        self.run_until(task, performer, limits, std::future::pending()).await
    }

    /// The same, until `stop`: then it stops in good order, and what is owed stays owed.
    pub async fn run_until<P: Performer<Task>>(
        &self,
        task: &TaskId,
        performer: Arc<P>,
        limits: Limits,
        stop: impl Future<Output = ()>,
    ) -> Result<Ended, TaskError> {
        self.is_there(task)?;
        let (mut host, folder) = self.open(task, performer, limits).await?;
        self.notice(&mut host, &folder, Adopts::No).await?;
        folder.write(host.machine())?;
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

    /// Looks at a task's folder, and records what people did to it.
    pub async fn check(&self, task: &TaskId) -> Result<TaskUpdate, TaskError> {
        self.is_there(task)?;
        let (mut host, folder) = self.open_alone(task).await?;
        let notices = self.notice(&mut host, &folder, Adopts::No).await?;
        folder.write(host.machine())?;
        self.finish(host, &folder, notices, vec![]).await
    }

    /// How a task stands. Nothing is written.
    pub async fn look(&self, task: &TaskId) -> Result<Replayed<Task>, TaskError> {
        self.is_there(task)?;
        Ok(replay(&self.journal, task.stream(), None).await?)
    }

    /// Every task, from the index, which is brought up to date first.
    pub fn index(&self) -> Result<Catalog<Option<Glance>>, TaskError> {
        Ok(Catalog::refresh_rows(&self.journal, &Index { journal: &self.journal })?)
    }

    /// What roles have cost in all tasks. Of a damaged one nobody knows.
    pub fn spent(&self) -> Result<Cost, TaskError> {
        let index = self.index()?;
        let known = index.streams().filter_map(|summary| summary.glance);
        Ok(known.fold(Cost::default(), |sum, glance| sum.plus(glance.spent)))
    }

    /// Keeps content in the store.
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
        let adopts = match matches!(&input, Input::Person { says: PersonInput::Adopt { .. }, .. }) {
            true => Adopts::Text,
            false => Adopts::No,
        };
        let notices = match host.machine().data().is_some() {
            true => self.notice(&mut host, &folder, adopts).await?,
            false => vec![],
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
            // Nothing can be recorded any more; what was edited is kept aside and put back.
            return Ok(vec![]);
        }
        let blobs = self.blobs()?;
        folder.restore_text(host.machine())?;
        let mut noticed = folder.look(host.machine(), &blobs).await?;
        // What is being adopted is no drift.
        noticed.retain(|(notice, _)| match notice {
            Notice::TextDrifted { .. } | Notice::TextRestored => adopts == Adopts::No,
            Notice::ViewEdited { .. } | Notice::SnapshotTampered { .. } => true,
        });
        // Nothing is put back before everything that was noticed is on record.
        let paused = folder.pause();
        for (notice, kept) in &noticed {
            let input = Input::Notice { notice: notice.clone() };
            host.tell(Actor::Machine, input, kept.iter().copied().collect()).await?;
        }
        drop(paused);
        if !noticed.is_empty() {
            folder.write(host.machine())?;
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
        let host = Host::open(journal, stream, performer, SystemClock, folded(limits)).await?;
        Ok((host.watched_by(folder.clone()), folder))
    }

    /// Opens a task to be told something, and not to be run.
    async fn open_alone(
        &self,
        task: &TaskId,
    ) -> Result<(TaskHost<Nobody>, Arc<TaskFolder>), TaskError> {
        self.open(task, Arc::new(Nobody), Limits::default()).await
    }

    async fn finish(
        &self,
        host: TaskHost<Nobody>,
        folder: &TaskFolder,
        notices: Vec<Notice>,
        events: Vec<Event>,
    ) -> Result<TaskUpdate, TaskError> {
        let (task, head) = (host.machine().clone(), host.head());
        let anchor = host.close().await?;
        Ok(TaskUpdate { task, head, events, notices, anchor, unwritten: folder.failed() })
    }

    fn is_there(&self, task: &TaskId) -> Result<(), TaskError> {
        match self.journal.layout().stream(task.stream()).is_dir() {
            true => Ok(()),
            false => Err(TaskError::NoTask { task: task.to_string() }),
        }
    }

    fn blobs(&self) -> Result<Blobs, TaskError> {
        Ok(Blobs::local(self.journal.layout())?)
    }

    /// A name nobody else gives: two people may want the same thing at the same time.
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

/// Whether a task's text is being taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Adopts {
    No,
    Text,
}

/// A task's stream is short. It is folded from its first record, so that nobody can speak for
/// it by writing into a cache.
fn folded(limits: Limits) -> Limits {
    Limits { snapshot_every: None, ..limits }
}

type TaskHost<P> = Host<Task, FileJournal, P, SystemClock>;

/// The index over all tasks.
struct Index<'a> {
    journal: &'a FileJournal,
}

impl Rows for Index<'_> {
    type Glance = Option<Glance>;
    type Row = Option<TaskRow>;

    fn name(&self) -> &'static str {
        // Rows of another shape go by another name.
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

impl TaskRow {
    /// The row of `task`, once it was created.
    pub fn of(task: &Task, at: Timestamp) -> Option<Self> {
        let known = task.data()?;
        let drifted = known.drifted.map(|_| "TASK.md was edited and not adopted".to_owned());
        let tampered = known.tampered.iter().map(|it| format!("{it} was tampered with"));
        Some(Self {
            title: known.charter.title.clone(),
            status: task.status(),
            phase: task.phase(),
            attempt: known.attempt,
            lane: known.charter.header.lane(known.charter.lane),
            at,
            question: OpenQuestion::of(task),
            goal_ready: goal::is_ready(&known.charter.criteria),
            red: drifted.into_iter().chain(tampered).collect(),
            spent: known.spending.all().cost,
        })
    }
}

impl TaskRow {
    fn glance(&self) -> Glance {
        let asks = self.question.as_ref().map(|question| question.confidence);
        let (status, at, goal_ready, spent) = (self.status, self.at, self.goal_ready, self.spent);
        Glance { status, at, asks, goal_ready, spent }
    }
}

impl OpenQuestion {
    /// What a person has to answer for `task` to go on.
    pub fn of(task: &Task) -> Option<Self> {
        let (id, question) = task.question()?;
        let (options, recommendation) = match &question.about {
            QuestionSubject::Freeze | QuestionSubject::Done { .. } => {
                let options = ["approve", "decline", "decline --amend"].map(str::to_owned).to_vec();
                (options, "look at it, then approve".to_owned())
            }
            QuestionSubject::Halt { escalation } => {
                let options = escalation.options.iter().map(|it| it.name().to_owned());
                (options.collect(), escalation.recommendation().name().to_owned())
            }
            QuestionSubject::Budget { spent, calls, budget } => {
                let offers = cost_report::offers(*budget, *spent, *calls);
                let options =
                    offers.iter().map(Offer::line).chain([cost_report::GIVE_UP.to_owned()]);
                (options.collect(), cost_report::ADVICE.to_owned())
            }
        };
        let (text, item, confidence) = (question.text(), question.item, question.confidence);
        Some(Self { id, item, text, options, recommendation, confidence })
    }
}

/// The title as part of a name.
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
