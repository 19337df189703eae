//! What people do with the phases of a project: begin a version, hand in work, approve it, go on, iterate, abandon.

use sealwright_documents::{Finding, preferences};
use sealwright_kernel::Actor;
use sealwright_kernel::pipeline::{Action, Change, Mode, Step};
use sealwright_kernel::project::run::{self, Document, Documents, Effect, Job};
use sealwright_kernel::project::{Input, Project, Rejected};
use sealwright_repo::git::objects;

use super::{ProjectError, ProjectStream};
use crate::project_performer::BRANCH_REFERENCE;
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
        let folder = self.journal.layout().root();
        Steering::of(folder.parent().unwrap_or(folder))
    }

    /// What gates depend on, as it is now.
    pub fn seen(&self, project: &Project) -> Result<Documents, ProjectError> {
        let folder = self.journal.layout().root();
        let root = folder.parent().unwrap_or(folder);
        let is_built = project.run().gated.contains_key(&Document::Code);
        // Without its branch the code is not what a gate passed on.
        let tip = is_built.then(|| objects::commit(root, BRANCH_REFERENCE).ok()).flatten();
        Ok(self.steering().seen(tip.as_deref())?)
    }

    /// Begins the first version of a project that goes through its phases.
    pub async fn begin(&self, by: &Actor, request: &str, mode: Mode) -> Result<(), ProjectError> {
        let text = self.steering().texts().preferences;
        let (_, findings) = preferences::read(text.as_deref());
        if !findings.is_empty() {
            return Err(ProjectError::Preferences { findings });
        }
        let request = request.to_owned();
        self.tell_run(by, run::Input::Begin { by: by.clone(), request, mode }).await
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

    /// Records what somebody who uses a delivered version said.
    pub async fn signal(&self, by: &Actor, text: &str, source: &str) -> Result<(), ProjectError> {
        let signal = run::Signal { text: text.to_owned(), source: source.to_owned() };
        self.tell_run(by, run::Input::Tell { by: by.clone(), signal }).await
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
