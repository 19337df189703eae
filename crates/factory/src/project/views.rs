//! What people and programs read of a project, written anew from its journal.

use std::collections::BTreeMap;

use sealwright_kernel::TaskId;
use sealwright_kernel::product::{self, Place};
use sealwright_store::{Head, Journal as _};
use sealwright_views::TaskRow;
use sealwright_views::project_log::ProjectLog;
use sealwright_views::state_machine::{self, Named};

use super::{ProjectError, ProjectStream, write};
use crate::tasks::Tasks;

impl ProjectStream {
    /// `log.md` and `state_machine.json`.
    pub async fn render(&self) -> Result<(), ProjectError> {
        let project = self.look().await?;
        let log = self.log().await?;
        let names = self.names().await;
        let version = project.product().emitted.as_ref().map(|it| it.spec_version.as_str());
        let names: BTreeMap<TaskId, Named> =
            names.into_iter().map(|it| (it.task.clone(), it)).collect();
        let index = Tasks::of(&self.journal).index()?;
        let asks = |task: &TaskId| {
            let summary = index.streams().find(|it| it.stream.as_str() == task.as_str())?;
            let row = index.details::<Option<TaskRow>>(summary).and_then(|it| it.row)?;
            row.question.map(|it| (it.text, it.id.to_string()))
        };
        let name = |task: &TaskId| names.get(task).cloned();
        let machine = state_machine::render(&project, version, &log, name, asks);
        let root = self.journal.layout().root();
        let files =
            [("pipeline", "log.md", log.markdown()), ("project", "state_machine.json", machine)];
        for (folder, file, content) in files {
            write(&root.join(folder), file, content.as_bytes()).map_err(|source| {
                ProjectError::Write { path: format!(".sealwright/{folder}/{file}"), source }
            })?;
        }
        Ok(())
    }

    /// The log of the project, from its records.
    pub async fn log(&self) -> Result<ProjectLog, ProjectError> {
        let mut log = ProjectLog::default();
        self.journal
            .read(&self.stream, Head::START, &mut |entry| {
                log.add(&entry.record()?);
                Ok(())
            })
            .await?;
        Ok(log)
    }

    /// What the tasks are called in the spec, and what they are part of.
    async fn names(&self) -> Vec<Named> {
        let Ok((_, spec, _)) = self.spec().await else { return Vec::new() };
        let named = |place: Place| {
            let [p, e, s, t] = place.at;
            let pillar = &spec.pillars[p];
            let epic = &pillar.epics[e];
            let story = &epic.stories[s];
            Named {
                task: place.id,
                pillar: pillar.name.clone(),
                epic: epic.name.clone(),
                story: story.name.clone(),
                name: story.tasks[t].name.clone(),
            }
        };
        product::plan(&spec).unwrap_or_default().into_iter().map(named).collect()
    }
}
