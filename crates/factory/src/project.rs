//! What people do with the project of a repository: emit a spec, decide about it, plan its tasks, look.

mod phases;
mod resolved;
mod views;

use std::path::Path;

use sealwright_host::{Host, HostError, Limits, NoPerformer, Performer, ReportError, SystemClock};
use sealwright_kernel::owner::Header;
use sealwright_kernel::product::research::{self, Search};
use sealwright_kernel::product::{self, Deficiency, Place, ProductSpec, Report};
use sealwright_kernel::project::{Emitted, Input, Planned, Project, Rejected};
use sealwright_kernel::task::{Budget, Charter, Choice, Freeze, Membership, Phase, Status};
use sealwright_kernel::{Actor, Digest, Lane, StreamId, TaskId};
use sealwright_repo::git::GitError;
use sealwright_store::{BlobError, BlobRef, Blobs, FileJournal, JournalError};
use sealwright_views::product_spec::{spec_markdown, task_text};
use sealwright_views::task_file::TaskFile;

use crate::TaskError;
use crate::gate_runner::gate_preview::GatePreviewError;
use crate::tasks::Tasks;
pub use phases::WentOn;

/// The project of a repository. There is one at most.
#[derive(Clone, Debug)]
pub struct ProjectStream {
    journal: FileJournal,
    stream: StreamId,
}

/// The terms of all tasks of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanTerms {
    pub lane: Lane,
    pub header: Header,
    pub freeze: Freeze,
    pub checks: Vec<String>,
    pub budget: Option<Budget>,
}

/// A spec without errors, and what a person is shown with it before they decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmittedSpec {
    pub spec: ProductSpec,
    /// The warnings that were left when it was emitted.
    pub warnings: Vec<Deficiency>,
    /// What was looked up for it.
    pub searches: Vec<Search>,
}

/// Why a command on a project failed.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The draft has errors; nothing was kept.
    #[error("the spec has {} errors", .report.errors.len())]
    Deficient { report: Box<Report> },
    #[error("there is no spec here")]
    NoSpec,
    #[error("the proposal has no change {id}")]
    NoSuchChange { id: String, ids: String },
    /// What the journal says of the phases cannot have happened.
    #[error("the records of the project contradict the rules: {property}")]
    Bent { property: &'static str },
    /// A version cannot begin before its preferences are in order.
    #[error("preferences.md is not in order")]
    Preferences { findings: Vec<sealwright_documents::Finding> },
    #[error(transparent)]
    Settings(#[from] sealwright_config::ConfigError),
    #[error(transparent)]
    Refused(Rejected),
    #[error(transparent)]
    Host(#[from] HostError),
    #[error("cannot record the change: {why}")]
    NotDurable { why: String, hint: Option<String> },
    #[error("cannot use the store")]
    Blob(#[from] BlobError),
    #[error(transparent)]
    Task(#[from] TaskError),
    #[error("cannot use the repository")]
    Git(#[from] GitError),
    #[error("cannot read what a task proved")]
    Tree(#[from] sealwright_repo::trees::TreeError),
    #[error("a check of the project cannot run")]
    Check(#[from] Box<GatePreviewError>),
    #[error("cannot write {path}")]
    Write { path: String, source: std::io::Error },
    #[error(transparent)]
    Runner(#[from] Box<crate::task_runner::TaskRunnerError>),
}

impl ProjectStream {
    pub fn of(journal: &FileJournal) -> Self {
        let stream = "project".parse().unwrap_or_else(|_| unreachable!("that is a stream"));
        Self { journal: journal.clone(), stream }
    }

    pub(crate) fn stream(&self) -> &StreamId {
        &self.stream
    }

    /// Whether anything was ever said about a project here.
    pub fn is_there(&self) -> bool {
        self.journal.layout().stream(&self.stream).is_dir()
    }

    /// The project as it is. Writes nothing.
    pub async fn look(&self) -> Result<Project, ProjectError> {
        if !self.is_there() {
            return Ok(Project::default());
        }
        let project = sealwright_host::replay(&self.journal, &self.stream, None).await?.machine;
        sound(&project)?;
        Ok(project)
    }

    /// Keeps a spec without errors for a person to decide about, and what was looked up for it; says what a person should
    /// look at.
    pub async fn emit(
        &self,
        by: &Actor,
        text: &[u8],
        research: Option<&[u8]>,
    ) -> Result<Report, ProjectError> {
        let (report, spec) = product::check(text);
        let Some(spec) = spec else {
            return Err(ProjectError::deficient(report));
        };
        let errors = self.taken(&spec).await?;
        if !errors.is_empty() {
            return Err(ProjectError::deficient(Report { errors, warnings: report.warnings }));
        }
        let read = research
            .map(research::read)
            .transpose()
            .map_err(|errors| ProjectError::deficient(Report { errors, warnings: Vec::new() }))?;
        let (mut emitted, mut blobs) = self.kept(&spec, text, &report.warnings).await?;
        if let Some(research) = research {
            let blob = Blobs::local(self.journal.layout())?.put(research.to_vec()).await?;
            emitted.research = Some(blob.sha256);
            blobs.push(blob);
        }
        self.tell(by, Input::Emit { by: by.clone(), spec: emitted }, blobs).await?;
        let warnings = report.warnings.clone();
        let shown = EmittedSpec { spec, warnings, searches: read.unwrap_or_default() };
        self.write_spec(text, &shown)?;
        Ok(report)
    }

    /// The spec that was emitted last, and what is shown with it.
    pub async fn spec(&self) -> Result<(Emitted, EmittedSpec), ProjectError> {
        let project = self.look().await?;
        let emitted = project.product().emitted.clone().ok_or(ProjectError::NoSpec)?;
        let blobs = Blobs::local(self.journal.layout())?;
        let text = blobs.find(&emitted.text).await?;
        let (_, spec) = product::check(&text);
        let warnings = blobs.find(&emitted.warnings).await?;
        let warnings = serde_json::from_slice(&warnings).map_err(HostError::from)?;
        let searches = match &emitted.research {
            // It was read before it was kept.
            Some(digest) => research::read(&blobs.find(digest).await?).unwrap_or_default(),
            None => Vec::new(),
        };
        let spec = spec.ok_or(ProjectError::NoSpec)?;
        Ok((emitted, EmittedSpec { spec, warnings, searches }))
    }

    /// Tasks of a draft whose ids belong to other tasks of this project, which an earlier spec asked for.
    async fn taken(&self, spec: &ProductSpec) -> Result<Vec<Deficiency>, ProjectError> {
        let project = self.look().await?;
        let mut taken = Vec::new();
        for place in product::plan(spec).unwrap_or_default() {
            if project.task(&place.id).is_none() {
                continue;
            }
            let task = Tasks::of(&self.journal).look(&place.id).await?.machine;
            let Some(known) = task.data().map(|it| &it.charter) else { continue };
            let text = task_text(spec, &place, known.lane, known.header);
            let asked =
                TaskFile::parse(&text, known.lane, known.header).map_err(TaskError::from)?;
            if (&asked.title, &asked.criteria) != (&known.title, &known.criteria) {
                let [p, e, s, t] = place.at;
                taken.push(Deficiency {
                    path: format!("pillars[{p}].epics[{e}].stories[{s}].tasks[{t}]"),
                    field: "name".to_owned(),
                    severity: product::Severity::Error,
                    message: format!(
                        "it would be {}, which is \"{}\" of an earlier spec; name its story otherwise, or list that task \
                         before it as it was",
                        place.id, known.title
                    ),
                });
            }
        }
        Ok(taken)
    }

    pub async fn decide(
        &self,
        by: &Actor,
        (spec, choice): (Digest, Choice),
        rationale: &str,
    ) -> Result<(), ProjectError> {
        let rationale = rationale.to_owned();
        let input = Input::Decide { by: by.clone(), spec, choice, rationale };
        self.tell(by, input, vec![]).await
    }

    /// Plans the tasks of the approved spec, as far as they are not planned yet.
    pub async fn plan(&self, by: &Actor, terms: &PlanTerms) -> Result<u32, ProjectError> {
        let (_, EmittedSpec { spec, .. }) = self.spec().await?;
        let project = self.look().await?;
        let places = product::plan(&spec)
            .map_err(|errors| Report { errors, warnings: Vec::new() })
            .map_err(ProjectError::deficient)?;
        let is_new = |place: &Place| project.task(&place.id).is_none();
        let left: Vec<Place> = places.into_iter().filter(is_new).collect();
        let is_planned = left.is_empty() && !project.is_planning();
        let parts = if is_planned { Vec::new() } else { product::parts(&spec, &left) };
        let count = parts.len();
        for (nth, part) in parts.into_iter().enumerate() {
            let (tasks, kept) = self.planned(&spec, part, terms).await?;
            let is_last = nth + 1 == count;
            self.tell(by, Input::Plan { by: by.clone(), tasks, is_last }, kept).await?;
        }
        self.write_task_files(&spec, (terms.lane, terms.header))?;
        self.render().await?;
        Ok(left.len() as u32)
    }

    /// Makes a task that has not begun depend on others than before.
    pub async fn rewire(
        &self,
        by: &Actor,
        task: &TaskId,
        on: &[TaskId],
    ) -> Result<(), ProjectError> {
        let (task, depends_on) = (task.clone(), on.to_vec());
        self.tell(by, Input::Rewire { by: by.clone(), task, depends_on }, vec![]).await?;
        self.render().await
    }

    /// The tasks at these places of a spec, with their texts in the store.
    async fn planned(
        &self,
        spec: &ProductSpec,
        places: Vec<Place>,
        terms: &PlanTerms,
    ) -> Result<(Vec<Planned>, Vec<BlobRef>), ProjectError> {
        let blobs = Blobs::local(self.journal.layout())?;
        let (mut tasks, mut kept) = (Vec::new(), Vec::new());
        for place in places {
            let text = task_text(spec, &place, terms.lane, terms.header);
            let file = TaskFile::parse(&text, terms.lane, terms.header).map_err(TaskError::from)?;
            let blob = blobs.put(text.into_bytes()).await?;
            tasks.push(planned(place, file, blob.sha256, terms));
            kept.push(blob);
        }
        Ok((tasks, kept))
    }

    /// Records what a task tells its project.
    pub async fn hear(
        &self,
        task: &TaskId,
        (news, status, phase): (u32, Status, Option<Phase>),
    ) -> Result<(), ProjectError> {
        let input = Input::Heard { task: task.clone(), news, status, phase };
        match self.tell(&Actor::Machine, input, vec![]).await {
            // It was told before, and the process died before it could note that.
            Err(ProjectError::Refused(Rejected::AlreadyHeard)) => Ok(()),
            told => told,
        }
    }

    pub(crate) async fn tell(
        &self,
        by: &Actor,
        input: Input,
        blobs: Vec<BlobRef>,
    ) -> Result<(), ProjectError> {
        let mut host = self.open(std::sync::Arc::new(NoPerformer)).await?;
        host.tell(by.clone(), input, blobs).await?;
        host.close().await?;
        Ok(())
    }

    pub(crate) async fn open<P: Performer<Project>>(
        &self,
        performer: std::sync::Arc<P>,
    ) -> Result<Host<Project, FileJournal, P, SystemClock>, ProjectError> {
        // Folded from its first record, so that no forged snapshot can change it.
        let limits = Limits { snapshot_every: None, ends_idle: true, ..Limits::default() };
        let journal = self.journal.clone();
        let host = Host::open(journal, &self.stream, performer, SystemClock, limits).await?;
        sound(host.machine())?;
        Ok(host)
    }

    /// `spec.json` and `spec.md`, for people.
    fn write_spec(&self, text: &[u8], emitted: &EmittedSpec) -> Result<(), ProjectError> {
        let folder = self.journal.layout().root().join("product");
        let readable = emitted.readable();
        let files: [(&str, &[u8]); 2] = [("spec.json", text), ("spec.md", readable.as_bytes())];
        for (name, content) in files {
            write(&folder, name, content).map_err(|source| {
                let path = format!(".sealwright/product/{name}");
                ProjectError::Write { path, source }
            })?;
        }
        Ok(())
    }
}

impl EmittedSpec {
    /// The whole of it for people: what `spec.md` says.
    pub fn readable(&self) -> String {
        spec_markdown(&self.spec, &self.warnings, &self.searches)
    }
}

/// Where the phases stand has to be somewhere the rules lead to.
fn sound(project: &Project) -> Result<(), ProjectError> {
    if project.run().is_bent() {
        let property = "each step follows from the one before";
        return Err(ProjectError::Bent { property });
    }
    match project.run().pipeline.broken() {
        Some(property) => Err(ProjectError::Bent { property }),
        None => Ok(()),
    }
}

/// Replaces a file as a whole.
pub(crate) fn write(folder: &Path, name: &str, content: &[u8]) -> std::io::Result<()> {
    // A link could lead anywhere.
    if std::fs::symlink_metadata(folder).is_ok_and(|it| it.file_type().is_symlink()) {
        return Err(std::io::Error::other("the folder is a link"));
    }
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    std::io::Write::write_all(&mut file, content)?;
    // After a power failure the old text is there, or the new one.
    file.as_file().sync_all()?;
    file.persist(folder.join(name)).map_err(|error| error.error)?;
    Ok(())
}

/// The task at a place, as its file says.
fn planned(place: Place, file: TaskFile, text: Digest, terms: &PlanTerms) -> Planned {
    let charter = Charter {
        id: place.id,
        title: file.title,
        text,
        criteria: file.criteria,
        lane: file.lane,
        header: terms.header,
        freeze: terms.freeze,
        checks: terms.checks.clone(),
        belongs: Membership::Project,
        base: None,
        budget: terms.budget,
    };
    Planned { charter, order: Some(place.order), depends_on: place.depends_on }
}

impl ProjectError {
    /// What to do next, in one sentence.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Deficient { .. } => "`sealwright spec check FILE` lists all of them",
            Self::Preferences { findings } => {
                return findings
                    .first()
                    .map(|it| format!("line {}: {}; {}", it.line, it.what, it.fix));
            }
            Self::Settings(error) => return error.hint(),
            Self::NoSpec => "`sealwright plan --from spec.json` reads one",
            Self::NoSuchChange { ids, .. } => {
                return Some(format!("it has {ids}; leave out `--only` to accept all"));
            }
            Self::Bent { .. } => {
                "`sealwright verify` names the record; restore the journal from git"
            }
            Self::Refused(Rejected::NotNow { why: "say why" }) => {
                "add `--because WHY`; it stands in the log"
            }
            Self::Refused(Rejected::Step(_)) => "`sealwright run` says what the version waits for",
            Self::Refused(_) => {
                "`sealwright status` shows the tasks, `sealwright run` what is waited for"
            }
            Self::Host(error) => return error.hint(),
            Self::NotDurable { hint, .. } => return hint.clone(),
            Self::Blob(_) => "`sealwright verify` lists what is missing or changed",
            Self::Task(error) => return error.hint(),
            Self::Git(error) => return error.hint(),
            Self::Tree(error) => return error.hint(),
            Self::Check(error) => return error.hint(),
            Self::Write { .. } => "check that the folder is writable and the disk has space",
            Self::Runner(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }
}

impl From<JournalError> for ProjectError {
    fn from(error: JournalError) -> Self {
        Self::Host(error.into())
    }
}

impl From<ReportError<Rejected>> for ProjectError {
    fn from(error: ReportError<Rejected>) -> Self {
        match error {
            ReportError::Rejected(rejected) => Self::Refused(rejected),
            ReportError::NotDurable { why, hint } => Self::NotDurable { why, hint },
            ReportError::Forged => Self::Refused(Rejected::NotAPerson),
            ReportError::Stopped => {
                Self::NotDurable { why: "the host has stopped".to_owned(), hint: None }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Where the phases stand is held against the rules, and against the records before, whenever a project is read.
    ///
    /// Proves: L-204
    #[test]
    fn a_project_whose_phases_were_bent_is_not_taken() {
        let stored = serde_json::to_value(Project::default()).unwrap();
        assert!(sound(&serde_json::from_value(stored.clone()).unwrap()).is_ok());
        for (field, value) in [
            ("pause_next", "Deploying"),
            ("reconcile_return", "Building"),
            ("interrupted", "Building"),
            ("distill_return", "PipelineComplete"),
            ("blocked_at", "Build"),
        ] {
            let mut bent = stored.clone();
            bent["run"]["pipeline"]["history"][field] = json!(value);
            let bent: Project = serde_json::from_value(bent).unwrap();
            assert!(matches!(sound(&bent), Err(ProjectError::Bent { .. })), "{field}");
        }
        let mut bent = stored;
        bent["run"]["is_bent"] = json!(true);
        let bent: Project = serde_json::from_value(bent).unwrap();
        assert!(matches!(sound(&bent), Err(ProjectError::Bent { .. })));
    }
}
