//! `state_machine.json`: the tasks of a project with their statuses, and the phase of its run, for programs.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::TaskId;
use sealwright_kernel::pipeline::{Fails, Fresh, State};
use sealwright_kernel::project::{Entry as TaskEntry, Project};
use sealwright_kernel::task::Status;
use serde::Serialize;

use crate::project_log::{self, ProjectLog};
use crate::timestamp;

/// What a task is called, and what it is a part of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub task: TaskId,
    pub pillar: String,
    pub epic: String,
    pub story: String,
    pub name: String,
}

#[derive(Serialize)]
struct StateMachine<'m> {
    project_id: &'m str,
    spec_version: Option<&'m str>,
    updated_at: Option<String>,
    pipeline: Phases<'m>,
    tasks: BTreeMap<String, Entry>,
}

#[derive(Serialize)]
struct Phases<'m> {
    state: State,
    version: u32,
    mode: &'m str,
    fresh: Fresh,
    fails: Fails,
    commit: Option<&'m str>,
}

#[derive(Serialize)]
struct Entry {
    pillar: String,
    epic: String,
    story: String,
    task: String,
    status: &'static str,
    depends_on: Vec<String>,
    superseded_by: Vec<String>,
    /// Modules come with the factory lane.
    module_ref: Option<String>,
    shipped_at: Option<String>,
    halted_reason: Option<String>,
    escalation_ref: Option<String>,
    declaration_order: u32,
}

/// The status of a task, as the file names it.
pub fn status(of: Status, is_blocked: bool) -> &'static str {
    match of {
        Status::Pending if is_blocked => "BLOCKED",
        Status::Pending => "PENDING",
        Status::InProgress | Status::Parked => "IN_PROGRESS",
        Status::Shipped => "SHIPPED",
        Status::Halted => "HALTED",
        Status::Abandoned => "ABANDONED",
    }
}

/// `asks` says what a halted task asks a person, and which escalation has it.
pub fn render(
    project: &Project,
    spec_version: Option<&str>,
    log: &ProjectLog,
    name: impl Fn(&TaskId) -> Option<Named>,
    asks: impl Fn(&TaskId) -> Option<(String, String)>,
) -> String {
    let blocked = project.blocked();
    let entry = |(id, entry): (&TaskId, &TaskEntry)| {
        let named = name(id);
        let of =
            |part: fn(&Named) -> &String| named.as_ref().map(part).cloned().unwrap_or_default();
        let status = status(entry.status, blocked.contains(id));
        let asked = (entry.status == Status::Halted).then(|| asks(id)).flatten();
        let (halted_reason, escalation_ref) = asked.unzip();
        let ids = |all: &BTreeSet<TaskId>| all.iter().map(ToString::to_string).collect();
        let entry = Entry {
            pillar: of(|it| &it.pillar),
            epic: of(|it| &it.epic),
            story: of(|it| &it.story),
            task: of(|it| &it.name),
            status,
            depends_on: ids(&entry.depends_on),
            superseded_by: ids(&entry.superseded_by),
            module_ref: None,
            shipped_at: log.shipped_at(id).map(timestamp),
            halted_reason,
            escalation_ref,
            declaration_order: entry.order,
        };
        (id.to_string(), entry)
    };
    let run = project.run();
    let machine = StateMachine {
        project_id: "project",
        spec_version,
        updated_at: log.updated_at().map(timestamp),
        pipeline: Phases {
            state: run.pipeline.state,
            version: run.version,
            mode: project_log::mode(run),
            fresh: run.pipeline.fresh,
            fails: run.pipeline.fails,
            commit: run.kept.as_deref(),
        },
        tasks: project.tasks().map(entry).collect(),
    };
    let text =
        serde_json::to_string_pretty(&machine).unwrap_or_else(|_| unreachable!("plain data"));
    text + "\n"
}
