//! The files of halts: `.sealwright/escalations/ESC-….json`, and what was decided beside them.
//!
//! A halt of a task of a project is told with the state machine of the project as it was once the project had heard of it;
//! a task alone is its own state machine.

use sealwright_kernel::project::{Event as ProjectEvent, Project};
use sealwright_kernel::task::{Membership, Status};
use sealwright_kernel::{Machine as _, TaskId, Timestamp};
use sealwright_store::disk::{Disk as _, RealDisk};
use sealwright_store::{FileJournal, Head, JournalError};
use sealwright_views::ViewSource;
use sealwright_views::escalation_file::{Halt, Halts};
use serde_json::{Value, json};

use crate::TaskError;
use crate::project::ProjectStream;

/// The halts of a task, each with its file.
pub fn of(journal: &FileJournal, task: &TaskId) -> Result<Vec<(Halt, Value)>, TaskError> {
    let mut source = ViewSource::default();
    journal.read_blocking(task.stream(), Head::START, &mut |entry| source.add(entry))?;
    let snapshots = Snapshots::of(journal, task)?;
    let with = |halt: &Halt| {
        let snapshot = snapshots.at(halt.at).unwrap_or_else(|| alone(task));
        (halt.clone(), halt.value(task, &snapshot))
    };
    Ok(source.halts().iter().map(with).collect())
}

/// Writes the files of the halts of a task, and says whether all could be: what a project has not heard of yet is written
/// once it has.
pub(crate) fn write(
    journal: &FileJournal,
    task: &TaskId,
    halts: &Halts,
    belongs: Membership,
) -> Result<bool, TaskError> {
    let disk = RealDisk::new(journal.layout().root());
    let folder = journal.layout().escalations();
    let snapshots = Snapshots::of(journal, task)?;
    let mut is_whole = true;
    for halt in halts.iter() {
        let snapshot = match (snapshots.at(halt.at), belongs) {
            (Some(snapshot), _) => snapshot,
            (None, Membership::Alone) => alone(task),
            (None, Membership::Project) => {
                is_whole = false;
                continue;
            }
        };
        let decided =
            halt.resolution(task).map(|it| (format!("{}.resolution.json", halt.id()), it));
        let file = (format!("{}.json", halt.id()), halt.value(task, &snapshot));
        for (name, value) in [file].into_iter().chain(decided) {
            let path = folder.join(name);
            let mut text = serde_json::to_vec_pretty(&value).unwrap_or_default();
            text.push(b'\n');
            let there = disk.read_if_there(&path, BYTES_MAX);
            if there.is_ok_and(|it| it.as_deref() == Some(&text)) {
                continue;
            }
            let written = disk.replace(&path, &text);
            written.map_err(|source| TaskError::io("write", &path, source))?;
        }
    }
    Ok(is_whole)
}

/// The state machine of a project after each halt of one of its tasks that it heard of.
struct Snapshots(Vec<(Timestamp, Value)>);

impl Snapshots {
    fn of(journal: &FileJournal, task: &TaskId) -> Result<Self, TaskError> {
        let stream = ProjectStream::of(journal);
        let mut snapshots = Vec::new();
        if !stream.is_there() {
            return Ok(Self(snapshots));
        }
        let mut project = Project::default();
        journal.read_blocking(stream.stream(), Head::START, &mut |entry| {
            let mut is_halt = false;
            for event in entry.events::<ProjectEvent>()? {
                is_halt |= matches!(
                    &event,
                    ProjectEvent::Heard { task: of, status: Status::Halted, .. } if of == task
                );
                project.evolve(&event);
            }
            if is_halt {
                snapshots.push((entry.at()?, snapshot(&project)));
            }
            Ok::<(), JournalError>(())
        })?;
        Ok(Self(snapshots))
    }

    /// The first one that is not older than a halt.
    fn at(&self, halt: Timestamp) -> Option<Value> {
        self.0.iter().find(|(at, _)| *at >= halt).map(|(_, it)| it.clone())
    }
}

/// Every task of the project with its status.
fn snapshot(project: &Project) -> Value {
    let blocked = project.blocked();
    let tasks: serde_json::Map<String, Value> = project
        .tasks()
        .map(|(id, entry)| {
            let status =
                sealwright_views::state_machine::status(entry.status, blocked.contains(id));
            let depends_on: Vec<&str> = entry.depends_on.iter().map(TaskId::as_str).collect();
            let entry = json!({
                "status": status,
                "depends_on": depends_on,
                "declaration_order": entry.order,
            });
            (id.to_string(), entry)
        })
        .collect();
    let phases = project.run();
    json!({ "pipeline": { "state": phases.pipeline.state, "version": phases.version }, "tasks": tasks })
}

fn alone(task: &TaskId) -> Value {
    let status = sealwright_views::state_machine::status(Status::Halted, false);
    json!({ "tasks": { task.as_str(): { "status": status, "depends_on": [], "declaration_order": 0 } } })
}

const BYTES_MAX: u64 = 16 << 20;
