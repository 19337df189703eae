//! What people do with the phases of a project: begin a version, hand in work, approve it, go on, iterate, abandon.

use std::path::Path;

use sealwright_documents::proposal::{self, ArchitectureImpact};
use sealwright_documents::{Finding, preferences};
use sealwright_kernel::pipeline::{Action, Change, Mode, Phase, Step};
use sealwright_kernel::project::run::{
    self, Decision, Document, Documents, Effect, Job, StopReason,
};
use sealwright_kernel::project::{Event, Input, Project, Rejected};
use sealwright_kernel::{Actor, Digest};
use sealwright_repo::git::{history, objects};
use sealwright_store::{Head, JournalError};

use super::{ProjectError, ProjectStream};
use crate::project_performer::BRANCH_REFERENCE;
use crate::project_performer::phases::PROPOSAL;
use crate::steering::Steering;

/// What a person's word to go on meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WentOn {
    /// The work of this phase is there, and is examined next.
    HandedIn(Job),
    /// What will be built is approved.
    Approved(Documents),
    Stepped(Action),
    /// Files were changed or work was cut off, so that earlier gates are looked at again.
    Returned,
}

impl ProjectStream {
    pub fn steering(&self) -> Steering {
        Steering::of(self.root())
    }

    /// The repository whose records these are.
    fn root(&self) -> &Path {
        let folder = self.journal.layout().root();
        folder.parent().unwrap_or(folder)
    }

    /// What gates depend on, as it is now.
    pub fn seen(&self, project: &Project) -> Result<Documents, ProjectError> {
        let is_built = project.run().gated.contains_key(&Document::Code);
        // Without its branch the code is not what a gate passed on.
        let tip = is_built.then(|| objects::commit(self.root(), BRANCH_REFERENCE).ok()).flatten();
        Ok(self.steering().seen(tip.as_deref())?)
    }

    /// Begins the first version of a project that goes through its phases, where everything that the setup stands for is
    /// there: a repository with a commit and a work tree, settings that can be read, preferences.
    pub async fn begin(&self, by: &Actor, request: &str, mode: Mode) -> Result<(), ProjectError> {
        objects::commit(self.root(), "HEAD")?;
        history::top(self.root())?;
        let settings = self.root().join(sealwright_config::FILE_NAME);
        if settings.exists() {
            sealwright_config::Config::load(settings)?;
        }
        let text = self.steering().texts().preferences;
        let (_, findings) = preferences::read(text.as_deref());
        if !findings.is_empty() {
            return Err(ProjectError::Preferences { findings });
        }
        let request = request.to_owned();
        let settings =
            self.steering().text(sealwright_config::FILE_NAME).map(|it| Digest::of(it.as_bytes()));
        self.tell_run(by, run::Input::Begin { by: by.clone(), request, mode, settings }).await
    }

    /// Says that a person is back. Whether anything was cut off or changed meanwhile.
    pub async fn back(&self, by: &Actor) -> Result<bool, ProjectError> {
        let project = self.look().await?;
        let seen = self.seen(&project)?;
        if !project.run().was_disturbed(&seen) {
            return Ok(false);
        }
        self.tell_run(by, run::Input::Return { by: by.clone(), seen }).await?;
        Ok(true)
    }

    /// A person says that the run may go on: with what they did, with what they approve, or after what stopped it.
    pub async fn go_on(
        &self,
        by: &Actor,
        change: Change,
        why: &str,
    ) -> Result<WentOn, ProjectError> {
        let project = self.look().await?;
        let run = project.run();
        if change != Change::Nothing && run.goes_on().is_none() {
            let why =
                "nothing waits for such a decision here; edit the file and leave out `--changed`";
            return Err(ProjectError::Refused(Rejected::NotNow { why }));
        }
        // What is approved or handed in is what is there now.
        if run.goes_on().is_none() && self.back(by).await? {
            return Ok(WentOn::Returned);
        }
        if run.waits_for_freeze() {
            let spec =
                project.product().approved().map(|it| it.text).ok_or(ProjectError::NoSpec)?;
            let documents = run.frozen_part();
            let input = run::Input::Freeze { by: by.clone(), documents: documents.clone(), spec };
            self.tell_run(by, input).await?;
            return Ok(WentOn::Approved(documents));
        }
        if let Some(action) = run.goes_on() {
            self.step(by, Step { change, ..action.into() }, why).await?;
            return Ok(WentOn::Stepped(action));
        }
        let due = run.due(project.outcome() == sealwright_kernel::project::Outcome::Complete);
        let job = due.and_then(|due| match due {
            Effect::Work { job, .. } => Some(job),
            Effect::Examine { .. }
            | Effect::Keep { .. }
            | Effect::Restore { .. }
            | Effect::Recover { .. } => None,
        });
        self.tell_run(by, run::Input::HandIn { by: by.clone() }).await?;
        job.map(WentOn::HandedIn).ok_or(ProjectError::NoSpec)
    }

    /// Takes a step of a person.
    pub async fn step(&self, by: &Actor, step: Step, why: &str) -> Result<(), ProjectError> {
        let project = self.look().await?;
        let (seen, why) = (self.seen(&project)?, why.to_owned());
        self.tell_run(by, run::Input::Step { by: by.clone(), step, why, seen }).await
    }

    /// Answers a brake, or a contradiction of documents and code.
    pub async fn resolve(
        &self,
        by: &Actor,
        decision: Decision,
        why: &str,
    ) -> Result<(), ProjectError> {
        let project = self.look().await?;
        let (seen, why) = (self.seen(&project)?, why.to_owned());
        self.tell_run(by, run::Input::Resolve { by: by.clone(), decision, why, seen }).await
    }

    /// The changes of the proposal that a person accepts by their ids, all of them if none is named.
    pub fn accepted(&self, only: &str) -> Result<String, ProjectError> {
        let (proposal, _) = proposal::read(self.steering().text(PROPOSAL).as_deref());
        let all: Vec<&str> = proposal.changes.iter().map(|it| it.id.as_str()).collect();
        let named: Vec<&str> =
            only.split([',', ' ']).map(str::trim).filter(|it| !it.is_empty()).collect();
        let none = Some(&only).filter(|it| named.is_empty() && !it.is_empty());
        if let Some(other) = none.or(named.iter().find(|it| !all.contains(it))) {
            let (id, ids) = ((*other).to_owned(), all.join(", "));
            return Err(ProjectError::NoSuchChange { id, ids });
        }
        Ok(if named.is_empty() { all.join(", ") } else { named.join(", ") })
    }

    /// How deep the design of an iteration goes, as its proposal says.
    pub fn design_depth(&self, project: &Project) -> Option<&'static str> {
        if project.run().version < 2 {
            return None;
        }
        let (proposal, _) = proposal::read(self.steering().text(PROPOSAL).as_deref());
        match proposal.impact? {
            ArchitectureImpact::None => None,
            ArchitectureImpact::Shallow => Some("only where the proposal changes it (shallow)"),
            ArchitectureImpact::Full => Some("all of it again (full)"),
        }
    }

    /// Stops the work where it is, for a person to decide about.
    pub async fn stop(
        &self,
        by: &Actor,
        reason: StopReason,
        why: &str,
    ) -> Result<(), ProjectError> {
        self.tell_run(by, run::Input::Stop { by: by.clone(), reason, why: why.to_owned() }).await
    }

    /// Records how to undo the deployment that is about to begin.
    pub async fn rollback(&self, by: &Actor, command: &str) -> Result<(), ProjectError> {
        let command = command.to_owned();
        self.tell_run(by, run::Input::Rollback { by: by.clone(), command }).await
    }

    /// Records what somebody who uses a delivered version said.
    pub async fn signal(&self, by: &Actor, text: &str, source: &str) -> Result<(), ProjectError> {
        let signal = run::Signal { text: text.to_owned(), source: source.to_owned() };
        self.tell_run(by, run::Input::Tell { by: by.clone(), signal }).await
    }

    /// The records of the last rollback and of the last deployment that was handed in.
    pub(crate) fn deployed_at(&self) -> Result<[Option<u64>; 2], ProjectError> {
        let mut at = [None, None];
        self.journal.read_blocking(&self.stream, Head::START, &mut |entry| {
            for event in entry.events::<Event>()? {
                match event {
                    Event::Run(run::Event::RollbackRecorded { .. }) => {
                        at[0] = Some(entry.head().seq.get())
                    }
                    Event::Run(run::Event::HandedIn { job: Job::Phase(Phase::Deploy), .. }) => {
                        at[1] = Some(entry.head().seq.get());
                    }
                    _ => {}
                }
            }
            Ok::<(), JournalError>(())
        })?;
        Ok(at)
    }

    /// The findings of the last examination, as it was recorded.
    pub async fn findings(&self) -> Result<Vec<Finding>, ProjectError> {
        let Some(last) = self.look().await?.run().last.clone() else { return Ok(Vec::new()) };
        let blobs = sealwright_store::Blobs::local(self.journal.layout())?;
        let text = blobs.find(&last.report.report).await?;
        let report: crate::project_performer::phases::Report =
            serde_json::from_slice(&text).map_err(sealwright_host::HostError::from)?;
        Ok(report.evaluation.findings)
    }

    async fn tell_run(&self, by: &Actor, input: run::Input) -> Result<(), ProjectError> {
        self.tell(by, Input::Run(input), vec![]).await?;
        self.render().await
    }
}
