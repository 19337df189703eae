//! What a person decided about a halted task changes the spec of its project: other criteria are wanted of it, or smaller
//! tasks stand in its place.
//!
//! ```text
//! resolution, recorded by the task ─told─▶ a new version of the spec ─▶ recorded by the project, with the new tasks
//! ```
//!
//! Whether the spec can be changed so is tried before the task records anything. Recording is repeated after a crash and
//! does nothing the second time.

use sealwright_host::{Clock as _, SystemClock};
use sealwright_kernel::product::split::{SplitPart, amend, split};
use sealwright_kernel::product::{self, Deficiency, Place, ProductSpec, Report};
use sealwright_kernel::project::{Emitted, Event, Input, Planned, Project};
use sealwright_kernel::task::{Charter, Freeze, Split, Status, TaskData};
use sealwright_kernel::{Actor, Machine as _, TaskId};
use sealwright_store::{BlobRef, Blobs};
use sealwright_views::timestamp;

use super::{EmittedSpec, PlanTerms, ProjectError, ProjectStream};

impl ProjectStream {
    /// Whether a task can be split like this, and the warnings about its parts. Writes nothing that counts.
    pub async fn try_split(
        &self,
        by: &Actor,
        charter: &Charter,
        parts: &[SplitPart],
    ) -> Result<Vec<Deficiency>, ProjectError> {
        let (before, EmittedSpec { spec, .. }) = self.spec().await?;
        let (changed, warnings) =
            split(&spec, &charter.id, parts, &now()).map_err(ProjectError::deficient)?;
        let mut project = self.look().await?;
        // As the project will be once it has heard of the resolution.
        let heard = project.task(&charter.id).map_or(0, |it| it.heard) + 1;
        let (task, status) = (charter.id.clone(), Status::Abandoned);
        project.evolve(&Event::Heard { task, news: heard, status, phase: None });
        let (emitted, _) = self.emitted(&changed, &warnings, &before).await?;
        let (into, _) = self.parts(&project, &changed, charter).await?;
        let (by, task, spec) = (by.clone(), charter.id.clone(), Some(emitted));
        let decided = project.decide(&Input::Split { by, task, into, spec });
        decided.map_err(ProjectError::Refused)?;
        Ok(warnings)
    }

    /// Whether these criteria can be wanted of a task, and the warnings about them.
    pub async fn try_amend(
        &self,
        task: &TaskId,
        criteria: &[String],
    ) -> Result<Vec<Deficiency>, ProjectError> {
        let (_, EmittedSpec { spec, .. }) = self.spec().await?;
        if !has(&spec, task) {
            return Ok(Vec::new());
        }
        let changed = amend(&spec, task, criteria, &now()).map_err(ProjectError::deficient)?;
        Ok(changed.map(|(_, warnings)| warnings).unwrap_or_default())
    }

    /// Records what a person decided about a task, if the project has not recorded it yet.
    pub(crate) async fn follow(&self, data: &TaskData) -> Result<(), ProjectError> {
        if let Some(decided) = &data.split {
            return self.record_split(&data.charter, decided).await;
        }
        match &data.amended_by {
            Some(by) => self.record_amendment(&data.charter, by).await,
            None => Ok(()),
        }
    }

    async fn record_split(&self, charter: &Charter, decided: &Split) -> Result<(), ProjectError> {
        let project = self.look().await?;
        match project.task(&charter.id) {
            None => return Ok(()),
            Some(known) if !known.superseded_by.is_empty() => {
                return self.write_changed(charter).await;
            }
            Some(_) => {}
        }
        let (before, EmittedSpec { spec, .. }) = self.spec().await?;
        let changed = split(&spec, &charter.id, &decided.into, &now());
        let (changed, warnings) = changed.map_err(ProjectError::deficient)?;
        let (emitted, mut blobs) = self.emitted(&changed, &warnings, &before).await?;
        let (into, texts) = self.parts(&project, &changed, charter).await?;
        blobs.extend(texts);
        let by = Actor::Human(decided.by.clone());
        let (task, spec) = (charter.id.clone(), Some(emitted));
        self.tell(&by, Input::Split { by: by.clone(), task, into, spec }, blobs).await?;
        self.write_changed(charter).await
    }

    async fn record_amendment(&self, charter: &Charter, by: &str) -> Result<(), ProjectError> {
        let (before, EmittedSpec { spec, .. }) = self.spec().await?;
        // A task of an earlier version has a spec of its own.
        if !has(&spec, &charter.id) {
            return Ok(());
        }
        let changed = amend(&spec, &charter.id, &charter.criteria, &now());
        let Some((changed, warnings)) = changed.map_err(ProjectError::deficient)? else {
            return self.write_changed(charter).await;
        };
        let (spec, blobs) = self.emitted(&changed, &warnings, &before).await?;
        let (by, task) = (Actor::Human(by.to_owned()), charter.id.clone());
        self.tell(&by, Input::Amend { by: by.clone(), task, spec }, blobs).await?;
        self.write_changed(charter).await
    }

    /// The tasks of a changed spec that the project does not have, under the terms of the one that is split. A person
    /// approves their contracts by themselves.
    async fn parts(
        &self,
        project: &Project,
        changed: &ProductSpec,
        charter: &Charter,
    ) -> Result<(Vec<Planned>, Vec<BlobRef>), ProjectError> {
        let terms = PlanTerms {
            lane: charter.lane,
            header: charter.header,
            freeze: Freeze::Asked,
            checks: charter.checks.clone(),
            budget: charter.budget,
        };
        let places = product::plan(changed).unwrap_or_default();
        let new: Vec<Place> =
            places.into_iter().filter(|it| project.task(&it.id).is_none()).collect();
        self.planned(changed, new, &terms).await
    }

    /// A spec as the project records it, with what it rests on.
    pub(super) async fn emitted(
        &self,
        spec: &ProductSpec,
        warnings: &[Deficiency],
        before: &Emitted,
    ) -> Result<(Emitted, Vec<BlobRef>), ProjectError> {
        let (emitted, blobs) = self.kept(spec, &text_of(spec), warnings).await?;
        // What was looked up for the spec was looked up for its changes, too.
        Ok((Emitted { research: before.research, ..emitted }, blobs))
    }

    /// The files of the spec as it is recorded, also those that a process which was cut off did not get to.
    async fn write_changed(&self, charter: &Charter) -> Result<(), ProjectError> {
        let (emitted, shown) = self.spec().await?;
        let text = Blobs::local(self.journal.layout())?.find(&emitted.text).await?;
        self.write_spec(&text, &shown)?;
        self.write_task_files(&shown.spec, (charter.lane, charter.header))
    }

    /// Puts a spec into the store.
    pub(super) async fn kept(
        &self,
        spec: &ProductSpec,
        text: &[u8],
        warnings: &[Deficiency],
    ) -> Result<(Emitted, Vec<BlobRef>), ProjectError> {
        let blobs = Blobs::local(self.journal.layout())?;
        let kept = blobs.put(text.to_vec()).await?;
        let told = serde_json::to_vec(warnings).map_err(sealwright_host::HostError::from)?;
        let told = blobs.put(told).await?;
        let emitted = Emitted {
            text: kept.sha256,
            spec_id: spec.spec_id.clone(),
            spec_version: spec.spec_version.clone(),
            title: spec.title.clone(),
            tasks: product::plan(spec).map_or(0, |it| it.len()) as u32,
            warnings: told.sha256,
            warned: warnings.len() as u32,
            research: None,
        };
        Ok((emitted, vec![kept, told]))
    }
}

fn has(spec: &ProductSpec, task: &TaskId) -> bool {
    product::plan(spec).unwrap_or_default().iter().any(|it| it.id == *task)
}

fn text_of(spec: &ProductSpec) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(spec).unwrap_or_default();
    text.push(b'\n');
    text
}

fn now() -> String {
    timestamp(SystemClock.now()).replacen(' ', "T", 1)
}

impl ProjectError {
    pub(super) fn deficient(report: Report) -> Self {
        Self::Deficient { report: Box::new(report) }
    }
}
