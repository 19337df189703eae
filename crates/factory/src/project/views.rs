//! What people and programs read of a project, written anew from its journal.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use sealwright_kernel::owner::Header;
use sealwright_kernel::product::{self, Place, ProductSpec};
use sealwright_kernel::project::Project;
use sealwright_kernel::task::Status;
use sealwright_kernel::{Lane, TaskId};
use sealwright_store::disk::RealDisk;
use sealwright_store::{Head, Journal as _};
use sealwright_views::TaskRow;
use sealwright_views::product_spec::task_text;
use sealwright_views::project_log::ProjectLog;
use sealwright_views::state_machine::{self, Known, Named};

use super::{ProjectError, ProjectStream, write};
use crate::TaskError;
use crate::tasks::Tasks;

impl ProjectStream {
    /// `log.md` and `state_machine.json`. What is read while the lock is held has everything that was recorded before, so
    /// the process that writes last writes the latest.
    pub async fn render(&self) -> Result<(), ProjectError> {
        let root = self.journal.layout().root();
        let lock = self.journal.layout().views_lock();
        let _held = RealDisk::new(root).wait_for_lock(&lock).map_err(|source| {
            ProjectError::Write { path: ".sealwright/work/locks".to_owned(), source }
        })?;
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
            let halts = crate::escalations::of(&self.journal, task).ok()?;
            let (halt, _) = halts.last()?;
            row.question.map(|it| (it.text, halt.id().to_string()))
        };
        let modules = self.modules(&project).await?;
        let is_halted =
            |task: &TaskId| project.task(task).is_some_and(|it| it.status == Status::Halted);
        let known = |task: &TaskId| Known {
            named: names.get(task).cloned(),
            asks: is_halted(task).then(|| asks(task)).flatten(),
            module: modules.get(task).cloned(),
        };
        let scope = self.steering().texts().scope;
        let (scope, _) = sealwright_documents::scope::read(scope.as_deref(), None);
        let criteria: Vec<String> =
            scope.criteria.iter().map(|it| format!("{}: {}", it.id, it.text)).collect();
        let machine = state_machine::render(&project, (version, &criteria), &log, known);
        let files =
            [("pipeline", "log.md", log.markdown()), ("project", "state_machine.json", machine)];
        for (folder, file, content) in files {
            write(&root.join(folder), file, content.as_bytes()).map_err(|source| {
                ProjectError::Write { path: format!(".sealwright/{folder}/{file}"), source }
            })?;
        }
        Ok(())
    }

    /// What each shipped task left, as its own records say: the branch, and the digest of the tree that was proven. The
    /// repository is the one module of a task in the quick lane.
    async fn modules(&self, project: &Project) -> Result<BTreeMap<TaskId, String>, ProjectError> {
        let mut modules = BTreeMap::new();
        let shipped = project.tasks().filter(|(_, it)| it.status == Status::Shipped);
        for (task, _) in shipped {
            let looked = match Tasks::of(&self.journal).look(task).await {
                Ok(looked) => looked.machine,
                // Its records were left out of this copy of the repository.
                Err(TaskError::NoTask { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            if let Some(record) = looked.data().and_then(|it| it.record.as_ref()) {
                modules.insert(task.clone(), format!("{}@{}", task.branch(), record.tree));
            }
        }
        Ok(modules)
    }

    /// `project/tasks/PILLAR/EPIC/STORY/TASK/ID.md` for every task of the spec: all of them or none.
    pub(super) fn write_task_files(
        &self,
        spec: &ProductSpec,
        (lane, header): (Lane, Header),
    ) -> Result<(), ProjectError> {
        let folder = self.journal.layout().root().join("project");
        let files = product::plan(spec).unwrap_or_default().into_iter().map(|place| {
            let path = format!("{}/{}.md", place.folder.join("/"), place.id);
            (path, task_text(spec, &place, lane, header))
        });
        replace_folder(&folder, "tasks", files).map_err(|source| ProjectError::Write {
            path: ".sealwright/project/tasks".to_owned(),
            source,
        })
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
    pub async fn names(&self) -> Vec<Named> {
        let Ok((_, shown)) = self.spec().await else { return Vec::new() };
        let spec = shown.spec;
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

/// Replaces a folder of views. Whoever looks finds all of its files or none, also after a process was cut off.
fn replace_folder(
    parent: &Path,
    name: &str,
    files: impl Iterator<Item = (String, String)>,
) -> std::io::Result<()> {
    if fs::symlink_metadata(parent).is_ok_and(|it| it.file_type().is_symlink()) {
        return Err(std::io::Error::other("the folder is a link"));
    }
    fs::create_dir_all(parent)?;
    let [new, old] = ["new", "old"].map(|it| parent.join(format!(".{name}.{it}")));
    for left in [&new, &old] {
        if fs::symlink_metadata(left).is_ok() {
            fs::remove_dir_all(left)?;
        }
    }
    fs::create_dir(&new)?;
    for (path, text) in files {
        let file = new.join(path);
        fs::create_dir_all(file.parent().unwrap_or(&new))?;
        fs::write(file, text)?;
    }
    let there = parent.join(name);
    if fs::symlink_metadata(&there).is_ok() {
        fs::rename(&there, &old)?;
    }
    fs::rename(&new, &there)?;
    if fs::symlink_metadata(&old).is_ok() { fs::remove_dir_all(&old) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that cannot be written leaves what was there before, and the next try is whole.
    ///
    /// Proves: F-PROJ-019
    #[test]
    fn a_folder_of_views_is_there_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let there = |name: &str| fs::read_to_string(folder.path().join("tasks").join(name)).ok();
        // The second file needs a folder where the first one is.
        let torn = || [file("a/one.md", "1"), file("a/one.md/two.md", "2")].into_iter();
        replace_folder(folder.path(), "tasks", torn()).unwrap_err();
        assert!(!folder.path().join("tasks").exists(), "none at all");
        let whole = [file("a/one.md", "1"), file("b/two.md", "2")].into_iter();
        replace_folder(folder.path(), "tasks", whole).unwrap();
        assert_eq!(there("a/one.md").as_deref(), Some("1"));
        replace_folder(folder.path(), "tasks", torn()).unwrap_err();
        assert_eq!(there("b/two.md").as_deref(), Some("2"), "as it was before");
        replace_folder(folder.path(), "tasks", [file("c.md", "3")].into_iter()).unwrap();
        assert_eq!((there("c.md").as_deref(), there("a/one.md")), (Some("3"), None));
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 1, "nothing is left beside it");
    }
}
